"""Declared artefacts on one's own vectors, made in this process.

Evidence and values come from the functions that the workflow's rules call, with the same
settings, so both ways give the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.files.yaml_files import read_yaml
from socialbias.papers.word_sets import save_word_sets, words_of
from socialbias.pipeline.declarations import Declarations, Step
from socialbias.pipeline.folder import FILES
from socialbias.pipeline.inputs import WITH_MOST_FREQUENT, WORD_SETS
from socialbias.pipeline.job import Job, job_of
from socialbias.pipeline.labels import values_settings
from socialbias.pipeline.plan import NO_INPUT, OWN, Plan
from socialbias.pipeline.setup import plan_of, raw_setup
from socialbias.reporting.make_values import make_evidence, records_of, silent
from socialbias.reporting.write_artefact import with_detectable, with_provenance

NOT_MEASURED = "only vectors and word lists are read"
FACTS = ("word_lists", "published", "facts")  # kinds of inputs that are files of this project


class InProcess:
    """Declared artefacts that are made of word vectors of one's own."""

    def __init__(
        self,
        roles: Sequence[str],
        targets: Sequence[str],
        data: Path,
        folder: Path,
        settings: Mapping | None = None,
    ):
        """Set which roles one's own vectors play, and which artefacts are made of them in a folder.

        Nothing is fetched into the folder of sources, `data`, and no other corpus, vectors or model
        is read. The settings are the configuration where it differs from the paper run's.
        """
        inputs = read_yaml(FILES / "config.quickstart.yaml")["inputs"]
        raw = {"run": OWN, "data": str(data), "locators": [], "inputs": inputs}
        plan = plan_of(raw_setup({**raw, **(settings or {})}, environ={}))
        steps = [plan.declarations.artefacts[target].values for target in targets]
        names = _names_behind(steps, plan.declarations)
        self._sets = {role: of for role, of in _word_sets(names).items() if role in roles}
        if any({*of} & {*WITH_MOST_FREQUENT} for of in self._sets.values()):
            raise UserError(f"{', '.join(targets)}: only the workflow can read all frequent words")
        read = {role for of in self._sets.values() for words in of for role in WORD_SETS[words][0]}
        own = {"where": "path", "fidelity": OWN, "missing": "", "label": "your own vectors"}
        bindings = dict(plan.bindings)
        for role, binding in plan.bindings.items():
            if role in roles:
                bindings[role] = replace(binding, source=role, **own)
            elif role not in names | read:
                none = {"source": None, "fidelity": NO_INPUT, "missing": NOT_MEASURED}
                bindings[role] = replace(binding, **none)
        self._plan, self._folder = replace(plan, bindings=bindings), folder

    def words(self) -> set[str]:
        """Return every word whose vector is needed."""
        return set().union(
            *(words_of(_job(self._plan, s), name) for s in self._sets.values() for name in s)
        )

    def of(self, vectors: Mapping[str, WordVectors]) -> Made:
        """Return the artefacts of vectors, by role; words without a vector are missing in them."""
        plan = replace(self._plan, results=Path(mkdtemp(dir=self._folder)))
        for role, sets in self._sets.items():
            _save(plan, role, sets, vectors[role].only)
        return Made(plan)


class Made:
    """The artefacts of some vectors; each step runs once, when it is first needed."""

    def __init__(self, plan: Plan):
        self._plan = plan
        self._made: set[str] = set()

    def records(self, target: str) -> dict[tuple[str, str], dict]:
        """Return the values of an artefact by row and column (`reporting.values.value`)."""
        self._make_all(self._plan.declarations.artefacts[target].values)
        inputs, settings = self._plan.values_inputs(target), values_settings(self._plan, target)
        records = with_provenance(records_of(inputs, settings, silent), settings["cells"])
        records = map(with_detectable, records)
        return {(r["row"], r["column"]): r for r in records if r["fidelity"] != NO_INPUT}

    def evidence(self, name: str) -> pd.DataFrame:
        """Return evidence, by `<paper>/<name>`."""
        self._make(f"evidence/{name}")
        return pd.read_parquet(self._plan.file(f"evidence/{name}"))

    def _make_all(self, step: Step) -> None:
        for name in filter(self._plan.available, step.reads):
            self._make(name)

    def _make(self, name: str) -> None:
        """Make evidence with all that it reads; other inputs must exist."""
        kind, _, rest = name.partition("/")
        if name in self._made or name in self._plan.bindings or kind in (*FACTS, "vectors"):
            return
        if kind != "evidence":
            raise UserError(f"{name}: only the workflow can make this")
        step, path = self._plan.step(rest), Path(self._plan.file(name))
        self._make_all(step)
        make_evidence(self._plan.inputs_of(step), self._plan.settings_of(step), path, silent)
        self._made.add(name)


def _word_sets(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the word sets needed of each role of vectors."""
    word_sets: dict[str, list[str]] = {}
    for kind, *rest in (name.split("/") for name in sorted(names)):
        if kind == "vectors" and len(rest) == 2:
            word_sets.setdefault(rest[1], []).append(rest[0])
    return word_sets


def _save(
    plan: Plan, role: str, sets: Sequence[str], read: Callable[[set[str]], WordVectors]
) -> None:
    """Save the word sets of a role's vectors."""
    folder = Path(plan.file(f"vectors/{sets[0]}/{role}"))
    save_word_sets(_job(plan, sets), sets, [], read, folder)


def _job(plan: Plan, sets: Sequence[str]) -> Job:
    """Return the job whose inputs define the word sets."""
    roles = [role for name in sets for role in WORD_SETS[name][0] if plan.bound(role)]
    lists = [f"word_lists/{name}" for words in sets for name in WORD_SETS[words][1]]
    files = {key: paths for n in (*roles, *lists) for key, paths in plan.files(n).items()}
    return job_of(files, plan.errata_of(roles), silent)


def _names_behind(steps: Iterable[Step], declarations: Declarations) -> set[str]:
    """Return the names of all inputs of some steps and of the evidence that they read."""
    names: set[str] = set()
    pending = [name for step in steps for name in step.reads]
    while pending:
        name = pending.pop()
        kind, *key = name.split("/")
        if name not in names and kind == "evidence":
            pending += declarations.evidence[tuple(key)].reads
        names.add(name)
    return names
