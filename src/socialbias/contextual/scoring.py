"""Scores of sentences, or of words in a sentence, by a language model.

Items and the ways to score them are in `socialbias.contextual.scoring_methods`.

Scores in float32 depend a little on what else is in a batch. Candidates of an item whose scores are
closer than 1e-3 nats (5e-3 for sums over tokens) are therefore scored again, alone and in float64,
so that which one is higher depends neither on the batch nor on the order of items.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from socialbias.contextual.causal_scoring import texts_of
from socialbias.contextual.masked_scoring import default_prompt
from socialbias.contextual.pieces import TOKENS_PER_BATCH, Row
from socialbias.contextual.scoring_methods import (
    SCORINGS,
    Intersentence,
    Intrasentence,
    Item,
    Scoring,
    Values,
    scorings_for,
)
from socialbias.errors import UserError
from socialbias.system.progress import Log

if TYPE_CHECKING:
    from socialbias.contextual.models import Model
    from socialbias.contextual.token_scores import TokenScorer


@dataclass(frozen=True)
class Scores:
    """Scores of the candidates of n items."""

    values: NDArray[np.float64]  # (n, k); higher is preferred
    # (n, k) whether the candidate was so close to another one of its item that it was scored again.
    # Which ones these are may depend on the batch; which one is higher does not.
    again: NDArray[np.bool_]


def score_items(
    folder: Path,
    items: Sequence[Item],
    scorings: Sequence[str] | None = None,
    *,
    device: str = "auto",
    tokens_per_batch: int = TOKENS_PER_BATCH,
    prompt: str | None = None,
    log: Log | None = None,
) -> dict[tuple[type[Item], str], Scores]:
    """Load a model and score items with it."""
    from socialbias.contextual.models import load_model, scoring_kind
    from socialbias.contextual.token_scores import TokenScorer

    of_type = {
        kind: [x for x in items if type(x) is kind] for kind in dict.fromkeys(map(type, items))
    }
    if scorings is None:
        kind = scoring_kind(folder)
        scorings = [x for x in SCORINGS if any(x in scorings_for(kind, item) for item in of_type)]
    results = {}
    for kind in dict.fromkeys(_scoring(name).kind for name in scorings):
        model = load_model(folder, kind, device=device)
        scorer = TokenScorer(model, tokens_per_batch=tokens_per_batch, log=log)
        for item, chosen in of_type.items():
            names = [name for name in scorings_for(kind, item) if name in scorings]
            results_of_kind = score(scorer, chosen, names, prompt=prompt)
            results |= {(item, name): scores for name, scores in results_of_kind.items()}
    unused = set(scorings) - {name for _, name in results}
    if unused:
        raise UserError(f"scoring {min(unused)}: applies to none of the items: leave it out")
    return results


def score(
    scorer: TokenScorer,
    items: Sequence[Item],
    scorings: Sequence[str],
    *,
    prompt: str | None = None,
) -> dict[str, Scores]:
    """Score the candidates of items; a slice of them gets the scores that it has in the whole.

    Scorings that need the same log-probabilities share them.
    """
    for name in scorings:
        _check(scorer.model, items, name)
    if prompt is None:
        prompt = default_prompt(scorer.model)
    if scorer.model.kind == "causal":
        contexts = (item.context if isinstance(item, Intersentence) else "" for item in items)
        pairs = zip(contexts, items, strict=True)
        scorer.prepare(
            [text for context, item in pairs for text in texts_of(context, item.sentences)]
        )
    values: dict[Callable, list[list[Values]]] = {}
    results = {}
    for name in scorings:
        scoring = SCORINGS[name]
        if scoring.rows not in values:
            values[scoring.rows] = _values(scorer, items, scoring, prompt)
        results[name] = _scores(scorer, items, scoring, prompt, values[scoring.rows])
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


def _scoring(name: str) -> Scoring:
    if name not in SCORINGS:
        raise UserError(f"scoring {name!r}: must be one of {', '.join(SCORINGS)}")
    return SCORINGS[name]


def _check(model: Model, items: Sequence[Item], name: str) -> None:
    scoring = _scoring(name)
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


def _values(
    scorer: TokenScorer, items: Sequence[Item], scoring: Scoring, prompt: str
) -> list[list[Values]]:
    """For each item and candidate the log-probabilities of each part."""
    rows: list[Row] = []
    groups: list[Hashable] = []
    plan: list[list[list[range]]] = []
    for i, item in enumerate(items):
        plan.append([])
        for k in range(len(item.sentences)):
            plan[i].append([])
            for p, part in enumerate(scoring.rows(scorer.model, item, k, prompt)):
                plan[i][k].append(range(len(rows), len(rows) + len(part)))
                rows.extend(part)
                # Every item asks what begins a text; otherwise an item's rows begin alike.
                groups.extend(row.ids if len(row.ids) == 1 else (i, p) for row in part)
    values = scorer(rows, groups)
    return [
        [[_join([values[r] for r in part]) for part in candidate] for candidate in item]
        for item in plan
    ]


def _join(values: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.concatenate([np.empty(0), *values])


def _scores(
    scorer: TokenScorer,
    items: Sequence[Item],
    scoring: Scoring,
    prompt: str,
    values: list[list[Values]],
) -> Scores:
    """Scores from log-probabilities, close ones scored again."""
    size = len(items[0].sentences) if items else 0
    logs = np.array([[scoring.reduce(v) for v in item] for item in values], float)
    logs = logs.reshape(len(items), size)
    again = _close(logs, scoring.close)
    for i, k in np.argwhere(again).tolist():
        parts = scoring.rows(scorer.model, items[i], k, prompt)
        logs[i, k] = scoring.reduce([_join(scorer.exact(part)) for part in parts])
    return Scores(np.exp(logs) if scoring.probability else logs, again)


def _close(logs: NDArray[np.float64], bound: float) -> NDArray[np.bool_]:
    """(n, k) whether another candidate of the item is closer than a number of nats."""
    apart = np.abs(logs[:, :, None] - logs[:, None, :])
    itself = np.arange(logs.shape[1])
    apart[:, itself, itself] = np.inf
    return (apart < bound).any(axis=2)
