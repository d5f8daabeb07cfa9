"""Every claim evaluated on the printed numbers."""

from functools import cache

import numpy as np
import pytest

from socialbias.reporting.artefact import base_column
from socialbias.reporting.print_checks import bounds
from socialbias.reporting.statements import (
    BY_DEFINITION,
    HOLDS,
    OPEN,
    Cells,
    read_statements,
    verdict_on,
)
from socialbias.reporting.values import KEY, NO_INPUT, read_published
from socialbias.stats.draws import DRAWS
from socialbias.stats.seeding import generator
from tests.paths import PUBLISHED, REPOSITORY

CLAIMS = {c.id: c for c in read_statements(REPOSITORY / "resources/claims.yaml", claims=True)}


@cache
def digits(artefact):
    """The printed digits of an artefact by cell; none where it is not printed in numbers."""
    table = read_published(PUBLISHED / f"{artefact}.csv")
    return table.set_index(KEY)["value"].to_dict()


class Print(Cells):
    """Printed numbers in place of values: a draw is any number that rounds to the digits."""

    def rows(self, artefact, *columns):
        return sorted({row for row, _ in digits(artefact)}) or ["any row"]

    rows_with = rows

    def value(self, artefact, row, column):
        printed_row = row.removesuffix(" development")  # print has the test split
        text = digits(artefact).get((printed_row, base_column(column)), "")
        missing = "" if text else f"{artefact} ({row}, {column}) is not printed"
        cell = {"fidelity": "exact", "sources": "", "weak": "", "n_unit": "", "missing": missing}
        cell |= {"n": 0, "n_of": 0, "without_draws": "", "over": "", "last_digit": 0}
        self.asked.append(cell)
        if missing:
            return np.full(DRAWS, np.nan)
        ends = bounds(text, exact=text.isdecimal())
        return generator(0, artefact, row, column).uniform(ends.low, ends.high, DRAWS)


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_is_true_on_print(claim):
    got = verdict_on(CLAIMS[claim], Print({}, {}, lambda _: {}))
    if got.verdict not in (HOLDS, BY_DEFINITION):
        assert got.verdict in (OPEN, NO_INPUT), got.parts
        assert CLAIMS[claim].undecided or all(
            need.endswith("is not printed") for need in got.needs.split("; ")
        ), got
