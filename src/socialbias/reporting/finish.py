"""From records to an artefact's files: values, comparison with the paper, tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from socialbias.errors import UserError
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.captions import over, sentences
from socialbias.reporting.compare import compare
from socialbias.reporting.replications import (
    beside,
    compared_with,
    read_replication,
    with_orders,
)
from socialbias.reporting.tables import intervals_table, reading_table, write_tables
from socialbias.reporting.values import (
    KEY,
    NO_INPUT,
    TOO_SPARSE,
    draws_table,
    read_published,
    read_values,
    value,
    values_table,
    write_csv,
    write_values,
)
from socialbias.sources.fidelity import OR
from socialbias.stats.multiplicity import holm
from socialbias.stats.reliability import detectable, detectable_correlation

RANK_CORRELATION = "Spearman's rho"  # the unit of such numbers


def finish(
    records: list[dict],
    artefact: Artefact,
    cells: Sequence[Mapping],
    published: Path,
    seed: int,
    output: Path,
    run: str = "",
) -> None:
    """Write an artefact's values and draws, its comparison with the paper, and its tables.

    Args:
        records: What was computed, made by `reporting.values.value`.
        artefact: Order, labels and digits.
        cells: Every cell that there must be: `row`, `column` and `reason`, why it cannot be
            computed and how to get what is missing, or "".
        published: The printed numbers; where there is no such file, print has none. A second
            team's are looked for beside it (`replications.read_replication`).
        seed: The configuration's seed.
        output: `.../<paper>/<artefact>.values.csv`; the other files are written beside it.
        run: Name of the run, or "".

    Raises:
        UserError: a record is of no declared cell, or breaks the schema of values.
    """
    complete = _complete([with_detectable(record) for record in records], cells, artefact)
    table = values_table(artefact.artefact, complete, seed)
    write_values(_adjusted(table), output)
    _write_parquet(draws_table(complete), output.with_name(f"{artefact.artefact}.draws.parquet"))
    # The files are read again, so that a table says what a reader of the values gets.
    values, printed = read_values(output), read_published(published)
    compared, columns = compare(values, printed, seed, artefact.describing)
    shown = reading_table(values, printed, artefact)
    if replication := read_replication(published):
        compared = compared_with(compared, replication)
        columns = with_orders(columns, compared)
        shown = beside(*shown, artefact, replication)
    stem = output.with_name(artefact.artefact)
    write_csv(compared, stem.with_suffix(".comparison.csv"))
    write_csv(columns, stem.with_suffix(".columns.csv"))
    numbers = values[values["value"].notna()]
    notes = [*sentences(artefact, numbers, run), over(artefact, numbers)]
    made_by = f"socialbias, target {artefact.name} of the run {run}" if run else ""
    write_tables(*shown, intervals_table(values, artefact), artefact, stem, notes, made_by)


def gated(
    records: list[dict], cells: Sequence[Mapping], weaknesses: Mapping[str, str]
) -> list[dict]:
    """The records, each with why it bears no verdict where the vectors behind it are too weak.

    A record that says itself whether it is `weak` keeps what it says.

    Args:
        records: Made by `reporting.values.value`.
        cells: Every cell, with its `checks`.
        weaknesses: By check, what is wrong with the vectors; "" where they pass.
    """
    why = {
        (cell["row"], cell["column"]): "; ".join(
            filter(None, (weaknesses[name] for name in cell["checks"]))
        )
        for cell in cells
    }
    return [{"weak": why.get((record["row"], record["column"]), "")} | record for record in records]


def with_notes(
    records: list[dict], cells: Sequence[Mapping], notes: Mapping[str, str]
) -> list[dict]:
    """The records, each with a note on the samples that its vectors were trained on.

    Args:
        records: Made by `reporting.values.value`.
        cells: Every cell, with its `checks`.
        notes: By check, what there is to say; "" for nothing.
    """
    said = {
        (cell["row"], cell["column"]): [notes[name] for name in cell["checks"]] for cell in cells
    }

    return [_noted(record, said.get((record["row"], record["column"]), [])) for record in records]


def lowered(records: list[dict], cells: Sequence[Mapping]) -> list[dict]:
    """The records; what would be exact is a subset where settings are below the paper's.

    Args:
        records: Made by `reporting.values.value`.
        cells: Every cell, with the settings `below` the paper's, a line each: they become its note.
    """
    below = {(cell["row"], cell["column"]): cell["below"] for cell in cells}

    def lower(record: dict) -> dict:
        lines = below.get((record["row"], record["column"]), [])
        if not lines or record.get("fidelity") not in ("exact", "subset"):
            return record
        return _noted(record, lines) | {"fidelity": "subset"}

    return [lower(record) for record in records]


def _noted(record: dict, notes: Iterable[str]) -> dict:
    """A record with further notes, each once."""
    return record | {"note": "; ".join(dict.fromkeys(filter(None, (record.get("note"), *notes))))}


def with_detectable(record: dict) -> dict:
    """The record with the smallest true value that a test at 0.05 would find, with 80 % power.

    Of a rank correlation with a p-value by its n and its ceiling, of any other number by its draws;
    neither has one without them.
    """
    if "detectable" in record:
        return record
    if record.get("unit") == RANK_CORRELATION:
        if np.isnan(record.get("p_value", np.nan)):
            return record
        largest = record.get("ceiling", np.nan)
        found = detectable_correlation(record["n"], 1.0 if np.isnan(largest) else largest)
    else:
        found = detectable(record.get("draws", np.nan))
    return record | {"detectable": found}


def _adjusted(table: pd.DataFrame) -> pd.DataFrame:
    """The values with q-values: Holm's, over the tests of a column, where there is none yet."""
    holms = table.groupby("column")["p_value"].transform(lambda p: holm(p.to_numpy()))
    return table.assign(q_value=table["q_value"].fillna(holms))


