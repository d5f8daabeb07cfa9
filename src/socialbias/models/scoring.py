"""Scores of sentences, or of words in a sentence, by a language model.

Items and the ways to score them are in `socialbias.models.scoring_methods`.

Scores in float32 depend a little on what else is in a batch. Candidates of an item whose scores are
closer than 1e-3 nats (5e-3 for sums over tokens) are therefore scored again, alone and in float64,
so that which one is higher depends neither on the batch nor on the order of items.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from socialbias.errors import UserError
from socialbias.models.causal_scoring import texts_of
from socialbias.models.items import Intrasentence, Item
from socialbias.models.pieces import Row
from socialbias.models.scoring_methods import (
    SCORINGS,
    Scoring,
    Values,
)

if TYPE_CHECKING:
    from socialbias.models.loading import Model
    from socialbias.models.token_scores import TokenScorer

# By item and candidate.
_Asked = dict[tuple[int, int], list[Row]]
_Values = dict[tuple[int, int], Values]


@dataclass(frozen=True)
class Scores:
    """Scores of the candidates of n items."""

    values: NDArray[np.float64]  # (n, k); higher is preferred
    # (n, k) whether the candidate was so close to another one of its item that it was scored again.
    # Which ones these are may depend on the batch; which one is higher does not.
    again: NDArray[np.bool_]


def score(scorer: TokenScorer, items: Sequence[Item], scorings: Sequence[str]) -> dict[str, Scores]:
    """Score the candidates of items; a slice of them gets the scores that it has in the whole.

    Scorings that need the same log-probabilities share them.
    """
    for name in scorings:
        _check(scorer.model, items, name)
    model, shape = scorer.model, (len(items), len(items[0].sentences) if items else 0)
    if model.kind == "causal":
        scorer.prepare([text for item in items for text in texts_of(item)])
    answers: dict[Callable, tuple[_Asked, _Values]] = {}
    results = {}
    for name in scorings:
        scoring = SCORINGS[name]
        if scoring.rows not in answers:
            answers[scoring.rows] = _answers(scorer, items, scoring)
        asked, values = answers[scoring.rows]
        logs = np.array([scoring.reduce(each) for each in values.values()], float).reshape(shape)
        again = _close(logs, scoring.close)
        for place in map(tuple, np.argwhere(again).tolist()):
            logs[place] = scoring.reduce(scorer.exact(asked[place]))
        results[name] = Scores(np.exp(logs) if scoring.probability else logs, again)
    return results


def tells_apart(scorer: TokenScorer, items: Sequence[Item]) -> NDArray[np.bool_]:
    """(n,) whether the candidates of an item are different texts to a tokenizer, all known to it.

    Otherwise which score is higher says nothing about the words.
    """
    tokenizer = scorer.model.tokenizer
    scorer.prepare([text for item in items for text in item.sentences])
    unknown, told = getattr(tokenizer, "unk_token_id", None), []

    def encoded(texts: Sequence[str]) -> list[tuple[int, ...]]:
        return [tuple(tokenizer(text, add_special_tokens=False)["input_ids"]) for text in texts]

    for item in items:
        ids = encoded(item.sentences)
        known = len({each.count(unknown) for each in ids}) == 1
        if isinstance(item, Intrasentence) and hasattr(tokenizer, "backend_tokenizer"):
            known &= all(encoded(item.attributes))  # some leave out what they do not know
        told.append(known and len({*ids}) == len({*item.sentences}))
    return np.array(told, bool)


def _check(model: Model, items: Sequence[Item], name: str) -> None:
    scoring = SCORINGS[name]
    if scoring.kind != model.kind:
        raise UserError(
            f"{model.name}: scoring {name} needs a {scoring.kind} model, but this one is loaded as "
            f"{model.kind}: choose another scoring or model"
        )
    if scoring.kind == "masked" and model.tokenizer.mask_token_id is None:
        raise UserError(
            f"{model.name}: its tokenizer has no mask token, which scoring {name} needs: choose "
            "another scoring, or name the token in tokenizer_config.json (mask_token)"
        )
    if not model.tokenizer.is_fast:
        raise UserError(
            f"{model.name}: its tokenizer does not map pieces to characters: put a tokenizer.json "
            "into the folder"
        )
    if not all(isinstance(item, scoring.items) for item in items):
        kinds = " or ".join(kind.__name__ for kind in scoring.items)
        raise UserError(f"scoring {name}: scores items of {kinds} only")
    if len({len(item.sentences) for item in items}) > 1:
        raise UserError(f"scoring {name}: items differ in their number of candidates")


def _answers(
    scorer: TokenScorer, items: Sequence[Item], scoring: Scoring
) -> tuple[_Asked, _Values]:
    """Return what is asked for each item and candidate, and the log-probabilities."""
    asked = {
        (i, k): scoring.rows(scorer.model, item, k)
        for i, item in enumerate(items)
        for k in range(len(item.sentences))
    }
    # Every item asks what begins a text; otherwise an item's rows begin alike.
    groups: list[Hashable] = [
        row.ids if len(row.ids) == 1 else (i, place)
        for (i, _), rows in asked.items()
        for place, row in enumerate(rows)
    ]
    values = iter(scorer([row for rows in asked.values() for row in rows], groups))
    return asked, {key: list(islice(values, len(rows))) for key, rows in asked.items()}


def _close(logs: NDArray[np.float64], bound: float) -> NDArray[np.bool_]:
    """(n, k) whether another candidate of the item is closer than a number of nats."""
    apart = np.abs(logs[:, :, None] - logs[:, None, :])
    itself = np.arange(logs.shape[1])
    apart[:, itself, itself] = np.inf
    return (apart < bound).any(axis=2)
