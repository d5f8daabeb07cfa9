"""What a run can read, and what it makes of that: its inputs, cells, and what each job reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path

from socialbias.config import Config, below_paper
from socialbias.corpora.recipes import WEBTEXT, is_sampled, recipe
from socialbias.errors import UserError, nearest
from socialbias.files.yaml_files import read_yaml
from socialbias.pipeline.declarations import (
    EVIDENCE_RULES,
    Cell,
    Cores,
    Declaration,
    Declarations,
    Step,
)
from socialbias.pipeline.digest import function_definition
from socialbias.pipeline.inputs import OF_ARTEFACT, Provenance, named
from socialbias.sources.binding import Binding
from socialbias.sources.fidelity import FIDELITIES, OR, worst_fidelity

NO_INPUT, OWN = "no input", "own"
SUBJECT = "subject/"  # before the name of a user's own model: its rows have that name already
TEXTS = ("wikipedia", "webtext", "samples")  # of Trustworthy
CORPORA = ("nyt", "wikitext", "goodreads_romance", "goodreads_history_biography", *TEXTS)


@dataclass(frozen=True)
class Plan:
    """What a run reads and makes, as far as that is known before it starts."""

    config: Config  # the configuration
    bindings: Mapping[str, Binding]  # by role, the source that plays it
    declarations: Declarations  # what the papers declare
    # The folder that holds `resources`: of this project, or of the installed library.
    root: Path = field(default_factory=Path)
    command: str = "snakemake --cores 2"  # what a person types to make one target, without its name
    results: Path = field(default_factory=lambda: Path("results"))  # where each run has a folder
    # Answers that are asked for often. A plan made with `replace` has its own.
    _known: dict = field(default_factory=dict, init=False, repr=False)

    @property
    def run(self) -> Path:
        """The folder of the run's results."""
        return self.results / self.config.run

    # What the run makes of roles that name no source.

    @property
    def trains_gpt2(self) -> bool:
        """Whether the run trains a small GPT-2, because `gpt2` names no source."""
        wanted = not self.config.inputs.gpt2 and self.config.trustworthy.train_gpt2
        return wanted and self.bound("corpus_webtext")

    @property
    def writes_samples(self) -> bool:
        """Whether GPT-2 writes in the run, because `corpus_samples` names no source."""
        has_gpt2 = self.trains_gpt2 or self.bound("gpt2")
        return not self.config.inputs.corpus_samples and has_gpt2

    @property
    def made(self) -> list[str]:
        """The roles that the run fills by itself."""
        made = {"gpt2": self.trains_gpt2, "corpus_samples": self.writes_samples}
        return [role for role, is_made in made.items() if is_made]

    def bound(self, role: str) -> bool:
        """Return whether a source plays a role."""
        return bool(self.bindings[role].source)

    # Inputs by name.

    def missing(self, name: str) -> list[str]:
        """Return what is missing for an input, and how to get it; [] where it is available."""
        if name not in self._known:
            self._known[name] = None  # until it is known: what asks for itself finds this
            try:
                self._known[name] = named(self, name).missing()
            except UserError:
                del self._known[name]
                raise
        if self._known[name] is None:
            raise UserError(f"{name!r} depends on itself")
        return self._known[name]

    def available(self, name: str) -> bool:
        """Return whether an input can be had."""
        return not self.missing(name)

    def provenance(self, name: str) -> list[Provenance]:
        """Return the sources that an input depends on, each once; [] for facts of this project."""
        return self._answers(name, "provenance")

    def roles(self, name: str) -> list[str]:
        """Return the roles of the sources that an available input depends on, each once."""
        return self._answers(name, "roles")

    def settings_behind(self, name: str) -> list[str]:
        """Return the keys of the configuration that an available input depends on.

        Those of jobs that no declaration describes are here only where a paper has a value of them.
        """
        return self._answers(name, "settings")

    def _answers(self, name: str, question: str) -> list:
        """Return what an input answers, each item once."""
        if (question, name) not in self._known:
            answers = getattr(named(self, name), question)()
            self._known[question, name] = list(dict.fromkeys(answers))
        return self._known[question, name]

    def files(self, name: str) -> dict[str, list[str]]:
        """Return the files of an available input, by name of a job's input."""
        return named(self, name).files()

    def beside(self, name: str) -> dict[str, list[str]]:
        """Files that are read with the one of an input because they lie beside it."""
        return named(self, name).beside()

    def file(self, name: str) -> str:
        """Return the one file, or folder, of an input, whether it is available or not."""
        return str(named(self, name).path())

    # What several kinds of inputs ask.

    def manifest(self, role: str) -> str:
        """Return the manifest of the source that plays a role."""
        return f"{self.config.data}/{self.bindings[role].source}/manifest.json"

    def provenance_of_role(self, role: str) -> Provenance:
        """Return the source that plays a role, or what stands for it where the run makes it."""
        if role == "gpt2" and self.trains_gpt2:
            return Provenance(self.bindings["corpus_webtext"].source, "substitute")
        if role == "corpus_samples" and self.writes_samples:
            return Provenance(self.provenance_of_role("gpt2").source, "substitute")
        return Provenance(self.bindings[role].source or "", self.bindings[role].fidelity)

    def step(self, name: str) -> Step:
        """Return declared evidence by `<paper>/<name>`."""
        steps = self.declarations.evidence
        paper, _, evidence = name.partition("/")
        if (paper, evidence) not in steps:
            known = [f"{p}/{e}" for p, e in steps]
            raise UserError(f"no evidence is called {name!r}{nearest(name, known)}")
        return steps[paper, evidence]

    def declared(self, name: str) -> Declaration:
        """Return an artefact by `<paper>/<name>`."""
        target = name.replace("/", "_", 1)
        artefacts = self.declarations.artefacts
        if target not in artefacts:
            raise UserError(f"no artefact is called {target!r}{nearest(target, list(artefacts))}")
        return artefacts[target]

    def how_to_label(self) -> str:
        """Return how to get labels by people."""
        folder = self.run / "trustworthy/annotation"
        return (
            f"human annotations: run `{self.command} annotation_sample`, copy {folder} and follow "
            "its instructions.md, and name the folder of completed files in trustworthy: "
            "{annotations: {folder: ...}}"
        )

    def setting(self, key: str) -> object:
        """Return a value of the configuration as plain JSON, by its dotted key."""
        value: object = self.config
        for part in key.split("."):
            known = list(getattr(type(value), "model_fields", {}))
            if part not in known:
                raise UserError(f"the configuration has no key {key!r}{nearest(part, known)}")
            value = getattr(value, part)
        return value.model_dump() if hasattr(value, "model_dump") else value

    def not_chosen(self, rest: str) -> list[str]:
        """Return why a variant is not in the run; [] where the configuration lists it."""
        key, _, item = rest.partition("/")
        listed = self.setting(key)
        if not isinstance(listed, list):
            raise UserError(f"listed_in: {key} is not a list")
        return [] if item in listed else [f"`{item}` is not listed in {key} of the configuration"]

    # Corpora.

    def shared_corpus(self, corpus: str) -> str:
        """Return the first corpus that is read from the same source in the same way, for a text."""
        if corpus not in TEXTS or "corpus_" + corpus in self.made:
            return corpus
        return next(name for name in CORPORA if self._reading(name) == self._reading(corpus))

    def recipe_of(self, corpus: str) -> dict:
        """Return how the source of a corpus is read, with the options of a user's own."""
        own = self.config.subjects.get(self.bindings[f"corpus_{corpus}"].source)
        settings = recipe(corpus.replace("_", "-"), self.registered(corpus))
        if corpus == "webtext" and self.registered(corpus) == WEBTEXT:
            settings = settings | {"file": f"webtext.{self.config.trustworthy.webtext_part}.jsonl"}
        if own and own.options:
            settings = settings | {"options": settings.get("options", {}) | own.options}
        return settings

    def registered(self, corpus: str) -> str:
        """Return a corpus's source by its name in the registry, whatever name it is bound under."""
        source = self.bindings[f"corpus_{corpus}"].source or ""
        own = self.config.subjects.get(source)
        return (own and own.source) or source

    def _reading(self, corpus: str) -> tuple:
        """Return what a corpus is read from, and how; its name where it is a random sample."""
        source = self.bindings[f"corpus_{corpus}"].source
        settings = self.recipe_of(corpus)
        return (corpus if is_sampled(settings) or not source else "", source, str(settings))

    def model_files(self, corpus: str, name: str) -> list[str]:
        """Return a file of each bootstrapped model of a corpus."""
        folder = self.run / "corpora" / corpus / "models"
        replicates = range(self.config.bad_seeds.bootstraps)
        return [str(folder / str(replicate) / name) for replicate in replicates]

    # Seed sets: gathered ones, or those that print lists.

    @cached_property
    def _seed_lists(self) -> dict:
        """What this project keeps of Bad Seeds' sets."""
        return read_yaml(self.root / "resources/word_lists/bad_seeds.yaml")

    @cached_property
    def printed_seeds(self) -> dict[str, str]:
        """The fidelity of each seed set that print lists."""
        sets = self._seed_lists["sets"]
        return {s["id"]: "exact" if s.get("complete", True) else "subset" for s in sets}

    @cached_property
    def all_seeds(self) -> set[str]:
        """The seed sets that print lists and those that were gathered, as far as they are used."""
        return {*self.printed_seeds, *chain.from_iterable(self._seed_lists["gathered_pairs"])}

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
            if step.function:
                look(where, function_definition, library, step.function)
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
        if rule == "evidence_part":
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
        """Return the number of jobs that do a job's work: shards, or some items each."""
        if job == "represent/bert_given":
            return self.config.trustworthy.shards
        step = self.step_of(job)
        return self.config.stereoset.score_jobs if step and step.in_parts else 1

    def collects(self, job: str) -> bool:
        """Return whether a job puts together what others have done."""
        return job == self.whole_of(job) and self.parts(job) > 1

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
        """Return the file of an artefact's printed numbers, if print has any."""
        path = self.root / "resources" / "published" / f"{target}.csv"
        return [str(path)] if path.exists() else []

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
