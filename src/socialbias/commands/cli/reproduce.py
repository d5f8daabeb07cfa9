"""`socialbias reproduce`: papers' tables from one's own data, and numbers beside a paper's."""

from __future__ import annotations

from pathlib import Path

import click

from socialbias.commands.cli import TEXT_KEY, echo, one_line
from socialbias.commands.cli.outputs import check_outputs, output_option, write

SUFFIXES = (".txt", ".csv", ".json", ".html")


@click.group()
def reproduce() -> None:
    """Make papers' tables from your own data, and compare your numbers with a paper's."""


@reproduce.command(short_help="Make a paper's table or figure from your own data.")
@click.argument("paper", metavar="PAPER")
@click.argument("artefact", metavar="ARTEFACT", default="")
@click.option("--vectors", type=Path, help="File of your vectors.")
@click.option("--corpus", type=Path, help="File or folder of your corpus.")
@click.option("--model", type=Path, help="Folder of your model.")
@TEXT_KEY
@click.option(
    "--by",
    type=click.Choice(["line", "paragraph"]),
    help="How to split plain text into documents.",
)
@click.option(
    "--cores", type=click.IntRange(1), default=1, show_default=True, help="Number of CPU cores."
)
@click.option(
    "--profile", default="quickstart", show_default=True, help="Workflow profile of other inputs."
)
@click.option("--dry-run", is_flag=True, help="Show the jobs without running them.")
def paper(paper: str, artefact: str, **how) -> None:
    """Make ARTEFACT (table5, figure1, ...) of PAPER (trustworthy, ...) from your own data.

    Your numbers are shown beside the paper's, without a verdict. Run the command in a checkout or
    in a folder made by `socialbias reproduce workflow`, with the extra `all` installed: it runs the
    workflow.

    Exit status: 0 if the artefact was made; 1 if an input is wrong or the workflow failed.
    """
    with one_line():
        from socialbias.commands.reproduce import own_artefact

        made = own_artefact(paper, artefact, say=echo, **how)
        if made is not None:
            echo(made)


@reproduce.command(short_help="Compare your numbers with those printed in any paper.")
@click.argument("published")
@click.argument("ours")
@output_option(*SUFFIXES)
def verdict(published: str, ours: str, outputs: tuple[str, ...]) -> None:
    """Compare the numbers in OURS with those of a paper in PUBLISHED.

    Both files are CSV with the columns row, column and value. OURS may also have ci_low, ci_high, n
    and fidelity: exact (the paper's inputs, the default), subset, substitute or own. Type the
    paper's numbers with all printed digits: 0.80 is not 0.8.

    Exit status: 0 if the numbers were compared, whatever the verdicts; 1 if a file cannot be read.
    """
    from socialbias.commands.verdict import verdict as compare_numbers

    with one_line():
        check_outputs(outputs, SUFFIXES, published, ours)
        write(compare_numbers(published, ours), outputs)


@reproduce.command(short_help="Write the Snakemake workflow to a folder.")
@click.argument("folder", type=Path)
def workflow(folder: Path) -> None:
    """Write the Snakemake workflow of the papers to FOLDER, which must be new or empty.

    `snakemake` and `socialbias reproduce paper` run in FOLDER as in a checkout. They use the
    installed library and need the extra `all`.

    Exit status: 0 if the workflow was written; 1 if FOLDER is not empty or cannot be written.
    """
    from socialbias.pipeline.folder import write_folder

    with one_line():
        write_folder(folder)
    echo(
        f"wrote {folder}. To run the quickstart there, install the extra `all` (pip install "
        "'socialbias[all]') and run `snakemake --cores 2 --profile profiles/quickstart`"
    )
