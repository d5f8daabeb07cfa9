"""Parsing JSON of unknown origin, and small JSON files that several processes change."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from socialbias.errors import UserError
from socialbias.files.atomic_write import locked, write_text
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


def read_entries(path: Path, fields: Mapping[str, type], advice: str) -> dict[str, dict]:
    """Return the entries of a file by name, none if there is no file, each with these fields."""
    try:
        entries = parse_json(path.read_text("utf-8"))
        if all(isinstance(e[k], kind) for e in entries.values() for k, kind in fields.items()):
            return entries
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    raise UserError(f"{path} is damaged: {advice}")


@contextmanager
def changed_entries(path: Path, read: Callable[[Path], dict[str, dict]]) -> Iterator[dict]:
    """Provide the entries of a file to change, alone; they are then written, sorted by name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_name(f".{path.name}.lock")):
        entries = read(path)
        yield entries
        write_text(path, json.dumps(entries, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def read_json_lines(path: Path) -> list[Any]:
    """Return the lines of a file, each of them JSON; UserError, with the line, if one is none."""
    values = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        try:
            values += [parse_json(line)] if line.strip() else []
        except ValueError as error:
            raise UserError(f"{path}, line {number}: not JSON ({str(error)[:60]})") from None
    return values
