"""What the readers of benchmarks share: JSON, tables and Python lists from files, with limits."""

from __future__ import annotations

import ast
import io
import json
from pathlib import Path

import pandas as pd

from socialbias.errors import UserError

LONGEST_LIST = 1_000_000  # characters; the longest published one has 20,000
DEEPEST_LIST = 4


def read_text(path: Path) -> str:
    """A whole small file as text; a byte order mark is removed, line ends stay as they are.

    Raises:
        UserError: the file is not there or not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: byte {error.start} is not UTF-8: fetch it again") from None


def read_json(path: Path) -> object:
    """A whole JSON file.

    Raises:
        UserError: it is not JSON; the line says where.
    """
    text = read_text(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"{path}, line {error.lineno}: not JSON ({error.msg})") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: not JSON of this kind ({str(error)[:60]})") from None


def read_table(path: Path, columns: tuple[str, ...] | list[str]) -> pd.DataFrame:
    """A CSV file with a header; every cell a string, "" where nothing stands.

    Raises:
        UserError: it is not such a table, or one of the columns is not there.
    """
    try:
        table = pd.read_csv(io.StringIO(read_text(path)), dtype=str, keep_default_na=False)
    except (ValueError, pd.errors.ParserError) as error:  # an empty file is a ValueError
        raise UserError(f"{path}: not a table ({str(error).strip()[:80]})") from None
    missing = [column for column in columns if column not in table.columns]
    if missing:
        has = ", ".join(map(str, table.columns[:10]))
        raise UserError(f"{path}: no column {missing[0]!r}; its columns are {has}")
    return table


def literal_list(text: str, where: str) -> list:
    """A Python list that was written as a string, such as `"['a', ['b']]"`.

    Args:
        text: The string; nothing but lists, strings and numbers may stand in it.
        where: File and row, for the error.

    Returns:
        The list.

    Raises:
        UserError: it is not such a list, is longer than a million characters, or nested deeper
            than four lists.
    """
    if len(text) > LONGEST_LIST:
        raise UserError(f"{where}: a list of more than {LONGEST_LIST} characters")
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        raise UserError(f"{where}: not a Python list: {text[:40]!r}") from None
    if not isinstance(value, list) or not _plain(value, DEEPEST_LIST):
        raise UserError(f"{where}: not a Python list of strings: {text[:40]!r}")
    return value


def _plain(value: object, depth: int) -> bool:
    """Whether a value is a string, a number, or lists of these that are not too deep."""
    if isinstance(value, list):
        return depth > 0 and all(_plain(item, depth - 1) for item in value)
    return isinstance(value, str | int | float)


def strings(value: object, where: str) -> tuple[str, ...]:
    """A list of strings as a tuple; UserError where it is anything else."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise UserError(f"{where}: not a list of strings")
    return tuple(value)
