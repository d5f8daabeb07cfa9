"""The figure of an artefact, by the function that it names."""

from pathlib import Path

from socialbias.pipeline.job import function_of, job_of
from socialbias.pipeline.scripting import logged
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import draw_artefact, save_figure
from socialbias.reporting.values import read_published, read_values

with logged(snakemake) as say:
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    published = Path(settings["published"])
    drawing = Drawing(
        artefact=Artefact(**settings["artefact"]),
        values=read_values(Path(inputs["values"])),
        published=read_published(published),
        style=settings["style"],
        job=job_of(inputs, settings, say),
        run=settings["run"],
    )
    figure = draw_artefact(drawing, function_of(settings["function"]))
    save_figure(figure, Path(snakemake.output.png).with_suffix(""), drawing.style["dpi"])