def _write_parquet(table: pd.DataFrame, path: Path) -> None:
    temporary = path.with_suffix(".tmp")
    table.to_parquet(temporary, index=False)
    temporary.replace(path)


def _complete(records: list[dict], cells: Sequence[Mapping], artefact: Artefact) -> list[dict]:
    """The records, and for each cell that has none one that says why."""
    done = {(record["row"], record["column"]) for record in records}
    declared = {(cell["row"], cell["column"]) for cell in cells}
    for row, column in sorted(done - declared):
        raise UserError(f"{artefact.name}: row {row!r}, column {column!r} is not declared")
    return records + [
        value(
            cell["row"],
            cell["column"],
            float("nan"),
            fidelity=NO_INPUT,
            note=cell["reason"] or TOO_SPARSE,
        )
        for cell in cells
        if (cell["row"], cell["column"]) not in done
    ]


def check_complete(
    cells: Mapping[str, Sequence[Sequence]], tables: Mapping[str, pd.DataFrame]
) -> str:
    """Check every cell of a run against what its inputs allow.

    Args:
        cells: By target, every declared cell: row, column, fidelity of its inputs (`no input`
            where one is missing, or several, such as `subset or exact`) and whether it may be empty
            all the same.
        tables: By target, its values.

    Returns:
        One sentence on what was checked.

    Raises:
        UserError: a line for every cell that is absent, not declared, empty though its inputs are
            there, or of another fidelity than its inputs.
    """
    problems = []
    for target, declared in cells.items():
        have = tables[target].set_index(KEY)["fidelity"].to_dict()
        for row, column, fidelity, sparse in declared:
            got = have.pop((row, column), "absent")
            if got not in fidelity.split(OR) and not (sparse and got == NO_INPUT):
                where = f"{target}, row {row!r}, column {column!r}"
                problems.append(f"{where}: {got}, though its inputs are {fidelity}")
        problems += [f"{target}, row {r!r}, column {c!r}: is not declared" for r, c in have]
    if problems:
        raise UserError("\n".join(problems))
    total = sum(map(len, cells.values()))
    return f"all {total} cells have the fidelity of their inputs, or say why they are empty"
