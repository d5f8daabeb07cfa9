"""Dose and response: whether the gender bias of professions grows with an encoder's layers.

All layers have the same professions, so that what these differ by cancels out (`stats.trend`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.options import TRAINING, Options
from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.datasets.census import GENDER
from socialbias.papers.evidence import Evidence, estimated
from socialbias.papers.trustworthy.inputs import census_words, first_gender_list, read_employment
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array, cosine_matrix
from socialbias.stats.trend import MIN_UNITS, trend

EVIDENCE = "evidence/validation/dose_layers"


def summarise(job: Job) -> Iterator[dict]:
    """Yield each layer, slope and order of differences of cosines of professions.

    Of their size and, standardised in each layer, of their product with employment, whose mean is
    the correlation of both.
    """
    if EVIDENCE not in job:
        return
    table = job.table(EVIDENCE)
    bias = table.pivot(index="unit", columns="level", values="bias").dropna()
    sizes = bias.abs().to_numpy()
    rows = [("layers size", sizes, list(bias.index), "absolute difference of cosines")]
    census = read_employment(job, job.settings["trustworthy.census_year"]).get("gender")
    if census is not None:
        women = census["female"].reindex(bias.index).dropna()
        known = bias.loc[women.index].to_numpy()
        aligned = _standardised(known) * _standardised(women.to_numpy())[:, None]
        rows.append(("layers employment", aligned, list(women.index), "Pearson's r"))
    layers = table.drop_duplicates("level").sort_values("level")
    # An encoder of twelve layers and one of six are alike by the share of their depth.
    doses = layers["level"].to_numpy() / layers["level"].max()
    for row, numbers, professions, unit in rows:
        result = trend(numbers, doses, professions, job.seed, job.level)
        if result is None:
            note = f"too few: {len(professions)} professions at all levels, fewer than {MIN_UNITS}"
            yield value(row, "slope", np.nan, note=note)
            continue
        counts = {"n": result.units, "n_unit": "professions"}
        for i, (mean, label) in enumerate(zip(result.levels, layers["row"], strict=True), 1):
            fields = estimated(mean) | counts | {"unit": unit, "note": label}
            del fields["p_value"]
            yield value(row, f"level {i}", mean.value, **fields)
        for column, mean, each in (
            ("slope", result.slope, "slope over all layers"),
            ("order", result.order, "Spearman's rho"),
        ):
            yield value(row, column, mean.value, unit=each, **estimated(mean), **counts)


def _standardised(numbers: Array) -> Array:
    """Numbers (n, ...) less their means over the first axis, over their standard deviations."""
    spread = numbers.std(axis=0)
    return (numbers - numbers.mean(axis=0)) / np.where(spread > 0, spread, 1)


PARTS = 4  # trainings on texts of their own
MOST_LEVELS = 7  # layers that are looked at, evenly from the input to the last
TEMPLATES = 3  # sentences that a word stands in
Groups = Mapping[str, Sequence[str]]


def leanings(vectors: WordVectors, professions: Sequence[str], groups: Groups) -> Array:
    """Return how much nearer professions are to women's words than to men's, (n,).

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
    from socialbias.models.extract import extract
    from socialbias.models.loading import load_model, model_folder

    _, groups = first_gender_list(job)
    professions = census_words(job)
    words = [*professions, *(word for group in groups.values() for word in group)]
    templates = job.word_lists("validation")["neutral_templates"][:TEMPLATES]
    device = job.settings["contextual.device"]
    model = load_model(model_folder(job.path("bert")), "encoder", device=device)
    texts, spans = [], []
    for word, template in product(words, templates):
        start = template.index("{word}")
        texts.append(template.replace("{word}", word))
        spans.append([(start, start + len(word))])
    result = Evidence()
    for layer in chosen_layers(model.layers):
        vectors = extract(model, texts, spans, layer=layer).vectors
        means = vectors.reshape(len(words), len(templates), -1).mean(axis=1)
        bias = leanings(WordVectors(tuple(words), means), professions, groups)
        numbers = {"unit": professions, "bias": bias}
        result.add(f"layer {layer}", "layers", numbers, level=float(layer), part=0)
    return result.table()


def measure_epochs(job: Job) -> pd.DataFrame:
    """Biases after 1, 2, 4, ... epochs of four trainings, each on a text of its own."""
    from socialbias.embeddings.train import train

    [name] = job.below("prepared/")
    corpus = Corpus.load(job.path(f"prepared/{name}").parent)
    _, groups = first_gender_list(job)
    professions = {*job.word_lists("trustworthy")["professions"], *census_words(job)}
    words = sorted(professions.union(*(groups[group] for group in GENDER)))
    named = {key.rpartition(".")[2]: number for key, number in job.settings.items()}
    options = Options(**{key: named[key] for key in TRAINING})
    tokens, rng = job.settings["trustworthy.dose.tokens"], generator(job.seed, "dose")
    kept: list[tuple[int, int, WordVectors]] = []  # epochs, the training, and what it knows then
    for part, documents in enumerate(corpus.parts(PARTS, tokens, rng)):

        def keep(epoch: int, vectors: WordVectors, part: int = part) -> None:
            if epoch & (epoch - 1) == 0:
                kept.append((epoch, part, vectors.only(words)))

        seed = int(generator(job.seed, "dose", part, 1.0).integers(2**31))
        train(corpus, documents, options, seed, log=job.say, after=keep)
    # By the words that all vectors have.
    shared = set.intersection(*(set(vectors.words) for _, _, vectors in kept))
    groups = {group: [word for word in groups[group] if word in shared] for group in GENDER}
    listed, result = sorted(professions & shared), Evidence()
    for epochs, part, vectors in kept if all(groups.values()) and listed else ():
        numbers = {"unit": listed, "bias": leanings(vectors, listed, groups)}
        label = f"{epochs} epoch{'s' * (epochs > 1)}"
        result.add(label, "epochs", numbers, level=float(epochs), part=part)
    return result.table()
