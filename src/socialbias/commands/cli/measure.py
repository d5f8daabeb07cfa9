"""`socialbias measure`."""

from __future__ import annotations

import click

from socialbias.commands.cli import one_line
from socialbias.commands.cli.options import check_no_effect, chosen, files_of, measuring_options
from socialbias.commands.cli.outputs import PLOTS, check_outputs, output_option, write
from socialbias.errors import UserError
from socialbias.files.text import plain
from socialbias.measures.registry import MEASURES
from socialbias.system.progress import on_terminal

SUFFIXES = (".txt", ".csv", ".json", ".html", ".tex", ".md", *PLOTS)


@click.command()
@click.argument("subjects", metavar="SUBJECT...", nargs=-1, required=True)
@measuring_options
@click.option(
    "--measure",
    metavar="NAME",
    help=f"Bias measure: {', '.join(MEASURES)}.  [default: directed; divdist for three or more "
    "groups]",
)
@click.option(
    "--over",
    metavar="KEY[:year|decade|month]",
    help="Key or column of the date in a corpus, for the trend of each target.",
)
@click.option(
    "--stratify",
    metavar="KEY",
    help="With --over, key or column within which trends are measured, such as the outlet.",
)
@click.option(
    "--predictions",
    is_flag=True,
    help="Read SUBJECT as CSV of a classifier's predictions: label, prediction or probability, "
    "group; optional: source, term.",
)
@click.option(
    "--missing",
    metavar="VALUES",
    help="With --predictions, values that are missing, separated by commas; rows with one, or with "
    "an empty cell, are left out.  [default: nan, NA, None, null, as programs write them]",
)
@output_option(*SUFFIXES)
def measure(
    subjects: tuple[str, ...],
    predictions: bool,
    missing: str | None,
    outputs: tuple[str, ...],
    **options,
) -> None:
    """Measure bias in SUBJECT: vectors, a corpus or a model.

    Several subjects or sets of groups make a table, with the difference of two subjects.

    Vectors are .vec, .txt, .bin (also .gz), .kv, or .npy with a file of its words. Corpora are
    .txt, .jsonl, .json, .csv, .tsv (also .gz), .parquet or a folder of texts. Models are a folder
    with config.json, a .gguf file, or a name on the Hugging Face Hub: owner/name,
    owner/name@revision, hf://owner/name.
    """
    from socialbias.commands.measure import measure as run_measure
    from socialbias.commands.result import MAX_ROWS

    with one_line():
        check_outputs(outputs, SUFFIXES, *subjects, *files_of(options))
        if predictions:
            result = _predictions(subjects, missing, options)
        elif missing is not None:
            raise UserError("--missing: can only be used with --predictions")
        else:
            subject = subjects[0] if len(subjects) == 1 else list(subjects)
            with on_terminal():
                result = run_measure(subject, **chosen(options))
        write(result, outputs, MAX_ROWS)


def _predictions(subjects: tuple[str, ...], missing: str | None, options: dict):
    """Return the table of a classifier's predictions."""
    from socialbias.commands.measure_predictions import measure_predictions

    check_no_effect(options.keys() - {"seed", "level"}, "--predictions")
    if len(subjects) > 1:
        raise UserError("--predictions: name one file; measure each classifier by itself")
    given = {name: options[name] for name in ("seed", "level") if options[name] is not None}
    if missing is not None:
        given["missing"] = [plain(value) for value in missing.split(",")]
    return measure_predictions(subjects[0], **given)
