"""The measures by name: what each says, of what, and which way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from socialbias.errors import UserError, nearest
from socialbias.measures.divdist import (
    ASSOCIATIONS,
    DIVERGENCES,
    MOST,
    NORMALIZERS,
    DivDist,
)
from socialbias.measures.similarity import Array
from socialbias.measures.weat import association
from socialbias.papers.trustworthy.measured import MEASURES, NEED_PAIRS

INFINITE = float("inf")
OPTIONS = {"association": ASSOCIATIONS, "normalize": NORMALIZERS, "divergence": DIVERGENCES}
DEFAULTS = {"association": "cosine", "normalize": "sum", "divergence": "l1"}
OF_TEXTS = ("directed", "divdist")
FRAMEWORK = "Bommasani and Liang 2022, section 3"


@dataclass(frozen=True)
class Instrument:
    """A measure of how far each target leans to one of the groups.

    Attributes:
        name: By which it is asked for.
        unit: Of its numbers.
        low, high: Its range; of `directed` and `divdist` where there are shares.
        citation: Who proposed it.
        signed: Whether its sign says to which group; otherwise it is a magnitude.
        pairs: Whether it takes aligned pairs of words.
        two: Whether it is for two groups alone.
        shuffled: Whether shuffling words between groups changes it, so that chance can be tested.
        function: (targets (n, d), groups) -> (n,).
        divdist: The parts of the framework that it is made of, if any.
    """

    name: str
    unit: str
    low: float
    high: float
    citation: str
    signed: bool = False
    pairs: bool = False
    two: bool = True
    shuffled: bool = True
    function: Callable[[Array, Sequence[Array]], Array] | None = None
    divdist: DivDist | None = None

    def direction(self, groups: Sequence[str]) -> str:
        """Which way its numbers go, in words."""
        if not self.shuffled:
            return "larger is nearer to the words of all groups together, whichever they are"
        if not self.signed:
            return "a magnitude: 0 is no bias, and chance alone puts it above 0"
        first, *others = groups
        return f"above 0 to {first}, below 0 to {' or '.join(others)}"


def _prior(name: str, unit: str, high: float, citation: str, **options) -> Instrument:
    return Instrument(name, unit, 0.0, high, citation, function=MEASURES[name], **options)


def _weat_association(targets: Array, groups: Sequence[Array]) -> Array:
    return association(targets, *groups)


_BOLUKBASI = "Bolukbasi, Chang, Zou, Saligrama and Kalai 2016"
_ETHAYARAJH = "Ethayarajh, Duvenaud and Hirst 2019"
_GARG = "Garg, Schiebinger, Jurafsky and Zou 2018"
_CALISKAN = "Caliskan, Bryson and Narayanan 2017"
_CENTRED = ", with centred differences as in the code of Bommasani and Liang 2022"
_ALL = (
    Instrument("directed", "share of the first group less 1/k", -INFINITE, INFINITE, FRAMEWORK,
               signed=True, two=False),
    Instrument("divdist", "divergence from equal shares", 0.0, INFINITE, FRAMEWORK, two=False),
    _prior("bolukbasi", "cosine with the direction", 1.0, _BOLUKBASI + _CENTRED, pairs=True),
    _prior("bolukbasi-uncentred", "cosine with the direction", 1.0, _BOLUKBASI, pairs=True),
    _prior("caliskan", "difference of mean cosines", 2.0, _CALISKAN),
    _prior("garg-cosine", "difference of cosines with the means", 2.0, _GARG),
    _prior("garg-euclidean", "difference of distances, in units of the vectors", INFINITE, _GARG),
    _prior("manzini", "mean cosine with all groups", 1.0,
           "Manzini, Lim, Black and Tsvetkov 2019", two=False, shuffled=False),
    _prior("ethayarajh", "projection, in units of the vectors", INFINITE,
           _ETHAYARAJH + _CENTRED, pairs=True),
    _prior("ethayarajh-uncentred", "projection, in units of the vectors", INFINITE, _ETHAYARAJH,
           pairs=True),
    Instrument("weat", "standard deviations", -2.0, 2.0, _CALISKAN, signed=True,
               function=_weat_association),
)  # fmt: skip
INSTRUMENTS = {each.name: each for each in _ALL}
if {each.name for each in _ALL if each.pairs} != set(NEED_PAIRS):
    raise RuntimeError("the measures that need pairs have changed")


def instrument(name: str | None, groups: int, **options: str | None) -> Instrument:
    """A measure by name.

    Args:
        name: A key of `INSTRUMENTS`; None for `directed` of two groups, else `divdist`.
        groups: How many groups there are.
        options: Of `directed` and `divdist`: `association`, `normalize` and `divergence` by the
            names that `DivDist.named` takes.

    Raises:
        UserError: there is no such measure or option, or it is for two groups alone.
    """
    name = name or ("directed" if groups == 2 else "divdist")
    if name not in INSTRUMENTS:
        hint = nearest(name, INSTRUMENTS) or f": there are {', '.join(INSTRUMENTS)}"
        raise UserError(f"measure: none is called {name!r}{hint}")
    found = INSTRUMENTS[name]
    if found.two and groups != 2:
        raise UserError(f"measure: {name} is for two groups, and there are {groups}: use divdist")
    chosen = {key: value for key, value in options.items() if value is not None}
    if name not in OF_TEXTS:
        if chosen:
            raise UserError(f"{min(chosen)}: an option of directed and divdist, not of {name}")
        return found
    for key, value in chosen.items():
        if value not in OPTIONS[key]:
            raise UserError(f"{key}: must be one of {', '.join(OPTIONS[key])}, not {value!r}")
    measure = DivDist.named(**(DEFAULTS | chosen))
    if name == "directed":
        if "divergence" in chosen:
            raise UserError("divergence: an option of divdist, not of directed")
        low, high = -1 / groups, 1 - 1 / groups
        unit = found.unit.replace("1/k", f"1/{groups}")
        return replace(
            found, unit=unit, low=low, high=high, function=measure.directed, divdist=measure
        )
    high = float(MOST.get(measure.divergence, np.inf))
    unit = f"{found.unit} ({chosen.get('divergence', DEFAULTS['divergence'])})"
    return replace(found, unit=unit, high=high, function=partial(measure), divdist=measure)
