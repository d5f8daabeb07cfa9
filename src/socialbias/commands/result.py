"""The result of `measure` and `compare`, and its output formats."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from socialbias.errors import naming_extras
from socialbias.measurement.estimates import Placebo, Row
from socialbias.measures.passport import Passport, passports
from socialbias.reporting.methods_paragraph import details, paragraph, scored
from socialbias.reporting.plain_values import filled, plain
from socialbias.reporting.render import (
    Output,
    Shown,
    aligned,
    capital,
    estimate,
    folded_html,
    number,
    p_text,
    table_html,
    with_interval,
)
from socialbias.reporting.result_figure import figure
from socialbias.stats.similarity import Array

MAX_ROWS = 20  # rows of a text
# What a terminal gets of a comparison by items.
SHORT = {"interval", "detectable", "direction", "found", "changed", "by domain", "looks"}
SHORT |= {"scored", "note"}
ONE_LOOK = "1: the error rates are those of one test. Do not repeat it with more items or words"
ALL_LOOKS = "the error rates hold for all looks together, whenever you stop"
ROWS = "the word's own bias, resampling {}; its percentile compares it with the other words"
UNKNOWN_NULL = "unknown for this measure: compare with other words or groups"
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
LARGEST_BY_UNIT = {"rank correlation": 1.0, "standard deviations": 2.0}  # the latter of a WEAT


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
        by_domain: The difference in each of several domains, and its p-value corrected for all of
            them by Holm's method.
        looks: Of a sequential comparison, `planned` numbers of items at the looks, how many looks
            were `taken`, and the `level of each`.
        draws: (draws, rows) the rows' numbers in resamples, if any.
        dealt: (draws,) the number with permuted words, if it was tested.
        random_words: The numbers of the first placebo words, by word.
        meant: The known word that was probably meant, by missing word.
        cells: Of a comparison, a `Table` of the targets in both subjects and their differences;
            the rows are then differences in size, which are tested.
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
    by_domain: dict[str, dict[str, float]] = field(default_factory=dict)
    looks: dict = field(default_factory=dict)
    draws: Array | None = field(default=None, repr=False, compare=False)
    dealt: Array | None = field(default=None, repr=False, compare=False)
    random_words: dict[str, float] = field(default_factory=dict, repr=False, compare=False)
    meant: dict[str, str] = field(default_factory=dict)
    cells: Output | None = None

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
        """Name of the measure's page in docs/passports."""
        if self.measure == "decisions":
            return "stereotype-score"
        kinds = {entry.get("role") for entry in self.provenance}
        if self.measure in ("directed", "divdist") and kinds & {"corpus", "model"}:
            return "reduction" if "model" in kinds else "text"
        return self.measure

    def records(self) -> list[dict]:
        """Return the rows, or the cells, as plain dicts without columns that are always empty."""
        return filled(map(vars, self.rows)) if self.cells is None else self.cells.records()

    def as_dict(self) -> dict:
        """Everything but the draws, as plain JSON values: a number that there is not is None."""
        left_out = {"draws", "dealt", "random_words", "cells"}
        left_out |= set() if self.by_domain else {"by_domain"}
        kept = {key: value for key, value in vars(self).items() if key not in left_out}
        passport = {"passport": self.passport.as_dict()} if self.passport else {}
        parts = {"rows": filled(map(vars, self.rows)), "placebos": [*map(vars, self.placebos)]}
        cells = {} if self.cells is None else {"cells": self.records()}
        return plain(kept | parts | passport | cells)

    @naming_extras()
    def plot(self, path: str | Path | None = None, most: int = 30, *, ax=None, size: str = "wide"):
        """Plot the rows with their intervals, as a matplotlib figure.

        Args:
            path: Where to save it; its suffix is the format.
            most: Rows drawn: those that are farthest from the null value.
            ax: The matplotlib axes to draw on; None for a new figure.
            size: `wide` for the text of a page, or `narrow` for one of two columns.
        """
        if self.cells is not None:
            return self.cells.plot(path, most, ax=ax, size=size)
        rows = sorted(ordered(self)[:most], key=lambda row: -row.value)
        dotted = f"mean of {self.placebos[0].words}" if self.placebos else "no bias"
        unit = f"{self.unit}, {100 * self.level:g} % intervals; dotted: {dotted}\n{self.direction}"
        how = {"path": path, "ax": ax, "size": size, "title": self.title, "unit": unit}
        names = [row.target for row in rows]
        return figure({"": {"": rows}}, names, [""], nulls=[self.null], **how)

    @property
    def paragraph(self) -> str:
        """As `Output.paragraph`."""
        return paragraph([self], self.provenance) if self.cells is None else self.cells.paragraph

    @property
    def symbols(self) -> str:
        """As `Output.symbols`."""
        return "" if self.cells is None else self.cells.symbols

    def sentences(self) -> list[str]:
        """Return the number, the verdict, and how the targets compare with placebo words."""
        return [headline(self), *filter(None, [self.verdict]), *comparison(self)]

    def text(self, most: int | None = None) -> str:
        """Return the result as text; of a comparison by items without terms, unless all are asked.

        A terminal gets what decides. The files have the rest.
        """
        if most is None or not self.changed:
            return super().text(most)
        facts = [(name, text) for name, text in self.all_facts() if name in SHORT]
        facts.append(("all terms", "-o FILE.txt (or .html, .json) has them, and what was read"))
        return "\n".join([self.title, *self.sentences(), "", *aligned(facts)])

    def tables(self) -> dict[str, list[Shown]]:
        """Return the rows, those farthest from no bias first; of a comparison the cells."""
        if self.cells is not None:
            return self.cells.tables()
        rows = [
            {"target": row.target}
            | estimate("bias", row, self.level)
            | {"nearer to": row.leans_to, "percentile": number(row.percentile, 0, "")}
            | {"note": row.note}
            for row in ordered(self)
        ]
        return {self.unit: filled(rows)} if rows else {}

    def _repr_html_(self) -> str:
        if not self.changed_items:
            return super()._repr_html_()
        items = [{name: str(cell) for name, cell in item.items()} for item in self.changed_items]
        caption = f"Decisions that differ: {len(items):,}"
        return super()._repr_html_() + folded_html(caption, table_html(items, caption))

    def all_facts(self) -> list[tuple[str, str]]:
        """Return what one must know of the number, as pairs of a heading and a text."""
        of = " of the difference" if self.placebos and self.statistic != "effect size" else ""
        lines = [] if self.cells is None else self.cells.facts_of_cells()
        lines.append((f"interval{of}", f"{100 * self.level:g} %, resampling {self.resampled}"))
        if of and len(self.rows) > 1:
            units = self.resampled.removesuffix(" and targets")
            lines.append(("interval of a word", ROWS.format(units)))
        if math.isfinite(self.p_value) and not self.placebos:
            lines.append(("p-value", f"{p_text(self.p_value)[2:]}, {self.test}"))
        if not self.placebos:
            lines.append(("without bias", number(self.null, missing=UNKNOWN_NULL)))
        if math.isfinite(self.detectable):
            lines.append(("detectable", _detectable(self)))
        if math.isfinite(self.reliability):
            ends = with_interval(self.reliability, self.reliability_low, self.reliability_high)
            if self.reliability_low < -1:  # it has no lower bound
                below = f"[below -1, {number(self.reliability_high)}]"
                ends = f"{number(self.reliability)} {below}"
            lines.append(("reliability", f"{ends}, {self.reliability_of}"))
        found = f"{self.n} of {self.n_of} {self.n_unit}"
        lines += [("direction", self.direction), ("found", found)]
        if self.changed:
            lines.append(("changed", _changed(self.changed)))
        lines += [(f"changed, by {name}", _most(by)) for name, by in self.changed_by.items() if by]
        if self.by_domain:
            lines.append(("by domain", _by_domain(self.by_domain)))
        if self.verdict and not self.looks:
            lines.append(("looks", ONE_LOOK))
        elif self.verdict:
            sizes = ", ".join(f"{size:,}" for size in self.looks["planned"])
            look = f"{self.looks['taken']} of {len(self.looks['planned'])}"
            lines.append(("looks", f"{look} planned (at {sizes} items): {ALL_LOOKS}"))
        for name, words in self.missing.items():
            lines.append((f"missing, {name}", some(guessed(words, self.meant))))
        known = of_passport(self.passport)
        lines += _sources([self], self.provenance)
        lines += [("reference run", f"{line} (not your data)") for line in known]
        notes = [*self.notes, *filter(None, [disagreement(self)])]
        return lines + [("note", note) for note in notes]


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
        between = f"between {number(first.low)} and {number(first.high)}"
        lines = [f"{_average(first)}; 95 % of them score {between}.", _apart(first, result)]
    lines.append("This does not show that there is no bias: all words may be biased.")
    return lines + [f"{_average(each)}. {_apart(each, result)}" for each in result.placebos[1:]]


