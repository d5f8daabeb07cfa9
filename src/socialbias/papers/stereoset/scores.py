"""Scores of the candidates of StereoSet, and of the pairs of CrowS-Pairs, by one language model."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import groupby, product
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from socialbias.errors import UserError
from socialbias.measures.datasets.stereoset import TASKS
from socialbias.measures.stereoset import CANDIDATES
from socialbias.models.items import Intersentence, Intrasentence, Item, Pair
from socialbias.models.loading import Model, load_model, model_folder, scoring_kind, unpacked
from socialbias.models.scoring import score
from socialbias.models.threads import one_thread
from socialbias.models.token_scores import TokenScorer
from socialbias.papers.stereoset.items import (
    CORRECTED,
    ITEM,
    LIKELIHOOD,
    PSEUDO,
    sampled,
    with_texts,
)
from socialbias.papers.stereoset.model_tables import CROWS
from socialbias.papers.stereoset.model_tables import crows_pairs_of as pairs_of
from socialbias.pipeline.job import Job

INTRA, INTER = TASKS
FOLLOWS = "next-sentence"  # the head of a masked model that says whether a sentence follows
PART = 500  # items scored before they are kept for a job that is started anew
# By kind of model and task: the schemes, and how candidates are scored in each.
SCHEMES = {
    ("masked", INTRA): {
        LIKELIHOOD: "likelihood_released",
        CORRECTED: "likelihood_corrected",
        PSEUDO: "pseudo_likelihood",
    },
    ("masked", INTER): {PSEUDO: "pseudo_likelihood"},
    ("masked", CROWS): {PSEUDO: "pseudo_likelihood"},
    ("causal", INTRA): {LIKELIHOOD: "sentence_released", PSEUDO: "sentence_released"},
    ("causal", INTER): {PSEUDO: "ratio"},
    ("causal", CROWS): {PSEUDO: "sentence_sum"},
    (FOLLOWS, INTER): {LIKELIHOOD: "next_sentence"},
}
MODELS = (
    "bert_base", "bert_large", "roberta_base", "roberta_large", "xlnet_base", "xlnet_large",
    "gpt2_small", "gpt2_medium", "gpt2_large",
)  # fmt: skip
OWN = "subject/"  # before the name of a user's own model, as an input
ROLES = {"gpt2_small": "gpt2"}  # by role, the row, where it is not the role's name


class Part(NamedTuple):
    """Some items of one task, an item a row with its texts, and how they are scored."""

    kind: str
    name: str
    items: pd.DataFrame
    schemes: dict[str, str]


@one_thread()
def measure(job: Job) -> pd.DataFrame:
    """Scores by the one model among a job's inputs."""
    [role] = [name for name in job.files if name.startswith(OWN) or name in MODELS]
    row = row_of(role)
    folder = unpacked(model_folder(job.path(role)), job.say)
    kind = scoring_kind(folder)
    parts = [
        part
        for head in ((kind, FOLLOWS) if kind == "masked" else (kind,))
        for part in _parts(job, head, own=role.startswith(OWN))
    ]
    if not parts:
        raise UserError(
            f"stereoset.splits: no items of {' or '.join(job.settings['stereoset.splits'])} that "
            f"{row} scores: name another split, or provide inputs.stereoset_test"
        )
    tables = []
    for head, own in groupby(job.mine(parts), key=attrgetter("kind")):
        if model := _loaded(job, folder, head):
            tokens = job.settings["contextual.tokens_per_batch"]
            scorer = TokenScorer(model, tokens_per_batch=tokens, log=job.say)
            tables += [job.part(p.name, partial(_scored, scorer, p.items, p.schemes)) for p in own]
    if not tables:  # of many jobs, the last ones where a model has no next-sentence head
        return pd.DataFrame()
    table = pd.concat(tables, ignore_index=True).assign(row=row)
    again = table.drop_duplicates(["split", "item"])["again"]
    job.say(
        f"{row}: {again.sum():,} candidates scored again, alone, in {(again > 0).sum():,} items"
    )
    return table


def _loaded(job: Job, folder: Path, head: str) -> Model | None:
    """Return the model with a head; None where it was not trained on what follows a sentence."""
    try:
        return load_model(folder, head, device=job.settings["contextual.device"])
    except UserError as error:
        if head != FOLLOWS:
            raise
        job.say(f"no likelihood of sentences that follow: {error}")
        return None


def _parts(job: Job, kind: str, own: bool) -> Iterator[Part]:
    """Yield the items that a model scores, some of one split and task at a time.

    The same in any number of jobs.
    """
    texts, items = with_texts(job.table("evidence/stereoset/items")), []
    numbers = {INTRA: "intra_items", INTER: "inter_items"}
    for split, (task, key) in product(job.settings["stereoset.splits"], numbers.items()):
        of_task = texts[(texts["split"] == split) & (texts["task"] == task)]
        items.append((task, sampled(of_task, job.settings[f"stereoset.{key}"], job.seed)))
    if "crows_pairs" in job:
        items.append((CROWS, sampled(pairs_of(job), job.settings["stereoset.pairs"], job.seed)))
    for task, table in items:
        schemes = SCHEMES.get((kind, task), {})
        if own and (kind, task) == ("causal", INTER):
            # A user's model has no next-sentence classifier: the ratio is in both tables.
            schemes = {LIKELIHOOD: schemes[PSEUDO]} | schemes
        for first in range(0, len(table) if schemes else 0, PART):
            some = table.iloc[first : first + PART]
            name = f"{kind}-{some['split'].iloc[0]}-{some['task'].iloc[0]}-{first}"
            yield Part(kind, name, some, schemes)


def row_of(role: str) -> str:
    """Return the row of a model, by its role."""
    return ROLES.get(role, role.removeprefix(OWN) if OWN in role else role.replace("_", "-"))


def _scored(scorer: TokenScorer, items: pd.DataFrame, schemes: dict[str, str]) -> pd.DataFrame:
    """Scores of some items of one task."""
    scores = score(scorer, as_items(items), list(dict.fromkeys(schemes.values())))
    parts = []
    for scheme, name in schemes.items():
        values = scores[name].values
        table = items[ITEM].assign(scheme=scheme, again=scores[name].again.sum(axis=1))
        for k, candidate in enumerate(CANDIDATES):
            table[candidate] = values[:, k] if k < values.shape[1] else np.nan
        parts.append(table)
    return pd.concat(parts, ignore_index=True)


def as_items(table: pd.DataFrame) -> list[Item]:
    """Items as the scorer takes them."""
    rows = table.to_dict("records")
    if table["task"].iloc[0] == CROWS:
        return [Pair((row["stereotype"], row["anti-stereotype"])) for row in rows]
    items: list[Item] = []
    for row in rows:
        sentences = tuple(row[name] for name in CANDIDATES)
        if row["task"] == INTRA:
            attributes = tuple(row[f"{name} attribute"] for name in CANDIDATES)
            items.append(Intrasentence(row["context"], attributes, sentences))
        else:
            items.append(Intersentence(row["context"], sentences))
    return items
