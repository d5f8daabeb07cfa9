"""The samples of documents that bootstrapped vectors are trained on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np


def drawn(checks: str) -> str:
    """Return the job's input `drawn/<corpus>` that belongs to its input `checks/<corpus>`."""
    return checks.replace("checks/", "drawn/", 1)


def m_out_of_n(inclusions: Sequence[Path]) -> str:
    """Return a note on models that are trained on fewer documents than the corpus has.

    A bootstrap of m out of n documents (Bickel, Goetze and van Zwet 1997) tells how much a number
    would vary between corpora of m documents, which is more than between corpora of n. The files
    have, for each model, how often each document was drawn. The note is "" where m is n.
    """
    counts = [np.load(path) for path in inclusions]
    m, n = (round(np.mean([f(count) for count in counts])) for f in (np.sum, len))
    return f"m out of n: each model has {m:,} of {n:,} documents" if m < n else ""
