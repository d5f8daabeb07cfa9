"""The passports of measures: where a run has what is known of each, and one table of them.

`resources/passports.yaml` says where, `measures.registry` what the measures are.
`papers.validation.passport` fills the passport of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pandas as pd

from socialbias.files.yaml_files import read_yaml
from socialbias.measures.passport import FIELDS
from socialbias.measures.registry import Measure, every
from socialbias.reporting.tables import interval_of, reader_number
from socialbias.stats import power as curves

COMPUTED = "computed"
NEEDS = {  # by family of measures
    "texts": "texts",
    "models": "a model's hidden states",
    "seeds": "vectors, sets of seed words",
    "stereotypes": "a language model's scores",
    "gaps": "predictions or scores by group",
}
POWER, COSINE = 0.8, 0.3  # COSINE: of two words of a topic, on average
TESTS = (  # what it tests, its power by effect and number of words, and the largest effect
    ("spread of positions", partial(curves.of_spread, cosine=COSINE), 20),
    ("mean position", partial(curves.of_direction, cosine=COSINE), 20),
    ("rank correlation with an outcome", curves.of_correlation, 0.999),
    ("WEAT's effect size (words in each set of targets)", curves.of_effect_size, 1.99),
)
NUMBERS = {  # columns of the table, each with the first of these fields that has a number
    "reliability": ("another-sample", "test-retest", "split-half", "alpha"),
    "recovery": ("rank",),
    "false alarms": ("false-alarms",),
    "power": ("corrected", "power"),
    "detectable": ("detectable",),
}


@dataclass(frozen=True)
class Place:
    """A number of a run."""

    artefact: str  # `<paper>/<artefact>`, or `COMPUTED`
    row: str  # its row, `*` for the median over rows; of a computed one, its name
    column: str = ""  # its column
    field: str = "value"  # the column of values

    def __str__(self) -> str:
        which = "median over rows" if self.row == "*" else self.row
        what = "" if self.field == "value" else f", {self.field}"
        return f"{self.artefact.replace('/', '_')}: {which}, {self.column}{what}"


@dataclass(frozen=True)
class Places:
    """Where a run has the passport of a measure."""

    measure: Measure  # whose it is
    # By key of `FIELDS` a place, or a sentence that says why there is none.
    cells: Mapping[str, Place | str]


def read_places(path: Path) -> list[Places]:
    """Return the places of the passport of every measure."""
    facts, places = read_yaml(path), []
    for measure in every():
        cells = facts["families"][measure.family]
        if not (measure.paper or measure.tables):
            cells = cells | facts["families"]["of-no-paper"]
        cells = cells | facts["measures"].get(measure.row, {})
        own: dict[str, Place | str] = {}
        for field in FIELDS:
            if isinstance(cells[field], str):
                own[field] = facts["reasons"][cells[field]]
            else:
                own[field] = Place(
                    *(part.replace("{called}", measure.key) for part in cells[field])
                )
        places.append(Places(measure, own))
    return places


def passport_rows(numbers: Mapping[str, Mapping[str, str]]) -> list[dict[str, str]]:
    """Return a row for each measure: what it is, what it needs, and how far it can be trusted.

    Args:
        numbers: By `Measure.row` and key of `FIELDS`, the number for a reader; "" if there is none.
    """
    rows = []
    for measure in every():
        known = numbers.get(measure.row, {})
        facts = {
            "measure": measure.title,
            "formula": measure.formula,
            "needs": _needs(measure),
            "range": measure.range,
            "without an effect": measure.no_effect,
        }
        for name, fields in NUMBERS.items():
            facts[name] = next(filter(None, (known.get(field, "") for field in fields)), "")
        texts = {"direction": measure.direction, "limits": measure.limits}
        rows.append({"name": measure.name} | facts | texts | {"citation": measure.citation})
    return rows


def detectable(sizes: Sequence[int] = (5, 8, 20, 50, 100)) -> list[dict[str, str]]:
    """Return by number of words, the smallest values that a test finds with a power of 80 %."""
    return [
        {"words": f"{n}"}
        | {name: _smallest(partial(curve, n=n), most) for name, curve, most in TESTS}
        for n in sizes
    ]


def _smallest(power: Callable[[float], float], most: float) -> str:
    from scipy.optimize import brentq

    if power(most) < POWER:
        return "none"
    return f"{brentq(lambda effect: power(effect) - POWER, 1e-6, most):.2f}"


def _needs(measure: Measure) -> str:
    """Return what a measure takes, in words."""
    if measure.family in NEEDS:
        return NEEDS[measure.family]
    if measure.pairs:
        return "vectors, pairs of group words"
    return "vectors, groups" if measure.many else "vectors, two groups"


def in_a_run(values: pd.DataFrame) -> dict[str, dict[str, str]]:
    """Return the numbers of a run's `validation_passport` as `passport_rows` takes them."""
    numbers: dict[str, dict[str, str]] = {}
    for cell in values[values["value"].notna()].to_dict("records"):
        text, ends = reader_number(cell["value"], 2), interval_of(cell, 2)
        numbers.setdefault(cell["row"], {})[cell["column"]] = f"{text} [{ends}]" if ends else text
    return numbers
