"""Tiny random models with small tokenizers, in Hugging Face's layout."""

from __future__ import annotations

import string
from functools import partial
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    AlbertConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForNextSentencePrediction,
    BertConfig,
    GPT2Config,
    LlamaConfig,
    OPTConfig,
    PreTrainedTokenizerFast,
    RobertaConfig,
    XLNetConfig,
)

torch.set_num_threads(1)  # threads cost more than they bring in models of this size

WIDTH, LAYERS, LIMIT = 16, 3, 24
SMALL = {
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 2,
    "intermediate_size": 24,
}


def wordpiece() -> PreTrainedTokenizerFast:
    """Lower case; `business`, `##woman`, some words, and every letter."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "business", "##woman", "nurse", "the"]
    words += [*string.punctuation, *string.ascii_lowercase, *string.digits]
    words += [f"##{c}" for c in string.ascii_lowercase + string.digits]
    tokenizer = Tokenizer(models.WordPiece({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = ("unk", "pad", "cls", "sep", "mask")
    special = {f"{name}_token": f"[{name.upper()}]" for name in names}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)


def byte_level(mask: bool = False) -> PreTrainedTokenizerFast:
    """Bytes, and `Ġnurse` and `woman` as one piece each; a mask on request."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("w", "o"), ("m", "a"), ("wo", "ma"), ("woma", "n")]
    merges += [("u", "r"), ("s", "e"), ("n", "ur"), ("nur", "se"), ("Ġ", "nurse")]
    words = ["<|endoftext|>", *letters, *(a + b for a, b in merges)]
    words += ["<mask>"] if mask else []
    vocabulary = {word: i for i, word in enumerate(words)}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = {"eos_token": "<|endoftext|>"} | ({"mask_token": "<mask>"} if mask else {})
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)


def unigram(segments: bool = False) -> PreTrainedTokenizerFast:
    """As SentencePiece makes them: pieces begin with `▁` where a word does."""
    words = [("<unk>", 0.0), ("<sep>", 0.0), ("<cls>", 0.0), ("▁", -2.0)]
    words += [("▁business", -3.0), ("woman", -3.0), ("▁nurse", -3.0), ("▁the", -2.0)]
    words += [(c, -6.0) for c in string.ascii_letters + string.punctuation + string.digits]
    words += [("<mask>", 0.0)] if segments else []
    tokenizer = Tokenizer(models.Unigram(words, unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = {"unk_token": "<unk>"}
    if segments:  # as XLNet's
        special["mask_token"] = "<mask>"
        tokenizer.post_processor = processors.TemplateProcessing(
            single="$A:0 <sep>:0 <cls>:2",
            pair="$A:0 <sep>:0 $B:1 <sep>:1 <cls>:2",
            special_tokens=[("<sep>", 1), ("<cls>", 2)],
        )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)


def architecture(name: str):
    """A tokenizer and a configuration for it."""
    limit = {"max_position_embeddings": LIMIT}
    own = {"n_positions": LIMIT, "n_embd": WIDTH, "n_layer": LAYERS, "n_head": 2}
    opt = {"hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": 2}
    opt |= {"word_embed_proj_dim": WIDTH // 2, "ffn_dim": 24, "do_layer_norm_before": False}
    # RoBERTa's positions are counted from 2.
    roberta = {"max_position_embeddings": LIMIT + 2, "pad_token_id": 1}
    xlnet = {"d_model": WIDTH, "n_layer": LAYERS, "n_head": 2, "d_inner": 24}
    make, config, options = {
        "bert": (wordpiece, BertConfig, limit | SMALL),
        "albert": (wordpiece, AlbertConfig, {"embedding_size": 8} | limit | SMALL),  # one block
        "roberta": (partial(byte_level, mask=True), RobertaConfig, roberta | SMALL),
        "gpt2": (byte_level, GPT2Config, own),
        "opt": (byte_level, OPTConfig, opt | limit),
        "llama": (unigram, LlamaConfig, limit | SMALL),
        "xlnet": (partial(unigram, segments=True), XLNetConfig, xlnet),
    }[name]
    tokenizer = make()
    return tokenizer, config(vocab_size=len(tokenizer), **options)


def write(folder: Path, name: str, head: str = "", seed: int = 1) -> Path:
    """A model's folder; `head` is `masked`, `causal`, `next-sentence` or none."""
    tokenizer, config = architecture(name)
    of = {"": AutoModel, "masked": AutoModelForMaskedLM, "causal": AutoModelForCausalLM}
    of["next-sentence"] = AutoModelForNextSentencePrediction
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = of[head].from_config(config)
        # Wider than models begin: layers and words then differ by far more than rounding.
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.add_(torch.randn_like(parameter), alpha=0.2)
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
