"""Shared helpers of the readers: JSON, tables and Python lists from files, with size limits."""

from __future__ import annotations

import ast
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from socialbias.errors import UserError
from socialbias.files.json_files import parse_json
from socialbias.files.text import read_text

MAX_LIST_CHARACTERS = 1_000_000  # the longest published list has 20,000
MAX_LIST_DEPTH = 4


def read_json(path: Path) -> object:
    """Return a whole JSON file; UserError, with the line, if it is none."""
    text = read_text(path)
    try:
        return parse_json(text)
    except json.JSONDecodeError as error:
        raise UserError(f"{path}, line {error.lineno}: not JSON ({error.msg})") from None
    except ValueError as error:
        raise UserError(f"{path}: unsupported JSON ({str(error)[:60]})") from None


def read_table(path: Path, columns: Iterable[str], **options: Any) -> pd.DataFrame:
    """Return a CSV file with a header; every cell is a string, "" if it is empty.

    Args:
        path: The file.
        columns: Those that it must have.
        options: Those of `pandas.read_csv`, such as `sep`.

    Raises:
        UserError: it is not such a table, or one of the columns is missing.
    """
    try:
        text = io.StringIO(read_text(path))
        table = pd.read_csv(text, dtype=str, keep_default_na=False, **options)
    except (ValueError, pd.errors.ParserError) as error:  # an empty file is a ValueError
        raise UserError(f"{path}: not a table ({str(error).strip()[:80]})") from None
    missing = [column for column in columns if column not in table.columns]
    if missing:
        columns = ", ".join(map(str, table.columns[:10]))
        raise UserError(f"{path}: no column {missing[0]!r}; its columns are {columns}")
    return table


def check_distinct(values: pd.Series, path: Path, kind: str = "id") -> None:
    """UserError if a value occurs twice."""
    twice = values[values.duplicated()]
    if len(twice):
        raise UserError(f"{path}: duplicate {kind} {twice.iloc[0]!r}")


def literal_list(text: str, where: str) -> list:
    """Return a Python list written as a string, such as `"['a', ['b']]"`.

    Args:
        text: The string, which may contain only lists, strings and numbers.
        where: File and row, for error messages.

    Returns:
        The list.

    Raises:
        UserError: it is not such a list, has more than a million characters, or is nested deeper
            than four lists.
    """
    if len(text) > MAX_LIST_CHARACTERS:
        raise UserError(f"{where}: a list of more than {MAX_LIST_CHARACTERS} characters")
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        raise UserError(f"{where}: not a Python list: {text[:40]!r}") from None
    if not isinstance(value, list) or not _is_plain(value, MAX_LIST_DEPTH):
        raise UserError(f"{where}: not a Python list of strings: {text[:40]!r}")
    return value


def _is_plain(value: object, depth: int) -> bool:
    """Return whether a value is a string, a number or a list of these, not nested too deep."""
    if isinstance(value, list):
        return depth > 0 and all(_is_plain(item, depth - 1) for item in value)
    return isinstance(value, str | int | float)


def strings(value: object, where: str) -> tuple[str, ...]:
    """Return a list of strings as a tuple; UserError if it is anything else."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise UserError(f"{where}: not a list of strings")
    return tuple(value)
