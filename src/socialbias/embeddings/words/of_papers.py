"""Word lists that this project keeps, in `resources/word_lists`."""

from __future__ import annotations

from pathlib import Path


def read_word_lists(path: Path) -> dict:
    """Return a paper's word lists as nested dictionaries that end in lists of words."""
    from socialbias.files.yaml_files import read_yaml

    return read_yaml(path)


def all_words(lists: dict | list | str) -> set[str]:
    """Return every word of nested word lists."""
    if isinstance(lists, str):
        return {lists}
    parts = lists.values() if isinstance(lists, dict) else lists
    return set().union(*map(all_words, parts))
