"""Shared helpers of the readers: JSON and tables from files.

Published files have a pinned checksum (`resources/sources.yaml`), which says what is in them: only
what a user may give instead, such as items of StereoSet, is checked when it is read.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pandas as pd

from socialbias.errors import UserError
from socialbias.files.json_files import parse_json
from socialbias.files.text import read_text


def read_json(path: Path) -> object:
    """Return a whole JSON file; UserError, with the line, if it is none."""
    text = read_text(path)
    try:
        return parse_json(text)
    except json.JSONDecodeError as error:
        raise UserError(f"{path}, line {error.lineno}: not JSON ({error.msg})") from None
    except ValueError as error:
        raise UserError(f"{path}: unsupported JSON ({str(error)[:60]})") from None


def read_table(path: Path, **options: Any) -> pd.DataFrame:
    """Return a CSV file with a header; every cell is a string, "" if it is empty.

    Options are those of `pandas.read_csv`, such as `sep`.
    """
    text = io.StringIO(read_text(path))
    return pd.read_csv(text, dtype=str, keep_default_na=False, **options)
