"""Parsing JSON of unknown origin."""

from __future__ import annotations

import json


def parse_json(text: str | bytes):
    """What JSON text contains.

    Raises:
        ValueError: it is not JSON (a `json.JSONDecodeError`), not UTF-8, or nested too deeply.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise json.JSONDecodeError("nested too deeply", "", 0) from None
