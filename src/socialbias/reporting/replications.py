"""A second team's numbers, for tables that show them beside the paper's.

`resources/replications/<target>.csv` has what another team got for cells of an artefact: `team` (an
id of `resources/replications.yaml`), `row`, `column`, `value` (its printed digits), `setting` (what
it measured otherwise than the paper, "" where nothing) and `note`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from socialbias.reporting.artefact import Artefact
from socialbias.reporting.latex import NOTHING, Table
from socialbias.reporting.papers import Paper, read_papers
from socialbias.reporting.tables import PRINTED
from socialbias.reporting.values import KEY, read_csv


@dataclass(frozen=True)
class Replication:
    """What a second team got for an artefact."""

    team: Paper  # the team's paper
    # By row and column, `value` (digits) and `setting`.
    cells: dict[tuple[str, str], tuple[str, str]]


def read_replication(published: Path) -> Replication | None:
    """Return a second team's numbers of an artefact; None where there are none."""
    resources = published.parent.parent
    path = resources / "replications" / published.name
    if not path.is_file():
        return None
    table = read_csv(path)
    (team,) = set(table["team"])
    rows = table[[*KEY, "value", "setting"]].itertuples(index=False, name=None)
    known = read_papers(resources / "replications.yaml")
    return Replication(known[team], {(row, column): tuple(of) for row, column, *of in rows})


def beside(table: Table, artefact: Artefact, replication: Replication) -> Table:
    """Return a table for readers with the team's numbers beside the paper's."""
    table = Table(*(frame.copy() for frame in table))
    for column, label in artefact.columns.items():
        cells = [replication.cells.get((row, column), ("", "")) for row in artefact.rows]
        if any(number for number, _ in cells):
            shown = [(f"{n}*" if setting else n).replace("-", "−") for n, setting in cells]
            theirs = [number or NOTHING for number in shown]
            place = table.text.columns.get_loc((label, PRINTED)) + 1
            key = (label, f"{PRINTED}: {replication.team.cited}")
            for frame, new in zip(table, (theirs, False, ""), strict=True):
                frame.insert(place, key, new)
    return table
