"""What debiasing leaves of a planted bias, in vectors of which that is known."""

import numpy as np
import pandas as pd
import pytest

from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.validation import recovery_corpora
from socialbias.papers.validation.planted_design import DIRECT, NULL, Design
from tests.declared import DECLARATIONS
from tests.worlds import job_with, numbers

DESIGN = Design(direct=6, second_order=0, null=4, group_words=4, attributes=0, topics=0)


def vectors(other_axis: int) -> WordVectors:
    """Groups differ along the first axis in the method's words, along another in the rest."""
    table, axes = DESIGN.targets, np.eye(6)
    words, rows = list(table["target"]), []
    for share, kind in table[["truth 0", "kind"]].itertuples(index=False):
        lean = 0.5 * (share - DESIGN.base[0]) * (kind == DIRECT)
        rows.append(axes[2] + lean * axes[0] + lean * axes[1])
    for group, side in zip(DESIGN.groups.values(), (1, -1), strict=True):
        for number, word in enumerate(group):
            axis = 0 if number < 2 else other_axis
            # A pair has something in common of its own.
            rows.append(axes[2] + 0.5 * side * axes[axis] + 0.1 * axes[3 + number % 2])
            words.append(word)
    return WordVectors(words, np.array(rows))


def left(space: WordVectors) -> dict:
    found = recovery_corpora.debiasing_evidence(space, DESIGN).assign(corpus=0, training=0)
    return numbers(recovery_corpora.debiasing_values(found, job_with()))


@pytest.mark.parametrize("measure", recovery_corpora.DEBIASING_MEASURES)
def test_hard_debiasing_leaves_nothing_along_its_axis_and_all_along_another(measure):
    same = left(vectors(0))
    for words in ("own", "other"):
        assert same[f"hard {words}", f"original@{measure}"] > 0.01
        assert same[f"hard {words}", f"rank-original@{measure}"] == pytest.approx(1)
        assert same[f"hard {words}", f"debiased@{measure}"] == 0
        assert (f"hard {words}", f"rank-debiased@{measure}") not in same
        assert same[f"hard {words}", f"controls-original@{measure}"] == 0
    apart = left(vectors(1))
    assert apart["hard own", f"debiased@{measure}"] == 0
    still = apart["hard other", f"debiased@{measure}"]
    assert still == pytest.approx(apart["hard other", f"original@{measure}"], rel=0.1)
    assert apart["hard other", f"rank-debiased@{measure}"] == pytest.approx(1)
    assert apart["hard other", f"above-debiased@{measure}"] == still


def test_soft_debiasing_leaves_less_with_means_than_with_sums_of_a_vocabulary():
    found = left(vectors(0))
    before, sums = found["soft own", "original@weat"], found["soft own", "debiased@weat"]
    assert found["soft-means own", "debiased@weat"] < sums < before


def test_values_by_hand():
    about = {"words": "own", "measure": "weat", "kind": [DIRECT] * 3 + [NULL] * 2}
    about |= {"truth": [0.2, 0.5, 0.8, 0.65, 0.65], "training": 0}
    parts = [
        pd.DataFrame(about | {"state": state, "corpus": corpus, "measured": measured})
        for state, corpus, measured in (
            ("original", 0, [-0.3, 0.0, 0.6, 0.1, -0.1]),
            ("original", 1, [-0.3, 0.0, 0.0, 0.3, -0.1]),
            ("hard", 0, [0.2, 0.1, 0.0, 0.0, -0.1]),
            ("hard", 1, [1e-17, 0.0, -1e-17, 0.0, 0.0]),
        )
    ]
    parts += [parts[i].assign(state=s) for s in ("soft", "soft-means") for i in (2, 3)]
    found = pd.Series(numbers(recovery_corpora.debiasing_values(pd.concat(parts), job_with())))[
        "hard own"
    ]
    assert found["original@weat"] == pytest.approx((0.3 + 0.1) / 2)
    assert found["debiased@weat"] == pytest.approx(0.1 / 2)
    assert found["controls-original@weat"] == pytest.approx((0.1 + 0.2) / 2)
    assert found["controls-debiased@weat"] == pytest.approx(0.05 / 2)
    assert found["above-debiased@weat"] == pytest.approx(0.05 / 2)
    # Ranks -.3 < 0 = 0 in the second corpus: correlation of (1, 2.5, 2.5) with (1, 2, 3).
    assert found["rank-original@weat"] == pytest.approx((1 + np.sqrt(0.75)) / 2)
    assert found["rank-debiased@weat"] == pytest.approx(-1)  # of the first corpus alone


def test_every_cell_is_declared():
    declared = DECLARATIONS.artefacts["validation_recovery_corpora"].cells()
    rows = ("hard", "soft")
    assert set(left(vectors(1))) == {(c.row, c.column) for c in declared if c.row.startswith(rows)}
