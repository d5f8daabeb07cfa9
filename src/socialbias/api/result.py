"""The result of `measure` and `compare`, and its output formats."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from socialbias.api.estimate import Placebo, Row, plain
from socialbias.errors import naming_extras
from socialbias.files.atomic_write import aside, write_text
from socialbias.files.escaping import for_csv, for_latex
from socialbias.measures.similarity import Array

SHOWN = 20  # rows of a text
COLUMNS = ("target", "value", "low", "high", "leans_to", "percentile", "detectable", "n", "note")
ROWS = "the word's own bias, resampling {}; its percentile compares it with the other words"
UNSEEN = "nothing: the sample is too small to detect even the largest possible value"
READ = {  # what is shown of a subject, in this order
    "dimensions": "{:,} dimensions",
    "words in lower case": "{:,} words found in lower case",
    "layer": "layer {}",
    "documents": "{:,} documents",
    "tokens": "{:,} tokens",
    "sentences of a context": "sentences per context: {}",
}
SHARE = re.compile(r"share of the first group less 1/(\d+)")
LARGEST = {"rank correlation": 1.0, "standard deviations": 2.0}  # by unit; the latter of a WEAT
STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
.scroll{overflow-x:auto}caption{text-align:left}
table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:right}
td:first-child,th:first-child{text-align:left}tr+tr{border-top:1px solid #ccc}
@media(prefers-color-scheme:dark){body{background:#16181c;color:#e6e6e6}}"""
COLOUR = "#0072b2"  # of a figure


