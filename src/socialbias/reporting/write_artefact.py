"""From records to an artefact's files: values, comparison with the paper, tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from socialbias.errors import UserError
from socialbias.files.atomic_write import write_parquet
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.captions import over, sentences
from socialbias.reporting.compare import compare
from socialbias.reporting.tables import reading_table, write_tables
from socialbias.reporting.values import (
    KEY,
    MADE_OF,
    NO_INPUT,
    TOO_SPARSE,
    WHOLE,
    draws_table,
    read_published,
    read_values,
    value,
    values_table,
    write_csv,
    write_values,
)
from socialbias.sources.fidelity import OR, worst_fidelity
from socialbias.stats.multiplicity import holm
from socialbias.stats.reliability import detectable, detectable_correlation


def finish(
    records: Iterable[dict],
    artefact: Artefact,
    cells: Sequence[Mapping],
    published: Path,
    seed: int,
    output: Path,
    run: str = "",
) -> None:
    """Write an artefact's values and draws, its comparison with the paper, and its tables."""
    complete = _complete([with_detectable(record) for record in records], cells, artefact)
    table = values_table(artefact.artefact, complete, seed)
    # Holm's q-values, over the tests of a column, where there are none yet.
    holms = table.groupby("column")["p_value"].transform(lambda p: holm(p.to_numpy()))
    write_values(table.assign(q_value=table["q_value"].fillna(holms)), output)
    draws = output.with_name(f"{artefact.artefact}.draws.parquet")
    write_parquet(draws, draws_table(complete), index=False)
    # The files are read again, so that a table says what a reader of the values gets.
    values, printed = read_values(output), read_published(published)
    order = artefact.in_print_order([*values["column"]])
    compared, columns = compare(values, printed, artefact.kinds, order)
    shown = reading_table(values, printed, artefact)
    stem = output.with_name(artefact.artefact)
    write_csv(compared, stem.with_suffix(".comparison.csv"))
    write_csv(columns, stem.with_suffix(".columns.csv"))
    numbers = values[values["value"].notna()]
    notes = [*sentences(artefact, numbers, run), over(artefact, numbers)]
    made_by = f"socialbias, target {artefact.name} of the run {run}" if run else ""
    write_tables(shown, artefact, stem, notes, made_by)


def with_checks(
    records: Iterable[dict],
    cells: Sequence[Mapping],
    weaknesses: Mapping[str, str],
    notes: Mapping[str, str],
) -> Iterator[dict]:
    """Yield the records, each with what checks say of the vectors behind it.

    A record that says itself whether it is `weak` keeps what it says.
    """
    checks = {(cell["row"], cell["column"]): cell["checks"] for cell in cells}
    for record in records:
        names = checks.get((record["row"], record["column"]), [])
        weak = "; ".join(filter(None, (weaknesses[name] for name in names)))
        yield {"weak": weak} | _noted(record, [notes[name] for name in names])


def with_provenance(records: Iterable[dict], cells: Sequence[Mapping]) -> list[dict]:
    """Return the records, each with the sources and the fidelity of what its cell needs."""
    by_key = {(cell["row"], cell["column"]): cell for cell in cells}
    complete = []
    for record in records:
        if np.isnan(record["value"]):
            complete.append(record | {"fidelity": NO_INPUT, "sources": ""})
            continue
        cell, others = by_key[record["row"], record["column"]], record.get(MADE_OF)
        if cell["collects"] != (others is not None) and (others is None or len(others)):
            what = "does not say of which" if others is None else "is not declared to be made of"
            where = f"row {record['row']!r}, column {record['column']!r}"
            raise UserError(f"{where}: {what} numbers of other artefacts")
        sources, kinds = [*cell["sources"]], [cell["whole" if record.get(WHOLE) else "fidelity"]]
        if others is not None:
            sources += [*others["sources"].str.split(";").explode()]
            kinds += [*others["fidelity"].unique()]
        fidelity = worst_fidelity(kinds)
        lines = cell["below"] if fidelity in ("exact", "subset") else []
        joined = ";".join(sorted({source for source in sources if source}))
        complete.append(_noted(record, lines) | {"fidelity": fidelity, "sources": joined})
    return complete


def _noted(record: dict, notes: Iterable[str]) -> dict:
    """Return a record with further notes, each once."""
    return record | {"note": "; ".join(dict.fromkeys(filter(None, (record.get("note"), *notes))))}


def with_detectable(record: dict) -> dict:
    """Return the record with the smallest value that a test at 0.05 finds with 80 % power.

    Of a rank correlation with a p-value by its n and its ceiling, of any other number by its draws;
    neither has one without them.
    """
    if "detectable" in record:
        return record
    if record.get("unit") == "Spearman's rho":
        if np.isnan(record.get("p_value", np.nan)):
            return record
        largest = record.get("ceiling", np.nan)
        smallest = detectable_correlation(record["n"], 1.0 if np.isnan(largest) else largest)
    else:
        smallest = detectable(record.get("draws", np.nan))
    return record | {"detectable": smallest}


def _complete(records: list[dict], cells: Sequence[Mapping], artefact: Artefact) -> list[dict]:
    """Return the records, and for each cell that has none, or no input, one that says why."""
    reasons = {(cell["row"], cell["column"]): cell["reason"] for cell in cells}
    for row, column in sorted({(r["row"], r["column"]) for r in records} - reasons.keys()):
        raise UserError(f"{artefact.name}: row {row!r}, column {column!r} is not declared")
    # What another cell's input gave for a cell without its own is not its number.
    records = [record for record in records if not reasons[record["row"], record["column"]]]
    done = {(record["row"], record["column"]) for record in records}
    return with_provenance(records, cells) + [
        value(
            cell["row"],
            cell["column"],
            float("nan"),
            note=cell["reason"] or TOO_SPARSE,
        )
        | {"fidelity": NO_INPUT}
        for cell in cells
        if (cell["row"], cell["column"]) not in done
    ]


def check_complete(
    cells: Mapping[str, Sequence[Sequence]], tables: Mapping[str, pd.DataFrame]
) -> str:
    """Check every cell of a run against what its inputs allow."""
    problems = []
    for target, declared in cells.items():
        table = tables[target].set_index(KEY)
        have, cited = table["fidelity"].to_dict(), table["sources"].to_dict()
        for row, column, fidelity, sources, sparse in declared:
            where = f"{target}, row {row!r}, column {column!r}"
            got = have.pop((row, column), "absent")
            if got not in fidelity.split(OR) and not (sparse and got == NO_INPUT):
                problems.append(f"{where}: {got}, though its inputs are {fidelity}")
            elif got != NO_INPUT and sources not in (None, found := cited[row, column]):
                problems.append(f"{where}: it cites {found!r}, though its inputs are {sources!r}")
        problems += [f"{target}, row {r!r}, column {c!r}: is not declared" for r, c in have]
    if problems:
        raise UserError("\n".join(problems))
    total = sum(map(len, cells.values()))
    return (
        f"all {total} cells have the fidelity and the sources of their inputs, or say why they are "
        "empty"
    )
