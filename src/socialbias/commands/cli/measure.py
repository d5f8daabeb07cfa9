"""`socialbias measure`."""

from __future__ import annotations

from functools import partial

import click

from socialbias.commands.cli import one_line
from socialbias.commands.cli.options import (
    OF_MEASURE,
    check_no_effect,
    chosen,
    files_of,
    measuring_options,
)
from socialbias.commands.cli.outputs import (
    PLOTS,
    check_outputs,
    explain_option,
    output_option,
    write,
)
from socialbias.errors import UserError
from socialbias.files.text import plain
from socialbias.measures.registry import MEASURES
from socialbias.system.progress import on_terminal

OF_PREDICTIONS = {"by", "reference", "min_share", "seed", "level"}
UNITS = ("line", "paragraph", "file")
OWN = (
    click.option(
        "--by",
        metavar="line|paragraph|file|COLUMN",
        multiple=True,
        help="How to split plain text into documents.  [default: detected]  With --predictions, "
        "column of groups (repeatable).  [default: group]",
    ),
    click.option(
        "--reference",
        metavar="uniform|corpus|FILE|GROUPS",
        help="Shares of the groups without bias in a corpus (FILE: CSV group,share).  [default: "
        "uniform]  With --predictions, groups that ratios divide by.  [default: highest rate]",
    ),
)
OF_TABLES = (".txt", ".csv", ".json", ".html", ".tex", ".md")
SUFFIXES = (*OF_TABLES, *PLOTS)


@click.command()
@click.argument("subjects", metavar="SUBJECT...", nargs=-1, required=True)
@partial(measuring_options, more=(*OF_MEASURE, *OWN))
@click.option(
    "--measure",
    metavar="NAME",
    help=f"Bias measure: {', '.join(MEASURES)}.  [default: position; in a corpus directed, or "
    "divdist for three or more groups]",
)
@click.option(
    "--over", metavar="KEY[:year|decade|month]", help="Key or column of the date, for trends."
)
@click.option(
    "--stratify", metavar="KEY", help="With --over, key or column of strata, such as outlets."
)
@click.option(
    "--predictions",
    is_flag=True,
    help="Read SUBJECT as CSV of a classifier's predictions: group (or --by), and prediction, "
    "probability or score; optional: label, source, term.",
)
@click.option(
    "--min-share",
    type=float,
    metavar="SHARE",
    help="With --predictions, share of the rows that a group needs for a ratio.  [default: 0]",
)
@explain_option
@output_option(*SUFFIXES)
def measure(
    subjects: tuple[str, ...],
    predictions: bool,
    min_share: float | None,
    by: tuple[str, ...],
    outputs: tuple[str, ...],
    explain: bool,
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

    with one_line():
        forms = OF_TABLES if predictions else SUFFIXES
        check_outputs(outputs, forms, *subjects, *files_of(options))
        if predictions:
            result = _predictions(subjects, options | {"by": by, "min_share": min_share})
        elif min_share is not None:
            raise UserError("--min-share: can only be used with --predictions")
        elif len(by) > 1 or not {*by} <= {*UNITS}:
            raise click.UsageError(f"--by: must be one of {', '.join(UNITS)} without --predictions")
        else:
            options["by"] = by[0] if by else None
            subject = subjects[0] if len(subjects) == 1 else list(subjects)
            with on_terminal():
                result = run_measure(subject, **chosen(options))
        write(result, outputs, explain)


def _predictions(subjects: tuple[str, ...], options: dict):
    """Return the table of a classifier's predictions."""
    from socialbias.commands.measure_predictions import measure_predictions

    check_no_effect(options.keys() - OF_PREDICTIONS, "--predictions")
    if len(subjects) > 1:
        raise UserError("--predictions: name one file; measure each classifier by itself")
    given = {name: options[name] for name in OF_PREDICTIONS if options[name] not in (None, ())}
    if "reference" in given:
        given["reference"] = [plain(value) for value in given["reference"].split(",")]
    return measure_predictions(subjects[0], **given)
