"""The artefacts of Antoniak and Mimno 2021 on worlds small enough to work out by hand."""

import csv
import runpy
from math import sqrt
from pathlib import Path
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.linear_model import Ridge
from tests.paths import PUBLISHED, REPOSITORY, RESOURCES

from socialbias.corpora.documents import Document
from socialbias.corpora.prepared import Corpus as Prepared
from socialbias.embeddings.train import Options, train
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.measures.pca_bias import pca_bias
from socialbias.measures.weat import weat
from socialbias.papers.bad_seeds import (
    documents,
    figure1,
    figure2,
    figure3,
    figure4,
    figure5,
    figures,
    pairs,
    seed_audit,
    spread,
    table1,
    table2,
    table3,
    table4,
    wanted,
)
from socialbias.papers.bad_seeds.inputs import (
    Corpus,
    Input,
    SeedSet,
    fewest,
    in_places,
    over_models,
    printed_sets,
    read_corpus,
    records_of,
    seed_sets,
    too_few,
    unigrams,
)
from socialbias.reporting.catalogue import load_catalogue
from socialbias.reporting.compare import compare
from socialbias.reporting.drawing import Drawn
from socialbias.reporting.figures import TOO_FEW, save_figure
from socialbias.reporting.values import read_csv, values_table
from socialbias.word_lists import all_words, read_word_lists

