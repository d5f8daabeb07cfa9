"""How transformers loads what lies in a folder: offline, running no code, with one-line errors."""

from __future__ import annotations

import json
import pickle
import struct
from pathlib import Path

from huggingface_hub.errors import StrictDataclassError
from safetensors import SafetensorError

from socialbias.errors import UserError

# Exceptions that transformers and torch raise for unusable files.
UNUSABLE = (
    OSError,
    ValueError,
    KeyError,
    AttributeError,
    TypeError,
    ImportError,
    RuntimeError,
    SafetensorError,
    StrictDataclassError,  # a configuration with a value of another type
    pickle.UnpicklingError,
    # And for headers with counts, sizes or offsets that are not those of the file.
    struct.error,
    IndexError,
    ArithmeticError,
    MemoryError,
    EOFError,
    AssertionError,
)
BREAKS_OFF = "the file breaks off: fetch it again"  # what numpy's messages mean of a GGUF file
BAD_SIZE = "the configuration has a size that is 0, negative or too large: fetch the model again"
# Advice in their messages that helps no user or undoes a protection, and what to print instead.
INSTEAD = {
    "weights_only": "the file holds more than numbers, which could run code: refused; get the "
    "model's weights as safetensors",
    "trust_remote_code": "the folder brings code of its own, which is not run: use a model of an "
    "architecture that transformers knows",
    "unpack_from requires a buffer": BREAKS_OFF,
    "cannot reshape array": BREAKS_OFF,
    "must be a divisor of the total size": BREAKS_OFF,
    "by zero": BAD_SIZE,
    "negative power": BAD_SIZE,
    "negative dimension": BAD_SIZE,
    "invalid shape dimension": BAD_SIZE,
    "Storage size calculation overflowed": BAD_SIZE,
    "__len__() should return": BAD_SIZE,
    "ignore_mismatched_sizes": "they have other sizes than the configuration says: fetch the model "
    "again",
}


def loader_options(gguf: str | None) -> dict:
    """Options of every loader: no network, no code execution."""
    options = {"local_files_only": True, "trust_remote_code": False}
    return options | ({"gguf_file": gguf} if gguf else {})


def check_index(folder: Path) -> None:
    """Check that the parts of a model's weights lie in its folder.

    Provenance names the files of the folder: weights from elsewhere would be read and not named.
    """
    for path in sorted(folder.glob("*.index.json")):
        try:
            names = {*json.loads(path.read_text("utf-8"))["weight_map"].values()}
            outside = sorted(name for name in names if Path(name).name != name)
        except (*UNUSABLE, RecursionError) as error:
            raise UserError(f"{path}: not an index of weights: {in_one_line(error)}") from None
        if outside:
            raise UserError(f"{path}: names {outside[0]}, which is not a file of this folder")


def in_one_line(error: Exception) -> str:
    """Return an error in one line."""
    for advice, instead in INSTEAD.items():
        if advice in str(error):
            return instead
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    title = lines[0].endswith(":")  # what is wrong stands in the next line
    return " ".join(lines[: 1 + title])[:200].rstrip(".")
