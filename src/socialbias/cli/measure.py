"""`socialbias measure`."""

from __future__ import annotations

import click

from socialbias.cli import one_line
from socialbias.cli.options import check_outputs, chosen, shared, write
from socialbias.system.progress import on_terminal


@click.command()
@click.argument("subjects", metavar="SUBJECT...", nargs=-1, required=True)
@click.option(
    "--placebo",
    metavar="LIST|FILE|WORDS",
    help="Words to compare the targets with.  [default: random words of SUBJECT]",
)
@shared
def measure(subjects: tuple[str, ...], **options) -> None:
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
        subject = subjects[0] if len(subjects) == 1 else list(subjects)
        with on_terminal():
            result = run_measure(subject, **chosen(options))
        write(result, options)
