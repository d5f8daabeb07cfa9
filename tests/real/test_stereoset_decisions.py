"""What the published decisions of StereoSet's eleven models can bear.

What is not there is skipped (`tests.published_decisions`).
"""

import numpy as np
import pandas as pd
import pytest

from socialbias.datasets.stereoset import TASKS
from socialbias.stats.item_response import against_all, fit
from socialbias.stats.paired import CANNOT_TELL, all_pairs, compare
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


@pytest.mark.long  # a simulation
@pytest.mark.parametrize(
    ("task", "pair"),
    [
        ("intrasentence", ("gpt2-large_ModelNSP_GPT2LM", "xlnet-large-cased_ModelNSP_XLNetLM")),
        ("intersentence", ("SentimentModel", "roberta-base_ModelNSP_RoBERTaLM")),
    ],
)
def test_models_swapped_term_by_term_seldom_differ(published, task, pair):
    """3 to 7 % of 1,000 draws are asked for: 5 % and three standard errors of so many."""
    decisions = published[task][[*pair]].to_numpy()
    terms = terms_of(published[task])
    _, at = np.unique(terms, return_inverse=True)
    rng, alarms = np.random.default_rng(1), 0
    for _ in range(1000):
        swapped = (rng.uniform(size=at.max() + 1) < 0.5)[at, None]
        first, second = np.where(swapped, decisions[:, ::-1], decisions).T
        alarms += compare(first, second, terms, seed=1).verdicts() != [CANNOT_TELL]
    assert 30 <= alarms <= 70


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
    assert set(against) <= set(found.negative()) <= set(found.small())
    # at the top of the likelihood, and no loading at its bound
    assert not np.isnan(found.covariance).any()
    assert (np.diag(found.covariance) > 0).all()
