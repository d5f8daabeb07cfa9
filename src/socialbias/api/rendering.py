"""An estimate as text, as HTML, as LaTeX and as CSV."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping, Sequence
from html import escape

from socialbias.api.estimate import Estimate, Placebo, Row

SHOWN = 20  # rows of a text
COLUMNS = ("target", "value", "low", "high", "leans_to", "percentile", "detectable", "n", "note")
SUBJECTS = {"vectors": "the vectors are", "corpus": "the texts are", "model": "the model is"}
ROWS = "of its own number, over {}; its percentile is among the other words"
UNSEEN = "none: with so few, not even the largest that there can be"
PASSPORTS = "docs/passports"  # where the pages of measures lie
SHARE = re.compile(r"share of the first group less 1/(\d+)")
LARGEST = {"rank correlation": 1.0, "standard deviations": 2.0}  # by unit; the latter of a WEAT
STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
.scroll{overflow-x:auto}caption{text-align:left}
table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:right}
td:first-child,th:first-child{text-align:left}tr+tr{border-top:1px solid #ccc}
@media(prefers-color-scheme:dark){body{background:#16181c;color:#e6e6e6}}"""


def number(value: float, digits: int = 3) -> str:
    """A number for people, never as minus nothing; a dash where there is none."""
    return f"{value:z.{digits}f}" if math.isfinite(value) else "-"


def with_interval(value: float, low: float, high: float) -> str:
    """A number and its interval."""
    ends = f" [{number(low)}, {number(high)}]" if math.isfinite(low) else ""
    return number(value) + ends


def p_text(p: float) -> str:
    """A p-value; "" where there is none."""
    if not math.isfinite(p):
        return ""
    return f"p {p:.3f}" if p >= 0.0005 else f"p {p:.0e}"


def headline(result: Estimate) -> str:
    """The number and its unit, of one word with that word; without placebo words how sure it is."""
    of_difference = result.placebos and result.statistic != "effect size"
    ends = (math.nan, math.nan) if of_difference else result.interval
    parts = [with_interval(result.value, *ends), result.unit]
    word = f" of {result.rows[0].target}" if result.statistic == "bias" and result.rows else ""
    tested = "" if result.placebos else p_text(result.p_value)
    said = ", ".join(filter(None, [*parts, tested]))
    return f"{result.statistic}{word}: {said}"


def comparison(result: Estimate) -> list[str]:
    """What placebo words give, how the targets differ, and what that does not show."""
    if not result.placebos:
        return []
    first = result.placebos[0]
    if result.statistic == "effect size":
        lines = [
            f"The effect size is between {number(first.low)} and {number(first.high)} in 95 % of "
            f"{first.n:,} {first.words}.",
            f"It is as far from 0 as here in {_per_cent(first.share)} of them.",
        ]
    else:
        lines = [
            f"{_capital(first)} score {number(first.mean)} on average; 95 % of them score between "
            f"{number(first.low)} and {number(first.high)}.",
            f"{_apart(first, result)}.",
        ]
    lines.append(
        f"This does not show that {_subject(result)} unbiased: a bias of all words is also a bias."
    )
    lines += [
        f"{_capital(each)} score {number(each.mean)} on average. {_apart(each, result)}."
        for each in result.placebos[1:]
    ]
    return lines


def _capital(placebo: Placebo) -> str:
    return f"{placebo.words[0].upper()}{placebo.words[1:]} ({placebo.n:,})"


def _apart(placebo: Placebo, result: Estimate) -> str:
    """How far the targets are from other words, and how often such words are as far."""
    one = result.n == 1
    ends = (placebo.difference, placebo.difference_low, placebo.difference_high)
    what = "such words" if one else "equally large samples of such words"
    return (
        f"The target{' differs' if one else 's differ'} from these by {with_interval(*ends)}; "
        f"{_per_cent(placebo.share)} of {what} differ as much"
    )


def _subject(result: Estimate) -> str:
    """What was measured, with its verb."""
    for entry in result.provenance:
        if entry["role"] in SUBJECTS:
            return SUBJECTS[entry["role"]]
    return "the subject is"


def _per_cent(share: float) -> str:
    return f"{100 * share:.{0 if share >= 0.01 else 1}f} %"


def disagreement(result: Estimate) -> str:
    """Why the interval of a mean and its samples of placebo words say different things, if so."""
    if result.statistic == "effect size":
        return ""
    for each in result.placebos:
        outside = not each.difference_low <= 0 <= each.difference_high
        if not math.isfinite(each.difference_low) or outside == (each.share <= 1 - result.level):
            continue
        what = "leaves out 0, but many" if outside else "includes 0, but few"
        return (
            f"the interval of the difference from {each.words} {what} samples of them differ as "
            f"much: the interval is over {result.resampled}, the samples over the other words alone"
        )
    return ""


