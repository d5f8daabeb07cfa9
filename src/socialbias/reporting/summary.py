"""The counts of a run in sentences, and what would fill its empty cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from socialbias.reporting.compare import NUMBER_VERDICTS
from socialbias.reporting.methods_paragraph import listed
from socialbias.reporting.statements import DECIDED, FAILS, HOLDS, OPEN
from socialbias.reporting.values import NO_INPUT

LARGER = "use a larger"  # in the note of a cell whose input is there, but too small for it
LARGER_INPUT = "A larger text, or vectors with more words. The note of each number says which."
NO_NAME = "No input would bring them. The note of each number says why."
OF_COLUMNS = ("agrees", "contradicts", "open_columns")  # counts of printed columns by verdict


@dataclass(frozen=True)
class MissingInput:
    """An input that a run lacks."""

    name: str  # what the configuration calls it
    what: str  # what it is, in a sentence or two
    how: str  # why it is missing and how to get it, as the notes of cells say it


def agreement(counts: Mapping[str, float]) -> str:
    """Return how much of the papers was reproduced."""
    agree, against, open_ = (counts[verdict] for verdict in OF_COLUMNS)
    sentences = ["No column of numbers could be compared with a paper's."]
    if compared := agree + against + open_:
        sentences = [
            f"{_counted(compared, 'printed column', 'printed columns')} could be compared on other "
            f"inputs than the paper's. {_counted(agree, 'orders its', 'order their')} rows as the "
            f"paper does, {_counted(against, 'orders', 'order')} them the other way round and "
            f"{_counted(open_, 'is', 'are')} open; by chance "
            f"{counts['agrees_if_shuffled']:.1f} would agree."
        ]
    if judged := sum(counts[verdict] for verdict in NUMBER_VERDICTS):
        are = "is" if judged == 1 else "are"
        shown = listed([f"{counts[verdict]:,} {verdict}" for verdict in NUMBER_VERDICTS])
        sentences.append(
            f"{_counted(judged, 'number', 'numbers')} {are} computed from the papers' own inputs: "
            f"{shown}; by chance {counts['passed_if_shuffled']:.1f} would be equal or within."
        )
    else:
        sentences.append("No number could be computed from the papers' own inputs.")
    return " ".join(sentences)


def of_artefact(counts: Mapping[str, float]) -> str:
    """Return what came of one artefact, in a sentence."""
    parts = []
    if not counts["printed"]:
        parts.append(f"{_counted(counts['numbers'], 'number', 'numbers')} not in the paper")
    for noun, verdicts in (("column", OF_COLUMNS), ("number", NUMBER_VERDICTS)):
        if total := sum(counts[verdict] for verdict in verdicts):
            named = [(counts[verdict], verdict.removesuffix("_columns")) for verdict in verdicts]
            forms = [_counted(n, verdict, verdict.removesuffix("s")) for n, verdict in named if n]
            parts.append(f"{_counted(total, noun, f'{noun}s')} compared: {listed(forms)}")
    if counts["printed"] and not parts:
        parts.append("nothing could be compared with the paper")
    notes = {"not computed": counts["no_input"], "with a caution": counts["cautions"]}
    if told := [f"{n:,} {what}" for what, n in notes.items() if n]:
        everything = _counted(counts["numbers"], "number", "numbers")
        parts.append(f"{everything} in all, {listed(told)}")
    sentence = "; ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."


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


def _counted(count: int, one: str, many: str) -> str:
    """Return a count with the word that fits it."""
    return f"{count:,} {one if count == 1 else many}"
