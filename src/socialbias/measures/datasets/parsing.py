"""Tables from published files.

Published files have a pinned checksum (`resources/sources.yaml`), which says what is in them: only
what a user may give instead, such as items of StereoSet, is checked when it is read.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pandas as pd

from socialbias.errors import UserError
from socialbias.files.text import read_text


def read_table(path: Path, **options: Any) -> pd.DataFrame:
    """Return a CSV file with a header; every cell is a string, "" if it is empty.

    Options are those of `pandas.read_csv`, such as `sep`.
    """
    text = io.StringIO(read_text(path))
    try:
        return pd.read_csv(text, dtype=str, keep_default_na=False, **options)
    except ValueError as error:  # pandas' own are some
        raise UserError(f"{path}: not a table: {' '.join(str(error).split())[:80]}") from None
