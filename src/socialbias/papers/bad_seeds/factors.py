"""Factors of section 8 that Figure 5 holds fixed: frequency, part of speech and size of sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.bad_seeds.generated import NEIGHBOURS, Band, generated_pairs
from socialbias.papers.bad_seeds.inputs import Corpus, by_model, mean_over_models, read_corpora
from socialbias.papers.bad_seeds.pairs import SCALES, measured
from socialbias.pipeline.job import Job
from socialbias.stats.seeding import generator

PAIRS = 40  # generated pairs a model and setting
FEWEST_PAIRS = 10  # that a median must rest on
BANDS = ((10, 30), (30, 100), (100, 1000))  # occurrences
SIZES = (2, 3, 1 + NEIGHBOURS, 10, 20)  # words of a set
PARTS_OF_SPEECH = ("noun", "verb", "adjective")
MEASURES = ("coherence", "explained", "similarity")
COLUMNS = ["row", "vectors", "model", *MEASURES, "pairs"]


@dataclass(frozen=True)
class Setting:
    """How sets are generated; print's by default but for the band, which it does not state."""

    band: Band
    pos: str = "noun"
    size: int = 1 + NEIGHBOURS


def settings(band: Band) -> dict[str, Setting]:
    """Return by row; the band is that of Figure 5 where frequency is not what varies."""
    by_row = {f"frequency {low} to {high}": Setting((low, high)) for low, high in BANDS}
    by_row |= {f"pos {pos}": Setting(band, pos=pos) for pos in PARTS_OF_SPEECH}
    return by_row | {f"size {size}": Setting(band, size=size) for size in SIZES}


def evidence(corpus: Corpus, band: Band, seed: int) -> pd.DataFrame:
    """Medians over the pairs that each model generates under each setting."""
    rows = []
    for i, model in enumerate(corpus.models):
        noise = generator(seed, "factors", i).standard_normal(model.matrix.shape)
        for vectors in ("", "random"):
            used = WordVectors(model.words, noise.astype(np.float32)) if vectors else model
            for row, setting in settings(band).items():
                rng = generator(seed, "factors", "pairs", i)  # alike settings, alike pairs
                kind = (setting.pos, setting.band, PAIRS, rng, setting.size - 1)
                pairs = generated_pairs(used, corpus, *kind)
                if len(pairs) >= FEWEST_PAIRS:
                    medians = measured(used, pairs)[[*MEASURES]].median().to_dict()
                    cell = {"row": row, "vectors": vectors, "model": i, "pairs": len(pairs)}
                    rows.append(cell | medians)
    return pd.DataFrame(rows, columns=COLUMNS)


def measure(job: Job) -> pd.DataFrame:
    """Return the evidence, where the corpus is available."""
    corpora = read_corpora(job)
    if "wikitext" not in corpora:
        return pd.DataFrame(columns=COLUMNS)
    band = (job.settings["bad_seeds.rarest"], job.settings["bad_seeds.commonest"])
    return evidence(corpora["wikitext"], band, job.seed)


def summarise(job: Job) -> Iterator[dict]:
    """Yield the cells: means over the models, with intervals over the same."""
    if "evidence/bad_seeds/factors" not in job:
        return
    table, level = job.table("evidence/bad_seeds/factors"), job.level
    for (row, vectors), cells in table.groupby(["row", "vectors"]):
        counts = {"n": int(cells["pairs"].min()), "n_unit": "pairs"}
        for name in MEASURES:
            column, numbers = f"{name}@{vectors}" if vectors else name, by_model(cells, name)
            yield from mean_over_models(row, column, numbers, level, *SCALES[name], **counts)
