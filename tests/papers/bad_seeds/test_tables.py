"""Tables 1 to 3, Figure 1 and the printed seeds, counted."""

import pytest

from socialbias.papers.bad_seeds import corpus_tables, gathered_sets, table4
from socialbias.papers.bad_seeds.inputs import (
    SeedSet,
    printed_sets,
    seed_sets,
    seed_words,
    unigrams,
)
from socialbias.papers.word_sets import words_of
from tests.papers.bad_seeds.worlds import GATHERED, corpus
from tests.paths import RESOURCES
from tests.worlds.jobs import job_with, summarised
from tests.worlds.numbers import cells, numbers, printed

WORK = {"id": "x", "label": "work", "words": ["mom", "cook", "cook"], "highlighted": ["mom", "mum"]}
TABLE1 = {"sets": [WORK, {"id": "y", "words": ["other"]}]}


def test_table1_counts_words_and_occurrences():
    news = corpus(counts={"mom": 30, "cook": 10, "mum": 500})
    found = cells(
        summarised(
            corpus_tables.table1,
            corpus_tables.evidence_of_table1({"nyt": news, "empty": corpus()}, TABLE1),
        )
    )
    assert {key: r["value"] for key, r in found.items()} == {
        ("work", "seeds"): 2,
        ("work", "highlighted"): 2,
        ("work", "highlighted in set"): 1,
        ("work", "share in nyt"): 0.75,
    }
    share = found["work", "share in nyt"]
    assert (share["n"], share["n_of"]) == (2, 2)


def test_table1_has_the_four_concepts_of_print(lists):
    found = numbers(summarised(corpus_tables.table1, corpus_tables.evidence_of_table1({}, lists)))
    counts = printed("bad_seeds", "counts").set_index(["row", "column"])["value"].astype(int)
    for row in {row for row, _ in found}:
        assert found[row, "highlighted"] == counts[f"table 1 {row}", "seeds_shown"]
        listed = counts[f"table 1 {row}", "seeds_shown_and_listed"]
        assert found[row, "highlighted in set"] == listed
    assert len({row for row, _ in found}) == 4


def test_table2_counts_before_and_after_the_rare_words_go():
    news = corpus(counts={"a": 25, "b": 10, "c": 9, "null": 1}, documents=9)
    found = numbers(
        summarised(
            corpus_tables.table2,
            corpus_tables.evidence_of_table2({"nyt": news, "pretrained": corpus()}, 10),
        )
    )
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
    found = cells(
        summarised(
            gathered_sets.table3,
            gathered_sets.evidence_of_table3({"": GATHERED, "newest": GATHERED}),
        )
    )
    assert found["curated", "papers_of_18"]["value"] == 2
    assert found["curated", "seed_sets"]["value"] == 3
    assert found["re-used", "papers_of_18@newest"]["value"] == 1
    assert found["crowd-sourced", "papers_of_18"]["value"] == 0
    assert found["curated", "papers_of_18"]["n"] == 4
    assert {row for row, _ in found} == set(printed("bad_seeds", "table3")["row"])


def test_figure1_quartiles_leave_undocumented_sets_out():
    found = numbers(
        summarised(gathered_sets.figure1, gathered_sets.evidence_of_figure1({"": GATHERED}))
    )
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