STYLE = {"width": 6.8, "row_height": 0.2, "font_size": 8.0, "dpi": 60}
STYLE |= {"colours": ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"]}


@pytest.fixture(scope="module")
def lists():
    return read_word_lists(RESOURCES / "word_lists" / "bad_seeds.yaml")


def vectors(**words):
    return WordVectors(tuple(words), np.array(list(words.values()), dtype=np.float32))


def corpus(*models, counts=None, tags=None, documents=0, source="src", fidelity="exact"):
    return Input(Corpus(models, counts or {}, tags or {}, documents), source, fidelity)


def cells(records):
    return {(r["row"], r["column"]): r for r in records}


def numbers(records):
    return {key: r["value"] for key, r in cells(records).items()}


def published(artefact):
    return read_csv(PUBLISHED / f"bad_seeds_{artefact}.csv")


# The word lists


def test_word_lists_have_the_sizes_that_print_has(lists):
    table = published("counts")
    counts = table.set_index(["row", "column"])["value"].astype(int)
    for panel in ("3a", "3b", "3c", "4a", "4b"):
        entry = lists["pairs"][f"figure{panel}"]
        for i, side in enumerate(("first", "second"), 1):
            assert len(entry[side]) == counts[f"figure {panel}", f"seeds_{i}"]
            if "shuffled" in entry:
                assert sorted(entry["shuffled"][side]) == sorted(entry[side])
    assert len(lists["pairs"]["figure4c"]["first"]) == counts["figure 4c", "seeds_1_shuffled"]
    assert len(lists["pairs"]["figure4c"]["second"]) == counts["figure 4c", "seeds_2_shuffled"]
    sets = seed_sets(printed_sets(lists))
    for row, label in (("figure 5 roles", "roles"), ("figure 5 names", "names")):
        (pair,) = [p for p in lists["highlighted_pairs"] if p["row"].endswith(label)]
        sizes = sorted(len(sets[pair[side]].words) for side in ("first", "second"))
        assert sizes == sorted([counts[row, "seeds_1"], counts[row, "seeds_2"]])
    assert len(lists["figure2"]) == counts["figure 2", "seed_sets_in_legend"]


def test_every_seed_is_a_lower_case_string(lists):
    words = [word for entry in lists["sets"] for word in entry["words"]]
    words += [w for e in lists["pairs"].values() for side in ("first", "second") for w in e[side]]
    words += [w for pair in lists["generated"] for side in pair.values() for w in side]
    assert all(isinstance(word, str) and word == word.strip().lower() and word for word in words)


def test_the_rows_of_table4_are_those_of_print(lists):
    rows = set(published("table4")["row"])
    ours = {
        table4.pair_key(*(" ".join(p[s]) for s in ("first", "second"))) for p in lists["generated"]
    }
    gathered = {table4.pair_key(*pair) for pair in lists["gathered_pairs"]}
    assert ours == rows - gathered
    assert len(rows & gathered) == 6


def test_a_pretrained_model_is_asked_for_every_seed(lists):
    gathered = {"g": SeedSet(("Tanisha", "gathered", "two words", ""))}
    words = wanted.seed_words(lists, gathered)
    assert {"tanisha", "gathered"} < {*words}
    assert {word for entry in lists["sets"] for word in unigrams(entry["words"])} < {*words}
    assert {*lists["unpleasantness"]} < {*words}
    for pair in lists["pairs"].values():
        orders = [pair, pair["shuffled"]] if "shuffled" in pair else [pair]
        assert {word for order in orders for s in ("first", "second") for word in order[s]} <= {
            *words
        }
    assert words == sorted(set(words))
    assert all(isinstance(word, str) and not {" ", "_"} & {*word} and word for word in words)


def test_words_for_a_pretrained_model_are_a_word_list(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lists_file = RESOURCES / "word_lists" / "bad_seeds.yaml"
    snakemake = SimpleNamespace(
        log=["words.log"],
        input={"word_lists": str(lists_file)},
        output=SimpleNamespace(words="words.yaml"),
        params=SimpleNamespace(settings={"about": {}}),
    )
    script = REPOSITORY / "scripts" / "bad_seeds" / "seed_words.py"
    runpy.run_path(str(script), {"snakemake": snakemake})
    lists = read_word_lists(lists_file)
    expected = wanted.seed_words(lists, seed_sets(printed_sets(lists)))
    assert all_words(read_word_lists(Path("words.yaml"))) == {*expected}


# What all artefacts share


def test_unigrams_are_single_words_in_lower_case():
    assert unigrams([" Mary", "hair_salon", "two words", "sue-ellen", ""]) == ("mary", "sue-ellen")


def test_a_dropped_bigram_keeps_its_place_so_that_partners_stay_partners(lists):
    table = (
        printed_sets(lists)
        .data.head(2)
        .assign(id=["f", "m"], seeds=[("hair salon", "she", "Her"), ("barber", "he", "his")])
    )
    sets = seed_sets(Input(table, "s", "exact"))
    assert sets["f"].listed == in_places(["hair salon", "she", "Her"]) == ("", "she", "her")
    assert sets["f"].words == ("she", "her")
    model = vectors(she=(1, 0), her=(1, 1), barber=(0, 1), he=(-1, 0), his=(-1, 1))
    found = pairs.aligned(model, sets["f"].listed, sets["m"].listed)
    assert found == (["she", "her"], ["he", "his"])
    assert fewest(model, sets["f"].listed) == {"n": 2, "n_of": 2}
    assert pairs.whole_pairs(model, sets["f"].listed, sets["m"].listed)["pairs_of"] == 2
    figure = {"gathered_pairs": [["f", "m"]], "generated": []}
    table = table4.evidence({"wikitext": corpus(model)}, figure, sets, "g", "noun", (1, 9), 0, 1)
    assert (table["pairs"].item(), table["words"].item()) == (2, "she her | barber he his")
    explained = pca_bias(*(model.rows(side) for side in found)).explained
    assert table["explained"].item() == pytest.approx(explained[0])
    panels = figure3.panels(
        {"pairs": lists["pairs"], "extra_pairs": [{"row": "r", "first": "f", "second": "m"}]}, sets
    )
    drawn = figure3.evidence({"nyt": corpus(model)}, panels[-1:], 3, 1)
    original = drawn[drawn["setting"] == "original"].sort_values("component")
    assert_allclose(original["explained"], explained)
    named = {"highlighted_pairs": [], "gathered_pairs": [["f", "m"]]}
    table = figure5.evidence({"wikitext": corpus(model)}, named, sets, "g", [], (1, 9), 0, 1)
    assert table["explained"].item() == pytest.approx(explained[0])
    assert documents.pairs_of({"documents": {"p": ("f", "m")}}, sets) == {
        "p": (("", "she", "her"), ("barber", "he", "his"))
    }


def test_a_pair_is_as_good_as_its_weaker_set():
    model = vectors(a=(1, 0), b=(0, 1), c=(1, 1))
    assert fewest(model, ["a", "b", "c"], ["a", "x", "y", "a"]) == {"n": 1, "n_of": 3}
    assert fewest(model, ["a", "b", "c", "a"]) == {"n": 3, "n_of": 3}
    assert fewest(model, ["a"], []) == {"n": 0, "n_of": 0}


@pytest.mark.parametrize(
    ("n", "n_of", "start"),
    [(3, 6, ""), (3, 7, "too few: 3 of 7"), (2, 3, "too few: 2 seeds"), (8, 8, "")],
)
def test_too_few_is_under_three_words_or_below_half(n, n_of, start):
    assert too_few(n, n_of).startswith(start)
    assert bool(too_few(n, n_of)) == bool(start)


def test_the_interval_over_models_is_students():
    mean, low, high = over_models([1.0, 2, 4, np.nan], 0.95)
    # 4.302653 is the t table's entry for 2 degrees of freedom; the variance is 7/3
    assert mean == pytest.approx(7 / 3)
    assert high - mean == pytest.approx(4.302653 * sqrt(7 / 3), rel=1e-6)
    assert mean - low == pytest.approx(high - mean)
    assert over_models([0.2, 0.9], 0.95, 0, 1)[1:] == (0, 1)
    assert_allclose(over_models([0.5], 0.95), [0.5, np.nan, np.nan])
    assert np.isnan(over_models([], 0.95)).all()


def test_too_few_seeds_are_said_in_the_note_and_judged_so():
    table = pd.DataFrame(
        {"x": [0.5, 0.7], "n": [4, 3], "n_of": 8, "sources": "b;a", "fidelity": ["exact", "subset"]}
    )
    (record,) = records_of("r", "c", table, "x", 0.95, "cosine")
    assert (record["n"], record["n_of"], record["fidelity"], record["sources"]) == (
        3,
        8,
        "subset",
        "a;b",
    )
    assert record["note"] == "too few: 3 of 8 seeds, less than half"
    printed = pd.DataFrame([{"row": "r", "column": "c", "value": "0.6", "note": ""}])
    judged, _ = compare(values_table("t", [record], 1), printed, 1)
    assert judged["verdict"].to_list() == ["too few"]


def test_a_cell_without_a_number_is_left_out():
    table = pd.DataFrame({"x": [np.nan], "n": 0, "n_of": 2, "sources": "a", "fidelity": "exact"})
    assert records_of("r", "c", table, "x", 0.95, "cosine") == []


def test_a_corpus_is_read_from_what_preparing_training_and_tagging_write(tmp_path):
    vectors(she=(1, 0), null=(0, 1)).save(tmp_path / "0")
    text = tmp_path / "text"
    text.mkdir()
    arrays = {"tokens": [0, 0, 1, 0], "documents": [0, 1, 1, 4], "sentences": [0, 4]}
    for name, numbers_ in {**arrays, "counts": [3, 1]}.items():
        np.save(text / f"{name}.npy", np.array(numbers_, dtype=np.int64))
    (text / "vocabulary.txt").write_bytes(b"she\nnull\n")
    (text / "report.json").write_text("{}")
    tags = pd.DataFrame({"word": ["she", "null"], "tag": ["other", "noun"], "tagged": 1})
    tags.to_parquet(tmp_path / "tags.parquet")
    found = read_corpus([tmp_path / "0"], text, tmp_path / "tags.parquet")
    assert found.models[0].words == ("she", "null")
    assert (found.counts, found.documents) == ({"she": 3, "null": 1}, 3)
    assert found.tags == {"she": "other", "null": "noun"}
    assert read_corpus([tmp_path / "0"], text).tags == {}
    assert read_corpus([tmp_path / "0"]).counts == {}


# Tables 1 to 3, Figure 1: counting

TABLE1 = {
    "sets": [
        {
            "id": "x",
            "label": "work",
            "words": ["mom", "cook", "cook"],
            "highlighted": ["mom", "mum"],
        },
        {"id": "y", "words": ["other"]},
    ]
}


def test_table1_counts_words_and_occurrences():
    news = corpus(counts={"mom": 30, "cook": 10, "mum": 500}, source="news", fidelity="subset")
    found = cells(table1.values(table1.evidence({"nyt": news, "empty": corpus()}, TABLE1)))
    assert {key: r["value"] for key, r in found.items()} == {
        ("work", "seeds"): 2,
        ("work", "highlighted"): 2,
        ("work", "highlighted in set"): 1,
        ("work", "share in nyt"): 0.75,
    }
    share = found["work", "share in nyt"]
    assert (share["n"], share["n_of"], share["fidelity"]) == (2, 2, "subset")
    assert found["work", "seeds"]["fidelity"] == "exact"


def test_table1_has_the_four_concepts_of_print(lists):
    found = numbers(table1.values(table1.evidence({}, lists)))
    counts = published("counts").set_index(["row", "column"])["value"].astype(int)
    for row in {row for row, _ in found}:
        assert found[row, "highlighted"] == counts[f"table 1 {row}", "seeds_shown"]
        listed = counts[f"table 1 {row}", "seeds_shown_and_listed"]
        assert found[row, "highlighted in set"] == listed
    assert len({row for row, _ in found}) == 4


def test_table2_counts_before_and_after_the_rare_words_go():
    news = corpus(counts={"a": 25, "b": 10, "c": 9, "null": 1}, documents=9)
    found = numbers(table2.values(table2.evidence({"nyt": news, "pretrained": corpus()})))
    assert found == {
        ("nyt", "documents"): 9,
        ("nyt", "words"): 45,
        ("nyt", "words@frequent"): 35,
        ("nyt", "vocabulary"): 4,
        ("nyt", "vocabulary@frequent"): 2,
        ("nyt", "mean_document_length"): 5,
        ("nyt", "mean_document_length@frequent"): pytest.approx(35 / 9),
    }


def gathered(*rows):
    columns = ["id", "paper", "source_categories", "seeds"]
    return Input(pd.DataFrame(rows, columns=columns), "seeds", "exact")


GATHERED = gathered(
    ("s1", "P", ("curated", "prior-work"), ("a", "b")),
    ("s2", "P", ("curated",), ("a", "b", "c", "c")),
    ("s3", "Q", ("curated",), ()),
    ("s4", "R", ("unknown",), ("a",)),
)


def test_table3_counts_each_paper_once_a_category():
    found = cells(table3.values(table3.evidence({"": GATHERED, "newest": GATHERED})))
    assert found["curated", "papers_of_18"]["value"] == 2
    assert found["curated", "seed_sets"]["value"] == 3
    assert found["re-used", "papers_of_18@newest"]["value"] == 1
    assert found["crowd-sourced", "papers_of_18"]["value"] == 0
    assert found["curated", "papers_of_18"]["n"] == 4
    assert {row for row, _ in found} == set(published("table3")["row"])


def test_table3_falls_back_on_the_printed_sets(lists):
    table = table3.evidence({"": printed_sets(lists)})
    assert set(table["fidelity"]) == {"subset"}
    found = numbers(table3.values(table))
    # Empath and The Geometry of Culture are the crowd-sourced ones; print lists sets of the first
    assert found["crowd-sourced", "papers_of_18"] == 1
    assert found["adapted from lexical resources", "papers_of_18"] == 2


def test_figure1_quartiles_leave_undocumented_sets_out():
    found = numbers(figure1.values(figure1.evidence({"": GATHERED})))
    assert found["all", "maximum_seeds_per_set"] == 4
    assert (found["all", "seed_sets"], found["all", "papers"]) == (4, 3)
    assert found["all", "undocumented"] == 1
    # sizes 1, 2, 4; sets 2, 1, 1
    assert [found["seeds per set", q] for q in figure1.QUANTILES] == [1, 1.5, 2, 3, 4]
    assert [found["sets per paper", q] for q in figure1.QUANTILES] == [1, 1, 1, 1.5, 2]


# Figure 2

# The unpleasant words have the mean (1/2, 1/2) after scaling: cosines with x and y are 1/sqrt 2.
BASE2 = {"bad1": (3, 0), "bad2": (0, 5)}
SETS2 = {"f": SeedSet(("she", "her", "her", "lady", "gone")), "long": SeedSet(tuple("ab" * 15))}
R2 = 1 / sqrt(2)


def romance(she=(1, 0)):
    return vectors(**BASE2, she=she, her=(1, 1), lady=(0, -4), a=(1, 0))


def history():
    return vectors(**BASE2, she=(1, 0), her=(-2, -2), extra=(1, 0))


def evidence2(**others):
    corpora = {
        "goodreads-romance": corpus(romance(), romance((2, 2))),
        "goodreads-history-biography": corpus(history(), history(), fidelity="substitute"),
    }
    return figure2.evidence(corpora | others, SETS2, ["bad1", "bad2", "absent"])


def test_figure2_takes_the_words_that_all_models_have():
    table = evidence2(google=corpus(romance()))
    assert set(table["row"]) == {"f"}  # thirty words are not under thirty
    words = table.groupby("corpus")["word"].apply(lambda w: sorted(set(w))).to_dict()
    assert words == {
        "goodreads-romance": ["her", "she"],
        "goodreads-history-biography": ["her", "she"],
        "google": ["her", "lady", "she"],
    }
    assert set(zip(table["n"], table["n_of"], strict=True)) == {(2, 4), (3, 4)}


def test_figure2_cosines_medians_and_differences():
    table = evidence2()
    at = table.set_index(["corpus", "model", "word"])["cosine"]
    assert at["goodreads-romance", 0, "she"] == pytest.approx(R2)
    assert at["goodreads-romance", 1, "she"] == pytest.approx(1)
    assert at["goodreads-history-biography", 0, "her"] == pytest.approx(-1)
    found = cells(figure2.values(table, 0.95))
    first, second = (R2 + 1) / 2, 1.0  # of two words the median is the mean
    other = (R2 - 1) / 2
    assert found["f", "goodreads-romance"]["value"] == pytest.approx((first + second) / 2)
    assert found["f", "difference@mean"]["value"] == pytest.approx((first + second) / 2 - other)
    reach = 12.7062047 * abs(first - second) / sqrt(2)  # t with one degree of freedom
    low = found["f", "difference"]["ci_low"]
    assert low == pytest.approx(max(-2, (first + second) / 2 - other - reach))
    assert found["f", "difference"]["fidelity"] == "substitute"
    assert found["f", "goodreads-romance"]["fidelity"] == "exact"
    note = found["f", "difference"]["note"]
    assert note.startswith("too few: 2 seeds")
    assert note.endswith("; 2 of 3 words of unpleasantness")


def test_figure2_compares_along_the_words_of_unpleasantness_that_all_models_have():
    # Along bad1 alone, which both have, she is as unpleasant in one corpus as in the other.
    one = vectors(bad1=(1, 0), bad2=(0, 1), she=(1, 0), her=(0, 1), lady=(0, 1))
    other = vectors(bad1=(1, 0), she=(1, 0), her=(0, 1), lady=(0, 1))
    corpora = {"goodreads-romance": corpus(one), "goodreads-history-biography": corpus(other)}
    corpora["google"] = corpus(one)
    table = figure2.evidence(corpora, SETS2, ["bad1", "bad2", "absent"])
    found = cells(figure2.values(table, 0.95))
    assert found["f", "difference@mean"]["value"] == pytest.approx(0)
    assert found["f", "difference@mean"]["note"] == "1 of 3 words of unpleasantness"
    # A model that is compared with none keeps its own: she has 1 / sqrt 2 along both.
    assert found["f", "google"]["value"] == pytest.approx(R2)
    assert found["f", "google"]["note"] == "2 of 3 words of unpleasantness"


def test_figure2_without_unpleasant_words_is_empty():
    table = figure2.evidence({"goodreads-romance": corpus(vectors(she=(1, 0)))}, SETS2, ["bad1"])
    assert table.empty
    assert figure2.values(table, 0.95) == []


# Pairs of sets: Table 4 and Figure 5

WORLD = {
    "good": (1, 0, 0), "bad": (0, 1, 0), "x1": (4, 1, 0), "x2": (3, 0, 1), "y1": (1, 4, 0),
    "y2": (0, 3, 1), "z": (1, 1, 1), "w": (-1, 0, 2),
}  # fmt: skip


def by_plain_loops(words, x, y):
    """Coherence along the WEAT direction, set similarity and WEAT by plain loops."""
    unit = {w: np.array(v) / np.linalg.norm(v) for w, v in words.items()}
    mean = [sum(unit[w] for w in s) / len(s) for s in (x, y)]
    axis = mean[0] - mean[1]
    order = stats.rankdata([unit[w] @ axis for w in words]) - 1
    rank = dict(zip(words, order / (len(words) - 1), strict=True))
    gap = abs(np.mean([rank[w] for w in x]) - np.mean([rank[w] for w in y]))
    lean = {w: unit[w] @ unit["good"] - unit[w] @ unit["bad"] for w in words}
    weat = sum(lean[w] for w in x) - sum(lean[w] for w in y)
    similarity = mean[0] @ mean[1] / np.linalg.norm(mean[0]) / np.linalg.norm(mean[1])
    return gap, similarity, weat


@pytest.mark.parametrize(
    ("x", "y"), [(["x1", "x2"], ["y1", "y2"]), (["x1", "z", "x1"], ["y1", "w"]), (["w"], ["z"])]
)
def test_pairs_are_measured_as_by_plain_loops(x, y):
    found = pairs.measured(vectors(**WORLD), [(x, y)]).iloc[0]
    gap, similarity, weat = by_plain_loops(WORLD, x, y)
    assert found["coherence"] == pytest.approx(gap, abs=1e-6)
    assert found["similarity"] == pytest.approx(similarity, abs=1e-6)
    assert found["weat"] == pytest.approx(weat, abs=1e-6)
    if len(x) == len(y):
        assert found["weat_means"] == pytest.approx(weat / len(x), abs=1e-6)
    assert np.isnan(found["explained"]) == (min(len(x), len(y)) < 2)


def test_weats_test_is_the_two_sided_one():
    model = vectors(**WORLD)
    x, y = ("x1", "x2", "z"), ("y1", "y2")
    table = pairs.measured(model, [(x, y), (y, x)], rng=np.random.default_rng(0))
    rows = [model.rows(words) for words in (x, y, ("good",), ("bad",))]
    assert_allclose(table["p_value"], weat(*rows, two_sided=True).p_value)
    assert pairs.measured(model, [(x, y)])["p_value"].isna().all()


def test_what_a_model_lacks_is_nan_not_wrong():
    no_good = vectors(**{w: v for w, v in WORLD.items() if w != "good"})
    found = pairs.measured(no_good, [(["x1", "x2"], ["y1", "gone"]), (["gone"], ["x1"])])
    assert found["weat"].isna().all()
    assert found["coherence"].isna().to_list() == [False, True]
    assert found["n"].to_list() == [1, 0]
    assert found["explained"].isna().all()  # one whole pair is none
    assert pairs.measured(no_good, []).empty


def test_aligned_lists_end_with_the_shorter_and_drop_broken_pairs():
    found = pairs.aligned(vectors(**WORLD), ["x1", "x2", "z"], ["y1", "gone"])
    assert found == (["x1"], ["y1"])


def test_a_longer_copy_of_a_set_has_another_statistic_but_the_same_difference_of_means():
    found = pairs.measured(
        vectors(**WORLD), [(["x1", "x2"], ["y1"]), (["x1", "x2"] * 3, ["y1"] * 3)]
    )
    assert found["weat"][1] == pytest.approx(3 * found["weat"][0])
    assert found["weat_means"][1] == pytest.approx(found["weat_means"][0])


def test_numbers_of_the_pca_method_count_whole_pairs():
    # Three of the four words of each set have vectors, but of two pairs only both words.
    x, y = ["x1", "x2", "z", "gone"], ["y1", "lost", "y2", "w"]
    table = pairs.measured(vectors(**WORLD), [(x, y)])
    assert table[["n", "n_of", "pairs", "pairs_of"]].to_numpy().tolist() == [[3, 4, 2, 4]]
    sets = {"X": SeedSet(tuple(x)), "Y": SeedSet(tuple(y))}
    lists = {"gathered_pairs": [["X", "Y"]], "generated": []}
    args = (lists, sets, "g", "noun", (1, 9), 5, 1)
    found = cells(
        table4.values(table4.evidence({"wikitext": corpus(vectors(**WORLD))}, *args), 0.95)
    )
    for column in ("explained variance", "coherence@pca"):
        assert found["X | Y", column]["note"].startswith("too few: 2 seeds"), column
    for column in ("coherence", "set similarity", "WEAT effect size"):
        assert (found["X | Y", column]["n"], found["X | Y", column]["note"]) == (3, "")


LISTS = {
    "gathered_pairs": [["X", "Y"], ["X", "missing"]],
    "generated": [{"first": ["x1", "x2"], "second": ["y1", "gone"]}],
    "highlighted_pairs": [{"row": "names", "first": "X", "second": "Y"}],
}
SETS = {"X": SeedSet(("x1", "x2", "z")), "Y": SeedSet(("y1", "y2"), "subset")}


def test_table4_averages_pairs_over_models():
    bent = WORLD | {"x1": (1, 5, 0)}
    corpora = {
        "wikitext": corpus(vectors(**WORLD), vectors(**bent), source="wiki"),
        "nyt": corpus(vectors(**WORLD), source="news"),
    }
    table = table4.evidence(corpora, LISTS, SETS, "gathered", "noun", (1, 9), 5, 1)
    found = cells(table4.values(table, 0.95))
    cell = found["X | Y", "coherence"]
    by_hand = [by_plain_loops(w, ("x1", "x2", "z"), ("y1", "y2"))[0] for w in (WORLD, bent)]
    assert by_hand[0] != by_hand[1]
    assert cell["value"] == pytest.approx(np.mean(by_hand), abs=1e-6)
    assert (cell["fidelity"], cell["sources"]) == ("subset", "gathered;wiki")
    assert cell["note"].startswith("too few: 2 seeds")
    printed = found["x1 x2 | y1 gone", "coherence"]
    assert printed["value"] == pytest.approx(
        by_plain_loops(WORLD, ("x1", "x2"), ("y1",))[0], abs=1e-6
    )
    assert (printed["n"], printed["n_of"]) == (1, 2)
    assert not any("missing" in row for row, _ in found)


def cloud(seed=0, words=300, models=3, d=12):
    """Random vectors of words with counts and tags, as several noisy models of one space."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(words, d))
    names = (*(f"w{i}" for i in range(words - 2)), "good", "bad")
    noisy = [base + 0.3 * rng.normal(size=base.shape) for _ in range(models)]
    counts = {name: int(10 + 3 * i) for i, name in enumerate(names)}
    tags = {name: ("noun", "verb")[i % 2] for i, name in enumerate(names)}
    matrices = [WordVectors(names, matrix.astype(np.float32)) for matrix in noisy]
    return corpus(*matrices, counts=counts, tags=tags, documents=9)


def test_table4_ranks_our_generated_pairs():
    made = cloud()
    args = ({}, {"gathered_pairs": [], "generated": []})
    table = table4.evidence({"nyt": made}, args[1], {}, "", "noun", (10, 900), 12, 1)
    assert table["row"].nunique() == 12
    assert (table.groupby("row")["model"].nunique() == 3).all()
    words = {word for text in table["words"] for word in text.replace("|", " ").split()}
    assert all(made.data.tags[word] == "noun" for word in words)
    found = cells(table4.values(table, 0.95))
    shown = [found[f"generated {i}", "coherence"] for i in range(1, 7)]
    means = sorted(table.groupby("row")["coherence"].mean())
    assert_allclose([r["value"] for r in shown], [*means[:-4:-1], *means[2::-1]])
    assert shown[0]["note"] in set(table["words"])
    medians = table.groupby("model")["coherence"].median()
    assert found["generated all", "coherence"]["value"] == pytest.approx(medians.mean())
    assert found["generated all", "coherence"]["n"] == 12


def test_figure5_correlates_within_each_model():
    made = cloud()
    table = figure5.evidence({"wikitext": made}, LISTS, SETS, "g", ["noun"], (10, 900), 20, 1)
    row = published("figure5")["row"].item()
    assert set(table["row"]) == {row, figure5.PLACEBO, "gathered", "names"}
    found = cells(figure5.values(table, 0.95))
    cell = found[row, published("figure5")["column"].item()]
    rs = [
        np.corrcoef(part["similarity"], part["explained"])[0, 1]
        for _, part in table[table["kind"] == "generated"].groupby("model")
    ]
    assert cell["value"] == pytest.approx(np.mean(rs))
    assert cell["ci_low"] <= min(rs) <= cell["ci_high"] <= 1
    assert 0 < cell["p_value"] < 1
    assert cell["n"] == 20
    # no generated pair is shared between the models: each makes its own
    by_model = table[table["kind"] == "generated"].groupby("model")["pair"].apply(set)
    assert not by_model[0] & by_model[1]
    targets = [{text.split()[0] for text in pairs_} for pairs_ in by_model]
    assert targets[0] != targets[1]
    assert ("names", "set similarity") not in found  # none of its words is here


def test_figure5s_placebo_knows_nothing_of_the_models():
    made = cloud()
    args = (LISTS, SETS, "g", ["noun"], (10, 900), 20, 1)
    table = figure5.evidence({"wikitext": made}, *args)
    placebo = table[table["kind"] == "placebo"]
    assert placebo["model"].nunique() == figure5.PLACEBOS
    assert (placebo.groupby("model")["pair"].nunique() == 20).all()
    words = {word for pair in placebo["pair"] for word in pair.replace("|", " ").split()}
    assert {made.data.tags[word] for word in words} == {"noun"}
    # other vectors of the same words change nothing
    other = cloud(seed=5).data
    again = figure5.evidence(
        {"wikitext": corpus(*other.models, counts=other.counts, tags=other.tags)}, *args
    )
    assert again.loc[again["kind"] == "placebo", "pair"].tolist() == placebo["pair"].tolist()
    cell = cells(figure5.values(table, 0.95))[figure5.PLACEBO, figure5.TRENDS["explained"]]
    assert cell["ci_low"] < cell["value"] < cell["ci_high"]


def test_gathered_pairs_are_held_against_the_ten_most_alike():
    enough = dict.fromkeys(("n", "n_of", "pairs", "pairs_of"), 5)
    generated = pd.DataFrame(
        {"similarity": np.arange(20) / 20, "explained": np.arange(20) / 100} | enough
    )
    gathered = pd.DataFrame(
        {"similarity": [0.0, 0.95, -0.1, np.nan], "explained": [0.5] * 4} | enough
    )
    # the first ten have a mean of 0.045, the last ten of 0.145; beyond them nothing is held
    found = figure5.above_generated(gathered, generated)
    assert_allclose(found, [0.5 - 0.045, 0.5 - 0.145])
    assert len(figure5.above_generated(gathered, generated.head(9))) == 0
    # Two pairs of words are too few, and four of the nine of a set.
    for few in ({"pairs": [2, 5, 5, 5]}, {"n": [4, 5, 5, 5], "n_of": 9}):
        assert_allclose(figure5.above_generated(gathered.assign(**few), generated), [0.5 - 0.145])


def figure5_cells(**columns):
    """Figure 5's cells of twelve gathered pairs, the last of which is far from the trend."""
    numbers = {
        "similarity": [*np.arange(11) / 20, 1.0],
        "explained": [*np.arange(11)[::-1] / 20, 1.0],
    }
    numbers |= {"coherence": numbers["explained"], "weat_means": numbers["explained"]}
    said = {"row": "gathered", "kind": "gathered", "model": 0, "sources": "s", "fidelity": "exact"}
    said |= dict.fromkeys(("n", "n_of", "pairs", "pairs_of"), 9)
    return cells(figure5.values(pd.DataFrame(numbers | said | columns), 0.95))


@pytest.mark.parametrize("name", list(figure5.TRENDS))
def test_a_trend_is_of_the_pairs_that_have_enough_seeds(name):
    column = figure5.TRENDS[name]
    # A set of which less than half is known counts in no trend; whole pairs in that of PCA alone.
    few = figure5_cells(n=[9] * 11 + [4])["gathered", column]
    assert (few["value"], few["n"]) == (pytest.approx(-1), 11)
    broken = figure5_cells(pairs=[9] * 11 + [2])["gathered", column]
    assert broken["n"] == (11 if name == "explained" else 12)
    assert ("gathered", column) not in figure5_cells(n=[9] * 9 + [4] * 3)


def test_the_trend_of_weat_does_not_follow_the_sizes_of_sets():
    made = cloud(models=1)
    names = [f"w{i}" for i in range(120)]
    short = {f"s{i}": SeedSet(tuple(names[5 * i : 5 * i + 5])) for i in range(24)}
    # Every word once to three times: the same mean association of a set of another size.
    long = {name: SeedSet(seeds.listed * (1 + int(name[1:]) % 3)) for name, seeds in short.items()}
    ids = [[f"s{i}", f"s{i + 3}"] for i in range(20)]
    lists = {"highlighted_pairs": [], "gathered_pairs": ids}
    found = []
    for sets in (short, long):
        table = figure5.evidence({"wikitext": made}, lists, sets, "g", [], (1, 9), 0, 1)
        found.append(numbers(figure5.values(table, 0.95))["gathered", figure5.TRENDS["weat_size"]])
    assert found[0] == pytest.approx(found[1])


def test_gathered_pairs_are_measured_again_with_five_whole_pairs():
    made = cloud(models=1)
    (model,) = made.data.models
    # Of the first words some have no vector: they are passed over, with their partners.
    first = ["gone", "w0", *(f"w{i}" for i in range(1, 11))]
    second = ["w20", "lost", *(f"w{i}" for i in range(21, 31))]
    sets = {"a": SeedSet(tuple(first)), "b": SeedSet(tuple(second))}
    sets |= {"c": SeedSet(("w1", "w2", "w3", "w4", "gone"))}
    pairs_ = {"gathered_pairs": [["a", "b"], ["a", "c"]], "highlighted_pairs": []}
    table = figure5.evidence({"wikitext": made}, pairs_, sets, "g", ["noun"], (10, 900), 20, 1)
    whole = table[table["row"] == "gathered"].set_index("pair")
    expected = pairs.measured(model, [(first, second)])["explained"].item()
    assert whole.loc["a | b", "explained"] == expected
    (five,) = table[table["row"] == figure5.CUT].to_dict("records")  # c has four words at most
    expected = pairs.measured(model, [(first[2:7], second[2:7])]).loc[0]
    assert (five["pair"], five["pairs"], five["pairs_of"]) == ("a | b", 5, 5)
    assert five["explained"] == expected["explained"]
    assert five["similarity"] == expected["similarity"]
    found = cells(figure5.values(table, 0.95))
    assert found["gathered", figure5.ABOVE]["n"] == 2
    assert found[figure5.CUT, figure5.ABOVE]["n"] == 1


def test_figure5_highlights_pairs():
    words = corpus(vectors(**WORLD), source="wiki")
    table = figure5.evidence({"wikitext": words}, LISTS, SETS, "g", ["noun"], (10, 900), 20, 1)
    found = numbers(figure5.values(table, 0.95))
    gap, similarity, _ = by_plain_loops(WORLD, ("x1", "x2", "z"), ("y1", "y2"))
    assert found["names", "set similarity"] == pytest.approx(similarity, abs=1e-6)
    assert found["names", "coherence"] == pytest.approx(gap, abs=1e-6)


# Figures 3 and 4

# Pairs in order differ along x alone: one component holds everything. Crossed, they do not.
ORDERED = {"a1": (1, 0, 0), "a2": (0.6, 0.8, 0), "a3": (0.6, 0, 0.8)}
ORDERED |= {"b1": (-1, 0, 0), "b2": (-0.6, 0.8, 0), "b3": (-0.6, 0, 0.8)}
PANEL = {
    "row": "pairs", "first": ["a1", "a2", "a3"], "second": ["b1", "b2", "b3"],
    "shuffled": (["a1", "a2", "a3"], ["b1", "b3", "b2"]), "fidelity": "exact", "source": "paper",
}  # fmt: skip


@pytest.fixture(scope="module")
def evidence3():
    model = vectors(**ORDERED)
    corpora = {"nyt": corpus(model, model), "google-news": corpus(model, source="g")}
    return figure3.evidence(corpora, [PANEL], 60, 1)


SIDES = ("first", "second")


def first_component(table, row, setting):
    part = table[(table["row"] == row) & (table["setting"] == setting) & (table["component"] == 1)]
    return part["explained"].astype(float)


def test_figure3_ordered_pairs_have_one_component(evidence3):
    assert_allclose(first_component(evidence3, "pairs", "original"), 1, atol=1e-6)
    # (2, 0, 0), (1.2, .8, -.8), (1.2, -.8, .8): squared lengths 4 + 2.72 + 2.72; the second
    # component is (0, .8, -.8) twice
    crossed = first_component(evidence3, "pairs", "printed-shuffle")
    assert_allclose(crossed, 1 - 2 * 1.28 / (4 + 2 * 2.72), atol=1e-6)


def test_figure3_shuffles_many_times_and_alike_in_every_model(evidence3):
    drawn = evidence3[(evidence3["setting"] == "shuffled") & (evidence3["row"] == "pairs")]
    assert drawn["draw"].nunique() == 60
    first = drawn[drawn["component"] == 1].pivot_table(
        index="draw", columns="model", values="explained"
    )
    assert_allclose(first[0], first[1])
    # 3! orders of the second list; the two that keep b1 are known
    assert first[0].round(6).nunique() > 2
    assert (
        evidence3.groupby(["row", "setting", "model", "draw"])["explained"].sum() - 1
    ).abs().max() < 1e-9


def test_figure3_cells(evidence3):
    found = cells(figure3.values(evidence3, 0.95))
    assert found["pairs", "component 1@original"]["value"] == pytest.approx(1, abs=1e-6)
    assert found["pairs", "sd@original"]["value"] == pytest.approx(0, abs=1e-6)
    shuffled = first_component(evidence3, "pairs", "shuffled")
    assert found["pairs", "component 1@shuffled"]["value"] == pytest.approx(shuffled.mean())
    # No shuffle explains more than the original; those that are the original tie.
    above = found["pairs", "shuffles above original"]["value"]
    assert above == pytest.approx((shuffled > 1 - 1e-9).mean() / 2)
    assert 0 < above < 0.5
    assert ("pairs, google-news", "component 1@original") in found
    assert np.isnan(found["pairs, google-news", "component 1@original"]["ci_low"])


def test_figure3_needs_two_pairs_and_counts_them():
    model = vectors(**{w: v for w, v in ORDERED.items() if w not in ("a2", "b3")})
    table = figure3.evidence({"nyt": corpus(model)}, [PANEL], 5, 1)
    assert table.empty
    three = vectors(**{w: v for w, v in ORDERED.items() if w != "a2"})
    table = figure3.evidence({"nyt": corpus(three)}, [PANEL], 5, 1)
    assert set(zip(table["n"], table["n_of"], strict=True)) == {(2, 3)}
    # Of eight words on either side five have vectors, but of two pairs only both words.
    sides = [[f"{side}{i}" for i in range(8)] for side in "pq"]
    known = sides[0][:5] + sides[1][3:]
    model = vectors(**dict(zip(known, np.random.default_rng(0).normal(size=(10, 4)), strict=True)))
    panel = PANEL | {"first": sides[0], "second": sides[1], "shuffled": None}
    found = cells(figure3.values(figure3.evidence({"nyt": corpus(model)}, [panel], 5, 1), 0.95))
    assert {(cell["n"], cell["n_of"]) for cell in found.values()} == {(2, 8)}
    assert all(cell["note"].startswith("too few: 2 seeds") for cell in found.values())


def test_figure3_printed_shuffle_has_the_words_of_the_original_order_and_its_own_count():
    names = {f"{side}{i}": (i + 1, side == "a", i % 2, 1) for side in "ab" for i in range(1, 6)}
    panel = PANEL | {
        side: [f"{s}{i}" for i in range(1, 6)] for s, side in zip("ab", SIDES, strict=True)
    }
    # In the shuffle a1 stands with b1, and b5, of which the partner has no vector, with a4.
    panel["shuffled"] = (panel["first"], ["b1", "b3", "b2", "b5", "b4"])
    model = vectors(**{word: at for word, at in names.items() if word != "a5"})
    table = figure3.evidence({"nyt": corpus(model)}, [panel], 5, 1)
    counts = table.groupby("setting")["n"].agg(set).to_dict()
    assert counts == {"original": {4}, "shuffled": {4}, "random": {4}, "printed-shuffle": {3}}
    words = ["a1", "a2", "a3"], ["b1", "b3", "b2"]
    expected = pca_bias(*(model.rows(side) for side in words)).explained
    drawn = table[table["setting"] == "printed-shuffle"].sort_values("component")
    assert_allclose(drawn["explained"], expected)
    above = cells(figure3.values(table, 0.95))["pairs", "shuffles above original"]
    assert (above["n"], above["n_of"]) == (4, 5)


def test_figure3_panels_resolve_extra_pairs_where_the_sets_are_here(lists):
    bare = [panel["row"] for panel in figure3.panels(lists, seed_sets(printed_sets(lists)))]
    assert bare == [lists["pairs"][p]["row"] for p in figure3.PANELS] + ["white-Black name pairs"]


def test_random_words_are_frequent_where_enough_are():
    model = cloud(models=1).data.models[0]
    counts = {f"w{i}": 100 for i in range(20)} | {f"w{i}": 99 for i in range(20, 298)}
    rng = np.random.default_rng(0)
    rows = figure3.random_words(model, Corpus((model,), counts), 6, 30, rng)
    assert rows.shape == (30, 6)
    assert rows.max() < 20
    assert all(len(set(row)) == 6 for row in rows.tolist())
    assert figure3.random_words(model, Corpus((model,), counts), 30, 3, rng).max() >= 20
    assert figure3.random_words(model, Corpus((model,), counts), 301, 3, rng).shape == (0, 301)


PAIRS4 = {
    "figure4a": {"row": "a ordered", "first": ["a1", "a2", "a3"], "second": ["b1", "b2", "b3"]},
    "figure4b": {"row": "b random", "first": ["u", "v"], "second": ["v", "u"]},
    "figure4c": {"row": "c shuffled", "first": ["a1", "a2", "a3"], "second": ["b1", "b3"]},
}
REST4 = {"u": (0, 1, 0), "v": (0, 0, 1), **{f"r{i}": (0.1 * i, 1, 0) for i in range(1, 8)}}


@pytest.fixture(scope="module")
def evidence4():
    model = vectors(**ORDERED, **REST4)
    counts = dict.fromkeys(model.words, 100) | {"a1": 99}
    printed = {"a ordered": ["a1", "b2", "absent"], "b random": ["u"]}
    news = corpus(model, model, counts=counts, source="news")
    return figure4.evidence(news, PAIRS4, printed, 30, 1)


def test_figure4_cosines_of_the_printed_words(evidence4):
    found = numbers(figure4.values(evidence4, 0.95))
    # component 1 of panel a is x, towards the first list
    assert found["a ordered", "a1"] == pytest.approx(1, abs=1e-6)
    assert found["a ordered", "b2"] == pytest.approx(-0.6, abs=1e-6)
    assert found["a ordered", "explained variance"] == pytest.approx(1, abs=1e-6)
    assert found["b random", "u"] == pytest.approx(abs(1 / sqrt(2)), abs=1e-6) or found[
        "b random", "u"
    ] == pytest.approx(-1 / sqrt(2), abs=1e-6)
    assert ("a ordered", "absent") not in found


def test_figure4_ranks_the_frequent_words(evidence4):
    found = cells(figure4.values(evidence4, 0.95))
    words = [found["a ordered", f"top {i}"]["note"] for i in range(1, 6)]
    # a1 is under the threshold; a2 and a3 have .6; r7 = (.7, 1) has .573, r6 .514, r5 .447
    assert {*words[:2]} == {"a2", "a3"}
    assert words[2:] == ["r7", "r6", "r5"]
    assert found["a ordered", "bottom 1"]["note"] == "b1"
    assert found["a ordered", "bottom 1"]["value"] == pytest.approx(-1, abs=1e-6)


def test_figure4_compares_orders_by_coherence_and_shuffles(evidence4):
    found = cells(figure4.values(evidence4, 0.95))
    # 14 other words at most lie between the lists along x: a's ranks 12, 13, 14 less b's 0, 1, 2
    assert found["a ordered", "coherence"]["value"] == pytest.approx(12 / 14)
    # Crossed, the differences are (2, 0, 0) and (1.2, .8, -.8); the lists are still those of a.
    axis = np.linalg.svd(np.array([[2, 0, 0], [1.2, 0.8, -0.8]]))[2][0]
    words = {**ORDERED, **REST4}
    ranks = stats.rankdata([np.array(v) @ axis / np.linalg.norm(v) for v in words.values()]) - 1
    at = dict(zip(words, ranks / 14, strict=True))
    gap = np.mean([at[w] for w in ("a1", "a2", "a3")]) - np.mean(
        [at[w] for w in ("b1", "b2", "b3")]
    )
    assert found["c shuffled", "coherence"]["value"] == pytest.approx(abs(gap))
    assert ("c shuffled", "explained variance@shuffled") in found
    assert ("b random", "explained variance@random") in found
    # the second list lost a word: two pairs of three are left
    assert found["c shuffled", "explained variance"]["n_of"] == 2


def test_figure4_counts_pairs_in_each_model():
    whole = {**ORDERED, **REST4}
    broken = {word: at for word, at in whole.items() if word not in ("a1", "b2", "v")}
    entry = PAIRS4["figure4a"] | {
        "first": ["a1", "a2", "a3", "u"],
        "second": ["b1", "b2", "b3", "v"],
    }
    panels_ = dict.fromkeys(figure4.PANELS, entry)
    less = vectors(**broken, v2=(0, 1, 1))
    table = figure4.evidence(corpus(vectors(**whole), less), panels_, {}, 5, 1)
    assert set(table["n"]) == {4}  # one whole pair is none: the second model has no component
    more = vectors(**{w: at for w, at in whole.items() if w != "b2"})
    table = figure4.evidence(corpus(vectors(**whole), more), panels_, {}, 5, 1)
    assert table.groupby("model")["n"].agg(set).to_list() == [{4}, {3}]
    assert set(table["n_of"]) == {4}
    found = cells(figure4.values(table, 0.95))
    assert {cell["n"] for cell in found.values()} == {3}


# The spread


def test_spread_measures_leans_and_effect_sizes():
    concepts = {"lean": [["X"], ["Y"], ["missing"]], "pair": [["X", "Y"]]}
    table = spread.evidence({"nyt": corpus(vectors(**WORLD))}, concepts, SETS, "g")
    found = table.set_index(["concept", "alternative"])["measure"]
    unit = {w: np.array(v) / np.linalg.norm(v) for w, v in WORLD.items()}
    lean = {w: unit[w][0] - unit[w][1] for w in WORLD}
    x, y = [lean[w] for w in ("x1", "x2", "z")], [lean[w] for w in ("y1", "y2")]
    assert found["lean", "X"] == pytest.approx(np.mean(x), abs=1e-6)
    assert found["pair", "X | Y"] == pytest.approx(
        (np.mean(x) - np.mean(y)) / np.std(x + y, ddof=1), abs=1e-6
    )
    assert len(found) == 3


def test_spread_takes_the_corpus_out_of_the_seeds():
    # Means 1 and 3 differ by 2; each set has variance 2 over two bootstraps, so 1 of the means'
    # variance of 2 is the corpus's.
    found = spread.components(np.array([[0.0, 2], [2, 4]]))
    assert found["sd over corpora"] == pytest.approx(sqrt(2))
    assert found["sd over seed sets"] == pytest.approx(1)
    assert found["share from seeds"] == pytest.approx(1 / 3)
    assert found["same sign"] == 1
    assert found["reach of seed sets"] == 2


@pytest.mark.parametrize(
    ("grid", "share"),
    [
        ([[1.0, 1], [3, 3]], 1),
        ([[0.0, 2], [2, 0]], 0),
        ([[1.0], [3]], np.nan),
        ([[1.0, 2]], np.nan),
    ],
)
def test_spread_at_its_ends(grid, share):
    assert_allclose(spread.components(np.array(grid))["share from seeds"], share)


def spread_table(**alternatives):
    rows = [
        ("c, nyt", "c", "nyt", name, i, number, "u", 5, 5, "s", "exact")
        for name, numbers_ in alternatives.items()
        for i, number in enumerate(numbers_)
    ]
    return pd.DataFrame(rows, columns=spread.COLUMNS)


def test_spread_cells():
    found = cells(spread.values(spread_table(A=[0, 2], B=[2, 4]), 0.95))
    assert found["c, nyt", "A"]["value"] == 1
    assert found["c, nyt", "share from seeds"]["value"] == pytest.approx(1 / 3)
    assert found["c, nyt", "share from seeds"]["n"] == 2
    alone = cells(spread.values(spread_table(A=[0, 2]), 0.95))
    assert list(alone) == [("c, nyt", "A")]


def test_spread_leaves_out_sets_that_rest_on_too_few_seeds():
    table = spread_table(A=[0, 2], B=[2, 4], C=[50, 90])
    # One bootstrap without most of the words of C is enough: its measure is of another set there.
    table.loc[(table["alternative"] == "C") & (table["model"] == 1), "n"] = 2
    found = cells(spread.values(table, 0.95))
    assert found["c, nyt", "C"]["value"] == 70
    assert found["c, nyt", "C"]["note"].startswith("too few")
    share = found["c, nyt", "share from seeds"]
    assert (share["value"], share["n"], share["n_of"]) == (pytest.approx(1 / 3), 2, 3)
    table.loc[table["alternative"] == "B", "n"] = 2
    assert ("c, nyt", "share from seeds") not in cells(spread.values(table, 0.95))


# Documents


@pytest.fixture
def draws():
    rng = np.random.default_rng(4)
    counts = rng.multinomial(40, np.full(40, 1 / 40), size=12)
    return counts, counts @ np.linspace(0, 1, 40) + rng.normal(size=12)


@pytest.mark.parametrize("ridge", [0.01, 1.0, 30.0])
def test_influences_are_scikit_learns_ridge(draws, ridge):
    counts, measures = draws
    centred = counts - counts.mean(axis=0)
    penalty = ridge * (centred**2).sum() / len(counts)
    oracle = Ridge(alpha=penalty).fit(counts, measures)
    assert_allclose(documents.influences(counts, measures, ridge), oracle.coef_, atol=1e-9)


def test_without_a_penalty_groups_get_least_squares():
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 9, size=(10, 3))
    effects = np.array([2.0, -1, 0.5])
    assert_allclose(documents.influences(counts, counts @ effects + 7, 0), effects, atol=1e-8)


def test_left_out_fit_is_that_of_a_plain_loop(draws):
    counts, measures = draws
    errors, spread_ = 0.0, 0.0
    for i in range(12):
        rest = np.arange(12) != i
        centred = counts[rest] - counts[rest].mean(axis=0)
        model = Ridge(alpha=(centred**2).sum() / 11).fit(counts[rest], measures[rest])
        errors += (model.predict(counts[i : i + 1])[0] - measures[i]) ** 2
        spread_ += (measures[rest].mean() - measures[i]) ** 2
    assert documents.left_out_r2(counts, measures) == pytest.approx(1 - errors / spread_)


def test_a_measure_made_by_few_groups_is_predicted_and_significant():
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 9, size=(12, 2))
    measures = counts @ [1.0, -2]
    assert documents.left_out_r2(counts, measures, 1e-6) > 0.99
    assert documents.permutation_p(counts, measures, 1e-6, 99, rng) == 0.01


