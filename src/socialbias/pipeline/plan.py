"""From the name of an input to its files, its provenance and, where it is missing, the reason.

Declarations name what they read. The names:

| name | what it is |
|---|---|
| `census_gender` (any role) | the manifest of the source that plays the role |
| `vectors/<words>/<role>` | word vectors of the role, of the words in a word set |
| `vectors/decades` | word vectors by decade |
| `prepared/<corpus>`, `documents/<corpus>` | a corpus as ids; its documents as text |
| `tags/<corpus>` | the parts of speech of a corpus' words |
| `corpus/<corpus>` | a corpus of Bad Seeds: ids, parts of speech and bootstrapped word vectors |
| `checks/<corpus>` | how the vectors of each bootstrap do on analogies and similarity |
| `representation/<model>/<weights>` | words in their sentences, as a model represents them |
| `recogniser/<head>` | a model of the run that recognises named entities, `crf` or `plain` |
| `annotations/<table>` | labels that people have given |
| `planted/<file>` | the planted corpus, and what models learn from it |
| `evidence/<paper>/<name>` | declared evidence |
| `values/<paper>/<artefact>`, `draws/...` | the values of another artefact; their draws |
| `word_lists/<name>`, `published/<target>` | facts of this project, which need no source |
| `facts/measures` | what every measure is, `resources/measures.yaml` |
| `seeds`, `seeds/<set>` | all seed sets; one, or several between bars; needs of cells alone |
| `stand_in/<what>` | no input: what needs it is of another thing than the paper's; of cells alone |
| `unreleased/<what>` | what authors never released; of cells alone |
| `option/<key>/<item>` | an item that a list of the configuration must have; it has no file |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path

from socialbias.config import Config
from socialbias.corpora.recipes import WEBTEXT, is_sampled, recipe
from socialbias.errors import UserError, nearest
from socialbias.pipeline.declarations import Cell, Declaration, Declarations, Step
from socialbias.pipeline.digest import check_function
from socialbias.sources.binding import Binding
from socialbias.sources.fidelity import FIDELITIES, OR, worst_fidelity
from socialbias.yaml_files import read_yaml

# Which sources a set of words is asked of, beside the word lists of Trustworthy: by word set, roles
# whose sources name further words, and further word lists.
WORD_SETS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "lists": ((), ("trustworthy",)),
    "professions": (("census_gender", "census_race"), ("trustworthy", "controls")),
    "weat": (("weat_lists",), ("trustworthy",)),
    "vocabulary": (("census_gender", "census_race"), ("trustworthy", "debiasing")),
    "seeds": (("gathered_seeds",), ("bad_seeds",)),
    "stereoset": (("stereoset_dev", "stereoset_test"), ()),
    "matrix": (
        ("census_gender", "stereoset_dev", "stereoset_test", "fairness_countries", "weat_lists"),
        ("trustworthy",),
    ),
}
# Formats of word vectors whose words are in no order of frequency: that of `glove` is taken.
UNORDERED = ("gensim-keyedvectors-pickle", "npy-text")
WITH_MOST_FREQUENT = ("vocabulary", "seeds")  # word sets that have the most frequent words too
TEXTS = ("wikipedia", "webtext", "samples")  # of Trustworthy
CORPORA = ("nyt", "wikitext", "goodreads_romance", "goodreads_history_biography", *TEXTS)
READS = {"bert": "wikipedia", "gpt2": "webtext"}  # the text that each model reads
PLANTED = {
    "corpus": "corpora/planted/prepared/report.json",
    "bert": "validation/planted/bert.parquet",
    "gpt2": "validation/planted/gpt2.parquet",
    "bert_probe": "validation/planted/bert_probe.parquet",
    "gpt2_probe": "validation/planted/gpt2_probe.parquet",
    "gpt2_samples": "validation/planted/gpt2_samples.parquet",
    "gpt2_model": "models/planted/gpt2",
}
# What is read with the file that an input names; with trained vectors, their words and counts.
BESIDE = {
    "prepared": ("tokens.npy", "documents.npy", "sentences.npy", "vocabulary.txt", "counts.npy"),
    "representation": (
        "vectors.npy",
        "vocabulary.txt",
        "counts.npy",
        "resampled.npy",
        "features.npy",
        "examples.parquet",
    ),
}
TRAINED = ("vocabulary.txt", "counts.npy")
RECOGNISERS = ("fairness.recognisers", ("fairness_encoder", "conll2003"))  # listed in, made of
NO_INPUT, OWN = "no input", "own"
NOT_TRAINED = (
    "the run trains no GPT-2: set trustworthy: {train_gpt2: true}, or name one in "
    "inputs: {gpt2: [...]}"
)
OF_ARTEFACT = {"values": "values.csv", "draws": "draws.parquet"}  # what another one's job makes
SUBJECT = "subject/"  # before the name of a user's own model: its rows have that name already
ANNOTATED = "annotations"  # the labels by people, a role that the configuration binds to a folder
PRINTED_SETS = "bad-seeds-paper"  # the sets in resources/word_lists/bad_seeds.yaml


@dataclass(frozen=True)
class Provenance:
    """Where data come from.

    Attributes:
        source: Id in the source registry.
        fidelity: How near it is to what the paper used.
    """

    source: str
    fidelity: str


@dataclass(frozen=True)
class Plan:
    """What a run reads and makes, as far as that is known before it starts.

    Attributes:
        config: The configuration.
        bindings: By role, the source that plays it.
        declarations: What the papers declare.
        root: The folder of this project, which holds `resources`.
        command: What a person types to make one target, without its name.
    """

    config: Config
    bindings: Mapping[str, Binding]
    declarations: Declarations
    root: Path = field(default_factory=Path)
    command: str = "snakemake --cores 2"
    _known: dict = field(default_factory=dict, repr=False)  # answers that are asked for often

    @property
    def run(self) -> Path:
        """The folder of the run's results."""
        return Path("results", self.config.run)

    # What the run makes of roles that name no source.

    @property
    def trains_gpt2(self) -> bool:
        """Whether the run trains a small GPT-2, because `gpt2` names no source."""
        wanted = not self.config.inputs.gpt2 and self.config.trustworthy.train_gpt2
        return wanted and self._bound("corpus_webtext")

    @property
    def writes_samples(self) -> bool:
        """Whether GPT-2 writes in the run, because `corpus_samples` names no source."""
        has_gpt2 = self.trains_gpt2 or self._bound("gpt2")
        return not self.config.inputs.corpus_samples and has_gpt2

    @property
    def made(self) -> list[str]:
        """The roles that the run fills by itself."""
        made = {"gpt2": self.trains_gpt2, "corpus_samples": self.writes_samples}
        return [role for role, is_made in made.items() if is_made]

    def _bound(self, role: str) -> bool:
        return bool(self.bindings[role].source)

    def missing_inputs(self) -> list[dict]:
        """What the run lacks: `name`, `what` it is, and `how` to get it.

        Roles without a source, and labels by people: their `how` is what empty cells say.
        """
        missing = [
            {"name": role, "what": field.description, "how": "; ".join(self.missing(role))}
            for role, field in type(self.config.inputs).model_fields.items()
            if self.missing(role)
        ]
        if self.missing("annotations/labels"):
            how = self._how_to_label()
            missing.append({"name": "annotations", "what": "Labels by people.", "how": how})
        return missing

    # Names of inputs.

    def missing(self, name: str) -> list[str]:
        """What is missing for an input, and how to get it; [] where it is available.

        Raises:
            UserError: no input has such a name.
        """
        if name not in self._known:
            self._known[name] = None  # until it is known: what asks for itself finds this
            self._known[name] = self._missing(name)
        if self._known[name] is None:
            raise UserError(f"{name!r} depends on itself")
        return self._known[name]

    def _missing(self, name: str) -> list[str]:
        kind, _, rest = name.partition("/")
        if name in self.bindings:
            return [] if name in self.made else self._unbound(name)
        if kind == "evidence":
            return self._missing_for(self._step(rest))
        if kind in OF_ARTEFACT:
            self._declared(rest)
            return []
        if kind == "annotations":
            return [] if self.config.trustworthy.annotations.folder else [self._how_to_label()]
        if kind == "seeds":
            return self._missing_seeds(rest)
        if kind == "option":
            return self._not_chosen(rest)
        unasked = self._not_chosen(f"{RECOGNISERS[0]}/{rest}") if kind == "recogniser" else []
        if kind == "unreleased":
            return [f"the authors did not release {rest}, and nobody else can have it"]
        return unasked + [reason for role in self._roles(name) for reason in self.missing(role)]

    def available(self, name: str) -> bool:
        """Whether an input can be had."""
        return not self.missing(name)

    def provenance(self, name: str) -> list[Provenance]:
        """The sources that an input rests on, each once; [] for facts of this project."""
        kind, _, rest = name.partition("/")
        if name in self.bindings:
            return [self._provenance_of_role(name)]
        if kind == "evidence":
            step = self._step(rest)
            names = [n for n in (*step.needs, *step.inputs) if self.available(n)]
            return _each_once([part for n in names for part in self.provenance(n)])
        if kind in OF_ARTEFACT:
            names = [n for n in self._declared(rest).values.reads if self.available(n)]
            return _each_once([part for n in names for part in self.provenance(n)])
        if kind == "seeds":
            return [self._provenance_of_seeds(rest)]
        if kind == "stand_in":
            return [Provenance("", "substitute")]
        if kind == ANNOTATED:
            return [Provenance(ANNOTATED, "substitute")]
        return _each_once([self._provenance_of_role(role) for role in self._roles(name)])

    def roles(self, name: str) -> list[str]:
        """The roles of the sources that an available input rests on, each once."""
        key = ("roles", name)
        if key not in self._known:
            self._known[key] = self._roles_behind(name)
        return self._known[key]

    def _roles_behind(self, name: str) -> list[str]:
        kind, _, rest = name.partition("/")
        if name in self.bindings:
            return [name]
        if kind == "evidence":
            step = self._step(rest)
            names = [n for n in (*step.needs, *step.inputs) if self.available(n)]
            return list(dict.fromkeys(role for n in names for role in self.roles(n)))
        if kind in OF_ARTEFACT:
            names = [n for n in self._declared(rest).values.reads if self.available(n)]
            return list(dict.fromkeys(role for n in names for role in self.roles(n)))
        if kind == "seeds":
            return ["gathered_seeds"] * self._bound("gathered_seeds")
        if kind == ANNOTATED:
            return [ANNOTATED]
        return self._roles(name)

    def files(self, name: str) -> dict[str, list[str]]:
        """The files of an available input, by name of a job's input."""
        kind, _, rest = name.partition("/")
        if name in self.bindings:
            return {name: [self.manifest(name)]}
        if kind == "option":
            return {}
        if kind == "corpus":
            return self._corpus_files(rest)
        if kind == "checks":
            return {name: self._models(rest, "intrinsic.parquet")}
        return {name: [str(self._file(name, kind, rest))]} | self.beside(name)

    def beside(self, name: str) -> dict[str, list[str]]:
        """Files that are read with the one of an input because they lie beside it."""
        kind, _, rest = name.partition("/")
        of_kind = "prepared" if name == "planted/corpus" else kind
        if of_kind not in BESIDE:
            return {}
        folder = self._file(name, kind, rest).parent
        return {f"beside/{name}": [str(folder / other) for other in BESIDE[of_kind]]}

    def file(self, name: str) -> str:
        """The one file of an input, whether it is available or not."""
        kind, _, rest = name.partition("/")
        return str(self._file(name, kind, rest))

    def published(self, target: str) -> list[str]:
        """The files of an artefact's printed numbers, and of a second team's; [] without any."""
        resources = self.root / "resources"
        found = [
            path
            for folder in ("published", "replications")
            if (path := resources / folder / f"{target}.csv").exists()
        ]
        if found and found[-1].parent.name == "replications":
            found.append(resources / "replications.yaml")
        return [str(path) for path in found]

    def _file(self, name: str, kind: str, rest: str) -> Path:
        """The one file, or folder, of an input."""
        if kind == "vectors":
            words, _, role = rest.partition("/")
            source = self.bindings[role].source if role else "decades"
            return self.run / "embeddings" / (source if role else words)
        if kind == "prepared":
            return self.run / "corpora" / self.shared_corpus(rest) / "prepared/report.json"
        if kind == "tags":
            return self.run / "corpora" / rest / "tags.parquet"
        if kind == "documents":
            return self.run / "corpora" / self.shared_corpus(rest) / "documents"
        if kind == "representation":
            return self.run / "contextual" / rest / "info.json"
        if kind == "recogniser":
            return self.run / "fairness/recognisers" / rest
        if kind == "annotations":
            return self.run / "trustworthy/annotated" / f"{rest}.parquet"
        if kind == "planted":
            return self.run / PLANTED[rest]
        if kind == "evidence":
            paper, _, evidence = rest.partition("/")
            return self.run / paper / "evidence" / f"{evidence}.parquet"
        if kind in OF_ARTEFACT:
            return self.run / f"{rest}.{OF_ARTEFACT[kind]}"
        if kind == "published":
            return self.root / "resources/published" / f"{rest}.csv"
        if kind == "word_lists":
            return self.root / "resources/word_lists" / f"{rest}.yaml"
        if kind == "facts":
            return self.root / "resources" / f"{rest}.yaml"
        raise UserError(f"the input {name!r} is not a file")

    def shared_corpus(self, corpus: str) -> str:
        """The corpus whose files a text shares: the first that is read from its source as it is."""
        if corpus not in TEXTS or "corpus_" + corpus in self.made:
            return corpus
        return next(name for name in CORPORA if self._reading(name) == self._reading(corpus))

    def recipe_of(self, corpus: str) -> dict:
        """How the source of a corpus is read, with the options of a user's own."""
        own = self.config.subjects.get(self.bindings[f"corpus_{corpus}"].source)
        settings = recipe(corpus.replace("_", "-"), self.registered(corpus))
        if corpus == "webtext" and self.registered(corpus) == WEBTEXT:
            settings = settings | {"file": f"webtext.{self.config.trustworthy.webtext_part}.jsonl"}
        if own and own.options:
            settings = settings | {"options": settings.get("options", {}) | own.options}
        return settings

    def registered(self, corpus: str) -> str:
        """The source of a corpus by its name in the registry, under whatever name it is bound."""
        source = self.bindings[f"corpus_{corpus}"].source or ""
        own = self.config.subjects.get(source)
        return (own and own.source) or source

    def _reading(self, corpus: str) -> tuple:
        """What a corpus is read from, and how; its name where it is a random sample."""
        source = self.bindings[f"corpus_{corpus}"].source
        settings = self.recipe_of(corpus)
        return (corpus if is_sampled(settings) or not source else "", source, str(settings))

    def _models(self, corpus: str, name: str) -> list[str]:
        """A file of each bootstrapped model of a corpus."""
        folder = self.run / "corpora" / corpus / "models"
        replicates = range(self.config.bad_seeds.bootstraps)
        return [str(folder / str(replicate) / name) for replicate in replicates]

    def _corpus_files(self, corpus: str) -> dict[str, list[str]]:
        """Counts, tags and bootstrapped vectors of a corpus."""
        folder = self.run / "corpora" / corpus
        files = {
            f"corpus/{corpus}": [str(folder / "prepared/report.json")],
            f"corpus/{corpus}/models": self._models(corpus, "vectors.npy"),
            f"beside/corpus/{corpus}": [
                *(str(folder / "prepared" / name) for name in BESIDE["prepared"]),
                *(path for name in TRAINED for path in self._models(corpus, name)),
            ],
        }
        if self._bound("tagger"):
            files[f"corpus/{corpus}/tags"] = [str(folder / "tags.parquet")]
        return files

    def manifest(self, role: str) -> str:
        """The manifest of the source that plays a role."""
        return f"{self.config.data}/{self.bindings[role].source}/manifest.json"

    def _roles(self, name: str) -> list[str]:
        """The roles that an input rests on, but for evidence; [] for facts of this project."""
        kind, _, rest = name.partition("/")
        if kind == "vectors":
            words, _, role = rest.partition("/")
            if role and words not in WORD_SETS:
                raise UserError(f"no word set is called {words!r}{nearest(words, list(WORD_SETS))}")
            return [role or words]
        if kind in ("prepared", "documents", "corpus"):
            return [f"corpus_{rest}"]
        if kind == "checks":
            return [f"corpus_{rest}"]
        if kind == "tags":
            return [f"corpus_{rest}", "tagger"]
        if kind == "representation":
            model, _, weights = rest.partition("/")
            if model not in READS or weights not in ("given", "random"):
                raise UserError(f"no representation is called {rest!r}")
            return [model, f"corpus_{READS[model]}"]
        if kind == "recogniser":
            return [*RECOGNISERS[1]]
        if kind == "planted" and rest not in PLANTED:
            raise UserError(f"nothing planted is called {rest!r}{nearest(rest, list(PLANTED))}")
        if kind in ("word_lists", "facts") and not self._file(name, kind, rest).exists():
            raise UserError(f"there are no {kind.replace('_', ' ')} {rest!r}")
        if kind in (
            "word_lists",
            "facts",
            "published",
            "planted",
            "stand_in",
            "unreleased",
            "option",
        ):
            return []
        roles = list(self.bindings)
        raise UserError(f"no input is called {name!r}{nearest(name, roles)}")

    def _unbound(self, role: str) -> list[str]:
        binding = self.bindings[role]
        if binding.source:
            return []
        # What a run would make of another role is missing because that one is.
        if role == "corpus_samples" and not self.config.inputs.corpus_samples:
            return self.missing("gpt2")
        if role == "gpt2" and not self.config.inputs.gpt2:
            return self.missing("corpus_webtext") or [NOT_TRAINED]
        return [binding.missing]

    def _provenance_of_role(self, role: str) -> Provenance:
        if role == "gpt2" and self.trains_gpt2:
            return Provenance(self.bindings["corpus_webtext"].source, "substitute")
        if role == "corpus_samples" and self.writes_samples:
            return Provenance(self._provenance_of_role("gpt2").source, "substitute")
        return Provenance(self.bindings[role].source or "", self.bindings[role].fidelity)

    def _missing_for(self, step: Step) -> list[str]:
        reasons = [reason for name in step.needs for reason in self.missing(name)]
        return list(dict.fromkeys(reasons))

    def _step(self, name: str) -> Step:
        """Declared evidence by `<paper>/<name>`."""
        steps = self.declarations.evidence
        paper, _, evidence = name.partition("/")
        if (paper, evidence) not in steps:
            known = [f"{p}/{e}" for p, e in steps]
            raise UserError(f"no evidence is called {name!r}{nearest(name, known)}")
        return steps[paper, evidence]

    def _declared(self, name: str) -> Declaration:
        """An artefact by `<paper>/<name>`."""
        target = name.replace("/", "_", 1)
        artefacts = self.declarations.artefacts
        if target not in artefacts:
            raise UserError(f"no artefact is called {target!r}{nearest(target, list(artefacts))}")
        return artefacts[target]

    def _how_to_label(self) -> str:
        folder = self.run / "trustworthy/annotation"
        return (
            f"human annotations: run `{self.command} annotation_sample`, copy {folder} and follow "
            "its instructions.md, and name the folder of completed files in trustworthy: "
            "{annotations: {folder: ...}}"
        )

    def _not_chosen(self, rest: str) -> list[str]:
        """Why a variant is not in the run; [] where the configuration lists it."""
        key, _, item = rest.partition("/")
        listed = self.setting(key)
        if not isinstance(listed, list):
            raise UserError(f"listed_in: {key} is not a list")
        return [] if item in listed else [f"`{item}` is not listed in {key}"]

    # Seed sets: gathered ones, or those that print lists.

    @cached_property
    def _seed_lists(self) -> dict:
        """What this project keeps of Bad Seeds' sets."""
        return read_yaml(self.root / "resources/word_lists/bad_seeds.yaml")

    @cached_property
    def _printed_seeds(self) -> dict[str, str]:
        """The fidelity of each seed set that print lists."""
        sets = self._seed_lists["sets"]
        return {s["id"]: "exact" if s.get("complete", True) else "subset" for s in sets}

    @cached_property
    def _all_seeds(self) -> set[str]:
        """The seed sets that print lists and those that were gathered, as far as they are used."""
        return {*self._printed_seeds, *chain.from_iterable(self._seed_lists["gathered_pairs"])}

    def _missing_seeds(self, names: str) -> list[str]:
        for name in names.split(" | ") if names else ():
            if name not in self._all_seeds:
                hint = nearest(name, sorted(self._all_seeds))
                raise UserError(f"no seed set is called {name!r}{hint}")
        if self._bound("gathered_seeds") or not names:
            return []
        if all(name in self._printed_seeds for name in names.split(" | ")):
            return []
        return self._unbound("gathered_seeds")

    def _provenance_of_seeds(self, names: str) -> Provenance:
        if self._bound("gathered_seeds"):
            return self._provenance_of_role("gathered_seeds")
        kinds = [self._printed_seeds.get(name, "subset") for name in names.split(" | ")]
        return Provenance(PRINTED_SETS, worst_fidelity(kinds))

    # Declarations that name what is not there.

    def check(self, library: Path) -> None:
        """Look up every input, setting and function that is declared, whether available or not.

        Args:
            library: The folder that holds the package `socialbias`.

        Raises:
            UserError: one line for each that is not there: who declares it, and the nearest name.
        """
        problems: dict[str, None] = {}

        def look(where: str, question: Callable, *arguments: object) -> None:
            try:
                question(*arguments)
            except (UserError, LookupError) as error:
                problems[f"{where}: {str(error).strip(chr(34))}"] = None

        for where, step in self._declared_steps():
            for name in step.reads:
                look(where, self.missing, name)
            for key in step.settings:
                look(where, self.setting, key)
            look(where, check_function, library, step.function)
        for target, declared in self.declarations.artefacts.items():
            for cell in declared.cells():
                look(target, self.reason, declared, cell)
        if problems:
            raise UserError("\n".join(problems))

    def _declared_steps(self) -> Iterator[tuple[str, Step]]:
        for target, declared in self.declarations.artefacts.items():
            yield f"{target}, values", declared.values
            yield f"{target}, figure", declared.figure
        for (paper, name), step in self.declarations.evidence.items():
            yield f"{paper}, evidence {name}", step
        for paper, step in self.declarations.behind.items():
            yield f"{paper}, behind", step

    # Cells.

    def reason(self, declared: Declaration, cell: Cell) -> str:
        """Why a cell cannot be computed and how to get what is missing; "" where it can."""
        variant = cell.column.partition("@")[2]
        listed_in = declared.variants[variant].listed_in if variant else ""
        names = [f"option/{listed_in}/{variant}"] * bool(listed_in)
        names += [*cell.needs, *cell.uses]
        reasons = [reason for name in names for reason in self.missing(name)]
        return "; ".join(dict.fromkeys(reasons))

    def _fidelities(self, declared: Declaration, cell: Cell) -> str:
        """The fidelities that a cell may have, joined by `OR`."""
        if self.reason(declared, cell):
            return NO_INPUT
        if declared.collects:
            return OR.join(FIDELITIES)
        fidelity = self.fidelity(cell)
        if any(name.partition("/")[0] in OF_ARTEFACT for name in cell.needs):
            # Some cells of an artefact rest on fewer of its inputs than others.
            return OR.join(FIDELITIES[FIDELITIES.index(fidelity) :: -1])
        return f"subset{OR}exact" if declared.whole and fidelity == "subset" else fidelity

    def fidelity(self, cell: Cell) -> str:
        """The fidelity of a cell that can be computed: the worst of what it needs."""
        parts = [part for name in cell.needs for part in self.provenance(name)]
        return worst_fidelity([part.fidelity for part in parts])

    def cells(self, target: str) -> list[dict]:
        """Every cell of an artefact.

        Each with `row`, `column`, `reason`, why it has no number, and `checks`, the inputs that
        say how good the vectors are that were trained for it.
        """
        declared = self.declarations.artefacts[target]
        trained = {f"corpus_{corpus}": f"checks/{corpus}" for corpus in self.trained(declared)}
        return [
            {
                "row": cell.row,
                "column": cell.column,
                "reason": self.reason(declared, cell),
                "checks": [trained[name] for name in cell.needs if name in trained],
            }
            for cell in declared.cells()
        ]

    def trained(self, declared: Declaration) -> list[str]:
        """The corpora in whose bootstrapped vectors an artefact is measured."""
        names = (name.partition("/") for name in declared.values.reads)
        steps = [self._step(rest) for kind, _, rest in names if kind == "evidence"]
        read = [name.partition("/") for step in steps for name in step.reads]
        corpora = [rest for kind, _, rest in read if kind == "corpus"]
        return [corpus for corpus in dict.fromkeys(corpora) if self.available(f"corpus/{corpus}")]

    def values_inputs(self, target: str) -> dict[str, list[str]]:
        """The files of an artefact's values: what it declares, and how its vectors were trained.

        Of each corpus with trained vectors these are checks, and the documents that were drawn.
        """
        declared = self.declarations.artefacts[target]
        named = self.inputs_of(declared.values)
        for corpus in self.trained(declared):
            named |= self.files(f"checks/{corpus}")
            named[f"drawn/{corpus}"] = self._models(corpus, "inclusion.npy")
        return named

    def expected(self, target: str) -> list[list]:
        """Every cell of an artefact: row, column, its fidelities, and whether it may be empty."""
        declared = self.declarations.artefacts[target]
        return [
            [
                cell.row,
                cell.column,
                self._fidelities(declared, cell),
                # A user's own input may lack anything.
                declared.may_be_empty(cell.row, cell.column) or self.fidelity(cell) == OWN,
            ]
            for cell in declared.cells()
        ]

    def has_numbers(self, target: str) -> bool:
        """Whether any cell of an artefact can be computed in this run."""
        declared = self.declarations.artefacts[target]
        return any(not self.reason(declared, cell) for cell in declared.cells())

    # Jobs.

    def inputs_of(self, step: Step) -> dict[str, list[str]]:
        """The files of a job's available inputs, by name."""
        named: dict[str, list[str]] = {}
        for name in step.reads:
            if self.available(name):
                named |= self.files(name)
        return named

    def inputs_behind(self) -> dict[str, list[str]]:
        """The files from which the pages show what stands behind numbers, by name."""
        steps = self.declarations.behind.values()
        return {name: files for step in steps for name, files in self.inputs_of(step).items()}

    def settings_of(self, step: Step) -> dict:
        """What a job reads beside its inputs: provenance and keys of the configuration."""
        provenance = {
            name: [[part.source, part.fidelity] for part in self.provenance(name)]
            for name in step.reads
            if self.available(name)
        }
        return {
            "provenance": {name: parts for name, parts in provenance.items() if parts},
            "settings": {key: self.setting(key) for key in step.settings},
            **self.errata_of(step.reads),
        }

    def cores_of(self, step: Step) -> int:
        """How many cores a job can use."""
        if step.cores is None:
            return 1
        number, most = self.setting(step.cores.of), step.cores.most
        return min(max(number // step.cores.each, 1), most) if number else most

    def errata_of(self, names: Iterable[str]) -> dict:
        """Under `errata`, by role, those of the sources among some inputs; {} if there are none."""
        roles = [name for name in names if name in self.bindings and self.bindings[name].errata]
        return {"errata": {role: self.bindings[role].errata for role in roles}} if roles else {}

    def setting(self, key: str) -> object:
        """A value of the configuration as plain JSON, by its dotted key.

        Raises:
            UserError: there is no such key.
        """
        value: object = self.config
        for part in key.split("."):
            known = list(getattr(type(value), "model_fields", {}))
            if part not in known:
                raise UserError(f"the configuration has no key {key!r}{nearest(part, known)}")
            value = getattr(value, part)
        return value.model_dump() if hasattr(value, "model_dump") else value

    def evidence(self) -> list[tuple[str, str]]:
        """Paper and name of all declared evidence that can be computed."""
        steps = self.declarations.evidence
        return [key for key in steps if self.available(f"evidence/{key[0]}/{key[1]}")]

    def of_models(self) -> list[str]:
        """The files in which jobs with a language model say on what it ran, of all artefacts."""
        return sorted(
            self.file(name)
            for name in self._reached
            if name.startswith("representation/")
            or (name.startswith("evidence/") and self._step(name.partition("/")[2]).gpu)
        )

    @property
    def reads_samples(self) -> bool:
        """Whether an artefact rests on what the run's own GPT-2 writes."""
        return self.writes_samples and any(name.endswith("/samples") for name in self._reached)

    @cached_property
    def _reached(self) -> set[str]:
        """The available inputs that artefacts rest on, at first or at second hand."""
        artefacts = self.declarations.artefacts.values()
        open_ = [name for a in artefacts for step in (a.values, a.figure) for name in step.reads]
        found: set[str] = set()
        while open_:
            name = open_.pop()
            if name in found or not self.available(name):
                continue
            found.add(name)
            if name.startswith("evidence/"):
                open_ += self._step(name.partition("/")[2]).reads
        return found

    def word_sets(self) -> dict[str, list[str]]:
        """By source of word vectors, the word sets that are asked of it."""
        asked: dict[str, set[str]] = {}
        for step in self._steps():
            for name in step.reads:
                kind, _, rest = name.partition("/")
                words, _, role = rest.partition("/")
                if kind == "vectors" and role and self._bound(role):
                    asked.setdefault(self.bindings[role].source, set()).add(words)
        return {source: sorted(sets) for source, sets in asked.items()}

    def _steps(self) -> Sequence[Step]:
        artefacts = self.declarations.artefacts.values()
        own = [step for a in artefacts for step in (a.values, a.figure)]
        return [*self.declarations.evidence.values(), *own]


def _each_once(parts: list[Provenance]) -> list[Provenance]:
    return list(dict.fromkeys(parts))
