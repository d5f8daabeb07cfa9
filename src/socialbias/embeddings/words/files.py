"""Files of seed sets, as people write them: read as they are meant, or refused in one line.

What is almost right is never audited as something else: a word with a comma, quotation marks or a
tab is no word, a row without its word is an error, and so is a heading that is not closed.
"""

from __future__ import annotations

from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.escaping import FORMULAS
from socialbias.files.tables import table_rows
from socialbias.files.text import CONTROL, plain, read_text

MAX_CHARACTERS = 100  # characters of a word
DOUBLE_MARKS = set('"“”„«»')
SINGLE_MARKS = set("'‘’‚`")

Sets = dict[str, list[str]]


def read_word_list(path: Path) -> Sets:
    """Seed sets from a file."""
    read = _from_csv if path.suffix.lower() in (".csv", ".tsv") else _from_text
    sets = read(read_text(path), path)
    if not sets or not all(sets.values()):
        empty = next((name for name, words in sets.items() if not words), None)
        what = f"the set {empty!r} has no words" if empty else "there are no words"
        raise UserError(f"{path}: {what}")
    return sets


def _from_csv(text: str, path: Path) -> Sets:
    sets: Sets = {}
    columns = ("set", "word")
    for place, row in table_rows(text, path, columns, filled=columns):
        name = _checked(row["set"], place)
        sets.setdefault(name, []).append(_checked(row["word"], place))
    return sets


def _from_text(text: str, path: Path) -> Sets:
    sets: Sets = {}
    name = path.stem
    for number, line in enumerate(text.splitlines(), 1):
        line, where = plain(line), f"{path}, line {number}"
        if line.startswith("[") and line.endswith("]"):
            name = _checked(line[1:-1], where)
            if name in sets:
                raise UserError(f"{where}: the set {name!r} appears twice")
            sets[name] = []
        elif "[" in line or "]" in line:
            raise UserError(
                f"{where}: {line[:40]!r} is not a heading: put `[name]` on a line of its own"
            )
        elif " #" in line:
            raise UserError(f"{where}: put the comment on a line of its own")
        elif line and not line.startswith("#"):
            sets.setdefault(name, []).append(_checked(line, where))
    return sets


def _checked(text: str, where: str) -> str:
    """Return a word or the name of a set."""
    word = plain(text)
    problem = ""
    if not word:
        problem = "is empty"
    elif len(word) > MAX_CHARACTERS:
        problem = f"is longer than {MAX_CHARACTERS} characters"
    elif CONTROL.search(word):
        problem = "has a tab, a line break or a control character: one word a line"
    elif set(word) & {",", ";"}:
        problem = "has a comma or semicolon: one word a line"
    elif set(word) & DOUBLE_MARKS or (word[0] in SINGLE_MARKS and word[-1] in SINGLE_MARKS):
        problem = "has quotation marks, which are no part of a word: leave them out"
    elif word.startswith(FORMULAS):
        problem = "begins as formulas of spreadsheets do: write the word alone"
    if problem:
        raise UserError(f"{where}: {word[:40]!r} {problem}")
    return word
