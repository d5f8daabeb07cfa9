"""The tables of docs/field.md, from `results/referee`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bench.peers import ROOT
from bench.referee.doses import DOSES, MIDDLE, selection_rates
from socialbias.reporting.values import read_csv
from socialbias.stats.clustered import wilson
from socialbias.stats.correlation import spearman_rho
from socialbias.stats.intervals import normal

FOLDER = ROOT / "results/referee"
NUMBERS = {"dose", "seed", "value", "low", "high", "p", "seconds"}
SIGNIFICANT, LEVEL, NONE = 0.05, 0.95, "–"
HEADS = ["tool", "measure", "rank correlation"]
HEADS += ["false alarms", "power", "coverage", "seconds"]
KINDS = {
    "people": "Predictions of independent people",
    "terms": "Predictions of twelve names in the same sentences",
    "vectors": "Word vectors",
    "models": "Small GPT-2",
}


def _gap(dose: float) -> float:
    first, second = selection_rates(dose)
    return first - second


def _ratio(dose: float) -> float:
    first, second = selection_rates(dose)
    return second / first


def _no_bias(null: float) -> Callable[[float], float]:
    """Return the truth as a function of the dose, known at dose 0 only."""
    return lambda dose: null if dose == 0 else np.nan


@dataclass(frozen=True)
class Method:
    """How a measure is read, by its own documentation.

    Attributes:
        sign: 1 if it should rise with the dose, -1 if it should fall.
        null: The value without bias, which decides where there is an interval but no p-value.
        truth: What its interval should contain, by the dose; nan where that is not known.
    """

    sign: int = 1
    null: float = np.nan
    truth: Callable[[float], float] = lambda dose: np.nan


METHODS = {
    ("socialbias", "Parity Gap"): Method(1, 0, _gap),
    ("socialbias", "TPR Gap"): Method(1, 0, _gap),  # labels are independent of predictions
    ("socialbias", "impact ratio"): Method(-1, 1, _ratio),
    ("socialbias", "Average Score Difference"): Method(1, 0, _no_bias(0)),
    ("fairlearn", "demographic_parity_difference"): Method(),
    ("fairlearn", "demographic_parity_ratio"): Method(-1),
    ("fairlearn", "equalized_odds_difference"): Method(),
    ("fairlearn", "equal_opportunity_difference"): Method(),
    ("fairlearn", "MetricFrame.difference"): Method(1, 0, _gap),
    ("AIF360", "statistical_parity_difference"): Method(),
    ("AIF360", "disparate_impact_ratio"): Method(),
    ("AIF360", "equal_opportunity_difference"): Method(),
    ("AIF360", "average_odds_difference"): Method(),
    ("socialbias", "weat"): Method(1, 0, _no_bias(0)),
    ("socialbias", "directed"): Method(1, 0, _no_bias(0)),
    ("WEFE", "WEAT"): Method(),
    ("WEFE", "WEAT effect size"): Method(),
    ("WEFE", "RND"): Method(-1),  # negative: nearer to the first group
    ("WEFE", "RIPA"): Method(),
    ("WEFE", "ECT"): Method(-1),  # 1 is no bias
    ("WEFE", "RNSB"): Method(),
    ("WEFE", "MAC"): Method(-1),  # 1 is no bias
    ("gensim", "n_similarity"): Method(),
    ("socialbias", "ss"): Method(1, 50, _no_bias(50)),
    ("lm-evaluation-harness", "pct_stereotype"): Method(1, 0.5, _no_bias(0.5)),
    ("lm-evaluation-harness", "likelihood_diff"): Method(),
}


def flagged(rows: pd.DataFrame, method: Method) -> pd.Series:
    """Return whether each number is called biased: by its p-value, else by its interval.

    Nan without.
    """
    outside = ((rows["low"] > method.null) | (rows["high"] < method.null)).astype(float)
    if np.isnan(method.null):
        outside[:] = np.nan
    outside[rows["low"].isna()] = np.nan
    by_p = (rows["p"] <= SIGNIFICANT).astype(float)
    return by_p.where(rows["p"].notna(), outside)


def covered(rows: pd.DataFrame, method: Method) -> pd.Series:
    """Return whether each interval contains the truth; nan without either."""
    truth = rows["dose"].map(method.truth).astype(float)
    known = rows["low"].notna() & truth.notna()
    return truth.between(rows["low"], rows["high"]).astype(float).where(known)


def rank_correlations(rows: pd.DataFrame, sign: int) -> np.ndarray:
    """Spearman's correlation with the dose in each seed that has every dose of the kind.

    Equal values at all doses count as 0.

    Args:
        rows: Numbers of one measure in worlds of one kind.
        sign: -1 if the measure should fall with the dose.
    """
    grid = rows.pivot(index="seed", columns="dose", values="value").dropna()
    if len(grid.columns) < len(DOSES[rows["kind"].iloc[0]]):
        return np.array([])
    return np.nan_to_num([spearman_rho(grid.columns, sign * row) for row in grid.to_numpy()])


def summary(measured: pd.DataFrame) -> Iterator[dict]:
    """Yield a row for each kind of world and measure.

    Args:
        measured: `measured.csv`: `kind`, `dose`, `seed`, `tool`, `measure`, `value`,
            `low`, `high`, `p`, `seconds`.

    Yields:
        `kind`, `tool`, `measure`; `rho`, one a seed; `alarms`, `power` and `coverage`, each a
        number of worlds and of how many, or None; `seconds`, the median.
    """
    for key, rows in measured.groupby(["kind", "tool", "measure"], sort=False):
        method = METHODS[key[1:]]
        flags = flagged(rows, method)
        yield {
            **dict(zip(("kind", "tool", "measure"), key, strict=True)),
            "rho": rank_correlations(rows, method.sign),
            "alarms": _count(flags[rows["dose"] == 0]),
            "power": _count(flags[rows["dose"] == DOSES[key[0]][MIDDLE]]),
            "coverage": _count(covered(rows, method)),
            "seconds": float(rows["seconds"].median()),
        }


def _count(flags: pd.Series) -> tuple[int, int] | None:
    known = flags.dropna()
    return (int(known.sum()), len(known)) if len(known) else None


def _share(count: tuple[int, int] | None) -> str:
    """Return a count, and Wilson's 95 % interval of the share."""
    if count is None:
        return NONE
    k, n = count
    low, high = (float(x) for x in wilson(np.array(k / n), np.array(n), np.array(normal(LEVEL))))
    return f"{k} of {n} [{100 * low:.0f}, {100 * high:.0f} %]"


