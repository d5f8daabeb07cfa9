"""Which documents make a number? Its regression on how often a bootstrap drew each document.

Every bootstrap replicate draws documents with replacement and gives a model and a measure. With R
replicates and D documents, D far above R, the coefficients are not determined: ridge spreads
what R - 1 contrasts say over all documents, and the order of documents is mostly noise when R is
small (a document's correlation with the measure has a standard error of about 1/sqrt(R): with
20 replicates, .22, among thousands of documents). So the fit comes with its error on replicates
left out and a permutation test, and only retraining without the top documents shows that they
matter. Least squares on a few *groups* of documents (sections, books, years) needs R above the
number of groups and is the sharper question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from socialbias.artefacts.values import value
from socialbias.measures.similarity import Array
from socialbias.papers.bad_seeds.inputs import Input
from socialbias.seeding import generator

FEWEST_REPLICATES = 3
SHOWN = 5  # documents on each side
Trainer = Callable[[np.ndarray], float]


def influences(counts: ArrayLike, measures: ArrayLike, ridge: float = 1.0) -> Array:
    """The change of a measure for one more copy of each document.

    Args:
        counts: (R, D) how often each replicate drew each document.
        measures: (R,) the measure in each replicate.
        ridge: Penalty, as a share of the mean squared length of a replicate's centred counts. 0
            is the least-squares solution of smallest length; a large one gives coefficients
            proportional to the covariance of measure and counts, which is the infinitesimal
            jackknife's estimate (Efron 2014) up to its scale.

    Returns:
        (D,) coefficients, in the measure's unit a copy.

    Raises:
        ValueError: fewer than three replicates, unequal numbers of them, a negative penalty, or
            a number that is not finite.
    """
    x, y = _centred(counts, measures)
    return x.T @ _solve(x @ x.T, y, ridge)  # as small a problem as there are replicates


def left_out_r2(counts: ArrayLike, measures: ArrayLike, ridge: float = 1.0) -> float:
    """How much of a replicate's measure the others predict, 1 at best; below 0, worse than a mean.

    Args:
        counts: As for `influences`, with R of four or more.
        measures: As for `influences`.
        ridge: As for `influences`.

    Returns:
        1 - squared error of the predictions over that of the mean of the others; NaN where the
        measure does not vary.

    Raises:
        ValueError: as `influences`, or fewer than four replicates.
    """
    products, y = _products(counts, measures)
    return _left_out_r2(products, y, ridge)


def _left_out_r2(products: Array, y: Array, ridge: float) -> float:
    """`left_out_r2` from the inner products of the replicates' counts, (R, R)."""
    errors, spread = 0.0, 0.0
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        known, middle = products[np.ix_(rest, rest)], y[rest].mean()
        contrasts = _centring(len(known))
        centred = contrasts @ known @ contrasts
        weights = _solve(centred, y[rest] - middle, ridge)
        # What the replicate left out has in common with each of the others, both centred.
        common = contrasts @ (products[rest, i] - known.mean(axis=1))
        errors += (y[i] - middle - common @ weights) ** 2
        spread += (y[i] - middle) ** 2
    return 1 - errors / spread if spread > 0 else float("nan")


def permutation_p(
    counts: ArrayLike,
    measures: ArrayLike,
    ridge: float = 1.0,
    draws: int = 199,
    rng: np.random.Generator | None = None,
) -> float:
    """p-value of `left_out_r2` under measures shuffled over the replicates.

    The observed order counts among the draws: (1 + at least as good) / (1 + draws).

    Raises:
        ValueError: as `left_out_r2`, or there is no `rng`.
    """
    if rng is None:
        raise ValueError("shuffling the measures takes a random generator")
    products, y = _products(counts, measures)
    observed = _left_out_r2(products, y, ridge)
    null = [_left_out_r2(products, rng.permutation(y), ridge) for _ in range(draws)]
    return float((1 + (np.array(null) >= observed - 1e-12).sum()) / (1 + draws))


