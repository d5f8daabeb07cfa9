"""The words of a small model: a corpus's most frequent ones, as a tokenizer and as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from socialbias.corpora.prepared import Corpus


@dataclass(frozen=True)
class Vocabulary:
    """Words, each with the number that a model knows it by.

    Attributes:
        words: By number; the special ones come first.
        special: What the first words are for, such as `{"unk_token": "<unk>"}`, in their order.
        numbers: (v,) int64, the number of each of a corpus's words; that of `unk_token` for those
            that are too rare.
    """

    words: tuple[str, ...]
    special: dict[str, str]
    numbers: NDArray[np.int64]

    def number(self, role: str) -> int:
        """The number of a special word, such as that of `eos_token`."""
        return list(self.special).index(role)

    def tokenizer(
        self, *, lower: bool, length: int, around: Sequence[str] = ()
    ) -> PreTrainedTokenizerFast:
        """A tokenizer that cuts text at white space and looks the pieces up.

        Args:
            lower: Whether text is lower-cased first, as that of the corpus was.
            length: Words that the model can read at once.
            around: The roles of two special words between which every text is put, or none.
        """
        numbers = {word: i for i, word in enumerate(self.words)}
        inner = Tokenizer(models.WordLevel(numbers, unk_token=self.special["unk_token"]))
        inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        if lower:
            inner.normalizer = normalizers.Lowercase()
        if around:
            first, last = (self.special[role] for role in around)
            inner.post_processor = processors.TemplateProcessing(
                single=f"{first} $A {last}",
                pair=f"{first} $A {last} $B:1 {last}:1",
                special_tokens=[(word, numbers[word]) for word in (first, last)],
            )
        return PreTrainedTokenizerFast(
            tokenizer_object=inner,
            model_max_length=length,
            clean_up_tokenization_spaces=False,
            **self.special,
        )


def vocabulary(
    corpus: Corpus, size: int, special: dict[str, str], keep: Iterable[str] = ()
) -> Vocabulary:
    """The most frequent words of a corpus.

    Args:
        corpus: Prepared.
        size: How many of its words, special ones not counted.
        special: By role; `unk_token` must be among them. A word of the corpus that is spelled like
            one is unknown, and so is one with white space in it, which no text can hold as one.
        keep: Words that belong to it however rare they are, such as targets and words of groups.
            Those that the corpus does not have are left out.

    Returns:
        The vocabulary, by frequency.
    """
    kept, taken = set(keep), set(special.values())
    chosen = [
        number
        for number, word in enumerate(corpus.words)
        if (number < size or word in kept) and word not in taken and word.split() == [word]
    ]
    unknown = list(special).index("unk_token")
    numbers = np.full(len(corpus.words), unknown, np.int64)
    numbers[chosen] = len(special) + np.arange(len(chosen))
    words = (*special.values(), *(corpus.words[number] for number in chosen))
    return Vocabulary(words, dict(special), numbers)