def test_noise_is_not_significant():
    rng = np.random.default_rng(3)
    counts = rng.multinomial(50, np.full(50, 1 / 50), size=10)
    p_values = [documents.permutation_p(counts, rng.normal(size=10), 1, 39, rng) for _ in range(30)]
    assert np.mean(np.array(p_values) <= 0.1) < 0.4
    assert min(p_values) >= 1 / 40


@pytest.mark.parametrize(
    ("counts", "measures"),
    [(np.ones((2, 3)), [1, 2]), (np.ones((3, 3)), [1, 2]), (np.ones((3, 2)), [1, 2, np.nan])],
)
def test_a_regression_that_cannot_be_is_refused(counts, measures):
    with pytest.raises(ValueError, match=r"replicates|NaN"):
        documents.influences(counts, measures)


def test_top_documents_on_both_sides():
    table = documents.top_documents([0.1, -3, 0, 2], ["a", "b", "c", "d"], 3)
    assert table[["document", "influence", "side"]].to_numpy().tolist() == [
        ["d", 2, "raises"],
        ["a", 0.1, "raises"],
        ["b", -3, "lowers"],
    ]


def test_validation_trains_without_the_top_and_without_random_documents():
    weights = np.ones(30)
    weights[[3, 7]] = 10
    calls = []

    def trainer(kept):
        calls.append(kept)
        return {"heavy": float(weights[kept].sum()), "size": float(len(kept)), "lost": np.nan}

    rows = {"heavy": weights, "size": np.ones(30), "lost": weights}
    lengths = np.full(30, 20)
    removals = documents.random_removals(lengths, 19, np.random.default_rng(0))
    table = documents.validate(trainer, rows, lengths, removals)
    assert len(calls) == 1 + 19 + 3  # the random removals are trained once for all rows
    assert table["kind"].value_counts().to_dict() == {
        "without random": 57,
        "all": 3,
        "without top": 3,
    }
    assert set(table["documents"]) == {0, 3}  # a tenth of the words
    tops = table[table["kind"] == "without top"].set_index("row")
    assert tops.loc["heavy", "change"] == -21
    # every removal changes the number of documents alike: nothing speaks for the top
    assert (tops.loc["size", "change"], tops.loc["size", "p_value"]) == (-3, 1)
    random = table[(table["kind"] == "without random") & (table["row"] == "heavy")]
    assert set(random["change"]) <= {-3, -12, -21}
    as_low = 1 + (random["change"] == -21).sum()
    assert tops.loc["heavy", "p_value"] == pytest.approx(as_low / 20)
    assert np.isnan(tops.loc["lost", "p_value"])


