"""A classifier's predictions by group: reading the user's table, and showing the numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from pathlib import Path

from socialbias.commands.measure_subject import software
from socialbias.commands.settings import DEFAULTS, Resampling
from socialbias.commands.subjects import file_provenance
from socialbias.errors import UserError, naming_extras, nearest
from socialbias.files.paths import check_file, expanded
from socialbias.files.tables import Row as Record
from socialbias.files.tables import check_names, column_name, read_number, read_table
from socialbias.files.text import plain as plain_text
from socialbias.files.text import shown
from socialbias.measurement.predictions import (
    ERRORS,
    SCORED,
    SELECTED,
    UNKNOWN,
    Classified,
    fairness_rows,
    group_rates,
)
from socialbias.measures.fairness import METRICS
from socialbias.reporting.methods_paragraph import listed
from socialbias.reporting.plain_values import filled, plain
from socialbias.reporting.render import Output, Shown, ends, number, p_text

NAMES = ("label", "prediction", "source", "term")  # columns of names; of numbers are these:
NUMBERS = ("probability", "score")
KINDS = ("prediction", "probability", "probability:", "score")  # of each class with a colon
MISSING = ("nan", "NaN", "NA", "N/A", "#N/A", "None", "null", "NULL", "<NA>", "NaT")
# Groups that are unknown, in any case of letters.
UNKNOWN_GROUPS = {UNKNOWN, "unspecified", "undisclosed", "not stated", "missing", "n/a", "?", "-"}
UNKNOWN_GROUPS |= {".", "prefer not to say", "not applicable"}
ROUNDED = 0.01  # what each class may add to a sum of probabilities
MAX_GROUPS = 100  # of a column
FOUR_FIFTHS = 0.8  # Uniform Guidelines on Employee Selection Procedures, 29 CFR 1607.4 D
CITATION = "Czarnowska, Vyas and Shah 2021, Table 2"
DEFINED = (SELECTED, SCORED, "impact ratio")
LEFT_OUT, AUDIT = "left out", "bias audit"
OTHERS = "differences between groups, and error rates"
NO_AUDIT = "This is not an independent bias audit, which New York City's Local Law 144 requires"
FACTS = {
    SELECTED: "share of a group's examples that are predicted to be of the class",
    SCORED: "share of a group's examples with a score above the median of all examples",
    "impact ratio": "rate of a group divided by that of the reference "
    f"(* below {FOUR_FIFTHS}, the four-fifths rule of US employment law)",
    "by chance": "the mean where groups are exchanged at random, and what 95 % stay below: within "
    "sources, or else among examples of the same label (for Parity Gap and AvgGF among all)",
    "p": "share of these random exchanges that are as far from no difference; without any bias, "
    "one in twenty is below .05",
    "signed": "of two groups, differences are the first minus the second, in their order above",
    "metrics": f"{CITATION}, as far as the columns allow; `published` and `corrected` differ in "
    "how they average over groups",
}


@dataclass(frozen=True, kw_only=True, repr=False)
class PredictionTable(Output):
    """Rates of a classifier's predictions by group, and fairness metrics.

    Attributes:
        title: What was measured.
        rows: One dict for each rate or metric: `metric`, `class`, `by` (the columns of the groups),
            `group` ("" for all), `value`, `low`, `high` and `note`. A rate also has `n` examples,
            how many are `selected`, `impact_ratio`, `impact_low`, `impact_high` and `reference`. A
            metric has its `version` (its normaliser), `null_mean`, `null_high` and `p_value`, as in
            `socialbias.measures.fairness.table.Row`.
        level: Nominal coverage of the intervals.
        facts: What one must know of the numbers: a heading and a text each.
        notes: Reservations.
        provenance: Everything that was read, as plain values.
    """

    title: str
    rows: tuple[dict, ...]
    level: float
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    provenance: list[dict]

    def records(self) -> list[dict]:
        """Return the rows without columns that are empty in every row."""
        return filled(self.rows)

    def as_dict(self) -> dict:
        """Everything, as plain JSON values."""
        return plain(vars(self) | {"rows": self.records(), "facts": dict(self.facts)})

    @property
    def rates(self) -> list[dict]:
        """The rows of selection rates, or scoring rates; the first is that of all examples."""
        return [row for row in self.rows if row["metric"] in (SELECTED, SCORED)]

    @property
    def paragraph(self) -> str:
        """As `Output.paragraph`."""
        known, used = dict(self.facts), self.provenance[-1]
        metrics = [m for m in dict.fromkeys(row["metric"] for row in self.rows) if m in METRICS]
        sentences = (
            f"We measured the {self.title}",
            *(f"We left out, {text}" for key, text in self.facts if key == LEFT_OUT),
            *(f"The {key} is the {text}" for key, text in self.facts if key in DEFINED),
            f"The metrics were {listed(metrics)} ({CITATION})",
            f"Intervals have a nominal coverage of {known['interval']}",
            f"The value by chance is {known['by chance']}",
            f"We used socialbias {used['version']} with random seed {used['seed']}",
        )
        return " ".join(f"{sentence}." for sentence in sentences)

    def sentences(self) -> list[str]:
        """Return the lowest impact ratio by each attribute, and what was left out."""
        lowest: dict[str, dict] = {}
        several = len({row["class"] for row in self.rates}) > 1
        for row in self.rates:
            differs = row["reference"] != row["group"] and math.isfinite(row["impact_ratio"])
            if differs and row["impact_ratio"] < lowest.setdefault(row["by"], row)["impact_ratio"]:
                lowest[row["by"]] = row
        lines = []
        for by, row in lowest.items():
            what = f"lowest impact ratio of {row['class']}" if several else "lowest impact ratio"
            groups = f"({row['group']} / {row['reference']})"
            parts = [f"{what} by {by}:", *_ratio(row), groups]
            lines.append(" ".join(filter(None, parts)))
        left_out = [f"{key} {text}" for key, text in self.facts if key == LEFT_OUT]
        return [*lines, *left_out, *(f"{text}." for key, text in self.facts if key == AUDIT)]

    def tables(self) -> dict[str, list[Shown]]:
        """Return the rates by group, and the metrics, those of one group last."""
        level, tables = f"{100 * self.level:g} % interval", {}
        classes, by = ({row[key] for row in self.rates} for key in ("class", "by"))
        where = ("by", "group") if len(by) > 2 else ("group",)  # one is "", for all examples
        others = [row for row in self.rows if row["metric"] in (*ERRORS, *METRICS)]
        errors = {
            tuple(row[key] for key in ("metric", "class", "by", "group")): row["value"]
            for row in others
        }
        for row in self.rates:
            caption, name = row["metric"] + "s", row["metric"]
            cells = {("", key): row[key] or "all" * (key == "group") for key in where}
            cells |= {("", key): f"{row[key]:,}" for key in ("n", "selected")}
            cells[name, "value"] = number(row["value"], missing="")
            cells[name, level] = ends(row["low"], row["high"])
            cells["impact ratio", "value"], cells["impact ratio", level] = _ratio(row)
            for error in ERRORS:
                place = "" if error == "accuracy" else row["class"], row["by"], row["group"]
                cells["", error] = number(errors.get((error, *place), math.nan), missing="")
            caption += f" of {row['class']}" * (len(classes) > 1)
            tables.setdefault(caption, []).append(cells | {"note": row["note"] * bool(row["by"])})
        for row in sorted(others, key=lambda row: row["metric"] in ERRORS or row["group"] != ""):
            name = METRICS[row["metric"]].title if row["metric"] in METRICS else row["metric"]
            version = "corrected" * (row["version"] == "corrected")
            cells = {"metric": ", ".join(filter(None, [name, version, row["class"]]))}
            cells |= {key: row[key] for key in where} | {"value": number(row["value"])}
            cells[level] = ends(row["low"], row["high"])
            cells["by chance"] = number(row["null_mean"], missing="")
            cells["95 % below"] = number(row["null_high"], missing="")
            cells["p"] = p_text(row["p_value"]).removeprefix("p ")
            tables.setdefault(OTHERS, []).append(cells | {"note": row["note"]})
        return {caption: filled(rows) for caption, rows in tables.items()}

    def all_facts(self) -> list[tuple[str, str]]:
        """Return what one must know of the numbers, and the notes."""
        facts = [(key, text) for key, text in self.facts if key not in (LEFT_OUT, AUDIT)]
        return [*facts, *(("note", note) for note in self.notes)]


def _ratio(row: Mapping) -> tuple[str, str]:
    """Return the impact ratio of a row, with a star below four fifths, and its interval."""
    star = "*" * (row["impact_ratio"] < FOUR_FIFTHS)
    missing = "-" if row["reference"] else ""
    interval = ends(row["impact_low"], row["impact_high"])
    return number(row["impact_ratio"], missing=missing) + star, interval


@naming_extras()
def measure_predictions(
    table: str | Path | Mapping[str, Sequence],
    *,
    by: str | Sequence[str] = ("group",),
    reference: str | Sequence[str] = (),
    min_share: float = 0.0,
    seed: int = DEFAULTS.seed,
    level: float = DEFAULTS.level,
) -> PredictionTable:
    """Measure rates of a classifier's predictions by group, and their fairness.

    Without `source`, each example is a unit: groups are exchanged at random among examples of the
    same label (for selection rates and the Parity Gap among all). With `source`, variations of a
    source example are compared too, and groups are exchanged within sources.

    Args:
        table: A CSV file, or columns by name. One of `prediction`, `probability` and `score` is
            needed. `probability` is that of class 1, for labels 0 and 1, or there is a column
            `probability:CLASS` for each class; a `score` counts as selected above the median.
            `label` is the true class; `source` names the example that a row is a variation of;
            `term` is the word that names the group. A row with a missing value (`MISSING`, and None
            and NaN of data frames) is left out and counted; if only one of its groups is unknown,
            the others are used.
        by: The columns with groups. The groups of several columns are also combined.
        reference: Groups that ratios divide by, at most one of each column; by default that with
            the highest rate.
        min_share: Share of the examples that a group needs for an impact ratio.
        seed: Random seed.
        level: Coverage of the intervals.

    Returns:
        Rates and impact ratios by group, and the metrics of Czarnowska et al. 2021, Table 2, that
        the columns allow.

    Raises:
        UserError: a column is missing, a cell is not what it should be, or there is one group.
    """
    Resampling(seed, level)
    if not 0 <= min_share < 1:
        raise UserError(f"min-share: must be a share from 0 to 1, not {min_share}")
    by, reference = ([each] if isinstance(each, str) else each for each in (by, reference))
    by = list(dict.fromkeys(column_name(plain_text(name)) for name in by)) or ["group"]
    if isinstance(table, str | Path):
        path = expanded(table)
        check_file(path, once=True)
        rows = read_table(path, ())
        read, name = [file_provenance(path, "predictions")], shown(path.name)
    else:
        rows, read, name = _rows(table), [], "predictions"
    _check_columns(rows, by, name)
    rows, left_out = _complete(rows, by, name)
    columns = {column: [row[column] for _, row in rows] for column in rows[0][1]}
    _check_numbers(rows)
    _check_classes(columns, name)
    groups = {column: [*filter(None, dict.fromkeys(columns[column]))] for column in by}
    _check_groups(groups, reference, name, left_out)
    data = Classified.of(columns, by)
    how = {"level": level, "reference": reference, "min_share": min_share}
    crossings = chain.from_iterable(combinations(by, k) for k in range(len(by) + 1))
    found = list(chain.from_iterable(group_rates(data, each, **how) for each in crossings))
    for column in by:
        try:
            found += fairness_rows(data, column, seed=seed, level=level)
        except UserError as error:
            raise UserError(f"{name}: {error}") from None
    facts = _facts(data, level, left_out)
    found[0]["note"] = dict(facts).get(AUDIT, "")  # where all examples are
    keys = dict.fromkeys([*found[0], *found[-1], "note"])
    what = f", {len(groups[by[0]])} groups" if len(by) == 1 else f" by {listed(by)}"
    return PredictionTable(
        title=f"fairness of {name}: {len(rows):,} predictions{what}",
        rows=tuple({key: row.get(key, math.nan) for key in keys} for row in found),
        level=level,
        facts=facts,
        notes=tuple(
            f"{first!r} and {second!r} are counted as two, but differ only in capitals"
            for names in (*groups.values(), data.classes)
            for first, second in combinations(names, 2)
            if first.casefold() == second.casefold()
        ),
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


def _check_columns(rows: Sequence[Record], by: Sequence[str], name: str) -> None:
    """Raise UserError for columns that are not there, or of which only one can be."""
    if not rows:
        raise UserError(f"{name}: there are no rows below the header")
    columns = list(rows[0][1])
    usable = [name for name in columns if name.partition(":")[0] not in (*NAMES, *NUMBERS)]
    for column in by:
        if column not in usable:
            hint = nearest(column, usable) or "; name the column of groups with --by"
            known = f"its columns are {', '.join(columns[:12])}"
            raise UserError(f"{name}: no column of groups {column!r}; {known}{hint}")
    given = {column[: column.find(":") + 1] or column for column in columns} & {*KINDS}
    if not given:
        raise UserError(f"{name}: needs a column prediction, probability or score")
    if len(given - {"prediction"}) > 1 or given >= {"score", "prediction"}:
        raise UserError(f"{name}: has columns {' and '.join(sorted(given))}: keep one kind")


def _complete(rows: Sequence[Record], by: Sequence[str], name: str) -> tuple[list[Record], str]:
    """Return the rows without a missing value, and what was left out; "" for nothing.

    An unknown group is "" in a row that has another one, or a score.
    """
    absent = {"", *MISSING}
    kept, without = [], Counter()
    for place, row in rows:
        lacking = [c for c in row if c.partition(":")[0] in (*NAMES, *NUMBERS) and row[c] in absent]
        groupless = [c for c in by if row[c] in absent or row[c].casefold() in UNKNOWN_GROUPS]
        without.update([*lacking, *groupless])
        if not lacking:
            names = [c for c in (*NAMES, *by) if c in row and c not in groupless]
            check_names(row, names, place)
            named = {c: " ".join(row[c].split()) for c in names} | dict.fromkeys(groupless, "")
            kept.append((place, row | named))
    if not without:
        return kept, ""
    counts = ", ".join(f"{n:,} without {column}" for column, n in without.items())
    if not kept:
        what = f"every row has a missing value ({counts})"
        raise UserError(f"{name}: {what}; fill or remove the column")
    return kept, f"of {len(rows):,} rows: {counts}"


def _check_numbers(rows: Sequence[Record]) -> None:
    """Raise UserError for a probability or score that is none."""
    numbers = [c for c in rows[0][1] if c.partition(":")[0] in NUMBERS]
    for place, row in rows:
        values = [read_number(row[column], place) for column in numbers]
        for column, value in zip(numbers, values, strict=True):
            if math.isnan(value) or (column != "score" and not 0 <= value <= 1):
                wanted = "a number" + " from 0 to 1" * (column != "score")
                raise UserError(f"{place}: {column} {row[column]!r} is not {wanted}")
        if ":" in "".join(numbers) and abs(sum(values) - 1) > ROUNDED * len(numbers):
            total = f"{sum(values):.3g}"
            raise UserError(f"{place}: the probabilities of the classes add up to {total}, not 1")


def _check_classes(columns: dict[str, list[str]], name: str) -> None:
    """Write whole numbers alike, and raise UserError for classes that are written differently."""
    for column in {"label", "prediction"} & columns.keys():
        columns[column] = [_class(cell) for cell in columns[column]]
    label, predicted = ({*columns.get(column, ())} for column in ("label", "prediction"))
    classes = [c.partition(":")[2] for c in columns if c.startswith("probability:")]
    one = next((column for column in NUMBERS if column in columns), "")
    if one and not label | predicted <= {"0", "1"}:
        hint = "; or give each class a column probability:CLASS" * (one == "probability")
        raise UserError(f"{name}: {one}: the labels must be 0 and 1{hint}")
    if classes and (unknown := sorted((label | predicted) - {*classes})):
        raise UserError(f"{name}: the class {unknown[0]!r} has no column probability:{unknown[0]}")
    if min(len(label), len(predicted)) > 1 and not label & predicted:
        both = f"the labels ({min(label)}, ...) and the predictions ({min(predicted)}, ...)"
        raise UserError(f"{name}: {both} have no class in common: write classes alike")


def _class(cell: str) -> str:
    """Return the name of a class, of 1.0 the same as of 1."""
    whole, _, zeros = cell.partition(".")
    return whole if zeros and not zeros.strip("0") and whole.isdecimal() else cell


def _check_groups(
    groups: Mapping[str, Sequence[str]], reference: Sequence[str], name: str, left_out: str
) -> None:
    """Raise UserError for a column with one group or very many, and for unknown references."""
    for column, names in groups.items():
        if len(names) < 2:
            only = f"only one group, {names[0]}" if names else "no group"
            why = f" ({left_out})" if left_out else ""
            raise UserError(f"{name}: the column {column} has {only}{why}")
        if len(names) > MAX_GROUPS:
            raise UserError(f"{name}: the column {column} has more than {MAX_GROUPS} groups")
        if len(twice := [group for group in reference if group in names]) > 1:
            raise UserError(f"reference: {listed(twice)} are both groups of {column}; name one")
    known = [*dict.fromkeys(chain.from_iterable(groups.values()))]
    if unknown := [group for group in reference if group not in known]:
        hint = nearest(unknown[0], known) or f"; the groups are {', '.join(known[:12])}"
        raise UserError(f"reference: no group is called {unknown[0]!r}{hint}")


def _facts(data: Classified, level: float, left_out: str) -> tuple[tuple[str, str], ...]:
    """Return what one must know of the numbers."""
    texts = {LEFT_OUT: left_out, AUDIT: NO_AUDIT if data.source is None else ""} | FACTS
    units = "the examples of each group" if data.source is None else "source examples and terms"
    how = "Wilson's of rates, Zou and Donner's of ratios, and of metrics by resampling"
    texts["interval"] = f"{100 * level:g} %: {how} {units}"
    texts.pop(SELECTED if data.rate == SCORED else SCORED)
    return tuple((key, text) for key, text in texts.items() if text)
