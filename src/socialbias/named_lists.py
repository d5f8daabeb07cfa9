"""The named lists that are packaged: put together from `resources/lists.yaml` and the word lists.

`socialbias.generate` writes them to `resources/lists.json`, which `socialbias.api.lists` reads.
"""

from __future__ import annotations

from pathlib import Path

from socialbias.word_lists import read_word_lists
from socialbias.yaml_files import read_yaml

TOLD = ("kind", "about", "language", "source", "licence")


def named_lists(resources: Path) -> dict[str, dict]:
    """Every list by name: `TOLD`, `pairs`, and `words`, a list or lists by name.

    Args:
        resources: The folder with `lists.yaml` and `word_lists`.
    """
    files = {p.stem: read_word_lists(p) for p in sorted((resources / "word_lists").glob("*.yaml"))}
    entries = read_yaml(resources / "lists.yaml")
    return {name: _named(entry, files) for name, entry in entries.items()}


def _named(entry: dict, files: dict[str, dict]) -> dict:
    about = {key: entry[key] for key in TOLD} | {"pairs": entry.get("pairs", False)}
    if "sets" in entry:
        seeds = {each["id"]: each["words"] for each in files["bad_seeds"]["sets"]}
        return about | {"words": {name: seeds[key] for name, key in entry["sets"].items()}}
    words = files
    for key in entry["words"]:
        words = words[key]
    if "groups" in entry:  # tuples with a word of each group
        columns = zip(*words, strict=True)
        columns = (column if about["pairs"] else dict.fromkeys(column) for column in columns)
        words = {name: list(c) for name, c in zip(entry["groups"], columns, strict=True)}
    return about | {"words": words}
