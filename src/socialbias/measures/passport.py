"""The passport of a measure: what the reference run found of how far it can be trusted."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from socialbias.files import paths
from socialbias.files.reference import reference_rows, reference_run
from socialbias.measures.registry import ALIASES

FIELDS = {  # the columns of the passport
    "alpha": "reliability over words (Cronbach's alpha)",
    "split-half": "split-half reliability",
    "test-retest": "test-retest reliability of one model by another",
    "another-sample": "reliability in another sample",
    "slope": "recovery: slope of measured on planted",
    "rank": "recovery: rank correlation of measured and planted",
    "false-alarms": "share of planted targets without an association that its test calls biased",
    "power": "share of planted targets with an association that its test calls biased",
    "corrected": "the same by a test against controls, whose false alarms are right",
    "detectable": "smallest true value that 80 % of such samples would show",
    "placebo": "placebo: its number for random words or scorers, or the p-value against these",
    "convergent": "mean correlation with other measures of the same trait",
    "discriminant": "lead of these over correlations with another trait",
    "sensitivity": "agreement with its own numbers in another setting",
}
NAMES = {"planted": "planted data"}  # of sources that are in no registry


@dataclass(frozen=True)
class Known:
    """A number of a passport.

    Attributes:
        field: A key of `FIELDS`.
        value: The number; NaN if there is none.
        low, high: Its 95 % interval; NaN without one.
        n: Sample size; NaN if it has none.
        n_unit: What n counts, such as words.
        unit: What the number is: a p-value and a correlation are not in the measure's unit.
        data: Titles of the data that it was measured on.
        caution: What is wrong with these; "" for nothing.
        note: The artefact that it was taken from, or why there is no number.
    """

    field: str
    value: float
    low: float
    high: float
    n: float
    n_unit: str
    unit: str
    data: tuple[str, ...]
    caution: str
    note: str

    @property
    def number(self) -> str:
        """The number with its interval, for a reader; "none" if there is none."""
        if math.isnan(self.value):
            return "none"
        ends = "" if math.isnan(self.low) else f" [{self.low:z.2f}, {self.high:z.2f}]"
        digits = 3 if self.unit == "p-value" else 2
        return f"{self.value:z.{digits}f}{ends}"

    @property
    def size(self) -> str:
        """The sample size with its unit, for a reader; "" if it has none."""
        return "" if math.isnan(self.n) else f"{self.n:,.0f} {self.n_unit}"

    @property
    def measured_on(self) -> str:
        """The data, for a reader; "" if there is no number."""
        return "; ".join(self.data) + (f" (caution: {self.caution})" if self.caution else "")


@dataclass(frozen=True)
class Passport:
    """What the reference run found of a measure.

    Attributes:
        measure: Its name.
        version: The code of that run, with its commit.
        date: When it was made, as 2026-01-31.
        known: Its number of each field, in the order of `FIELDS`.
    """

    measure: str
    version: str
    date: str
    known: dict[str, Known]

    @property
    def run(self) -> str:
        """The run in words."""
        return f"the project's reference run of {self.date} ({self.version})"

    def __str__(self) -> str:
        lines = [
            f"{self.measure}: measured by {self.run}. This describes the measure, not your data."
        ]
        for field, known in self.known.items():
            facts = known.number, known.unit, known.size, known.measured_on, known.note
            lines.append(f"{FIELDS[field]}: {'; '.join(filter(None, facts))}")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        about = f"measured by {self.run} on the data named; it describes the measure, not this data"
        return {"about": about} | asdict(self)


def passports() -> dict[str, Passport]:
    """Return the passport of each measure by its name; {} if this version has no reference run."""
    return _read(paths.reference_folder())


@cache
def _read(folder: Path) -> dict[str, Passport]:
    run = reference_run()
    if not run:
        return {}
    titles = NAMES | {row["source"]: row["title"] for row in reference_rows("inputs")}
    known: dict[str, dict[str, Known]] = {}
    for row in reference_rows("numbers"):
        if (row["paper"], row["artefact"]) == ("validation", "passport"):
            numbers = [float(row[key] or math.nan) for key in ("value", "ci_low", "ci_high", "n")]
            sources = filter(None, row["sources"].split(";"))
            data = tuple(titles.get(source, source) for source in sources)
            words = row["n_unit"], row["unit"], data, row["weak"], row["note"]
            name = ALIASES.get(row["row"], row["row"])
            known.setdefault(name, {})[row["column"]] = Known(row["column"], *numbers, *words)
    # A field may have been added after the reference run.
    missing = (*[math.nan] * 4, "", "", (), "", "not in the reference run")
    made = run["version"], run["written"][:10]
    return {
        name: Passport(
            name, *made, {field: fields.get(field, Known(field, *missing)) for field in FIELDS}
        )
        for name, fields in known.items()
    }
