"""`paper`: a paper's table or figure on one's own input, through the workflow's `subjects`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from socialbias.api.rendering import with_interval
from socialbias.api.subjects import open_subject
from socialbias.errors import UserError, nearest
from socialbias.reporting.compare import OWN
from socialbias.reporting.values import read_csv

QUICKSTART = "quickstart"
# What plays which role, by paper or artefact; None: a row of its own, without a role.
ROLES = {
    "trustworthy": {"vectors": "word2vec", "corpus": "corpus_wikipedia", "model": "bert"},
    "trustworthy_table6": {"corpus": "corpus_webtext", "model": "gpt2"},
    "bad_seeds": {"vectors": "word2vec", "corpus": "corpus_wikitext"},
    "stereoset": {"model": None},
    "fairness": {"model": "fairness_encoder"},
}
PAPERS = Path(__file__).parents[1] / "papers"


@dataclass(frozen=True)
class Made:
    """What the workflow made.

    Attributes:
        values: Its numbers on one's own input, with `row`, `column`, `value`, `ci_low`, `ci_high`
            and `printed`.
        table: The file to look at.
        files: All files.
    """

    values: pd.DataFrame
    table: Path
    files: list[Path]

    def __str__(self) -> str:
        lines = ["yours, and what the paper prints of its own; they are not judged", ""]
        rows = self.values.to_dict("records")
        width = max(len(f"{row['row']}, {row['column']}") for row in rows)
        for row in rows:
            what, printed = f"{row['row']}, {row['column']}", row["printed"] or "-"
            yours = with_interval(row["value"], row["ci_low"], row["ci_high"])
            lines.append(f"  {what:<{width}}  {yours:<26}  paper {printed}")
        return "\n".join([*lines, "", *(f"wrote {path}" for path in self.files)])


def own_artefact(
    paper: str,
    artefact: str,
    *,
    vectors: Path | None = None,
    corpus: Path | None = None,
    model: Path | None = None,
    text_key: str | None = None,
    by: str | None = None,
    cores: int = 1,
    profile: str = QUICKSTART,
    dry_run: bool = False,
    say: Callable[[str], None] = print,
) -> Made | None:
    """Make a paper's artefact with one's own input in the place of one of the paper's.

    Args:
        paper: Short name, such as `trustworthy`.
        artefact: Such as `table5`.
        vectors: Own vectors.
        corpus: Own corpus.
        model: Own model.
        text_key: Key or column of the corpus's text.
        by: `line` or `paragraph`, for a plain text.
        cores: Of the workflow.
        profile: Of the workflow: `quickstart`, or another with the papers' other inputs.
        dry_run: Whether only to say what would be run.
        say: Called with lines for people.

    Returns:
        What was made; None of a dry run.

    Raises:
        UserError: an argument is wrong, this is no checkout, or the workflow stopped.
    """
    target = _target(paper, artefact)
    root = _checkout(Path.cwd())
    given = {"vectors": vectors, "corpus": corpus, "model": model}
    given = {kind: path for kind, path in given.items() if path is not None}
    if not given:
        raise UserError("name your input by --vectors, --corpus or --model")
    options = {"text": text_key, "unit": by}
    overlay, run = _overlay(paper, target, given, {k: v for k, v in options.items() if v})
    path = root / "results" / run / "own.json"  # JSON is YAML
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(overlay, indent=2) + "\n", "utf-8")
    names = ["config.quickstart.yaml"] if profile == QUICKSTART else []
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores)]
    command += ["--profile", f"profiles/{profile}"]
    command += ["--configfile", *names, str(path.relative_to(root))]
    command += [*(["--dry-run"] if dry_run else []), "--", target]
    say(f"in {root}: snakemake {' '.join(command[3:])}")
    if subprocess.run(command, cwd=root, check=False).returncode:
        raise UserError(f"{target}: the workflow stopped: its lines above say why")
    return None if dry_run else _made(root / "results" / run / paper, artefact)


def _target(paper: str, artefact: str) -> str:
    """The name of the workflow's target."""
    if paper not in ROLES:
        known = [name for name in ROLES if (PAPERS / name).is_dir()]
        raise UserError(f"no paper is called {paper!r}{nearest(paper, known)}: {', '.join(known)}")
    known = sorted(path.stem for path in (PAPERS / paper).glob("*.yaml") if path.stem != "shared")
    if artefact not in known:
        hint = nearest(artefact, known) if artefact else ""
        raise UserError(f"{paper}: name one of {', '.join(known)} (--table 5, --artefact){hint}")
    return f"{paper}_{artefact}"


def _checkout(folder: Path) -> Path:
    for each in (folder, *folder.parents):
        if (each / "workflow" / "Snakefile").is_file() and (each / "config.yaml").is_file():
            return each
    raise UserError(
        f"{folder}: not in a checkout of the project, whose workflow makes the papers' tables: "
        "clone it and run this there, or use socialbias measure, which needs none"
    )


def _overlay(paper: str, target: str, given: dict[str, Path], options: dict) -> tuple[dict, str]:
    """The configuration with one's own subjects, and the name of its run."""
    roles = ROLES[paper] | ROLES.get(target, {})
    subjects, inputs = {}, {}
    for kind, path in given.items():
        if kind not in roles:
            raise UserError(f"{target}: takes no {kind} of yours, but {' or '.join(roles)}")
        found = open_subject(path)
        if found.kind != kind:
            raise UserError(f"{path}: is {found.kind}, not {kind}: name it by --{found.kind}")
        name = re.sub(r"[^a-z0-9.-]+", "-", path.stem.lower()).strip("-.") or "mine"
        name = f"my-{name}-{kind}" if name in subjects else f"my-{name}"
        subjects[name] = {"path": str(path.resolve()), "kind": kind}
        if kind == "corpus" and options:
            subjects[name]["options"] = options
        if roles[kind]:
            inputs[roles[kind]] = [name]
    run = "-".join(["own", *(name.removeprefix("my-") for name in subjects)])
    return {"run": run, "subjects": subjects, "inputs": inputs}, run


def _made(folder: Path, artefact: str) -> Made:
    """The numbers on one's own input, beside the paper's."""
    files = sorted(folder.glob(f"{artefact}.*"))
    cells = read_csv(folder / f"{artefact}.comparison.csv", {"value", "ci_low", "ci_high"})
    own = cells[cells["fidelity"] == OWN]
    if own.empty:
        raise UserError(f"{artefact}: no number of it could be made of your input: see {folder}")
    html = [path for path in files if path.suffix == ".html"]
    return Made(own, (html or files)[0], files)
