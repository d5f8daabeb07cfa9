"""Static models, in which the vector of a text is a mean: Model2Vec's and SentenceTransformer's.

A word is spelt as in a sentence. Its vector is the mean over its pieces, as the model encodes it; a
word with an unknown piece is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from socialbias.errors import UserError
from socialbias.files.json_files import parse_json

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PARTS = ("model.safetensors", "tokenizer.json")
TABLES = {"embeddings", "embedding.weight"}  # names of the vectors in the two libraries
UNKNOWN = ("[UNK]", "<unk>")
WORD_STARTS = ("Ġ", "▁")  # before a word in the vocabularies of GPT-2, Llama and others
MARKED_PIECES = 100  # pieces with such a mark


def static_model(folder: Path) -> list[Path]:
    """Return the files of the static model in a folder; none if it has none."""
    modules = [path for path in [folder / "modules.json"] if path.is_file()]
    for place in (folder, folder / "0_StaticEmbedding"):
        files = [place / name for name in PARTS]
        if not all(file.is_file() for file in files):
            continue
        from safetensors import SafetensorError, safe_open  # an installation for texts has none

        with suppress(SafetensorError, OSError), safe_open(files[0], "numpy") as tensors:
            if TABLES & {*tensors.keys()}:
                return files + modules
    return []


def static_vectors(paths: list[Path], words: set[str]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Yield each word that the model can spell, and its vector."""
    from safetensors import SafetensorError, safe_open

    tokenizer, normalised = _tokenizer(paths[1]), len(paths) > 2 and _is_normalised(paths[2])
    unknown = {tokenizer.token_to_id(name) for name in UNKNOWN}
    try:
        with safe_open(paths[0], "numpy") as file:
            names = {*file.keys()}
            vectors = file.get_slice(*TABLES & names)
            # Model2Vec's pieces may share vectors, and may have weights.
            rows = file.get_tensor("mapping") if "mapping" in names else None
            weights = file.get_tensor("weights") if "weights" in names else None
            for word in sorted(words):
                ids = tokenizer.encode(f" {word}", add_special_tokens=False).ids
                if not ids or unknown.intersection(ids):
                    continue
                places = ids if rows is None else rows[ids]
                pieces = np.array([vectors[int(i)] for i in places], np.float32)
                if weights is not None:
                    pieces *= weights[ids, None]
                vector = pieces.mean(axis=0)
                yield word, vector / (np.linalg.norm(vector) or 1) if normalised else vector
    except (SafetensorError, IndexError, TypeError, ValueError) as error:
        problem = f"its vectors cannot be read, or are not the tokenizer's ({str(error)[:60]})"
        raise UserError(f"{paths[0]}: {problem}: fetch it again, or save it as float32") from None


def static_words(paths: list[Path]) -> list[str]:
    """Return the words of a static model that are one piece."""
    return whole_words(_tokenizer(paths[1]).get_vocab())


def whole_words(pieces: Mapping[str, int]) -> list[str]:
    """Return the words that are a single piece of a vocabulary, in its order."""
    ordered = sorted(pieces, key=pieces.__getitem__)
    for mark in WORD_STARTS:
        marked = [piece.removeprefix(mark) for piece in ordered if piece.startswith(mark)]
        if len(marked) > MARKED_PIECES:  # only pieces with this mark begin a word
            ordered = marked
            break
    return [piece for piece in dict.fromkeys(ordered) if piece.isalpha()]


def _tokenizer(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the tokenizers library raises nothing more precise
        raise UserError(f"{path}: damaged ({str(error)[:60]}): fetch it again") from None
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _is_normalised(path: Path) -> bool:
    """Return whether vectors are scaled to length 1; another change of them is a UserError."""
    try:
        later = [module["type"].split(".")[-1] for module in parse_json(path.read_bytes())[1:]]
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UserError(f"{path}: not a list of modules: fetch it again") from None
    if other := [name for name in later if name != "Normalize"]:
        advice = "save the vectors of words that it encodes as text, a word and its numbers a line"
        raise UserError(f"{path}: the module {other[0]} changes the static vectors: {advice}")
    return bool(later)
