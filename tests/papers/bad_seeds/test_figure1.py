"""Figure 1: sizes of the gathered sets."""

from socialbias.papers.bad_seeds import gathered_sets
from tests.papers.bad_seeds.worlds import GATHERED, numbers
from tests.worlds.jobs import summarised


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
