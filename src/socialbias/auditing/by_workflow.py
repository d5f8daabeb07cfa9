"""`audit --workflow`: one's own subject through the workflow's rules, for what is large."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from socialbias.api.papers import QUICKSTART, configured, own_subject, run_workflow
from socialbias.pipeline.folder import find_folder

# The role that a subject plays; None: a row of its own, without a role.
ROLES = {"vectors": "word2vec", "corpus": "corpus_wikipedia", "model": None}
# What is made of it: artefacts with a column or a row for what plays that role.
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
    """Make the artefacts that fit a subject, which is named in `subjects` of a run of its own.

    Args:
        subject: A path, or a model on the Hugging Face hub.
        text_key: Key or column of a corpus's text.
        by: `line` or `paragraph`, for a plain text.
        cores: Of the workflow.
        profile: As for `own_artefact`.
        dry_run: Whether only to say what would be run.
        further: Arguments of Snakemake.
        say: Called with lines for people.

    Returns:
        The tables that were made; none of a dry run.

    Raises:
        UserError: the workflow is not here, the subject cannot be read, or the workflow stopped.
    """
    root = find_folder(Path.cwd())
    name, entry = own_subject(subject)
    options = {key: value for key, value in {"text": text_key, "unit": by}.items() if value}
    if options and entry["kind"] == "corpus":
        entry["options"] = options
    role, targets = ROLES[entry["kind"]], TARGETS[entry["kind"]]
    overlay = configured({name: entry}, {role: [name]} if role else {})
    how = {"cores": cores, "profile": profile, "dry_run": dry_run, "say": say, "further": further}
    run_workflow(root, overlay, targets, **how)
    places = [target.split("_", 1) for target in targets]
    pages = [root / "results" / overlay["run"] / p / f"{name}.html" for p, name in places]
    return [] if dry_run else [page for page in pages if page.is_file()]
