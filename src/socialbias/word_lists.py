"""Word lists: those that this project keeps, in `resources/word_lists`, and a user's own."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from socialbias.errors import UserError


def read_word_lists(path: Path) -> dict:
    """A paper's word lists as nested dictionaries that end in lists of words."""
    from socialbias.yaml_files import read_yaml

    return read_yaml(path)


def all_words(lists: dict | list | str) -> set[str]:
    """Every word of nested word lists."""
    if isinstance(lists, str):
        return {lists}
    parts = lists.values() if isinstance(lists, dict) else lists
    return set().union(*map(all_words, parts))


def read_word_list(path: Path) -> dict[str, list[str]]:
    """Seed sets from a file.

    Args:
        path: YAML (`.yaml`, `.yml`): lists of words by name. CSV (`.csv`): columns `set,word`.
            Anything else is text, one word a line; a line `[name]` starts a set, `#` a comment.

    Returns:
        Words by set, as written.

    Raises:
        UserError: naming the file and what is wrong with it.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such word-list file") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text (byte {error.start})") from None
    readers = {".yaml": _from_yaml, ".yml": _from_yaml, ".csv": _from_csv}
    sets = readers.get(path.suffix.lower(), _from_text)(text, path)
    if not sets or not all(sets.values()):
        empty = next((name for name, words in sets.items() if not words), None)
        what = f"the set {empty!r} has no words" if empty else "there are no words"
        raise UserError(f"{path}: {what}")
    return sets


def _from_yaml(text: str, path: Path) -> dict[str, list[str]]:
    # Here: text and CSV are read without PyYAML.
    from yaml import YAMLError

    from socialbias.yaml_files import parse_yaml

    try:
        sets = parse_yaml(text)
    except (YAMLError, ValueError) as error:  # ValueError: such as a date that is none
        raise UserError(f"{path}: broken YAML: {' '.join(str(error).split())}") from None
    if not isinstance(sets, dict) or not all(isinstance(words, list) for words in sets.values()):
        raise UserError(f"{path}: not lists of words by name")
    for name, words in sets.items():
        for word in words:
            if not isinstance(word, str):
                raise UserError(f"{path}, {name}: {word!r} is no word; put it into quotes")
    return {str(name): words for name, words in sets.items()}


def _from_csv(text: str, path: Path) -> dict[str, list[str]]:
    rows = csv.DictReader(io.StringIO(text))
    sets: dict[str, list[str]] = {}
    try:
        if not {"set", "word"} <= set(rows.fieldnames or ()):
            raise UserError(f"{path}: there is no column 'set' or no column 'word'")
        for row in rows:
            if row["word"]:
                sets.setdefault(row["set"] or "", []).append(row["word"])
    except csv.Error as error:
        raise UserError(f"{path}, behind line {rows.line_num}: broken CSV: {error}") from None
    return sets


def _from_text(text: str, path: Path) -> dict[str, list[str]]:
    sets: dict[str, list[str]] = {}
    name = path.stem
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            name = line[1:-1].strip()
            sets.setdefault(name, [])
        elif line and not line.startswith("#"):
            sets.setdefault(name, []).append(line)
    return sets
