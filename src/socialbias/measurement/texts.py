"""Bias in texts: how often a target occurs in a context with words of one group and no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array, hstack

from socialbias.corpora.contexts import contexts_of, match_blocks, word_presence
from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.words.languages import lower
from socialbias.embeddings.words.lists import WordLists
from socialbias.errors import UserError
from socialbias.measurement.estimates import Row
from socialbias.measurement.reliability import of_halves, sums_by_halves
from socialbias.measures.placebo import as_frequent
from socialbias.measures.registry import Measure
from socialbias.measures.text import counts_with_words, exclusive
from socialbias.stats.clustered import (
    counts_in_clusters,
    influence_of_counts,
    joint_draws,
    joint_share_draws,
    shares_of_counts,
)
from socialbias.stats.intervals import percentile
from socialbias.stats.reliability import Reliability
from socialbias.stats.similarity import Array

EVERY = " every word of a group"  # as a target, which no word is
WINDOW = 3  # sentences of a context (Bommasani and Liang 2022, section 4.1)
SMALLEST = 1e-8  # inertia of a target's residuals, as a share of its count squared
RIDGE = 1e-6  # on the diagonal, so that cosines have a Cholesky decomposition
FEWEST_CONTEXTS = 20  # with a group, for a target to be judged in a text


def window_of(corpus: Corpus) -> int:
    """Return 3 sentences, or 1 if most documents are shorter."""
    sentences = np.diff(np.searchsorted(corpus.sentences, corpus.documents))
    return WINDOW if np.median(sentences) >= WINDOW else 1


def contexts_with_groups(
    corpus: Corpus,
    sets: Sequence[WordLists],
    targets: Sequence[str],
    window: int,
    language: str,
) -> list[tuple[Array, Array, Array]]:
    """Count contexts with each group (r, k); return also the target and document of each row.

    There is a table for each set of groups. Its last target is `EVERY`, the words of its groups.
    """
    n, words = len(targets), {name: [lower(name, language)] for name in targets}
    lists = {
        (i, name): [lower(word, language) for word in group]
        for i, groups in enumerate(sets)
        for name, group in groups.words.items()
    }
    for i, groups in enumerate(sets):
        words[f"{EVERY} {i}"] = [word for name in groups.words for word in lists[i, name]]
    tables = [[] for _ in sets]
    for block in match_blocks(corpus, words, lists):
        contexts, first = contexts_of(block, window), 0
        for i, groups in enumerate(sets):
            k = len(groups.words)
            masks = contexts.masks >> np.uint64(first) & np.uint64((1 << k) - 1)
            first += k
            labels = exclusive(masks, k)
            kept = (labels >= 0) & ((contexts.targets < n) | (contexts.targets == n + i))
            owners = np.minimum(contexts.targets[kept], n)  # `EVERY` of this set is the last
            rows = counts_in_clusters(labels[kept], owners, contexts.documents[kept], k)
            tables[i].append(rows)
    return [tuple(map(np.concatenate, zip(*parts, strict=True))) for parts in tables]


def counts_of_lists(
    corpus: Corpus,
    lists: Sequence[Sequence[Sequence[str]]],
    targets: Sequence[str],
) -> Array:
    """Count the contexts (d, t, k) of t targets with each of k groups alone, for d lists of groups.

    All are counted in one scan.
    """
    k = len(lists[0])
    words = sorted({word for groups in lists for group in groups for word in group})
    place = {word: i for i, word in enumerate(words)}
    # Each word has a column for each group, of which a list takes those of its own words.
    chosen = np.zeros((len(lists), k, len(words)), bool)
    for row, groups in zip(chosen, lists, strict=True):
        for in_group, group in zip(row, groups, strict=True):
            in_group[[place[word] for word in group]] = True
    owners, window = np.repeat(np.arange(k), len(words)), window_of(corpus)
    counts = np.zeros((len(lists), len(targets), k), np.int64)
    for block in match_blocks(corpus, {t: [t] for t in targets}, {"words": words}):
        contexts = contexts_of(block, window)
        presence = hstack([word_presence(block, contexts)] * k, "csr")
        flat = chosen.reshape(len(lists), -1)
        with_words = counts_with_words(presence, contexts.targets, len(targets), owners, flat)
        counts += with_words[..., :k]
    return counts


def mean_of_counts(counts: Array, measure: Measure) -> float:
    """Return the mean bias of targets with enough contexts, from counts (t, k); NaN without any."""
    often = counts[counts.sum(axis=1) >= FEWEST_CONTEXTS]
    if not len(often):
        return np.nan
    return float(bias_of_shares(often / often.sum(axis=1, keepdims=True), measure).mean())


def bias_of_shares(shares: Array, measure: Measure, reference: Array | None = None) -> Array:
    """Return the bias of distributions over k groups, from (..., k) to (...).

    The reference is the distribution without bias, (k,) or one for each; None for equal shares.
    """
    k = shares.shape[-1]
    reference = np.full(k, 1 / k) if reference is None else reference
    if measure.name == "directed":
        return shares[..., 0] - reference[..., 0]
    flat = np.broadcast_to(reference, shares.shape).reshape(-1, k)
    return measure.divdist.divergence(shares.reshape(-1, k), flat).reshape(shares.shape[:-1])


def bias_in_halves(
    rows: tuple[Array, Array, Array], n: int, bias: Callable[[Array], Array]
) -> Array:
    """Return biases (2, HALVES, n) in random halves of the documents; 0 without a context.

    Rows are counts (r, k), with the target and document of each; `bias` is from (m, k) to (m,).
    """
    totals = sums_by_halves(*rows, n)
    sides, some = np.zeros(totals.shape[:-1]), totals.sum(axis=-1) > 0
    sides[some] = bias(totals[some] / totals[some].sum(axis=-1, keepdims=True))
    return sides


def in_as_many_contexts(words: Array, targets: Array, rng: np.random.Generator) -> Array:
    """Return the places of half of the words (m,), in about as many contexts as targets (n,).

    The fewer contexts a word has, the more its share scatters.
    """
    order = np.argsort(-words, kind="stable")
    ranks = np.unique(np.searchsorted(-words[order], -targets))
    return np.sort(order[as_frequent(np.arange(len(order)), ranks, len(order) // 2, rng)])


class GroupShares:
    """Shares of k groups in the contexts of targets, and their errors over documents.

    `names` are targets with a context, and `missing` the others; `rows` are counts (r, k), with the
    target and document of each.
    """

    def __init__(self, counts: Array, owners: Array, documents: Array, names: list[str], level):
        there, at = np.unique(owners, return_inverse=True)
        self.names = [names[i] for i in there]
        self.missing = [name for i, name in enumerate(names) if i not in set(there.tolist())]
        self.rows, self.level, self.k = (counts, at, documents), level, counts.shape[1]
        self.shares = shares_of_counts(counts, at, len(there), level)

    @cached_property
    def errors(self) -> Array:
        """(draws, t, k), jointly: all shares have the same multipliers of documents."""
        (counts, at, documents), n, moved = self.rows, len(self.names), []
        for group in range(self.k):
            order = [group, *(other for other in range(self.k) if other != group)]
            moved.append(influence_of_counts(counts[:, order], at, documents, n))
        drawn = joint_draws(hstack(moved, "csr"), np.tile(self.freedom, self.k), "corpus")
        return drawn.reshape(len(drawn), self.k, n).swapaxes(1, 2)

    @property
    def freedom(self) -> Array:
        """(t,) degrees of freedom over documents."""
        return np.maximum(self.shares.clusters - 1, 1)

    def only(self, names: Sequence[str]) -> GroupShares:
        """Return the shares of some targets."""
        number = {name: i for i, name in enumerate(names)}
        counts, owners, documents = self.rows
        at = np.array([number.get(name, -1) for name in self.names], int)[owners]
        kept = at >= 0
        return GroupShares(counts[kept], at[kept], documents[kept], list(names), self.level)

    def profiles(self) -> Array:
        """Return a vector of each target, whose cosines say how much they share documents.

        They are cosines of the residuals of a correspondence analysis of targets by documents, of
        the square roots of the numbers of contexts. A residual says how far a root lies above what
        a target as frequent has in a document as long. Without this, frequent words would be
        neighbours of all.
        """
        counts, owners, documents = self.rows
        _, columns = np.unique(documents, return_inverse=True)
        weights = np.sqrt(counts.sum(axis=1))
        table = csr_array((weights, (owners, columns)), shape=(len(self.names), columns.max() + 1))
        of_targets, of_documents = table.sum(axis=1), table.sum(axis=0)
        scaled = (table / np.sqrt(of_documents / of_documents.sum())).tocsr()
        products = (scaled @ scaled.T).toarray() - np.outer(of_targets, of_targets)
        # A target that has its share in every document has no residuals but rounding.
        lengths = np.sqrt(np.maximum(products.diagonal(), SMALLEST * of_targets**2))
        cosines = products / np.outer(lengths, lengths)
        return np.linalg.cholesky(cosines + RIDGE * np.eye(len(cosines)))

    def drawn(self) -> Array:
        """Return shares (draws, t, k) in resamples of the documents."""
        drawn = np.clip(self.shares.share + self.errors, 0, None)
        return drawn / drawn.sum(axis=-1, keepdims=True)


@dataclass(frozen=True)
class Reference:
    """The shares of the groups without bias."""

    name: str  # `uniform`, `corpus` or `file`
    shares: Array  # (k,)
    draws: Array  # in resampled documents, (draws, 1, k), if estimated; else the shares

    @classmethod
    def of(
        cls, given: str | Mapping[str, float], groups: Sequence[str], every: GroupShares
    ) -> Reference:
        """Return equal shares, those of all contexts of the groups, or given ones."""
        if isinstance(given, Mapping):
            name, shares = "file", np.array([given[group] for group in groups])
        elif given == "uniform":
            name, shares = given, np.full(every.k, 1 / every.k)
        elif every.names:
            return cls(given, every.shares.share[0], every.drawn())
        else:
            problem = "no context has a word of one group only: there is no base rate"
            raise UserError(f"reference: {problem}")
        return cls(name, shares, shares)

    def measure(self, measure: Measure) -> Measure:
        """Return a measure with the unit and range that it has with these shares."""
        if self.name == "uniform":
            return measure
        if measure.name != "directed":
            own = "the base rates" if self.name == "corpus" else "the reference shares"
            return replace(measure, unit=measure.unit.replace("equal shares", own))
        first, own = float(self.shares[0]), "base rate" if self.name == "corpus" else "reference"
        unit = f"share of the first group minus its {own}"
        return replace(measure, unit=unit, low=-first, high=1 - first)


class TextBias:
    """A measure of targets in their contexts, against the shares without bias.

    It has the biases of targets as `values` (t,). `often` are the targets with enough contexts.
    """

    def __init__(self, counts: GroupShares, measure: Measure, reference: Reference):
        self.counts, self.reference = counts, reference
        self.measure, shares = reference.measure(measure), counts.shares
        self.values = bias_of_shares(shares.share, measure, reference.shares)
        self.often = np.flatnonzero(shares.n >= FEWEST_CONTEXTS)

    @cached_property
    def samples(self) -> Array:
        """Biases (draws, t) in resampled documents; of shares with Wilson's intervals for ends."""
        counts, shares, reference = self.counts, self.counts.shares, self.reference
        if self.measure.name != "directed":
            return bias_of_shares(counts.drawn(), self.measure, reference.draws)
        numbers = shares.share[:, 0], shares.effective[:, 0], counts.freedom
        drawn = joint_share_draws(*numbers, counts.errors[:, :, 0], counts.names)
        return drawn - reference.draws[..., 0]

    def intervals(self) -> Array:
        """Return intervals over documents, (2, t): Wilson's of shares, otherwise percentiles."""
        if self.measure.name == "directed" and self.reference.name != "corpus":
            shares = self.counts.shares
            ends = np.stack([shares.low[:, 0], shares.high[:, 0]]) - self.reference.shares[0]
        else:
            ends = percentile(self.samples, self.counts.level)
        # Draws of a magnitude lie above it.
        return np.stack([np.fmin(ends[0], self.values), np.fmax(ends[1], self.values)])

    def reliability(self) -> Reliability:
        """Return that of the ranking of frequent targets, by random halves of the documents."""
        names = self.counts.names
        halves = bias_in_halves(
            self.counts.rows,
            len(names),
            lambda shares: bias_of_shares(shares, self.measure, self.reference.shares),
        )
        often = [names[i] for i in self.often]
        contexts = int(self.counts.shares.n.sum())
        return of_halves(*halves[..., self.often], often, self.counts.level, contexts)

    def rows(self, groups: Sequence[str], beside: Sequence[dict]) -> Iterator[Row]:
        """Yield the row of each target; without an interval if it occurs in one document.

        `beside` are fields of each from other words, if any.
        """
        (low, high), shares = self.intervals(), self.counts.shares
        leans = (shares.share - self.reference.shares).argmax(axis=1)
        for i, name in enumerate(self.counts.names):
            n, spread = int(shares.n[i]), int(shares.clusters[i]) > 1
            few = f"only {n} context{'s' * (n != 1)}; {FEWEST_CONTEXTS} are needed"
            yield Row(
                name,
                float(self.values[i]),
                float(low[i]) if spread else np.nan,
                float(high[i]) if spread else np.nan,
                groups[int(leans[i])],
                n=n,
                note="" if n >= FEWEST_CONTEXTS else few,
                **(beside[i] if beside else {}),
            )
