"""What papers read in common: word vectors, and tables put together."""

from __future__ import annotations

import numpy as np
import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.pipeline.job import Job


def read_vectors(job: Job, words: str) -> dict[str, WordVectors]:
    """Return the word vectors among a job's inputs, by role."""
    prefix = f"vectors/{words}/"
    return {
        role: WordVectors.load(job.path(f"{prefix}{role}") / words) for role in job.below(prefix)
    }


def by_turns(table: pd.DataFrame, groups: str | list[str], number: int) -> pd.DataFrame:
    """Return the first rows, as equally many of each group as there are: each has its turn."""
    turn = table.groupby(groups).cumcount().to_numpy()
    return table.iloc[np.argsort(turn, kind="stable")[:number]]


def concat(parts: list[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    """Return the parts that have rows below each other, in these columns."""
    filled = [part[columns] for part in parts if len(part)]
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(columns=columns)
