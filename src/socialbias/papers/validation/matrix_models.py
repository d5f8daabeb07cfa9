"""Items of the validity matrix that a model gives: representations, sentiment, pronouns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from socialbias.models.features import text_features
from socialbias.models.heads import fit_logistic, log_probabilities
from socialbias.models.loading import Model, load_model, model_folder, scoring_kind, unpacked
from socialbias.models.token_scores import Row, TokenScorer
from socialbias.papers.stereoset.heads import REVIEWS, reviews_of
from socialbias.papers.validation import units
from socialbias.papers.validation.matrix_items import (
    COLUMNS,
    LOG_ODDS,
    SENTIMENT,
    cosines,
    long,
)
from socialbias.papers.validation.units import GENDER, NATIONALITIES, PROFESSIONS, VALENCE
from socialbias.pipeline.job import Job
from socialbias.sources.manifest import read_manifest

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

TRAINED, HELD_OUT = 1000, 200  # reviews


def measure(job: Job) -> pd.DataFrame:
    """Items of the encoder: its vectors of the words, and sentiment of sentences with them.

    The classifier is a logistic regression on the encoder's vectors of film reviews.
    """
    words, traits = units.terms(job), units.traits(job)
    device = job.settings["contextual.device"]
    model = load_model(model_folder(job.path("bert")), "encoder", device=device)
    parts = [pd.DataFrame(columns=COLUMNS)]
    for trait, poles in traits.items():
        matrices = [text_features(model, list(pole)) for pole in poles]
        for unit, listed in words.items():
            if listed:
                table = cosines(text_features(model, listed), listed, matrices, poles)
                parts.append(table.assign(unit=unit, trait=trait, method="representation"))
    if REVIEWS in job:
        parts += _sentiment(job, model, words)
    return pd.concat(parts, ignore_index=True)[COLUMNS]


def filled(templates: Sequence[str], unit: str, words: Sequence[str]) -> list[str]:
    """Return each template with each word, template by template."""
    after = " person" if unit == NATIONALITIES else ""
    return [template.replace("{word}", word + after) for template in templates for word in words]


def _sentiment(job: Job, model: Model, words: Mapping[str, Sequence[str]]) -> list[pd.DataFrame]:
    """Log-odds of positive sentiment in each template."""
    source = read_manifest(job.path(REVIEWS))
    train, held_out = reviews_of(*source, TRAINED, HELD_OUT, job.seed)
    head = fit_logistic(text_features(model, train.texts), train.labels, 2)
    right = log_probabilities(head, text_features(model, held_out.texts)).argmax(axis=1)
    share = (right == np.asarray(held_out.labels, int)).mean()
    job.say(f"sentiment: {share:.3f} of {len(right):,} reviews are classified correctly")
    templates = job.word_lists("validation")["neutral_templates"]
    parts = []
    for unit, listed in words.items():
        if listed:
            numbers = log_odds(head, model, filled(templates, unit, listed))
            parts.append(by_template(numbers, templates, listed).assign(unit=unit))
    return [part.assign(trait=VALENCE, method=SENTIMENT) for part in parts]


def by_template(
    numbers: np.ndarray, templates: Sequence[str], words: Sequence[str]
) -> pd.DataFrame:
    """Log-odds of the texts of `filled` as items of the words, one for each template."""
    grid = pd.DataFrame(numbers.reshape(len(templates), -1).T, index=list(words))
    return long(grid, 1, LOG_ODDS)


def log_odds(head: Pipeline, model: Model, texts: Sequence[str]) -> np.ndarray:
    """Log-odds that texts are positive, (n,)."""
    logs = log_probabilities(head, text_features(model, texts))
    return logs[:, 1] - logs[:, 0]


def measure_pronouns(job: Job) -> pd.DataFrame:
    """Log-odds of "she" to "he" after the beginning of a sentence, by one causal model.

    Only of professions; nothing for another kind of model.
    """
    [role] = [name for name in job.files if name.startswith("subject/")]
    folder = unpacked(model_folder(job.path(role)), job.say)
    parts = [pd.DataFrame(columns=COLUMNS)]
    if scoring_kind(folder) == "causal":
        model = load_model(folder, "causal", device=job.settings["contextual.device"])
        templates = job.word_lists("validation")["pronoun_templates"]
        listed = units.professions(job)
        texts = filled(templates, PROFESSIONS, listed)
        numbers = pronouns(model, texts, listed * len(templates))
        labels = {"trait": GENDER, "method": role.removeprefix("subject/")}
        table = by_template(numbers, templates, listed)
        parts.append(table.assign(unit=PROFESSIONS, **labels))
    return pd.concat(parts, ignore_index=True)[COLUMNS]


def pronouns(model: Model, texts: Sequence[str], alike: Sequence[str]) -> np.ndarray:
    """Log-odds that a causal model goes on with "she" rather than "he" after each text, (n,).

    Both are one piece in the vocabularies of GPT-2 and similar models. In other vocabularies the
    first piece in which they differ is compared, after those in common, such as a blank.
    """
    encode = partial(model.tokenizer.encode, add_special_tokens=False)
    pieces = list(zip(encode(" she"), encode(" he"), strict=False))
    common = [she for she, he in takewhile(lambda pair: pair[0] == pair[1], pieces)]
    she, he = pieces[len(common)]
    rows = []
    for text in texts:
        ids = (*model.tokenizer(text)["input_ids"], *common)
        rows.append(Row(ids, (len(ids) - 1,) * 2, (she, he)))
    scores = np.array(TokenScorer(model)(rows, alike))
    return scores[:, 0] - scores[:, 1]
