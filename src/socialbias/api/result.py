"""The result of `measure` and `compare`, and its output formats."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from socialbias.api.estimate import Placebo, Row, filled, plain
from socialbias.api.figure import figure
from socialbias.api.methods import details, paragraph, scored, with_references
from socialbias.api.output import Output, aligned, details_of, table_html, written
from socialbias.errors import naming_extras
from socialbias.files.escaping import for_latex
from socialbias.measures.passport import Known, Passport, passports
from socialbias.measures.similarity import Array

SHOWN = 20  # rows of a text
ROWS = "the word's own bias, resampling {}; its percentile compares it with the other words"
UNSEEN = "nothing: the sample is too small to detect even the largest possible value"
SHARE = re.compile(r"share of the first group minus 1/(\d+)")
# What is printed of a passport: the first of each that has a number.
RELIABILITIES = {
    "split-half": "split-half reliability",
    "alpha": "Cronbach's alpha",
    "test-retest": "test-retest reliability",
    "another-sample": "reliability in another sample",
}
RECOVERIES = {
    "power": "power of its test",
    "rank": "rank correlation with what was planted",
    "placebo": "value of placebo targets",
}
LARGEST = {"rank correlation": 1.0, "standard deviations": 2.0}  # by unit; the latter of a WEAT


@dataclass(frozen=True, kw_only=True, repr=False)
class Result(Output):
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
        random_words: The numbers of the first placebo words, by word.
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
    random_words: dict[str, float] = field(default_factory=dict, repr=False, compare=False)
    meant: dict[str, str] = field(default_factory=dict)

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the interval."""
        return self.low, self.high

    @property
    def passport(self) -> Passport | None:
        """What the project's reference run found of the measure; None without such a run.

        It describes the measure on the data of that run, not the subject of this result.
        """
        return passports().get(self.passport_name)

    @property
    def passport_name(self) -> str:
        """Name of the measure's page in docs/passports, and of its row in a run's passport."""
        if self.measure == "decisions":
            return "stereotype-score"
        kinds = {entry.get("role") for entry in self.provenance}
        if self.measure in ("directed", "divdist") and kinds & {"corpus", "model"}:
            return "reduction" if "model" in kinds else "text"
        return self.measure

    def records(self) -> list[dict]:
        """Return the rows as plain dicts, without columns that are empty in every row."""
        return filled(map(vars, self.rows))

    def as_dict(self) -> dict:
        """Everything but the draws, as plain JSON values: a number that there is not is None."""
        left_out = ("draws", "dealt", "random_words", "cells")
        kept = {key: value for key, value in vars(self).items() if key not in left_out}
        passport = {"passport": self.passport.as_dict()} if self.passport else {}
        parts = {"rows": filled(map(vars, self.rows)), "placebos": [*map(vars, self.placebos)]}
        return plain(kept | parts | passport)

    def to_latex(self, path: str | Path | None = None) -> str:
        """Return the rows as a LaTeX table (booktabs), and write it to a file if one is named."""
        return written(latex(self), path, self.provenance)

    @naming_extras()
    def plot(self, path: str | Path | None = None, most: int = 30, *, ax=None, size: str = "wide"):
        """Plot the rows with their intervals, as a matplotlib figure.

        Args:
            path: Where to save it; its suffix is the format.
            most: Rows drawn: those that are farthest from the null value.
            ax: The matplotlib axes to draw on; None for a new figure.
            size: `wide` for the text of a page, or `narrow` for one of two columns.
        """
        rows = sorted(ordered(self)[:most], key=lambda row: -row.value)
        dotted = f"mean of {self.placebos[0].words}" if self.placebos else "no bias"
        unit = f"{self.unit}, {100 * self.level:g} % intervals; dotted: {dotted}\n{self.direction}"
        how = {"path": path, "ax": ax, "size": size, "title": self.title, "unit": unit}
        names = [row.target for row in rows]
        return figure({"": {"": rows}}, names, [""], nulls=[self.null], **how)

    def methods(self, path: str | Path | None = None) -> str:
        """Return a paragraph for a methods section and BibTeX of what it cites; write it to a file.

        The paragraph says what was read, the words, the measure, the intervals, the version and the
        random seed.
        """
        text = with_references(paragraph([self], self.provenance), self.provenance)
        return written(text, path, self.provenance)

    def text(self, most: int | None = SHOWN) -> str:
        """Return the result as text for a terminal, with at most so many rows."""
        lines = [self.title, headline(self), *filter(None, [self.verdict]), *comparison(self), ""]
        return "\n".join(
            [*lines, *self.row_lines(most), *aligned([*self.cell_facts(), *facts(self)])]
        )

    def row_lines(self, most: int | None = SHOWN) -> list[str]:
        """Return the rows as lines of text, those farthest from no bias first."""
        if len(self.rows) < 2:
            return []
        rows, lines = ordered(self)[:most], []
        width = max(len(row.target) for row in rows)
        for row in rows:
            interval = with_interval(row.value, row.low, row.high)
            further = ", ".join(filter(None, [row.leans_to, placed(row), row.note]))
            lines.append(f"  {row.target:<{width}}  {interval:<26}  {further}".rstrip())
        left = len(self.rows) - len(rows)
        return [*lines, *[f"  ... and {left} more (-o FILE.txt has them)"] * (left > 0), ""]

    def cell_facts(self) -> list[tuple[str, str]]:
        """Return what one must know of the cells of a table; a list of rows has none."""
        return []

    def explain(self) -> str:
        """Explain the number: its null value, direction, certainty, data and measure."""
        value = with_interval(self.value, self.low, self.high)
        certain = [f"interval of {_interval(self)}"]
        if math.isfinite(self.p_value):
            certain.append(f"{p_text(self.p_value)}, {self.test}")
        if math.isfinite(self.detectable):
            certain.append(f"detectable: {_detectable(self)}")
        sources = "; ".join(
            _read(entry) if "files" in entry else f"{entry['role']} {entry['name']}"
            for entry in self.provenance
        )
        lines = [
            f"What is it? {self.title}: {self.statistic} {value}, {self.unit}.",
            f"What do other words score? {' '.join(comparison(self))}"
            if self.placebos
            else f"What is it without bias? {null_text(self).capitalize()}.",
            f"In which direction? {self.direction}.",
            f"How certain is it? {'; '.join(certain)}.",
            f"What was measured? {self.n} of {self.n_of} {self.n_unit}; {sources}.",
            f"With which measure? {self.measure}: {self.citation}.",
            f"How far can it be trusted? {_trusted(self)}",
        ]
        return "\n".join([*lines, *(f"Note: {note}." for note in self.notes)])

    def _repr_html_(self) -> str:
        return fragment(self)


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
    lines.append("This does not show that there is no bias: all words may be biased.")
    lines += [
        f"{_capital(placebo)} score {number(placebo.mean)} on average. {_apart(placebo, result)}."
        for placebo in result.placebos[1:]
    ]
    return lines


