"""The counts of a run in sentences, and what would fill its empty cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from socialbias.reporting.kinds import counted_as
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
# What the verdict on a claim says of it; the inputs follow, if there are any.
OF_A_CLAIM = {
    **dict.fromkeys((HOLDS, FAILS, OPEN, AGREES, DISAGREES, UNCLEAR), ""),
    OTHER_DATA: ": not tested, since it is about the paper's own data or model",
    NO_INPUT: ": not tested, since inputs are missing",
    BY_DEFINITION: ": true by algebra, whatever the data",
}
ON_OWN, ON_OTHER = (HOLDS, FAILS, OPEN), (AGREES, DISAGREES, UNCLEAR)  # of tested claims


@dataclass(frozen=True)
class MissingInput:
    """An input that a run lacks."""

    name: str  # what the configuration calls it
    what: str  # what it is, in a sentence or two
    how: str  # why it is missing and how to get it, as the notes of cells say it
    gigabytes: float = 0  # size of the paper's own; 0 if it is not known
    core_hours: float = 0  # that the jobs take that depend on it
    title: str = ""  # of the paper's own

    @property
    def short(self) -> str:
        """What it is, in a few words."""
        return self.title or re.split(r"[.;:(]", self.what)[0].strip()

    @property
    def size(self) -> str:
        """Its size for a reader."""
        if self.gigabytes >= 0.1:
            return f"{self.gigabytes:.1f} GB"
        return f"{1000 * self.gigabytes:.0f} MB" if self.gigabytes else ""

    @property
    def hours(self) -> str:
        """The hours for a reader."""
        return f"{self.core_hours:.1f}" if self.core_hours else ""


LARGER_INPUT = MissingInput("", "A larger text, or vectors with more words", "")
NO_NAME = MissingInput("", "Nothing that could be had (each number says why)", "")


def claims(tested: Sequence[Mapping[str, str]]) -> str:
    """Return what came of the claims of the papers, and on whose inputs."""
    n = Counter(claim["verdict"] for claim in tested)
    own, elsewhere = (sum(n[verdict] for verdict in some) for some in (ON_OWN, ON_OTHER))
    sentences = ["No claim could be tested on the papers' own inputs."]
    if own:
        sentences = [
            f"{counted_as(own, 'claim', 'claims')} could be tested on the papers' own inputs: "
            f"{counted_as(n[HOLDS], 'holds', 'hold')}, {counted_as(n[FAILS], 'fails', 'fail')} and "
            f"{counted_as(n[OPEN], 'is', 'are')} open."
        ]
    if elsewhere:
        sentences.append(
            f"{counted_as(elsewhere, 'general claim was', 'general claims were')} tested on other "
            f"data: {counted_as(n[AGREES], 'agrees', 'agree')}, "
            f"{counted_as(n[DISAGREES], 'disagrees', 'disagree')} and "
            f"{counted_as(n[UNCLEAR], 'is', 'are')} unclear."
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


def what_would_fill(
    notes: Iterable[str], missing: Sequence[MissingInput]
) -> list[tuple[MissingInput, int]]:
    """Return what empty cells need, and how many cells need it; most first, and `NO_NAME` last.

    A cell that lacks several inputs counts for each. Inputs that are missing for the same reason
    count as the first of them.
    """
    by_reason = {one.how: one for one in reversed(missing)}
    counts: Counter[MissingInput] = Counter()
    for note in notes:
        # Reasons are joined by semicolons, and may have some themselves.
        inputs = {one for how, one in by_reason.items() if f"; {how}; " in f"; {note}; "}
        counts.update(inputs or {LARGER_INPUT if LARGER in note else NO_NAME})
    return sorted(counts.items(), key=lambda item: (item[0] == NO_NAME, -item[1], item[0].what))
