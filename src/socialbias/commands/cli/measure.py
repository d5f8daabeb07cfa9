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

OF_PREDICTIONS = {"by", "reference", "min_share", "missing", "seed", "level"}
UNITS = ("line", "paragraph", "file")
OWN = (
    click.option(
        "--by",
        metavar="line|paragraph|file|COLUMN",
        multiple=True,
        help="How to split plain text into documents.  [default: detected]  With --predictions, "
        "column of groups; repeat it for several and their combinations.  [default: group]",
    ),
    click.option(
        "--reference",
        metavar="uniform|corpus|FILE|GROUPS",
        help="Shares of the groups without bias in a corpus: equal, its base rate, or CSV with the "
        "columns group,share.  [default: uniform]  With --predictions, groups that ratios divide "
        "by, separated by commas, one of each column.  [default: with the highest rate]",
    ),
)
SUFFIXES = (".txt", ".csv", ".json", ".html", ".tex", ".md", *PLOTS)


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
    help="Read SUBJECT as CSV of a classifier's predictions: group (or --by), and prediction, "
    "probability or score; optional: label, source, term.",
)
@click.option(
    "--missing",
    metavar="VALUES",
    help="With --predictions, values that are missing, separated by commas; rows with one, or with "
    "an empty cell, are left out.  [default: nan, NA, None, null; groups such as Unknown]",
)
@click.option(
    "--min-share",
    type=float,
    metavar="SHARE",
    help="With --predictions, share of the rows that a group needs for an impact ratio; Local Law "
    "144 allows 0.02.  [default: 0]",
)
@explain_option
@output_option(*SUFFIXES)
def measure(
    subjects: tuple[str, ...],
    predictions: bool,
    missing: str | None,
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
        check_outputs(outputs, SUFFIXES, *subjects, *files_of(options))
        if predictions:
            own = {"by": by, "min_share": min_share, "missing": missing}
            result = _predictions(subjects, options | own)
        elif missing is not None or min_share is not None:
            name = "min-share" if missing is None else "missing"
            raise UserError(f"--{name}: can only be used with --predictions")
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
    for name in ("reference", "missing"):
        if name in given:
            given[name] = [plain(value) for value in given[name].split(",")]
    return measure_predictions(subjects[0], **given)
