"""What a figure is drawn from."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from socialbias.pipeline.job import Job
from socialbias.reporting.artefact import Artefact


@dataclass(frozen=True)
class Drawing:
    """What a figure is drawn from.

    Attributes:
        artefact: Order, labels and digits.
        values: The artefact's values.
        published: The printed numbers, text.
        style: The configuration's.
        job: Further inputs, such as evidence.
        run: Name of the run, or "".
    """

    artefact: Artefact
    values: pd.DataFrame
    published: pd.DataFrame
    style: dict
    job: Job
    run: str = ""
