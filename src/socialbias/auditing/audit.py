"""What an audit gives back: entries that write themselves down."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from socialbias.api.result import plain, written
from socialbias.auditing import page
from socialbias.auditing.entries import Absent, Entry


@dataclass(frozen=True)
class Audit:
    """All that an audit found.

    Attributes:
        subject: Name of what was audited.
        kind: `vectors`, `corpus` or `model`.
        entries: The numbers.
        absent: Instruments without one.
        sampled: What was sampled of what there is, in words.
        provenance: Of everything that was read, as plain values.
        seconds: Of the clock.
        cpu_seconds: Of all processes.
    """

    subject: str
    kind: str
    entries: tuple[Entry, ...]
    absent: tuple[Absent, ...]
    sampled: tuple[str, ...] = ()
    provenance: list[dict] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    def as_dict(self) -> dict:
        """Everything, as plain JSON values: a number that there is not is None."""
        kept = ("subject", "kind", "sampled", "provenance", "seconds", "cpu_seconds")
        entries = {"entries": [entry.as_dict() for entry in self.entries]}
        absent = {"absent": [vars(each) for each in self.absent]}
        return plain({name: getattr(self, name) for name in kept} | entries | absent)

    def to_json(self, path: str | Path | None = None) -> str:
        """`as_dict` as JSON, written to a file if one is named."""
        text = json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"
        return written(text, path)

    def to_html(self, path: str | Path | None = None) -> str:
        """A page that needs no other file, written to a file if one is named."""
        return written(page.page(self), path)

    def __str__(self) -> str:
        return page.text(self)
