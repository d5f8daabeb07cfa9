"""`compare` of two models by their decisions on the same items, all at once or in looks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from socialbias.commands.arguments import checked
from socialbias.commands.compare import (
    CANNOT_TELL,
    DIRECTION,
    NO_WORSE,
    check_margin,
    verdict,
    would_tell,
)
from socialbias.commands.measure_subject import software
from socialbias.commands.result import Result
from socialbias.commands.settings import DEFAULTS, Resampling
from socialbias.commands.subjects import Subject, file_provenance, open_subject
from socialbias.errors import UserError, naming_extras
from socialbias.measurement.estimates import bare_rows
from socialbias.stats import paired
from socialbias.stats.intervals import tails
from socialbias.stats.sequential import level_of_each, order_of_items, planned_looks
from socialbias.stats.similarity import Array
from socialbias.system.progress import Pace

LEFT_OUT = {False: "without --common the verdict is never 'no worse'", True: "left out"}
FEWEST_TERMS = 6  # `stats.paired.unseen_error`
COUNTED = ("towards the stereotype", "away from it", "of")
Labels = Mapping[str, Sequence[str]]  # by name, such as `term`, the label of each item
Decide = Callable[[Sequence[int]], Sequence[ArrayLike]]  # both models' decisions of such items


@dataclass(frozen=True)
class Rules:
    """How decisions are compared; all as for `compare_decisions`."""

    margin: float | None = None
    common: bool = False
    seed: int = DEFAULTS.seed
    level: float = DEFAULTS.level
    names: tuple[str, str] = ("first", "second")

    def __post_init__(self):
        check_margin(self.margin, most=1.0)
        Resampling(self.seed, self.level)


@checked
def compare_decisions(
    first: ArrayLike,
    second: ArrayLike,
    terms: Sequence[str],
    *,
    margin: float | None = None,
    common: bool = False,
    seed: int = DEFAULTS.seed,
    level: float = DEFAULTS.level,
    names: tuple[str, str] = ("first", "second"),
    labels: Labels | None = None,
    sequential: bool = False,
) -> Result:
    """Test whether the second model prefers the stereotype more often than the first.

    Args:
        first: (n,) decisions of the first: 1 if it prefers the stereotype, otherwise 0; shares
            in between are allowed, and NaN where it has no decision.
        second: (n,) decisions of the second on the same items.
        terms: (n,) the term of each item. Terms are the sampling unit.
        margin: The largest difference that would do no harm, as a share of the items.
        common: Whether items with one decision may be left out; otherwise the verdict is never
            `NO_WORSE` where there are some.
        seed: Random seed.
        level: Coverage of the interval.
        names: Of the two.
        labels: More labels of the items, (n,) each, such as `item` and `domain`.
        sequential: Whether to look at a growing part of the items and stop at the first verdict
            (`stats.sequential`). Needs a margin.

    Returns:
        The difference, second minus first, as a mean over terms, with the verdict.

    Raises:
        UserError: there are not as many terms as decisions, a decision is not from 0 to 1, or the
            margin is not between 0 and 1.
    """
    rules = Rules(margin, common, seed, level, names)
    try:
        sides = [np.ma.filled(np.ma.asarray(side, float), np.nan) for side in (first, second)]
    except (ValueError, TypeError) as error:
        raise UserError(f"decisions: {error}") from None
    if sides[0].shape != sides[1].shape or sides[0].ndim != 1:
        shapes = " and ".join(str(side.shape) for side in sides)
        raise UserError(f"decisions: need two equally long lists, not {shapes}")
    labels = {"term": terms, **(labels or {})}
    for name, each in labels.items():
        if len(each) != len(sides[0]):
            what = f"{len(sides[0])} items have decisions, but {len(each)} have"
            raise UserError(f"decisions: {what} {'terms' if name == 'term' else name}")
    if any(term is None or term != term for term in terms):
        raise UserError("decisions: an item has no term")
    if not sequential:
        return _compared(sides, labels, rules)
    return _first_verdict(lambda chosen: [side[chosen] for side in sides], labels, rules)


@naming_extras()
@checked
def compare_items(
    first: object,
    second: object,
    items: str | Path,
    *,
    margin: float | None = None,
    common: bool = False,
    seed: int = DEFAULTS.seed,
    level: float = DEFAULTS.level,
    sequential: bool = False,
    scoring: str | Sequence[str] = "corrected",
) -> Result:
    """Test whether the second language model prefers stereotypes more often than the first.

    Args:
        first: The baseline model, by its folder, its name on the hub, or the address of a server
            (`http(s)://host:port[/v1]`, and `#model` if the server has several).
        second: The model or subject to test.
        items: A file (`measure_items.read_items`): CSV, or StereoSet's JSON.
        margin: As for `compare_decisions`, and so are all that follow.
        common: See there.
        seed: See there.
        level: See there.
        sequential: See there; only the items that are looked at are scored.
        scoring: How sentences are scored: `corrected`, `released`, or the name of a scoring
            (`models.scoring_methods`); two names for the two sides.

    Raises:
        UserError: a model or the file cannot be read, or one `scoring` is not the same for both
            models.
    """
    rules = Rules(margin, common, seed, level)  # before the models are opened
    sides = [open_subject(side, served=True) for side in (first, second)]
    # Torch takes seconds to import: a missing model or a dead server is an error before that.
    from socialbias.commands.measure_items import Decider, read_items

    read = read_items(Path(items))
    scorings = _scorings(sides, [scoring] if isinstance(scoring, str) else [*scoring])
    rules = replace(rules, names=(sides[0].name, sides[1].name))

    if sequential:
        asked = [*map(Decider, sides, scorings)]

        def decide(chosen: Sequence[int]) -> list[Array]:
            return [ask([read.items[i] for i in chosen]) for ask in asked]

        result = _first_verdict(decide, read.labels, rules)
        told = [(ask.convention, ask.notes()) for ask in asked]
    else:
        told, decisions = [], []
        for side, name in zip(sides, scorings, strict=True):
            ask = Decider(side, name)
            decisions.append(ask(read.items))
            told.append((ask.convention, ask.notes()))
            del ask  # one model in memory at a time
            if np.isnan(decisions[-1]).all():
                raise UserError(told[-1][1][0])
        result = _compared(decisions, read.labels, rules)
    provenance, notes = [], [*result.notes]
    for side, (convention, more) in zip(sides, told, strict=True):
        provenance.append(side.provenance() | {"scoring": convention})
        notes += more
    provenance += [file_provenance(Path(items), "items"), software(seed)]
    return replace(result, provenance=provenance, notes=tuple(notes))


def _scorings(sides: Sequence[Subject], conventions: Sequence[str]) -> list[str]:
    """Return the scoring of each side; raise UserError if they differ and nobody asked for that."""
    from socialbias.commands.measure_items import kind_of
    from socialbias.models.scoring_methods import scoring_of

    if len(conventions) not in (1, 2):
        raise UserError("scoring: name one for both sides, or one for each")
    kinds = [kind_of(side) for side in sides]
    each = [*conventions, *conventions][:2]
    scorings = [scoring_of(name, kind) for name, kind in zip(each, kinds, strict=True)]
    if len(conventions) == 1 and scorings[0] != scorings[1]:
        both = " ".join(f"--scoring {name}" for name in scorings)
        raise UserError(
            f"{sides[0].name} and {sides[1].name}: are a {kinds[0]} and a {kinds[1]} model, whose "
            f"scores are different quantities: to compare their decisions all the same, add {both}"
        )
    return scorings


def in_looks(decide: Decide, labels: Labels, rules: Rules) -> Iterator[Result]:
    """Yield the comparison at each planned look (`stats.sequential`), by ever more of the items.

    All their intervals hold together with the level of the rules: any of them may be the last.
    `decide` is called with the places of the items that are new at a look, when it is asked for.
    """
    if rules.margin is None:
        raise UserError("sequential: needs a margin, the largest difference that would do no harm")
    of_items = {name: np.asarray(each, str) for name, each in labels.items()}
    places = order_of_items(of_items["term"].tolist(), rules.seed)
    planned = planned_looks(len(places))
    level, decided = level_of_each(planned, rules.level), np.empty((2, 0))
    for taken, size in enumerate(planned, 1):
        new = decide(places[decided.shape[1] : size])
        decided = np.hstack([decided, np.asarray(new, float)])
        if size < planned[-1] and np.isnan(decided).any(axis=0).all():
            continue  # none of these items has two decisions
        chosen = {name: each[places[:size]] for name, each in of_items.items()}
        looks = {"planned": planned, "taken": taken, "level of each": level}
        yield _compared(decided, chosen, rules, looks)


def _first_verdict(decide: Decide, labels: Labels, rules: Rules) -> Result:
    """Return the comparison at the first look that has a verdict, or at the last one."""
    pace, every = Pace(None), len(labels["term"])
    for result in in_looks(decide, labels, rules):
        if result.verdict != CANNOT_TELL:
            break
        if pace.due():
            left = f"{pace.left(result.n_of, every)} at most"
            pace.log(f"look {result.looks['taken']}: {result.n_of:,} of {every:,} items, {left}")
    return result


def _compared(
    sides: Sequence[Array], labels: Labels, rules: Rules, looks: dict | None = None
) -> Result:
    """Return the comparison of decisions (2, n); of several looks also which of them this is."""
    level = looks["level of each"] if looks else rules.level
    one, other = (np.asarray(side, float) for side in sides)
    if np.isnan(one + other).all():
        raise UserError("decisions: no item has a decision from both sides")
    try:
        estimate = paired.compare(other, one, labels["term"], rules.seed, level, rules.level)
    except ValueError as error:
        raise UserError(f"decisions: {error}") from None
    apart = other - one
    known = ~np.isnan(apart)
    labels = {name: np.asarray(each, str)[known] for name, each in labels.items()}
    names_of_terms, at = np.unique(labels["term"], return_inverse=True)
    means = np.bincount(at, apart[known]) / np.bincount(at)
    low, high = max(float(estimate.low[0]), -1.0), min(float(estimate.high[0]), 1.0)
    detectable, n_terms = float(estimate.detectable[0]), int(estimate.terms[0])
    missed = -math.log(tails(rules.level)[0]) / n_terms  # as in `stats.paired.unseen_error`
    # A look needs no power of its own: the later ones have more.
    answer = verdict(low, high, 0.0 if looks else detectable, rules.margin)
    notes = []
    if answer == CANNOT_TELL:
        if n_terms < FEWEST_TERMS:
            least = f"with fewer than {FEWEST_TERMS} the verdict is always '{CANNOT_TELL}'"
            notes.append(f"{n_terms} term{'s' * (n_terms != 1)}: {least}")
        else:
            notes.append(would_tell(detectable, rules.margin, "as many terms"))
    elif rules.margin and missed > max(rules.margin, float(estimate.error[0]) * 2):
        notes.append(
            f"{n_terms} terms may all miss a kind of term that makes up {100 * missed:.0f} % of "
            "all: if it differs by far from the others, this verdict is wrong more often"
        )
    if one_sided := int((np.isnan(one) != np.isnan(other)).sum()):
        left_out = "1 item has" if one_sided == 1 else f"{one_sided:,} items have"
        notes.append(f"{left_out} a decision of only one model: {LEFT_OUT[rules.common]}")
        answer = CANNOT_TELL if answer == NO_WORSE and not rules.common else answer
    of_one_look = {
        "p_value": float(estimate.p_value[0]),
        "test": "Student's t over terms, two-sided",
        "detectable": math.nan if detectable > 1 else detectable,  # shares differ by 1 at most
    }
    return Result(
        title=f"decisions of {rules.names[1]} compared with those of {rules.names[0]}",
        measure="decisions",
        statistic="mean difference over terms",
        value=float(estimate.difference[0]),
        low=low,
        high=high,
        level=rules.level,
        null=0.0,
        unit="share of items with the stereotype preferred",
        direction=DIRECTION,
        n=int(estimate.items[0]),
        n_of=int((~np.isnan(one) | ~np.isnan(other)).sum()),
        n_unit=f"items on {n_terms} term{'s' * (n_terms != 1)}",
        resampled="terms, with all their items" + ", for all looks together" * bool(looks),
        citation="paired by item, clustered by term (socialbias.stats.paired)",
        rows=bare_rows(names_of_terms.tolist(), means),
        notes=tuple(notes),
        verdict=answer,
        looks=looks or {},
        **_changes(one[known], other[known], labels),
        **({} if looks else of_one_look),
    )


def _changes(first: Array, second: Array, labels: Mapping[str, Sequence[str]]) -> dict:
    """Return the fields of a result on the decisions that differ: all, by label, and each item."""
    ways = np.sign(second - first)
    counts = np.stack([ways > 0, ways < 0, np.ones(len(ways), bool)])
    by = {}
    for label, values in labels.items():
        names, at = np.unique(values, return_inverse=True)
        of_each = np.stack([np.bincount(at, row, len(names)) for row in counts], axis=1)
        changed = of_each[:, :2].any(axis=1)
        by[label] = {
            name: dict(zip(COUNTED, row, strict=True))
            for name, row in zip(
                names[changed].tolist(), of_each[changed].astype(int).tolist(), strict=True
            )
        }
    by.pop("item", None)
    columns = {**labels, "first": first, "second": second}
    return {
        "changed": dict(zip(COUNTED, counts.sum(axis=1).tolist(), strict=True)),
        "changed_by": by,
        "changed_items": [
            {name: each[i].item() for name, each in columns.items()} for i in np.flatnonzero(ways)
        ],
    }
