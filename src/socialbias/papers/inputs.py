"""What papers read in common: data with where they are from, and the readers of a job's inputs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.pipeline.job import Job
from socialbias.sources.fidelity import worst_fidelity

Data = TypeVar("Data")


@dataclass(frozen=True)
class Input(Generic[Data]):
    """Data with where it is from.

    Attributes:
        data: Word vectors, a corpus, a table.
        source: Id in the source registry; several are separated by `;`.
        fidelity: How near the source is to what the paper used.
    """

    data: Data
    source: str
    fidelity: str


def provenance(job: Job, name: str) -> tuple[str, str]:
    """The sources of an input, joined, and the worst of their fidelities."""
    sources, fidelities = zip(*job.provenance[name], strict=True)
    return joined(sources), worst_fidelity(list(fidelities))


def read_vectors(job: Job, words: str) -> dict[str, Input[WordVectors]]:
    """The word vectors among a job's inputs, by role.

    Args:
        job: Its inputs `vectors/<words>/<role>` are folders with a folder for each word set.
        words: The word set, such as `professions`.
    """
    prefix = f"vectors/{words}/"
    return {
        role: Input(
            WordVectors.load(job.path(f"{prefix}{role}") / words),
            *provenance(job, f"{prefix}{role}"),
        )
        for role in job.below(prefix)
    }


def fidelity_for(vectors: Input[WordVectors], words: Iterable[str]) -> str:
    """The fidelity of a number that asks for these words alone.

    A subset of the paper's vectors that has them all is exact. One that was scaled to unit length
    is not: means of its vectors are others, whatever its words.
    """
    if vectors.fidelity != "subset" or vectors.data.unit_length:
        return vectors.fidelity
    return "exact" if vectors.data.index.keys() >= set(words) else "subset"


def joined(sources: Iterable[str]) -> str:
    """Ids of sources, each once and in order, separated by `;`; any may hold several already."""
    return ";".join(sorted({part for text in sources for part in text.split(";") if part}))


def concat(parts: list[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    """The parts that have rows below each other, in these columns."""
    filled = [part[columns] for part in parts if len(part)]
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(columns=columns)
