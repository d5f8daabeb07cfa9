"""`socialbias verify`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

import socialbias.system.one_thread  # noqa: F401, before any numerical library
from socialbias.commands.cli import DATA, OFFLINE, SEED, echo, one_line
from socialbias.system.piping import reader_may_leave
from socialbias.system.progress import on_terminal

DIFFERENT = 3  # exit status


@click.command()
@click.argument("bundle", type=Path)
@click.option("--subject", help="What was audited (for vectors, a corpus, and --redo).")
@click.option(
    "--redo",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Score N items of each task again.",
)
@DATA
@OFFLINE
@SEED
def verify(bundle: Path, **options) -> None:
    """Derive the numbers in BUNDLE again from its items and compare them.

    BUNDLE is the output folder of `audit`, or a run (results/NAME) after `make crate`. Files are
    compared with their checksums, and numbers byte for byte. The seed chooses the items of --redo;
    by default it is drawn anew.

    Exit status: 0 if everything is the same, 3 if something differs; 1 if BUNDLE cannot be read.
    """
    from socialbias.commands.audit.verify import verify as run_verify

    with one_line(), on_terminal() as keep:
        result = run_verify(bundle, say=keep, **options)
    with reader_may_leave():
        echo(result)
    if result.problems:
        sys.exit(DIFFERENT)
