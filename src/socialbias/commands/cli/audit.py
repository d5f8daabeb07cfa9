"""`socialbias audit`."""

from __future__ import annotations

from pathlib import Path

import click

from socialbias.commands.cli import BY, DATA, LANGUAGE, OFFLINE, SEED, TEXT_KEY, echo, one_line
from socialbias.commands.cli.options import check_no_effect
from socialbias.commands.cli.outputs import check_outputs, write
from socialbias.errors import UserError
from socialbias.system.piping import reader_may_leave
from socialbias.system.progress import on_terminal

NOT_OF_SEEDS = ("only", "n", "data", "offline")
OF_SEEDS = ("replicates", "language")
SUFFIXES = (".txt", ".csv", ".json", ".html")


@click.command()
@click.argument("subject")
@click.option(
    "--seeds",
    metavar="FILE",
    help="Only check the sets of seed words in FILE: one word per line, with a [section] for each "
    "set, or CSV.",
)
@click.option(
    "--replicates",
    type=click.IntRange(0, 100),
    help="With --seeds, bootstrap samples of a corpus to train vectors on.  [default: 3]",
)
@click.option(
    "-o",
    "outputs",
    metavar="FOLDER|FILE",
    multiple=True,
    help="Output folder: new or empty, or of the audit to continue.  [default: audit-SUBJECT]  "
    f"With --seeds, file to write: {', '.join(SUFFIXES)} (repeatable).",
)
@click.option("--only", metavar="NAME,...", help="Run only these instruments (or beginnings).")
@click.option(
    "--n",
    type=click.IntRange(0),
    default=400,
    show_default=True,
    help="Sample size: number of items per task (0 = all; models only).",
)
@DATA
@OFFLINE
@TEXT_KEY
@BY
@LANGUAGE
@SEED
def audit(
    subject: str,
    seeds: str | None,
    outputs: tuple[str, ...],
    only: str | None,
    seed: int | None,
    **options,
) -> None:
    """Run every suitable instrument on SUBJECT, with controls, and write one page.

    SUBJECT is vectors, a corpus or a model, as for `socialbias measure`, or the address of a
    server: http(s)://host:port[/v1][#MODEL] (key: SOCIALBIAS_SERVER_KEY). The page shows the
    papers' own numbers too. If an instrument fails, the others still run, and the page gives the
    reason. Install the extra `all` to run every instrument.

    The page is written after each instrument. If the audit was stopped, the same command continues
    it, so a large SUBJECT can be a job of a cluster: sbatch --wrap "socialbias audit SUBJECT".

    Exit status: 0 if a page was written; 1 if SUBJECT cannot be read or nothing could be measured.
    """
    options |= {} if seed is None else {"seed": seed}
    with one_line():
        if seeds is not None:
            check_no_effect(NOT_OF_SEEDS, "--seeds")
            options = {key: value for key, value in options.items() if key not in NOT_OF_SEEDS}
            from socialbias.commands.audit.seeds import audit_seeds

            check_outputs(outputs, SUFFIXES, subject, seeds)
            with on_terminal():
                result = audit_seeds(subject, seeds, **options)
            write(result, outputs)
            return
        for name in OF_SEEDS:
            if options.pop(name) is not None:
                raise UserError(f"--{name}: can only be used with --seeds")
        is_file = Path(*outputs[:1]).suffix in SUFFIXES and not Path(*outputs[:1]).is_dir()
        if len(outputs) > 1 or is_file:
            raise UserError(f"-o {outputs[0]}: name one folder; the page will be index.html in it")
    options["only"] = [name.strip() for name in only.split(",")] if only else ()
    _run(subject, outputs, options)


def _run(subject: str, outputs: tuple[str, ...], options: dict) -> None:
    from socialbias.commands.audit.page import FILE, PAGE
    from socialbias.commands.audit.run import audit as run_audit
    from socialbias.commands.subjects import open_subject

    with one_line(), on_terminal() as keep:

        def say(line: str) -> None:
            if not line.endswith("is up to date"):
                keep(line)

        opened = open_subject(subject, offline=options["offline"], served=True)
        folder = Path(outputs[0] if outputs else f"audit-{opened.name.replace('/', '-')}")
        result = run_audit(opened, out=folder, say=say, **options)
    with reader_may_leave():
        echo(f"{result}\n\npage     {folder / PAGE}\nJSON     {folder / FILE}")
