"""What is planted: words, strengths of association, frequencies; and the truth that follows.

Groups have a base share, the vector b. A word *leans* by an amount a in [0, 1] to a group f, so
that its shares over the groups are

    (1 - a) b + a e_f        (e_f: all to group f).

With a = 0 it follows the base: no association. Three kinds of targets are planted:

- `direct`: the target stands in one sentence with words of groups, of group g with its share p(g).
- `null`: the same with a = 0, so that the share of each group is its base share.
- `second-order`: the target never stands within a document with a word of any group. It stands
  with attribute words of class c with the share q(c), and in other documents attribute words of
  class c stand with words of group g with the share (1 - u) b(g) + u e_c(g), where u is the bond.

The truth is the limit, as documents are added, of a measure that counts sentences with words of
exactly one group (Bommasani and Liang 2022, section 4.1):

- For `direct` and `null`, a document draws its own shares P from a Dirichlet distribution with mean
  p, and each of its sentences then draws independently whether it holds words of no group, of one,
  or of two different ones. The m sentences with one group add m P(g) to the count of g in
  expectation; m does not depend on P, so the limit E[m P(g)] / E[m] is p(g). Sentences with two
  groups fall out of the count whatever the groups are.
- For `second-order`, the same argument gives q for the classes of the attributes beside the target,
  and the chain over them, sum over c of q(c) ((1 - u) b + u e_c), equals (1 - u) b + u q. Since q
  leans by a, that leans by a u to the same group: (1 - a u) b + a u e_f.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, product
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.stats.correlation import midranks, rowwise_pearson
from socialbias.stats.seeding import generator

DIRECT, SECOND, NULL = "direct", "second-order", "null"
KINDS = (DIRECT, SECOND, NULL)
STOP = "."
ONSETS, VOWELS = "bdfgklmnprstvz", "aeiou"
ORDERS = 2000  # random orders of which the least confounded is taken

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Design:
    """A planted corpus, all but its length; all shares are of sentences unless they say more."""

    base: tuple[float, ...] = (0.65, 0.35)  # (k,) shares of the groups, k >= 2, that sum to one
    direct: int = 16  # targets of each kind
    second_order: int = 16
    null: int = 12
    most: float = 0.9  # the largest leaning of a target
    bond: float = 0.9  # u, how far attributes of a class lean to its group
    frequency_range: float = 8.0  # of a kind, the most frequent target over the rarest
    # Of the Dirichlet distribution of a document's shares: they scatter with the variance
    # p (1 - p) / (concentration + 1).
    concentration: float = 8.0
    mentions: float = 0.7  # of a document's sentences, those that mention its target
    one_group: float = 0.65  # of these, those with words of one group (one class of attributes)
    # Of these, those with words of two groups; none in documents without groups. Both are shares
    # of the same sentences, so that they sum to one at most.
    two_groups: float = 0.1
    pairs: float = 0.5  # of those with words of one group, those that hold two such words
    # Of those without a target, those that have an attribute with words of a group, or alone in
    # documents without groups.
    links: float = 0.6
    group_words: int = 8  # words of each group
    attributes: int = 10  # attribute words of each class; there is one class for each group
    topics: int = 8  # of which each document has one
    topic_words: int = 50  # words of each topic
    function_words: int = 60  # words that occur in all documents
    seed: int = 0  # of the order of the frequencies

    @property
    def k(self) -> int:
        """The number of groups."""
        return len(self.base)

    def reordered(self, rng: np.random.Generator) -> Self:
        """Return the same with another order of frequencies.

        One order in all corpora would have some chance relation to the truth.
        """
        return replace(self, seed=int(rng.integers(2**31)))

    @cached_property
    def words(self) -> dict[str, list[str]]:
        """Made-up words by what they are for; no word stands twice.

        Keys `direct`, `second-order`, `null`, `group 0`, `group 1`, ..., `attribute 0`, ...,
        `topic 0`, ..., `function`.
        """
        sizes = dict(zip(KINDS, (self.direct, self.second_order, self.null), strict=True))
        sizes |= {f"group {g}": self.group_words for g in range(self.k)}
        sizes |= {f"attribute {c}": self.attributes for c in range(self.k)}
        sizes |= {f"topic {i}": self.topic_words for i in range(self.topics)}
        sizes |= {"function": self.function_words}
        syllables = ("".join(pair) for pair in product(ONSETS, VOWELS))
        made = ("".join(pair) for pair in product(list(syllables), repeat=2))
        return {name: list(islice(made, size)) for name, size in sizes.items()}

    @property
    def groups(self) -> dict[str, list[str]]:
        """The words of each group, by the group's name."""
        return {f"group {g}": self.words[f"group {g}"] for g in range(self.k)}

    @property
    def classes(self) -> dict[str, list[str]]:
        """The attribute words of each class, by the name of the group that it is bound to."""
        return {f"group {c}": self.words[f"attribute {c}"] for c in range(self.k)}

    @cached_property
    def targets(self) -> pd.DataFrame:
        """The truth table: one row a target.

        Columns `target`, `kind`, `favoured` (the group it leans to), `leaning` (a), `weight` (how
        frequent it is within its kind), `planted 0`, `planted 1`, ... (the shares that its
        documents scatter about: p, or q for `second-order`) and `truth 0`, `truth 1`, ... (the
        limit of the measure).
        """
        parts = [self._of_kind(kind, len(self.words[kind])) for kind in KINDS if self.words[kind]]
        return pd.concat(parts, ignore_index=True)

    def _of_kind(self, kind: str, n: int) -> pd.DataFrame:
        favoured = np.arange(n) % self.k
        steps = np.arange(n) // self.k + 1
        amounts = np.zeros(n) if kind == NULL else self.most * steps / steps.max()
        bond = self.bond if kind == SECOND else 1.0
        planted, truth = self.leaning(amounts, favoured), self.leaning(amounts * bond, favoured)
        columns = {"target": self.words[kind], "kind": kind, "favoured": favoured}
        columns |= {"leaning": amounts, "weight": self._weights(kind, truth[:, 0], amounts)}
        columns |= {f"planted {g}": planted[:, g] for g in range(self.k)}
        return pd.DataFrame(columns | {f"truth {g}": truth[:, g] for g in range(self.k)})

    def _weights(self, kind: str, share: Array, amount: Array) -> Array:
        """Frequencies in an order that has no rank correlation with direction or amount."""
        levels = np.geomspace(1, self.frequency_range, len(share))
        rng = generator(self.seed, "planted", "frequencies", kind)
        orders = np.array([rng.permutation(len(levels)) for _ in range(ORDERS)])
        ranks, confounding = midranks(levels)[orders], np.zeros(ORDERS)
        for side in (share, amount):
            rho = rowwise_pearson(ranks, np.broadcast_to(midranks(side), ranks.shape))
            confounding = np.maximum(confounding, np.abs(np.nan_to_num(rho)))
        return levels[orders[np.argmin(confounding)]]

    def leaning(self, amounts: Array, favoured: NDArray[np.integer]) -> Array:
        """Shares over the groups, (n, k), of words that lean by (n,) amounts to (n,) groups."""
        base, towards = np.array(self.base), np.eye(self.k)[favoured]
        return (1 - amounts)[:, None] * base + amounts[:, None] * towards