def top_documents(
    coefficients: ArrayLike, names: Sequence[str], top: int, lengths: ArrayLike | None = None
) -> pd.DataFrame:
    """The documents that raise and that lower a measure most.

    Args:
        coefficients: (D,) from `influences`.
        names: D ids of documents.
        top: How many of each.
        lengths: (D,) words in each document; long ones move more.

    Returns:
        Columns `document`, `index`, `influence`, `words` (NaN where unknown), `side` (`raises`,
        `lowers`); largest first, of equal ones the first document first. A document whose
        influence is zero is on neither side.
    """
    numbers = np.asarray(coefficients, dtype=float)
    words = np.full(len(numbers), np.nan) if lengths is None else np.asarray(lengths, dtype=float)
    parts = []
    for side, sign in (("raises", 1), ("lowers", -1)):
        order = np.argsort(-sign * numbers, kind="stable")[:top]
        order = order[sign * numbers[order] > 0]
        part = {"document": [names[i] for i in order], "index": order}
        part |= {"influence": numbers[order], "words": words[order], "side": side}
        parts.append(pd.DataFrame(part))
    return pd.concat(parts, ignore_index=True)


def validate(
    trainer: Trainer,
    documents: int,
    chosen: Sequence[int],
    removals: int,
    rng: np.random.Generator,
    lengths: ArrayLike | None = None,
) -> pd.DataFrame:
    """Retrain without the chosen documents, against random removals.

    Args:
        trainer: Takes the indices of the documents to keep, in order, and returns the measure
            of a model trained on them. It must use the same seed each time, so that only the
            documents differ; training noise then enters both sides alike.
        documents: Documents in the corpus.
        chosen: Indices of the top documents.
        removals: Random removals.
        rng: Source of randomness.
        lengths: (documents,) words in each; random removals then take documents of about the
            chosen ones' lengths, so that as much text goes. Without, any documents.

    Returns:
        Columns `kind` (`all`, `without top`, `without random`), `draw`, `measure`, `change` from
        `all`, and `p_value`: of `without top`, the share of removals, itself included, that
        change the measure at least as much; NaN elsewhere.

    Raises:
        ValueError: an index is no document, or too few documents are left to remove at random.
    """
    chosen = np.unique(np.asarray(chosen, dtype=int))
    if len(chosen) and (chosen[0] < 0 or chosen[-1] >= documents):
        raise ValueError("a chosen document is not in the corpus")
    if documents < 2 * len(chosen) + 1:
        raise ValueError(f"cannot remove {len(chosen)} of {documents} documents at random")
    everything = np.arange(documents)
    rows = [("all", 0, trainer(everything))]
    rows.append(("without top", 0, trainer(np.setdiff1d(everything, chosen))))
    for draw in range(removals):
        removed = _random_documents(documents, chosen, rng, lengths)
        rows.append(("without random", draw, trainer(np.setdiff1d(everything, removed))))
    table = pd.DataFrame(rows, columns=["kind", "draw", "measure"])
    table["change"] = table["measure"] - table["measure"].iloc[0]
    size = table["change"].abs()
    random = size[table["kind"] == "without random"]
    p_value = (1 + (random >= size.iloc[1] - 1e-12).sum()) / (1 + removals)
    return table.assign(p_value=np.where(table["kind"] == "without top", p_value, np.nan))


