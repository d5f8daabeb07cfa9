"""Words in their sentences, represented by a model: in shards of the text that add up."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.corpora.contexts import contexts_of, match
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.shards import INDEX
from socialbias.embeddings.words.of_papers import read_word_lists
from socialbias.files.atomic_write import aside, write_text
from socialbias.measures.datasets.census import GENDER
from socialbias.measures.text import exclusive
from socialbias.models.extract import Report
from socialbias.models.loading import Model, load_model, model_folder, ran_on
from socialbias.models.reduction import Sentence, Sums, sum_words
from socialbias.models.sampled_sentences import Choice, sentences
from socialbias.papers.trustworthy.inputs import census_words
from socialbias.pipeline.job import job_of
from socialbias.stats.seeding import generator

KINDS = {"bert": "encoder", "gpt2": "causal"}
LIMITS = ("shortest", "longest", "documents", "windows", "last_window", "per_word", "per_target")


@dataclass(frozen=True)
class Shard:
    """What a model made of a part of the sentences."""

    sums: Sums  # of the vectors of words
    places: NDArray[np.int64]  # (m,) which examples of the probe it has
    vectors: NDArray[np.float32]  # (m, width) their vectors
    ran_on: Mapping[str, str]  # `device` and `dtype` of the model

    def save(self, path: Path) -> None:
        """Write one file."""
        sums = vars(self.sums) | {"report": list(asdict(self.sums.report).values())}
        ran_on = json.dumps(self.ran_on)
        with aside(path) as part, part.open("wb") as file:
            np.savez(file, **sums, places=self.places, vectors=self.vectors, ran_on=ran_on)

    @classmethod
    def load(cls, path: Path) -> Shard:
        """Read what `save` wrote."""
        with np.load(path) as arrays:
            sums = dict(arrays)
        places, vectors = sums.pop("places"), sums.pop("vectors")
        ran_on = json.loads(str(sums.pop("ran_on")))
        report = Report(*sums.pop("report").tolist())
        return cls(Sums(**sums, report=report), places, vectors, ran_on)


def represent(model: Model, sentences: Iterable[Sentence], choice: Choice, **options: Any) -> Shard:
    """Run a model on sentences."""
    features = Features(choice)
    sums = sum_words(model, sentences, choice.words, callback=features.add, **options)
    places = np.array(sorted(features.vectors), np.int64)
    rows = [features.vectors[place] for place in places.tolist()]
    vectors = np.array(rows, np.float32).reshape(len(rows), sums.total.shape[1])
    return Shard(sums, places, vectors, ran_on(model))


def save_shards(shards: Iterable[Shard], choice: Choice, folder: Path, info: Mapping) -> None:
    """Add shards up and write what there is to know: vectors of words, and of the examples."""
    rest = iter(shards)
    first = next(rest)
    sums, devices = first.sums, [first.ran_on]
    features = np.zeros((len(choice.examples), sums.total.shape[1]), np.float32)
    features[first.places] = first.vectors
    for shard in rest:
        sums += shard.sums
        features[shard.places] = shard.vectors
        devices += [shard.ran_on] * (shard.ran_on not in devices)
    sums.reduced(choice.words).save(folder)
    with aside(folder / "features.npy") as path, path.open("wb") as file:
        np.save(file, features)
    with aside(folder / "examples.parquet") as path:
        choice.examples.to_parquet(path)
    write_text(folder / "info.json", json.dumps({**info, "ran_on": devices}) + "\n")


class Features:
    """Gathers the vectors of a probe's examples while sentences are read."""

    def __init__(self, choice: Choice):
        """Of all examples; `vectors` has those that were read, by number of the example."""
        self.vectors: dict[int, NDArray[np.float32]] = {}
        pairs = zip(choice.examples["sentence"], choice.examples["target"], strict=True)
        self._places = {pair: i for i, pair in enumerate(pairs)}
        self._words = choice.words

    def add(self, sentences: Sequence[Sentence], vectors: NDArray[np.float32]) -> None:
        """Take the vectors of the mentions in some sentences, in their order."""
        at = 0
        for sentence in sentences:
            words = np.asarray(sentence.words)
            own = vectors[at : at + len(words)]
            at += len(words)
            for word in np.unique(words):
                place = self._places.get((sentence.number, self._words[word]))
                if place is not None:
                    self.vectors[place] = own[words == word].mean(axis=0)


def chosen(inputs: Mapping[str, Any], settings: Mapping, say: Callable[[str], None]) -> Choice:
    """Return the choice of a job of the rules `choose_sentences` and `represent`."""
    lists = read_word_lists(Path(inputs["word_lists"]))
    return choose(
        Corpus.load(Path(inputs["prepared"]).parent),
        lists["table3_targets"],
        census_words(job_of(inputs, {}, say)),
        {variant: lists["gender"][variant] for variant in settings["word_lists"]},
        Limits(**{key: settings[key] for key in LIMITS}),
        generator(settings["seed"], "represent", settings["model"]),
        for_probe_alone=settings["for_probe_alone"],
        probed_professions=settings["probed_professions"],
    )


