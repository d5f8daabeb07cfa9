"""By which convention a model's decisions are made: its name, and what it says of this model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from socialbias.contextual.causal_scoring import beginning
from socialbias.contextual.masked_scoring import default_prompt
from socialbias.contextual.pieces import Kind
from socialbias.contextual.scoring_methods import MEANS, SCORINGS, Intrasentence
from socialbias.errors import UserError

if TYPE_CHECKING:
    from socialbias.contextual.token_scores import TokenScorer
    from socialbias.served.scorer import ServedScorer

CORRECTED, RELEASED = "corrected", "released"
# How each kind of model scores a word in a sentence. `released` is what StereoSet's released code
# does, with its errors (docs/methods.md).
CONVENTIONS: dict[str, dict[Kind, str]] = {
    CORRECTED: {"masked": "likelihood_corrected", "causal": "sentence_sum"},
    RELEASED: {"masked": "likelihood_released", "causal": "sentence_released"},
}
OF_SENTENCES = tuple(name for name, x in SCORINGS.items() if Intrasentence in x.items)


def scoring_of(convention: str, kind: Kind) -> str:
    """Return the scoring that a convention has for a kind of model; its name may be one itself."""
    if convention in CONVENTIONS:
        return CONVENTIONS[convention][kind]
    if convention not in OF_SENTENCES:
        known = ", ".join([*CONVENTIONS, *OF_SENTENCES])
        raise UserError(f"scoring {convention!r}: must be one of {known}")
    if SCORINGS[convention].kind != kind:
        own = ", ".join(name for name in OF_SENTENCES if SCORINGS[name].kind == kind)
        raise UserError(f"scoring {convention}: is not for a {kind} model: choose {own}")
    return convention


def stated(scorer: TokenScorer | ServedScorer, scoring: str) -> dict[str, str]:
    """Return the convention of a scoring by a model, in words, by what they are about."""
    model, served = scorer.model, not hasattr(scorer.model, "device")
    named = [name for name, of in CONVENTIONS.items() if of.get(model.kind) == scoring]
    told = {"scoring": " ".join([scoring, *(f"({name})" for name in named)])}
    told["score"] = MEANS[scoring]
    if model.kind == "causal":
        begins = beginning(model)
        told["first token"] = f"given {begins.name}, {begins.why}"
    elif prompt := default_prompt(model):
        told["read before"] = f"a paragraph of {len(prompt.split())} words"
    told["precision"] = "the server's" if served else "float32, close scores again in float64"
    return told | {"chat template": "none"}
