"""`socialbias audit-seeds`."""

from __future__ import annotations

from pathlib import Path

import click

from socialbias.cli import one_line


@click.command("audit-seeds")
@click.argument("file")
@click.option(
    "--in", "subject", required=True, metavar="CORPUS|VECTORS", help="Where they are used."
)
@click.option("--out", metavar="STEM", help="Of the files.  [default: FILE.audit]")
@click.option(
    "--replicates",
    type=click.IntRange(0, 100),
    default=3,
    show_default=True,
    help="Bootstraps of a corpus on which vectors are trained; 0 counts words alone.",
)
@click.option("--text-key", metavar="KEY", help="Key or column of a corpus's text.")
@click.option(
    "--by",
    type=click.Choice(["line", "paragraph", "file"]),
    help="What a document of a plain text is.",
)
@click.option("--language", metavar="TAG", help="Of the words and where they are used, such as de.")
@click.option("--seed", type=click.IntRange(0), help="From which all randomness derives.")
def audit_seeds(file: str, subject: str, out: str | None, seed: int | None, **how) -> None:
    """Whether the seed sets of FILE can bear a measurement in a corpus or in vectors.

    FILE has one word a line under a [section] for each set; CSV and YAML are read too.

    Exit code 0: the audit is made, whatever it says; 2: a file cannot be read.
    """
    from socialbias.api.seeds import audit_seeds as audited
    from socialbias.errors import UserError

    with one_line():
        found = audited(file, subject, **how, **({} if seed is None else {"seed": seed}))
        stem = Path(out) if out else Path(f"{Path(file).stem}.audit")
        if Path(file).resolve() == stem.with_name(f"{stem.name}.txt").resolve():
            raise UserError(f"{file}: --out {stem} would write over it")
        try:
            paths = found.save(stem)
        except OSError as error:
            raise UserError(f"{stem}: cannot be written ({error.strerror})") from None
        click.echo(f"wrote {', '.join(map(str, paths))}\n\n{found}")
