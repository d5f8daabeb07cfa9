"""Sentiment classifiers of two and three classes, and their predictions for the filled templates.

Czarnowska, Vyas and Shah 2021 fine-tune RoBERTa (section 5, Models; footnote 7). So does a run with
`fine_tune`; otherwise the encoder stays as it is, and its vectors are the features of a logistic
regression.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.errors import UserError
from socialbias.models.heads import accuracy, fit_logistic
from socialbias.papers.fairness.suites import KEPT, NEUTRAL, SUITES
from socialbias.pipeline.job import Job

ENCODER = "fairness_encoder"
FEATURES = "evidence/fairness/features"
TRAIN, HELD_OUT, SUITE = "train", "held out", "suite"  # parts of `features.measure`
Task = Literal["binary", "three"]
CLASSES: Mapping[Task, tuple[str, ...]] = {
    "binary": ("negative", "positive"),
    "three": ("negative", "neutral", "positive"),
}
# As in the released configuration of the paper's RoBERTa; of all steps 6 % are to warm up.
RECIPE = {"epochs": 10, "batch": 16, "learning_rate": 1e-5, "decay": True, "weight_decay": 0.1}
RECIPE |= {"patience": 5, "threads": 8}  # as many as a step that trains declares cores
WARMUP = 0.06


def measure_binary(job: Job) -> pd.DataFrame:
    """Predictions of a classifier of negative and positive texts for the labelled templates.

    It learns from tweets that are not neutral, or from film reviews. Columns: see `predicted`.
    """
    return predicted(job, "binary")


def measure_three(job: Job) -> pd.DataFrame:
    """Predictions of a classifier of negative, neutral and positive tweets for all templates."""
    return predicted(job, "three")


def predicted(job: Job, task: Task) -> pd.DataFrame:
    """Return the probabilities of a classifier for each row of the suites."""
    table, suites = job.table(FEATURES), job.table(SUITES)
    parts = {part: table[table["part"] == part] for part in (TRAIN, HELD_OUT, SUITE)}
    parts |= {part: labelled(parts[part], task) for part in (TRAIN, HELD_OUT)}
    if task == "three" and not (parts[TRAIN]["score"] == 0).any():
        raise UserError(
            "inputs.semeval_binary: it has no neutral text: use the source of "
            "inputs.semeval_valence"
        )
    fine_tuned = job.settings["fairness.fine_tune"]
    if fine_tuned:
        held_out, probabilities = _fine_tuned(job, parts, len(CLASSES[task]))
    else:
        features = {part: np.vstack(table["vector"]) for part, table in parts.items()}
        head = fit_logistic(features[TRAIN], parts[TRAIN]["label"], len(CLASSES[task]))
        held_out, probabilities = (head.predict_proba(features[x]) for x in (HELD_OUT, SUITE))
    score = accuracy(held_out, parts[HELD_OUT]["label"], job.level)
    if task == "binary":
        suites = suites[suites["label"] != NEUTRAL]
    rows = pd.Index(parts[SUITE]["text"]).get_indexer(suites["text"])
    columns = pd.DataFrame(probabilities[rows], columns=CLASSES[task])
    columns = columns.reindex(columns=CLASSES["three"])
    job.say(f"{task}: {score.share:.3f} of {score.n:,} are right, {score.majority:.3f} by majority")
    return pd.concat([suites[KEPT].reset_index(drop=True), columns], axis=1).assign(
        accuracy=score.share,
        accuracy_low=score.low,
        accuracy_high=score.high,
        held_out=score.n,
        majority=score.majority,
        trained=len(parts[TRAIN]),
        fine_tuned=fine_tuned,
    )


def labelled(examples: pd.DataFrame, task: Task) -> pd.DataFrame:
    """Return a task's examples with classes as `label`, from 0 in the order of `CLASSES`."""
    signs = np.sign(examples["score"])
    if task == "binary":
        return examples[signs != 0].assign(label=(signs[signs != 0] + 1) // 2)
    return examples.assign(label=signs + 1)


def _fine_tuned(
    job: Job, parts: Mapping[str, pd.DataFrame], classes: int
) -> tuple[NDArray[np.float64], ...]:
    """Return the probabilities of the examples held out and of the suites' texts.

    The whole encoder is trained; early stopping looks at the development part.
    """
    # PyTorch is for this one function: a run without fine-tuning need not load it.
    from socialbias.models.fine_tuning import Examples, Options, fine_tune, load_classifier
    from socialbias.models.loading import model_folder

    train, held_out = (
        Examples(parts[part]["text"].tolist(), parts[part]["label"].tolist())
        for part in (TRAIN, HELD_OUT)
    )
    steps = -(-len(train.texts) // RECIPE["batch"]) * RECIPE["epochs"]
    out, device = job.parts / "classifier", job.settings["contextual.device"]
    job.parts.mkdir(parents=True, exist_ok=True)
    fine_tune(
        model_folder(job.path(ENCODER)), train, held_out, out,
        Options(**RECIPE, warmup=round(WARMUP * steps), **job.settings["contextual.training"]),
        job.seed, classes=classes, development=held_out, device=device, log=job.say,
    )  # fmt: skip
    classify = load_classifier(out, device).log_probabilities
    texts = (parts[part]["text"].tolist() for part in (HELD_OUT, SUITE))
    return tuple(np.exp(classify(part)) for part in texts)
