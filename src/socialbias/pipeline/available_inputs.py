"""What a run can read: the inputs that are available, and what is missing for the others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path

from socialbias.config import Config
from socialbias.corpora.recipes import WEBTEXT, is_sampled, recipe
from socialbias.errors import UserError, nearest
from socialbias.files.yaml_files import read_yaml
from socialbias.pipeline.declarations import Declaration, Declarations, Step
from socialbias.sources.binding import Binding

TEXTS = ("wikipedia", "webtext", "samples")  # of Trustworthy
CORPORA = ("nyt", "wikitext", "goodreads_romance", "goodreads_history_biography", *TEXTS)


@dataclass(frozen=True)
class Provenance:
    """Where data come from."""

    source: str  # id in the source registry
    fidelity: str  # how near it is to what the paper used


@dataclass(frozen=True)
class Inputs(ABC):
    """What a run can read, as far as that is known before it starts."""

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

    @abstractmethod
    def named(self, name: str):
        """Return the input of a name (`pipeline.inputs.Named`)."""

    def missing(self, name: str) -> list[str]:
        """Return what is missing for an input, and how to get it; [] where it is available."""
        if name not in self._known:
            self._known[name] = None  # until it is known: what asks for itself finds this
            try:
                self._known[name] = self.named(name).missing()
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
            answers = getattr(self.named(name), question)()
            self._known[question, name] = list(dict.fromkeys(answers))
        return self._known[question, name]

    def files(self, name: str) -> dict[str, list[str]]:
        """Return the files of an available input, by name of a job's input."""
        return self.named(name).files()

    def beside(self, name: str) -> dict[str, list[str]]:
        """Files that are read with the one of an input because they lie beside it."""
        return self.named(name).beside()

    def file(self, name: str) -> str:
        """Return the one file, or folder, of an input, whether it is available or not."""
        return str(self.named(name).path())

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
