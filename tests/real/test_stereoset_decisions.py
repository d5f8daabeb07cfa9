"""What the published decisions of StereoSet's eleven models can bear.

What is not there is skipped (`tests.published_decisions`).
"""

import numpy as np
import pandas as pd
import pytest

from socialbias.measures.datasets.stereoset import TASKS
from socialbias.stats.item_response import against_all, fit
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


# One model of each family; the ensemble is a function of its members, and is left out throughout.
FAMILIES = {
    "all": "Sentiment|bert|gpt2|xlnet",
    "smaller": "Sentiment|bert-base-cased_Bert|gpt2_|roberta-base|xlnet-base",
    "larger": "Sentiment|bert-large-cased_Bert|gpt2-large|roberta-large|xlnet-large",
}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("models", FAMILIES.values(), ids=FAMILIES)
def test_a_model_against_all_others_has_a_negative_loading(published, task, models):
    decisions = published[task].filter(regex=models)
    together = np.corrcoef(decisions.to_numpy(), rowvar=False)
    np.fill_diagonal(together, -1)
    against = decisions.columns[together.max(axis=1) < 0].tolist()
    found = fit(decisions, decisions.columns, terms=terms_of(decisions))
    assert against_all(decisions, decisions.columns) == against
    assert set(against) <= set(found.small(bound=0)) <= set(found.small())
    # at the top of the likelihood, and no loading at its bound
    assert not np.isnan(found.covariance).any()
    assert (np.diag(found.covariance) > 0).all()
