"""Scores of the candidates of StereoSet, and of the pairs of CrowS-Pairs, by one language model."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from socialbias.contextual.models import load_model, model_folder, scoring_kind, unpacked
from socialbias.contextual.scoring import Intersentence, Intrasentence, Item, score
from socialbias.contextual.token_scores import TokenScorer
from socialbias.datasets.stereoset import TASKS
from socialbias.measures.stereoset import CANDIDATES
from socialbias.papers.stereoset.crows_pairs import CROWS, pairs_of
from socialbias.papers.stereoset.items import (
    CORRECTED,
    ITEM,
    LIKELIHOOD,
    PSEUDO,
    sampled,
    wide,
)
from socialbias.pipeline.job import Job

INTRA, INTER = TASKS
PART = 500  # items scored before they are kept for a job that is started anew
# By kind of model and task: the schemes, and how candidates are scored in each.
SCHEMES = {
    ("masked", INTRA): {
        LIKELIHOOD: "likelihood_released",
        CORRECTED: "likelihood",
        PSEUDO: "pseudo_likelihood",
    },
    ("masked", INTER): {PSEUDO: "pseudo_likelihood"},
    ("masked", CROWS): {PSEUDO: "pseudo_likelihood_shared"},
    ("causal", INTRA): {LIKELIHOOD: "sentence_released", PSEUDO: "sentence_released"},
    ("causal", INTER): {PSEUDO: "ratio"},
    ("causal", CROWS): {PSEUDO: "sentence_sum"},
}
OWN = "subject/"  # before the name of a user's own model, as an input
ROLES = {"gpt2_small": "gpt2"}  # by role, the row, where it is not the role's name


def measure(job: Job) -> pd.DataFrame:
    """Scores by the one model among a job's inputs.

    Returns:
        As `items.scored` gives them, with `again`: how many of an item's candidates were so close
        that they were scored again alone.
    """
    [role] = [name for name in job.files if name.startswith(OWN) or name in MODELS]
    row = row_of(role)
    folder = unpacked(model_folder(job.path(role)), job.say)
    kind = scoring_kind(folder)
    model = load_model(folder, kind, device=job.settings["contextual.device"])
    scorer = TokenScorer(
        model, tokens_per_batch=job.settings["contextual.tokens_per_batch"], log=job.say
    )
    parts = []
    for task, items in _items(job):
        schemes = dict(SCHEMES[kind, task])
        if role.startswith(OWN) and (kind, task) == ("causal", INTER):
            # It has no next-sentence classifier: the ratio stands in both tables.
            schemes[LIKELIHOOD] = schemes[PSEUDO]
        for first in range(0, len(items), PART):
            some = items.iloc[first : first + PART]
            name = f"{some['split'].iloc[0]}-{task}-{first}"
            parts.append(job.part(name, lambda some=some, s=schemes: _scored(scorer, some, s)))
    table = pd.concat(parts, ignore_index=True).assign(row=row)
    again = table.drop_duplicates(["split", "item"])["again"]
    job.say(
        f"{row}: {again.sum():,} candidates scored again, alone, in {(again > 0).sum():,} items"
    )
    return table


MODELS = (
    "bert_base", "bert_large", "roberta_base", "roberta_large", "xlnet_base", "xlnet_large",
    "gpt2_small", "gpt2_medium", "gpt2_large",
)  # fmt: skip


def row_of(role: str) -> str:
    """The row of a model, by its role."""
    return ROLES.get(role, role.removeprefix(OWN) if OWN in role else role.replace("_", "-"))


def _items(job: Job) -> Iterator[tuple[str, pd.DataFrame]]:
    """The items that a model scores, by split and task, an item a row with its texts."""
    table = job.table("evidence/stereoset/items")
    texts = wide(table, "sentence")
    attributes = wide(table, "attribute")[list(CANDIDATES)].add_suffix(" attribute")
    texts = texts.join(attributes)
    for split in job.settings["stereoset.splits"]:
        for task, key in ((INTRA, "intra_items"), (INTER, "inter_items")):
            items = texts[(texts["split"] == split) & (texts["task"] == task)]
            if len(items):
                number = job.settings[f"stereoset.{key}"]
                yield task, sampled(items, number, job.seed)
    if "crows_pairs" in job:
        yield CROWS, sampled(pairs_of(job), job.settings["stereoset.pairs"], job.seed)


def _scored(scorer: TokenScorer, items: pd.DataFrame, schemes: dict[str, str]) -> pd.DataFrame:
    """Scores of some items of one task."""
    found = score(scorer, _as_items(items), list(dict.fromkeys(schemes.values())))
    by_name = {scores.scoring: scores for scores in found}
    parts = []
    for scheme, name in schemes.items():
        values = by_name[name].values
        table = items[ITEM].assign(scheme=scheme, again=by_name[name].again.sum(axis=1))
        for k, candidate in enumerate(CANDIDATES):
            table[candidate] = values[:, k] if k < values.shape[1] else np.nan
        parts.append(table)
    return pd.concat(parts, ignore_index=True)


def _as_items(table: pd.DataFrame) -> list[Item]:
    """Items as the scorer takes them."""
    rows = table.to_dict("records")
    if table["task"].iloc[0] == CROWS:
        return [Intrasentence("", (), (row["stereotype"], row["anti-stereotype"])) for row in rows]
    items: list[Item] = []
    for row in rows:
        sentences = tuple(row[name] for name in CANDIDATES)
        if row["task"] == INTRA:
            attributes = tuple(row[f"{name} attribute"] for name in CANDIDATES)
            items.append(Intrasentence(row["context"], attributes, sentences))
        else:
            items.append(Intersentence(row["context"], sentences))
    return items