def tables() -> str:
    """Return the tables of all kinds of worlds, the packages that stop, and what the run was."""
    run = json.loads((FOLDER / "run.json").read_text("utf-8"))
    rows = list(summary(read_csv(FOLDER / "measured.csv", NUMBERS)))
    lines = []
    for kind, title in KINDS.items():
        lines += [f"### {title}", ""]
        lines += table(HEADS, sorted(_cells(row) for row in rows if row["kind"] == kind))
    lines += ["### Packages that stop before they measure", ""]
    attempts = read_csv(FOLDER / "attempts.csv").to_numpy()
    lines += table(["package", "step", "stops with"], ([a, f"`{b}`", c] for a, b, c in attempts))
    minutes, version = round(run["minutes"]), run["code"].partition(",")[0]
    lines.append(f"Measured on {run['date'][:10]} in {minutes} minutes, by `{run['command']}`.")
    lines.append(f"Machine: {run['machine']}.")
    lines.append(f"Packages: {version}; {run['ours']}; {run['peers']}.")
    lines += [f"Failed: {kind}: {reason}." for kind, reason in run["failures"].items()]
    return "\n".join(lines)


def _cells(row: dict) -> list[str]:
    rho = row["rho"]
    mean = f"{rho.mean():.2f} [{rho.min():.2f}, {rho.max():.2f}]" if len(rho) else NONE
    shares = [_share(row[name]) for name in ("alarms", "power", "coverage")]
    return [row["tool"], f"`{row['measure']}`", mean, *shares, f"{row['seconds']:.2g}"]


def table(heads: Iterable[str], rows: Iterable[list[str]]) -> list[str]:
    """Lines of a table in Markdown, and an empty one."""
    head = [heads, ["---"] * len(heads)]
    return [f"| {' | '.join(cells)} |" for cells in [*head, *rows]] + [""]