@dataclass(frozen=True, kw_only=True)
class Result:
    """A bias, or a difference of two, with its uncertainty and origin.

    Attributes:
        title: What was measured; "" until that is known.
        measure: Name of the measure.
        statistic: How `value` summarises the rows, such as their mean.
        value: The number; NaN if undefined.
        low, high: Its interval; with placebo words, the interval of the difference from them,
            around `null`.
        level: Nominal coverage of the interval.
        null: The number of placebo words; without them, the number without bias (for a magnitude,
            by chance alone); NaN if unknown.
        placebos: The numbers of other words; the first are the null.
        unit: Unit of the numbers.
        direction: What the sign or size of the numbers means.
        n, n_of: Sample size, and what was asked for.
        n_unit: What n counts, such as targets.
        missing: Words that were not found, by list.
        resampled: What the interval resamples.
        reliability: Reliability of the rows' ranking; NaN if unknown.
        reliability_low, reliability_high: Its interval.
        reliability_of: What was ranked, and how it was split.
        detectable: Smallest distance from `null`, or from 0 without one, that is detected at 0.05
            with 80 % power.
        p_value: p-value of `test`; NaN without a test.
        test: The test, in words.
        p_words_exchanged: p-value of a permutation test over the words of lists; NaN without one.
            It tests these lists, not whether other targets would differ.
        words_exchanged: That test, in words.
        citation: Source of the measure.
        provenance: Everything that was read, as plain values.
        rows: The targets.
        notes: Reservations.
        verdict: Verdict of a comparison; "" otherwise.
        changed: In a comparison by items, how many decisions differ in each direction, of how many.
        changed_by: The same by `term` and, if known, `domain`, of those in which any differs.
        changed_items: The items whose decisions differ, with their labels and both decisions.
        looks: Of a sequential comparison, `planned` numbers of items at the looks, how many looks
            were `taken`, and the `level of each`.
        draws: (draws, rows) the rows' numbers in resamples, if any.
        dealt: (draws,) the number with permuted words, if it was tested.
        meant: The known word that was probably meant, by missing word.
    """

    title: str = ""
    measure: str
    statistic: str
    value: float
    low: float
    high: float
    level: float
    null: float
    unit: str
    direction: str
    n: int
    n_of: int
    n_unit: str
    missing: dict[str, list[str]] = field(default_factory=dict)
    resampled: str
    reliability: float = math.nan
    reliability_low: float = math.nan
    reliability_high: float = math.nan
    reliability_of: str = ""
    detectable: float = math.nan
    p_value: float = math.nan
    test: str = ""
    p_words_exchanged: float = math.nan
    words_exchanged: str = ""
    placebos: tuple[Placebo, ...] = ()
    citation: str
    provenance: list[dict] = field(default_factory=list)
    rows: tuple[Row, ...] = ()
    notes: tuple[str, ...] = ()
    verdict: str = ""
    changed: dict[str, int] = field(default_factory=dict)
    changed_by: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)
    changed_items: list[dict] = field(default_factory=list)
    looks: dict = field(default_factory=dict)
    draws: Array | None = field(default=None, repr=False, compare=False)
    dealt: Array | None = field(default=None, repr=False, compare=False)
    meant: dict[str, str] = field(default_factory=dict)

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the interval."""
        return self.low, self.high

    @property
    def passport(self) -> str:
        """Name of the measure's page in docs/passports, and of its row in a run's passport."""
        if self.measure == "decisions":
            return "stereotype-score"
        kinds = {entry.get("role") for entry in self.provenance}
        if self.measure in ("directed", "divdist") and kinds & {"corpus", "model"}:
            return "reduction" if "model" in kinds else "text"
        return self.measure

    @property
    def table(self):
        """The rows, as a pandas data frame, or as a list of dicts where pandas is not installed."""
        rows = [vars(row) for row in self.rows]
        try:
            import pandas as pd
        except ImportError:
            return rows
        return pd.DataFrame(rows, columns=list(Row.__dataclass_fields__))

    def as_dict(self) -> dict:
        """Everything but the draws, as plain JSON values: a number that there is not is None."""
        left_out = ("draws", "dealt")
        kept = {key: value for key, value in vars(self).items() if key not in left_out}
        parts = {name: [vars(part) for part in kept[name]] for name in ("rows", "placebos")}
        return plain(kept | parts)

    def to_json(self, path: str | Path | None = None) -> str:
        """Return `as_dict` as JSON, and write it to a file if one is named."""
        text = json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"
        return written(text, path)

    def to_csv(self, path: str | Path | None = None) -> str:
        """Return the rows as CSV with 6-digit numbers, and write it to a file if one is named."""
        return written(csv_text(self), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        """Return the rows as a LaTeX table (booktabs), and write it to a file if one is named."""
        return written(latex(self), path)

    def to_html(self, path: str | Path | None = None) -> str:
        """Return an HTML page, and write it to a file if one is named."""
        return written(page(self), path)

    @naming_extras()
    def plot(self, path: str | Path | None = None, most: int = 30):
        """Plot the rows with their intervals, as a matplotlib figure.

        Args:
            path: Where to save it; its suffix is the format.
            most: Rows drawn: those that are farthest from the null value.
        """
        from matplotlib.figure import Figure

        rows = ordered(self)[:most]
        figure = Figure(figsize=(6, 0.9 + 0.22 * len(rows)), layout="constrained")
        axes = figure.subplots()
        for i, row in enumerate(rows):
            axes.plot([row.low, row.high], [i, i], color=COLOUR, linewidth=1)
            axes.plot(row.value, i, "o", color=COLOUR, markersize=4)
        if self.null == self.null:
            axes.axvline(self.null, color="0.5", linewidth=0.8, linestyle=":")
        axes.set_yticks(range(len(rows)), [row.target for row in rows])
        axes.invert_yaxis()
        axes.set_xlabel(f"{self.unit}, {self.level:.0%} intervals\n{self.direction}")
        axes.set_title(self.title, fontsize="medium", wrap=True)
        if path is not None:
            target = Path(path)
            with aside(target) as part:
                figure.savefig(part, format=target.suffix.removeprefix(".") or None)
        return figure

    def explain(self) -> str:
        """Explain the number: its null value, direction, certainty, data and measure."""
        return explained(self)

    def __str__(self) -> str:
        return text(self)

    def _repr_html_(self) -> str:
        return fragment(self)


def written(text: str, path: str | Path | None) -> str:
    """Write a text to a file, whole or not at all, if one is named, and return it."""
    if path is not None and Path(path).exists() and not Path(path).is_file():
        Path(path).write_text(text, "utf-8", newline="\n")  # a pipe or device cannot be replaced
    elif path is not None:
        write_text(Path(path).resolve(), text)
    return text


def number(value: float, digits: int = 3) -> str:
    """Format a number, never as -0; a dash for NaN."""
    return f"{value:z.{digits}f}" if math.isfinite(value) else "-"


def with_interval(value: float, low: float, high: float) -> str:
    """Format a number and its interval."""
    ends = f" [{number(low)}, {number(high)}]" if math.isfinite(low) else ""
    return number(value) + ends


def p_text(p: float) -> str:
    """Format a p-value; "" for NaN."""
    if not math.isfinite(p):
        return ""
    return f"p {p:.3f}" if p >= 0.0005 else f"p {p:.0e}"


def headline(result: Result) -> str:
    """Return the number and its unit; the interval and p-value only without placebo words."""
    of_difference = result.placebos and result.statistic != "effect size"
    ends = (math.nan, math.nan) if of_difference else result.interval
    parts = [with_interval(result.value, *ends), result.unit]
    word = f" of {result.rows[0].target}" if result.statistic == "bias" and result.rows else ""
    parts.append("" if result.placebos else p_text(result.p_value))
    return f"{result.statistic}{word}: {', '.join(filter(None, parts))}"


def comparison(result: Result) -> list[str]:
    """Return sentences on placebo words: their scores, how the targets differ, and a caution."""
    if not result.placebos:
        return []
    first = result.placebos[0]
    if result.statistic == "effect size":
        lines = [
            f"The effect size is between {number(first.low)} and {number(first.high)} in 95 % of "
            f"{first.n:,} {first.words}.",
            f"In {_per_cent(first.share)} of them it is at least as far from 0.",
        ]
    else:
        lines = [
            f"{_capital(first)} score {number(first.mean)} on average; 95 % of them score between "
            f"{number(first.low)} and {number(first.high)}.",
            f"{_apart(first, result)}.",
        ]
    lines.append("This does not show that there is no bias: a bias of all words is also a bias.")
    lines += [
        f"{_capital(placebo)} score {number(placebo.mean)} on average. {_apart(placebo, result)}."
        for placebo in result.placebos[1:]
    ]
    return lines


def _capital(placebo: Placebo) -> str:
    return f"{placebo.words[0].upper()}{placebo.words[1:]} ({placebo.n:,})"


def _apart(placebo: Placebo, result: Result) -> str:
    """Return how far the targets are from other words, and how often such words are as far."""
    one = result.n == 1
    ends = (placebo.difference, placebo.difference_low, placebo.difference_high)
    what = "such words" if one else "equally large samples of such words"
    return (
        f"The target{' differs' if one else 's differ'} from these by {with_interval(*ends)}; "
        f"{_per_cent(placebo.share)} of {what} differ as much"
    )


def _per_cent(share: float) -> str:
    return f"{100 * share:.{0 if share >= 0.01 else 1}f} %"


def disagreement(result: Result) -> str:
    """Return why the interval and the samples of placebo words disagree; "" if they agree."""
    if result.statistic == "effect size":
        return ""
    for placebo in result.placebos:
        outside = not placebo.difference_low <= 0 <= placebo.difference_high
        significant = placebo.share <= 1 - result.level
        if not math.isfinite(placebo.difference_low) or outside == significant:
            continue
        what = "excludes 0, but many" if outside else "includes 0, but few"
        return (
            f"the interval of the difference from {placebo.words} {what} samples of them differ as "
            f"much: the interval resamples {result.resampled}, the samples only the other words"
        )
    return ""


def ordered(result: Result) -> list[Row]:
    """Sort the rows, farthest from no bias first, and last those with a note."""
    null = result.null if result.placebos else 0.0
    return sorted(result.rows, key=lambda row: (bool(row.note), -abs(row.value - null)))


def facts(result: Result) -> list[tuple[str, str]]:
    """Return what one must know of the number, as pairs of a heading and a text."""
    of = " of the difference" if result.placebos and result.statistic != "effect size" else ""
    lines = [(f"interval{of}", _interval(result))]
    if of and len(result.rows) > 1:
        units = result.resampled.removesuffix(" and targets")
        lines.append(("interval of a word", ROWS.format(units)))
    if math.isfinite(result.p_value) and not result.placebos:
        lines.append(("p-value", f"{p_text(result.p_value)[2:]}, {result.test}"))
    if not result.placebos:
        lines.append(("without bias", null_text(result)))
    if math.isfinite(result.detectable):
        lines.append(("detectable", _detectable(result)))
    if math.isfinite(result.reliability):
        lines.append(("reliability", f"{_reliability(result)}, {result.reliability_of}"))
    lines.append(("direction", result.direction))
    lines.append(("found", f"{result.n} of {result.n_of} {result.n_unit}"))
    if result.changed:
        lines.append(("changed", _changed(result.changed)))
    lines += [(f"changed, by {name}", _most(by)) for name, by in result.changed_by.items() if by]
    if result.verdict:
        lines.append(("looks", _looks(result.looks)))
    for name, words in result.missing.items():
        lines.append((f"missing, {name}", _some(guessed(words, result.meant))))
    lines += [("read", _read(entry)) for entry in result.provenance if "files" in entry]
    lines += [("words", _words(entry)) for entry in result.provenance if "licence" in entry]
    lines.append(("measure", f"{result.measure}: {result.citation}"))
    notes = [*result.notes, *filter(None, [disagreement(result)])]
    return lines + [("note", note) for note in notes]


def _interval(result: Result) -> str:
    return f"{100 * result.level:g} %, resampling {result.resampled}"


def _changed(changed: Mapping[str, int]) -> str:
    """Return how many decisions differ, in each direction."""
    ways = {key: n for key, n in changed.items() if key != "of"}
    total, share = sum(ways.values()), 100 * sum(ways.values()) / max(changed["of"], 1)
    counts = ", ".join(f"{n:,} {way}" for way, n in ways.items())
    return f"{total:,} of {changed['of']:,} decisions ({share:.1f} %): {counts}"


def _most(changed_by: Mapping[str, Mapping[str, int]], most: int = 3) -> str:
    """Return where the largest shares of decisions differ."""
    shares = {name: (sum(n.values()) - n["of"]) / n["of"] for name, n in changed_by.items()}
    names = sorted(shares, key=lambda name: -shares[name])
    return "; ".join(f"{name} {_changed(changed_by[name])}" for name in names[:most]) + (
        f"; and {len(names) - most} more" * (len(names) > most)
    )


def _looks(looks: Mapping) -> str:
    """Return which look this is, and what that means for the error rates."""
    if not looks:
        return "1: the error rates are those of one test. Do not repeat it with more items or words"
    sizes = ", ".join(f"{size:,}" for size in looks["planned"])
    return (
        f"{looks['taken']} of {len(looks['planned'])} planned (at {sizes} items): the error rates "
        "hold for all looks together, whenever you stop"
    )


def is_unseen(result: Result) -> bool:
    """Whether the detectable value is larger than any possible value."""
    if of := SHARE.match(result.unit):
        return result.detectable > 1 - 1 / int(of[1])
    return result.detectable > LARGEST.get(result.unit, math.inf)


def _detectable(result: Result) -> str:
    """Return the smallest value, or difference from the null value, found with 80 % power."""
    if is_unseen(result):
        return UNSEEN
    power = f"{number(result.detectable)} or more, with 80 % power"
    if result.placebos and result.statistic != "effect size":
        return f"a difference of {power}"
    if not math.isfinite(result.null) or result.null == 0 or result.placebos:
        return power
    return f"a difference of {power}, from {number(result.null)} (the value without bias)"


def null_text(result: Result) -> str:
    """Return the value without bias, or that it is unknown."""
    if math.isfinite(result.null):
        return number(result.null)
    return "unknown for this measure: compare with other words or groups"


def _reliability(result: Result) -> str:
    """Format the reliability with its interval, which has no lower bound."""
    ends = (result.reliability, result.reliability_low, result.reliability_high)
    if not result.reliability_low < -1:
        return with_interval(*ends)
    return f"{number(result.reliability)} [below -1, {number(result.reliability_high)}]"


def guessed(words: Sequence[str], meant: Mapping[str, str]) -> list[str]:
    """Return words, with the known word that was probably meant, if any."""
    return [f"{word} ({meant[word]}?)" if word in meant else word for word in words]


def _some(words: Sequence[str], most: int = 8) -> str:
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


def _read(entry: dict) -> str:
    details = [text.format(entry[key]) for key, text in READ.items() if key in entry]
    details += [f"commit {entry['commit'][:12]}"] if "commit" in entry else []
    sums = [f"sha256 {entry['files'][0]['sha256'][:12]}"] if len(entry["files"]) == 1 else []
    return ", ".join([entry["name"], *details, *sums])


def _words(entry: dict) -> str:
    licence = f", licence {entry['licence']}" if entry["licence"] != entry["source"] else ""
    return f"{entry['role']} {entry['name']}: {entry['source']}{licence}"


def placed(row: Row) -> str:
    """Return the percentile of a word among placebo words; "" without them."""
    return f"percentile {row.percentile:.0f}" if math.isfinite(row.percentile) else ""


def text(result: Result, most: int | None = SHOWN) -> str:
    """Return the result as text for a terminal.

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
        lines += [f"  ... and {left} more (--all shows them)"] * (left > 0) + [""]
    details = facts(result)
    width = max(len(name) for name, _ in details)
    return "\n".join([*lines, *(f"{name:<{width}}  {text}" for name, text in details)])


