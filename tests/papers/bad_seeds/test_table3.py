"""Table 3: papers and seed sets by category."""

from socialbias.papers.bad_seeds import gathered_sets
from socialbias.papers.bad_seeds.inputs import printed_sets
from tests.papers.bad_seeds.worlds import GATHERED, cells, numbers, published
from tests.worlds.jobs import summarised


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
    assert {row for row, _ in found} == set(published("table3")["row"])


def test_table3_falls_back_on_the_printed_sets(lists):
    table = gathered_sets.evidence_of_table3({"": printed_sets(lists)})
    found = numbers(summarised(gathered_sets.table3, table))
    # Empath and The Geometry of Culture are the crowd-sourced ones; print lists sets of the first
    assert found["crowd-sourced", "papers_of_18"] == 1
    assert found["adapted from lexical resources", "papers_of_18"] == 2
