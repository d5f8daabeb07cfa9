"""Probes' accuracy and error: shares, with intervals over targets that end where shares do."""

import numpy as np
import pandas as pd
import pytest

from socialbias.papers.trustworthy import probes
from tests.worlds.jobs import summarised


@pytest.fixture
def nearly_right():
    """31 targets of four examples each, all of which are predicted rightly but one."""
    rows = [
        {"kind": "given", "variant": "code", "seed": 1, "target": f"t{i}", "document": 4 * i + j,
         "label": j % 2, "predicted": j % 2, "corpus_documents": 124}
        for i in range(31) for j in range(4)
    ]  # fmt: skip
    table = pd.DataFrame(rows)
    table.loc[0, "predicted"] = 1
    table[probes.SHARES] = np.eye(3)[table["predicted"]]
    return table


def test_intervals_of_shares_end_where_shares_do(nearly_right):
    tables = {"evidence/trustworthy/probe_bert": nearly_right}
    cells = {
        cell["column"]: cell
        for cell in summarised(probes, tables, **{"trustworthy.word_lists": ["code"]})
    }
    assert cells["accuracy"]["value"] == pytest.approx(1 - 1 / 124)
    assert cells["error@hard"]["value"] == pytest.approx(1 / 124)
    assert cells["accuracy"]["ci_high"] == 1  # by the draws alone above it
    assert np.quantile(cells["accuracy"]["draws"], 0.975) > 1
    assert cells["error@hard"]["ci_low"] == 0
