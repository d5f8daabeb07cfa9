"""The figure of `recovery_factors`: what each factor changes, a panel for each unit."""

from __future__ import annotations

from dataclasses import replace

from matplotlib.figure import Figure

from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import dot_plot


def draw(drawing: Drawing) -> Figure:
    """A panel for each number, such as the slope, in its own unit, with a mark for each factor."""
    artefact = drawing.artefact
    swapped = drawing.values["column"].str.replace(r"(.+)@(.+)", r"\2@\1", regex=True)
    factors = {factor: artefact.columns[factor] for factor in artefact.drawn}
    values = drawing.values[drawing.values["column"].str.partition("@")[0].isin(factors)]
    panels = {name: f"change in {label}" for name, label in artefact.variants.items()}
    turned = replace(artefact, columns=panels, variants=factors, drawn=[])
    return dot_plot(values.assign(column=swapped), drawing.published, turned, drawing.style)
