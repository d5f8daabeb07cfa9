"""Printed numbers, each counted once, by kind: what came of them, and what chance would give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

import pandas as pd

from socialbias.pipeline.declarations import NumberKind
from socialbias.reporting.compare import (
    AGREES,
    BY_CHANCE,
    CONTRADICTS,
    EQUAL,
    NUMBER_VERDICTS,
    OPEN,
    OUTSIDE,
    PASSED,
    TRUNCATED,
    UNCLEAR,
    WITHIN,
)
from socialbias.reporting.methods_paragraph import listed
from socialbias.reporting.values import NO_INPUT

KINDS = get_args(NumberKind)
MEASURED = ("human judgement", "measured", "measured after training")
# Outcomes by inputs: a number on other inputs only stands beside print.
OWN_INPUTS, PART, OTHER = "on its own inputs", "on a part", "on other inputs"
INPUTS = {"exact": OWN_INPUTS, "subset": PART, NO_INPUT: NO_INPUT}
OUTCOMES = (*NUMBER_VERDICTS, PART, OTHER, NO_INPUT)
OF_COLUMNS = (AGREES, CONTRADICTS, UNCLEAR)
PRINTED, ALL = "printed", "all"
SAID = {  # of some printed numbers or columns, after their count
    EQUAL: "equal after rounding",
    TRUNCATED: "equal after truncation",
    WITHIN: "within our interval",
    OUTSIDE: "different",
    OPEN: "undecided",
    PART: "computed from a part of the paper's inputs",
    OTHER: "computed from other inputs",
    NO_INPUT: "without input",
    AGREES: "in the paper's order",
    CONTRADICTS: "in the opposite order",
    UNCLEAR: "in no clear order",
}
CHANCES = dict(zip(("equal by chance", "equal or within by chance"), BY_CHANCE, strict=True))


def counted(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells that stand for printed numbers, with the `outcome` of each."""
    numbers = cells[cells["counted"] == 1]
    judged = numbers["verdict"].isin(NUMBER_VERDICTS)
    by_inputs = numbers["fidelity"].map(INPUTS).fillna(OTHER)
    return numbers.assign(outcome=numbers["verdict"].where(judged, by_inputs))


def by_kind(numbers: pd.DataFrame, outcomes: Sequence[str] = OUTCOMES) -> pd.DataFrame:
    """Return how many numbers of each kind, and of all, had each outcome.

    What chance would give is the mean over all orders of the printed numbers of a column.
    """
    counts = pd.crosstab(numbers["kind"], numbers["outcome"])
    counts = counts.reindex(index=KINDS, columns=outcomes, fill_value=0)
    counts.insert(0, PRINTED, counts.sum(axis=1))
    counts = counts[counts[PRINTED] > 0]
    for after, (name, chance) in zip((EQUAL, WITHIN), CHANCES.items(), strict=True):
        if after in counts:
            by_chance = numbers.groupby("kind")[chance].sum()
            counts.insert(counts.columns.get_loc(after) + 1, name, by_chance)
    return pd.concat([counts, counts.sum().rename(ALL).to_frame().T]).rename_axis("kind")


def agreement(numbers: pd.DataFrame) -> dict[str, str]:
    """Return how much of the papers was reproduced, in a sentence each on what it is about.

    `numbers` are those of `counted`, with `where` they are printed.
    """
    own = numbers[numbers["outcome"].isin(NUMBER_VERDICTS)]
    measured = own[own["kind"].isin(MEASURED)]
    first = "No number that the papers measured was recomputed on their own inputs"
    exceptions = []
    for where, part in measured.groupby("where", sort=False):
        outcomes = [f"{n:,} {name}" for name, n in part["outcome"].value_counts().items()]
        exceptions.append(f"{len(part):,} in {where} ({listed(outcomes)})")
    same = own["outcome"].isin(PASSED)
    chance = f"{own[BY_CHANCE[-1]].sum():.0f} would by chance"
    verdicts = f": {same.sum():,} agree ({chance}) and {(~same).sum():,} do not"
    verdicts *= len(own) > 0
    agreeing = [
        f"{part['outcome'].isin(PASSED).sum():,} of {len(part):,} {kind}"
        for kind in KINDS
        if len(part := own[own["kind"] == kind])
    ]
    elsewhere = numbers["outcome"].isin([PART, OTHER]).sum()
    return {
        "measured": f"{first}, except {listed(exceptions)}." if exceptions else f"{first}.",
        "own inputs": f"Of {counted_as(len(numbers), 'printed number', 'printed numbers')}, "
        f"{len(own):,} could be computed from the papers' own inputs{verdicts}.",
        "kinds": f"By kind, these agree: {listed(agreeing)}." if agreeing else "",
        "other data": f"{counted_as(elsewhere, 'was', 'were')} computed from other data, and "
        f"{counted_as((numbers['outcome'] == NO_INPUT).sum(), 'has', 'have')} no input.",
    }


def of_artefact(counts: Mapping[str, int]) -> str:
    """Return what came of one artefact, in a sentence or two."""

    def each(names: Sequence[str]) -> str:
        some = [name for name in names if counts[name]]
        return listed([f"{counted_as(counts[name], 'is', 'are')} {SAID[name]}" for name in some])

    sentences = []
    if printed := counts[PRINTED]:
        of = counted_as(printed, "printed number", "printed numbers")
        sentences.append(f"Of {of}, {each(OUTCOMES)}.")
    if ranked := sum(counts[verdict] for verdict in OF_COLUMNS):
        of = counted_as(ranked, "column", "columns")
        sentences.append(f"Of {of} on other inputs, {each(OF_COLUMNS)}.")
    if counts["beyond"]:
        missing = counts["beyond_missing"]
        of = counted_as(counts["beyond"], "number is", "numbers are")
        sentences.append(f"{of} not in the paper{f' ({missing:,} without input)' * (missing > 0)}.")
    return " ".join(sentences)


def as_text(counts: pd.DataFrame) -> str:
    """Return a table of counts as plain text."""
    digits = {name: "{:.1f}" if name in CHANCES else "{:.0f}" for name in counts}
    return counts.to_string(formatters={name: form.format for name, form in digits.items()})


def counted_as(count: int, one: str, many: str) -> str:
    """Return a count with the word that fits it."""
    return f"{count:,} {one if count == 1 else many}"
