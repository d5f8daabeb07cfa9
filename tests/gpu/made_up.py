"""Models with random weights and texts of made-up words, for a verification without a download."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertForPreTraining,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    XLNetConfig,
)

from socialbias.models.extract import Span
from tests import tiny_models

SMALL_WORDS, REAL_WORDS = 60, 30_000  # the vocabularies of small models and of those of real shape
LIMIT = 48  # pieces of a text that a small model reads
LENGTHS = (5, 40)  # words of a sentence, as in the paper run
ENDS = {"bos_token_id": 0, "eos_token_id": 0}
SPECIAL = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}


@torch.no_grad()
def small(work: Path) -> None:
    """Write `bert`, which has both of its heads, and `gpt2`, without dropout."""
    size = {"num_hidden_layers": 3, "num_attention_heads": 2, "max_position_embeddings": LIMIT}
    size |= {"hidden_size": 32, "intermediate_size": 64}
    none = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    pieces, words = wordpiece(SMALL_WORDS), word_level(SMALL_WORDS)
    torch.manual_seed(1)
    bert = BertForPreTraining(BertConfig(vocab_size=len(pieces), **size, **none))
    none = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    size = {"n_positions": LIMIT, "n_embd": 32, "n_layer": 3, "n_head": 2}
    gpt2 = GPT2LMHeadModel(GPT2Config(vocab_size=len(words), **size, **none, **ENDS))
    for name, network, tokenizer in (("bert", bert, pieces), ("gpt2", gpt2, words)):
        for parameter in network.parameters():  # words then differ by far more than rounding
            parameter.add_(torch.randn_like(parameter), alpha=0.2)
        if name == "gpt2":  # so sure of the next word that rounding seldom counts
            network.get_input_embeddings().weight.mul_(4)
        network.save_pretrained(work / name)
        tokenizer.save_pretrained(work / name)


def bert_base(folder: Path) -> Path:
    """A folder with the shape of BERT-base and no weights: load it with a seed."""
    tokenizer = wordpiece(REAL_WORDS)
    BertConfig(vocab_size=len(tokenizer)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def large(folder: Path, name: str) -> Path:
    """A folder with the shape of BERT, XLNet or GPT-2 large and no weights."""
    sizes = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16}
    xlnet = {"d_model": 1024, "n_layer": 24, "n_head": 16, "d_inner": 4096}
    gpt2 = {"n_embd": 1280, "n_layer": 36, "n_head": 20}
    tokenizer, config, options = {
        "BERT": (wordpiece(REAL_WORDS), BertConfig, sizes | {"intermediate_size": 4096}),
        "XLNet": (tiny_models.unigram(segments=True), XLNetConfig, xlnet),  # each letter is a piece
        "GPT-2": (word_level(50_254), GPT2Config, gpt2 | ENDS),
    }[name]
    config(vocab_size=len(tokenizer), **options).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def wordpiece(n: int) -> PreTrainedTokenizerFast:
    """A tokenizer like BERT's of n words; each further digit of a longer word is a piece."""
    words = [*SPECIAL.values(), ".", *(f"w{i}" for i in range(n)), *(f"##{i}" for i in range(10))]
    numbers = {word: i for i, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.decoder = decoders.WordPiece()
    special = {f"{name}_token": piece for name, piece in SPECIAL.items()}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)


def word_level(n: int) -> PreTrainedTokenizerFast:
    """A tokenizer of n words whose texts begin and end with one special token, as GPT-2's."""
    words = ["<eos>", "<unk>", ".", *(f"w{i}" for i in range(n))]
    numbers = {word: i for i, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(numbers, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    special = {"unk_token": "<unk>", "bos_token": "<eos>", "eos_token": "<eos>"}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)


def sentences(
    n: int, rng: np.random.Generator, *, words: int = SMALL_WORDS, lengths: Span = (1, 12)
) -> list[str]:
    """Texts of random words, of lengths from the first to the second number."""
    sizes = rng.integers(lengths[0], lengths[1] + 1, n)
    return [" ".join(f"w{i}" for i in rng.integers(0, words, size)) for size in sizes]


def spans_of(text: str) -> list[Span]:
    """The first character of each word of a text, and one past its last."""
    words = text.split(" ")
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    return [(int(end) - len(word), int(end)) for word, end in zip(words, ends, strict=True)]