def test_every_removal_takes_a_tenth_of_the_words():
    lengths = np.array([1.0] * 50 + [19.0] * 50)  # 1,000 words

    def trainer(kept):
        return {"words": lengths[kept].sum()}

    removals = documents.random_removals(lengths, 30, np.random.default_rng(0))
    table = documents.validate(trainer, {"words": lengths}, lengths, removals)
    gone = -table.loc[table["kind"] != "all", "change"]
    assert gone.between(100, 118).all()
    assert gone.iloc[0] == 6 * 19


def prepared_of(*lengths):
    """A prepared corpus of one word, with documents of these lengths."""
    ends = np.cumsum([0, *lengths])
    tokens = np.zeros(ends[-1], np.uint32)
    return Prepared(("w",), np.array([ends[-1]]), tokens, ends, ends, {})


def test_a_sample_ends_with_the_document_that_reaches_its_words():
    one = prepared_of(*[10] * 20)
    chosen = documents.sampled(one, 45, np.random.default_rng(0))
    assert len(chosen) == 5
    assert (np.diff(chosen) > 0).all()
    other = documents.sampled(one, 45, np.random.default_rng(1))
    assert chosen.tolist() != other.tolist()
    assert documents.sampled(one, 0, np.random.default_rng(0)).tolist() == list(range(20))
    assert documents.sampled(one, 10**6, np.random.default_rng(0)).tolist() == list(range(20))


