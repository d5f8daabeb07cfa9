"""Parsing JSON of unknown origin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from socialbias.errors import UserError
from socialbias.files.text import read_text


def parse_json(text: str | bytes):
    """Return what JSON text contains."""
    try:
        return json.loads(text)
    except RecursionError:
        raise json.JSONDecodeError("nested too deeply", "", 0) from None


def read_json(path: Path) -> Any:
    """Return a whole JSON file; UserError, with the line, if it is none."""
    text = read_text(path)
    try:
        return parse_json(text)
    except json.JSONDecodeError as error:
        raise UserError(f"{path}, line {error.lineno}: not JSON ({error.msg})") from None
    except ValueError as error:
        raise UserError(f"{path}: unsupported JSON ({str(error)[:60]})") from None


def read_json_lines(path: Path) -> list[Any]:
    """Return the lines of a file, each of them JSON; UserError, with the line, if one is none."""
    values = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        try:
            values += [parse_json(line)] if line.strip() else []
        except ValueError as error:
            raise UserError(f"{path}, line {number}: not JSON ({str(error)[:60]})") from None
    return values
