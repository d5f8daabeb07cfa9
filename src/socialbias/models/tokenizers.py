"""Fast tokenizers from local model folders.

A tokenizer must map its pieces to characters, and have the vocabulary of the model beside it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from transformers import AutoTokenizer, PretrainedConfig, PreTrainedTokenizerFast

from socialbias.errors import UserError
from socialbias.models.safe_loading import in_one_line, loader_options

# Usual names of special tokens, for a folder that does not name them.
SPECIAL_TOKENS = {
    "unk_token": ("[UNK]", "<unk>"),
    "pad_token": ("[PAD]", "<pad>"),
    "mask_token": ("[MASK]", "<mask>"),
    "cls_token": ("[CLS]", "<s>"),
    "sep_token": ("[SEP]", "</s>"),
    "bos_token": ("<|endoftext|>", "<s>"),
    "eos_token": ("<|endoftext|>", "</s>"),
}


def load_tokenizer(
    folder: Path, config: PretrainedConfig, gguf: str | None
) -> PreTrainedTokenizerFast:
    """Return the folder's fast tokenizer."""
    try:
        if gguf is None and (folder / "tokenizer.json").is_file():
            # As the file defines it: a class chosen by model type would rebuild it.
            tokenizer = PreTrainedTokenizerFast.from_pretrained(folder, **loader_options(None))
            # The tokenizer_config.json of BERT, RoBERTa and GPT-2, if there is one, names none.
            if not tokenizer.special_tokens_map:
                vocabulary = tokenizer.get_vocab()
                for role, names in SPECIAL_TOKENS.items():
                    if known := [name for name in names if name in vocabulary]:
                        setattr(tokenizer, role, known[0])
        else:
            tokenizer = AutoTokenizer.from_pretrained(
                folder, **loader_options(gguf), **_case(folder, gguf)
            )
    except Exception as error:  # the tokenizers library raises nothing more precise
        raise UserError(
            f"{folder}: cannot make a fast tokenizer ({in_one_line(error)}): put the model's "
            "tokenizer.json into the folder"
        ) from None
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise UserError(
            f"{folder}: its tokenizer does not map pieces to characters: put a tokenizer.json "
            "into the folder"
        )
    # A tokenizer without its vocabulary loads as a valid one of a few tokens. Models have slightly
    # more rows than tokens, to get round numbers, but not twice as many.
    size, room = len(tokenizer), config.get_text_config().vocab_size
    if size > room or 2 * size < room:
        raise UserError(
            f"{folder}: the tokenizer has {size:,} tokens but the model {room:,}: they do not "
            "belong together: put the model's own tokenizer.json into the folder"
        )
    return tokenizer


def spelt(tokenizer: PreTrainedTokenizerFast, words: Sequence[str]) -> list[str]:
    """Return the words that a vocabulary can spell.

    The others would all be its one unknown piece.
    """
    pieces = tokenizer(list(words), add_special_tokens=False)["input_ids"] if words else []
    return [
        word
        for word, ids in zip(words, pieces, strict=True)
        if ids and tokenizer.unk_token_id not in ids
    ]


def pieces(tokenizer: PreTrainedTokenizerFast, words: Sequence[str]) -> dict[str, int]:
    """Return of how many pieces each word consists, behind a blank as in a sentence."""
    ids = tokenizer([f" {word}" for word in words], add_special_tokens=False)["input_ids"]
    return {word: len(each) for word, each in zip(words, ids, strict=True)}


def _case(folder: Path, gguf: str | None) -> dict:
    """Return whether BERT's vocabulary is lower-case, if the folder does not say.

    transformers assumes that it is, and would lower-case the input of a cased model.
    """
    path, told = folder / "vocab.txt", folder / "tokenizer_config.json"
    if gguf or not path.is_file():
        return {}
    if told.is_file() and "do_lower_case" in json.loads(told.read_text("utf-8")):
        return {}
    words = path.read_text("utf-8").split("\n")  # `splitlines` would split some of them
    return {"do_lower_case": all(w == w.lower() for w in words if not w.startswith(("[", "<")))}
