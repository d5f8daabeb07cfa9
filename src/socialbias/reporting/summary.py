"""The counts of a run in sentences, and what would fill its empty cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from socialbias.reporting.kinds import counted_as as _counted
from socialbias.reporting.statements import DECIDED, FAILS, HOLDS, OPEN
from socialbias.reporting.values import NO_INPUT

LARGER = "use a larger"  # in the note of a cell whose input is there, but too small for it
LARGER_INPUT = "A larger text, or vectors with more words. The note of each number says which."
NO_NAME = "No input would bring them. The note of each number says why."


@dataclass(frozen=True)
class MissingInput:
    """An input that a run lacks."""

    name: str  # what the configuration calls it
    what: str  # what it is, in a sentence or two
    how: str  # why it is missing and how to get it, as the notes of cells say it


def claims(tested: Sequence[Mapping[str, str]]) -> str:
    """Return how many claims of the papers hold, and on whose inputs."""
    counted = [claim for claim in tested if not claim["kind"]]
    verdicts = Counter(claim["verdict"] for claim in counted)
    decided = [claim for claim in counted if claim["verdict"] in (HOLDS, FAILS)]
    elsewhere = sum(claim["fidelity"] not in ("exact", "subset") for claim in decided)
    sentence = (
        f"Of {_counted(len(counted), 'claim', 'claims')} of the papers, "
        f"{_counted(verdicts[HOLDS], 'holds', 'hold')}, "
        f"{_counted(verdicts[FAILS], 'fails', 'fail')}, "
        f"{_counted(verdicts[OPEN], 'is', 'are')} open and "
        f"{_counted(verdicts[NO_INPUT], 'has', 'have')} no input."
    )
    if decided:
        sentence += (
            f" Of the {len(decided):,} decided, {_counted(elsewhere, 'was', 'were')} tested on "
            "other inputs than the paper's."
        )
    if others := len(tested) - len(counted):
        sentence += f" Not counted: {others:,} that are true by definition or cannot be shown."
    return sentence


def false_decisions(tested: Sequence[Mapping[str, str]]) -> str:
    """Return how many of the claims (as in `claims`) would be decided wrongly by chance."""
    n = sum(not claim["kind"] and claim["verdict"] != NO_INPUT for claim in tested)
    return (
        f"Were all {n:,} tested claims at the border between true and false, "
        f"{2 * DECIDED * n:.1f} of them ({200 * DECIDED:.0f} %) would hold or fail by chance."
    )


def what_would_fill(notes: Iterable[str], missing: Sequence[MissingInput]) -> list[tuple[str, int]]:
    """Return what empty cells need, and how many cells need it; most first, and `NO_NAME` last.

    A cell that lacks several inputs counts for each. Inputs that are missing for the same reason
    count as the first of them.
    """
    by_reason = {one.how: one.what for one in reversed(missing)}
    counts: Counter[str] = Counter()
    for note in notes:
        # Reasons are joined by semicolons, and may have some themselves.
        inputs = {what for how, what in by_reason.items() if f"; {how}; " in f"; {note}; "}
        counts.update(inputs or {LARGER_INPUT if LARGER in note else NO_NAME})
    return sorted(counts.items(), key=lambda item: (item[0] == NO_NAME, -item[1], item[0]))
