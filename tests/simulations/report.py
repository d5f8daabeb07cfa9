"""The tables of docs/error-rates.md, from the figures that the simulations gave."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from socialbias.reporting.statements import read_statements
from tests.paths import REPOSITORY
from tests.simulations.claims import kinds_of
from tests.simulations.kinds import KINDS
from tests.simulations.looks import looks_section
from tests.simulations.simulate import AGAINST, EFFECT, FEWER, NONE, RUNS, SEED

OCCUPATIONS = Path(__file__).with_name("occupations.csv")
TEXTS = Path(__file__).with_name("texts.csv")
PAIRS = Path(__file__).with_name("trained_pairs.csv")
FIGURES = Path(__file__).with_name("figures.csv")
ADMITTED = 0.025  # of worlds without an effect, for each of the two verdicts
ERRORS = 3  # standard errors above it that are more than chance
WRONG = ["holds", "fails"]
WHOLE = ("cell",)  # of these one verdict has the errors of both sides
ROOM = 0.02  # of coverage around 95 %; twice as much where there are few worlds
# Kinds whose intervals may have another coverage, and why.
EXCEPTIONS = {
    "heterogeneity, 16 sets": "With three models the interval is slightly too narrow.",
    "heterogeneity, none": "A deviation cannot be below 0: an interval that starts at 0 contains "
    "it in 97.5 %.",
    "spearman": "Partly by chance: with the opposite effect it is 93 %.",
    "spearman, difference": "With eight professions, percentile intervals are wide.",
    "share by documents": "With eight documents or fewer, Student's t is wide, and the effective "
    "number of contexts never exceeds their number.",
    "share by documents, high": "As above.",
    "shares of the same documents, difference": "As above.",
    "same contexts, difference": "As above.",
    "precision and recall": "As above.",
    "people and rule, 8 targets": "With few documents, noise makes the correlation smaller than "
    "that of the true biases. A strong one is above the interval. Wrong verdicts are mostly "
    "`fails`.",
    "weat": "With few words per set, the spread of all words, which divides the effect, is "
    "uncertain.",
    "gaps of groups, margin": "The lower end allows for the largest possible noise, so the "
    "interval is wide if groups differ.",
}
# Kinds whose verdicts are wrong more often than they should be, and why.
ERRING = {
    "same contexts, difference": "With five documents, Student's t is approximate.",
    "people and rule, 8 targets": "Noise makes the correlation smaller (see below).",
    "kappa": "With 50 contexts or fewer, kappa is skewed.",
    "mean over targets": "With eight targets, the mean of a skewed number is skewed, too.",
    "weat": "With five words per set, the interval is too narrow (see below). `measure` compares "
    "with sets of neighbours instead.",
    "median over random lists": "With 20 lists, the quantiles are rough.",
}
HEAD = f"""\
Each kind was simulated in {RUNS:,} worlds without an effect and in {FEWER} with an effect in either
direction (seed {SEED}). The highest rate of a wrong verdict is LARGEST.
"""


def read_figures() -> pd.DataFrame:
    """The figures of the last generation."""
    return pd.read_csv(FIGURES)


def rates(table: pd.DataFrame, looks: pd.DataFrame) -> str:
    """Return the tables of the kinds and of sequential comparisons."""
    head = HEAD.replace("LARGEST", _share(erring(table)[WRONG].to_numpy().max()))
    parts = [head, *(_section(name, part) for name, part in table.groupby("kind", sort=False))]
    words = pd.concat(map(pd.read_csv, (OCCUPATIONS, TEXTS)))
    parts += [looks_section(looks), vectors_section(words), pairs_section(pd.read_csv(PAIRS))]
    return "\n".join([*parts, _errors(table), _exceptions(table), _claims(table)])


def vectors_section(table: pd.DataFrame) -> str:
    """Return how often `measure` finds something in real vectors, from the counts of worlds."""
    lines = ["## Words in real vectors and texts", ""]
    lines += ["Share of worlds in which a question has a p-value of .05 or less, by the number of"]
    lines += [
        "targets. Only occupations between women and men have a bias. Between topics, they are"
    ]
    lines += ["those that are not near a word of the topics.", ""]
    questions = ["spread", "direction", "outside", "contrast"]
    lines += ["| vectors or text | groups | targets | " + " | ".join(questions) + " | worlds |"]
    lines += ["|---|---|---|" + "--:|" * (len(questions) + 1)]
    for (vectors, groups, targets), rows in table.groupby(
        ["vectors", "groups", "targets"], sort=False
    ):
        cells = []
        for question in questions:
            own = rows[rows["question"] == question]
            shares = own["found"] / own["worlds"]
            each = [f"{n}: {_share(x)}" for n, x in zip(own["n"], shares, strict=True)]
            cells.append(", ".join(each))
        about = [vectors, groups, targets, *cells, str(rows["worlds"].max())]
        lines.append(f"| {' | '.join(about)} |")
    return "\n".join([*lines, ""])


def pairs_section(table: pd.DataFrame) -> str:
    """Return what `compare` says of pairs of trainings, also with the subjects exchanged."""
    lines = ["## Pairs of trainings", ""]
    lines += [
        "Vectors are trained on two bootstraps of one text. In the second, the targets take a"
    ]
    lines += ["share of the places of the group words. Equal pairs are counted in both orders. The"]
    lines += ["margin is 0.3.", ""]
    lines += ["| pairs | targets | share | question | worse | no worse | verdicts |"]
    lines += ["|---|--:|--:|---|--:|--:|--:|"]
    keys = ["pairs", "targets", "share", "question"]
    for (pairs, targets, share, question), rows in table.groupby(keys, sort=False):
        verdicts = [*rows["verdict"], *(rows["exchanged"] if share == 0 else ())]
        counts = [str(verdicts.count(name)) for name in ("worse", "no worse")]
        about = [pairs, str(targets), f"{share:g}", question, *counts, str(len(verdicts))]
        lines.append(f"| {' | '.join(about)} |")
    return "\n".join([*lines, ""])


def erring(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of worlds without an effect in which a verdict is wrong too often."""
    none = table[table["world"] == NONE]
    often = [any(is_often(row, verdict) for verdict in WRONG) for row in none.to_dict("records")]
    return none[often]