def represented(
    inputs: Mapping[str, Any],
    settings: Mapping,
    choice: Choice,
    say: Callable[[str], None],
    *,
    number: int = 0,
    of: int = 1,
) -> Shard:
    """Return a shard of a job of the rules `represent_shard` and `represent`, by number from 0."""
    corpus = Corpus.load(Path(inputs["prepared"]).parent)
    model = load_model(
        model_folder(Path(inputs["model"])),
        KINDS[settings["model"]],
        device=settings["runs"]["device"],
        dtype=settings["runs"]["dtype"],
        seed=settings["seed"] if settings["random"] else None,
    )
    shown = sentences(
        corpus,
        Path(inputs["documents"]) / INDEX,
        choice.shard(number, of),
        as_tokens=settings["as_tokens"],
    )
    return represent(
        model,
        shown,
        choice,
        layer=settings["layer"],
        tokens_per_batch=settings["runs"]["tokens_per_batch"],
        draws=settings["draws"],
        seed=settings["seed"],
        isolated=number == 0,
        log=say,
    )


NEITHER = len(GENDER)  # the label of a sentence with words of no group, or of both
FEWEST = 20  # labelled sentences that a profession must have to be in the probe


@dataclass(frozen=True)
class Limits:
    """How many sentences are represented; 0 is all."""

    shortest: int  # tokens of a sentence
    longest: int
    documents: int  # the first ones
    per_word: int  # sentences of each word for the reduction, in a random sample
    per_target: int  # sentences of each target for the probe, in a random sample
    windows: int = 0  # sentences of these lengths that are looked at, the first ones
    last_window: bool = True  # whether the last of a document counts; the released code loses it


def choose(
    corpus: Corpus,
    targets: Sequence[str],
    professions: Sequence[str],
    gender_lists: Mapping[str, Mapping[str, Sequence[str]]],
    limits: Limits,
    rng: np.random.Generator,
    *,
    for_probe_alone: bool = False,
    probed_professions: bool = True,
) -> Choice:
    """Choose sentences for the reduction and for the probe (section 4.3)."""
    if limits.documents:
        corpus = replace(corpus, documents=corpus.documents[: limits.documents + 1])
    group_words = {w for lists in gender_lists.values() for group in lists.values() for w in group}
    candidates = list(dict.fromkeys([*targets, *sorted(professions), *sorted(group_words)]))
    table = _mentions(corpus, candidates, gender_lists, limits)
    # Professions with at least 20 sentences that have a label by the first of the lists.
    first = next(name for name in table.columns if name.startswith("label@"))
    labelled = table.loc[table[first] != NEITHER, "word"].value_counts()
    further = sorted(set(professions) - set(targets))
    measured = [*targets, *(word for word in further if labelled.get(word, 0) >= FEWEST)]
    words = [*measured, *sorted(group_words - set(measured))]
    table = table[table["word"].isin(words)]
    # Where each row is among those of its word in a random order, from 0. Nothing is left out
    # before: the examples must be the same.
    order = rng.permutation(len(table))
    place = table.iloc[order].groupby("word").cumcount().reindex(table.index)
    probed = measured if probed_professions else list(targets)
    in_probe = table["word"].isin(probed) & (place < limits.per_target)
    in_reduction = (place < (limits.per_word or np.inf)) & (not for_probe_alone)
    mentions = table[in_probe | in_reduction]
    examples = table[in_probe].rename(columns={"word": "target"})
    if for_probe_alone:
        words = probed
    # A probe learns from the first documents of a target, and a corpus may be sorted.
    documents = np.unique(examples["document"])
    place = pd.Series(rng.permutation(len(documents)), documents)
    order = [examples["sentence"], examples["document"].map(place), examples["target"]]
    examples = examples.iloc[np.lexsort(order)].reset_index(drop=True)
    return Choice(tuple(words), mentions[["sentence", "document", "word"]], examples)


def _mentions(
    corpus: Corpus,
    words: Sequence[str],
    gender_lists: Mapping[str, Mapping[str, Sequence[str]]],
    limits: Limits,
) -> pd.DataFrame:
    """Return each word of each sentence: `sentence`, `document`, `word`, labels by variant."""
    lengths = {"shortest": limits.shortest, "longest": limits.longest, "max_window": 1}
    labels = {}
    for variant, lists in gender_lists.items():
        groups = {group: lists[group] for group in GENDER}
        matches = match(corpus, {word: [word] for word in words}, groups, **lengths)
        label = exclusive(matches.masks, len(GENDER))
        labels[f"label@{variant}"] = np.where(label < 0, NEITHER, label)
    contexts = contexts_of(matches, 1, keep_last=limits.last_window, limit=limits.windows or None)
    table = pd.DataFrame({"sentence": matches.sentences.numbers[contexts.firsts]})
    table["document"] = contexts.documents
    table["word"] = np.array(words, object)[contexts.targets]
    return table.assign(**{name: label[contexts.firsts] for name, label in labels.items()})
