"""`paper`: a table or figure of a paper on one's own input, named in `subjects`."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from socialbias.commands.result import with_interval
from socialbias.commands.subjects import hub_name, open_subject
from socialbias.errors import UserError, nearest
from socialbias.files.yaml_files import read_yaml
from socialbias.pipeline.folder import RUNS, find_folder
from socialbias.reporting.compare import OWN
from socialbias.reporting.values import read_csv
from socialbias.system.processes import run_with_jobs

QUICKSTART = "quickstart"
# The role of each kind of input, by paper or artefact; None: a row of its own, without a role.
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
    """An artefact of a paper on one's own input."""

    values: pd.DataFrame  # its numbers, with those of the paper in `printed`
    files: list[Path]
    title: str  # title and unit of the artefact

    def __str__(self) -> str:
        note = "your numbers with 95 % intervals, beside the paper's; no verdict is given"
        lines = [self.title, note, ""]
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
    """Make a paper's artefact, such as `table5`, with one's own input in place of the paper's.

    Return what was made, and None after a dry run. `profile` is one of the workflow; `quickstart`
    has small inputs for what is not one's own. `say` is called with each line of progress.
    """
    target = _target(paper, artefact)
    root = find_folder(Path.cwd())
    named = {"vectors": vectors, "corpus": corpus, "model": model}
    inputs = {kind: path for kind, path in named.items() if path is not None}
    if not inputs:
        raise UserError("name your input with --vectors, --corpus or --model")
    roles = ROLES[paper] | ROLES.get(target, {})
    overlay = own_configuration(target, inputs, roles, text_key, by)
    _run_workflow(root, overlay, target, cores, profile, dry_run, say)
    if dry_run:
        return None
    declared = read_yaml(PAPERS / paper / f"{artefact}.yaml")
    title = "; ".join(filter(None, [declared["title"], declared.get("unit")]))
    folder = root / "results" / overlay["run"] / paper
    cells = read_csv(folder / f"{artefact}.comparison.csv", {"value", "ci_low", "ci_high"})
    own = cells[cells["fidelity"] == OWN]
    if own.empty:
        what = "none of its numbers could be computed from your input"
        raise UserError(f"{artefact}: {what}; see {folder}")
    return Made(own, sorted(folder.glob(f"{artefact}.*")), title)


def _run_workflow(
    root: Path, overlay: dict, target: str, cores: int, profile: str, dry_run: bool, say: Callable
) -> None:
    """Run the workflow in a folder on a target, with the configuration in `overlay`."""
    if find_spec("snakemake") is None:
        raise UserError("the workflow needs snakemake: pip install 'socialbias[all]'")
    path = root / "results" / overlay["run"] / "own.json"  # JSON is YAML
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(overlay, indent=2) + "\n", "utf-8")
    # A configuration file on the command line replaces the profile's.
    names = [f"config.{profile}.yaml"] if profile in RUNS else []
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores)]
    command += ["--profile", f"profiles/{profile}"]
    command += ["--configfile", *names, str(path.relative_to(root))]
    command += [*(["--dry-run"] if dry_run else []), "--", target]
    say(f"in {root}: snakemake {' '.join(command[3:])}")
    # A checkout uses its own library, even if another is installed.
    paths = [str(root / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    if run_with_jobs(command, cwd=root, env=environment):
        raise UserError(f"{target}: the workflow failed; its output above says why")


def _target(paper: str, artefact: str) -> str:
    """Return the name of the workflow's target."""
    if paper not in ROLES:
        known = [name for name in ROLES if (PAPERS / name).is_dir()]
        hint = nearest(paper, known) or f"; choose from {', '.join(known)}"
        raise UserError(f"no paper is called {paper!r}{hint}")
    known = sorted(path.stem for path in (PAPERS / paper).glob("*.yaml") if path.stem != "shared")
    if artefact not in known:
        what = f"there is no {artefact}; " if artefact else ""
        raise UserError(f"{paper}: {what}choose one of {', '.join(known)}")
    return f"{paper}_{artefact}"


def own_configuration(
    target: str,
    paths: dict[str, Path],
    roles: dict,
    text_key: str | None = None,
    by: str | None = None,
) -> dict:
    """Return the configuration of a run with one's own subjects, by kind, named after them.

    The workflow downloads a model on the hub. `text_key` and `by` are options of a corpus.
    """
    subjects, inputs = {}, {}
    for kind, path in paths.items():
        if kind not in roles:
            raise UserError(f"{target}: does not take your own {kind}, only {' or '.join(roles)}")
        if on_hub := hub_name(str(path)):
            label, subject = on_hub.model, {"hub": str(on_hub), "kind": "model"}
        else:
            file = path.expanduser()
            label = file.stem
            subject = {"path": str(file.resolve()), "kind": open_subject(file).kind}
        if subject["kind"] != kind:
            hint = f"use --{subject['kind']}"
            raise UserError(f"{path}: is {subject['kind']}, not {kind}: {hint}")
        options = {key: value for key, value in {"text": text_key, "unit": by}.items() if value}
        if options and kind == "corpus":
            subject["options"] = options
        label = re.sub(r"[^a-z0-9.-]+", "-", label.lower()).strip("-.") or "mine"
        name = f"my-{label}"
        name = f"{name}-{kind}" if name in subjects else name
        subjects[name] = subject
        if roles[kind]:
            inputs[roles[kind]] = [name]
    names = (name.removeprefix("my-").replace(".", "-") for name in subjects)
    run = "-".join(["own", *names])  # the name of a folder
    return {"run": run, "subjects": subjects, "inputs": inputs}
