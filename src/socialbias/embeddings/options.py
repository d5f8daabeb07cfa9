"""How word vectors are trained; apart from the training, which takes a second to import."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Options:
    """How to train; the defaults are Bad Seeds' (section 6) and, where it is silent, gensim's.

    Attributes:
        dimensions: Of the vectors.
        window: Words on either side; gensim draws a smaller number for each word.
        min_count: Occurrences that a word must have in the corpus, and in the sample again.
        negative: Noise words for each pair.
        sample: Share of the text above which a word is thinned out.
        epochs: Times that the sample is gone through.
    """

    dimensions: int = 100
    window: int = 5
    min_count: int = 10
    negative: int = 5
    sample: float = 1e-3
    epochs: int = 5


TRAINING = tuple(field.name for field in fields(Options))  # also keys of the configuration
