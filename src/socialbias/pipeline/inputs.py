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
| `recogniser/<head>` | a model of the run that recognises named entities, `crf` |
| `annotations/<table>` | labels that people have given |
| `planted/<file>` | the planted corpus, and what models learn from it |
| `evidence/<paper>/<name>` | declared evidence |
| `values/<paper>/<artefact>`, `draws/...` | the values of another artefact; their draws |
| `word_lists/<name>`, `published/<target>` | facts of this project, which need no source |
| `facts/passports` | where the passports of measures have their numbers from |
| `seeds`, `seeds/<set>` | all seed sets; one, or several between bars; needs of cells alone |
| `printed_seeds` | seeds of which the paper prints all; needs of cells alone |
| `stand_in/<what>` | no input: what needs it is of another thing than the paper's; of cells alone |
| `unreleased/<what>` | what authors never released; of cells alone |
| `option/<key>/<item>` | an item that a list of the configuration must have; it has no file |

A kind of input is a class below, by its name in `KINDS`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from socialbias.embeddings.options import TRAINING
from socialbias.errors import UserError, nearest
from socialbias.sources.fidelity import worst_fidelity

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
# Formats of word vectors whose words are in no order of frequency, and whose order is then taken.
UNORDERED = ("gensim-keyedvectors-pickle", "npy-text")
ORDERED = ("glove", "word2vec")
WITH_MOST_FREQUENT = ("vocabulary", "seeds")  # word sets that have the most frequent words too
READS = {"bert": "wikipedia", "gpt2": "webtext"}  # the text that each model reads
PLANTED = {
    "corpus": "corpora/planted/prepared/report.json",
    "bert": "validation/planted/bert.parquet",
    "gpt2": "validation/planted/gpt2.parquet",
    "bert_probe": "validation/planted/bert_probe.parquet",
    "gpt2_probe": "validation/planted/gpt2_probe.parquet",
    "gpt2_samples": "validation/planted/gpt2_samples.parquet",
}
NOT_TRAINED = (
    "the run trains no GPT-2: write `trustworthy: {train_gpt2: true}` in the configuration, or "
    "name a model in `inputs: {gpt2: [...]}`"
)
# What is read with a prepared corpus, and with a model that was trained on it.
PREPARED = ("tokens.npy", "documents.npy", "sentences.npy", "vocabulary.txt", "counts.npy")
TRAINED = ("vocabulary.txt", "counts.npy")
OF_ARTEFACT = {"values": "values.csv", "draws": "draws.parquet"}  # what another one's job makes
ANNOTATED = "annotations"  # the labels by people, a role that the configuration binds to a folder
PRINTED_SETS = "bad-seeds-paper"  # the sets in resources/word_lists/bad_seeds.yaml


class Provenance(NamedTuple):
    """Where data come from."""

    source: str  # id in the source registry
    fidelity: str  # how near it is to what the paper used


class Named:
    """An input, by its name: a kind and what follows it, which stands for `{}` in these."""

    of: tuple[str, ...] = ()  # the roles of the sources that it depends on
    origins: tuple[Provenance, ...] = ()  # the same, of what plays no role
    keys: tuple[str, ...] = ()  # of the configuration, on which it depends
    place = ""  # its one file, or folder, in the folder of the run
    companions: tuple[str, ...] = ()  # files that are read with that one and lie beside it

    def __init__(self, plan: Any, name: str):  # a `pipeline.plan.Plan`, which imports this
        self.plan, self.name = plan, name
        self.rest = name.partition("/")[2]

    def roles(self) -> list[str]:
        """Return the roles of the sources that it depends on; [] for facts of this project."""
        return [role.format(self.rest) for role in self.of]

    def settings(self) -> Iterable[str]:
        """Keys of the configuration that it depends on; see `Plan.settings_behind`."""
        return self.keys

    def missing(self) -> list[str]:
        """Return what is missing for it, and how to get it."""
        return [reason for role in self.roles() for reason in self.plan.missing(role)]

    def provenance(self) -> list[Provenance]:
        """Return the sources that it depends on."""
        return [*map(self.plan.provenance_of_role, self.roles()), *self.origins]

    def path(self) -> Path:
        """Its one file, or folder."""
        if not self.place:
            raise UserError(f"the input {self.name!r} is not a file")
        return self.plan.run / self.place.format(self.rest)

    def files(self) -> dict[str, list[str]]:
        """Its files, by name of a job's input."""
        return {self.name: [str(self.path())]} | self.beside()

    def beside(self) -> dict[str, list[str]]:
        """Its companions, by name of a job's input."""
        paths = [str(self.path().parent / other) for other in self.companions]
        return {f"beside/{self.name}": paths} if paths else {}


