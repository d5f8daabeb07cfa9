"""How transformers loads what lies in a folder: offline, running no code, with one-line errors."""

from __future__ import annotations

UNUSABLE = Exception  # transformers and torch raise nearly any kind for a damaged file
# Advice in their messages that helps no user or undoes a protection, and what to print instead.
INSTEAD = {
    "weights_only": "the file holds more than numbers, which could run code: refused; get the "
    "model's weights as safetensors",
    "trust_remote_code": "the folder brings code of its own, which is not run: use a model of an "
    "architecture that transformers knows",
    "ignore_mismatched_sizes": "they have other sizes than the configuration says: fetch the model "
    "again",
}


def loader_options(gguf: str | None) -> dict:
    """Options of every loader: no network, no code execution."""
    options = {"local_files_only": True, "trust_remote_code": False}
    return options | ({"gguf_file": gguf} if gguf else {})


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