def explained(result: Result) -> str:
    """Return the answers to seven questions on the number, one a line, and the notes."""
    value = with_interval(result.value, result.low, result.high)
    certain = [f"interval of {_interval(result)}"]
    if math.isfinite(result.p_value):
        certain.append(f"{p_text(result.p_value)}, {result.test}")
    if math.isfinite(result.detectable):
        certain.append(f"detectable: {_detectable(result)}")
    sources = "; ".join(
        _read(entry) if "files" in entry else f"{entry['role']} {entry['name']}"
        for entry in result.provenance
    )
    lines = [
        f"What is it? {result.title}: {result.statistic} {value}, {result.unit}.",
        f"What do other words score? {' '.join(comparison(result))}"
        if result.placebos
        else f"What is it without bias? {null_text(result).capitalize()}.",
        f"In which direction? {result.direction}.",
        f"How certain is it? {'; '.join(certain)}.",
        f"What was measured? {result.n} of {result.n_of} {result.n_unit}; {sources}.",
        f"With which measure? {result.measure}: {result.citation}.",
        f"How far can it be trusted? Its passport, docs/passports/{result.passport}.md, gives its "
        "reliability, what it recovers and its error rates.",
    ]
    return "\n".join([*lines, *(f"Note: {note}." for note in result.notes)])


