"""What must be true of a rehearsed run: every cell filled, or empty for a reason that is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path

import pandas as pd
import yaml

from socialbias.reporting.values import NO_INPUT, TOO_SPARSE, read_values

KEPT = Path(__file__).with_name("empty.yaml")
# What a note says of a role without a source, of one to which none is bound, and of what a list of
# the configuration leaves out.
MISSING = ("is missing: ", "list one in inputs.", "is not listed in")


def cells(results: Path) -> pd.DataFrame:
    """Every cell of a run: target, row, column, fidelity and note."""
    parts = []
    for path in sorted(results.glob("*/*.values.csv")):
        table = read_values(path)[["row", "column", "fidelity", "note"]]
        parts.append(table.assign(target=f"{path.parent.name}_{path.name.split('.')[0]}"))
    return pd.concat(parts, ignore_index=True).fillna({"note": ""})


def problems(found: pd.DataFrame, lacking: Collection[str] = ()) -> list[str]:
    """What is wrong with the cells of a run, a line each.

    Args:
        found: As `cells` gives them.
        lacking: Sources that the run has not, such as `nyt-articles-2016`, roles without one, such
            as `inputs.bert_large`, and keys of lists.
    """
    empty = found[found["fidelity"] == NO_INPUT]
    named = empty["note"].map(lambda note: any(reason in note for reason in MISSING))
    wrong = (
        [] if lacking else [_line(cell, "names a missing source") for cell in _rows(empty[named])]
    )
    for cell in _rows(empty[named]):
        if lacking and not any(source in cell.note for source in lacking):
            wrong.append(_line(cell, "names a source that the run has"))
    kept = yaml.safe_load(KEPT.read_text("utf-8"))
    counts: Counter[str] = Counter()
    for cell in _rows(empty[~named]):
        reason = next((name for name, rule in kept.items() if _is_of(cell, rule)), None)
        if reason is None:
            wrong.append(_line(cell, "is empty for no kept reason"))
        else:
            counts[reason] += 1
    wrong += [
        f"{counts[name]} cells are empty: {name}; at most {rule['most']} were expected"
        for name, rule in kept.items()
        if counts[name] > rule["most"]
    ]
    return wrong


def summary(found: pd.DataFrame) -> str:
    """How many cells there are, and how many of them are filled."""
    filled = int((found["fidelity"] != NO_INPUT).sum())
    return f"{filled} of {len(found)} cells are filled"


def _rows(table: pd.DataFrame):
    return table.itertuples(index=False)


def _is_of(cell: tuple, rule: dict) -> bool:
    """Whether a cell is empty for a reason that is kept."""
    note = rule["note"]
    kinds = {"too sparse": cell.note == TOO_SPARSE, "any other": cell.note != TOO_SPARSE}
    return kinds.get(note, note in cell.note) and cell.target in rule.get("targets", [cell.target])


def _line(cell: tuple, problem: str) -> str:
    where = f"{cell.target}, row {cell.row!r}, column {cell.column!r}"
    return f"{where}: {problem}: {cell.note[:160]}"
