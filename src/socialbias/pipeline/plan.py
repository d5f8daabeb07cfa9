"""What a run makes of its inputs: the cells of each artefact, and what each job reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path

from socialbias.config import below_paper
from socialbias.errors import UserError
from socialbias.pipeline.available_inputs import Inputs
from socialbias.pipeline.declarations import EVIDENCE_RULES, Cell, Cores, Declaration, Step
from socialbias.pipeline.digest import function_definition
from socialbias.pipeline.inputs import OF_ARTEFACT
from socialbias.sources.fidelity import FIDELITIES, OR, worst_fidelity

NO_INPUT, OWN = "no input", "own"
SUBJECT = "subject/"  # before the name of a user's own model: its rows have that name already


class Plan(Inputs):
    """What a run reads and makes, as far as that is known before it starts."""

    def missing_inputs(self) -> list[dict]:
        """Return `name`, `what` it is and `how` to get it, of roles and labels that are missing."""
        missing = [
            {"name": role, "what": " ".join(field.description.split()), "how": "; ".join(how)}
            for role, field in type(self.config.inputs).model_fields.items()
            if (how := self.missing(role))
        ]
        if self.missing("annotations/labels"):
            how = self.how_to_label()
            what = "Labels by people, for Table 4 of Bommasani and Liang 2022."
            missing.append({"name": "annotations", "what": what, "how": how})
        return missing

    # Declarations that name what is not there.

    def check(self, library: Path) -> None:
        """Look up every input, setting and function that is declared, whether available or not."""
        problems: dict[str, None] = {}

        def look(where: str, question: Callable, *arguments: object) -> None:
            try:
                question(*arguments)
            except (UserError, LookupError) as error:
                problems[f"{where}: {str(error).strip(chr(34))}"] = None

        steps: dict[str, Step] = {}
        for target, declared in self.declarations.artefacts.items():
            steps |= {f"{target}, values": declared.values, f"{target}, figure": declared.figure}
        for (paper, name), step in self.declarations.evidence.items():
            steps[f"{paper}, evidence {name}"] = step
        for paper, step in self.declarations.behind.items():
            steps[f"{paper}, behind"] = step
        for where, step in steps.items():
            for name in step.reads:
                look(where, self.missing, name)
            for key in step.settings:
                look(where, self.setting, key)
            for function in filter(None, (step.function, step.chain)):
                look(where, function_definition, library, function)
        for target, declared in self.declarations.artefacts.items():
            for cell in declared.cells():
                look(target, self.reason, declared, cell)
        if problems:
            raise UserError("\n".join(problems))

    # Cells.

    def reason(self, declared: Declaration, cell: Cell) -> str:
        """Return why a cell cannot be computed and how to get what is missing; "" where it can."""
        variant = cell.column.partition("@")[2]
        listed_in = declared.variants[variant].listed_in if variant else ""
        names = [f"option/{listed_in}/{variant}"] * bool(listed_in)
        asked = ("reason", *names, *cell.needs, *cell.uses)  # the same of many cells
        if asked not in self._known:
            reasons = [reason for name in asked[1:] for reason in self.missing(name)]
            self._known[asked] = "; ".join(dict.fromkeys(reasons))
        return self._known[asked]

    def _fidelities(self, declared: Declaration, cell: Cell) -> str:
        """Return the fidelities that a cell may have, joined by `OR`."""
        if self.reason(declared, cell):
            return NO_INPUT
        best, worst = self._own_fidelity(cell, declared.whole), self.fidelity(cell)
        if declared.collects:
            worst = FIDELITIES[-1]
        elif others := [name for name in cell.needs if _is_of_artefact(name)]:
            settings = {key for name in others for key in self.settings_behind(name)}
            worst = worst_fidelity([worst, *["subset"] * bool(self._below(settings))])
        return OR.join(FIDELITIES[FIDELITIES.index(best) : FIDELITIES.index(worst) + 1])

    def fidelity(self, cell: Cell) -> str:
        """Return the worst fidelity that a cell that can be computed may have."""
        kinds = [part.fidelity for name in cell.needs for part in self.provenance(name)]
        return worst_fidelity([*kinds, self._own_fidelity(cell)])

    def _own_fidelity(self, cell: Cell, whole: Sequence[str] = ()) -> str:
        """Return the same without numbers of other artefacts, which have their own."""
        parts = ["subset"] if self.below_paper(cell) else []
        for name in _own_needs(cell):
            kinds = [part.fidelity for part in self.provenance(name)]
            parts += [kind for kind in kinds if not (name in whole and kind == "subset")]
        return worst_fidelity(parts)

    def sources(self, cell: Cell) -> list[str]:
        """Return the sources of a cell that can be computed, without those of other artefacts."""
        names = [*_own_needs(cell), *filter(self.available, cell.takes)]
        parts = [part for name in names for part in self.provenance(name)]
        return sorted({part.source for part in parts if part.source})

    def below_paper(self, cell: Cell) -> list[str]:
        """Return what a cell that can be computed has less of than the paper, by the settings."""
        asked = ("below", cell.needs, cell.uses, cell.made_by)  # the same of many cells
        if asked not in self._known:
            named = [name for name in (*cell.needs, *cell.uses) if not _is_of_artefact(name)]
            roles = {role for name in named for role in self.roles(name)}
            settings = {key for name in named for key in self.settings_behind(name)}
            for made_by in filter(self.available, cell.made_by):
                step = self.step(made_by.partition("/")[2])
                settings |= set(step.settings)
                # What it reads for other cells does not count.
                read = [name for name in step.reads if self.available(name)]
                own = [name for name in read if roles.issuperset(self.roles(name))]
                settings |= {key for name in own for key in self.settings_behind(name)}
            # What depends on no source is in no paper.
            self._known[asked] = self._below(settings) if roles else []
        return self._known[asked]

    def _below(self, settings: Iterable[str]) -> list[str]:
        """Those of the settings that are below the paper's, a line each."""
        return [
            f"{key} {numbers}"
            for key, numbers in self._below_paper.items()
            if any(key == setting or key.startswith(f"{setting}.") for setting in settings)
        ]

    @cached_property
    def _below_paper(self) -> dict[str, str]:
        return below_paper(self.config)

    def cells(self, target: str) -> list[dict]:
        """Return every cell of an artefact, with why it is empty and what its number depends on.

        `whole` is its fidelity where its evidence has all that was asked for, `collects` whether it
        has that of other artefacts' numbers too, `checks` are how good its trained vectors are.
        """
        declared = self.declarations.artefacts[target]
        trained = {f"corpus_{corpus}": f"checks/{corpus}" for corpus in self.trained(declared)}
        return [
            {
                "row": cell.row,
                "column": cell.column,
                "reason": (reason := self.reason(declared, cell)),
                "sources": [] if reason else self.sources(cell),
                "fidelity": NO_INPUT if reason else self._own_fidelity(cell),
                "whole": NO_INPUT if reason else self._own_fidelity(cell, declared.whole),
                "collects": _collects(declared, cell),
                "below": [] if reason else self.below_paper(cell),
                "checks": [trained[name] for name in cell.needs if name in trained],
            }
            for cell in declared.cells()
        ]

    def trained(self, declared: Declaration) -> list[str]:
        """Return the corpora in whose bootstrapped vectors an artefact is measured."""
        names = (name.partition("/") for name in declared.values.reads)
        steps = [self.step(rest) for kind, _, rest in names if kind == "evidence"]
        read = [name.partition("/") for step in steps for name in step.reads]
        corpora = [rest for kind, _, rest in read if kind == "corpus"]
        return [corpus for corpus in dict.fromkeys(corpora) if self.available(f"corpus/{corpus}")]

    def values_inputs(self, target: str) -> dict[str, list[str]]:
        """Return the files of an artefact's values, and what says how its vectors were trained."""
        declared = self.declarations.artefacts[target]
        named = self.inputs_of(declared.values)
        for corpus in self.trained(declared):
            named |= self.files(f"checks/{corpus}")
            named[f"drawn/{corpus}"] = self.model_files(corpus, "inclusion.npy")
        return named

    def expected(self, target: str) -> list[list]:
        """Return of every cell row, column, fidelities, sources, and whether it may be empty.

        Sources are separated by `;`; None where it cites those of other artefacts' numbers.
        """
        declared = self.declarations.artefacts[target]
        rows = []
        for cell in declared.cells():
            sources = None
            if not _collects(declared, cell):
                sources = "" if self.reason(declared, cell) else ";".join(self.sources(cell))
            # A user's own input may lack anything.
            empty = declared.may_be_empty(cell.row, cell.column) or self.fidelity(cell) == OWN
            rows.append([*cell[:2], self._fidelities(declared, cell), sources, empty])
        return rows

    def is_drawn(self, target: str) -> bool:
        """Return whether an artefact has a figure in this run; one row is a sentence."""
        declared = self.declarations.artefacts[target]
        shown = declared.drawn or list(declared.columns)
        rows = {
            cell.row
            for cell in declared.cells()
            if cell.column.partition("@")[0] in shown and not self.reason(declared, cell)
        }
        least = 2 if declared.figure.function.endswith(":draw_dot_plot") else 1
        return not declared.table_alone and len(rows) >= least

    # Jobs, by the names that they have in `requests`.

    def whole_of(self, job: str) -> str:
        """Return the job of whose work a job does a part; any other job itself."""
        rule, _, name = job.partition("/")
        name = name.rpartition("_")[0]
        if rule == "represent_shard":
            return f"represent/{name}"
        if rule in ("evidence_part", "train_part"):
            return f"{self._evidence[name].made_by}/{name}"
        return job

    def step_of(self, job: str) -> Step | None:
        """Return what is declared of a job for evidence, values or a figure; None for others."""
        rule, _, name = self.whole_of(job).partition("/")
        if rule in EVIDENCE_RULES:
            return self._evidence.get(name)
        if rule in ("values", "figure") and name in self.declarations.artefacts:
            return getattr(self.declarations.artefacts[name], rule)
        return None

    @cached_property
    def _evidence(self) -> dict[str, Step]:
        return {"_".join(key): step for key, step in self.declarations.evidence.items()}

    def parts(self, job: str) -> int:
        """Return the number of jobs that do a job's work: shards, some items each, or a chain."""
        if job == "represent/bert_given":
            return self.config.trustworthy.shards
        step = self.step_of(job)
        if step and step.chain:
            options, model = self.config.stereoset, job.rpartition("_")[2]
            return options.training_jobs.get(model, 1) if options.next_sentence.fine_tune else 1
        return self.config.stereoset.score_jobs if step and step.in_parts else 1

    def collects(self, job: str) -> bool:
        """Return whether a job puts together what others have done."""
        step = self.step_of(job)
        is_whole = job == self.whole_of(job)
        return is_whole and self.parts(job) > 1 and not (step and step.chain)

    def maker(self, name: str) -> str | None:
        """Return the job that makes an input, if it is evidence or of an artefact."""
        kind, _, rest = name.partition("/")
        job = rest.replace("/", "_", 1)
        if kind == "evidence":
            return f"{self.step(rest).made_by}/{job}"
        return f"values/{job}" if kind in OF_ARTEFACT else None

    def inputs_of(self, step: Step) -> dict[str, list[str]]:
        """Return the files of a job's available inputs, by name."""
        named: dict[str, list[str]] = {}
        for name in step.reads:
            if self.available(name):
                named |= self.files(name)
        return named

    def inputs_behind(self) -> dict[str, list[str]]:
        """Return the files from which the pages show what stands behind numbers, by name."""
        steps = self.declarations.behind.values()
        return {name: files for step in steps for name, files in self.inputs_of(step).items()}

    def settings_of(self, step: Step) -> dict:
        """Return what a step's job reads beside inputs: its function, settings and errata."""
        function = {"function": step.function} if step.function else {}
        settings = {key: self.setting(key) for key in step.settings}
        return function | {"settings": settings} | self.errata_of(step.reads)

    def cores_of(self, cores: Cores) -> int:
        """Return how many cores a job can use."""
        if cores.when and not self.setting(cores.when):
            return 1
        number = self.setting(cores.of) if cores.of else 0
        return min(max(number // cores.each, 1), cores.most) if number else cores.most

    def published(self, target: str) -> list[str]:
        """Return the files of an artefact's printed numbers and of a second team's, if any."""
        resources = self.root / "resources"
        paths = [
            path
            for folder in ("published", "replications")
            if (path := resources / folder / f"{target}.csv").exists()
        ]
        if paths and paths[-1].parent.name == "replications":
            paths.append(resources / "replications.yaml")
        return [str(path) for path in paths]

    def errata_of(self, names: Iterable[str]) -> dict:
        """Under `errata`, by role, those of the sources among some inputs; {} if there are none."""
        roles = [name for name in names if name in self.bindings and self.bindings[name].errata]
        return {"errata": {role: self.bindings[role].errata for role in roles}} if roles else {}

    def of_models(self) -> list[str]:
        """Return the files in which jobs with a language model say what it ran on."""
        files = sorted(
            self.file(name)
            for name in self._reached
            if name.startswith("representation/")
            or (name.startswith("evidence/") and self.step(name.partition("/")[2]).gpu)
        )
        writes = self.writes_samples and any(name.endswith("/samples") for name in self._reached)
        return files + [self.written_on] * writes

    @property
    def written_on(self) -> str:
        """The file in which the job with the run's own GPT-2 says on what it wrote."""
        return f"{self.run}/contextual/gpt2/samples/info.json"

    @cached_property
    def _reached(self) -> set[str]:
        """The available inputs that artefacts depend on, directly or through others."""
        artefacts = self.declarations.artefacts.values()
        open_ = [name for a in artefacts for step in (a.values, a.figure) for name in step.reads]
        reached: set[str] = set()
        while open_:
            name = open_.pop()
            if name in reached or not self.available(name):
                continue
            reached.add(name)
            if name.startswith("evidence/"):
                open_ += self.step(name.partition("/")[2]).reads
        return reached

    def word_sets(self) -> dict[str, list[str]]:
        """Return by source of word vectors, the word sets that are asked of it."""
        words_of: dict[str, set[str]] = {}
        artefacts = self.declarations.artefacts.values()
        own = [step for a in artefacts for step in (a.values, a.figure)]
        for step in (*self.declarations.evidence.values(), *own):
            for name in step.reads:
                kind, _, rest = name.partition("/")
                words, _, role = rest.partition("/")
                if kind == "vectors" and role and self.bound(role):
                    words_of.setdefault(self.bindings[role].source, set()).add(words)
        return {source: sorted(sets) for source, sets in words_of.items()}


def _is_of_artefact(name: str) -> bool:
    """Return whether an input is made of the values of another artefact."""
    return name.partition("/")[0] in OF_ARTEFACT


def _own_needs(cell: Cell) -> list[str]:
    """Return what a cell needs, without the values of other artefacts."""
    return [name for name in cell.needs if not _is_of_artefact(name)]


def _collects(declared: Declaration, cell: Cell) -> bool:
    """Return whether a cell is made of numbers of other artefacts."""
    return declared.collects or any(map(_is_of_artefact, cell.needs))
