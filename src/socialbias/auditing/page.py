"""An audit as one page that needs no other file, and as text."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from html import escape

from socialbias import __version__
from socialbias.api.rendering import facts, is_unseen, number, placed, with_interval
from socialbias.api.result import Result
from socialbias.api.styles import styles
from socialbias.auditing.entries import TWIN, TWIN_APART, Control, Entry, Findings

KINDS = {"vectors": "Word vectors", "corpus": "A corpus", "model": "A language model"}
NUMBER = re.compile(r"(p )?[-+.,\de]*")  # and nothing
SIDES = {1: "above", -1: "below"}
KNOWS = ("lms", "relatedness", "analogies", "probe accuracy")  # what it knows: no bias
ASKED = (*KNOWS, "coherence", "explained-variance")
TESTED = ("avggf", "weat")  # by dealing terms to groups, and by sets of neighbouring words
SEEDS = {
    "coherence": "a choice of random words",
    "explained-variance": "pairing the words at random",
}


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
    """What the number means, in a sentence, and why it should be read with caution."""
    return _meaning(entry) + (f" (caution: {entry.weak})" if entry.weak else "")


def _meaning(entry: Entry) -> str:
    result = entry.result
    if result.measure in SEEDS:
        return _beside(entry, SEEDS[result.measure])
    if (found := side(result)) is None:
        if math.isfinite(result.low):
            return "of a measure whose number without bias is not known: see its controls"
        return "without an interval: it says nothing by itself"
    null = number(result.null)
    same = f"not distinguishable from {null}"
    by_neighbours = result.measure == "weat" and result.placebos
    if not found and (by_neighbours or not math.isfinite(result.detectable)):
        return same
    if not found and is_unseen(result):
        return f"{same} (with so few, not even the largest bias would have been detected)"
    if not found:
        seen = number(result.detectable)
        return f"{same} (a difference of {seen} or more would have been detected)"
    what = "what there is without bias"
    if result.measure in KNOWS:
        what = "chance"
    elif result.placebos:
        what = "what sets of neighbouring words score on average"
        if result.measure != "weat":
            what = "what random words score on average"
    told = f"{SIDES[found]} {null}, which is {what}"
    apart = next((c for c in entry.controls if c.name == TWIN_APART), None)
    if apart is not None and apart.low <= 0 <= apart.high:
        told += "; but not distinguishable from random weights"
    random = next((c for c in entry.controls if c.name == TWIN), None)
    if apart is None and random is not None and random.low <= result.value <= random.high:
        told += "; but random weights may give as much"
    placebos = next((c for c in entry.controls if c.name.startswith("placebo")), None)
    if placebos is not None and placebos.low <= result.value <= placebos.high:
        told += f"; but {placebos.name.partition(': ')[2]} give as much"
    return told


def _beside(entry: Entry, what: str) -> str:
    """Whether seeds pass their own test: more than random words or pairings give."""
    high = max((control.high for control in entry.controls), default=math.nan)
    if not (math.isfinite(high) and math.isfinite(entry.result.low)):
        return f"not known to be more than {what} gives"
    reached = f"which reaches {number(high)} in 97.5 % of draws"
    if entry.result.value > high:
        but = "" if entry.result.low > high else "; other seeds of their kind may not be"
        return f"more than {what} gives, {reached}{but}"
    return f"no more than {what} gives, {reached}: a bias along these seeds says little"


def text(audit: Findings) -> str:
    """The audit for a terminal: a line for each instrument."""
    width = max(len(entry.instrument) for entry in audit.entries)
    lines = [f"{KINDS[audit.kind]}: {audit.subject}", ""]
    for entry in audit.entries:
        result = entry.result
        interval = with_interval(result.value, result.low, result.high)
        lines.append(f"  {entry.instrument:<{width}}  {interval:<26}  {verdict(entry)}")
    for each in audit.absent:
        lines.append(f"  {each.instrument:<{width}}  no number: {each.reason}")
    lines += ["", *(f"sampled  {each}" for each in audit.sampled), cost(audit)]
    return "\n".join(lines)


def cost(audit: Findings) -> str:
    """What the audit took."""
    return f"took     {audit.seconds:.0f} s of the clock, {audit.cpu_seconds:.0f} CPU-seconds"


def page(audit: Findings) -> str:
    """The audit as HTML."""
    title = escape(f"Bias in {audit.subject}")
    sections = "".join(_section(i, entry) for i, entry in enumerate(audit.entries))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{styles()}</style></head><body><main><h1>{title}</h1>"
        f"{_summary(audit)}{_overview(audit)}{_absent(audit)}{sections}{_inputs(audit)}"
        "</main></body></html>\n"
    )


def _summary(audit: Findings) -> str:
    judged = [e for e in audit.entries if e.result.measure not in ASKED]
    told = [side(entry.result) for entry in judged]
    shown, equal = sum(map(bool, told)), told.count(0)
    but = sum("; but " in verdict(entry) for entry in judged)
    lines = [
        f"<p class=told>{escape(KINDS[audit.kind])}, audited with socialbias {__version__}: of "
        f"{len(told)} numbers of bias {shown} differ from what there is without it, "
        f"{equal} cannot be told from that, and of {len(told) - shown - equal} it is not known. "
        f"Of those that differ, {but} do not pass their control.</p>",
        *(f"<p class=told>Read with caution: {escape(why)}.</p>" for why in _weak(audit)),
        "<p class=told>These are many numbers, of which one in 20 would differ by chance; those "
        "of what the subject knows (such as relatedness) and of seed words are not among them. "
        "Read each with its interval, its control and the papers' own subjects; none says that "
        "there is no bias.</p>",
    ]
    if audit.sampled:
        lines.append(f"<p class=soft>Sampled: {escape('; '.join(audit.sampled))}.</p>")
    lines.append(f"<p class=soft>{escape(cost(audit).replace('took     ', 'Took '))}.</p>")
    return "".join(lines)


def _weak(audit: Findings) -> list[str]:
    """How many numbers should be read with caution, and why, each reason once."""
    found = Counter(entry.weak for entry in audit.entries if entry.weak)
    return [f"{n} of {len(audit.entries)} numbers, because {why}" for why, n in found.items()]


def _overview(audit: Findings) -> str:
    head = ("instrument", "number", "interval", "drawn", "n", "reliability", "detectable", "it is")
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
        "<h2>What was found</h2><p class=soft>The bar: the interval, the number, and in red "
        "what there is without bias. A dash: there is none.</p>"
        '<div class="scroll" tabindex="0" role="region" aria-label="all numbers"><table>'
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


def _absent(audit: Findings) -> str:
    if not audit.absent:
        return ""
    rows = [(each.instrument, "failed: " * each.failed + each.reason) for each in audit.absent]
    table = _table("No number", ("instrument", "why"), rows, tuple)
    return f"<h2>What gave no number</h2>{table}"


def _section(i: int, entry: Entry) -> str:
    r = entry.result
    told = "".join(f"<dt>{escape(name)}<dd>{escape(said)}" for name, said in facts(r))
    value = escape(with_interval(r.value, r.low, r.high))
    return (
        f'<h2 id="i{i}">{escape(entry.instrument)}</h2>'
        f"<p>{escape(r.title)}: <strong>{value}</strong> {escape(r.unit)}. "
        f"It is {escape(verdict(entry))}.</p>{_controls(entry)}{_ruler(entry)}{_rows(entry)}"
        f"<details><summary>What stands behind it</summary><dl>{told}"
        f"<dt>paper<dd>{escape(entry.paper)}</dl></details>"
    )


def _controls(entry: Entry) -> str:
    if not entry.controls:
        return f"<p class=soft>Control: {escape(entry.no_control)}.</p>"
    heads = ("measured instead", "number", "low", "high", "over")
    return _table("Controls", heads, entry.controls, _control, entry.instrument)


def _control(control: Control) -> tuple[str, ...]:
    ends = (number(x) for x in (control.value, control.low, control.high))
    return (control.name, *ends, control.range_of)


def _ruler(entry: Entry) -> str:
    if not entry.ruler:
        return f"<p class=soft>The papers' own subjects: {escape(entry.no_ruler)}.</p>"
    heads = ("the paper's subject", "printed", "place")
    return _table(
        "The papers' own subjects, as printed", heads, entry.ruler,
        lambda mark: (mark.subject, mark.value, mark.place), entry.instrument,
    )  # fmt: skip


def _rows(entry: Entry) -> str:
    result = entry.result
    heads = ("of", "number", "low", "high", "among other words", "n", "note")
    if len(result.rows) < 2:
        return ""
    rows = sorted(result.rows, key=lambda row: (bool(row.note), -abs(row.value)))

    def cells(row) -> tuple[str, ...]:
        ends = (number(x) for x in (row.value, row.low, row.high))
        return (row.target, *ends, placed(row), str(row.n or ""), row.note)

    name = f"All {len(rows)} behind it"
    table = _table(name, heads, rows, cells, entry.instrument)
    return f"<details><summary>{name}</summary>{table}</details>"


def _table(name: str, heads: Sequence[str], rows: Sequence, cells, of: str = "") -> str:
    """A table that scrolls by itself; `of` tells it from others of the same name."""
    head = "".join(f'<th scope="col">{escape(each)}' for each in heads)
    body = []
    for row in rows:
        first, *others = cells(row)
        told = "".join(map(_cell, others))
        body.append(f'<tr><th scope="row">{escape(first)}{told}')
    label = f"{name}, {of}" if of else name
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}"><table>'
        f"<caption>{escape(name)}</caption><thead><tr>{head}</thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _cell(text: str) -> str:
    """A cell: numbers to the right, and in one line."""
    kind = ' class="n"' if NUMBER.fullmatch(text) else ""
    return f"<td{kind}>{escape(text)}"


def _inputs(audit: Findings) -> str:
    rows = []
    for entry in audit.provenance:
        sums = [file["sha256"][:12] for file in entry.get("files", [])][:3]
        about = [str(entry.get(key, "")) for key in ("name", "source", "licence")]
        about[1] += f", commit {entry['commit']}" if "commit" in entry else ""
        rows.append([entry["role"], *about, ", ".join(sums) or entry.get("sha256", "")[:12]])
    heads = ("role", "name", "source", "licence", "sha256 of its first files")
    return "<h2>What was read</h2>" + _table("Inputs", heads, rows, tuple)
