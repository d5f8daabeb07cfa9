"""Which of an item's sentences a language model prefers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from socialbias.models.items import Item
from socialbias.models.scoring import score, tells_apart
from socialbias.models.scoring_methods import stated
from socialbias.stats.similarity import Array

if TYPE_CHECKING:
    from socialbias.models.served.scorer import ServedScorer
    from socialbias.models.token_scores import TokenScorer


class Decider:
    """Asks a model which sentences it prefers; `convention` says in words how it is asked."""

    def __init__(self, name: str, scorer: TokenScorer | ServedScorer, scoring: str):
        """Set the model, its name for messages, and how it scores (`scoring_methods`)."""
        self._name, self._scorer, self._scoring = name, scorer, scoring
        self.convention = stated(scorer, scoring)
        self._untold: list[tuple[str, str]] = []  # the words of items without a decision

    def __call__(self, items: Sequence[Item]) -> Array:
        """Return (n,) decisions: 1 for the stereotype, 0, 1/2 for a tie; NaN for no decision.

        There is none where the tokenizer does not know a word, or cannot tell both apart.
        """
        scores = score(self._scorer, items, [self._scoring])[self._scoring].values
        decisions = (1 + np.sign(scores[:, 0] - scores[:, 1])) / 2
        told = tells_apart(self._scorer, items)
        self._untold += [items[i].attributes for i in np.flatnonzero(~told)]
        return np.where(told, decisions, np.nan)

    def notes(self) -> list[str]:
        """Return a note on the items without a decision, if there are any."""
        if not self._untold:
            return []
        words = " and ".join(self._untold[0])
        return [
            f"{len(self._untold):,} items have no decision by {self._name}: its tokenizer does not "
            f"know one of the two words, or has the same pieces for both, such as {words}"
        ]
