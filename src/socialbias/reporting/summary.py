"""The counts of a run in sentences, and what would fill its empty cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from socialbias.reporting.compare import NUMBER_VERDICTS
from socialbias.reporting.methods_paragraph import listed
from socialbias.reporting.statements import (
    AGREES,
    BY_DEFINITION,
    DECIDED,
    DISAGREES,
    FAILS,
    HOLDS,
    OPEN,
    OTHER_DATA,
    UNCLEAR,
)
from socialbias.reporting.values import NO_INPUT

LARGER = "use a larger"  # in the note of a cell whose input is there, but too small for it
LARGER_INPUT = "A larger text, or vectors with more words. The note of each number says which."
# What the verdict on a claim says of it, in a sentence that goes on after the verdict.
OF_A_CLAIM = {
    HOLDS: " on the paper's own inputs.",
    FAILS: " on the paper's own inputs.",
    OPEN: ": the paper's own inputs do not decide it.",
    AGREES: ": the data named here show it.",
    DISAGREES: ": the data named here do not show it.",
    UNCLEAR: ": the data named here do not decide it.",
    OTHER_DATA: ": it is about the paper's own data or model, which this run does not have.",
    NO_INPUT: ": it could not be computed.",
    BY_DEFINITION: ": it is true by algebra, whatever the data.",
}
NO_NAME = "No input would bring them. The note of each number says why."
ON_OWN, ON_OTHER = (HOLDS, FAILS, OPEN), (AGREES, DISAGREES, UNCLEAR)  # of tested claims
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
    """Return what came of the claims of the papers, and on whose inputs."""
    n = Counter(claim["verdict"] for claim in tested)
    own, elsewhere = (sum(n[verdict] for verdict in some) for some in (ON_OWN, ON_OTHER))
    sentences = ["No claim could be tested on the papers' own inputs."]
    if own:
        sentences = [
            f"{_counted(own, 'claim', 'claims')} could be tested on the papers' own inputs: "
            f"{_counted(n[HOLDS], 'holds', 'hold')}, {_counted(n[FAILS], 'fails', 'fail')} and "
            f"{_counted(n[OPEN], 'is', 'are')} open."
        ]
    if elsewhere:
        sentences.append(
            f"{_counted(elsewhere, 'general claim was', 'general claims were')} tested on other "
            f"data: {_counted(n[AGREES], 'agrees', 'agree')}, "
            f"{_counted(n[DISAGREES], 'disagrees', 'disagree')} and "
            f"{_counted(n[UNCLEAR], 'is', 'are')} unclear."
        )
    other = {
        OTHER_DATA: "about a paper's own data or models",
        NO_INPUT: "without input",
        BY_DEFINITION: "true by definition",
    }
    told = [f"{n[verdict]:,} {what}" for verdict, what in other.items() if n[verdict]]
    if told:
        sentences.append(f"{len(tested) - own - elsewhere:,} were not tested: {listed(told)}.")
    return " ".join(sentences)


def false_decisions(tested: Sequence[Mapping[str, str]]) -> str:
    """Return how many of the claims (as in `claims`) would be decided wrongly by chance."""
    n = sum(claim["verdict"] in ON_OWN + ON_OTHER for claim in tested)
    return (
        f"Were all {n:,} tested claims at the border between true and false, "
        f"{2 * DECIDED * n:.1f} of them ({200 * DECIDED:.0f} %) would be decided by chance."
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
