"""Sequential comparisons of two models, in worlds whose true difference is known.

The first model's decisions are those of a published model on StereoSet, and so are the places where
the second one differs: a share of the items takes the decision of another published model. Terms
are resampled with their items. At random, whole terms swap the two models, so that neither is worse
on average though terms differ. Then some decisions of the second are moved to the stereotype.

In worlds of rare terms, one term in 20 changes entirely, against all others, which change a little.
If there is a true difference, as many more terms change.

`python -m tests.simulations sequential` writes `looks.csv`, a row for each kind of world.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from socialbias.commands.compare import CANNOT_TELL, NO_WORSE, WORSE
from socialbias.measurement.items import Rules, in_looks
from socialbias.stats.paired import compare
from socialbias.stats.seeding import generator
from socialbias.stats.sequential import order_of_items
from tests.published_decisions import published_decisions
from tests.simulations.simulate import FEWER, RUNS, SEED

LOOKS = Path(__file__).with_name("looks.csv")
ITEMS, MARGIN, LEVEL = 1600, 0.05, 0.95
TRUTHS = {"none": 0.0, "half the margin": 0.5, "the margin": 1.0, "twice the margin": 2.0}
RIGHT = {"none": NO_WORSE, "the margin": WORSE, "twice the margin": WORSE}
WRONG = {"none": WORSE, "the margin": NO_WORSE, "twice the margin": NO_WORSE}
PAIR = ("gpt2_ModelNSP_GPT2LM", "gpt2-medium_ModelNSP_GPT2LM")
WORLDS = [(terms, differ) for terms in (79, 300) for differ in (0.06, 0.15)]
OF_RARE = (40, 79, 300)  # terms
RARE = 0.05  # share of terms
FIXED = range(100, ITEMS + 1, 50)
Array = NDArray[np.float64]


@cache
def terms_of_published() -> tuple[Array, Array, Array]:
    """The pair's decisions (n, 2), where the items of each term begin, and how many there are."""
    both = pd.concat([table[[*PAIR]] for table in published_decisions().values()]).sort_index()
    sizes = both.groupby(level="target", sort=True).size().to_numpy()
    return both.to_numpy(), np.cumsum(sizes) - sizes, sizes


def world(rng: Generator, n: int, differ: float, truth: float) -> tuple[Array, NDArray[np.str_]]:
    """Decisions (2, ITEMS) of items of n terms, and the term of each item.

    Args:
        rng: Random generator.
        n: Terms.
        differ: Share of items that the two decide otherwise without a true difference.
        truth: True difference, as a share of the items.
    """
    decided, starts, sizes = terms_of_published()
    means = np.add.reduceat(1 - decided, starts) / sizes[:, None]
    zeros = means.mean(axis=0)
    apart = np.add.reduceat(decided[:, 0] != decided[:, 1], starts, dtype=float) / sizes
    mixed = differ / apart.mean()
    # The second one's share of 0: its own, and where a term was swapped the first one's.
    free = (zeros[0] + (1 - mixed) * zeros[0] + mixed * zeros[1]) / 2
    at = np.arange(ITEMS) * n // ITEMS
    drawn = rng.integers(len(sizes), size=n)[at]
    rows = decided[starts[drawn] + (rng.uniform(size=ITEMS) * sizes[drawn]).astype(int)].T
    first, second = rows[0], np.where(rng.uniform(size=ITEMS) < mixed, rows[1], rows[0])
    swapped = (rng.uniform(size=n) < 0.5)[at]
    first, second = np.where(swapped, [second, first], [first, second])
    moved = np.where(rng.uniform(size=ITEMS) < truth / free, 1, second)
    return np.stack([first, moved]), at.astype(str)


def world_of_rare(rng: Generator, n: int, truth: float) -> tuple[Array, NDArray[np.str_]]:
    """As `world`: rare terms go away from the stereotype, or with a difference towards it."""
    at, share = np.arange(ITEMS) * n // ITEMS, RARE + truth
    rare = (rng.uniform(size=n) < share)[at]
    others = rng.uniform(size=ITEMS) < RARE / (1 - share)
    change = np.where(rare, 1, -1 * others) * (1 if truth else -1)
    first = np.where(change, change < 0, rng.integers(2, size=ITEMS))
    return np.stack([first, first + change]).astype(float), at.astype(str)


def verdicts(decided: Array, terms: NDArray[np.str_]) -> list[tuple[int, str]]:
    """The number of items and the verdict at every look of one world, not just until a verdict."""
    rules = Rules(MARGIN, common=False, seed=20221222, level=0.95)
    found = in_looks(lambda new: decided[:, new], {"term": terms}, rules)
    return [(result.n, result.verdict) for result in found]


def fixed(rng: Generator, n: int, differ: float, truth: float, right: str) -> list[bool]:
    """Whether a single test of each of the `FIXED` numbers of items reaches the right verdict."""
    decided, terms = world(rng, n, differ, truth)
    places, found = order_of_items(terms, SEED), []
    for size in FIXED:
        (first, second), chosen = decided[:, places[:size]], terms[places[:size]]
        result = compare(second, first, chosen, SEED, LEVEL)
        found.append(result.low[0] > 0 if right == WORSE else result.high[0] <= MARGIN)
    return found


