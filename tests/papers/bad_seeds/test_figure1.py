"""Figure 1: sizes of the gathered sets."""

from socialbias.papers.bad_seeds import figure1
from tests.papers.bad_seeds.worlds import GATHERED, numbers
from tests.worlds.jobs import summarised


def test_figure1_quartiles_leave_undocumented_sets_out():
    found = numbers(summarised(figure1, figure1.evidence({"": GATHERED})))
    assert found["all", "maximum_seeds_per_set"] == 4
    assert (found["all", "seed_sets"], found["all", "papers"]) == (4, 3)
    assert found["all", "undocumented"] == 1
    # sizes 1, 2, 4; sets 2, 1, 1
    assert [found["seeds per set", q] for q in figure1.QUANTILES] == [1, 1.5, 2, 3, 4]
    assert [found["sets per paper", q] for q in figure1.QUANTILES] == [1, 1, 1, 1.5, 2]
