"""`socialbias audit-seeds`."""

from __future__ import annotations

from pathlib import Path

import click

from socialbias.cli import BY, SEED, TEXT_KEY, echo, one_line
from socialbias.errors import UserError
from socialbias.sources.sniffing import check_not_read
from socialbias.system.progress import on_terminal


@click.command("audit-seeds")
@click.argument("file")
@click.option(
    "--in",
    "subject",
    required=True,
    metavar="CORPUS|VECTORS",
    help="Corpus or vectors in which the seed words are used.",
)
@click.option("--out", metavar="STEM", help="Prefix of the output files.  [default: FILE.audit]")
@click.option(
    "--replicates",
    type=click.IntRange(0, 100),
    help="Number of bootstrap samples of a corpus to train vectors on (0 = only count words).  "
    "[default: 3]",
)
@TEXT_KEY
@BY
@click.option(
    "--language", metavar="TAG", help="Language of the seed words, corpus and vectors, such as de."
)
@SEED
def audit_seeds(file: str, subject: str, out: str | None, seed: int | None, **how) -> None:
    """Check whether the seed sets in FILE are reliable enough to measure with.

    FILE has one word per line, with a [section] for each set; it may also be CSV or YAML.

    Exit status: 0 if the audit was written, whatever its result; 1 if a file cannot be read.
    """
    from socialbias.auditing.seeds import ENDS, outputs
    from socialbias.auditing.seeds import audit_seeds as run_audit

    with one_line():
        stem = Path(out) if out else Path(f"{Path(file).stem}.audit")
        if not stem.name:
            raise UserError(f"{stem}: name a prefix of files, not a folder")
        for end in ENDS:
            check_not_read(stem.with_name(f"{stem.name}.{end}"), file, subject)
        outputs(stem)
        with on_terminal():
            result = run_audit(file, subject, **how, **({} if seed is None else {"seed": seed}))
        paths = result.save(stem)
        echo(f"wrote {', '.join(map(str, paths))}\n\n{result}")