def csv_text(result: Result) -> str:
    """Return the rows as CSV."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in result.rows:
        # Words in vectors have no n, and 0 would be misread.
        cells = {name: getattr(row, name) for name in COLUMNS} | {"n": row.n or ""}
        writer.writerow([_cell(cell) for cell in cells.values()])
    return file.getvalue()


def _cell(cell: object) -> object:
    if isinstance(cell, float):
        return f"{cell:.6g}" if math.isfinite(cell) else ""
    return for_csv(cell) if isinstance(cell, str) else cell


def latex(result: Result) -> str:
    """Return a LaTeX `tabular` of the rows with a note below; it needs the package booktabs."""
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{tabular}{lrrrl}",
        r"\toprule",
        r"target & bias & low & high & nearer to \\",
        r"\midrule",
    ]
    for row in ordered(result):
        cells = [for_latex(row.target), *(number(x) for x in (row.value, row.low, row.high))]
        lines.append(" & ".join([*cells, for_latex(row.leans_to)]) + r" \\")
    ends = f"{result.level:.0%}".replace("%", r"\%")
    note = f"{for_latex(result.title)}: {for_latex(headline(result))}. Intervals: {ends}."
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", "", rf"\emph{{{note}}}"]) + "\n"


def fragment(result: Result) -> str:
    """Return the result as HTML: heading, number, table of rows, and details."""
    head = "".join(f"<th scope=col>{escape(name)}" for name in ("target", "bias", "low", "high"))
    rows = "".join(
        f"<tr><td>{escape(row.target)}"
        + "".join(f"<td>{number(x)}" for x in (row.value, row.low, row.high))
        + f"<td>{escape(row.leans_to)}<td>{placed(row)[11:]}<td>{escape(row.note)}"
        for row in ordered(result)
    )
    details = "".join(f"<dt>{escape(name)}<dd>{escape(text)}" for name, text in facts(result))
    verdict = f"<p><strong>{escape(result.verdict)}</strong>" if result.verdict else ""
    beside = "".join(f"<p>{escape(line)}" for line in comparison(result))
    return (
        f"<h2>{escape(result.title)}</h2><p>{escape(headline(result))}{verdict}{beside}"
        '<div class="scroll" tabindex="0" role="region" aria-label="every target">'
        f"<table><caption>{escape(result.unit)}</caption><tr>{head}"
        f"<th scope=col>nearer to<th scope=col>percentile<th scope=col>note{rows}</table></div>"
        f"<dl>{details}</dl>{_changed_items(result.changed_items)}"
    )


def _changed_items(items: Sequence[Mapping]) -> str:
    """Return the items whose decisions differ as a table that can be opened; "" without any."""
    if not items:
        return ""
    head = "".join(f"<th scope=col>{escape(name)}" for name in items[0])
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}" for cell in item.values()) for item in items
    )
    return (
        f"<details><summary>Decisions that differ: {len(items):,}</summary>"
        f'<div class="scroll"><table><tr>{head}{rows}</table></div></details>'
    )


def page(result: Result) -> str:
    """Return the result as a complete page."""
    title = escape(result.title)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style>'
        f"<main>{fragment(result)}</main></html>\n"
    )
