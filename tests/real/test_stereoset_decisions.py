"""How many pairs of StereoSet's eleven published models differ.

What is not there is skipped (`tests.published_decisions`).
"""

import pandas as pd
import pytest

from socialbias.stats.paired import CANNOT_TELL, all_pairs
from tests.published_decisions import published_decisions


@pytest.fixture(scope="module")
def published():
    return published_decisions()


def terms_of(decisions: pd.DataFrame) -> list[str]:
    return decisions.index.get_level_values("target").tolist()


# Counted beforehand by another reading of the files: 35 and 41.
@pytest.mark.parametrize(("task", "least"), [("intrasentence", 33), ("intersentence", 39)])
def test_so_many_of_the_55_pairs_separate(published, task, least):
    decisions = published[task]
    found = all_pairs(decisions, terms_of(decisions), seed=1)
    uncorrected, corrected = (
        sum(verdict != CANNOT_TELL for verdict in found.verdicts(holm)) for holm in (False, True)
    )
    assert len(found.difference) == 55
    assert least <= uncorrected < 55
    assert 0 < corrected < uncorrected
