"""The measures by name, with their options."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from socialbias.errors import UserError, nearest
from socialbias.measures.divdist import ASSOCIATIONS, DIVERGENCES, MAX_DIVERGENCE, NORMALIZERS
from socialbias.measures.registry import ALIASES, MEASURES, Measure

OPTIONS = {"association": ASSOCIATIONS, "normalize": NORMALIZERS, "divergence": DIVERGENCES}
OF_TEXTS = ("directed", "divdist")


def instrument(name: str | None, groups: int, **options: str | None) -> Measure:
    """Return a measure by name, with the range and the unit that it has with its options.

    Without a name it is `position`. Options are of `directed` and `divdist` alone, by the names
    that `DivDist.named` takes; given without a name, they ask for these, `directed` of two groups.
    """
    chosen = {key: value for key, value in options.items() if value is not None}
    if name is None:
        shares = "directed" if groups == 2 else "divdist"
        name = shares if chosen else "position"
    name = ALIASES.get(name, name)
    if name not in MEASURES:
        hint = nearest(name, [*MEASURES, *ALIASES]) or f"; choose from {', '.join(MEASURES)}"
        raise UserError(f"measure: there is no measure {name!r}{hint}")
    measure = MEASURES[name]
    if not measure.many and groups != 2:
        raise UserError(f"measure: {name} needs two groups, but there are {groups}: use divdist")
    if name not in OF_TEXTS:
        if chosen:
            raise UserError(f"{min(chosen)}: an option of directed and divdist, not of {name}")
        if name == "position" and groups > 2:
            return replace(measure, signed=False, low=0.0)
        return measure
    for key, value in chosen.items():
        if value not in OPTIONS[key]:
            raise UserError(f"{key}: must be one of {', '.join(OPTIONS[key])}, not {value!r}")
    with_options = replace(measure, options={**measure.options, **chosen})
    if name == "directed":
        if "divergence" in chosen:
            raise UserError("divergence: an option of divdist, not of directed")
        unit = measure.unit.replace("1/k", f"1/{groups}")
        return replace(with_options, unit=unit, low=-1 / groups, high=1 - 1 / groups)
    divergence = with_options.options["divergence"]
    high = float(MAX_DIVERGENCE.get(DIVERGENCES[divergence], np.inf))
    return replace(with_options, unit=f"{measure.unit} ({divergence})", high=high)
