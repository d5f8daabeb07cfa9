"""What `dose` measures anew: gender bias of professions by layer, by epochs and by size of text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from socialbias.corpora.prepared import Corpus
from socialbias.datasets.census import GENDER
from socialbias.embeddings.options import TRAINING, Options
from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.similarity import Array, cosine_matrix
from socialbias.papers.evidence import Evidence
from socialbias.papers.trustworthy.inputs import census_words, first_gender_list
from socialbias.pipeline.job import Job
from socialbias.stats.seeding import generator
from socialbias.stats.trend import FEWEST as PARTS  # trainings on texts of their own

LAYERS, EPOCHS, TEXTS = "layers", "epochs", "corpus-size"  # doses
MOST_LEVELS = 7  # layers that are looked at, evenly from the input to the last
TEMPLATES = 3  # sentences that a word stands in
SHARES = (0.125, 0.25, 0.5, 1.0)  # of a training's text
Groups = Mapping[str, Sequence[str]]


def leanings(vectors: WordVectors, professions: Sequence[str], groups: Groups) -> Array:
    """How much nearer professions are to women's words than to men's, (n,).

    The difference of the cosines with the mean vectors of both lists (Garg and others 2018),
    signed: above 0 leans female. All words must have a vector.
    """
    female, male = (vectors.rows(groups[group]).mean(axis=0) for group in GENDER)
    cosines = cosine_matrix(vectors.rows(professions), np.stack([female, male]))
    return cosines[:, 0] - cosines[:, 1]


def chosen_layers(last: int) -> list[int]:
    """At most seven layers from 0 to the last, as evenly as whole numbers are."""
    return sorted({round(x) for x in np.linspace(0, last, min(MOST_LEVELS, last + 1)).tolist()})


def measure_layers(job: Job) -> pd.DataFrame:
    """Biases in the layers of the encoder, of words that stand in the same neutral sentences."""
    from socialbias.contextual.extract import extract
    from socialbias.contextual.models import load_model, model_folder

    _, groups = first_gender_list(job)
    professions = census_words(job)
    words = [*professions, *(word for group in groups.values() for word in group)]
    templates = job.word_lists("validation")["neutral_templates"][:TEMPLATES]
    device = job.settings["contextual.device"]
    model = load_model(model_folder(job.path("bert")), "encoder", device=device)
    shown = [placed(template, word) for word in words for template in templates]
    texts, spans = [text for text, _ in shown], [[span] for _, span in shown]
    result = Evidence()
    for layer in chosen_layers(model.layers):
        vectors = extract(model, texts, spans, layer=layer).vectors
        means = vectors.reshape(len(words), len(templates), -1).mean(axis=1)
        bias = leanings(WordVectors(tuple(words), means), professions, groups)
        numbers = {"unit": professions, "bias": bias}
        result.add(f"layer {layer}", LAYERS, numbers, level=float(layer), part=0)
    return result.table()


def placed(template: str, word: str) -> tuple[str, tuple[int, int]]:
    """A template with a word, and the word's first and last place in it."""
    start = template.index("{word}")
    return template.replace("{word}", word), (start, start + len(word))


@dataclass(frozen=True)
class Snapshot:
    """Vectors of one training at one level of a dose, of the words that are needed."""

    level: float
    label: str
    part: int
    vectors: WordVectors


def measure_epochs(job: Job) -> pd.DataFrame:
    """Biases after 1, 2, 4, ... epochs of four trainings, each on a text of its own."""
    from socialbias.embeddings.train import train

    def trained(corpus: Corpus, part: int, documents: np.ndarray, words: list[str]) -> list:
        kept: list[Snapshot] = []

        def keep(epoch: int, vectors: WordVectors) -> None:
            if epoch & (epoch - 1) == 0:
                label = f"{epoch} epoch{'s' * (epoch > 1)}"
                kept.append(Snapshot(float(epoch), label, part, vectors.only(words)))

        seed = _seed(job, part, 1.0)
        train(corpus, documents, _options(job), seed, log=job.say, after=keep)
        return kept

    return _measure(job, EPOCHS, trained)


def measure_texts(job: Job) -> pd.DataFrame:
    """Biases in vectors of an eighth of a text up to all of it, for four texts."""
    from socialbias.embeddings.train import train

    def trained(corpus: Corpus, part: int, documents: np.ndarray, words: list[str]) -> list:
        lengths = np.cumsum(np.diff(corpus.documents)[documents])
        kept = []
        for share in SHARES:
            few = documents[: int(np.searchsorted(lengths, share * lengths[-1])) + 1]
            model = train(corpus, few, _options(job), _seed(job, part, share), log=job.say)
            label = f"1/{1 / share:.0f} of the text" if share < 1 else "all of the text"
            kept.append(Snapshot(share, label, part, model.vectors.only(words)))
        return kept

    return _measure(job, TEXTS, trained)


def _seed(job: Job, part: int, share: float) -> int:
    return int(generator(job.seed, "dose", part, share).integers(2**31))


def _options(job: Job) -> Options:
    """The training options among a job's settings."""
    named = {key.rpartition(".")[2]: number for key, number in job.settings.items()}
    return Options(**{key: named[key] for key in TRAINING})


def _measure(job: Job, dose: str, trained: Callable[..., list[Snapshot]]) -> pd.DataFrame:
    """The biases of professions in what `trained` makes of each of the four texts."""
    [name] = job.below("prepared/")
    corpus = Corpus.load(job.path(f"prepared/{name}").parent)
    _, groups = first_gender_list(job)
    professions = {*job.word_lists("trustworthy")["professions"], *census_words(job)}
    words = sorted(professions.union(*(groups[group] for group in GENDER)))
    tokens, rng = job.settings["trustworthy.dose.tokens"], generator(job.seed, "dose")
    snapshots: list[Snapshot] = []
    for part, documents in enumerate(corpus.parts(PARTS, tokens, rng)):
        snapshots += trained(corpus, part, documents, words)
    return biases(dose, snapshots, sorted(professions), groups)


def biases(
    dose: str, snapshots: Sequence[Snapshot], professions: Sequence[str], groups: Groups
) -> pd.DataFrame:
    """Evidence of professions by the words that all vectors have, with levels as rows."""
    shared = set.intersection(*(set(snapshot.vectors.words) for snapshot in snapshots))
    words = {group: [word for word in groups[group] if word in shared] for group in GENDER}
    listed = [word for word in professions if word in shared]
    result = Evidence()
    for snapshot in snapshots if all(words.values()) and listed else ():
        numbers = {"unit": listed, "bias": leanings(snapshot.vectors, listed, words)}
        result.add(snapshot.label, dose, numbers, level=snapshot.level, part=snapshot.part)
    return result.table()