class _Role(Named):
    def roles(self) -> list[str]:
        return [self.name]

    def missing(self) -> list[str]:
        plan, role = self.plan, self.name
        if role in plan.made or plan.bound(role):
            return []
        # What a run would make of another role is missing because that one is.
        if role == "corpus_samples" and not plan.config.inputs.corpus_samples:
            return plan.missing("gpt2")
        if role == "gpt2" and not plan.config.inputs.gpt2:
            return plan.missing("corpus_webtext") or [NOT_TRAINED]
        return [plan.bindings[role].missing]

    def files(self) -> dict[str, list[str]]:
        return {self.name: [self.plan.manifest(self.name)]}


class _Vectors(Named):
    def roles(self) -> list[str]:
        words, _, role = self.rest.partition("/")
        if role and words not in WORD_SETS:
            raise UserError(f"no word set is called {words!r}{nearest(words, list(WORD_SETS))}")
        return [role or words]

    def path(self) -> Path:
        words, _, role = self.rest.partition("/")
        source = self.plan.bindings[role].source if role else words
        return self.plan.run / "embeddings" / source


class _Prepared(Named):
    of = ("corpus_{}",)
    place = "corpora/{}/prepared/report.json"
    companions = PREPARED

    def path(self) -> Path:
        return self.plan.run / self.place.format(self.plan.shared_corpus(self.rest))


class _Documents(_Prepared):
    place = "corpora/{}/documents"
    companions = ()


class _Tags(Named):
    of = ("corpus_{}", "tagger")
    keys = ("bad_seeds.tagged_words",)
    place = "corpora/{}/tags.parquet"


class _TrainedCorpus(Named):
    of = ("corpus_{}",)
    keys = ("bad_seeds.bootstraps", "bad_seeds.sample_words", "bad_seeds.tagged_words")
    keys += tuple(f"bad_seeds.{key}" for key in TRAINING)

    def files(self) -> dict[str, list[str]]:
        plan, corpus = self.plan, self.rest
        folder = plan.run / "corpora" / corpus
        files = {
            self.name: [str(folder / "prepared/report.json")],
            f"{self.name}/models": plan.model_files(corpus, "vectors.npy"),
            f"beside/{self.name}": [
                *(str(folder / "prepared" / name) for name in PREPARED),
                *(path for name in TRAINED for path in plan.model_files(corpus, name)),
            ],
        }
        if plan.bound("tagger"):
            files[f"{self.name}/tags"] = [str(folder / "tags.parquet")]
        return files


class _Checks(_TrainedCorpus):
    def files(self) -> dict[str, list[str]]:
        return {self.name: self.plan.model_files(self.rest, "intrinsic.parquet")}


class _Representation(Named):
    keys = ("trustworthy.represented_documents", "trustworthy.represented_windows")
    keys += ("trustworthy.sentences_per_word", "trustworthy.sentences_per_target")
    place = "contextual/{}/info.json"
    companions = ("vectors.npy", "vocabulary.txt", "counts.npy", "resampled.npy", "features.npy")
    companions += ("examples.parquet",)

    def roles(self) -> list[str]:
        model, _, weights = self.rest.partition("/")
        if model not in READS or weights not in ("given", "random"):
            raise UserError(f"no representation is called {self.rest!r}")
        return [model, f"corpus_{READS[model]}"]


class _Recogniser(Named):
    of = ("fairness_encoder", "conll2003")
    place = "fairness/recognisers/{}"

    def missing(self) -> list[str]:
        return self.plan.not_chosen(f"fairness.recognisers/{self.rest}") + super().missing()


class _Planted(Named):
    origins = (Provenance("planted", "exact"),)
    companions = PREPARED  # of the corpus

    def roles(self) -> list[str]:
        if self.rest not in PLANTED:
            hint = nearest(self.rest, list(PLANTED))
            raise UserError(f"nothing planted is called {self.rest!r}{hint}")
        return []

    def path(self) -> Path:
        return self.plan.run / PLANTED[self.rest]

    def beside(self) -> dict[str, list[str]]:
        return super().beside() if self.rest == "corpus" else {}


class _Annotations(Named):
    of = (ANNOTATED,)
    place = "trustworthy/annotated/{}.parquet"

    def missing(self) -> list[str]:
        given = self.plan.config.trustworthy.annotations.folder
        return [] if given else [self.plan.how_to_label()]

    def provenance(self) -> list[Provenance]:
        texts = "corpus_wikipedia"  # of which the sample is
        own = [self.plan.provenance_of_role(texts)] * self.plan.bound(texts)
        return [Provenance(ANNOTATED, "substitute"), *own]


