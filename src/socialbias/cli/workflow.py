"""`socialbias workflow`."""

from __future__ import annotations

from pathlib import Path

import click

from socialbias.cli import echo, one_line


@click.command()
@click.argument("folder", type=Path)
def workflow(folder: Path) -> None:
    """Write the Snakemake workflow to FOLDER, which must be new or empty.

    `snakemake` and `socialbias paper` run in FOLDER as in a checkout. They use the installed
    library and need the extra `all`.

    Exit status: 0 if the workflow was written; 1 if FOLDER is not empty or cannot be written.
    """
    from socialbias.pipeline.folder import write_folder

    with one_line():
        write_folder(folder)
    echo(
        f"wrote {folder}. To run the quickstart there, install the extra `all` (pip install "
        "'socialbias[all]') and run `snakemake --cores 2 --profile profiles/quickstart`"
    )