def test_documents_are_named_by_title_without_marks():
    text = Document("7", "", {"title": "WASP @-@ 76 b"})
    assert documents.name_of(text) == "WASP-76 b"
    assert documents.name_of(Document("sport/001.txt", "", {})) == "sport/001.txt"


def test_neighbouring_documents_are_counted_together():
    counts = np.arange(8 * 5).reshape(8, 5)
    found = documents.grouped(counts)
    assert found.tolist() == [[r[0] + r[1] + r[2], r[3] + r[4]] for r in counts.tolist()]
    assert documents.grouped(counts[:3]).tolist() == counts[:3].sum(axis=1)[:, None].tolist()


def test_measures_of_a_pair_have_a_row_each():
    model = vectors(**WORLD)
    found = documents.measures_of(model, {"p": (("x1", "x2"), ("y1", "y2")), "q": (("no",), ())})
    gap, _, _ = by_plain_loops(WORLD, ("x1", "x2"), ("y1", "y2"))
    assert found["p, coherence"] == pytest.approx(gap, abs=1e-6)
    assert np.isnan(found["q, coherence"])
    assert np.isnan(found["q, explained variance"])


def test_a_model_that_lacks_a_seed_measures_nothing():
    # Without y2 the number would be of another set; "" stands for a seed that no model measures.
    x, y = ("x1", "x2", ""), ("y1", "y2", "z")
    whole = documents.measures_of(vectors(**WORLD), {"p": (x, y)})
    assert not np.isnan(list(whole.values())).any()
    less = vectors(**{word: at for word, at in WORLD.items() if word != "y2"})
    assert np.isnan(list(documents.measures_of(less, {"p": (x, y)}).values())).all()


