"""HolisticBias: descriptors of people on 13 axes, and templates for them (Smith et al. 2022)."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from socialbias.files.json_files import read_json

SINGULAR, PLURAL = "{noun_phrase}", "{plural_noun_phrase}"
MODIFIED = "{article} {noun} "  # what phrases begin with that follow a noun: "a person with asthma"


def read_templates(path: Path) -> list[str]:
    """Read `sentence_templates.json`: templates, each with a singular or plural slot."""
    return list(read_json(path))


def read_descriptors(path: Path) -> pd.DataFrame:
    """Read `descriptors.json`.

    Returns:
        One row per descriptor, in the order of the file. Columns, all strings: `axis`, `bucket`,
        `descriptor`, `preference` (`reviewed`, `dispreferred`, `polarizing` or "").
    """
    rows = [
        (axis, bucket, *_entry(entry, "descriptor"))
        for axis, buckets in read_json(path).items()
        for bucket, entries in buckets.items()
        for entry in entries
    ]
    return pd.DataFrame(rows, columns=["axis", "bucket", "descriptor", "preference"])


def read_phrases(path: Path) -> pd.DataFrame:
    """Read `standalone_noun_phrases.json`.

    Returns:
        One row per phrase, in the order of the file. Columns, all strings: `axis`, `phrase` (such
        as `a wheelchair user`, or what follows a noun if `follows`), `preference`, and `follows`
        (bool).
    """
    rows = []
    for axis, entries in read_json(path).items():
        for entry in entries:
            phrase, preference = _entry(entry, "noun_phrase")
            follows = phrase.startswith(MODIFIED)
            rows.append((axis, phrase.removeprefix(MODIFIED), preference, follows))
    return pd.DataFrame(rows, columns=["axis", "phrase", "preference", "follows"])


def _entry(entry: str | dict, key: str) -> tuple[str, str]:
    """Return an entry's text and preference; an entry without a preference is just its text."""
    return (entry, "") if isinstance(entry, str) else (entry[key], entry.get("preference", ""))