def _capital(placebo: Placebo) -> str:
    return f"{sentence(placebo.words)} ({placebo.n:,})"


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
        lines.append((f"missing, {name}", some(guessed(words, result.meant))))
    lines += [("read", _read(entry)) for entry in result.provenance if "files" in entry]
    lines += [("scored", line) for line in scored(result.provenance)]
    lines += [("words", _words(entry)) for entry in result.provenance if "licence" in entry]
    lines.append(("measure", f"{result.measure}: {result.citation}"))
    lines += [("reference run", f"{line} (not your data)") for line in of_passport(result.passport)]
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
    """Return whether the detectable value is larger than any possible value."""
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


def of_passport(passport: Passport | None) -> list[str]:
    """Return the two most important numbers of a passport, a line each, as far as it has them."""
    if passport is None:
        return []
    lines = []
    for names in (RELIABILITIES, RECOVERIES):
        if first := passport.first(names):
            alarms = passport.first(["false-alarms"]) if first.field == "power" else None
            known = {names[first.field]: first} | ({"false alarms": alarms} if alarms else {})
            lines.append(_known(known))
    return lines


def _known(known: Mapping[str, Known]) -> str:
    """Return numbers of a passport by their name, with the sample size and data of the first."""
    first = next(iter(known.values()))
    numbers = " and ".join(f"{name} {each.number}" for name, each in known.items())
    size = f", n = {first.size}" if first.size else ""
    more = f" and {len(first.data) - 2} more" if len(first.data) > 2 else ""
    caution = ", with a caution" if first.caution else ""
    return f"{numbers}{size}, measured on {'; '.join(first.data[:2])}{more}{caution}"


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


def shared_words(
    groups: Mapping[str, Iterable[str]], targets: Sequence[Iterable[str]]
) -> list[str]:
    """Return notes on words that are in several of the lists.

    Args:
        groups: The words of each group.
        targets: The words of each list of targets.
    """
    of_groups = Counter(word for words in groups.values() for word in set(words))
    of_targets = Counter(word for words in targets for word in set(words))
    notes = {
        "words in every group, which cannot distinguish them": {
            word for word, n in of_groups.items() if n == len(groups)
        },
        "words in several groups": {w for w, n in of_groups.items() if 1 < n < len(groups)},
        "words in several lists of targets": {word for word, n in of_targets.items() if n > 1},
        "targets that are also group words": of_groups.keys() & of_targets.keys(),
    }
    return [f"{note}: {some(sorted(words))}" for note, words in notes.items() if words]


def some(words: Sequence[str], most: int = 8) -> str:
    """Return words as a list in a sentence, at most `most` of them."""
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


