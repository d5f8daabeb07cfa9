"""How transformers loads what lies in a folder: offline, running no code, with one-line errors."""

from __future__ import annotations

import pickle
import struct

from safetensors import SafetensorError

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
    pickle.UnpicklingError,
    # And for headers with counts, sizes or offsets that are not those of the file.
    struct.error,
    IndexError,
    ArithmeticError,
    MemoryError,
    EOFError,
    AssertionError,
)
# Advice in their messages that would undo a protection, and what is said instead.
UNSAFE = {
    "weights_only": "the file holds more than numbers, which could run code: refused; get the "
    "model's weights as safetensors",
    "trust_remote_code": "the folder brings code of its own, which is not run: use a model of an "
    "architecture that transformers knows",
}


def loader_options(gguf: str | None) -> dict:
    """Options of every loader: no network, no code execution."""
    options = {"local_files_only": True, "trust_remote_code": False}
    return options | ({"gguf_file": gguf} if gguf else {})


def in_one_line(error: Exception) -> str:
    """An error in one line."""
    for advice, instead in UNSAFE.items():
        if advice in str(error):
            return instead
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:200].rstrip(".") if lines else type(error).__name__
