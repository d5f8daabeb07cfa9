"""The ledger: over how many defensible settings each headline claim of the four papers holds.

It measures nothing: it reads the values and joint draws of the run's artefacts, and the decisions
of models in StereoSet's predictions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from simpleeval import EvalWithCompoundTypes

from socialbias.measures.stereoset import CANDIDATES
from socialbias.papers.stereoset.items import CAUSAL, CORRECTED, DEVELOPMENT, LIKELIHOOD, SHORT
from socialbias.papers.stereoset.model_tables import all_scores
from socialbias.papers.validation.ledger_claims import CLAIMS, Claim
from socialbias.pipeline.job import Job
from socialbias.reporting.values import KEY, read_draws, read_values, value
from socialbias.stats.draws import DRAWS, resampled_counts
from socialbias.stats.intervals import percentile

PREDICTIONS = "evidence/stereoset/predictions"
ROUNDING = 1e-9  # shares that differ by less are the same
Array = NDArray[np.float64]


class NoNumberError(Exception):
    """A setting needs a number that the run does not have."""


@dataclass
class Numbers:
    """The numbers of the run's artefacts, by cell; remembers which were used."""

    # By target, its values by row and column.
    tables: Mapping[str, Mapping[tuple[str, str], Mapping]]
    # From a target to the draws of its cells.
    read: Callable[[str], Mapping[tuple[str, str], Array]]
    # The models that StereoSet scored, where there are released predictions.
    scores: Scores | None = None
    draws: dict = field(default_factory=dict)  # by target, the draws read so far
    used: list[Mapping] = field(default_factory=list)  # the values used so far

    def value(self, target: str, row: str, column: str) -> Array:
        """Return a number and its draws in one array: (1 + DRAWS,)."""
        cell = self.tables.get(target, {}).get((row, column))
        if cell is None:
            raise NoNumberError
        self.used.append(cell)
        if target not in self.draws:
            self.draws[target] = self.read(target)
        drawn = self.draws[target].get((row, column), np.full((1, DRAWS), np.nan))
        return np.concatenate([[cell["value"]], drawn[0]])

    def score(self, model: str, *how: str) -> Array:
        """Return a score of a model in StereoSet, as `value`."""
        drawn = self.scores.draws(model, *how) if self.scores else [np.nan]
        if np.isnan(drawn[0]):
            raise NoNumberError
        return drawn

    def evaluate(self, effect: str) -> Array:
        """Return an effect, as `value`."""
        functions = {"value": self.value, "score": self.score, "mean": partial(np.mean, axis=0)}
        return EvalWithCompoundTypes(functions=functions).eval(effect)


@dataclass(frozen=True)
class Tested:
    """The settings of a claim that the run has numbers for."""

    settings: pd.DataFrame  # (m, axes)
    # (m, 1 + DRAWS) whether the claim holds in all its parts, now and in each draw.
    holding: NDArray[np.bool_]
    used: Sequence[Mapping]  # the values behind them
    of: int  # the number of settings, with and without numbers


def measured(claim: Claim, numbers: Numbers) -> Tested | None:
    """Return a claim under each setting that the run has numbers for; None without any."""
    every = pd.MultiIndex.from_product(claim.axes.values(), names=claim.axes)
    settings = every.to_frame(index=False)
    kept, holding = [], []
    numbers.used.clear()
    for i, setting in enumerate(settings.to_dict("records")):
        filled = {axis: claim.axes[axis][choice] for axis, choice in setting.items()}
        before = len(numbers.used)
        try:
            parts = np.array(
                [numbers.evaluate(filled_in(claim.effect, filled | part)) for part in claim.parts]
            )
        except NoNumberError:
            del numbers.used[before:]
            continue
        kept.append(i)
        holding.append((parts > 0).all(axis=0))
    if not kept:
        return None
    chosen = settings.iloc[kept].reset_index(drop=True)
    return Tested(chosen, np.array(holding), list(numbers.used), len(settings))


def filled_in(effect: str, choices: Mapping[str, str]) -> str:
    """Return the effect with the choices filled in, also in choices that are effects themselves."""
    while "{" in effect:
        effect = effect.format(**choices)
    return effect


def balanced(settings: pd.DataFrame) -> Array:
    """Return the weights (m,) of settings, which sum to 1.

    The first axis divides the weight equally among its choices, each of which divides its own among
    those that it allows on the second, and so on: vectors with more settings have no more votes.
    """
    axes, weights = list(settings), np.ones(len(settings))
    for i, axis in enumerate(axes):
        if i:
            choices = settings.groupby(axes[:i], sort=False)[axis].transform("nunique").to_numpy()
        else:
            choices = settings[axis].nunique()
        weights = weights / choices
    return weights


def shares_by_choice(tested: Tested) -> dict[str, dict[str, float]]:
    """Return by axis and choice, the share of the settings in which the claim holds."""
    shares: dict[str, dict[str, float]] = {}
    for axis in tested.settings:
        shares[axis] = {
            choice: float(balanced(tested.settings.iloc[places]) @ tested.holding[places, 0])
            for choice, places in tested.settings.groupby(axis, sort=False).indices.items()
        }
    return shares