def looks_figures() -> pd.DataFrame:
    """What became of each kind of world, in shares of the simulated ones.

    `wrong` is the share in which a rule of stopping reports a verdict that is an error. The
    impatient one stops at the first verdict, the patient one at the last look, and the adversarial
    one at any look at which the verdict is wrong. `fixed` is the number of items of a single test
    that is right as often as the impatient one.
    """
    rows = []
    for n, differ in WORLDS:
        for name, times in TRUTHS.items():
            row = {"terms": n, "differ": differ, "truth": name, "runs": RUNS}
            rng = generator(SEED, "looks", n, differ, name)
            row |= _rates(
                name, [verdicts(*world(rng, n, differ, times * MARGIN)) for _ in range(RUNS)]
            )
            if name in RIGHT:
                right = RIGHT[name]
                as_often = [fixed(rng, n, differ, times * MARGIN, right) for _ in range(FEWER)]
                enough = np.mean(as_often, axis=0) >= row[right]
                row["fixed"] = FIXED[int(enough.argmax())] if enough.any() else np.nan
            rows.append(row)
    return pd.concat([pd.DataFrame(rows).round(4), rare_figures()], ignore_index=True)


def rare_figures() -> pd.DataFrame:
    """As `looks_figures`, of worlds of rare terms: `differ` is NaN."""
    rows = []
    for n in OF_RARE:
        for name in ("none", "the margin"):
            rng = generator(SEED, "looks", n, "rare terms", name)
            truth = TRUTHS[name] * MARGIN
            of_worlds = [verdicts(*world_of_rare(rng, n, truth)) for _ in range(RUNS)]
            rows.append({"terms": n, "truth": name, "runs": RUNS} | _rates(name, of_worlds))
    return pd.DataFrame(rows).round(4)


def _rates(name: str, of_worlds: list[list[tuple[int, str]]]) -> dict[str, float]:
    """The mean number of items, verdicts, and errors of each rule in worlds with such a truth."""
    first = [
        next((look for look in looks if look[1] != CANNOT_TELL), looks[-1]) for looks in of_worlds
    ]
    rates = {"items": np.mean([items for items, _ in first])}
    for verdict in (WORSE, NO_WORSE):
        rates[verdict] = np.mean([each == verdict for _, each in first])
    if name in WRONG:
        wrong = WRONG[name]
        rates["impatient"] = rates[wrong]
        rates["patient"] = np.mean([looks[-1][1] == wrong for looks in of_worlds])
        any_look = [wrong in [each for _, each in looks] for looks in of_worlds]
        rates["adversarial"] = np.mean(any_look)
    return rates


HEAD = f"""## Sequential comparisons

`compare --sequential --margin {MARGIN:g}` with {ITEMS:,} items, in {RUNS:,} worlds of each kind.
The two models decide as two published models do on StereoSet, with resampled terms. `differ` is the
share of items that they decide differently if neither is worse on average. A true difference makes
it larger.

An error is *worse* although there is no difference, or *no worse* although the difference is the
margin or more. Its rates are those of three ways of stopping. The impatient one stops at the first
verdict. The patient one reports the last look. The adversarial one reports the wrong verdict if any
look has it. At most 2.5 % are allowed. `items` is the mean number until the first verdict. A
`single test` of so many items is right as often ({FEWER} worlds).

"""
OF_RARE_TERMS = """
**Rare terms.** A sample of terms can miss rare ones. Here, 5 % of the terms change entirely, and
all others change a little in the other direction. (With a true difference, the 5 % are 10 %.)
The looks are not the reason: the patient rule errs nearly as often.

| terms | true difference | impatient | patient | adversarial |
|--:|---|--:|--:|--:|
"""
COLUMNS = ("terms", "differ", "true difference", "impatient", "patient", "adversarial", "items",
           "of the pool", "single test", "ratio")  # fmt: skip


def looks_section(table: pd.DataFrame) -> str:
    """Return the section of docs/error-rates.md."""
    lines = [f"| {' | '.join(COLUMNS)} |", "|--:|--:|---" + "|--:" * 7 + "|"]
    of_rare = table["differ"].isna()
    for row in table[~of_rare].to_dict("records"):
        rates = [row[rule] for rule in ("impatient", "patient", "adversarial")]
        cells = [f"{row['terms']}", f"{row['differ']:.0%}", row["truth"]]
        cells += [f"{rate:.1%}" if rate == rate else "" for rate in rates]
        cells += [f"{row['items']:,.0f}", f"{row['items'] / ITEMS:.0%}"]
        known = row["fixed"] == row["fixed"]
        cells += (
            [f"{row['fixed']:,.0f}", f"{row['items'] / row['fixed']:.2f}"] if known else ["", ""]
        )
        lines.append(f"| {' | '.join(cells).replace('%', ' %')} |")
    rare = [
        f"| {row.terms} | {row.truth} | {row.impatient:.1%} | {row.patient:.1%} "
        f"| {row.adversarial:.1%} |".replace("%", " %")
        for row in table[of_rare].itertuples()
    ]
    return HEAD + "\n".join([*lines, OF_RARE_TERMS]) + "\n".join([*rare, ""])
