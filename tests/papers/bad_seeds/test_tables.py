"""What all artefacts share, and Tables 1 to 3, Figure 1 and the printed seeds, counted."""

from math import sqrt

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from socialbias.papers.bad_seeds import corpus_tables, gathered_sets, table4
from socialbias.papers.bad_seeds.inputs import (
    SeedSet,
    fewest,
    over_models,
    printed_sets,
    read_corpus,
    records_of,
    seed_sets,
    seed_words,
    sign_p,
    too_few,
    unigrams,
)
from socialbias.papers.word_sets import words_of
from tests.papers.bad_seeds.worlds import GATHERED, VERSIONS, corpus, measured
from tests.paths import RESOURCES
from tests.worlds import cells, job_with, numbers, printed, summarised, vectors


def test_unigrams_are_single_words_in_lower_case():
    assert unigrams([" Mary", "hair_salon", "two words", "sue-ellen", ""]) == ("mary", "sue-ellen")


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


def interval_of(*arguments):
    found = over_models(*arguments)
    return [found[name] for name in ("value", "ci_low", "ci_high")]


def test_the_interval_over_models_is_students():
    mean, low, high = interval_of([1.0, 2, 4, np.nan], 0.95)
    # 4.302653 is the t table's entry for 2 degrees of freedom; the variance is 7/3
    assert mean == pytest.approx(7 / 3)
    # and the mean of three adds a third of it
    assert high - mean == pytest.approx(4.302653 * sqrt(7 / 3 * 4 / 3), rel=1e-6)
    assert mean - low == pytest.approx(high - mean)
    assert interval_of([0.2, 0.9], 0.95, 0, 1)[1:] == [0, 1]
    assert_allclose(interval_of([0.5], 0.95), [0.5, np.nan, np.nan])
    assert np.isnan(interval_of([], 0.95)).all()


def test_draws_over_models_keep_to_their_bounds_and_the_sign_to_the_interval():
    found = over_models([0.2, 0.9], 0.95, 0, 1)
    assert (found["draws"].min(), found["draws"].max()) == (0, 1)
    numbers = [1.0, 2, 4]
    wide = over_models(numbers, 0.5)
    assert np.quantile(wide["draws"], 0.25) == pytest.approx(wide["ci_low"], abs=0.1)
    edge = over_models(numbers, 1 - sign_p(numbers))  # the interval that just holds 0
    assert edge["ci_low"] == pytest.approx(0, abs=1e-9)
    assert np.isnan(sign_p([1.0, np.nan]))


def test_too_few_seeds_are_said_in_the_note():
    table = pd.DataFrame({"model": [0, 1], "x": [0.5, 0.7], "n": [4, 3], "n_of": 8})
    (record,) = records_of("r", "c", table, "x", 0.95, "cosine")
    assert (record["n"], record["n_of"]) == (3, 8)
    assert record["note"].startswith("too few: 3 of 8 seeds")
    assert records_of("r", "c", table.assign(x=np.nan), "x", 0.95, "cosine") == []


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


WORK = {"id": "x", "label": "work", "words": ["mom", "cook", "cook"], "highlighted": ["mom", "mum"]}
TABLE1 = {"sets": [WORK, {"id": "y", "words": ["other"]}]}


def test_table1_counts_words_and_occurrences():
    news = corpus(counts={"mom": 30, "cook": 10, "mum": 500})
    table = measured(corpus_tables.measure_table1, {"nyt": news, "empty": corpus()}, TABLE1)
    found = cells(summarised(corpus_tables.table1, table))
    assert {key: r["value"] for key, r in found.items()} == {
        ("work", "seeds"): 2,
        ("work", "highlighted"): 2,
        ("work", "highlighted in set"): 1,
        ("work", "share in nyt"): 0.75,
    }
    share = found["work", "share in nyt"]
    assert (share["n"], share["n_of"]) == (2, 2)


