"""The recogniser of named entities: an encoder fine-tuned on CoNLL-2003.

Czarnowska, Vyas and Shah 2021 (section 5, Models): RoBERTa with a conditional random field that
predicts BILOU tags. Its predictions are counted as `entities` counts those of the pretrained
tagger.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from socialbias.errors import UserError
from socialbias.measures.datasets.conll2003 import read_sentences
from socialbias.measures.spans import spans
from socialbias.papers.fairness.entities import (
    CLASSES,
    development,
    development_part,
    of_documents,
    tabulated,
    tagged_templates,
)
from socialbias.pipeline.job import Job
from socialbias.sources.manifest import read_manifest

if TYPE_CHECKING:
    from socialbias.models.tagging import Tagger

TRAIN = "train.txt"
# As in the released configuration of the paper's RoBERTa, where what the head sees is dropped out
# twice, and gradients are not clipped.
RECIPE = {"epochs": 10, "batch": 32, "learning_rate": 1e-5, "warmup": 100, "decay": True}
RECIPE |= {"weight_decay": 0.01, "dropout": 0.5, "length": 512, "patience": 3}
RECIPE |= {"threads": 8}  # as many as its rule has cores, and the same where it has fewer


def train(
    inputs: Mapping[str, Path],
    out: Path,
    *,
    seed: int,
    device: str,
    training: Mapping[str, Any],
    say: Callable[[str], None],
) -> dict:
    """Fine-tune the encoder on the training part; early stopping looks at the development part."""
    # PyTorch is for these functions alone: to read what they count, nobody need load it.
    from socialbias.models.loading import model_folder
    from socialbias.models.tagging import Tagged, fine_tune_tagger
    from socialbias.models.training import Options

    folder, source = read_manifest(inputs["conll2003"])
    if not (folder / TRAIN).is_file():
        raise UserError(f"{source['source']}: no {TRAIN}, the training part")
    parts = (
        list(read_sentences(path))
        for path in (folder / TRAIN, development(folder, source["source"]))
    )
    learnt, held_out = (
        Tagged([x.tokens for x in part], [x.entities for x in part]) for part in parts
    )
    report = fine_tune_tagger(
        model_folder(inputs["fairness_encoder"]), learnt, held_out, out,
        Options(**RECIPE, **training), seed, device=device, log=say,
    )  # fmt: skip
    say(f"F1 after each epoch: {', '.join(f'{f1:.3f}' for f1 in report['development'])}")
    return report


def measure(job: Job) -> pd.DataFrame:
    """Return the entities of the templates that have tags, as `entities.tabulated` has them."""
    table, sentences, places = tagged_templates(job)
    trained = _trained(job)
    tags, probable = trained.predict(sentences)
    means = np.zeros((len(sentences), len(CLASSES)))  # a class that was not learnt stays 0
    for i, at in enumerate(places):
        by_kind = dict(zip(trained.kinds, probable[i][at].mean(axis=0), strict=True))
        means[i] = [by_kind.get(kind, 0.0) for kind in CLASSES]
    return tabulated(table, [*map(spans, tags)], means)


def measure_development(job: Job) -> pd.DataFrame:
    """Return the entities of CoNLL-2003's development part, as `entities.of_documents` has them."""
    sentences = development_part(job)
    tags, _ = _trained(job).predict([sentence.tokens for sentence in sentences])
    return of_documents(sentences, [*map(spans, tags)])


def _trained(job: Job) -> Tagger:
    """Return the recogniser among the inputs."""
    from socialbias.models.tagging import load_tagger

    return load_tagger(job.path("recogniser/crf"), job.settings["contextual.device"])