def is_often(row: Mapping, verdict: str) -> bool:
    """Whether a verdict is wrong more often than is admitted, by more than chance."""
    if row["kind"] == "cell" and verdict == "holds":
        return False  # where print is right
    admitted = ADMITTED * (2 if row["kind"] in WHOLE else 1)
    return row[verdict] > admitted + ERRORS * np.sqrt(admitted * (1 - admitted) / row["runs"])


def _rate(row: Mapping, verdict: str) -> str:
    said = _share(row[verdict])
    return f"**{said}**" if is_often(row, verdict) else said


def _errors(table: pd.DataFrame) -> str:
    lines = ["## Verdicts that are wrong more often", ""]
    for kind, rows in erring(table).groupby("kind", sort=False):
        rates = [
            f"{row[name]:.1%} with {row['size']} (`{name}`)".replace("%", " %")
            for row in rows.to_dict("records")
            for name in WRONG
            if is_often(row, name)
        ]
        lines.append(f"- {kind}: {', '.join(rates)}. {ERRING[kind]}")
    return "\n".join([*lines, ""])


def _section(name: str, part: pd.DataFrame) -> str:
    """One kind: a row for each size."""
    lines = [f"## {name}", "", f"{KINDS[name].says[0].upper()}{KINDS[name].says[1:]}.", ""]
    heads = ["size", "holds", "fails", "contrary", "power", "coverage", "contrary", "effect"]
    lines += [f"| {' | '.join(heads)} |", "|---" + "|--:" * (len(heads) - 1) + "|"]
    for size, rows in part.groupby("size", sort=False):
        by = rows.set_index("world").reindex([NONE, AGAINST, EFFECT])
        cells = [_rate(by.loc[NONE], verdict) for verdict in WRONG]
        cells += [_share(by.loc[world, "holds"]) for world in (AGAINST, EFFECT)]
        cells += [_covered(by.loc[world, "coverage"], world) for world in by.index]
        lines.append("| " + " | ".join([size, *cells]) + " |")
    return "\n".join([*lines, ""])


def _share(number: float) -> str:
    return "" if np.isnan(number) else f"{100 * number:.1f} %"


def outside(coverage: float, world: str) -> bool:
    """Whether a coverage is outside what is asked for, by more than so many worlds leave open."""
    return abs(coverage - 0.95) > (ROOM if world == NONE else 2 * ROOM)


def _covered(number: float, world: str) -> str:
    return f"**{_share(number)}**" if outside(number, world) else _share(number)


def uncovered(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of which an interval covers less or more than it should."""
    wrong = [
        outside(coverage, world)
        for coverage, world in zip(table["coverage"], table["world"], strict=True)
    ]
    return table[wrong]


def _exceptions(table: pd.DataFrame) -> str:
    lines = ["## Intervals with other coverage", ""]
    for name, rows in uncovered(table).groupby("kind", sort=False):
        low, high = rows["coverage"].min(), rows["coverage"].max()
        reach = _share(low) if low == high else f"{_share(low)} to {_share(high)}"
        lines.append(f"- {name}: {reach}. {EXCEPTIONS[name]}")
    return "\n".join([*lines, ""])


def _claims(table: pd.DataFrame) -> str:
    """Each statement, its kinds, and the most that any of them errs."""
    lines = ["## Claims and findings", ""]
    lines += ["The kinds of a statement follow from what its predicate compares. The rates are the"]
    lines += [
        "largest of these kinds, at any size, in worlds without an effect. Counted and printed"
    ]
    lines += ["numbers have no sampling error, and so no error rate.", ""]
    lines += ["| statement | kinds | holds | fails |", "|---|---|--:|--:|"]
    none = table[table["world"] == NONE]
    for name in ("claims", "findings"):
        for statement in read_statements(REPOSITORY / "resources" / f"{name}.yaml"):
            kinds = kinds_of(statement)
            part = none[none["kind"].isin(kinds)]
            rates = [_rate(part.loc[part[key].idxmax()], key) if len(part) else "" for key in WRONG]
            lines.append(f"| {statement.id} | {'; '.join(kinds)} | {' | '.join(rates)} |")
    return "\n".join([*lines, ""])
