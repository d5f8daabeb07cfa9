"""HolisticBias: descriptors of people on 13 axes, and templates for them (Smith et al. 2022)."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from socialbias.errors import UserError
from socialbias.measures.datasets.parsing import read_json

SINGULAR, PLURAL = "{noun_phrase}", "{plural_noun_phrase}"
MODIFIED = "{article} {noun} "  # what phrases begin with that follow a noun: "a person with asthma"


def read_templates(path: Path) -> list[str]:
    """Read `sentence_templates.json`: templates in its order, each with a singular or plural slot.

    Raises:
        UserError: it is no such file.
    """
    templates = _mapping(path)
    for template in templates:
        if (SINGULAR in template) == (PLURAL in template):
            raise UserError(f"{path}: {template!r} has not one slot, {SINGULAR} or {PLURAL}")
    return list(templates)


def read_descriptors(path: Path) -> pd.DataFrame:
    """Read `descriptors.json`.

    Returns:
        One row per descriptor, in the order of the file. Columns, all strings: `axis`, `bucket`,
        `descriptor`, `preference` (`reviewed`, `dispreferred`, `polarizing` or "").

    Raises:
        UserError: it is no such file.
    """
    rows = []
    for axis, buckets in _mapping(path).items():
        for bucket, entries in _mapping(path, buckets, axis).items():
            rows += [
                (axis, bucket, *_entry(path, entry, "descriptor"))
                for entry in _listed(path, entries, f"{axis}, {bucket}")
            ]
    return pd.DataFrame(rows, columns=["axis", "bucket", "descriptor", "preference"])


def read_phrases(path: Path) -> pd.DataFrame:
    """Read `standalone_noun_phrases.json`.

    Returns:
        One row per phrase, in the order of the file. Columns, all strings: `axis`, `phrase` (such
        as `a wheelchair user`, or what follows a noun if `follows`), `preference`, and `follows`
        (bool).

    Raises:
        UserError: it is no such file.
    """
    rows = []
    for axis, entries in _mapping(path).items():
        for entry in _listed(path, entries, axis):
            phrase, preference = _entry(path, entry, "noun_phrase")
            follows = phrase.startswith(MODIFIED)
            rows.append((axis, phrase.removeprefix(MODIFIED), preference, follows))
    return pd.DataFrame(rows, columns=["axis", "phrase", "preference", "follows"])


def _mapping(path: Path, value: object = None, where: str = "") -> dict:
    """Return a dictionary: of the whole file, or a part of it."""
    mapping = read_json(path) if value is None else value
    if not isinstance(mapping, dict) or not mapping:
        raise UserError(f"{', '.join(filter(None, (str(path), where)))}: not a JSON dictionary")
    return mapping


def _listed(path: Path, value: object, where: str) -> list:
    if not isinstance(value, list):
        raise UserError(f"{path}, {where}: not a JSON list")
    return value


def _entry(path: Path, entry: object, key: str) -> tuple[str, str]:
    """Return an entry's text and preference; an entry without a preference is just its text."""
    if isinstance(entry, str):
        return entry, ""
    text = entry.get(key) if isinstance(entry, dict) else None
    if not isinstance(text, str):
        raise UserError(f"{path}: {str(entry)[:40]!r} has no {key!r}")
    return text, entry.get("preference", "")