def evidence(
    measures: Mapping[str, ArrayLike],
    counts: ArrayLike,
    names: Sequence[str],
    source: Input,
    seed: int,
    ridge: float = 1.0,
    draws: int = 199,
    top: int = SHOWN,
    lengths: ArrayLike | None = None,
) -> pd.DataFrame:
    """The fit and the top documents of each measure.

    Args:
        measures: By row, (R,) one number a replicate.
        counts: (R, D).
        names: D ids of documents.
        source: The corpus.
        seed: The configuration's seed.
        ridge: As for `influences`.
        draws: Shuffles of the permutation test.
        top: Documents on each side.
        lengths: (D,) words in each document.

    Returns:
        Columns `row`, `kind` (`fit`, `raises`, `lowers`), `place` (from 1), `document`, `number`
        (the fit on replicates left out, or the influence), `p_value` (of the fit), `replicates`,
        `documents`, `sources`, `fidelity`. A measure of fewer than four replicates, or one that
        does not vary, has no rows.
    """
    x, rows = np.asarray(counts), []
    for row, numbers in measures.items():
        y = np.asarray(numbers, dtype=float)
        here = ~np.isnan(y)
        if here.sum() <= FEWEST_REPLICATES or np.ptp(y[here]) == 0:
            continue
        rng = generator(seed, "documents", row)
        r2 = left_out_r2(x[here], y[here], ridge)
        p_value = permutation_p(x[here], y[here], ridge, draws, rng)
        found = [("fit", 1, "", r2, p_value)]
        ranked = top_documents(influences(x[here], y[here], ridge), names, top, lengths)
        for side, part in ranked.groupby("side"):
            both = zip(part["document"], part["influence"], strict=True)
            found += [(side, i, name, number, np.nan) for i, (name, number) in enumerate(both, 1)]
        rows += [(row, *line, int(here.sum()), x.shape[1]) for line in found]
    columns = ["row", "kind", "place", "document", "number", "p_value", "replicates", "documents"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(sources=source.source, fidelity=source.fidelity)


def values(table: pd.DataFrame) -> list[dict]:
    """The cells of the regression on documents, a row for each measure.

    Columns: `left-out R2`, with the permutation test's p-value, and `raises 1`, `lowers 1` and
    so on, the influence of a copy of the document that `note` names. No intervals: one regression
    uses all bootstraps.
    """
    records = []
    for cell in table.to_dict("records"):
        said = {"n": cell["replicates"], "n_unit": "bootstraps", "sources": cell["sources"]}
        said |= {"fidelity": cell["fidelity"]}
        if cell["kind"] == "fit":
            column, unit = "left-out R2", "share of variance"
            said["p_value"] = cell["p_value"]
        else:
            column, unit = f"{cell['kind']} {cell['place']}", "measure a copy"
            said["note"] = cell["document"]
        records.append(value(cell["row"], column, cell["number"], unit=unit, **said))
    return records


def _random_documents(
    documents: int, chosen: np.ndarray, rng: np.random.Generator, lengths: ArrayLike | None
) -> np.ndarray:
    """As many documents as chosen, none of them chosen, of about their lengths."""
    others = np.setdiff1d(np.arange(documents), chosen)
    if lengths is None:
        return rng.choice(others, len(chosen), replace=False)
    words = np.asarray(lengths, dtype=float)
    free, taken = list(others), []
    reach = max(5, len(others) // 20)
    for target in rng.permutation(chosen):
        gaps = np.abs(words[free] - words[target])
        near = np.flatnonzero(gaps <= np.sort(gaps)[min(reach, len(gaps)) - 1])
        taken.append(free.pop(int(rng.choice(near))))
    return np.array(taken, dtype=int)


def _centred(counts: ArrayLike, measures: ArrayLike) -> tuple[Array, Array]:
    x, y = np.asarray(counts, dtype=np.float64), np.asarray(measures, dtype=np.float64)
    if x.ndim != 2 or y.shape != (len(x),) or len(x) < FEWEST_REPLICATES:
        raise ValueError(
            f"need {FEWEST_REPLICATES} or more replicates with one measure each, "
            f"got counts {x.shape} and measures {y.shape}"
        )
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("a count or measure is NaN or infinite")
    return x - x.mean(axis=0), y - y.mean()


def _products(counts: ArrayLike, measures: ArrayLike) -> tuple[Array, Array]:
    """Inner products of the replicates' counts, (R, R), and the measures; both checked."""
    _centred(counts, measures)
    x, y = np.asarray(counts, dtype=np.float64), np.asarray(measures, dtype=np.float64)
    if len(y) <= FEWEST_REPLICATES:
        raise ValueError(f"leaving one out needs more than {FEWEST_REPLICATES} replicates")
    return x @ x.T, y


def _solve(centred: Array, y: Array, ridge: float) -> Array:
    """Ridge regression's weights of the replicates, from their centred inner products."""
    if ridge < 0:
        raise ValueError(f"the ridge penalty must not be negative, got {ridge}")
    penalty = ridge * np.trace(centred) / len(y)
    # Centring takes one dimension out: the pseudo-inverse leaves it alone.
    return np.linalg.pinv(centred + penalty * _centring(len(y)), rcond=1e-10) @ y


def _centring(n: int) -> Array:
    """The projection on contrasts of n replicates."""
    return np.eye(n) - 1 / n
