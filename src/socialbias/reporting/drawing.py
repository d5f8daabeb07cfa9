"""What every drawing rule does: the tables of an artefact, and its figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from socialbias.reporting.catalogue import Artefact, load_catalogue
from socialbias.reporting.figures import save_figure
from socialbias.reporting.tables import reading_table, write_tables
from socialbias.reporting.values import read_csv, read_values


@dataclass(frozen=True)
class Drawn:
    """What a figure is drawn from.

    Attributes:
        artefact: Order, labels and digits.
        values: The artefact's values.
        published: The printed numbers, text.
        evidence: The artefact's evidence; None where values are enough.
        style: The configuration's.
    """

    artefact: Artefact
    values: pd.DataFrame
    published: pd.DataFrame
    evidence: pd.DataFrame | None
    style: dict


def draw(
    inputs: Mapping[str, str], picture: Path, settings: dict, plot: Callable[[Drawn], Figure]
) -> None:
    """Write an artefact's tables and figure beside each other, in every format.

    Args:
        inputs: Paths by name: `catalogue`, `values`, `published` and perhaps `evidence`.
        picture: The PNG file.
        settings: `artefact` (its name) and `style`.
        plot: Makes the figure.
    """
    drawn = Drawn(
        artefact=load_catalogue(Path(inputs["catalogue"]))[settings["artefact"]],
        values=read_values(Path(inputs["values"])),
        published=read_csv(Path(inputs["published"])),
        evidence=pd.read_parquet(inputs["evidence"]) if "evidence" in inputs else None,
        style=settings["style"],
    )
    stem = picture.with_suffix("")
    text, bold = reading_table(drawn.values, drawn.published, drawn.artefact)
    write_tables(text, bold, drawn.artefact, stem)
    save_figure(plot(drawn), stem, drawn.style["dpi"])
