"""`audit --workflow`: the workflow's rules on one's own subject, for large subjects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from socialbias.api.papers import QUICKSTART, configured, own_subject, run_workflow
from socialbias.pipeline.folder import find_folder

# The role that a subject plays; None: a row of its own, without a role.
ROLES = {"vectors": "word2vec", "corpus": "corpus_wikipedia", "model": None}
# The artefacts that have a column or a row for this role.
TARGETS = {
    "vectors": (
        "trustworthy_table3",
        "trustworthy_table5",
        "trustworthy_weat",
        "trustworthy_professions",
    ),
    "corpus": ("trustworthy_table3", "trustworthy_professions"),
    "model": ("stereoset_table6", "stereoset_table7", "stereoset_pairs", "stereoset_crows_pairs"),
}


def through_workflow(
    subject: str | Path,
    *,
    text_key: str | None = None,
    by: str | None = None,
    cores: int = 1,
    profile: str = QUICKSTART,
    dry_run: bool = False,
    further: Sequence[str] = (),
    say: Callable[[str], None] = print,
) -> list[Path]:
    """Make the artefacts that fit a subject, in a run of its own that has it in `subjects`.

    Args:
        subject: A path, or a model on the Hugging Face hub.
        text_key: Key or column of a corpus's text.
        by: `line` or `paragraph`, for a plain text.
        cores: Number of CPU cores.
        profile: As for `own_artefact`.
        dry_run: Show the jobs without running them.
        further: Further arguments for Snakemake.
        say: Called with each line of progress.

    Returns:
        The tables that were made; none of a dry run.

    Raises:
        UserError: this folder has no workflow, the subject cannot be read, or the workflow failed.
    """
    root = find_folder(Path.cwd())
    name, entry = own_subject(subject, text_key, by)
    role, targets = ROLES[entry["kind"]], TARGETS[entry["kind"]]
    overlay = configured({name: entry}, {role: [name]} if role else {})
    how = {"cores": cores, "profile": profile, "dry_run": dry_run, "say": say, "further": further}
    run_workflow(root, overlay, targets, **how)
    places = [target.split("_", 1) for target in targets]
    folder = root / "results" / overlay["run"]
    pages = [folder / paper / f"{artefact}.html" for paper, artefact in places]
    return [] if dry_run else [page for page in pages if page.is_file()]
