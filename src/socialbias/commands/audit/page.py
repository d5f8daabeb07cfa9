"""The result of an audit, and its output formats."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from socialbias import __version__
from socialbias.commands.audit.results import TWIN, TWIN_APART, Absent, Control, Entry, Mark
from socialbias.commands.result import Result, is_unseen
from socialbias.errors import UserError
from socialbias.files.json_files import parse_json
from socialbias.files.text import read_text
from socialbias.measurement.estimates import Row
from socialbias.measurement.topics import Answer
from socialbias.reporting.plain_values import filled, plain
from socialbias.reporting.render import (
    Html,
    Output,
    Shown,
    estimate,
    facts_html,
    folded_html,
    number,
    table_html,
    with_interval,
)

FILE, PAGE = "audit.json", "index.html"
KINDS = {"vectors": "Word vectors", "corpus": "A corpus", "model": "A language model"}
KNOWS = ("lms", "relatedness", "probe accuracy")  # what it knows: no bias
ASKED = (*KNOWS, "coherence")
TESTED = ("avggf", "weat")  # by dealing terms to groups, and by sets of neighbouring words
PAIRS = ("coherence", "sides", "by_halves")  # fields of a result with several numbers
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
    seconds: float = 0.0  # of the clock
    cpu_seconds: float = 0.0  # of all processes
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
            | {"result": verdict(entry)}
            for entry in self.entries
        )

    @property
    def title(self) -> str:
        """What was audited."""
        return f"Bias in {self.subject}"

    def sentences(self) -> list[str]:
        """Return how many values differ from no bias, and how to read them."""
        judged = [entry for entry in self.entries if entry.result.measure not in ASKED]
        sides = [side(entry.result) for entry in judged]
        differ, equal = sum(map(bool, sides)), sides.count(0)
        but = sum("; but " in verdict(entry) for entry in judged)
        weak = Counter(entry.weak for entry in self.entries if entry.weak)
        lines = [
            f"{KINDS[self.kind]}, audited with socialbias {__version__}. Of {len(sides)} bias "
            f"values, {differ} differ from the value without bias, {equal} are not distinguishable "
            f"from it, and for {len(sides) - differ - equal} that value is unknown. {but} of those "
            "that differ do not pass their controls."
        ]
        if self.left:
            lines.append(f"Not complete: {', '.join(self.left)} were not run.")
        of = len(self.entries)
        lines += [
            f"Read with caution: {n} of {of} values, because {why}." for why, n in weak.items()
        ]
        return [
            *lines,
            "One in 20 such values differs by chance. The counts leave out tests of what the "
            "subject knows (such as relatedness) and of seed words. Read each value with its "
            "interval, its controls and the papers' numbers. None of them shows that there is no "
            "bias.",
        ]

    def tables(self) -> dict[str, list[Shown]]:
        """Return the values, and the instruments without one."""
        values = [
            {"instrument": entry.instrument}
            | estimate("value", entry.result, entry.result.level)
            | {"n": f"{entry.result.n:,}", "reliability": number(entry.result.reliability, 2)}
            | {"detectable": number(entry.result.detectable), "result": verdict(entry)}
            for entry in self.entries
        ]
        absent = [
            {"instrument": each.instrument, "reason": "failed: " * each.failed + each.reason}
            for each in self.absent
        ]
        tables = {"results": values, "no result": absent}
        return {name: rows for name, rows in tables.items() if rows}

    def all_facts(self) -> list[tuple[str, str]]:
        """Return what was sampled, and what the audit took."""
        took = f"{self.seconds:.0f} s ({self.cpu_seconds:.0f} s of CPU time)"
        return [*(("sampled", each) for each in self.sampled), ("took", took)]

    def write(self, folder: Path) -> None:
        """Write the JSON and the page to a folder."""
        self.to_json(folder / FILE)
        self.to_html(folder / PAGE)

    def _repr_html_(self) -> str:
        tables = self.tables()
        for i, (row, entry) in enumerate(zip(tables.get("results", ()), self.entries, strict=True)):
            row["instrument"] = Html(f'<a href="#i{i}">{escape(entry.instrument)}</a>')
            row |= {"plot": _bar(entry), "result": row.pop("result")}
        lines = [
            *self.sentences(),
            "In the plot, the bar is the interval, the tick the value, and the red line the value "
            "without bias. A dash means that there is no such value. The column 'detectable' is "
            "the smallest difference detected with 80 % power.",
        ]
        parts = [f"<h1>{escape(self.title)}</h1>", *(f"<p class=lead>{escape(x)}" for x in lines)]
        parts += [table_html(rows, name) for name, rows in tables.items()]
        parts += [facts_html(self.all_facts())]
        parts += [_section(i, entry) for i, entry in enumerate(self.entries)]
        return "".join([*parts, _inputs(self)])


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
    named = {name.replace(" ", "_"): value for name, value in data.items()}
    result = {name: value for name, value in data["result"].items() if name != "passport"}
    result = _numbers(result) | {
        "rows": tuple(Row(**NO_NUMBERS | _numbers(row)) for row in result["rows"]),
        "answers": tuple(Answer(**_numbers(other)) for other in result["answers"]),
        "notes": tuple(result["notes"]),
    }
    parts = {
        "result": Result(**result),
        "controls": tuple(Control(**_numbers(control)) for control in data["controls"]),
        "ruler": tuple(Mark(**mark) for mark in data["ruler"]),
    }
    return Entry(**named | parts)


def _numbers(fields: dict) -> dict:
    """Return fields with NaN where JSON has no number, also in a pair such as `coherence`."""
    known = {name: math.nan if value is None else value for name, value in fields.items()}
    pairs = {name: known[name] for name in PAIRS if name in known}
    return known | {
        name: tuple(math.nan if each is None else each for each in pair)
        for name, pair in pairs.items()
    }


def side(result: Result) -> int | None:
    """1 or -1 where the interval lies above or below what is found without bias; 0 where neither.

    For a distance of groups its test decides, since the interval allows for the most noise. For
    words in vectors and texts, equally coherent topics decide, and for a WEAT sets of neighbouring
    words, since intervals treat the words as independent. None without an interval, or where it is
    not known what is found without bias.
    """
    if not (math.isfinite(result.low) and math.isfinite(result.null)):
        return None
    if (result.answers or result.measure in TESTED) and math.isfinite(result.p_value):
        sign = -1 if result.answers and result.value < result.null else 1
        return sign * int(result.p_value <= 1 - result.level)
    return 1 if result.low > result.null else -1 if result.high < result.null else 0


def verdict(entry: Entry) -> str:
    """Return what the value means, in a sentence, and why to read it with caution."""
    return _meaning(entry) + (f" (caution: {entry.weak})" if entry.weak else "")


def _meaning(entry: Entry) -> str:
    result = entry.result
    if result.measure == "coherence":
        return result.test
    if (sign := side(result)) is None:
        if math.isfinite(result.low):
            return "to be compared with its controls: the value without bias is unknown"
        return "without an interval, so it says nothing by itself"
    null = number(result.null)
    same = f"not distinguishable from {null}"
    if not sign and (result.measure == "weat" or not math.isfinite(result.detectable)):
        return same
    if not sign and is_unseen(result):
        return f"{same} (the sample is too small to detect even the largest bias)"
    if not sign:
        least = number(result.detectable)
        return f"{same} (a difference of {least} or more would have been detected)"
    what = "the value without bias"
    if result.measure in KNOWS:
        what = "chance"
    elif result.answers:
        what = f"the median of {result.answers[0].among}"
    answer = f"{'above' if sign > 0 else 'below'} {null}, {what}"
    apart = next((c for c in entry.controls if c.name == TWIN_APART), None)
    if apart is not None and apart.low <= 0 <= apart.high:
        answer += "; but not distinguishable from random weights"
    random = next((c for c in entry.controls if c.name == TWIN), None)
    if apart is None and random is not None and random.low <= result.value <= random.high:
        answer += "; but within the interval for random weights"
    placebos = next((c for c in entry.controls if c.name.startswith("placebo")), None)
    if placebos is not None and placebos.low <= result.value <= placebos.high:
        answer += f"; but {placebos.name.partition(': ')[2]} give as much"
    return answer


def _bar(entry: Entry) -> Html:
    """Interval, number and null value, with those of the controls for a scale."""
    r = entry.result
    known = [r.value, r.low, r.high, r.null, *(c.value for c in entry.controls[:2])]
    known = [x for x in known if math.isfinite(x)]
    low, high = min(known, default=0.0), max(known, default=0.0)
    if high - low <= 0:
        return Html()

    def at(x: float) -> str:
        return f"{97 * (x - low) / (high - low):.1f}%"

    marks = []
    if math.isfinite(r.low):
        width = 97 * (r.high - r.low) / (high - low)
        marks.append(f'<i style="left:{at(r.low)};width:{width:.1f}%"></i>')
    if math.isfinite(r.null):
        marks.append(f'<u style="left:{at(r.null)}"></u>')
    if math.isfinite(r.value):
        marks.append(f'<b style="left:{at(r.value)}"></b>')
    return Html(f'<span class="bar" aria-hidden="true">{"".join(marks)}</span>')


def _section(i: int, entry: Entry) -> str:
    r, of = entry.result, entry.instrument
    controls = [
        {"measured instead": control.name, **estimate("value", control, r.level)}
        | {"interval over": control.range_of}
        for control in entry.controls
    ]
    marks = [
        {"measured in": mark.subject, "value": mark.value, "source": mark.place}
        for mark in entry.ruler
    ]
    parts = [
        f'<h2 id="i{i}">{escape(of)}</h2><p>{escape(r.title)}: '
        f"<strong>{with_interval(r.value, r.low, r.high)}</strong> {escape(r.unit)}. "
        f"Result: {escape(verdict(entry))}.</p>",
        table_html(controls, "Controls", of),
        table_html(marks, "The papers' numbers, as printed", of),
    ]
    if not controls:
        why = escape(entry.no_control or "none could be computed")
        parts.append(f"<p class=soft>No control: {why}.</p>")
    if not marks:
        parts.append(f"<p class=soft>No number of a paper: {escape(entry.no_ruler)}.</p>")
    if len(r.rows) > 1:
        [rows] = r.tables().values()
        name = f"All {len(rows)} items"
        parts.append(folded_html(name, table_html(rows, name, of)))
    parts.append(folded_html("Details", facts_html([*r.all_facts(), ("paper", entry.paper)])))
    return "".join(parts)


def _inputs(audit: Audit) -> str:
    rows = []
    for entry in audit.provenance:
        sums = [file["sha256"][:12] for file in entry.get("files", [])][:3]
        cells = {key: str(entry.get(key, "")) for key in ("role", "name", "source", "licence")}
        cells["source"] += f", commit {entry['commit']}" if "commit" in entry else ""
        sums = ", ".join(sums) or entry.get("sha256", "")[:12]
        rows.append(cells | {"sha256 of its first files": sums})
    return f"<h2>Inputs</h2>{table_html(rows, 'What was read')}"
