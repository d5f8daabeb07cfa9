"""A second team's numbers beside print and ours: who agrees with whom.

`resources/replications/<target>.csv` has what another team got for cells of an artefact: `team` (an
id of `resources/replications.yaml`), `row`, `column`, `value` (its printed digits), `setting` (what
it measured otherwise than print, "" where nothing) and `note`.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd

from socialbias.errors import UserError
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.compare import OUTSIDE, PASSED, judge_number, same_digits
from socialbias.reporting.latex import NOTHING, Table
from socialbias.reporting.papers import Paper, read_papers
from socialbias.reporting.tables import PRINTED
from socialbias.reporting.values import KEY, read_csv

COLUMNS = ["team", *KEY, "value", "setting", "note"]
# By which pairs agree: print with the team, print with us, the team with us.
ALL = "all three agree"
VERDICTS = {
    (True, True, True): ALL,
    (True, True, False): "the paper agrees with both",
    (True, False, True): "the second team agrees with both",
    (False, True, True): "ours agrees with both",
    (True, False, False): "the paper and the second team agree, ours differs",
    (False, True, False): "the paper and ours agree, the second team differs",
    (False, False, True): "the second team and ours agree, the paper differs",
    (False, False, False): "no two agree",
}
# Where ours is not judged: the paper with the team.
WITHOUT_OURS = {
    True: "the paper and the second team agree",
    False: "the paper and the second team differ",
}
OTHER_SETTING = "other setting"
FEWEST_ROWS = 4  # of a column, for a correlation
CELL_COLUMNS = ["replicated", "replicated_by", "replication_verdict", "replication_detail"]


@dataclass(frozen=True)
class Replication:
    """What a second team got for an artefact."""

    team: Paper  # the team's paper
    # By row and column, `value` (digits) and `setting`.
    cells: dict[tuple[str, str], tuple[str, str]]


def read_replication(published: Path) -> Replication | None:
    """Return a second team's numbers of an artefact; None where there are none."""
    resources = published.parent.parent
    path, facts = resources / "replications" / published.name, resources / "replications.yaml"
    if not path.is_file():
        return None
    table = read_csv(path)
    if list(table.columns) != COLUMNS:
        raise UserError(f"{path}: its columns must be {', '.join(COLUMNS)}")
    if table.duplicated(KEY).any():
        row, column = table.loc[table.duplicated(KEY), KEY].iloc[0]
        raise UserError(f"{path}: row {row!r}, column {column!r} appears twice")
    teams, known = set(table["team"]), read_papers(facts)
    if len(teams) != 1 or not teams <= set(known):
        raise UserError(f"{path}: must have one team, described in {facts.name}")
    rows = table[[*KEY, "value", "setting"]].itertuples(index=False, name=None)
    return Replication(known[teams.pop()], {(row, column): tuple(of) for row, column, *of in rows})


def compared_with(cells: pd.DataFrame, replication: Replication) -> pd.DataFrame:
    """Return the cells of a comparison with a second team's numbers and who agrees with whom.

    Print and the team agree where their digits are equal at the coarser precision of the two. Ours
    is judged against each as against print (`compare.judge_number`), on exact inputs alone; numbers
    of other settings are not judged.
    """
    judged = []
    for cell in cells.to_dict("records"):
        theirs, setting = replication.cells.get((cell["row"], cell["column"]), ("", ""))
        verdict = detail = ""
        if theirs and not cell["printed"]:
            detail = "not in the paper"
        elif theirs and setting:
            verdict, detail = OTHER_SETTING, setting
        elif theirs:
            together = same_number(theirs, cell["printed"])
            detail = f"theirs is {float(theirs) / float(cell['printed']):.3g} of the paper's"
            with_print = cell["verdict"] in PASSED
            if not with_print and cell["verdict"] != OUTSIDE:
                verdict = WITHOUT_OURS[together]
                detail += f"; ours: {cell['verdict']}"
            else:
                # One interval serves both; its greatest width is a matter of print's column,
                # judged already.
                ends = cell["ci_low"], cell["ci_high"]
                ours, _ = judge_number(cell["value"], *ends, theirs, np.inf)
                verdict = VERDICTS[together, with_print, ours in PASSED]
        judged.append((theirs, replication.team.cited if theirs else "", verdict, detail))
    return cells.join(pd.DataFrame(judged, columns=CELL_COLUMNS, index=cells.index))


def same_number(one: str, other: str) -> bool:
    """Return whether two printed numbers are equal at the coarser precision of the two."""
    coarse, fine = sorted((one, other), key=lambda text: -Decimal(text).as_tuple().exponent)
    return same_digits(float(fine), coarse) == "rounded"


def beside(table: Table, artefact: Artefact, replication: Replication) -> Table:
    """Return a table for readers with the team's numbers beside print's."""
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