def test_table1_has_the_four_concepts_of_print(lists):
    table = measured(corpus_tables.measure_table1, {}, lists)
    found = numbers(summarised(corpus_tables.table1, table))
    counts = printed("bad_seeds", "counts").set_index(["row", "column"])["value"].astype(int)
    for row in {row for row, _ in found}:
        assert found[row, "highlighted"] == counts[f"table 1 {row}", "seeds_shown"]
        listed = counts[f"table 1 {row}", "seeds_shown_and_listed"]
        assert found[row, "highlighted in set"] == listed
    assert len({row for row, _ in found}) == 4


def test_table2_counts_before_and_after_the_rare_words_go():
    news = corpus(counts={"a": 25, "b": 10, "c": 9, "null": 1}, documents=9)
    corpora = {"nyt": news, "pretrained": corpus()}
    table = measured(corpus_tables.measure_table2, corpora, min_count=10)
    found = numbers(summarised(corpus_tables.table2, table))
    assert found == {
        ("nyt", "documents"): 9,
        ("nyt", "words"): 45,
        ("nyt", "words@frequent"): 35,
        ("nyt", "vocabulary"): 4,
        ("nyt", "vocabulary@frequent"): 2,
        ("nyt", "mean_document_length"): 5,
        ("nyt", "mean_document_length@frequent"): pytest.approx(35 / 9),
    }


def test_table3_counts_each_paper_once_a_category():
    versions = {"read_versions": {"": GATHERED, "newest": GATHERED}}
    table = measured(gathered_sets.measure_table3, replaced=versions)
    found = cells(summarised(gathered_sets.table3, table))
    assert found["curated", "papers_of_18"]["value"] == 2
    assert found["curated", "seed_sets"]["value"] == 3
    assert found["re-used", "papers_of_18@newest"]["value"] == 1
    assert found["crowd-sourced", "papers_of_18"]["value"] == 0
    assert found["curated", "papers_of_18"]["n"] == 4
    assert {row for row, _ in found} == set(printed("bad_seeds", "table3")["row"])


def test_figure1_quartiles_leave_undocumented_sets_out():
    table = measured(gathered_sets.measure_figure1, replaced=VERSIONS)
    found = numbers(summarised(gathered_sets.figure1, table))
    assert found["all", "maximum_seeds_per_set"] == 4
    assert (found["all", "seed_sets"], found["all", "papers"]) == (4, 3)
    assert found["all", "undocumented"] == 1
    # sizes 1, 2, 4; sets 2, 1, 1
    assert [found["seeds per set", q] for q in gathered_sets.QUANTILES] == [1, 1.5, 2, 3, 4]
    assert [found["sets per paper", q] for q in gathered_sets.QUANTILES] == [1, 1, 1, 1.5, 2]


def test_word_lists_have_the_sizes_that_print_has(lists):
    table = printed("bad_seeds", "counts")
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


def test_the_rows_of_table4_are_those_of_print(lists):
    rows = set(printed("bad_seeds", "table4")["row"])
    ours = {
        table4.pair_key(*(" ".join(p[s]) for s in ("first", "second"))) for p in lists["generated"]
    }
    gathered = {table4.pair_key(*pair) for pair in lists["gathered_pairs"]}
    assert ours == rows - gathered
    assert len(rows & gathered) == 6


def test_a_pretrained_model_is_asked_for_every_seed(lists):
    gathered = {"g": SeedSet(("Tanisha", "gathered", "two words", ""))}
    words = seed_words(lists, gathered)
    known = {"tanisha", "gathered", *lists["unpleasantness"]}
    known |= {word for entry in lists["sets"] for word in unigrams(entry["words"])}
    orders = [o for pair in lists["pairs"].values() for o in (pair, pair.get("shuffled", pair))]
    known |= {word for order in orders for side in ("first", "second") for word in order[side]}
    assert known <= {*words}
    assert words == sorted(set(words))
    assert all(isinstance(word, str) and not {" ", "_"} & {*word} and word for word in words)
    job = job_with({"word_lists/bad_seeds": RESOURCES / "word_lists/bad_seeds.yaml"})
    assert words_of(job, "seeds") == set(seed_words(lists, seed_sets(printed_sets(lists))))
