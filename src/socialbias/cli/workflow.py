"""`socialbias workflow`."""

from __future__ import annotations

from pathlib import Path

import click

from socialbias.cli import one_line


@click.command()
@click.argument("folder", type=Path)
def workflow(folder: Path) -> None:
    """Write the pipeline's workflow to FOLDER, which must be new or empty.

    In it the pipeline runs as in a checkout, with the library that is installed: `snakemake`,
    `socialbias paper` and `socialbias audit --workflow`. It takes the extra `all`.

    Exit code 0: written; 2: there is something already, or it cannot be written.
    """
    from socialbias.pipeline.folder import write_folder

    with one_line():
        write_folder(folder)
    click.echo(
        f"wrote {folder}: with the extra `all` (pip install 'socialbias[all]') "
        "`snakemake --cores 2 --profile profiles/quickstart` runs the quickstart in it"
    )