class _OfJob(Named):
    """What another job makes of inputs of its own: those that `reads` returns."""

    def provenance(self) -> list[Provenance]:
        return [part for name in self._available() for part in self.plan.provenance(name)]

    def roles(self) -> list[str]:
        return [role for name in self._available() for role in self.plan.roles(name)]

    def settings(self) -> Iterable[str]:
        return chain(*(self.plan.settings_behind(name) for name in self._available()))

    def _available(self) -> list[str]:
        return [name for name in self.reads() if self.plan.available(name)]


class _Evidence(_OfJob):
    def reads(self) -> list[str]:
        step = self.plan.step(self.rest)
        return [*step.needs, *step.inputs]

    def missing(self) -> list[str]:
        needs = self.plan.step(self.rest).needs
        return list(dict.fromkeys(r for name in needs for r in self.plan.missing(name)))

    def settings(self) -> Iterable[str]:
        return chain(self.plan.step(self.rest).settings, super().settings())

    def path(self) -> Path:
        paper, _, evidence = self.rest.partition("/")
        return self.plan.run / paper / "evidence" / f"{evidence}.parquet"


class _OfArtefact(_OfJob):
    def reads(self) -> list[str]:
        return self.plan.declared(self.rest).values.reads

    def missing(self) -> list[str]:
        self.plan.declared(self.rest)
        return []

    def path(self) -> Path:
        return self.plan.run / f"{self.rest}.{OF_ARTEFACT[self.name.partition('/')[0]]}"


class _Published(Named):
    place = "resources/published/{}.csv"

    def path(self) -> Path:
        return self.plan.root / self.place.format(self.rest)


class _Facts(_Published):
    """A file of facts that must be there."""

    place = "resources/{}.yaml"

    def roles(self) -> list[str]:
        if not self.path().exists():
            what = self.name.partition("/")[0].replace("_", " ")
            raise UserError(f"there are no {what} {self.rest!r}")
        return []


class _WordLists(_Facts):
    place = "resources/word_lists/{}.yaml"


class _Seeds(Named):
    def roles(self) -> list[str]:
        return ["gathered_seeds"] * self.plan.bound("gathered_seeds")

    def missing(self) -> list[str]:
        plan, names = self.plan, self.rest.split(" | ") if self.rest else []
        for name in names:
            if name not in plan.all_seeds:
                hint = nearest(name, sorted(plan.all_seeds))
                raise UserError(f"no seed set is called {name!r}{hint}")
        if all(name in plan.printed_seeds for name in names):
            return []
        return plan.missing("gathered_seeds")

    def provenance(self) -> list[Provenance]:
        if self.plan.bound("gathered_seeds"):
            return [self.plan.provenance_of_role("gathered_seeds")]
        printed = self.plan.printed_seeds
        kinds = [printed.get(name, "subset") for name in self.rest.split(" | ")]
        return [Provenance(PRINTED_SETS, worst_fidelity(kinds))]


class _PrintedSeeds(Named):
    origins = (Provenance(PRINTED_SETS, "exact"),)


class _StandIn(Named):
    origins = (Provenance("", "substitute"),)


class _Unreleased(Named):
    def missing(self) -> list[str]:
        return [f"the authors did not release {self.rest}, and nobody else can have it"]


class _Option(Named):
    def missing(self) -> list[str]:
        return self.plan.not_chosen(self.rest)

    def files(self) -> dict[str, list[str]]:
        return {}


KINDS: dict[str, type[Named]] = {
    "vectors": _Vectors,
    "prepared": _Prepared,
    "documents": _Documents,
    "tags": _Tags,
    "corpus": _TrainedCorpus,
    "checks": _Checks,
    "representation": _Representation,
    "recogniser": _Recogniser,
    "annotations": _Annotations,
    "planted": _Planted,
    "evidence": _Evidence,
    "values": _OfArtefact,
    "draws": _OfArtefact,
    "word_lists": _WordLists,
    "published": _Published,
    "facts": _Facts,
    "seeds": _Seeds,
    "printed_seeds": _PrintedSeeds,
    "stand_in": _StandIn,
    "unreleased": _Unreleased,
    "option": _Option,
}


def named(plan: Any, name: str) -> Named:
    """Return the input of a name: a role, or of a kind."""
    if name in plan.bindings:
        return _Role(plan, name)
    kind = name.partition("/")[0]
    if kind not in KINDS:
        raise UserError(f"no input is called {name!r}{nearest(name, list(plan.bindings))}")
    return KINDS[kind](plan, name)
