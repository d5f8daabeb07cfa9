"""The papers: authors, title, year, venue and DOI, from `resources/papers.yaml`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from socialbias.files.yaml_files import read_yaml


@dataclass(frozen=True)
class Paper:
    """A paper, as it is cited."""

    title: str
    authors: list[str]
    year: int
    venue: str
    doi: str

    @property
    def cited(self) -> str:
        """Family names and year, such as `Bommasani and Liang 2022`."""
        names = [author.split()[-1] for author in self.authors]
        who = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
        return f"{who} {self.year}"


def read_papers(path: Path) -> dict[str, Paper]:
    """Read the papers by their short names."""
    return {name: Paper(**facts) for name, facts in read_yaml(path).items()}
