"""`verdict`: compare numbers with a paper's printed ones, cell by cell, for any paper.

The engine is that of this project's own tables (`socialbias.reporting.compare`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from socialbias.errors import UserError, naming_extras
from socialbias.files.paths import check_file
from socialbias.files.tables import read_number, read_table
from socialbias.reporting.plain_values import filled, plain
from socialbias.reporting.render import Output, Shown

if TYPE_CHECKING:  # a light installation has no pandas
    import pandas as pd

NEEDED = ("row", "column", "value")
NUMBERS = ("ci_low", "ci_high", "n")
FIDELITIES = ("exact", "subset", "substitute", "own")
SHOWN_COLUMNS = ["row", "column", "printed", "value", *NUMBERS]
SHOWN_COLUMNS += ["fidelity", "verdict", "detail", "caution"]


@dataclass(frozen=True, repr=False)
class Verdicts(Output):
    """The comparison of numbers with a paper's.

    Attributes:
        cells: One row per number, with `verdict` and `detail`.
        columns: One row per column: rank correlation, p-value, verdict.
        missing: Printed cells without a number, as `row, column`.
    """

    cells: pd.DataFrame
    columns: pd.DataFrame
    missing: list[tuple[str, str]]
    title = "Comparison with a paper"
    provenance = ()

    def records(self) -> list[dict]:
        """Return the cells as plain dicts, without columns that are empty in every cell."""
        n = self.cells["n"].where(self.cells["n"] > 0)  # none where none was given
        return filled(self.cells[SHOWN_COLUMNS].assign(n=n).to_dict("records"))

    def as_dict(self) -> dict:
        """Everything, as plain JSON values."""
        columns = self.columns.to_dict("records")
        return plain(vars(self) | {"cells": self.records(), "columns": columns})

    def tables(self) -> dict[str, list[Shown]]:
        """Return every cell."""

        def shown(cell: object) -> str:
            if isinstance(cell, float):
                return f"{cell:.6g}" if np.isfinite(cell) else ""
            return str(cell)

        rows = self.records()
        named = [{k.replace("_", " "): shown(v) for k, v in row.items()} for row in rows]
        return {"Every cell": named}

    @property
    def shuffled(self) -> float:
        """Cells that would be equal or within were the paper's numbers shuffled over the rows."""
        return float(self.cells["passed_by_chance"].sum())

    def text(self, most: int | None = None) -> str:
        """Return the sentences: every cell is in the files."""
        return "\n".join(self.sentences())

    def sentences(self) -> list[str]:
        """Return the result in sentences."""
        from socialbias.reporting.compare import NOT_JUDGED, NUMBER_VERDICTS, PASSED

        verdicts = self.cells["verdict"]
        counts = {name: (verdicts == name).sum() for name in (*NUMBER_VERDICTS, NOT_JUDGED)}
        lines = [", ".join(f"{n} {name}" for name, n in counts.items() if n)]
        if judged := verdicts.isin(NUMBER_VERDICTS).sum():
            lines.append(
                f"{verdicts.isin(PASSED).sum()} of {judged} are equal or within; "
                f"{self.shuffled:.1f} would be if the printed numbers were shuffled over the rows"
            )
        lines += [
            f"{c['column']}: {c['verdict']} (Spearman's rho {c['rho']:z.2f}, "
            f"p {c['p_value']:.2g}, {c['rows']} rows)"
            for c in self.columns[self.columns["verdict"] != ""].to_dict("records")
        ]
        if self.missing:
            numbers = "number is" if len(self.missing) == 1 else "numbers are"
            lines.append(f"{len(self.missing)} printed {numbers} missing in ours")
        return lines


@naming_extras()
def verdict(published: str | Path, ours: str | Path) -> Verdicts:
    """Compare numbers with a paper's printed ones.

    Args:
        published: CSV with the columns row, column, value; values with the printed digits, or
            empty if the paper has none.
        ours: CSV with the same columns and, if known, ci_low, ci_high (95 %), n and fidelity. With
            `exact` (the paper's own inputs; the default), each number gets a verdict; with
            `subset` or `substitute`, each column; with `own`, nothing.

    Raises:
        UserError: a file is not such a table, has no number, or has no cell in common with the
            other.
    """
    from socialbias.reporting.compare import compare

    printed, table = _read(Path(published)), _read(Path(ours))
    for cell, place in zip(printed["value"], printed["place"], strict=True):
        read_number(cell, place)
    values = _values(table, Path(ours))
    if values.empty:
        raise UserError(f"{ours}: there is no number in it")
    cells, columns = compare(values, printed[[*NEEDED]].assign(note=""))
    have = set(zip(table["row"], table["column"], strict=True))
    filled = printed[printed["value"] != ""]
    keys = list(zip(filled["row"], filled["column"], strict=True))
    if not have & set(keys):
        raise UserError(f"{published} and {ours}: no row and column is in both")
    missing = [key for key in keys if key not in have]
    return Verdicts(cells, columns, missing)


def _read(path: Path) -> pd.DataFrame:
    """Read a table as text, with the place of each row; raise UserError if a cell appears twice."""
    import pandas as pd

    check_file(path, once=True)
    rows = [row | {"place": place} for place, row in read_table(path, NEEDED, filled=NEEDED[:2])]
    table = pd.DataFrame(rows, columns=list(rows[0]) if rows else [*NEEDED, "place"], dtype=object)
    again = table.duplicated(["row", "column"])
    if again.any():
        place, row, column = table.loc[again, ["place", "row", "column"]].iloc[0]
        raise UserError(f"{place}: row {row}, column {column} appears twice")
    return table


def _values(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Return the table in the form that the engine reads."""
    made = table[["row", "column"]].copy()
    for name in ("value", *NUMBERS):
        cells = table[name] if name in table else [""] * len(table)
        made[name] = np.asarray([*map(read_number, cells, table["place"])], float)
    problems = {
        "ci_low is above ci_high": made["ci_low"] > made["ci_high"],
        "the value is outside of ci_low to ci_high": (made["value"] < made["ci_low"])
        | (made["value"] > made["ci_high"]),
        "n is below 0": made["n"] < 0,
        "n is not a whole number": made["n"] % 1 > 0,
    }
    for problem, where in problems.items():
        for place in table.loc[where, "place"]:
            raise UserError(f"{place}: {problem}")
    made["fidelity"] = table.get("fidelity", "")
    made.loc[made["fidelity"] == "", "fidelity"] = "exact"
    if wrong := set(made["fidelity"]) - set(FIDELITIES):
        known = ", ".join(FIDELITIES)
        raise UserError(f"{path}: fidelity is {min(wrong)!r}: it must be one of {known}")
    made = made[made["value"].notna()].reset_index(drop=True)
    made["n"] = made["n"].fillna(0)
    for name in ("n_of", "p_value", "q_value", "reliability", "ceiling", "detectable"):
        made[name] = 0.0 if name == "n_of" else np.nan
    return made.assign(n_unit="", unit="", sources="", weak="", note="")
