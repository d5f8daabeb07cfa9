"""Words in their sentences, represented by a model: in shards of the text that add up."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from socialbias.contextual.chosen import Choice, sentences
from socialbias.contextual.extract import Report
from socialbias.contextual.models import Model, load_model, model_folder, ran_on
from socialbias.contextual.reduction import Sentence, Sums, sum_words
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.shards import INDEX
from socialbias.files.atomic_write import aside, write_text
from socialbias.papers.trustworthy.inputs import census_words
from socialbias.papers.trustworthy.representations import Limits, choose
from socialbias.pipeline.job import job_of
from socialbias.stats.seeding import generator
from socialbias.words.of_papers import read_word_lists

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
