"""The printed seeds in `resources` against the numbers of print."""

from socialbias.papers.bad_seeds import table4
from socialbias.papers.bad_seeds.inputs import printed_sets, seed_sets
from tests.papers.bad_seeds.worlds import published


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