def _average(placebo: Placebo) -> str:
    return f"{capital(placebo.words)} ({placebo.n:,}) score {number(placebo.mean)} on average"


def _apart(placebo: Placebo, result: Result) -> str:
    """Return how far the targets are from other words, and how often such words are as far."""
    one = result.n == 1
    ends = (placebo.difference, placebo.difference_low, placebo.difference_high)
    what = "such words" if one else "equally large samples of such words"
    return (
        f"The target{' differs' if one else 's differ'} from these by {with_interval(*ends)}; "
        f"{_per_cent(placebo.share)} of {what} differ as much."
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


def _changed(changed: Mapping[str, int]) -> str:
    """Return how many decisions differ, in each direction."""
    ways = {key: n for key, n in changed.items() if key != "of"}
    total, share = sum(ways.values()), 100 * sum(ways.values()) / max(changed["of"], 1)
    counts = ", ".join(f"{n:,} {way}" for way, n in ways.items())
    return f"{total:,} of {changed['of']:,} decisions ({share:.1f} %): {counts}"


def _by_domain(domains: Mapping[str, Mapping[str, float]], most: int = 3) -> str:
    """Return the domains with the smallest p-values."""
    rows = [(*each.values(), name) for name, each in domains.items()]
    tested = sorted((p, name, value) for value, p, name in rows if math.isfinite(p))
    shown = [f"{name} {number(value)} ({p_text(p)})" for p, name, value in tested[:most]]
    more = [f"{len(domains) - len(shown)} more"] * (len(domains) > len(shown))
    return f"{'; '.join([*shown, *more])}; p corrected for {len(tested)} domains (Holm)"


def _most(changed_by: Mapping[str, Mapping[str, int]], most: int = 3) -> str:
    """Return where the largest shares of decisions differ."""
    shares = {name: (sum(n.values()) - n["of"]) / n["of"] for name, n in changed_by.items()}
    names = sorted(shares, key=lambda name: -shares[name])
    return "; ".join(f"{name} {_changed(changed_by[name])}" for name in names[:most]) + (
        f"; and {len(names) - most} more" * (len(names) > most)
    )


def is_unseen(result: Result) -> bool:
    """Return whether the detectable value is larger than any possible value."""
    if of := SHARE.match(result.unit):
        return result.detectable > 1 - 1 / int(of[1])
    return result.detectable > LARGEST_BY_UNIT.get(result.unit, math.inf)


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
            numbers = f"{names[first.field]} {first.number}"
            if first.field == "power" and (alarms := passport.first(["false-alarms"])):
                numbers += f" and false alarms {alarms.number}"
            size = f", n = {first.size}" if first.size else ""
            more = f" and {len(first.data) - 2} more" if len(first.data) > 2 else ""
            caution = ", with a caution" if first.caution else ""
            data = f"{'; '.join(first.data[:2])}{more}{caution}"
            lines.append(f"{numbers}{size}, measured on {data}")
    return lines


def guessed(words: Sequence[str], meant: Mapping[str, str]) -> list[str]:
    """Return words, with the known word that was probably meant, if any."""
    return [f"{word} ({meant[word]}?)" if word in meant else word for word in words]


def shared_words(
    groups: Mapping[str, Iterable[str]], targets: Sequence[Iterable[str]]
) -> list[str]:
    """Return notes on words that are in several groups, or in several lists of targets."""
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


def _sources(results: Sequence[Result], provenance: list[dict]) -> list[tuple[str, str]]:
    """Return what was read, how it was scored, the words, and the measures."""
    lines = []
    for entry in (entry for entry in provenance if "files" in entry):
        files = entry["files"]
        sums = [f"sha256 {files[0]['sha256'][:12]}"] if len(files) == 1 else []
        lines.append(("read", ", ".join([entry["name"], *details(entry), *sums])))
    lines += [("scored", line) for line in scored(provenance)]
    for entry in (entry for entry in provenance if "licence" in entry):
        licence = f", licence {entry['licence']}" if entry["licence"] != entry["source"] else ""
        lines.append(("words", f"{entry['role']} {entry['name']}: {entry['source']}{licence}"))
    measures = dict.fromkeys(f"{result.measure}: {result.citation}" for result in results)
    return lines + [("measure", measure) for measure in measures]


def table_facts(
    results: Sequence[Result], names: Sequence[str], labels: Sequence[str], provenance: list[dict]
) -> list[tuple[str, str]]:
    """Return what one must know of a table of results, as `facts`.

    The results are by set of groups (`names`), that of each subject (`labels`).
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
    return lines + _sources(results, provenance)