def test_the_seeds_of_every_training_are_told_from_counts():
    # x stands in two documents, y in one, z nowhere: without the first document y is gone.
    words = ("w", "x", "y", "z")
    tokens = np.array([0, 1, 2, 2, 0, 1, 1, 0, 0], np.uint32)
    ends = np.array([0, 4, 7, 9])
    made = Prepared(words, np.bincount(tokens, minlength=4), tokens, ends, ends, {})
    pairs_ = {"p": (("x", "y", "w"), ("w", "z", "x"))}
    every = [[1, 1, 1], [1, 2, 0], [0, 2, 1]]

    def seeds(taken, least=1):
        return documents.in_every_training(made, np.arange(3), taken, pairs_, least)

    assert set(seeds(every[:2]).words) == {"w", "x", "y"}
    assert set(seeds(every).words) == {"w", "x"}
    assert set(seeds([[1, 1, 1]], 3).words) == {"w", "x"}
    assert documents.only(pairs_, seeds(every)) == {"p": (("x", "", "w"), ("w", "", "x"))}
    counted = documents.seeds_of(pairs_, seeds(every))
    assert counted == {"p, coherence": (2, 3), "p, explained variance": (2, 3)}
    for taken in every:
        model = train(made, np.repeat(np.arange(3), taken), Options(dimensions=2, min_count=1), 1)
        assert set(model.vectors.words) >= set(seeds(every).words)


def test_the_documents_measure_one_set_in_every_training():
    rng = np.random.default_rng(0)
    words = ("x", "y", "p", "q", "r", "s")
    texts = [rng.integers(0, 4 if i else 6, 60) for i in range(12)]  # r and s in the first alone
    tokens, ends = np.concatenate(texts).astype(np.uint32), np.arange(13) * 60
    made = Prepared(words, np.bincount(tokens), tokens, ends, ends, {})
    names = [f"d{i}" for i in range(12)]
    args = (Options(dimensions=4, min_count=1, epochs=1), 8, 5, "wiki", "subset", 1)
    found = []
    for pair in ((("x", "p", "r"), ("y", "q", "s")), (("x", "p", ""), ("y", "q", ""))):
        found.append(documents.evidence(made, np.arange(12), names, {"pair": pair}, *args))
    assert set(zip(found[0]["seeds"], found[0]["seeds_of"], strict=True)) == {(2, 3)}
    pd.testing.assert_series_equal(found[0]["number"], found[1]["number"])


def test_the_pairs_of_the_documents_are_sets_that_print_has(lists):
    found = documents.pairs_of(lists, seed_sets(printed_sets(lists)))
    assert list(found) == ["female and male", "career and family"]
    assert documents.pairs_of(lists, {}) == {}


def test_regressions_leave_out_what_has_no_numbers(draws):
    counts, measures = draws
    names = [f"d{i}" for i in range(40)]
    rows = {"m": measures, "flat": np.ones(12), "few": [1.0, 2, 3, 4, *[np.nan] * 8]}
    table, coefficients = documents.regressions(pd.DataFrame(rows), counts, names, 1)
    assert set(table["row"]) == {"m"} == set(coefficients)
    best = np.argmax(documents.influences(counts, measures))
    assert table.loc[table["kind"] == "raises", "document"].iloc[0] == f"d{best}"
    groups = table[table["kind"] == "groups"].iloc[0]
    parts = [counts[:, :14], counts[:, 14:27], counts[:, 27:]]
    sums = np.stack([part.sum(axis=1) for part in parts], axis=1)
    assert groups["number"] == pytest.approx(documents.left_out_r2(sums, measures, 0))
    assert 1 / 200 <= groups["p_value"] <= 1


def small_corpus():
    """Twelve documents of two kinds: in one of them x goes with p, and y with q."""
    words = ("x", "y", "p", "q", "good", "bad")
    texts = [[0, 2, 4] * 30 if i % 2 else [1, 3, 5] * 30 for i in range(12)]
    tokens = np.concatenate(texts).astype(np.uint32)
    ends = np.arange(13) * 90
    return Prepared(words, np.bincount(tokens), tokens, ends, ends, {})


