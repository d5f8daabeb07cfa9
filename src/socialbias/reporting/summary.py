"""The result of a run in three sentences, for a reader who has never seen the project."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from socialbias.reporting.statements import DECIDED, FAILS, HOLDS, OPEN
from socialbias.reporting.values import NO_INPUT

MOST_NAMED = 5  # inputs that a sentence names; the table of inputs has all
LARGER = "use a larger"  # in the note of a cell whose input is there, but too small for it
LARGER_INPUT = "a larger text or larger vectors"
NO_NAME = "what no input gives"  # a setting, or nothing that there is


@dataclass(frozen=True)
class MissingInput:
    """An input that a run lacks.

    Attributes:
        name: What the configuration calls it.
        what: What it is, in a sentence or two.
        how: Why it is missing and how to get it, as the notes of cells say it.
    """

    name: str
    what: str
    how: str


def agreement(counts: Mapping[str, float]) -> str:
    """How much of the papers came out again.

    Args:
        counts: Of the whole run: columns that `agrees`, are `identical`, `contradicts` and are
            `undecided_columns`, and how many would agree by chance (`agrees_if_shuffled`); numbers
            that are `exact`, `compatible`, `differs` and `undecided`, and how many would pass by
            chance (`passed_if_shuffled`).
    """
    agree = counts["agrees"] + counts["identical"]
    against, open_ = counts["contradicts"], counts["undecided_columns"]
    compared = agree + against + open_
    sentences = ["No column of numbers could be compared with a paper's."]
    if compared:
        sentences = [
            f"Of the {_counted(compared, 'column', 'columns')} that could be compared with a "
            f"paper's, {_counted(agree, 'orders its', 'order their')} rows as the paper does, "
            f"{_counted(against, 'contradicts', 'contradict')} it and "
            f"{_counted(open_, 'is', 'are')} undecided; by chance alone "
            f"{counts['agrees_if_shuffled']:.1f} would agree."
        ]
    judged = sum(counts[verdict] for verdict in ("exact", "compatible", "differs", "undecided"))
    if judged:
        sentences.append(
            f"Of the {judged:,} numbers that were judged one by one, "
            f"{_counted(counts['exact'], 'is', 'are')} exact, {counts['compatible']:,} compatible, "
            f"{_counted(counts['differs'], 'differs', 'differ')} and "
            f"{_counted(counts['undecided'], 'is', 'are')} undecided; by chance "
            f"{counts['passed_if_shuffled']:.1f} would be exact or compatible."
        )
    else:
        sentences.append("No number is judged by itself: that needs the papers' own inputs.")
    return " ".join(sentences)


def of_artefact(counts: Mapping[str, float]) -> str:
    """What came of one artefact, in a sentence.

    Args:
        counts: As for `agreement`, with `numbers`, `printed`, `no_input`, `too_few` and `too_weak`.
    """
    said = []
    if not counts["printed"]:
        said.append(f"{_counted(counts['numbers'], 'number', 'numbers')} that the paper has not")
    agree = counts["agrees"] + counts["identical"]
    columns = {
        ("column agrees", "columns agree"): agree,
        ("contradicts", "contradict"): counts["contradicts"],
        ("is undecided", "are undecided"): counts["undecided_columns"],
    }
    numbers = {
        ("number is exact", "numbers are exact"): counts["exact"],
        ("compatible", "compatible"): counts["compatible"],
        ("differs", "differ"): counts["differs"],
        ("undecided", "undecided"): counts["undecided"],
    }
    for kinds, noun in ((columns, "columns"), (numbers, "numbers")):
        total = sum(kinds.values())
        found = [_counted(n, *words) for words, n in kinds.items() if n]
        if total:
            first = next(words for words, n in kinds.items() if n)
            of = "" if noun in first[1] else f"of {_counted(total, noun[:-1], noun)} "
            said.append(of + _listed(found))
    if counts["printed"] and not said:
        said.append("nothing could be compared with the paper")
    lacking = {"no input": counts["no_input"], "too few": counts["too_few"]}
    lacking["too weak"] = counts["too_weak"]
    empty = [f"{n:,} {what}" for what, n in lacking.items() if n]
    if empty:
        said.append(f"of {_counted(counts['numbers'], 'number', 'numbers')} {_listed(empty)}")
    sentence = "; ".join(said)
    return f"{sentence[0].upper()}{sentence[1:]}."


def claims(tested: Sequence[Mapping[str, str]]) -> str:
    """How many claims of the papers hold, and on whose inputs.

    Args:
        tested: The claims, each with `verdict`, `kind` and `fidelity`.
    """
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
        tested_on = "Tested on other inputs than the paper's:"
        sentence += f" {tested_on} {elsewhere:,} of the {len(decided):,} that hold or fail."
    if others := len(tested) - len(counted):
        sentence += f" Not counted: {others:,} that are true by definition or cannot be shown."
    return sentence


def false_decisions(tested: Sequence[Mapping[str, str]]) -> str:
    """How many claims would be decided wrongly by chance; arguments are those of `claims`."""
    n = sum(not claim["kind"] and claim["verdict"] != NO_INPUT for claim in tested)
    return (
        f"Were all {n:,} tested claims at the border between true and false, "
        f"{2 * DECIDED * n:.1f} of them ({200 * DECIDED:.0f} %) would hold or fail by chance."
    )


def coverage(
    cells: int, too_few: int, too_weak: int, notes: Sequence[str], missing: list[MissingInput]
) -> str:
    """How many numbers could not be computed, and what would give most of them.

    Args:
        cells: All numbers that there could be.
        too_few: Those that rest on too little to be judged.
        too_weak: Those whose measuring did not pass its own test.
        notes: Of each number that could not be computed, why not.
        missing: The inputs that the run lacks.
    """
    sentence = (
        f"Of {cells:,} numbers, {len(notes):,} could not be computed (no input), "
        f"{_counted(too_few, 'rests', 'rest')} on too little to be judged (too few), and of "
        f"{too_weak:,} what measured them did not pass its own test (too weak)."
    )
    if not notes:
        return sentence
    needs = what_would_fill(notes, missing)
    unnamed = dict(needs).get(NO_NAME, 0)
    needs = [need for need in needs if need[0] != NO_NAME]
    named = [f"{what} ({count:,})" for what, count in needs[:MOST_NAMED]]
    if others := len(needs) - len(named):
        named.append(_counted(others, "other input", "other inputs"))
    said = [f"What would give those without input: {_listed(named)}"] if named else []
    if unnamed:
        said.append(f"the notes of {unnamed:,} say why there is none")
    told = "; ".join(said)
    return f"{sentence} {told[0].upper()}{told[1:]}."


def what_would_fill(notes: Iterable[str], missing: Sequence[MissingInput]) -> list[tuple[str, int]]:
    """What empty cells need, and how many cells need it; most first.

    A cell that lacks several inputs counts for each. Inputs that are missing for the same reason
    count as the first of them.

    Args:
        notes: Of each empty cell, why it is empty.
        missing: The inputs that the run lacks.
    """
    by_reason = {one.how: _in_short(one.what) for one in reversed(missing)}
    counts: Counter[str] = Counter()
    for note in notes:
        # Reasons are joined by semicolons, and may have some themselves.
        inputs = {what for how, what in by_reason.items() if f"; {how}; " in f"; {note}; "}
        counts.update(inputs or {LARGER_INPUT if LARGER in note else NO_NAME})
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _in_short(what: str) -> str:
    """The first clause of a description, to stand inside a sentence."""
    clause = re.split(r"[.,:;](?:\s|$)|\s\(", what, maxsplit=1)[0]
    first = clause.split(" ")[0]
    return clause[0].lower() + clause[1:] if first == "A" or first[1:].islower() else clause


def _counted(count: int, one: str, many: str) -> str:
    """A count with the word that fits it."""
    return f"{count:,} {one if count == 1 else many}"


def _listed(items: list[str]) -> str:
    """Items as a sentence lists them."""
    return f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else items[0]
