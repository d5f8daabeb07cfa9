"""The result of an audit, and its output formats."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from socialbias import __version__
from socialbias.commands.audit.results import (
    KNOWLEDGE,
    Absent,
    Control,
    Entry,
    PrintedNumber,
    sign_of,
)
from socialbias.commands.result import Result
from socialbias.errors import UserError
from socialbias.files.json_files import parse_json
from socialbias.files.text import read_text
from socialbias.measurement.estimates import Row
from socialbias.measurement.topics import Answer
from socialbias.reporting.plain_values import filled, plain
from socialbias.reporting.render import (
    Output,
    Shown,
    estimate,
    folded_html,
    number,
    table_html,
)

FILE, PAGE = "audit.json", "index.html"
KINDS = {"vectors": "Word vectors", "corpus": "A corpus", "model": "A language model"}
NO_NUMBERS = dict.fromkeys(("value", "low", "high"), math.nan)  # of rows written without them


@dataclass(frozen=True, repr=False)
class Audit(Output):
    """All that an audit found."""

    subject: str  # name of what was audited
    kind: str  # `vectors`, `corpus` or `model`
    entries: tuple[Entry, ...]  # the numbers
    absent: tuple[Absent, ...]  # instruments without one
    sampled: tuple[str, ...] = ()  # what was sampled of what there is, in words
    # Of everything that was read, as plain values.
    provenance: list[dict] = field(default_factory=list)
    # Digests of subject and code, and the options that numbers depend on.
    made_from: dict = field(default_factory=dict)
    left: tuple[str, ...] = ()  # names of the instruments that were not run yet

    def as_dict(self) -> dict:
        """Everything, as plain JSON values: a number that there is not is None."""
        entries = [entry.as_dict() for entry in self.entries]
        absent = [vars(absent) for absent in self.absent]
        return plain(vars(self) | {"entries": entries, "absent": absent})

    def records(self) -> list[dict]:
        """Return the values as plain dicts, without columns that are empty in every row."""
        names = ("title", "measure", "value", "low", "high", "level", "null", "unit", "n", "n_of")
        names += ("n_unit", "reliability", "detectable", "p_value")
        return filled(
            {"instrument": entry.instrument}
            | {name: getattr(entry.result, name) for name in names}
            | {"result": entry.verdict}
            for entry in self.entries
        )

    @property
    def title(self) -> str:
        """What was audited."""
        return f"Bias in {self.subject}"

    def sentences(self) -> list[str]:
        """Return how many values differ from no bias, and how to read them."""
        judged = [entry for entry in self.entries if entry.result.measure not in KNOWLEDGE]
        sides = [sign_of(entry.result) for entry in judged]
        differ, equal = sum(map(bool, sides)), sides.count(0)
        but = sum("; but " in entry.verdict for entry in judged)
        weak = Counter(entry.weak for entry in self.entries if entry.weak)
        differs = "differs" if differ == 1 else "differ"
        lines = [
            f"{KINDS[self.kind]}, audited with socialbias {__version__}. Of {len(sides)} bias "
            f"values, {differ} {differs} from the value without bias, "
            f"{equal} {'is' if equal == 1 else 'are'} not distinguishable from it, and for "
            f"{len(sides) - differ - equal} that value is unknown."
        ]
        if differ:
            passes = "does not pass its" if but == 1 else "do not pass their"
            lines[0] += f" {but} of those that differ {passes} controls."
        if self.left:
            lines.append(f"Not complete: {', '.join(self.left)} were not run.")
        of = len(self.entries)
        lines += [
            f"Read with caution: {n} of {of} values, because {why}." for why, n in weak.items()
        ]
        return [
            *lines,
            "One in 20 such values differs by chance. The counts leave out tests of what the "
            "subject knows (such as relatedness). Read each value with its interval, its controls "
            "and the papers' numbers. None of them shows that there is no bias.",
        ]

    def tables(self) -> dict[str, list[Shown]]:
        """Return the values, and the instruments without one."""
        values = [
            {"instrument": entry.instrument}
            | estimate("value", entry.result, entry.result.level)
            | {"n": f"{entry.result.n:,}", "reliability": number(entry.result.reliability, 2)}
            | {"detectable": number(entry.result.detectable), "result": entry.verdict}
            for entry in self.entries
        ]
        absent = [
            {"instrument": each.instrument, "reason": "failed: " * each.failed + each.reason}
            for each in self.absent
        ]
        tables = {"results": values, "no result": absent}
        return {name: rows for name, rows in tables.items() if rows}

    def all_facts(self) -> list[tuple[str, str]]:
        """Return what was sampled."""
        facts = [("sampled", each) for each in self.sampled]
        return [*facts, ("detectable", "the smallest difference found with 80 % power")]

    def write(self, folder: Path) -> None:
        """Write the JSON and the page to a folder."""
        self.to_json(folder / FILE)
        self.to_html(folder / PAGE)

    def _repr_html_(self) -> str:
        entries = (folded_html(each.instrument, each._repr_html_()) for each in self.entries)
        rows = []
        for entry in self.provenance:
            sums = [file["sha256"][:12] for file in entry.get("files", [])][:3]
            cells = {key: str(entry.get(key, "")) for key in ("role", "name", "source", "licence")}
            cells["source"] += f", commit {entry['commit']}" if "commit" in entry else ""
            cells["sha256 of its first files"] = ", ".join(sums) or entry.get("sha256", "")[:12]
            rows.append(cells)
        return "".join([super()._repr_html_(), *entries, table_html(rows, "inputs")])


def read_audit(path: Path) -> Audit:
    """Return an audit from its JSON file; raise UserError if that is none of this version."""
    try:
        return from_json(parse_json(read_text(path)))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UserError(f"{path}: is damaged, or of another version") from None


def from_json(data: dict) -> Audit:
    """Return an audit from what its JSON has."""
    parts = {
        "entries": tuple(map(_entry, data["entries"])),
        "absent": tuple(Absent(**absent) for absent in data["absent"]),
        "sampled": tuple(data["sampled"]),
        "left": tuple(data["left"]),
    }
    return Audit(**data | parts)


def _entry(data: dict) -> Entry:
    data = _with_nan(data)
    result = {name: value for name, value in data["result"].items() if name != "passport"} | {
        "rows": tuple(Row(**NO_NUMBERS | row) for row in data["result"]["rows"]),
        "answers": tuple(Answer(**other) for other in data["result"]["answers"]),
        "notes": tuple(data["result"]["notes"]),
    }
    parts = {
        "result": Result(**result),
        "controls": tuple(Control(**control) for control in data["controls"]),
        "printed": tuple(PrintedNumber(**mark) for mark in data["printed"]),
    }
    return Entry(**data | parts)


def _with_nan(value: object) -> object:
    """Return plain values with NaN where JSON has no number."""
    if isinstance(value, dict):
        return {name: _with_nan(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_with_nan(each) for each in value]
    return math.nan if value is None else value
