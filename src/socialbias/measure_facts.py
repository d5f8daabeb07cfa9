"""What every measure of the four papers is, and where its passport takes its numbers from.

The facts stand in `resources/measures.yaml`, which this module reads; `papers.validation.passport`
fills the passport of a run, and `measure_pages` writes a page for each measure.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from socialbias.errors import UserError
from socialbias.yaml_files import read_yaml

COMPUTED = "computed"
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
    "placebo": "what random words, words of no person, labels or scorers give in its place",
    "convergent": "mean correlation with other measures of the same trait",
    "discriminant": "lead of these over correlations with another trait",
    "sensitivity": "agreement with its own numbers in another setting",
}


@dataclass(frozen=True)
class Place:
    """A number of a run.

    Attributes:
        artefact: `<paper>/<artefact>`, or `COMPUTED`.
        row: Its row, `*` for the median over rows; of a computed one, its name.
        column: Its column.
        field: The column of values.
        instead: Where to look if it is not in the run.
    """

    artefact: str
    row: str
    column: str = ""
    field: str = "value"
    instead: Place | None = None

    def places(self) -> list[Place]:
        """This place and those to look at if it is not in the run, in their order."""
        return [self, *(self.instead.places() if self.instead else [])]

    def __str__(self) -> str:
        which = "median over rows" if self.row == "*" else self.row
        what = "" if self.field == "value" else f", {self.field}"
        return f"{self.artefact.replace('/', '_')}: {which}, {self.column}{what}"


@dataclass(frozen=True)
class Measure:
    """A measure.

    Attributes:
        name: By which it is asked for.
        title: For a reader.
        paper: Short name of the paper.
        formula: In plain text and LaTeX.
        range: Of its values.
        no_effect: What it is without an effect.
        direction: Which way it goes.
        limits: What it cannot say.
        citation: Who proposed it.
        code: `module:function`.
        called: What artefacts call it.
        error_rates: Sections of docs/error-rates.md.
        passport: By column of the passport a place, or a sentence that says why there is none.
    """

    name: str
    title: str
    paper: str
    formula: str
    range: str
    no_effect: str
    direction: str
    limits: str
    citation: str
    code: str
    called: str
    error_rates: tuple[str, ...]
    passport: dict[str, Place | str]


def read_measures(path: Path) -> dict[str, Measure]:
    """Every measure by name.

    Args:
        path: `resources/measures.yaml`.

    Raises:
        UserError: a measure lacks a fact, or a cell of its passport, or names what is not there.
    """
    facts = read_yaml(path)
    return {name: _measure(path, name, entry, facts) for name, entry in facts["measures"].items()}


def _measure(path: Path, name: str, entry: dict, facts: dict) -> Measure:
    about = dict(entry)
    try:
        cells = facts["families"][about.pop("family")] | about.pop("passport", {})
        called = about.pop("as", name)
        passport = {field: _cell(cells[field], called, facts["reasons"]) for field in FIELDS}
        sections = tuple(about.pop("error_rates"))
        found = Measure(name, **about, called=called, error_rates=sections, passport=passport)
    except (KeyError, TypeError) as error:
        raise UserError(f"{path}: measures.{name}: {error}") from None
    if unknown := cells.keys() - FIELDS.keys():
        raise UserError(f"{path}: measures.{name}: the passport has no {min(unknown)!r}")
    return found


def _cell(cell: list | str, called: str, reasons: dict[str, str]) -> Place | str:
    if isinstance(cell, str):
        return reasons[cell]
    if isinstance(cell[0], str):
        return Place(*(part.replace("{as}", called) for part in cell))
    first, *others = cell
    instead = _cell(others, called, reasons) if others else None
    return replace(_cell(first, called, reasons), instead=instead)
