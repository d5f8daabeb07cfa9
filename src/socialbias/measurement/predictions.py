"""A classifier's predictions by group: rates, impact ratios and fairness metrics with intervals."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from socialbias.errors import UserError
from socialbias.measures.fairness import METRICS, fairness_table, predictions
from socialbias.measures.fairness.metrics import applicable
from socialbias.measures.fairness.scores import share_of
from socialbias.measures.fairness.table import DEALS, TOO_FEW_TERMS, Row
from socialbias.measures.fairness.variations import variations
from socialbias.stats.clustered import (
    counts_in_clusters,
    influence_of_counts,
    wilson,
)
from socialbias.stats.intervals import normal, student

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
SELECTED, SCORED = "selection rate", "scoring rate"
ERRORS = ("true positive rate", "false positive rate", "accuracy")
PAIRS = (("0", "1"), ("false", "true"), ("no", "yes"))  # classes of which the second is shown alone
RARE = 0.02  # share of the rows below which Local Law 144 allows to leave a group out of the ratios
MAX_NUMBER = 1e6
TOO_FEW = "no test: too few {}"
UNMOVED = "no test: the same however groups are exchanged"
UNKNOWN = "unknown"
NUMBERS = ("value", "low", "high", "impact_ratio", "impact_low", "impact_high")
UNITS = ("source", "term")
LABEL_FREE = ("parity", "p", "one p", "mean p")  # scores that ask for no true class
DEALT = 20_000_000  # examples times random deals of groups that are held in memory


@dataclass(frozen=True, eq=False)
class Classified:
    """A classifier's predictions for n examples; a column that there is not is None.

    Attributes:
        groups: (n,) the group of each example, by attribute; "" where it is unknown.
        classes: Names of the c classes.
        y_pred: (n,) predicted classes; of scores 1 above the median of all, otherwise 0.
        y_true: (n,) true classes.
        probabilities: (n, c).
        source: (n,) the example that each is a variation of.
        term: (n,) the word that names the group.
        rate: What the share of a group that is predicted to be of a class is called.
    """

    groups: dict[str, Sequence[str]]
    classes: list[str]
    y_pred: NDArray[np.str_]
    y_true: NDArray[np.str_] | None
    probabilities: Array | None
    source: NDArray[np.str_] | None
    term: NDArray[np.str_] | None
    rate: str = SELECTED

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[str]], by: Sequence[str]) -> Classified:
        """Return the predictions in columns of texts, as `measure_predictions` names them."""
        groups, kinds = {name: columns[name] for name in by}, ("prediction", "label", *UNITS)
        y_pred, y_true, *units = (
            np.array(columns[name]) if name in columns else None for name in kinds
        )
        classes = [name.partition(":")[2] for name in columns if name.startswith("probability:")]
        probabilities = np.array([columns[f"probability:{name}"] for name in classes], float).T
        if "probability" in columns:
            classes, positive = ["0", "1"], np.array(columns["probability"], float)
            probabilities = np.column_stack([1 - positive, positive])
        if "score" in columns:
            scores = np.array(columns["score"], float)
            y_pred = (scores > np.median(scores)).astype(int).astype(str)
        elif y_pred is None:
            y_pred = np.array(classes)[probabilities.argmax(axis=1)]
        if not classes:
            classes, probabilities = _classes({*y_pred.tolist(), *columns.get("label", ())}), None
        rate = SCORED if "score" in columns else SELECTED
        return cls(groups, classes, y_pred, y_true, probabilities, *units, rate)

    @property
    def shown(self) -> list[str]:
        """The classes with numbers: of two such as no and yes only the second."""
        pair = tuple(name.casefold() for name in self.classes)
        return self.classes[1:] if pair in PAIRS else self.classes

    def events(self) -> Iterator[tuple[str, str, NDArray, NDArray]]:
        """Yield rates: a name, a class, (n,) what is counted and (n,) among which examples."""
        every = np.full(len(self.y_pred), True)
        for name in self.shown:
            chosen = self.y_pred == name
            yield self.rate, name, chosen, every
            if self.y_true is not None:
                yield ERRORS[0], name, chosen, self.y_true == name
                yield ERRORS[1], name, chosen, self.y_true != name
        if self.y_true is not None:
            yield ERRORS[2], "", self.y_pred == self.y_true, every


def _classes(found: Collection[str]) -> list[str]:
    """Return the classes in order: of a pair such as no and yes also one that does not occur."""
    written = {name.casefold(): name for name in found}
    for pair in PAIRS:
        if len(written) == len(found) and written.keys() <= set(pair):
            return [written.get(name, name) for name in pair]
    return sorted(found)


def crossed(columns: Sequence[Sequence[str]], n: int) -> tuple[list[tuple[str, ...]], Ints]:
    """Return the combinations of groups that occur, and (n,) which of them each example has.

    The last one is of the examples with an unknown group.
    """
    rows = list(zip(*columns, strict=True)) or [()] * n
    names = [[name for name in dict.fromkeys(column) if name] for column in columns]
    there = set(rows)
    groups = [group for group in product(*names) if group in there]
    place = {group: i for i, group in enumerate(groups)}
    return [*groups, (UNKNOWN,)], np.array([place.get(row, len(groups)) for row in rows])


def group_rates(
    data: Classified,
    attributes: Sequence[str],
    *,
    level: float,
    reference: Collection[str] = (),
    min_share: float = 0.0,
) -> list[dict]:
    """Return the rates of groups of one attribute, or of combinations of groups, a dict each.

    `n` is the number of examples that a rate is of, and `selected` how many are counted. A rate of
    selection also has the impact ratio: the rate divided by that of the `reference`, by default the
    group with the highest rate. Groups with less than `min_share` of the examples have none, and
    are no reference. The last row counts the examples whose group is unknown. Without attributes,
    all examples are one group.
    """
    groups, owner = crossed([data.groups[name] for name in attributes], len(data.y_pred))
    names, sizes = [", ".join(group) for group in groups], np.bincount(owner, minlength=len(groups))
    shares = np.append(sizes[:-1] / max(sizes[:-1].sum(), 1), 1)
    named = np.array([{*group} <= {*reference} for group in groups])
    eligible = (shares >= min_share) | named
    eligible[-1] = False
    limit, rows = max(RARE, min_share), []
    few = f"less than {100 * limit:g} % of the rows"
    for metric, class_, hit, among in data.events():
        n, hits, rate, shared, *errors = _rates(data, hit[among], owner, among, len(groups), level)
        best = int(np.where(named if named.any() else eligible, rate, -1).argmax())
        ends = wilson(rate, *errors)
        numbers = np.stack([rate, *ends, *_ratios(rate, *ends, shared, best)])
        numbers[:, -1] = np.nan
        is_compared = bool(attributes) and metric == data.rate
        numbers[3:, ~eligible | (not is_compared)] = np.nan
        for i, name in enumerate(names):
            row = {"metric": metric, "class": class_, "by": ", ".join(attributes), "group": name}
            row |= {"n": int(n[i]), "selected": int(hits[i])}
            row |= dict(zip(NUMBERS, numbers[:, i].tolist(), strict=True))
            row["reference"] = names[best] if is_compared and eligible[i] else ""
            row["note"] = few if is_compared and shares[i] < limit else ""
            if i < len(groups) - 1 or (is_compared and n[i]):
                rows.append(row)
    return rows


def _rates(
    data: Classified, hit: NDArray, owner: Ints, among: NDArray, k: int, level: float
) -> tuple[Ints, Ints, Array, Array, Array, Array]:
    """Return of k groups the examples, those that are hit, their share, and its errors.

    Errors are the correlations of shares (k, k), how many independent examples would be worth as
    much, and how many standard errors an interval reaches to either side. Variations of a source,
    or with a term, are not independent: the variance is the largest of that over sources, that over
    terms, and their sum without what both have in common (Cameron, Gelbach and Miller 2011), and
    the effective number of examples follows from it (Kish 1965). Groups share sources.
    """
    hit, owner = hit.astype(int), owner[among]
    n, hits = np.bincount(owner, minlength=k), np.bincount(owner, hit, k)
    rate = share_of(hits, n)
    if data.source is None and data.term is None:
        return n, hits, rate, np.zeros((k, k)), n, np.full(k, normal(level))
    covariances, fewest, spread = [], n, rate * (1 - rate)
    for names in (data.term, data.source):
        names = np.arange(len(among)) if names is None else names
        units = np.unique(names[among], return_inverse=True)[1]
        counts = counts_in_clusters(hit, owner, units, 2)
        moved = influence_of_counts(*counts, k)
        covariances.append((moved.T @ moved).toarray())
        fewest = np.minimum(fewest, np.bincount(counts[1], minlength=k))
    over_terms, over_sources = (np.diag(each) for each in covariances)
    both = over_terms + over_sources - np.nan_to_num(share_of(spread, n - 1))
    variance = np.max([over_terms, over_sources, both], axis=0)
    shared = share_of(covariances[1], np.sqrt(np.outer(variance, variance)))
    effective = np.where(variance > 0, np.minimum(share_of(spread, variance), n), fewest)
    reach = student(level, np.maximum(fewest - 1, 1))
    return n, hits, rate, np.nan_to_num(shared), effective, reach


def _ratios(rate: Array, low: Array, high: Array, shared: Array, reference: int) -> Array:
    """Return (3, k) ratios to the rate of one group, and the ends of their intervals.

    They come from the ends of both rates' intervals and the rates' correlation (Zou and Donner
    2008), so that they are known where all are selected.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio, down, up = rate / rate[reference], np.log(rate / low), np.log(high / rate)
        ends = [
            ratio * np.exp(sign * np.sqrt(own**2 + other**2 - 2 * shared[reference] * own * other))
            for sign, own, other in ((-1, down, up[reference]), (1, up, down[reference]))
        ]
    found = np.stack([ratio, *ends])
    found[1:, reference] = np.nan
    return found


