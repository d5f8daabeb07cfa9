"""`socialbias verdict`."""

from __future__ import annotations

from pathlib import Path

import click

from socialbias.cli import SEED, echo, one_line
from socialbias.sources.sniffing import check_not_read
from socialbias.system.piping import reader_may_leave


@click.command()
@click.argument("published")
@click.argument("ours")
@click.option(
    "--out",
    type=Path,
    help="Folder for a table (CSV) and a page: new, empty or of an earlier verdict.",
)
@SEED
def verdict(published: str, ours: str, out: Path | None, seed: int | None) -> None:
    """Compare the numbers in OURS with those of a paper in PUBLISHED.

    Both files are CSV with the columns row, column and value. OURS may also have ci_low, ci_high, n
    and fidelity: exact (the paper's inputs, the default), subset, substitute or own. Type the
    paper's numbers with all printed digits: 0.80 is not 0.8.

    Exit status: 0 if the numbers were compared, whatever the verdicts; 1 if a file cannot be read.
    """
    from socialbias.api.verdicts import FILES, check_folder
    from socialbias.api.verdicts import verdict as compare_numbers

    with one_line():
        for name in FILES if out else ():
            check_not_read(out / name, published, ours)
        if out is not None:
            check_folder(out)
        verdicts = compare_numbers(published, ours, **({} if seed is None else {"seed": seed}))
        with reader_may_leave():
            echo(verdicts)
        if out is not None:
            paths = verdicts.save(out)
            echo("\n".join(["", *(f"wrote {path}" for path in paths)]))
