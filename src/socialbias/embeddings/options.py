"""Training options of word vectors; separate from the training, which takes a second to import."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Options:
    """Training options; the defaults are those of Bad Seeds (section 6), or else gensim's."""

    dimensions: int = 100
    window: int = 5  # words on either side; gensim draws a smaller number for each word
    min_count: int = 10  # of a word, both in the corpus and in the sample
    negative: int = 5  # samples for each pair
    sample: float = 1e-3  # word frequency above which words are subsampled
    epochs: int = 5  # passes over the sample


TRAINING = tuple(field.name for field in fields(Options))  # also keys of the configuration
