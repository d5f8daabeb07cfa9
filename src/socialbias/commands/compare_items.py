"""`compare` of two models by their decisions on the same items, all at once or in looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from socialbias.commands import decision_files
from socialbias.commands.compare import DIRECTION
from socialbias.commands.measure_subject import software
from socialbias.commands.result import Result
from socialbias.commands.settings import DEFAULTS, Resampling, with_options
from socialbias.commands.subjects import Subject, file_provenance, open_subject
from socialbias.errors import UserError, naming_extras
from socialbias.files.paths import expanded
from socialbias.measurement.estimates import bare_rows
from socialbias.measurement.items import (
    AWAY,
    TOWARDS,
    Comparison,
    Decide,
    Labels,
    Rules,
    compare,
    in_looks,
)
from socialbias.measurement.verdicts import CANNOT_TELL
from socialbias.models.items import Item
from socialbias.stats.similarity import Array
from socialbias.system.progress import Pace

if TYPE_CHECKING:  # a light installation has no torch
    from socialbias.measurement.preferences import Decider


class RuleOptions(TypedDict, total=False):
    """Options of comparisons of decisions.

    Attributes:
        margin: The largest difference that would do no harm, as a share of the items.
        common: Whether to leave out items with one decision; otherwise the verdict must be the same
            whatever the missing ones are.
        seed: Random seed.
        level: Coverage of the interval.
        sequential: Whether to look at a growing part of the items and stop at the first verdict
            (`stats.sequential`). Needs a margin.
    """

    margin: float | None
    common: bool
    seed: int
    level: float
    sequential: bool


def _rules(options: RuleOptions, ways: tuple[str, str] = (TOWARDS, AWAY)) -> tuple[Rules, bool]:
    """Return how to compare decisions, and whether in looks."""
    known = {"margin": None, "common": False, "seed": DEFAULTS.seed, "level": DEFAULTS.level}
    known |= options
    sequential = known.pop("sequential", False)
    Resampling(known["seed"], known["level"])
    return Rules(**known, ways=ways), sequential


@with_options(RuleOptions)
def compare_decisions(
    first: ArrayLike,
    second: ArrayLike,
    terms: Sequence[str],
    *,
    names: tuple[str, str] = ("first", "second"),
    labels: Labels | None = None,
    **options: Unpack[RuleOptions],
) -> Result:
    """Test whether the second model prefers the stereotype more often than the first.

    Args:
        first: (n,) decisions of the first: 1 if it prefers the stereotype, otherwise 0; shares
            in between are allowed, and NaN where it has no decision.
        second: (n,) decisions of the second on the same items.
        terms: (n,) the term of each item. Terms are the sampling unit.
        names: Of the two.
        labels: More labels of the items, (n,) each, such as `item` and `domain`.
        options: See `RuleOptions`.

    Returns:
        The difference, second minus first, as a mean over terms, with the verdict.

    Raises:
        UserError: there are not as many terms as decisions, a decision is not from 0 to 1, or the
            margin is not between 0 and 1.
    """
    rules, sequential = _rules(options)
    try:
        sides = [np.ma.filled(np.ma.asarray(side, float), np.nan) for side in (first, second)]
    except (ValueError, TypeError) as error:
        raise UserError(f"decisions: {error}") from None
    labels = {"term": terms, **(labels or {})}
    lengths = {name: len(each) for name, each in labels.items()}
    if sides[0].ndim != 1 or {*lengths.values(), len(sides[1])} != {len(sides[0])}:
        shapes = f"{sides[0].shape} and {sides[1].shape}"
        raise UserError(f"decisions: must be equally long lists, not {shapes}, with {lengths}")
    if any(term is None or term != term for term in terms):
        raise UserError("decisions: an item has no term")
    return _compared(
        lambda chosen: [side[chosen] for side in sides], labels, rules, names, sequential
    )


@with_options(RuleOptions)
def compare_logs(
    first: str | Path,
    second: str | Path,
    *,
    term: str | None = None,
    metric: str | None = None,
    **options: Unpack[RuleOptions],
) -> Result:
    """Test whether the second model prefers stereotypes more often, by logs of a harness.

    Args:
        first: The baseline's log: `samples_*.jsonl` of lm-evaluation-harness, `.eval` or `.json` of
            Inspect, or the folder of a run of HELM.
        second: The log of the model to test, of the same items and prompts.
        term: The field of the items with their terms, or `item` if each is one.
        metric: The metric that is the decision, where higher is worse; `1-NAME` otherwise.
        options: See `RuleOptions`.

    Raises:
        UserError: a log cannot be read, or the two are not of the same question.
    """
    rules, sequential = _rules(options, ("higher", "lower") if metric else (TOWARDS, AWAY))
    logs = [decision_files.read_log(expanded(path)) for path in (first, second)]
    items = [decision_files.decided(log, term, metric) for log in logs]
    decision_files.check_alike(*logs, items)
    names = decision_files.names_of(logs)
    known = {**items[1], **items[0]}
    keys = sorted(known)  # whichever log is the first
    labels = {
        name: [known[key].labels[name] for key in keys]
        for name in ("item", "term", "domain")
        if all(name in each.labels for each in known.values())
    }
    sides = [
        np.array([side[key].range if key in side else (0.0, 1.0) for key in keys]).T
        for side in items
    ]
    result = _compared(
        lambda chosen: [side[:, chosen] for side in sides], labels, rules, names, sequential
    )
    how, notes = decision_files.described(logs, items, names, metric)
    provenance = []
    for log, name in zip(logs, names, strict=True):
        files = [each for path in log.files for each in file_provenance(path, "log")["files"]]
        entry = {"role": "log", "name": name, "format": log.harness}
        provenance.append(entry | {"files": files, "scoring": how})
    more = {"notes": (*result.notes, *notes), "provenance": [*provenance, software(rules.seed)]}
    if metric:
        more |= {"unit": f"share of items, {metric}"}
        more |= {"direction": f"above 0: {metric} is higher in the second (worse)"}
    return replace(result, **more)


@naming_extras()
@with_options(RuleOptions)
def compare_items(
    first: object,
    second: object,
    items: str | Path,
    *,
    scoring: str | Sequence[str] = "corrected",
    **options: Unpack[RuleOptions],
) -> Result:
    """Test whether the second language model prefers stereotypes more often than the first.

    Args:
        first: The baseline model, by its folder, its name on the hub, or the address of a server
            (`http(s)://host:port[/v1]`, and `#model` if the server has several).
        second: The model or subject to test.
        items: A file (`measure_items.read_items`): CSV, StereoSet, CrowS-Pairs, WinoBias or
            Winogender.
        scoring: How sentences are scored: `corrected`, `released`, or the name of a scoring
            (`models.scoring_methods`); two names for the two sides.
        options: See `RuleOptions`. If `sequential`, only the items that are looked at are scored.

    Raises:
        UserError: a model or the file cannot be read, or one `scoring` is not the same for both
            models.
    """
    rules, sequential = _rules(options)  # before the models are opened
    sides = [open_subject(side, served=True) for side in (first, second)]
    # Torch takes seconds to import: a missing model or a dead server is an error before that.
    from socialbias.commands.measure_items import decider, read_items

    read = read_items(Path(items))
    kind = type(read.items[0])
    scorings = _scorings(sides, [scoring] if isinstance(scoring, str) else [*scoring], kind)
    told: dict[int, tuple[dict, list[str]]] = {}
    loaded: dict[int, Decider] = {}  # models that are asked again

    def decide(chosen: Sequence[int]) -> list[Array]:
        decisions = []
        for i, (side, name) in enumerate(zip(sides, scorings, strict=True)):
            ask = loaded.get(i) or decider(side, name)
            decisions.append(ask([read.items[k] for k in chosen]))
            told[i] = ask.convention, ask.notes()
            if sequential:
                loaded[i] = ask
            elif np.isnan(decisions[-1]).all():
                raise UserError(told[i][1][0])
            del ask  # otherwise one model in memory at a time
        return decisions

    names = (sides[0].name, sides[1].name)
    result = _compared(decide, read.labels, rules, names, sequential)
    provenance, notes = [], [*result.notes]
    for side, (convention, more) in zip(sides, told.values(), strict=True):
        provenance.append(side.provenance() | {"scoring": convention})
        notes += more
    provenance += [file_provenance(Path(items), "items"), software(rules.seed)]
    return replace(result, provenance=provenance, notes=tuple(notes))


def _scorings(sides: Sequence[Subject], conventions: Sequence[str], kind: type[Item]) -> list[str]:
    """Return the scoring of each side; raise UserError if they differ and nobody asked for that."""
    from socialbias.commands.measure_items import kind_of
    from socialbias.models.scoring_methods import scoring_of

    if len(conventions) not in (1, 2):
        raise UserError("scoring: name one for both sides, or one for each")
    kinds = [kind_of(side) for side in sides]
    each = [*conventions, *conventions][:2]
    scorings = [scoring_of(name, of, kind) for name, of in zip(each, kinds, strict=True)]
    if len(conventions) == 1 and scorings[0] != scorings[1]:
        both = " ".join(f"--scoring {name}" for name in scorings)
        raise UserError(
            f"{sides[0].name} and {sides[1].name}: are a {kinds[0]} and a {kinds[1]} model, whose "
            f"scores are different quantities: to compare their decisions all the same, add {both}"
        )
    return scorings


def _compared(
    decide: Decide, labels: Labels, rules: Rules, names: Sequence[str], sequential: bool
) -> Result:
    """Return the comparison of all items, or with looks at the first that has a verdict."""
    pace, every = Pace(None), len(labels["term"])
    if not sequential:
        return _result(compare(decide(np.arange(every)), labels, rules), rules, names)
    for compared in in_looks(decide, labels, rules):
        if compared.verdict != CANNOT_TELL:
            break
        if pace.due():
            left = f"{pace.left(compared.n_of, every)} at most"
            pace.log(
                f"look {compared.looks['taken']}: {compared.n_of:,} of {every:,} items, {left}"
            )
    return _result(compared, rules, names)


def _result(compared: Comparison, rules: Rules, names: Sequence[str]) -> Result:
    """Return a comparison with what its numbers mean."""
    numbers = dict(vars(compared))
    terms, means = numbers.pop("terms"), numbers.pop("means")
    return Result(
        title=f"decisions of {names[1]} compared with those of {names[0]}",
        measure="decisions",
        statistic="mean difference over terms",
        level=rules.level,
        null=0.0,
        unit="share of items with the stereotype preferred",
        direction=DIRECTION,
        n_unit=f"items on {len(terms)} term{'s' * (len(terms) != 1)}",
        resampled="terms, with all their items" + ", for all looks together" * bool(compared.looks),
        test="" if compared.looks else "Student's t over terms, two-sided",
        citation="paired by item, clustered by term (socialbias.stats.paired)",
        rows=bare_rows(terms, means),
        **numbers,
    )
