"""What an audit gives back: findings that write themselves down."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from socialbias.api.result import written
from socialbias.auditing import page
from socialbias.auditing.entries import Findings


@dataclass(frozen=True)
class Audit(Findings):
    """An audit: its attributes are those of its findings."""

    def to_json(self, path: str | Path | None = None) -> str:
        """`as_dict` as JSON, written to a file if one is named."""
        text = json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"
        return written(text, path)

    def to_html(self, path: str | Path | None = None) -> str:
        """A page that needs no other file, written to a file if one is named."""
        return written(page.page(self), path)

    def __str__(self) -> str:
        return page.text(self)
