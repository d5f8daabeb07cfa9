"""From records to an artefact's files: values, comparison with the paper, tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from socialbias.errors import UserError
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.compare import compare
from socialbias.reporting.tables import reading_table, write_tables
from socialbias.reporting.values import (
    KEY,
    NO_INPUT,
    TOO_SPARSE,
    read_published,
    read_values,
    value,
    values_table,
    write_csv,
    write_values,
)
from socialbias.sources.fidelity import OR


def finish(
    records: list[dict],
    artefact: Artefact,
    cells: Sequence[Mapping],
    published: Path,
    seed: int,
    output: Path,
) -> None:
    """Write an artefact's values, its comparison with the paper, and its tables.

    Args:
        records: What was computed, made by `reporting.values.value`.
        artefact: Order, labels and digits.
        cells: Every cell that there must be: `row`, `column` and `reason`, why it cannot be
            computed and how to get what is missing, or "".
        published: The printed numbers; where there is no such file, print has none.
        seed: The configuration's seed.
        output: `.../<paper>/<artefact>.values.csv`; the other files are written beside it.

    Raises:
        UserError: a record is of no declared cell, or breaks the schema of values.
    """
    write_values(values_table(artefact.artefact, _complete(records, cells, artefact), seed), output)
    # The files are read again, so that a table says what a reader of the values gets.
    values, printed = read_values(output), read_published(published)
    compared, columns = compare(values, printed, seed)
    stem = output.with_name(artefact.artefact)
    write_csv(compared, stem.with_suffix(".comparison.csv"))
    write_csv(columns, stem.with_suffix(".columns.csv"))
    write_tables(*reading_table(values, printed, artefact), artefact, stem)


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
