"""The result of an audit, with its output formats."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from socialbias.api.result import written
from socialbias.auditing import page
from socialbias.auditing.entries import Findings


@dataclass(frozen=True)
class Audit(Findings):
    """The findings of an audit, which can be printed and written to files."""

    def to_json(self, path: str | Path | None = None) -> str:
        """Return `as_dict` as JSON, and write it to a file if one is named."""
        text = json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"
        return written(text, path)

    def to_html(self, path: str | Path | None = None) -> str:
        """Return a self-contained page, and write it to a file if one is named."""
        return written(page.page(self), path)

    def __str__(self) -> str:
        return page.text(self)