def records(row: str, tested: Tested, level: float) -> list[dict]:
    """Return a row of the ledger."""
    reasons = sorted({cell["weak"] for cell in tested.used} - {""})
    count = len(tested.settings)
    fields = {
        "weak": f"some settings are based on weak numbers: {'; '.join(reasons)}" if reasons else "",
        "made_of": pd.DataFrame(tested.used, columns=["sources", "fidelity"]),
        "n": count,
        "n_unit": "settings",
    }
    share, *drawn = balanced(tested.settings) @ tested.holding
    # A draw has the noise of the sample and its own: its share lies nearer to a toss-up, so that
    # percentiles alone may leave out the share itself.
    low, high = percentile(drawn, level)
    ends = min(low, share), max(high, share)
    holds = {"interval": ends, "draws": np.array(drawn), "unit": "share of settings"}
    shares = shares_by_choice(tested)
    drops = {axis: max(found.values()) - min(found.values()) for axis, found in shares.items()}
    axis = max(drops, key=drops.get)
    note = "no axis decides: all choices agree"
    if drops[axis] > ROUNDING:
        by_choice = sorted(shares[axis].items(), key=lambda item: -item[1])
        note = f"{axis}: " + ", ".join(f"{choice} {held:.2f}" for choice, held in by_choice)
    decides = {"note": note, "unit": "difference of shares"}
    return [
        value(row, "settings", count, draws=count, n_of=tested.of, unit="settings", **fields),
        value(row, "holds", share, **holds, **fields),
        value(row, "decides", drops[axis], **decides, **fields),
    ]


def summarise(job: Job) -> list[dict]:
    """Return all rows."""
    tables = {}
    for name in job.below("values/"):
        cells = read_values(job.path(f"values/{name}")).dropna(subset="value").to_dict("records")
        tables[name.replace("/", "_", 1)] = {tuple(c[key] for key in KEY): c for c in cells}
    scores = None
    if PREDICTIONS in job:
        table = all_scores(job)
        scores = Scores.of(table[table["split"] == DEVELOPMENT], job.seed)

    def read(target: str) -> Mapping[tuple[str, str], Array]:
        paper = next(p for p in ("bad_seeds", target.partition("_")[0]) if target.startswith(p))
        return read_draws(job.path(f"draws/{paper}/{target.removeprefix(paper + '_')}"))

    numbers = Numbers(tables, read, scores)
    by_row = {row: measured(claim, numbers) for row, claim in CLAIMS.items()}
    return [r for row, tested in by_row.items() if tested for r in records(row, tested, job.level)]


# StereoSet's scores of nine models, in every way to score, to count ties and to aggregate.
# Likelihoods are those of the released predictions; pseudo-likelihoods, and likelihoods that
# correct the mistake of the released code, are the run's own.

PREFERENCES = {"ss": [(0, 1)], "lms": [(0, 2), (1, 2)]}  # which candidate is preferred to which


@dataclass(frozen=True)
class Scores:
    """Decisions of models in items, with samples of the target terms."""

    # By model, task and scheme, the scores of the candidates (n, 3) and the term of each.
    parts: Mapping[tuple[str, str, str], tuple[Array, NDArray[np.int64]]]
    terms: list[str]  # all terms
    weights: Array  # (1 + DRAWS, terms) how often each is there: once, then in each sample

    @classmethod
    def of(cls, scores: pd.DataFrame, seed: int) -> Scores:
        """Return the scores of one split."""
        scores = scores.drop_duplicates(["row", "task", "scheme", "item"])
        terms = sorted(scores["target"].unique())
        parts = {}
        for key, part in scores.groupby(["row", "task", "scheme"]):
            of_terms = pd.Index(terms).get_indexer(part["target"])
            parts[key] = part[list(CANDIDATES)].to_numpy(float), of_terms
        intra = SHORT["intra"]
        for model in CAUSAL:  # one score a sentence, in which there is nothing to correct
            if (model, intra, LIKELIHOOD) in parts:
                parts[model, intra, CORRECTED] = parts[model, intra, LIKELIHOOD]
        weights = np.vstack([np.ones(len(terms)), resampled_counts(terms, seed)])
        return cls(parts, terms, weights)

    def draws(self, model: str, task: str, scheme: str, score: str, over: str, ties: str) -> Array:
        """Return a score in percent, now and in each sample of terms: (1 + DRAWS,)."""
        key = (model, SHORT[task], scheme)
        if key not in self.parts:
            return np.full(len(self.weights), np.nan)
        candidates, of = self.parts[key]
        won, total = (np.zeros(len(self.terms)) for _ in range(2))
        for first, second in PREFERENCES[score]:
            tied = candidates[:, first] == candidates[:, second]
            wins = (candidates[:, first] > candidates[:, second]) + tied * (ties == "half") / 2
            counted = ~tied if ties == "left out" else np.ones(len(tied))
            won += np.bincount(of, wins, len(self.terms))
            total += np.bincount(of, counted, len(self.terms))
        if over == "micro":
            return 100 * (self.weights @ won) / (self.weights @ total)
        known = total > 0
        shares = np.divide(won, total, out=np.zeros_like(won), where=known)
        return 100 * (self.weights @ shares) / (self.weights @ known.astype(float))