def test_documents_from_training_to_cells():
    made = small_corpus()
    options = Options(dimensions=4, min_count=1, epochs=1)
    pair = {"pair": (("x", "p"), ("y", "q"))}
    names = [f"d{i}" for i in range(12)]
    said = (options, 8, 5, "wiki", "subset", 1)
    table = documents.evidence(made, np.arange(12), names, pair, *said)
    again = documents.evidence(made, np.arange(12), names, pair, *said)
    pd.testing.assert_frame_equal(table, again)
    found = cells(documents.values(table, 0.95))
    row = "pair, explained variance"
    assert found[row, "left-out R2"]["n"] == 8
    assert found[row, "raises 1"]["note"] in [
        f"{name}; too few: 2 seeds, fewer than 3" for name in names
    ]
    assert found[row, "without random"]["note"] == "too few: 2 seeds, fewer than 3"
    assert found[row, "without top"]["n"] == 2
    assert found[row, "without top"]["p_value"] in [i / 6 for i in range(1, 7)]
    random = table[(table["kind"] == "without random") & (table["row"] == row)]["number"]
    cell = found[row, "without random"]
    assert (cell["n"], cell["value"]) == (5, pytest.approx(random.mean()))
    assert random.min() <= cell["ci_low"] <= cell["ci_high"] <= random.max()
    values_table("documents", documents.values(table, 0.95), 1)


# The audit


@pytest.mark.parametrize(
    ("name", "text", "sets"),
    [
        ("l.yaml", "f: [she, 'no']\nm: [he]", {"f": ["she", "no"], "m": ["he"]}),
        ("l.csv", "set,word,note\nf,she,x\nm,null,\nf,her,", {"f": ["she", "her"], "m": ["null"]}),
        ("l.txt", "# mine\nshe\n\nher\n", {"l": ["she", "her"]}),
        ("l.txt", "[f]\nshe\n[m]\r\nhe\n", {"f": ["she"], "m": ["he"]}),
    ],
)
def test_word_list_files(tmp_path, name, text, sets):
    path = tmp_path / name
    path.write_bytes(text.encode())
    assert seed_audit.read_word_list(path) == sets


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("l.yaml", b"f: [she, no]", "False is no word"),
        ("l.yaml", b"- she", "not lists of words by name"),
        ("l.yaml", b"f: [she", "broken YAML"),
        ("l.yaml", b"f: [she]\nm: [he]\nf: [her]", "the set 'f' stands twice"),
        ("l.yaml", b"f: [2022-13-45]", "broken YAML"),
        ("l.csv", b"word\nshe", "no column 'set'"),
        ("l.txt", b"\n# nothing\n", "there are no words"),
        ("l.txt", b"[f]\n[m]\nhe", "'f' has no words"),
        ("l.txt", b"caf\xe9", "not UTF-8"),
    ],
)
def test_a_file_that_is_no_word_list_is_refused_with_its_name(tmp_path, name, data, message):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UserError, match=message) as error:
        seed_audit.read_word_list(path)
    assert str(path) in str(error.value)


def test_a_word_of_140_kilobytes_is_refused(tmp_path):
    (tmp_path / "l.csv").write_text("set,word\nf,she\nf," + "x" * 140_000, "utf-8")
    usual = csv.field_size_limit(131_072)  # one for the process: reading a corpus raises it
    try:
        with pytest.raises(UserError, match=r"l\.csv, behind line 2: broken CSV: field larger"):
            seed_audit.read_word_list(tmp_path / "l.csv")
    finally:
        csv.field_size_limit(usual)


def test_a_folder_is_no_word_list(tmp_path):
    (tmp_path / "mine.csv").mkdir()
    with pytest.raises(UserError, match=r"mine\.csv: cannot be read \(Is a directory\)"):
        seed_audit.read_word_list(tmp_path / "mine.csv")


def test_an_audit_without_a_corpus_says_how_to_get_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    missing = {"corpus": "wikitext-103: download it"}
    snakemake = SimpleNamespace(
        log=["audit.log"],
        input={"word_lists": str(RESOURCES / "word_lists" / "bad_seeds.yaml")},
        params=SimpleNamespace(settings={"about": {}, "level": 0.95, "missing": missing}),
    )
    script = REPOSITORY / "scripts" / "bad_seeds" / "seed_audit.py"
    with pytest.raises(SystemExit) as stopped:
        runpy.run_path(str(script), {"snakemake": snakemake})
    message = "seed_audit: no corpus to measure the seeds in: wikitext-103: download it"
    assert str(stopped.value) == message


def test_a_missing_word_list_is_said(tmp_path):
    with pytest.raises(UserError, match="no such word-list file"):
        seed_audit.read_word_list(tmp_path / "l.txt")


AUDITED = {"f": ["X1", "x1", "x2", "two words", "y2", "gone"], "m": ["y1", "y2"]}


def audited():
    model = vectors(**WORLD)
    less = vectors(**{w: v for w, v in WORLD.items() if w != "x2"})
    counts = {"x1": 500, "x2": 10, "y1": 40, "y2": 30, "rest": 420}
    tags = {"x1": "noun", "x2": "noun", "y2": "verb", "y1": "noun"}
    return corpus(model, less, counts=counts, tags=tags)


def test_audit_of_words():
    table = seed_audit.audit_words(AUDITED, audited()).set_index(["set", "word"])
    assert table.loc[("f", "x1"), "per_million"] == 500_000
    assert table.loc[("f", "x2"), "in_models"] == 0.5
    warnings = table["warnings"]
    assert warnings["f", "X1"] == "listed more than once: it weighs more"
    assert warnings["f", "x2"] == "missing in some bootstraps; rare: under 20 occurrences"
    assert "more than one word" in warnings["f", "two words"]
    assert "not in the vocabulary" in warnings["f", "gone"]
    assert "in the opposite set too" in warnings["f", "y2"]
    assert warnings["m", "y1"] == ""
    # the rest of m is y2 alone
    y1, y2 = np.array(WORLD["y1"]), np.array(WORLD["y2"])
    cosine = y1 @ y2 / np.linalg.norm(y1) / np.linalg.norm(y2)
    assert table.loc[("m", "y1"), "to_own_set"] == pytest.approx(cosine)


def test_audit_of_sets(tmp_path):
    published_sets = {
        "same": SeedSet(("y2", "y1")),
        "near": SeedSet(("y1", "x9")),
        "far": SeedSet(("w",)),
    }
    words = seed_audit.audit_words(AUDITED, audited())
    sets = seed_audit.audit_sets(AUDITED, audited(), published_sets, 0.95).set_index("set")
    assert (sets.loc["f", "n"], sets.loc["f", "n_of"]) == (2, 4)
    assert sets.loc["f", "parts_of_speech"] == "noun 2, verb 1"
    assert sets.loc["m", "median_count"] == 35
    assert "1 of 6 are more than one word" in sets.loc["f", "warnings"]
    assert "too few: 2 seeds" in sets.loc["m", "warnings"]
    assert sets.loc["m", "alternatives"].startswith("near (")
    assert "same" not in sets.loc["m", "alternatives"]
    expected = [
        pairs.measured(m, [(("x1", "x1", "x2", "y2"), ("y1", "y2"))])["coherence"].item()
        for m in audited().data.models
    ]
    assert sets.loc["f", "coherence"] == pytest.approx(np.mean(expected))
    seed_audit.write_audit(words, sets.reset_index(), tmp_path / "mine")
    assert {p.name for p in tmp_path.iterdir()} == {"mine.words.csv", "mine.sets.csv", "mine.txt"}
    assert "gone: not in the vocabulary" in (tmp_path / "mine.txt").read_text("utf-8")


def test_audit_keeps_partners_when_it_leaves_out_a_bigram():
    made = corpus(vectors(**WORLD))
    sets_ = {"f": ["hair salon", "x1", "x2", "z"], "m": ["w", "y1", "y2", "good"]}
    sets = seed_audit.audit_sets(sets_, made, {}, 0.95).set_index("set")
    paired = [pairs.aligned(made.data.models[0], sets_["f"], sets_["m"])]
    assert paired == [(["x1", "x2", "z"], ["y1", "y2", "good"])]
    expected = pairs.measured(made.data.models[0], paired)["explained"].item()
    assert sets.loc["f", "explained"] == pytest.approx(expected)


def test_audit_of_one_set_has_no_opposite():
    sets = seed_audit.audit_sets({"f": ["x1", "x2", "z"]}, audited(), {}, 0.95)
    assert sets["opposite"].item() == ""
    assert "coherence" not in sets
    assert "f: 2 of 3" in seed_audit.audit_text(
        seed_audit.audit_words({"f": ["x1", "x2", "z"]}, audited()), sets
    )


# Drawing


def documents_():
    """The evidence of one measure, m: the second of two documents lowers it."""
    rows = [("m", "fit", 1, "", 0.25, 0.01), ("m", "groups", 1, "", -0.5, 0.9)]
    rows += [("m", "raises", 1, "An article", 0.1, np.nan), ("m", "lowers", 1, "B", -0.2, np.nan)]
    rows += [("m", "without top", 1, "", -0.3, 0.05), ("m", "without random", 1, "", 0.1, np.nan)]
    return pd.DataFrame(rows, columns=documents.COLUMNS[:6])


@pytest.fixture(scope="module")
def drawn(lists):
    made = cloud()
    panel = {**PANEL, "first": ["w1", "w2", "w3"], "second": ["w4", "w5", "w6"]}
    panel["shuffled"] = (panel["first"], panel["second"][::-1])
    evidence = figure3.evidence({"nyt": made}, [panel], 5, 1)
    table5 = figure5.evidence({"wikitext": made}, LISTS, SETS, "g", ["noun"], (10, 900), 20, 1)
    values5 = values_table("figure5", figure5.values(table5, 0.95), 1)
    spread_ = spread_table(A=[0, 2], B=[2, 4])
    sets = {"f": SETS2["f"].words}
    pairs4 = {k: v | {"first": ["w1", "w2"], "second": ["w3", "w4"]} for k, v in PAIRS4.items()}
    table4_ = figure4.evidence(made, pairs4, {}, 5, 1)
    values4 = values_table("figure4", figure4.values(table4_, 0.95), 1)
    return {
        "figure1": lambda: figures.figure1_plot(figure1.evidence({"": GATHERED}), STYLE),
        "figure2": lambda: figures.figure2_plot(evidence2(), sets, STYLE),
        "figure3": lambda: figures.figure3_plot(evidence, ["pairs", "absent"], STYLE),
        "figure4": lambda: figures.figure4_plot(values4, ["a ordered", "absent"], STYLE),
        "figure5": lambda: figures.figure5_plot(table5, values5, STYLE),
        "spread": lambda: figures.spread_plot(
            spread_, values_table("spread", spread.values(spread_, 0.95), 1), STYLE
        ),
        "documents": lambda: figures.documents_plot(documents_(), ["m", "absent"], STYLE),
    }


DRAWN = ["figure1", "figure2", "figure3", "figure4", "figure5", "spread", "documents"]


