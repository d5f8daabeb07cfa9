"""Training options of word vectors; separate from the training, which takes a second to import."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Options:
    """Training options; the defaults are those of Bad Seeds (section 6), or else gensim's.

    Attributes:
        dimensions: Of the vectors.
        window: Words on either side; gensim draws a smaller number for each word.
        min_count: Minimum count of a word, both in the corpus and in the sample.
        negative: Negative samples for each pair.
        sample: Word frequency above which words are subsampled.
        epochs: Passes over the sample.
    """

    dimensions: int = 100
    window: int = 5
    min_count: int = 10
    negative: int = 5
    sample: float = 1e-3
    epochs: int = 5


TRAINING = tuple(field.name for field in fields(Options))  # also keys of the configuration
