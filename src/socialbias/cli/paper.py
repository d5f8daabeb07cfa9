"""`socialbias paper`."""

from __future__ import annotations

from pathlib import Path

import click

from socialbias.cli import echo, one_line
from socialbias.errors import UserError


@click.command()
@click.argument("name", metavar="PAPER")
@click.option("--table", type=click.IntRange(1), help="Number of the table.")
@click.option("--figure", type=click.IntRange(1), help="Number of the figure.")
@click.option("--artefact", help="Name of another artefact, such as weat.")
@click.option("--vectors", type=Path, help="File of your vectors.")
@click.option("--corpus", type=Path, help="File or folder of your corpus.")
@click.option("--model", type=Path, help="Folder of your model.")
@click.option("--text-key", metavar="KEY", help="Key or column of the text in the corpus.")
@click.option(
    "--by",
    type=click.Choice(["line", "paragraph"]),
    help="How to split plain text into documents.",
)
@click.option(
    "--cores", type=click.IntRange(1), default=1, show_default=True, help="Number of CPU cores."
)
@click.option(
    "--profile",
    default="quickstart",
    show_default=True,
    help="Workflow profile: quickstart, reference, workstation or slurm. Other inputs are its own.",
)
@click.option("--dry-run", is_flag=True, help="Show the jobs without running them.")
@click.option("--open", "opened", is_flag=True, help="Open the table when it is done.")
def paper(
    name: str,
    table: int | None,
    figure: int | None,
    artefact: str | None,
    opened: bool,
    dry_run: bool,
    **how,
) -> None:
    """Make a table or figure of PAPER (trustworthy, bad_seeds, ...) from your own data.

    Your numbers are shown beside the paper's, without a verdict. Run the command in a checkout or
    in a folder made by `socialbias workflow`, with the extra `all` installed. An artefact that
    needs only vectors and word lists is made at once; any other runs the workflow.

    Exit status: 0 if the artefact was made; 1 if an input is wrong or the workflow failed.
    """
    with one_line():
        if [table, figure, artefact].count(None) < 2:
            raise UserError("choose one of --table, --figure and --artefact")
        if opened and dry_run:
            raise UserError("--open: has no effect with --dry-run")
        from socialbias.api.papers import own_artefact

        target = artefact or (f"table{table}" if table else f"figure{figure}" if figure else "")
        made = own_artefact(name, target, dry_run=dry_run, say=echo, **how)
        if made is not None:
            echo(made)
            if opened:
                click.launch(str(made.table))