def _read(entry: dict) -> str:
    sums = [f"sha256 {entry['files'][0]['sha256'][:12]}"] if len(entry["files"]) == 1 else []
    return ", ".join([entry["name"], *details(entry), *sums])


def _words(entry: dict) -> str:
    licence = f", licence {entry['licence']}" if entry["licence"] != entry["source"] else ""
    return f"{entry['role']} {entry['name']}: {entry['source']}{licence}"


def placed(row: Row) -> str:
    """Return the percentile of a word among placebo words; "" without them."""
    return f"percentile {row.percentile:.0f}" if math.isfinite(row.percentile) else ""


def _trusted(result: Result) -> str:
    """Return what the reference run found of the measure, or where to read about it."""
    page = f"the page “{result.passport_name}” of the documentation's passports"
    if not (lines := of_passport(result.passport)):
        return f"See {page}."
    return f"In {result.passport.run}, not on your data: {'; '.join(lines)}. See also {page}."


def latex(result: Result) -> str:
    """Return a LaTeX `tabular` of the rows with a note below; it needs the package booktabs."""
    how = paragraph([result], result.provenance)
    caption = f"{sentence(result.title)}. {sentence(headline(result))}. {how}".rstrip()
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}\centering",
        rf"\caption{{{for_latex(caption)}}}",
        r"\begin{tabular}{lrrrl}",
        r"\toprule",
        r"target & bias & low & high & nearer to \\",
        r"\midrule",
    ]
    for row in ordered(result):
        numbers = (number(x) for x in (row.value, row.low, row.high))
        cells = [for_latex(row.target), *map(latex_number, numbers)]
        lines.append(" & ".join([*cells, for_latex(row.leans_to)]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"]) + "\n"


def latex_number(text: str) -> str:
    """Return numbers and brackets for LaTeX, with true minus signs."""
    return for_latex(text).replace("-", "$-$")


def sentence(text: str) -> str:
    """Return a text with a capital."""
    return f"{text[:1].upper()}{text[1:]}"


def table_facts(
    results: Sequence[Result], names: Sequence[str], labels: Sequence[str], provenance: list[dict]
) -> list[tuple[str, str]]:
    """Return what one must know of a table of results, as `facts`.

    Args:
        results: By set of groups, that of each subject.
        names: The sets of groups.
        labels: The subjects.
        provenance: Everything that was read.
    """
    first = results[0]
    resampled = dict.fromkeys(result.resampled.removesuffix(" and targets") for result in results)
    lines = [("interval", f"{100 * first.level:g} %, resampling {', or '.join(resampled)}")]
    kinds = [result.placebos[0].words for result in results if result.placebos] or ["random words"]
    counts = sorted(len(result.random_words) for result in results)
    many = f"{counts[0]:,}" if counts[0] == counts[-1] else f"{counts[0]:,} to {counts[-1]:,}"
    lines.append(("percentile", f"among {many} {kinds[0]}"))
    for name, result in zip(names, results[:: len(labels)], strict=True):
        lines.append((f"direction, {name}", result.direction))
    for label, result in zip(labels, results, strict=False):
        lines.append((f"found, {label}", f"{result.n} of {result.n_of} {result.n_unit}"))
    for i, result in enumerate(results):
        place = [names[i // len(labels)]] * (len(names) > 1)
        place += [labels[i % len(labels)]] * (len(labels) > 1)
        for name, words in result.missing.items():
            shown = some(guessed(words, result.meant))
            lines.append((", ".join(["missing", *place, name]), shown))
    lines += [("read", _read(entry)) for entry in provenance if "files" in entry]
    lines += [("words", _words(entry)) for entry in provenance if "licence" in entry]
    measures = dict.fromkeys(f"{result.measure}: {result.citation}" for result in results)
    return lines + [("measure", measure) for measure in measures]


def fragment(result: Result) -> str:
    """Return the result as HTML: heading, number, table of rows, and details."""
    head = "".join(f"<th scope=col>{escape(name)}" for name in ("target", "bias", "low", "high"))
    rows = "".join(
        f"<tr><td>{escape(row.target)}"
        + "".join(f"<td>{number(x)}" for x in (row.value, row.low, row.high))
        + f"<td>{escape(row.leans_to)}<td>{placed(row)[11:]}<td>{escape(row.note)}"
        for row in ordered(result)
    )
    verdict = f"<p><strong>{escape(result.verdict)}</strong>" if result.verdict else ""
    beside = "".join(f"<p>{escape(line)}" for line in comparison(result))
    table = table_html(
        "every target",
        f"<caption>{escape(result.unit)}</caption><tr>{head}"
        f"<th scope=col>nearer to<th scope=col>percentile<th scope=col>note{rows}",
    )
    start = f"<h2>{escape(result.title)}</h2><p>{escape(headline(result))}{verdict}{beside}"
    changed = _changed_items(result.changed_items)
    return f"{start}{table * bool(rows)}{details_of(facts(result))}{changed}"


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
