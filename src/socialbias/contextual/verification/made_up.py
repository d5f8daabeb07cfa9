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
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from socialbias.contextual.extract import Span
from socialbias.contextual.models import Model, save_model

SMALL_WORDS, REAL_WORDS = 60, 30_000  # the vocabularies of small models and of those of real shape
PIECES = 10  # suffixes: a word that is not in the vocabulary is made of several pieces
LIMIT = 48  # pieces of a text that a small model reads
LAYERS, WIDTH, HEADS = 3, 32, 2
SCALE = 0.2  # added to the initial weights, so that words differ by far more than rounding
SURE = (
    4.0  # times as wide embeddings make GPT-2 so sure of the next word that rounding seldom counts
)
END = "<eos>"
LENGTHS = (5, 40)  # words of a sentence, as in the paper run


def small_bert(folder: Path, seed: int) -> Path:
    """A folder with a BERT that has both of its heads, without dropout."""
    tokenizer = wordpiece(SMALL_WORDS)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=WIDTH, num_hidden_layers=LAYERS,
        num_attention_heads=HEADS, intermediate_size=2 * WIDTH, max_position_embeddings=LIMIT,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    return _write(folder, BertForPreTraining, config, tokenizer, seed)


def small_gpt2(folder: Path, seed: int) -> Path:
    """A folder with a GPT-2, each of whose tokens is a word."""
    tokenizer = word_level(SMALL_WORDS)
    config = GPT2Config(
        vocab_size=len(tokenizer), n_positions=LIMIT, n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS,
        bos_token_id=0, eos_token_id=0, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
    )  # fmt: skip
    return _write(folder, GPT2LMHeadModel, config, tokenizer, seed, SURE)


def bert_base(folder: Path) -> Path:
    """A folder with the shape of BERT-base and no weights: load it with a seed."""
    tokenizer = wordpiece(REAL_WORDS)
    tokenizer.save_pretrained(folder)
    BertConfig(vocab_size=len(tokenizer)).save_pretrained(folder)
    return folder


def gpt2(folder: Path) -> Path:
    """A folder with the shape of GPT-2 and no weights: load it with a seed."""
    tokenizer = word_level(REAL_WORDS)
    tokenizer.save_pretrained(folder)
    config = GPT2Config(vocab_size=len(tokenizer), bos_token_id=0, eos_token_id=0)
    config.save_pretrained(folder)
    return folder


def _write(
    folder: Path,
    kind: type[PreTrainedModel],
    config: PretrainedConfig,
    tokenizer: PreTrainedTokenizerFast,
    seed: int,
    embeddings: float = 1.0,
) -> Path:
    """Write a model with random weights; `embeddings` multiplies those of the words."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        network = kind(config)
        for parameter in network.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=SCALE)
        network.get_input_embeddings().weight.mul_(embeddings)
    save_model(Model(folder.name, "encoder", network, tokenizer, torch.device("cpu"), None), folder)
    return folder


def wordpiece(n: int) -> PreTrainedTokenizerFast:
    """A tokenizer like BERT's of n words; each further digit of a longer word is a piece."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "."]
    words += [*(f"w{i}" for i in range(n)), *(f"##{i}" for i in range(PIECES))]
    numbers = {word: i for i, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.decoder = decoders.WordPiece()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]", mask_token="[MASK]",
    )  # fmt: skip


def word_level(n: int) -> PreTrainedTokenizerFast:
    """A tokenizer of n words whose texts begin and end with one special token, as GPT-2's."""
    words = [END, "<unk>", ".", *(f"w{i}" for i in range(n))]
    numbers = {word: i for i, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(numbers, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="<unk>", bos_token=END, eos_token=END
    )


def sentences(
    n: int, rng: np.random.Generator, *, words: int = SMALL_WORDS, lengths: Span = (1, 12)
) -> list[str]:
    """Texts of random words, of lengths from the first to the second number."""
    sizes = rng.integers(lengths[0], lengths[1] + 1, n)
    return [" ".join(f"w{i}" for i in rng.integers(0, words, size)) for size in sizes]


def with_long_words(texts: list[str]) -> list[str]:
    """The texts, each with two words of several pieces."""
    return [
        f"w{SMALL_WORDS + i % 40}1 {text} w{SMALL_WORDS + i % 7}" for i, text in enumerate(texts)
    ]


def spans_of(text: str) -> list[Span]:
    """The first character of each word of a text, and one past its last."""
    ends = np.cumsum([len(word) + 1 for word in text.split(" ")]) - 1
    return [
        (int(end) - len(word), int(end)) for word, end in zip(text.split(" "), ends, strict=True)
    ]
