"""A classifier's predictions by group: selection rates, impact ratios and fairness metrics."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, combinations
from pathlib import Path

import numpy as np

from socialbias.commands.arguments import checked
from socialbias.commands.measure_subject import software
from socialbias.commands.settings import DEFAULTS, Resampling
from socialbias.commands.subjects import file_provenance
from socialbias.errors import UserError, naming_extras
from socialbias.files.paths import check_file, expanded
from socialbias.files.tables import Row as Record
from socialbias.files.tables import check_names, column_name, read_number, read_table
from socialbias.files.text import plain as plain_text
from socialbias.files.text import shown
from socialbias.measurement.estimates import Row as Estimate
from socialbias.measures.fairness import METRICS, Predictions, fairness_table, predictions
from socialbias.measures.fairness.draws import bootstrap
from socialbias.measures.fairness.registry import PHIS, TABLE2, Metric
from socialbias.measures.fairness.sample import Draws, Sample
from socialbias.measures.fairness.scores import positive_rate
from socialbias.measures.fairness.table import (
    BOOTSTRAPS,
    DEALS,
    TOO_FEW_TERMS,
    Row,
    interval,
    stretch,
)
from socialbias.reporting.methods_paragraph import listed
from socialbias.reporting.plain_values import filled, plain
from socialbias.reporting.render import Output, Shown, ends, number, p_text
from socialbias.reporting.result_figure import figure
from socialbias.stats.intervals import percentile

NAMES = ("label", "prediction", "group", "source", "term")  # columns; others are numbers
MISSING = ("nan", "NaN", "NA", "N/A", "#N/A", "None", "null", "NULL", "<NA>", "NaT")
UNKNOWN = {"unknown", "other", "others", "unspecified", "undisclosed", "not stated", "missing", "?"}
UNKNOWN |= {"prefer not to say", "not applicable", "-", "."} | {text.casefold() for text in MISSING}
RARE = 0.02  # share of the rows below which a group is named
FOUR_FIFTHS = 0.8  # Uniform Guidelines on Employee Selection Procedures, 29 CFR 1607.4 D
MAX_NUMBER = 1e6
ROUNDED = 0.01  # what each class may add to a sum of probabilities
TOO_FEW = "no test: too few {}"
UNKNOWN_ENDS, NONE_SELECTED = (math.nan, math.nan), "no selection to resample"
UNMOVED = "no test: the same however groups are exchanged"
MIN_EXAMPLES = 30  # examples of a group, below which a note says so
DEALT = 20_000_000  # examples times random deals of groups that are held in memory
LABEL_FREE = ("parity", "p", "one p", "mean p")  # scores that ask for no true class
SELECTED, IMPACT = "selection rate", "impact ratio"
CITATION = "Czarnowska, Vyas and Shah 2021, Table 2"
FACTS = {
    SELECTED: "share of a group's examples that are predicted to be of the class",
    IMPACT: "selection rate of the first group divided by that of the second, which is higher "
    f"(* below {FOUR_FIFTHS}, the four-fifths rule of US employment law)",
    "by chance": "the mean where groups are exchanged at random {}, and what 95 % stay below",
    "p": "share of these random exchanges that are as far from no difference",
    "interval": "{:g} %, resampling {}",
    "measures": f"{CITATION}; `published` and `corrected` differ in how they average over groups",
}


@dataclass(frozen=True, kw_only=True, repr=False)
class PredictionTable(Output):
    """Fairness of a classifier's predictions.

    Attributes:
        title: What was measured.
        rows: One dict for each number: `metric`, `version` (its normaliser), `class`, `group` (""
            for all groups, `a / b` for a ratio), `value`, `low`, `high`, `null_mean`, `null_high`,
            `p_value` and `note`, as in `socialbias.measures.fairness.table.Row`.
        level: Nominal coverage of the intervals.
        sizes: Number of examples by group.
        facts: What one must know of the numbers: a heading and a text each.
        notes: Reservations.
        provenance: Everything that was read, as plain values.
    """

    title: str
    rows: tuple[dict, ...]
    level: float
    sizes: dict[str, int]
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    provenance: list[dict]

    def records(self) -> list[dict]:
        """Return the rows without columns that are empty in every row."""
        return filled(self.rows)

    def as_dict(self) -> dict:
        """Everything, as plain JSON values."""
        return plain(vars(self) | {"rows": self.records(), "facts": dict(self.facts)})

    @naming_extras()
    def plot(self, path: str | Path | None = None, *, ax=None, size: str = "wide"):
        """Plot the selection rates of the groups, as a matplotlib figure; arguments as `Result`'s.

        Each class has a panel.
        """
        panels: dict[str, dict[str, list[Estimate]]] = {}
        for row in self.rows:
            if row["metric"] == SELECTED:
                estimate = Estimate(*(row[key] for key in ("group", "value", "low", "high")))
                panels.setdefault(f"class {row['class']}", {"": []})[""].append(estimate)
        unit = f"{SELECTED}, {100 * self.level:g} % intervals"
        how = {"path": path, "ax": ax, "size": size, "title": self.title, "unit": unit}
        labels, nulls = [""] * len(panels), [math.nan] * len(panels)
        return figure(panels, list(self.sizes), labels, nulls=nulls, **how)

    @property
    def paragraph(self) -> str:
        """As `Output.paragraph`."""
        known, used = dict(self.facts), self.provenance[-1]
        metrics = dict.fromkeys(row["metric"] for row in self.rows)
        sentences = (
            f"We measured the {self.title} ({known['examples']})",
            *[f"We left out {n}" for key, n in self.facts if key == "left out"],
            f"The metrics were {listed([*metrics])} ({CITATION})",
            f"Intervals have a nominal coverage of {known['interval']}",
            f"The value by chance is {known['by chance']}",
            f"We used socialbias {used['version']} with random seed {used['seed']}",
        )
        return " ".join(f"{sentence}." for sentence in sentences)

    def tables(self) -> dict[str, list[Shown]]:
        """Return the numbers, those of one group last."""
        of_one = [row for row in self.rows if row["group"] and row["metric"] in METRICS]
        shown = []
        for row in [*(row for row in self.rows if row not in of_one), *of_one]:
            version = row["version"] if row["version"] == "corrected" else ""
            name = ", ".join(filter(None, [row["metric"], version, row["class"]]))
            star = "*" * (row["metric"] == IMPACT and row["value"] < FOUR_FIFTHS)
            shown.append(
                {
                    "metric": name,
                    "group": row["group"],
                    "value": number(row["value"]) + star,
                    f"{100 * self.level:g} % interval": ends(row["low"], row["high"]),
                    "by chance": number(row["null_mean"], missing=""),
                    "95 % below": number(row["null_high"], missing=""),
                    "p": p_text(row["p_value"]).removeprefix("p "),
                    "note": row["note"],
                }
            )
        return {"rates, and differences between groups": filled(shown)}

    def all_facts(self) -> list[tuple[str, str]]:
        """Return what one must know of the numbers, and the notes."""
        return [*self.facts, *(("note", note) for note in self.notes)]


@naming_extras()
@checked
def measure_predictions(
    table: str | Path | Mapping[str, Sequence],
    *,
    seed: int = DEFAULTS.seed,
    level: float = DEFAULTS.level,
    missing: Sequence[str] = MISSING,
) -> PredictionTable:
    """Measure the fairness of a classifier's predictions.

    Without `source`, each example is a unit: groups are exchanged at random among examples of the
    same label (for selection rates and the Parity Gap among all), and intervals resample the
    examples of each group. With `source`, variations of a source example are compared too, and
    groups are exchanged within sources.

    Args:
        table: A CSV file, or columns by name. `group` is needed, and one of `label` and `source`,
            and one of `prediction` and `probability`. `label` is the true class; `probability` is
            that of class 1, for labels 0 and 1, or there is a column `probability:CLASS` for each
            class; `source` names the example that a row is a variation of; `term` is the word that
            names the group.
        seed: Random seed.
        level: Coverage of the intervals.
        missing: Cells that mean a missing value, beside empty ones and None and NaN of data frames.
            A row with one in a column that is read is left out and counted.

    Returns:
        Selection rates by group, impact ratios of all pairs of groups, and the metrics of
        Czarnowska et al. 2021, Table 2, that the columns allow.

    Raises:
        UserError: a column is missing, a cell is not what it should be, or there is one group.
    """
    Resampling(seed, level)
    if isinstance(table, str | Path):
        path = expanded(table)
        check_file(path, once=True)
        rows = read_table(path, ["group"])
        read, name = [file_provenance(path, "predictions")], shown(path.name)
    else:
        rows, read, name = _rows(table), [], "predictions"
    rows, left_out = _complete(rows, name, [str(value) for value in missing])
    columns = _columns(rows, name)
    if left_out and len(set(columns["group"])) == 1:
        raise UserError(f"{name}: only one group is left without {left_out}")
    data, conditional = _data(columns)
    rows = _selection(data, seed, level)
    needs = {name: _needs(metric, data, columns) for name, metric in METRICS.items()}
    chosen = [name for name, missing in needs.items() if not missing]
    free = [name for name in chosen if METRICS[name].phi in LABEL_FREE]
    deals = int(np.clip(DEALT // len(data), 200, DEALS))
    for given, wanted in ((data, free), (conditional, [n for n in chosen if n not in free])):
        if wanted:
            how = {"seed": seed, "level": level, "null_deals": deals, "classes": _shown(data)}
            with np.errstate(invalid="ignore"):  # ratios to rates of 0
                known = "term" in columns
                rows += [_plain(row, known) for row in fairness_table(given, wanted, **how)]
    sizes = dict(zip(data.groups, np.bincount(data.group).tolist(), strict=True))
    return PredictionTable(
        title=f"fairness of {name}: {len(data):,} predictions, {len(data.groups)} groups",
        rows=tuple(rows),
        level=level,
        sizes=sizes,
        facts=_facts(columns, sizes, level, chosen, left_out),
        notes=tuple(_notes(data, sizes, columns, rows, needs)),
        provenance=[*read, software(seed)],
    )


def _rows(table: Mapping[str, Sequence]) -> list[Record]:
    """Return the rows of columns in memory, like those of a file."""
    columns = {column_name(str(key)): [_cell(value) for value in table[key]] for key in table}
    lengths = {name: len(cells) for name, cells in columns.items()}
    if len(columns) < len(list(table)) or len(set(lengths.values())) > 1:
        of_each = ", ".join(f"{name} {n}" for name, n in lengths.items())
        raise UserError(f"predictions: columns must differ in name and be equally long: {of_each}")
    return [
        (f"predictions, row {i}", dict(zip(columns, cells, strict=True)))
        for i, cells in enumerate(zip(*columns.values(), strict=True), 1)
    ]


def _cell(value: object) -> str:
    text = str(value)
    return "" if text in MISSING and not isinstance(value, str) else plain_text(text)


def _complete(
    rows: Sequence[Record], name: str, missing: Collection[str]
) -> tuple[list[Record], str]:
    """Return the rows without a missing value, and how many others there are; "" for none."""
    kept, by_column = [], Counter()
    for place, row in rows:
        read = [column for column in row if column.partition(":")[0] in (*NAMES, "probability")]
        lacking = [column for column in read if row[column] in ("", *missing)]
        by_column.update(lacking)
        if not lacking:
            check_names(row, NAMES, place)
            names = {name: " ".join(row[name].split()) for name in NAMES if name in row}
            kept.append((place, row | names))
    if not by_column:
        return kept, ""
    counts = ", ".join(f"{column} {n:,}" for column, n in by_column.items())
    left_out = f"{len(rows) - len(kept):,} of {len(rows):,} rows, with missing values: {counts}"
    if not kept:
        what = f"every row has a missing value ({counts})"
        raise UserError(f"{name}: {what}; name other ones with --missing")
    return kept, left_out


def _columns(rows: Sequence[Record], name: str) -> dict[str, list[str]]:
    """Return the columns of predictions, which are checked."""
    if not rows:
        raise UserError(f"{name}: there are no rows below the header")
    columns = {column: [row[column] for _, row in rows] for column in rows[0][1]}
    kinds = {column.partition(":")[0] for column in columns}
    for one_of in (("group",), ("label", "source"), ("prediction", "probability")):
        if not kinds & set(one_of):
            raise UserError(f"{name}: needs a column {' or '.join(one_of)}")
    of_classes = [column for column in columns if column.startswith("probability:")]
    if of_classes and "probability" in columns:
        raise UserError(f"{name}: has columns probability and {of_classes[0]}: keep one kind")
    for place, row in rows:
        written = {column: row[column] for column in (*of_classes, "probability") if column in row}
        shares = [read_number(cell, place) for cell in written.values()]
        for share, (column, cell) in zip(shares, written.items(), strict=True):
            if not 0 <= share <= 1:
                raise UserError(f"{place}: {column} {cell!r} is not a number from 0 to 1")
        if of_classes and abs(sum(shares) - 1) > ROUNDED * len(of_classes):
            total = f"{sum(shares):.3g}"
            raise UserError(f"{place}: the probabilities of the classes add up to {total}, not 1")
    _check_classes(columns, [column.partition(":")[2] for column in of_classes], name)
    of = "source" if "source" in columns else "label"
    owners = set(zip(columns[of], columns["group"], strict=True))
    if len(owners) == len(set(columns[of])) and len(set(columns["group"])) > 1:
        advice = f"groups are compared on examples of the same {of}"
        raise UserError(f"{name}: each {of} occurs in one group only, but {advice}")
    return columns


def _check_classes(columns: Mapping[str, Sequence[str]], classes: list[str], name: str) -> None:
    """Raise UserError for labels and predictions that are written differently."""
    label, predicted = (set(columns.get(column, ())) for column in ("label", "prediction"))
    if "probability" in columns:
        if not label | predicted <= {"0", "1"}:
            hint = "give each class a column probability:CLASS instead"
            raise UserError(f"{name}: probability: the labels are not 0 and 1; {hint}")
    elif classes and (unknown := sorted((label | predicted) - set(classes))):
        raise UserError(f"{name}: the class {unknown[0]!r} has no column probability:{unknown[0]}")
    numbers: dict[float, str] = {}
    for each in sorted(label | predicted):
        with suppress(ValueError):
            if (first := numbers.setdefault(float(each), each)) != each:
                problem = f"the classes {first!r} and {each!r} are the same number"
                raise UserError(f"{name}: {problem}: write them alike")
    if min(len(label), len(predicted)) > 1 and not label & predicted:
        both = f"the labels ({min(label)}, ...) and the predictions ({min(predicted)}, ...)"
        raise UserError(f"{name}: {both} have no class in common: write classes alike")


def _data(columns: Mapping[str, list[str]]) -> tuple[Predictions, Predictions]:
    """Return the predictions, by groups that any example may have and by those of its label."""
    n = len(columns["group"])
    names = [c.partition(":")[2] for c in columns if c.startswith("probability:")]
    if "probability" in columns:
        names = ["0", "1"]
        positive = np.array(columns["probability"], float)
        probabilities = np.column_stack([1 - positive, positive])
    else:
        found = [columns[f"probability:{each}"] for each in names]
        probabilities = np.array(found, float).T if names else None
    predicted = columns.get("prediction")
    if predicted is None:
        predicted = [names[i] for i in probabilities.argmax(axis=1)]
    classes = names or sorted({*columns.get("label", []), *predicted})
    label = columns.get("label", classes[:1] * n)  # without labels no metric reads this
    shared = {
        "y_true": label,
        "y_pred": predicted,
        "group": columns["group"],
        "probabilities": probabilities,
        "source": columns.get("source", ["all"] * n),
        "term": columns.get("term", [str(i) for i in range(n)]),
        "classes": classes,
    }
    data = predictions(**shared)
    if "source" in columns or "label" not in columns:
        return data, data
    return data, predictions(**shared, word_class=label)


def _shown(data: Predictions) -> list[str]:
    """Return the classes with numbers: of 0 and 1 only 1."""
    return ["1"] if data.classes == ("0", "1") else list(data.classes)


def _needs(metric: Metric, data: Predictions, columns: Mapping) -> str:
    """Return what a metric needs that there is not; "" if it can be computed."""
    needs = {
        "parsed sentences": metric.phi == "las",
        "two groups": not metric.many and len(data.groups) != 2,
        "two classes": PHIS[metric.phi].of == "positive" and len(data.classes) != 2,
        "label": metric.phi not in LABEL_FREE and "label" not in columns,
        "probability": metric.of_probabilities and data.probabilities is None,
        "source": metric.counterfactual and len(data.sources) < 2,
    }
    return ", ".join(need for need, is_missing in needs.items() if is_missing)


def _plain(row: Row, terms_known: bool = True) -> dict:
    """Return a row of the engine, as a dict, without a test that no exchange could decide."""
    cells = {("class" if key == "class_" else key): value for key, value in row._asdict().items()}
    few = TOO_FEW.format("terms" if terms_known else "examples")
    parts = row.note.replace(TOO_FEW_TERMS, few).split("; ")
    cells["note"] = "; ".join(part for part in parts if terms_known or "terms" not in part)
    if np.allclose([row.null_mean, row.null_high], row.value, rtol=0, atol=1e-12):
        cells |= {"p_value": math.nan, "note": cells["note"] or UNMOVED}
    if row.null_high > MAX_NUMBER:
        cells["null_high"] = math.nan  # of ratios to rates of 0
    return cells


def _selection(data: Predictions, seed: int, level: float) -> list[dict]:
    """Return selection rates by group and impact ratios of all pairs, for each class."""
    sampled = Sample(data, bootstrap(data, BOOTSTRAPS, seed)).sums
    found = Sample(data, Draws.none(data)).sums
    times, metric, rows = stretch(data), METRICS["Parity Gap"], []
    for name in _shown(data):
        c = data.classes.index(name)
        rates, drawn = positive_rate(found[:, :, c])[:, 0], positive_rate(sampled[:, :, c])
        for i, group in enumerate(data.groups):
            wider = rates[i] + times[1 + i] * (drawn[i] - rates[i])
            low, high = interval(rates[i], wider, level, metric)
            rows.append(_row(SELECTED, name, group, rates[i], low, min(high, 1.0)))
        for i, j in combinations(range(len(rates)), 2):
            low, high = (i, j) if rates[i] <= rates[j] else (j, i)
            pair = f"{data.groups[low]} / {data.groups[high]}"
            if not rates[low]:
                value, ends, note = 0.0 if rates[high] else math.nan, UNKNOWN_ENDS, NONE_SELECTED
            else:  # percentiles of the ratio's logarithm
                with np.errstate(divide="ignore", invalid="ignore"):
                    value, logs = rates[low] / rates[high], np.log(drawn[low] / drawn[high])
                wider = np.log(value) + times[0] * (logs[np.isfinite(logs)] - np.log(value))
                ends, note = np.exp(percentile(wider, level)), ""
            rows.append(_row(IMPACT, name, pair, value, *map(float, ends), note))
    return rows


def _row(metric, class_, group, value, low, high, note="") -> dict:
    nulls = [math.nan] * 3
    return _plain(Row(metric, "published", class_, group, float(value), low, high, *nulls, note))


def _facts(
    columns: Mapping, sizes: dict[str, int], level: float, metrics: Sequence[str], left_out: str
) -> tuple[tuple[str, str], ...]:
    """Return what one must know of the numbers."""
    within = "within source examples"
    if "source" not in columns:
        within = "among examples of the same label (for Parity Gap and AvgGF among all examples)"
    units = "source examples" if "source" in columns else "the examples of each group"
    texts = FACTS | {
        "by chance": FACTS["by chance"].format(within),
        "interval": FACTS["interval"].format(100 * level, units),
    }
    if len(sizes) == 2:
        first, second = sizes
        texts["signed"] = f"differences are {first} minus {second}, F1 Ratio {first} / {second}"
    full = (f"{name}: {METRICS[name].title}" for name in metrics if name != METRICS[name].title)
    texts["abbreviations"] = "; ".join(full)
    if left_out:
        texts = {"left out": left_out} | texts
    return ("examples", ", ".join(f"{name} {n:,}" for name, n in sizes.items())), *texts.items()


def _notes(
    data: Predictions,
    sizes: Mapping[str, int],
    columns: Mapping,
    rows: Sequence[dict],
    needs: Mapping[str, str],
) -> Iterator[str]:
    """Yield notes on groups, on columns that disagree, on tests, and what was not computed."""
    if unknown := [n for n in sizes if n.casefold() in UNKNOWN]:
        advice = "to leave out such rows, name the value with --missing"
        yield f"compared as a group like the others: {', '.join(unknown)}; {advice}"
    if rare := [f"{name} ({n})" for name, n in sizes.items() if n < RARE * len(data)]:
        yield f"groups with less than 2 % of the rows: {', '.join(rare)}"
    if data.probabilities is not None and "prediction" in columns:
        predicted = [data.classes.index(name) for name in columns["prediction"]]
        own = data.probabilities[np.arange(len(data)), predicted]
        if n := int((own < data.probabilities.max(axis=1)).sum()):
            what = f"in {n:,} of {len(data):,} rows the prediction is not the most probable class"
            yield f"{what}: check the columns, unless predictions were made with another threshold"
    for name in (name for name, n in sizes.items() if n < MIN_EXAMPLES):
        yield f"{name} has only {sizes[name]} examples: its numbers are uncertain"
    for first, second in chain(combinations(sizes, 2), combinations(data.classes, 2)):
        if first.casefold() == second.casefold():
            yield f"{first!r} and {second!r} are counted as two, but differ only in capitals"
    if any(TOO_FEW.format("terms") in row["note"] for row in rows):
        yield "a test needs more terms: four of each group, if there are two groups"
    if tests := sum(math.isfinite(row["p_value"]) for row in rows):
        yield f"{tests} p-values: without any bias, one in twenty is below .05"
    left: dict[str, list[str]] = {}
    for metric in TABLE2:
        left.setdefault(needs[metric.name], []).append(metric.name)
    parts = [f"{', '.join(names)} (need: {need})" for need, names in left.items() if need]
    yield f"not computed: {'; '.join(parts)}"