@pytest.mark.parametrize("name", DRAWN)
def test_a_figure_is_the_same_bytes_every_time(drawn, tmp_path, name):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        figure = drawn[name]()
        assert isinstance(figure, Figure)
        save_figure(figure, tmp_path / folder / name, STYLE["dpi"])
    for kind in ("pdf", "svg", "png"):
        one, two = (tmp_path / folder / f"{name}.{kind}" for folder in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


def texts(figure):
    return " ".join(t.get_text() for t in figure.findobj(mpl.text.Text))


def test_figures_say_what_they_show(drawn):
    assert "share of variance explained" in texts(drawn["figure3"]())
    assert "no input" in texts(drawn["figure3"]())  # the absent panel
    assert "r = " in texts(drawn["figure5"]())
    assert "she, her, lady" in texts(drawn["figure2"]())
    assert "m\nR² 0.25, p 0.01; groups R² −0.50, p 0.90" in texts(drawn["documents"]())
    assert "An article" in texts(drawn["documents"]())


def test_figure3_bars_are_means_and_error_bars_standard_deviations():
    model, other = vectors(**ORDERED), vectors(**(ORDERED | {"b2": (-0.6, 0, 0.8)}))
    table = figure3.evidence({"nyt": corpus(model, other)}, [PANEL], 5, 1)
    panel = figures.figure3_plot(table, ["pairs"], STYLE).axes[0]
    first = [
        first_component(table[table["model"] == i], "pairs", "original").item() for i in (0, 1)
    ]
    bars = [c for c in panel.containers if c.get_label() == "original order"]
    assert bars[0].patches[0].get_height() == pytest.approx(np.mean(first))
    (line,) = bars[0].errorbar.lines[2]
    low, high = line.get_segments()[0][:, 1]
    assert (high - low) / 2 == pytest.approx(np.std(first, ddof=1))


def drawn_from(artefact, evidence, records):
    """What the drawing rule gives a plot, on the catalogue's own rows."""
    entry = load_catalogue(RESOURCES / "artefacts.yaml")[f"bad_seeds_{artefact}"]
    return Drawn(entry, values_table(artefact, records, 1), published(artefact), evidence, STYLE)


@pytest.mark.parametrize("artefact", ["figure3", "figure4"])
def test_a_panel_of_print_without_numbers_is_there_and_says_so(artefact, lists):
    rows = [lists["pairs"][f"{artefact}{letter}"]["row"] for letter in "abc"]
    if artefact == "figure3":
        wanted = figure3.panels(lists, {})[:1]
        words = dict(zip(wanted[0]["first"], np.eye(20), strict=False))
        words |= dict(zip(wanted[0]["second"], -np.eye(20), strict=False))
        evidence = figure3.evidence({"nyt": corpus(vectors(**words))}, wanted, 5, 1)
        evidence = pd.concat([evidence, evidence.assign(row="pleasant-unpleasant pairs")])
        records = figure3.values(evidence, 0.95)
    else:
        pairs4 = {k: v | {"row": row} for (k, v), row in zip(PAIRS4.items(), rows, strict=True)}
        model = vectors(**ORDERED, **{k: v for k, v in REST4.items() if k != "u"})
        evidence = figure4.evidence(corpus(model), pairs4, {}, 5, 1)
        records = figure4.values(evidence, 0.95)
        assert rows[1] not in set(evidence["row"])
    panels = figures.PLOTS[artefact](drawn_from(artefact, evidence, records), lists).axes
    assert [panel.get_title(loc="left") for panel in panels] == rows
    assert "no input" in {text.get_text() for text in panels[1].texts}
    assert not panels[0].texts


def test_figure4_bars_have_the_intervals_of_the_values():
    model = vectors(**ORDERED, **REST4)
    other = vectors(**ORDERED, **(REST4 | {"r7": (0.9, 1, 0)}))
    table = figure4.evidence(corpus(model, other), PAIRS4, {}, 5, 1)
    values = values_table("figure4", figure4.values(table, 0.95), 1)
    (panel,) = figures.figure4_plot(values, ["a ordered"], STYLE).axes
    cells_ = values[values["row"] == "a ordered"].set_index("column")
    places = [f"top {i}" for i in range(1, 6)] + [f"bottom {i}" for i in range(5, 0, -1)]
    (line,) = panel.containers[0].lines[2]
    drawn_ = [segment[:, 0] for segment in line.get_segments()]
    assert_allclose(drawn_, cells_.loc[places, ["ci_low", "ci_high"]], atol=1e-9)
    assert (cells_["ci_high"] > cells_["value"] + 0.1).any()


FEW = {"n": 2, "n_of": 9}


def legend_of(figure):
    return [text.get_text() for made in figure.legends for text in made.get_texts()]


def bars_of(panel):
    return [made for made in panel.containers if isinstance(made, mpl.container.BarContainer)]


def is_hollow(artist):
    """Whether a mark, a box or a bar is filled with white."""
    mark = isinstance(artist, mpl.lines.Line2D)
    face = artist.get_markerfacecolor() if mark else artist.get_facecolor()
    return face == "none" or mpl.colors.to_rgb(face) == (1, 1, 1)


def test_boxes_of_too_few_seeds_are_hollow_and_said_once():
    table = evidence2()  # two of four seeds
    plenty = figures.figure2_plot(table.assign(n=4), {"f": ["she"]}, STYLE)
    few = table["corpus"] == "goodreads-romance"
    mixed = figures.figure2_plot(
        table.assign(n=4).mask(few, table.assign(n=1)), {"f": ["she"]}, STYLE
    )
    boxes = [[is_hollow(patch) for patch in figure.axes[0].patches] for figure in (plenty, mixed)]
    assert boxes == [[False, False], [True, False]]
    assert legend_of(plenty) == ["romance", "history, biography"]
    assert legend_of(mixed) == ["romance", "history, biography", TOO_FEW]


def test_bars_of_too_few_seeds_are_hollow_and_said_once(evidence3):
    # print's shuffle has a count of its own
    other = evidence3.assign(row="other", n=9, n_of=9)
    other.loc[other["setting"] == figure3.AS_PRINTED, ["n", "n_of"]] = 2, 9
    plenty = evidence3.assign(n=9, n_of=9)
    figure = figures.figure3_plot(pd.concat([plenty, other]), ["pairs", "other"], STYLE)
    hollow = [
        {bars.get_label() for bars in bars_of(panel) if any(map(is_hollow, bars))}
        for panel in figure.axes
    ]
    assert hollow == [set(), {"shuffled as printed"}]
    assert legend_of(figure).count(TOO_FEW) == 1
    assert TOO_FEW not in legend_of(figures.figure3_plot(plenty, ["pairs"], STYLE))


def test_words_along_a_component_of_too_few_seeds_are_hollow(evidence4):
    few = evidence4.assign(**FEW)
    values = values_table("figure4", figure4.values(few, 0.95), 1)
    figure = figures.figure4_plot(values, ["a ordered"], STYLE)
    assert {is_hollow(bar) for bar in figure.axes[0].patches} == {True}
    assert legend_of(figure) == [TOO_FEW]


def test_points_of_too_few_seeds_are_hollow_and_said_once():
    rows = [("gathered", "gathered", "x", 0.1, 0.5, 9, 9)]
    rows += [("gathered", "gathered", "y", 0.2, 0.6, 2, 2)]
    rows += [("names", "highlighted", "names", 0.3, 0.7, 9, 2)]  # few have a partner
    columns = ["row", "kind", "pair", "similarity", "explained", "n", "pairs"]
    table = pd.DataFrame(rows, columns=columns).assign(model=0, n_of=9, pairs_of=9)
    table = table.reindex(columns=figure5.COLUMNS)
    figure = figures.figure5_plot(table, values_table("figure5", [], 1), STYLE)
    drawn_ = [line for line in figure.axes[0].get_lines() if len(line.get_xdata())]
    assert {float(line.get_xdata()[0]): is_hollow(line) for line in drawn_} == {
        0.1: False,
        0.2: True,
        0.3: True,
    }
    assert legend_of(figure) == ["placebo", "generated", "gathered", "names", TOO_FEW]


def test_the_spread_marks_what_is_too_few_and_cuts_no_mark():
    table = spread_table(A=[0, 2], B=[2, 4])
    table.loc[table["alternative"] == "B", ["n", "n_of"]] = 2, 9
    table = pd.concat([table, table.assign(corpus="wikitext", row="c, wikitext")])
    values = values_table("spread", spread.values(table, 0.95), 1)
    figure = figures.spread_plot(table, values, STYLE)
    (panel,) = figure.axes
    assert legend_of(figure) == ["NYT", "WikiText", TOO_FEW]
    marks = [line for line in panel.get_lines() if line.get_marker() in ("o", "s")]
    marks = [line for line in marks if len(line.get_xdata())]
    assert {(float(line.get_xdata()[0]), is_hollow(line)) for line in marks} == {
        (1.0, False),
        (3.0, True),
    }
    low, high = panel.get_ylim()
    ends = [float(np.ravel(line.get_ydata())[0]) for line in marks]
    assert low + 0.2 < min(ends) < max(ends) < high - 0.2


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Man Down ( song )", "Man Down (song)"),
        ('The " New " Deal : a history', 'The "New" Deal: a history'),
        ("Ted 's wife , Ann", "Ted's wife, Ann"),
        ("WASP-44", "WASP-44"),
    ],
)
def test_titles_lose_the_blanks_of_wikitext(name, shown):
    assert shown in texts(figures.documents_plot(documents_().assign(document=name), ["m"], STYLE))


@pytest.mark.parametrize("name", ["figure2", "figure3", "figure5", "spread", "documents"])
def test_a_figure_without_input_says_so(name):
    empty = {
        "figure2": lambda: figures.figure2_plot(
            pd.DataFrame(columns=figure2.COLUMNS), {"f": ["she"]}, STYLE
        ),
        "figure3": lambda: figures.figure3_plot(
            pd.DataFrame(columns=figure3.COLUMNS), ["pairs"], STYLE
        ),
        "figure5": lambda: figures.figure5_plot(
            pd.DataFrame(columns=figure5.COLUMNS), values_table("figure5", [], 1), STYLE
        ),
        "spread": lambda: figures.spread_plot(
            pd.DataFrame(columns=spread.COLUMNS), values_table("spread", [], 1), STYLE
        ),
        "documents": lambda: figures.documents_plot(
            pd.DataFrame(columns=documents.COLUMNS), ["m"], STYLE
        ),
    }
    assert "no input" in texts(empty[name]())