def ordered(result: Estimate) -> list[Row]:
    """The rows, those farthest from no bias first; behind them those with a reservation."""
    null = result.null if result.placebos else 0.0
    return sorted(result.rows, key=lambda row: (bool(row.note), -abs(row.value - null)))


def facts(result: Estimate) -> list[tuple[str, str]]:
    """What stands behind the number, line by line."""
    of = " of the difference" if result.placebos and result.statistic != "effect size" else ""
    found = [(f"interval{of}", f"{result.level:.0%}, over {result.resampled}")]
    if of and len(result.rows) > 1:
        units = result.resampled.removesuffix(" and targets")
        found.append(("interval of a word", ROWS.format(units)))
    if math.isfinite(result.p_value) and not result.placebos:
        found.append(("p-value", f"{p_text(result.p_value)[2:]}, {result.test}"))
    if not result.placebos:
        found.append(("without bias", null_text(result)))
    if math.isfinite(result.detectable):
        said = f"{_detectable(result)}, the smallest that 80 % of such samples would show"
        found.append(("detectable", UNSEEN if is_unseen(result) else said))
    if math.isfinite(result.reliability):
        found.append(("reliability", f"{_reliability(result)}, {result.reliability_of}"))
    found.append(("direction", result.direction))
    found.append(("found", f"{result.n} of {result.n_of} {result.n_unit}"))
    if result.changed:
        found.append(("changed", _changed(result.changed)))
    for name, words in result.missing.items():
        found.append((f"missing, {name}", _some(guessed(words, result.meant))))
    found += [("read", _read(entry)) for entry in result.provenance if "files" in entry]
    found += [("words", _words(entry)) for entry in result.provenance if "licence" in entry]
    found.append(("measure", f"{result.measure}: {result.citation}"))
    notes = [*result.notes, *filter(None, [disagreement(result)])]
    return found + [("note", note) for note in notes]


def _changed(changed: Mapping[str, int]) -> str:
    """How many decisions differ, each way."""
    ways = {key: n for key, n in changed.items() if key != "of"}
    total, share = sum(ways.values()), sum(ways.values()) / max(changed["of"], 1)
    each = ", ".join(f"{n:,} {way}" for way, n in ways.items())
    return f"{total:,} of {changed['of']:,} decisions ({share:.1%}): {each}"


def is_unseen(result: Estimate) -> bool:
    """Whether what would be found in 80 % of samples is more than there can be."""
    if of := SHARE.match(result.unit):
        return result.detectable > 1 - 1 / int(of[1])
    return result.detectable > LARGEST.get(result.unit, math.inf)


def _detectable(result: Estimate) -> str:
    """What would be found, of a number that is not 0 without bias with what that is."""
    if not math.isfinite(result.null) or result.null == 0 or result.placebos:
        return number(result.detectable)
    return f"{number(result.detectable)} from {number(result.null)}"


def null_text(result: Estimate) -> str:
    """What the number is without bias, for people."""
    if math.isfinite(result.null):
        return number(result.null)
    return "not known for this number: compare it with those of other words or groups"


def _reliability(result: Estimate) -> str:
    """The reliability with its interval, which has no lower bound."""
    ends = (result.reliability, result.reliability_low, result.reliability_high)
    if not result.reliability_low < -1:
        return with_interval(*ends)
    return f"{number(result.reliability)} [below -1, {number(result.reliability_high)}]"


def guessed(words: Sequence[str], meant: Mapping[str, str]) -> list[str]:
    """Words that were not found, each with the known one that was probably meant."""
    return [f"{word} ({meant[word]}?)" if word in meant else word for word in words]


def _some(words: Sequence[str], most: int = 8) -> str:
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


def _read(entry: dict) -> str:
    kept = ("dimensions", "words in lower case", "layer", "documents", "tokens")
    kept += ("sentences of a context",)
    about = [f"{key} {entry[key]:,}" for key in kept if key in entry]
    about += [f"commit {entry['commit'][:12]}"] if "commit" in entry else []
    sums = [f"sha256 {entry['files'][0]['sha256'][:12]}"] if len(entry["files"]) == 1 else []
    return ", ".join([entry["name"], *about, *sums])


def _words(entry: dict) -> str:
    about = [entry["source"]]
    about += [f"licence {entry['licence']}"] if entry["licence"] != entry["source"] else []
    return f"{entry['role']} {entry['name']}: " + ", ".join(about)


def placed(row: Row) -> str:
    """Where a word stands among placebo words; "" where there are none."""
    return f"percentile {row.percentile:.0f}" if math.isfinite(row.percentile) else ""