def fairness_rows(data: Classified, attribute: str, *, seed: int, level: float) -> list[dict]:
    """Return the metrics of Czarnowska et al. 2021 of one attribute that the columns allow.

    Without sources, each example is a unit: groups are exchanged at random among examples of the
    same label (for metrics that ask for none among all). With sources, they are exchanged within.
    """
    groups = np.array(data.groups[attribute])
    kept = np.flatnonzero(groups != "")
    n, groups = len(kept), groups[kept]
    own = {name: getattr(data, name) for name in ("y_true", "y_pred", "probabilities", *UNITS)}
    own = {name: column[kept] for name, column in own.items() if column is not None}
    unit = "source" if "source" in own else "y_true"
    if unit in own and len({*zip(own[unit], groups, strict=True)}) == len({*own[unit]}):
        unit = unit.replace("y_true", "label")
        advice = f"groups are compared on examples of the same {unit}"
        raise UserError(f"each {unit} occurs in one {attribute} only, but {advice}")
    # Without labels no metric reads `y_true`; without terms each example is one.
    own = {"y_true": [data.classes[0]] * n, "source": ["all"] * n, "term": np.arange(n)} | own
    given = conditional = predictions(**own, group=groups, classes=data.classes)
    if data.source is None and data.y_true is not None:
        conditional = predictions(
            **own, group=groups, classes=data.classes, word_class=own["y_true"]
        )
    how = {"seed": seed, "level": level, "classes": data.shown}
    how["null_deals"] = int(np.clip(DEALT // n, 200, DEALS))
    tuples = None if data.source is None else variations(given, seed)
    names, rows = applicable(given, tuples), []
    free = [name for name in names if METRICS[name].phi in LABEL_FREE]
    labelled = [name for name in names if name not in free and data.y_true is not None]
    for each, wanted in ((given, free), (conditional, labelled)):
        if wanted:
            with np.errstate(invalid="ignore"):  # ratios to rates of 0
                found = fairness_table(each, wanted, **how)
            rows += [_plain(row, attribute, data.term is not None) for row in found]
    return rows


def _plain(row: Row, attribute: str, terms_known: bool) -> dict:
    """Return a row of the engine, as a dict, without a test that no exchange could decide."""
    cells = {("class" if key == "class_" else key): value for key, value in row._asdict().items()}
    few = TOO_FEW.format("terms" if terms_known else "examples")
    parts = row.note.replace(TOO_FEW_TERMS, few).split("; ")
    cells["note"] = "; ".join(part for part in parts if terms_known or "terms" not in part)
    if np.allclose([row.null_mean, row.null_high], row.value, rtol=0, atol=1e-12):
        cells |= {"p_value": math.nan, "note": cells["note"] or UNMOVED}
    if METRICS[row.metric].kind == "PCM" and "-" in METRICS[row.metric].d:  # of two shares
        cells |= {"low": max(row.low, -1.0), "high": min(row.high, 1.0)}
    if row.null_high > MAX_NUMBER:
        cells["null_high"] = math.nan  # of ratios to rates of 0
    return cells | {"by": attribute}
