"""`socialbias measure`."""

from __future__ import annotations

import click

from socialbias.cli import one_line
from socialbias.cli.options import check_no_effect, check_outputs, chosen, shared, write
from socialbias.errors import UserError
from socialbias.files.text import plain
from socialbias.system.progress import on_terminal


@click.command()
@click.argument("subjects", metavar="SUBJECT...", nargs=-1, required=True)
@click.option(
    "--placebo",
    metavar="LIST|FILE|WORDS",
    help="Words to compare the targets with.  [default: random words of SUBJECT]",
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
@shared
def measure(subjects: tuple[str, ...], predictions: bool, missing: str | None, **options) -> None:
    """Measure bias in SUBJECT: vectors, a corpus or a model.

    Several subjects or sets of groups make a table, with the difference of two subjects.

    Vectors are .vec, .txt, .bin (also .gz), .kv, or .npy with a file of its words. Corpora are
    .txt, .jsonl, .json, .csv, .tsv (also .gz), .parquet or a folder of texts. Models are a folder
    with config.json, a .gguf file, or a name on the Hugging Face Hub: owner/name,
    owner/name@revision, hf://owner/name.
    """
    from socialbias.api.measuring import measure as run_measure

    with one_line():
        check_outputs(options, *subjects)
        if predictions:
            write(_predictions(subjects, missing, options), options)
            return
        if missing is not None:
            raise UserError("--missing: can only be used with --predictions")
        subject = subjects[0] if len(subjects) == 1 else list(subjects)
        with on_terminal():
            result = run_measure(subject, **chosen(options))
        write(result, options)


def _predictions(subjects: tuple[str, ...], missing: str | None, options: dict):
    """Return the table of a classifier's predictions."""
    from socialbias.api.of_predictions import measure_predictions

    check_no_effect(options, "--predictions")
    if len(subjects) > 1:
        raise UserError("--predictions: name one file; measure each classifier by itself")
    given = {name: options[name] for name in ("seed", "level") if options[name] is not None}
    if missing is not None:
        given["missing"] = [plain(value) for value in missing.split(",")]
    return measure_predictions(subjects[0], **given)
