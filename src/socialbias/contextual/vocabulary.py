"""The vocabulary of a small model: a corpus's most frequent words, as a tokenizer and as ids."""

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
    """Words and their ids in a model."""

    words: tuple[str, ...]  # by id; special words come first
    # The roles of the first words, such as `{"unk_token": "<unk>"}`, in order.
    special: dict[str, str]
    # (v,) int64, the id of each of a corpus's words; that of `unk_token` for words that are too
    # rare.
    numbers: NDArray[np.int64]

    def number(self, role: str) -> int:
        """Return the id of a special word, such as that of `eos_token`."""
        return list(self.special).index(role)

    def tokenizer(
        self, *, lower: bool, length: int, marks: Sequence[str] = ()
    ) -> PreTrainedTokenizerFast:
        """Return a tokenizer that splits text at whitespace and looks up the words."""
        numbers = {word: i for i, word in enumerate(self.words)}
        inner = Tokenizer(models.WordLevel(numbers, unk_token=self.special["unk_token"]))
        inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        if lower:
            inner.normalizer = normalizers.Lowercase()
        if marks:
            first, last = (self.special[role] for role in marks)
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
    """Return the most frequent words of a corpus."""
    kept, reserved = set(keep), set(special.values())
    chosen = [
        number
        for number, word in enumerate(corpus.words)
        if (number < size or word in kept) and word not in reserved and word.split() == [word]
    ]
    unknown = list(special).index("unk_token")
    numbers = np.full(len(corpus.words), unknown, np.int64)
    numbers[chosen] = len(special) + np.arange(len(chosen))
    words = (*special.values(), *(corpus.words[number] for number in chosen))
    return Vocabulary(words, dict(special), numbers)
