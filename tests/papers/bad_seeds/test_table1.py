"""Table 1: seeds and their occurrences, counted."""

from socialbias.papers.bad_seeds import corpus_tables
from tests.papers.bad_seeds.worlds import cells, corpus, numbers, published
from tests.worlds.jobs import summarised

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
    counts = published("counts").set_index(["row", "column"])["value"].astype(int)
    for row in {row for row, _ in found}:
        assert found[row, "highlighted"] == counts[f"table 1 {row}", "seeds_shown"]
        listed = counts[f"table 1 {row}", "seeds_shown_and_listed"]
        assert found[row, "highlighted in set"] == listed
    assert len({row for row, _ in found}) == 4
