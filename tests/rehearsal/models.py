"""Tiny models in the layout of the hub: its file names, its names of weights, random weights."""

from __future__ import annotations

import json
import string
from functools import cache
from pathlib import Path

import sentencepiece
import torch
from safetensors.torch import save_file
from tokenizers.pre_tokenizers import ByteLevel
from transformers import (
    BertConfig,
    BertForPreTraining,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedModel,
    RobertaConfig,
    RobertaForMaskedLM,
    XLNetConfig,
    XLNetLMHeadModel,
)

from socialbias.models.masked_scoring import PROMPT
from socialbias.sources.registry import Source
from tests.rehearsal.texts import ADJECTIVES, ADVERBS, FUNCTION, NOUNS, VERBS, Counts, Words, Writer

LAYERS, WIDTH, HEADS = 2, 16, 2
COMMON = [*FUNCTION, *NOUNS, *VERBS, *ADJECTIVES, *ADVERBS]
SMALL = {"hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS}
SMALL |= {"intermediate_size": 2 * WIDTH}
SCALE = 0.3  # wider than models begin, so that words differ by more than rounding


def _network(kind: type[PreTrainedModel], config: object, seed: int) -> PreTrainedModel:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = kind(config)
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.add_(torch.randn_like(parameter), alpha=SCALE)
    return network


def _config(folder: Path, config: object, **more: object) -> None:
    """`config.json` with what old repositories have in it."""
    text = config.to_dict() | more
    text = {
        key: value for key, value in text.items() if key not in ("dtype", "transformers_version")
    }
    (folder / "config.json").write_text(json.dumps(text, indent=2, default=str), "utf-8")


def _write(folder: Path, weights: dict[str, torch.Tensor]) -> None:
    save_file(
        {k: v.contiguous() for k, v in weights.items()},
        folder / "model.safetensors",
        {"format": "pt"},
    )


def bert(source: Source, folder: Path, words: Words) -> Counts:
    """`BertForPreTraining` with the old names of its norms and without its decoder."""
    cased = "uncased" not in source.id
    pieces = ["[PAD]", *(f"[unused{i}]" for i in range(5)), "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = string.ascii_letters if cased else string.ascii_lowercase
    pieces += [*string.punctuation, *letters, *string.digits, "’", "“", "”", "—"]
    pieces += [f"##{c}" for c in letters + string.digits]
    pieces += [*words.targets, *COMMON, *(w.capitalize() for w in COMMON if cased)]
    pieces = list(dict.fromkeys(pieces))
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n", "utf-8")
    config = BertConfig(vocab_size=len(pieces), max_position_embeddings=512, **SMALL)
    network = _network(BertForPreTraining, config, 1 + len(source.id))
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    weights = {}
    for name, value in network.state_dict().items():
        for new, former in old.items():
            name = name.replace(new, former)
        if "decoder" not in name and "position_ids" not in name:
            weights[name] = value
    _write(folder, weights)
    _config(folder, config, architectures=["BertForMaskedLM"], gradient_checkpointing=False)
    return {}


@cache
def _bytes_and_merges() -> tuple[list[str], list[tuple[str, str]]]:
    """The alphabet of bytes, and merges that make each common word one piece."""
    alphabet = sorted(ByteLevel.alphabet())
    merges: dict[tuple[str, str], None] = {}
    for word in COMMON:
        piece = "Ġ"
        for letter in word:
            merges[piece, letter] = None
            piece += letter
    return alphabet, list(merges)


def _byte_level(folder: Path, first: list[str], last: list[str]) -> list[str]:
    """Write `vocab.json` and `merges.txt`; the pieces."""
    alphabet, merges = _bytes_and_merges()
    pieces = list(dict.fromkeys([*first, *alphabet, *(a + b for a, b in merges), *last]))
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), "utf-8")
    lines = ["#version: 0.2", *(f"{a} {b}" for a, b in merges)]
    (folder / "merges.txt").write_text("\n".join(lines) + "\n", "utf-8")
    return pieces


def gpt2(source: Source, folder: Path, words: Words) -> Counts:
    """No prefix in the names of weights, the masks of attention among them, no head."""
    pieces = _byte_level(folder, [], ["<|endoftext|>"])
    end = len(pieces) - 1
    config = GPT2Config(
        vocab_size=len(pieces), n_positions=256, n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS,
        bos_token_id=end, eos_token_id=end,
    )  # fmt: skip
    network = _network(GPT2LMHeadModel, config, 2 + len(source.id))
    weights = {
        name.removeprefix("transformer."): value
        for name, value in network.state_dict().items()
        if not name.startswith("lm_head")
    }
    for layer in range(LAYERS):
        mask = torch.tril(torch.ones(256, 256)).reshape(1, 1, 256, 256)
        weights[f"h.{layer}.attn.bias"] = mask
    _write(folder, weights)
    told = {"text-generation": {"do_sample": True, "max_length": 50}}
    _config(folder, config, n_ctx=256, task_specific_params=told)
    return {}


def roberta(source: Source, folder: Path, words: Words) -> Counts:
    """`RobertaForMaskedLM`, byte-level pieces with the special ones first and the mask last."""
    pieces = _byte_level(folder, ["<s>", "<pad>", "</s>", "<unk>"], ["<mask>"])
    config = RobertaConfig(
        vocab_size=len(pieces), max_position_embeddings=514, type_vocab_size=1,
        bos_token_id=0, pad_token_id=1, eos_token_id=2, **SMALL,
    )  # fmt: skip
    network = _network(RobertaForMaskedLM, config, 3 + len(source.id))
    weights = {k: v for k, v in network.state_dict().items() if "lm_head.decoder" not in k}
    _write(folder, weights)
    _config(folder, config, architectures=["RobertaForMaskedLM"])
    return {}


def xlnet(source: Source, folder: Path, words: Words) -> Counts:
    """A pickle of weights and SentencePiece's model; no safetensors, no `tokenizer.json`."""
    sentences = [s for text in Writer(words, 7).documents(60) for s in text]
    sentences += [PROMPT] * 5  # or what is read before every text would be letters
    text = folder.parent / "spiece.txt"
    text.write_text("\n".join(sentences), "utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(folder / "spiece"), vocab_size=800,
        hard_vocab_limit=False,
        control_symbols=["<cls>", "<sep>", "<pad>", "<mask>", "<eod>", "<eop>"],
        unk_id=0, bos_id=1, eos_id=2, pad_id=-1, minloglevel=2, num_threads=1,
    )  # fmt: skip
    text.unlink()
    (folder / "spiece.vocab").unlink()
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "spiece.model"))
    sizes = {"d_model": WIDTH, "n_layer": LAYERS, "n_head": HEADS, "d_inner": 2 * WIDTH}
    config = XLNetConfig(vocab_size=pieces.vocab_size(), pad_token_id=5, **sizes)
    network = _network(XLNetLMHeadModel, config, 4 + len(source.id))
    torch.save(dict(network.state_dict()), folder / "pytorch_model.bin")
    _config(folder, config, architectures=["XLNetLMHeadModel"])
    return {}
