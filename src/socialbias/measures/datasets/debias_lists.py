"""Word lists published with methods of debiasing."""

from __future__ import annotations

from pathlib import Path

from socialbias.errors import UserError
from socialbias.measures.datasets.parsing import read_json, strings


def read_pairs(path: Path) -> tuple[tuple[str, str], ...]:
    """Read `definitional_pairs.json` or `equalize_pairs.json` (Bolukbasi et al. 2016).

    Raises:
        UserError: the file is not a list of pairs of strings.
    """
    pairs = _list(path)
    if not all(isinstance(p, list) and len(p) == 2 for p in pairs):
        raise UserError(f"{path}: not a list of pairs")
    return tuple(strings(pair, str(path)) for pair in pairs)


def read_words(path: Path) -> tuple[str, ...]:
    """Read a JSON list of words: `gender_specific_*.json`, `religion_specific.json`.

    Raises:
        UserError: the file is not a list of strings.
    """
    return strings(_list(path), str(path))


def _list(path: Path) -> list:
    data = read_json(path)
    if not isinstance(data, list) or not data:
        raise UserError(f"{path}: not a list")
    return data
