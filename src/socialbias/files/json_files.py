"""Parsing JSON of unknown origin."""

from __future__ import annotations

import json


def parse_json(text: str | bytes):
    """Return what JSON text contains."""
    try:
        return json.loads(text)
    except RecursionError:
        raise json.JSONDecodeError("nested too deeply", "", 0) from None
