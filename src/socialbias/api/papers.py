"""`paper`: a paper's table or figure on one's own input, through the workflow's `subjects`."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from socialbias.api.rendering import with_interval
from socialbias.api.subjects import hub_name, open_subject
from socialbias.errors import UserError, nearest
from socialbias.files.yaml_files import read_yaml
from socialbias.pipeline.folder import find_folder
from socialbias.reporting.compare import OWN
from socialbias.reporting.values import read_csv

QUICKSTART = "quickstart"
WITH_A_FILE = (QUICKSTART, "workstation")  # profiles that name a configuration
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
        about: What the numbers are.
    """

    values: pd.DataFrame
    table: Path
    files: list[Path]
    about: str = ""

    def __str__(self) -> str:
        told = (
            "yours with 95 % intervals, and what the paper prints of its own; they are not judged"
        )
        lines = [*filter(None, [self.about]), told, ""]
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
        UserError: an argument is wrong, the workflow is not here, or the workflow stopped.
    """
    target = _target(paper, artefact)
    root = find_folder(Path.cwd())
    given = {"vectors": vectors, "corpus": corpus, "model": model}
    given = {kind: path for kind, path in given.items() if path is not None}
    if not given:
        raise UserError("name your input by --vectors, --corpus or --model")
    options = {k: v for k, v in {"text": text_key, "unit": by}.items() if v}
    overlay = _overlay(target, given, ROLES[paper] | ROLES.get(target, {}), options)
    how = {"cores": cores, "profile": profile, "dry_run": dry_run, "say": say}
    here = not dry_run and root == Path.cwd() and _made_here(overlay, target, profile, say)
    if not here:
        run_workflow(root, overlay, [target], **how)
    run = overlay["run"]
    if dry_run:
        return None
    return replace(_made(root / "results" / run / paper, artefact), about=_about(paper, artefact))


def _made_here(overlay: dict, target: str, profile: str, say: Callable[[str], None]) -> bool:
    """Whether an artefact is made in this process: in seconds, if vectors are all that it takes."""
    if profile not in WITH_A_FILE:  # it sends jobs elsewhere
        return False
    from socialbias.api.in_process import make_files
    from socialbias.pipeline.setup import load_setup, plan_of

    setup = load_setup([Path(f"config.{profile}.yaml"), _written(Path(), overlay)])
    return make_files(setup, plan_of(setup), target, say)


def _written(root: Path, overlay: dict) -> Path:
    """The file in the folder of a run to which its configuration is written."""
    path = root / "results" / overlay["run"] / "own.json"  # JSON is YAML
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(overlay, indent=2) + "\n", "utf-8")
    return path


def run_workflow(
    root: Path,
    overlay: dict,
    targets: Sequence[str],
    *,
    cores: int,
    profile: str,
    dry_run: bool,
    say: Callable[[str], None],
    further: Sequence[str] = (),
) -> None:
    """Have the workflow make targets under a configuration.

    Args:
        root: The folder with the workflow.
        overlay: The configuration, of which `run` names the folder that it is written to.
        targets: Names of rules.
        cores: As in `own_artefact`, and so are the next three.
        profile: See there.
        dry_run: See there.
        say: See there.
        further: Arguments of Snakemake.

    Raises:
        UserError: the workflow stopped.
    """
    if find_spec("snakemake") is None:
        raise UserError("the workflow needs snakemake: pip install 'socialbias[all]'")
    known = sorted(each.name for each in root.glob("profiles/*") if each.is_dir())
    if known and profile not in known:
        hint = nearest(profile, known) or f": there are {', '.join(known)}"
        raise UserError(f"profile: none is called {profile!r}{hint}")
    path = _written(root, overlay)
    # A file on the command line takes the place of the profile's.
    names = [f"config.{profile}.yaml"] if profile in WITH_A_FILE else []
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores)]
    command += ["--profile", f"profiles/{profile}"]
    command += ["--configfile", *names, str(path.relative_to(root))]
    command += [*(["--dry-run"] if dry_run else []), *further, "--", *targets]
    say(f"in {root}: snakemake {' '.join(command[3:])}")
    # A checkout's own library, whichever is installed; the installed one where there is none.
    paths = [str(root / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    surroundings = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    if subprocess.run(command, cwd=root, env=surroundings, check=False).returncode:
        raise UserError(f"{', '.join(targets)}: the workflow stopped: its lines above say why")


def _target(paper: str, artefact: str) -> str:
    """The name of the workflow's target."""
    if paper not in ROLES:
        known = [name for name in ROLES if (PAPERS / name).is_dir()]
        hint = nearest(paper, known) or f": there are {', '.join(known)}"
        raise UserError(f"no paper is called {paper!r}{hint}")
    known = sorted(path.stem for path in (PAPERS / paper).glob("*.yaml") if path.stem != "shared")
    if artefact not in known:
        what = f"has no {artefact}: " if artefact else ""
        raise UserError(f"{paper}: {what}name one of {', '.join(known)} (--table 5, --artefact)")
    return f"{paper}_{artefact}"


def _overlay(target: str, given: dict[str, Path], roles: dict, options: dict) -> dict:
    """The configuration with one's own subjects."""
    subjects, inputs = {}, {}
    for kind, path in given.items():
        if kind not in roles:
            raise UserError(f"{target}: takes no {kind} of yours, but {' or '.join(roles)}")
        name, subject = own_subject(path)
        if subject["kind"] != kind:
            hint = f"name it by --{subject['kind']}"
            raise UserError(f"{path}: is {subject['kind']}, not {kind}: {hint}")
        name = f"{name}-{kind}" if name in subjects else name
        subjects[name] = subject
        if kind == "corpus" and options:
            subjects[name]["options"] = options
        if roles[kind]:
            inputs[roles[kind]] = [name]
    return configured(subjects, inputs)


def own_subject(given: str | Path) -> tuple[str, dict]:
    """A name for one's own vectors, corpus or model, and its entry in `subjects`.

    A model on the hub is left for the workflow to download.
    """
    named = hub_name(str(given))
    if named:
        label, subject = named.model, {"hub": str(named), "kind": "model"}
    else:
        path = Path(given).expanduser()
        label, subject = path.stem, {"path": str(path.resolve()), "kind": open_subject(path).kind}
    name = re.sub(r"[^a-z0-9.-]+", "-", label.lower()).strip("-.") or "mine"
    return f"my-{name}", subject


def configured(subjects: dict, inputs: dict) -> dict:
    """The configuration of a run with one's own subjects, which its name tells."""
    run = "-".join(["own", *(name.removeprefix("my-") for name in subjects)])
    return {"run": run, "subjects": subjects, "inputs": inputs}


def _about(paper: str, artefact: str) -> str:
    """What the numbers of an artefact are, from its declaration."""
    told = read_yaml(PAPERS / paper / f"{artefact}.yaml")
    return f"{told['title']}; {told['unit']}" if told.get("unit") else told["title"]


def _made(folder: Path, artefact: str) -> Made:
    """The numbers on one's own input, beside the paper's."""
    files = sorted(folder.glob(f"{artefact}.*"))
    cells = read_csv(folder / f"{artefact}.comparison.csv", {"value", "ci_low", "ci_high"})
    own = cells[cells["fidelity"] == OWN]
    if own.empty:
        raise UserError(f"{artefact}: no number of it could be made of your input: see {folder}")
    html = [path for path in files if path.suffix == ".html"]
    return Made(own, (html or files)[0], files)
