"""The ways in which a language model can score items, and the conventions that choose one.

An item has some candidates, of which a model prefers the one with the highest score. The ways to
score them (`SCORINGS`, `MEANS`) are those of StereoSet (Nadeem, Bethke and Reddy 2021, section 6),
of its released code where that differs, and of CrowS-Pairs (Nangia et al. 2020, section 4);
logarithms are natural.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from socialbias.errors import UserError
from socialbias.models import causal_scoring as causal
from socialbias.models import masked_scoring as masked
from socialbias.models.items import Intersentence, Intrasentence, Item, Pair
from socialbias.models.pieces import Kind, Row

if TYPE_CHECKING:
    from socialbias.models.loading import Model
    from socialbias.models.served.scorer import ServedScorer
    from socialbias.models.token_scores import TokenScorer

# In float32 a token's log-probability is off by 1e-5 nats as a rule, and by 7e-4 at the worst that
# was seen (SmolLM2 on StereoSet); a mean of them by less.
CLOSE = 1e-3
CLOSE_SUMS = 5e-3

Values = list[NDArray[np.float64]]  # the log-probabilities of each row's tokens


@dataclass(frozen=True)
class Scoring:
    """A way to score a candidate."""

    kind: Kind  # of model
    items: tuple[type, ...]  # the items that can be scored
    # Model, item and number of a candidate to what is asked for its score.
    rows: Callable[[Model, Item, int], list[Row]]
    # The rows' log-probabilities to the logarithm of the score, in nats.
    reduce: Callable[[Values], float]
    probability: bool = False  # whether the score is reported as such and not as its logarithm
    # Scores with logarithms closer than this, in nats, may change places by rounding.
    close: float = CLOSE


def _joined(values: Values) -> NDArray[np.float64]:
    return np.concatenate([np.empty(0), *values])


def _mean(values: Values) -> float:
    return float(_joined(values).mean())


def _mean_probability(values: Values) -> float:
    return float(np.logaddexp.reduce(_joined(values)) - np.log(len(values)))


def _sum(values: Values) -> float:
    return float(_joined(values).sum())


def _difference(values: Values) -> float:
    after, alone = values
    return float(after.sum() - alone.sum())


WHOLE_SENTENCES = (Intrasentence, Pair)
ALL_ITEMS = (Intrasentence, Intersentence, Pair)
NEXT = (Intersentence,)
SCORINGS = {
    "likelihood_released": Scoring(
        "masked", (Intrasentence,), masked.likelihood_released, _mean_probability, True
    ),
    "likelihood_corrected": Scoring("masked", (Intrasentence,), masked.likelihood_corrected, _mean),
    "pseudo_likelihood": Scoring(
        "masked", ALL_ITEMS, masked.pseudo_likelihood, _sum, close=CLOSE_SUMS
    ),
    "next_sentence": Scoring("next-sentence", NEXT, masked.follows, _sum, close=CLOSE_SUMS),
    "sentence_released": Scoring("causal", WHOLE_SENTENCES, causal.sentence_released, _mean, True),
    "sentence_mean": Scoring("causal", WHOLE_SENTENCES, causal.sentence, _mean),
    "sentence_sum": Scoring("causal", WHOLE_SENTENCES, causal.sentence, _sum, close=CLOSE_SUMS),
    "ratio": Scoring("causal", NEXT, causal.after_and_alone, _difference, close=CLOSE_SUMS),
}
# What each score is, for people.
MEANS = {
    "likelihood_released": "mean probability of the word's pieces in the gap, without the space "
    "before the word; for each, the word's pieces to its right are left out",
    "likelihood_corrected": "mean log-probability of the word's pieces as they are in the "
    "sentence; for each, the word's pieces to its right are masked",
    "pseudo_likelihood": "sum of the log-probabilities of the pieces beside the word, each masked "
    "in turn (of the first of two sentences, or of what two sentences share)",
    "next_sentence": "log-odds that the sentence follows, by the model's own head",
    "sentence_released": "geometric mean of the probabilities of the sentence's tokens; only the "
    "first is given the token that begins a text",
    "sentence_mean": "mean log-probability of the sentence's tokens",
    "sentence_sum": "sum of the log-probabilities of the sentence's tokens",
    "ratio": "logarithm of the sentence's probability after the context over its probability alone",
}
CORRECTED, RELEASED = "corrected", "released"
# How each kind of model scores a word in a sentence. `released` is what StereoSet's released code
# does, with its errors (docs/methods.md).
CONVENTIONS: dict[str, dict[Kind, str]] = {
    CORRECTED: {"masked": "likelihood_corrected", "causal": "sentence_sum"},
    RELEASED: {"masked": "likelihood_released", "causal": "sentence_released"},
}


def scorings_for(kind: Kind, item: type[Item]) -> list[str]:
    """Return the scorings of a kind of item by a kind of model."""
    return [name for name, x in SCORINGS.items() if x.kind == kind and item in x.items]


def scoring_of(convention: str, kind: Kind, item: type[Item] = Intrasentence) -> str:
    """Return the scoring that a convention has for a kind of model; its name may be one itself."""
    if convention == CORRECTED and kind == "masked" and item is Pair:
        return "pseudo_likelihood"  # there is no word in a gap
    if convention in CONVENTIONS:
        return CONVENTIONS[convention][kind]
    of_sentences = [name for name, x in SCORINGS.items() if Intrasentence in x.items]
    if convention not in of_sentences:
        known = ", ".join([*CONVENTIONS, *of_sentences])
        raise UserError(f"scoring {convention!r}: must be one of {known}")
    if SCORINGS[convention].kind != kind:
        own = ", ".join(scorings_for(kind, Intrasentence))
        raise UserError(f"scoring {convention}: is not for a {kind} model: choose one of {own}")
    return convention


def stated(scorer: TokenScorer | ServedScorer, scoring: str) -> dict[str, str]:
    """Return the convention of a scoring by a model, in words, by what they are about."""
    model, served = scorer.model, not hasattr(scorer.model, "device")
    named = [name for name, of in CONVENTIONS.items() if of.get(model.kind) == scoring]
    told = {"scoring": " ".join([scoring, *(f"({name})" for name in named)])}
    told["score"] = MEANS[scoring]
    if model.kind == "causal":
        begins = causal.beginning(model)
        told["first token"] = f"given {begins.name}, {begins.why}"
    elif prompt := masked.default_prompt(model):
        told["read before"] = f"a paragraph of {len(prompt.split())} words"
    told["precision"] = "the server's" if served else "float32, close scores again in float64"
    return told | {"chat template": "none"}
