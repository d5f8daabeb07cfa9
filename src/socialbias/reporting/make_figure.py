"""The figure of an artefact from its values, as the rule `figure` draws it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from socialbias.files.atomic_write import write_text
from socialbias.pipeline.job import function_of, job_of
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import draw_artefact, save_figure
from socialbias.reporting.values import read_published, read_values


def make_figure(
    inputs: Mapping[str, Any],
    settings: Mapping[str, Any],
    output: Path,
    say: Callable[[str], None],
) -> None:
    """Draw an artefact's figure, and write its caption beside it."""
    drawing = Drawing(
        artefact=Artefact(**settings["artefact"]),
        values=read_values(Path(inputs["values"])),
        published=read_published(Path(settings["published"])),
        style=settings["style"],
        job=job_of(inputs, settings, say),
        run=settings["run"],
        zero_units=settings["zero_units"],
    )
    figure, caption = draw_artefact(drawing, function_of(settings["function"]))
    save_figure(figure, output, drawing.style["dpi"], caption)
    write_text(output.with_suffix(".caption.txt"), f"{caption}\n")
