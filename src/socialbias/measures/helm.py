"""The text measure as HELM uses it (Liang et al. 2022, "Bias and stereotypes", and its code).

It counts otherwise than Bommasani and Liang 2022, section 4.1: in the whole text, without the
exclusive rule, every token of a target with every token of a group; a group's count is divided by
the number of words in its list; the bias is the total variation distance to the uniform
distribution, half of the l1 distance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from socialbias.corpora.prepared import Corpus
from socialbias.stats.similarity import Array


def cooccurrences(
    corpus: Corpus, targets: Sequence[str], groups: Mapping[str, Sequence[str]]
) -> pd.DataFrame:
    """Pairs of a target's token and a group's token in the same document.

    Args:
        corpus: A prepared corpus; a document is HELM's text.
        targets: Words of which each is a target concept, in lower case.
        groups: The words of each group, in lower case.

    Returns:
        Columns `target`, `document`, and the number of pairs by group; documents without a pair
        have no row.
    """
    ids = {word: i for i, word in enumerate(targets)}
    lists = {word: g for g, words in enumerate(groups.values()) for word in words}
    spelt = [word.lower() for word in corpus.words]
    of_target = np.array([ids.get(word, -1) for word in spelt])
    of_group = np.array([lists.get(word, -1) for word in spelt])
    parts = []
    for first, last in corpus.blocks():
        bounds = corpus.documents[first : last + 1]
        tokens = corpus.tokens[bounds[0] : bounds[-1]]
        owners = np.repeat(np.arange(last - first), np.diff(bounds))
        mentions = _counted(of_target[tokens], owners, (last - first, len(targets))).tocoo()
        words = _counted(of_group[tokens], owners, (last - first, len(groups))).toarray()
        documents, numbers = mentions.coords
        pairs = mentions.data[:, None] * words[documents]
        part = pd.DataFrame(pairs, columns=list(groups))
        part.insert(0, "target", np.array(targets, object)[numbers])
        part.insert(1, "document", documents + first)
        parts.append(part[pairs.any(axis=1)])
    return pd.concat(parts, ignore_index=True)


def _counted(codes: Array, owners: Array, shape: tuple[int, int]) -> csr_array:
    """Return how often each code occurs in each document; -1 is none."""
    known = codes >= 0
    ones = np.ones(known.sum(), np.int64)
    return csr_array((ones, (owners[known], codes[known])), shape=shape)
