"""`socialbias paper`."""

from __future__ import annotations

from pathlib import Path

import click

from socialbias.cli import one_line


@click.command()
@click.argument("name", metavar="PAPER")
@click.option("--table", type=click.IntRange(1), help="Number of the table.")
@click.option("--figure", type=click.IntRange(1), help="Number of the figure.")
@click.option("--artefact", help="Name of what is neither, such as weat.")
@click.option("--vectors", type=Path, help="Your vectors.")
@click.option("--corpus", type=Path, help="Your corpus.")
@click.option("--model", type=Path, help="Your model.")
@click.option("--text-key", metavar="KEY", help="Key or column of the corpus's text.")
@click.option("--by", type=click.Choice(["line", "paragraph"]), help="Documents of a plain text.")
@click.option("--cores", type=click.IntRange(1), default=1, show_default=True)
@click.option(
    "--profile",
    default="quickstart",
    show_default=True,
    help="Of the workflow, such as slurm: with the papers' own other inputs.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be run.")
@click.option("--open", "opened", is_flag=True, help="Open the table at the end.")
def paper(
    name: str,
    table: int | None,
    figure: int | None,
    artefact: str | None,
    opened: bool,
    dry_run: bool,
    **how,
) -> None:
    """A table or figure of PAPER (trustworthy, bad_seeds, ...) on your own input.

    It is made by the workflow, beside the paper's numbers, which yours are never judged against.
    Run it in a checkout or in a folder of `socialbias workflow`, with the extra `all`.

    Exit code 0: made; 2: an input is wrong, or the workflow stopped.
    """
    from socialbias.errors import UserError

    with one_line():
        if sum(each is not None for each in (table, figure, artefact)) > 1:
            raise UserError("name one of --table, --figure and --artefact")
        from socialbias.api.papers import own_artefact

        target = artefact or (f"table{table}" if table else f"figure{figure}" if figure else "")
        made = own_artefact(name, target, dry_run=dry_run, say=click.echo, **how)
        if made is not None:
            click.echo(str(made))
            if opened:
                click.launch(str(made.table))
