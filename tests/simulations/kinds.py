"""Every kind of verdict and interval that the artefacts use, in worlds of several sizes.

`kinds.csv` has a row for each kind: the function that makes its worlds and what else it takes, how
much data there are (from most to least, and in which unit), the true number without an effect, with
the contrary one and with it, what is claimed, and what the page says. A function without a claim
gives its own verdict.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from tests.simulations import decisions, real_vectors, worlds
from tests.simulations.simulate import AGAINST, EFFECT, NONE, RUNS, Case, Kind, judged

TABLE = Path(__file__).with_name("kinds.csv")
MODULES = (worlds, decisions, real_vectors)


def kind_of(row: Mapping[str, str]) -> Kind:
    name, *options = row["world"].split()
    make = next(vars(module)[name] for module in MODULES if name in vars(module))
    given = {key: int(value) if value.isdigit() else value for key, value in
             (option.split("=") for option in options)}  # fmt: skip
    claim = row["claim"].replace("DISTANCE", str(worlds.distance_of_six(0.4)))
    cases = []
    for n in map(int, row["sizes"].split()):
        for world in (NONE, AGAINST, EFFECT):
            if truth := row[world]:
                run = partial(make, n=n, truth=float(truth), **given)
                size = row["unit"].format(n=n)
                cases.append(Case(size, world, judged(run, claim) if claim else run))
    return Kind(row["name"], row["says"], cases, int(row["runs"] or RUNS))


with TABLE.open(encoding="utf-8", newline="") as file:
    KINDS = {row["name"]: kind_of(row) for row in csv.DictReader(file)}