def text(result: Estimate, most: int | None = SHOWN) -> str:
    """The result for a terminal.

    Args:
        result: The result.
        most: Rows shown, those farthest from no bias; None for all.
    """
    lines = [result.title, headline(result), *filter(None, [result.verdict])]
    lines += [*comparison(result), ""]
    rows = ordered(result)[:most]
    if len(result.rows) > 1:
        width = max(len(row.target) for row in rows)
        for row in rows:
            interval = with_interval(row.value, row.low, row.high)
            further = ", ".join(filter(None, [row.leans_to, placed(row), row.note]))
            lines.append(f"  {row.target:<{width}}  {interval:<26}  {further}".rstrip())
        left = len(result.rows) - len(rows)
        lines += [f"  ... and {left} more: --all, or --csv FILE"] * (left > 0) + [""]
    told = facts(result)
    width = max(len(name) for name, _ in told)
    return "\n".join([*lines, *(f"{name:<{width}}  {said}" for name, said in told)])


def explained(result: Estimate) -> str:
    """The seven questions of a number, answered in sentences."""
    value = with_interval(result.value, result.low, result.high)
    sure = f"{result.level:.0%} interval over {result.resampled}"
    test = f"; {p_text(result.p_value)}, {result.test}" if math.isfinite(result.p_value) else ""
    seen = f"; a true value of {_detectable(result)} would be found in 80 % of samples"
    seen = "; no true value would be found in 80 % of samples" if is_unseen(result) else seen
    sources = "; ".join(
        _read(entry) if "files" in entry else f"{entry['role']} {entry['name']}"
        for entry in result.provenance
    )
    lines = [
        f"What is it? {result.title}: {result.statistic} {value}, {result.unit}.",
        f"What do other words give? {' '.join(comparison(result))}"
        if result.placebos
        else f"What is it without bias? {null_text(result).capitalize()}.",
        f"Which way does it go? {result.direction}.",
        f"How sure is it? {sure}{test}{seen if math.isfinite(result.detectable) else ''}.",
        f"From what? {result.n} of {result.n_of} {result.n_unit}; {sources}.",
        f"By what measure? {result.measure}: {result.citation}.",
        f"What can it bear? Its passport, {PASSPORTS}/{result.passport}.md, says how reliable it "
        "is, what it recovers and how often it errs.",
    ]
    return "\n".join([*lines, *(f"Note: {note}." for note in result.notes)])


def csv_text(result: Estimate) -> str:
    """The rows as CSV."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in result.rows:
        # Of words in vectors there is no n: 0 would read as nothing.
        told = {name: getattr(row, name) for name in COLUMNS} | {"n": row.n or ""}
        writer.writerow([_cell(cell) for cell in told.values()])
    return file.getvalue()


def _cell(cell: object) -> object:
    if isinstance(cell, float):
        return f"{cell:.6g}" if math.isfinite(cell) else ""
    return cell


def latex(result: Estimate) -> str:
    """A `tabular` of the rows, with a note below it; it needs the package booktabs."""
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{tabular}{lrrrl}",
        r"\toprule",
        r"target & bias & low & high & leans to \\",
        r"\midrule",
    ]
    for row in ordered(result):
        cells = [_tex(row.target), *(number(x) for x in (row.value, row.low, row.high))]
        lines.append(" & ".join([*cells, _tex(row.leans_to)]) + r" \\")
    ends = f"{result.level:.0%}".replace("%", r"\%")
    note = f"{_tex(result.title)}: {_tex(headline(result))}. Intervals: {ends}."
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", "", rf"\emph{{{note}}}"]) + "\n"


def _tex(written: str) -> str:
    return "".join(f"\\{c}" if c in "&%$#_{}" else c for c in written)


def fragment(result: Estimate) -> str:
    """The result as HTML: a heading, the number, a table of rows, what stands behind them."""
    head = "".join(f"<th scope=col>{escape(name)}" for name in ("target", "bias", "low", "high"))
    rows = "".join(
        f"<tr><td>{escape(row.target)}"
        + "".join(f"<td>{number(x)}" for x in (row.value, row.low, row.high))
        + f"<td>{escape(row.leans_to)}<td>{placed(row)[11:]}<td>{escape(row.note)}"
        for row in ordered(result)
    )
    told = "".join(f"<dt>{escape(name)}<dd>{escape(said)}" for name, said in facts(result))
    verdict = f"<p><strong>{escape(result.verdict)}</strong>" if result.verdict else ""
    beside = "".join(f"<p>{escape(line)}" for line in comparison(result))
    return (
        f"<h2>{escape(result.title)}</h2><p>{escape(headline(result))}{verdict}{beside}"
        '<div class="scroll" tabindex="0" role="region" aria-label="every target">'
        f"<table><caption>{escape(result.unit)}</caption><tr>{head}"
        f"<th scope=col>leans to<th scope=col>percentile<th scope=col>note{rows}</table></div>"
        f"<dl>{told}</dl>"
    )


def page(result: Estimate) -> str:
    """The result as a whole page."""
    title = escape(result.title)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style>'
        f"<main>{fragment(result)}</main></html>\n"
    )
