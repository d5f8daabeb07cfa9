"""What a figure is drawn from."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import pandas as pd

from socialbias.pipeline.job import Job
from socialbias.reporting.artefact import Artefact


@dataclass(frozen=True)
class Drawing:
    """What a figure is drawn from."""

    artefact: Artefact  # Order, labels and digits
    values: pd.DataFrame  # the artefact's values
    published: pd.DataFrame  # the printed numbers, text
    style: dict  # the configuration's
    job: Job  # further inputs, such as evidence
    run: str = ""  # name of the run, or ""
    zero_units: Collection[str] = ()  # units in which 0 is the value without an effect
