"""The result of an audit, and its output formats."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from socialbias import __version__
from socialbias.api.estimate import plain
from socialbias.api.output import details_of, first_lines, json_of, written
from socialbias.api.result import (
    Result,
    facts,
    is_unseen,
    number,
    placed,
    with_interval,
)
from socialbias.api.styles import styles
from socialbias.auditing.entries import TWIN, TWIN_APART, Absent, Control, Entry

FILE, PAGE = "audit.json", "index.html"
KINDS = {"vectors": "Word vectors", "corpus": "A corpus", "model": "A language model"}
NUMBER = re.compile(r"(p )?[-+.,\de]*")  # and nothing
SIDES = {1: "above", -1: "below"}
KNOWS = ("lms", "relatedness", "analogies", "probe accuracy")  # what it knows: no bias
ASKED = (*KNOWS, "coherence", "explained-variance")
TESTED = ("avggf", "weat")  # by dealing terms to groups, and by sets of neighbouring words
SEEDS = {"coherence": "random words", "explained-variance": "random pairs of these words"}


@dataclass(frozen=True, repr=False)
class Audit:
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

    def to_json(self, path: str | Path | None = None) -> str:
        """Return `as_dict` as JSON, and write it to a file if one is named."""
        return written(json_of(self.as_dict()), path, self.provenance)

    def write(self, folder: Path) -> None:
        """Write the JSON and the page to a folder."""
        self.to_json(folder / FILE)
        self.to_html(folder / PAGE)

    def to_html(self, path: str | Path | None = None) -> str:
        """Return a self-contained page, and write it to a file if one is named."""
        return written(page(self), path, self.provenance)

    def __str__(self) -> str:
        return text(self)

    def __repr__(self) -> str:
        return first_lines(text(self))


def side(result: Result) -> int | None:
    """1 or -1 where the interval lies above or below what is found without bias; 0 where neither.

    Of a distance of groups its test decides: an interval that allows for the most noise hides most.
    Of a WEAT sets of neighbouring words decide: its interval takes the words of a set for
    independent.
    None without an interval, or where it is not known what is found without bias.
    """
    if not (math.isfinite(result.low) and math.isfinite(result.null)):
        return None
    if result.measure in TESTED and math.isfinite(result.p_value):
        sign = -1 if result.value < result.null and result.measure == "weat" else 1
        return sign * int(result.p_value <= 1 - result.level)
    return 1 if result.low > result.null else -1 if result.high < result.null else 0


def verdict(entry: Entry) -> str:
    """Return what the value means, in a sentence, and why to read it with caution."""
    return _meaning(entry) + (f" (caution: {entry.weak})" if entry.weak else "")


def _meaning(entry: Entry) -> str:
    result = entry.result
    if result.measure in SEEDS:
        return _beside(entry, SEEDS[result.measure])
    if (sign := side(result)) is None:
        if math.isfinite(result.low):
            return "to be compared with its controls: the value without bias is unknown"
        return "without an interval, so it says nothing by itself"
    null = number(result.null)
    same = f"not distinguishable from {null}"
    by_neighbours = result.measure == "weat" and result.placebos
    if not sign and (by_neighbours or not math.isfinite(result.detectable)):
        return same
    if not sign and is_unseen(result):
        return f"{same} (the sample is too small to detect even the largest bias)"
    if not sign:
        least = number(result.detectable)
        return f"{same} (a difference of {least} or more would have been detected)"
    what = "the value without bias"
    if result.measure in KNOWS:
        what = "chance"
    elif result.placebos:
        words = "sets of neighbouring words" if by_neighbours else "random words"
        what = f"the average of {words}"
    answer = f"{SIDES[sign]} {null}, {what}"
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


def _beside(entry: Entry, what: str) -> str:
    """Return whether seeds pass their own test: more than random words or pairings give."""
    high = max((control.high for control in entry.controls), default=math.nan)
    if not (math.isfinite(high) and math.isfinite(entry.result.low)):
        return f"not known to be more than for {what}"
    most = f"{number(high)}, the 97.5th percentile for {what}"
    if entry.result.value > high:
        but = "" if entry.result.low > high else "; for other seeds of this kind it may not be"
        return f"above {most}{but}"
    return f"not above {most}: a bias along these seeds says little"


def text(audit: Audit) -> str:
    """Return the audit for a terminal: a line for each instrument."""
    width = max(len(entry.instrument) for entry in audit.entries)
    lines = [f"{KINDS[audit.kind]}: {audit.subject}", ""]
    for entry in audit.entries:
        result = entry.result
        interval = with_interval(result.value, result.low, result.high)
        lines.append(f"  {entry.instrument:<{width}}  {interval:<26}  {verdict(entry)}")
    for absent in audit.absent:
        lines.append(f"  {absent.instrument:<{width}}  no result: {absent.reason}")
    lines += ["", *(f"sampled  {each}" for each in audit.sampled), cost(audit)]
    return "\n".join(lines)


def cost(audit: Audit) -> str:
    """Return what the audit took."""
    return f"took     {audit.seconds:.0f} s ({audit.cpu_seconds:.0f} s of CPU time)"


def page(audit: Audit) -> str:
    """Return the audit as HTML."""
    title = escape(f"Bias in {audit.subject}")
    sections = "".join(_section(i, entry) for i, entry in enumerate(audit.entries))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{styles()}</style></head><body><main><h1>{title}</h1>"
        f"{_summary(audit)}{_overview(audit)}{_absent(audit)}{sections}{_inputs(audit)}"
        "</main></body></html>\n"
    )


def _summary(audit: Audit) -> str:
    judged = [e for e in audit.entries if e.result.measure not in ASKED]
    sides = [side(entry.result) for entry in judged]
    shown, equal = sum(map(bool, sides)), sides.count(0)
    but = sum("; but " in verdict(entry) for entry in judged)
    lines = [
        f"<p class=lead>{escape(KINDS[audit.kind])}, audited with socialbias {__version__}. Of "
        f"{len(sides)} bias values, {shown} differ from the value without bias, {equal} are not "
        f"distinguishable from it, and for {len(sides) - shown - equal} that value is unknown. "
        f"{but} of those that differ do not pass their controls.</p>",
        *(f"<p class=lead>Read with caution: {escape(why)}.</p>" for why in _weak(audit)),
        "<p class=lead>One in 20 such values differs by chance. The counts leave out tests of what "
        "the subject knows (such as relatedness) and of seed words. Read each value with its "
        "interval, its controls and the papers' numbers. None of them shows that there is no "
        "bias.</p>",
    ]
    if audit.left:
        names = escape(", ".join(audit.left))
        lines.insert(1, f"<p class=lead>Not complete: {names} were not run.</p>")
    if audit.sampled:
        lines.append(f"<p class=soft>Sampled: {escape('; '.join(audit.sampled))}.</p>")
    lines.append(f"<p class=soft>{escape(cost(audit).replace('took     ', 'Took '))}.</p>")
    return "".join(lines)


def _weak(audit: Audit) -> list[str]:
    """Return how many values should be read with caution, and why, each reason once."""
    counts = Counter(entry.weak for entry in audit.entries if entry.weak)
    return [f"{n} of {len(audit.entries)} values, because {why}" for why, n in counts.items()]


def _overview(audit: Audit) -> str:
    head = ("instrument", "value", "interval", "plot", "n", "reliability", "detectable", "result")
    rows = []
    for i, entry in enumerate(audit.entries):
        r = entry.result
        ends = f"{number(r.low)} to {number(r.high)}" if math.isfinite(r.low) else "none"
        cells = (
            f'<th scope="row"><a href="#i{i}">{escape(entry.instrument)}</a>',
            f'<td class="n">{number(r.value)}',
            f'<td class="n">{ends}',
            f"<td>{_bar(entry)}",
            f'<td class="n">{r.n:,}',
            f'<td class="n">{number(r.reliability, 2)}',
            f'<td class="n">{number(r.detectable)}',
            f"<td>{escape(verdict(entry))}",
        )
        rows.append("<tr>" + "".join(cells))
    heads = "".join(f'<th scope="col">{name}' for name in head)
    return (
        "<h2>Results</h2><p class=soft>In the plot, the bar is the interval, the tick the value, "
        "and the red line the value without bias. A dash means that there is no such value. The "
        "column 'detectable' is the smallest difference detected with 80 % power.</p>"
        '<div class="scroll" tabindex="0" role="region" aria-label="all values"><table>'
        f"<thead><tr>{heads}</thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _bar(entry: Entry) -> str:
    """Interval, number and null value, with those of the controls for a scale."""
    r = entry.result
    known = [r.value, r.low, r.high, r.null, *(c.value for c in entry.controls[:2])]
    known = [x for x in known if math.isfinite(x)]
    low, high = min(known, default=0.0), max(known, default=0.0)
    if high - low <= 0:
        return ""

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
    return f'<span class="bar" aria-hidden="true">{"".join(marks)}</span>'


def _absent(audit: Audit) -> str:
    if not audit.absent:
        return ""
    rows = [
        (absent.instrument, "failed: " * absent.failed + absent.reason) for absent in audit.absent
    ]
    table = _table("No result", ("instrument", "reason"), rows, tuple)
    return f"<h2>Instruments without a result</h2>{table}"


def _section(i: int, entry: Entry) -> str:
    r = entry.result
    value = escape(with_interval(r.value, r.low, r.high))
    return (
        f'<h2 id="i{i}">{escape(entry.instrument)}</h2>'
        f"<p>{escape(r.title)}: <strong>{value}</strong> {escape(r.unit)}. "
        f"Result: {escape(verdict(entry))}.</p>{_controls(entry)}{_ruler(entry)}{_rows(entry)}"
        "<details><summary>Details</summary>"
        f"{details_of([*facts(r), ('paper', entry.paper)])}</details>"
    )


def _controls(entry: Entry) -> str:
    if not entry.controls:
        return (
            f"<p class=soft>No control: {escape(entry.no_control or 'none could be computed')}.</p>"
        )
    heads = ("measured instead", "value", "low", "high", "interval over")
    return _table("Controls", heads, entry.controls, _control, entry.instrument)


def _control(control: Control) -> tuple[str, ...]:
    ends = (number(x) for x in (control.value, control.low, control.high))
    return (control.name, *ends, control.range_of)


def _ruler(entry: Entry) -> str:
    if not entry.ruler:
        return f"<p class=soft>No number of a paper: {escape(entry.no_ruler)}.</p>"
    heads = ("measured in", "value", "source")
    return _table(
        "The papers' numbers, as printed", heads, entry.ruler,
        lambda mark: (mark.subject, mark.value, mark.place), entry.instrument,
    )  # fmt: skip


def _rows(entry: Entry) -> str:
    result = entry.result
    heads = ("item", "value", "low", "high", "among other words", "n", "note")
    if len(result.rows) < 2:
        return ""
    rows = sorted(result.rows, key=lambda row: (bool(row.note), -abs(row.value)))

    def cells(row) -> tuple[str, ...]:
        ends = (number(x) for x in (row.value, row.low, row.high))
        return (row.target, *ends, placed(row), str(row.n or ""), row.note)

    name = f"All {len(rows)} items"
    table = _table(name, heads, rows, cells, entry.instrument)
    return f"<details><summary>{name}</summary>{table}</details>"


def _table(caption: str, heads: Sequence[str], rows: Sequence, cells, of: str = "") -> str:
    """Return a table that scrolls by itself.

    `of` is the instrument, which makes its label unique.
    """
    head = "".join(f'<th scope="col">{escape(name)}' for name in heads)
    body = []
    for row in rows:
        first, *others = cells(row)
        body.append(f'<tr><th scope="row">{escape(first)}{"".join(map(_cell, others))}')
    label = f"{caption}, {of}" if of else caption
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{head}</thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _cell(text: str) -> str:
    """Return a cell: numbers to the right, and in one line."""
    kind = ' class="n"' if NUMBER.fullmatch(text) else ""
    return f"<td{kind}>{escape(text)}"


def _inputs(audit: Audit) -> str:
    rows = []
    for entry in audit.provenance:
        sums = [file["sha256"][:12] for file in entry.get("files", [])][:3]
        cells = [str(entry.get(key, "")) for key in ("role", "name", "source", "licence")]
        cells[2] += f", commit {entry['commit']}" if "commit" in entry else ""
        rows.append([*cells, ", ".join(sums) or entry.get("sha256", "")[:12]])
    heads = ("role", "name", "source", "licence", "sha256 of its first files")
    return "<h2>Inputs</h2>" + _table("What was read", heads, rows, tuple)
