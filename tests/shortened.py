"""Parametrised tests of which `make test` runs the first cases, and `make test-long` all."""

from collections.abc import Iterable

import pytest


def later(cases: Iterable, first: int) -> list:
    """The cases, those after the first ones for `make test-long` alone.

    Args:
        cases: Values of one argument, or a tuple of the values of several.
        first: How many always run.
    """
    return [
        case
        if i < first
        else pytest.param(*(case if isinstance(case, tuple) else [case]), marks=pytest.mark.long)
        for i, case in enumerate(cases)
    ]
