"""What sentiment classifiers learn from, with vectors of it and of all filled templates.

One pass of the encoder serves the classifiers of two and of three classes.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from socialbias.measures.datasets.semeval import read_tweets
from socialbias.models.features import text_features
from socialbias.models.loading import load_model, model_folder
from socialbias.papers.fairness.models import ENCODER, HELD_OUT, SUITE, TRAIN
from socialbias.papers.fairness.suites import NEUTRAL, SUITES
from socialbias.papers.stereoset.heads import reviews_of
from socialbias.pipeline.job import Job
from socialbias.sources.manifest import read_manifest

EXAMPLES = "semeval_binary"
FORMAT = "semeval-voc"
FILES = {TRAIN: "V-oc/Valence-oc-En-train.txt", HELD_OUT: "V-oc/Valence-oc-En-dev.txt"}
HELD_OUT_REVIEWS = 500  # where reviews replace tweets, which have an official split
COLUMNS = ["part", "text", "score"]


def examples(manifest: Path, reviews: int, seed: int) -> pd.DataFrame:
    """Labelled texts: of SemEval-2018 the official training and development parts, else reviews."""
    folder, source = read_manifest(manifest)
    if source["format"] == FORMAT:
        tables = {part: read_tweets(folder / name) for part, name in FILES.items()}
        parts = [
            pd.DataFrame({"part": part, "text": table["tweet"], "score": table["intensity"]})
            for part, table in tables.items()
        ]
    else:
        both = reviews_of(folder, source, reviews, HELD_OUT_REVIEWS, seed)
        parts = [
            pd.DataFrame({"part": part, "text": x.texts, "score": [2 * y - 1 for y in x.labels]})
            for part, x in zip((TRAIN, HELD_OUT), both, strict=True)
        ]
    return pd.concat(parts, ignore_index=True).astype({"score": "int64"})


def measure(job: Job) -> pd.DataFrame:
    """Examples and the distinct texts of the suites, with their vectors."""
    table = examples(job.path(EXAMPLES), job.settings["fairness.reviews"], job.seed)
    suites = job.table(SUITES)
    if (table["score"] != 0).all():
        suites = suites[suites["label"] != NEUTRAL]
    texts = pd.DataFrame({"part": SUITE, "text": suites["text"].unique(), "score": 0})
    table = pd.concat([table[COLUMNS], texts], ignore_index=True)
    if job.settings["fairness.fine_tune"]:
        return table
    folder = model_folder(job.path(ENCODER))
    model = load_model(folder, "encoder", device=job.settings["contextual.device"])
    return table.assign(vector=list(text_features(model, table["text"].tolist(), log=job.say)))
