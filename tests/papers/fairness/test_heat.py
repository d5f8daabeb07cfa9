"""Heat maps: what is shaded, and what stands in the cells; Figure 3's cells by hand."""

import numpy as np
import pandas as pd
import pytest

from socialbias.config import FigureStyle
from socialbias.papers.fairness import figure3
from socialbias.papers.fairness.heat import Panel, heat_maps
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.drawing import Drawing
from tests.worlds.fairness import DEALS
from tests.worlds.jobs import summarised
from tests.worlds.numbers import numbers

ROWS, COLUMNS = {"FNED": "FNED [P]", "FNR Ratio": "ratio"}, {"all": "all", "a": "a", "b": "b"}
VALUES = pd.DataFrame(
    [
        ("FNED", "all", 9.0, ""), ("FNED", "a", 0.25, ""), ("FNED", "b", -0.5, ""),
        ("FNR Ratio", "a", 0.0, "0/0 counted as 0"), ("FNR Ratio", "b", 3.0, ""),
    ],
    columns=["row", "column", "value", "note"],
)  # fmt: skip


def _drawn():
    facts = {"title": "t", "shows": "s", "unit": "metric", "digits": 3}
    artefact = Artefact(paper="fairness", artefact="figure2", rows=ROWS, columns=COLUMNS, **facts)
    drawing = Drawing(artefact, VALUES, pd.DataFrame(), FigureStyle().model_dump(), None)
    panel = Panel("a) gender", VALUES, list(ROWS), list(COLUMNS))
    return heat_maps(drawing, [panel], ratios=["FNR Ratio"], plain=["all"])


def test_cells_have_their_numbers_and_rows_their_shades():
    axis, key = _drawn().axes
    assert "ratios: 1" in key.get_xlabel()
    shown = [text.get_text() for text in axis.texts]
    assert shown == ["9.000", ".250", "−.500", "", ".000", "3.000"]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["FNEDᴾ", "ratio"]
    shades = axis.collections[0].get_array()
    np.testing.assert_allclose(shades.filled(np.nan), [[np.nan, 0.5, -1], [np.nan, np.nan, 1]])


COUNTS = pd.DataFrame(
    [
        ("nationality", source, group, f"{group}{i}", "country", "LOC", 1, result, result, p)
        for source in range(4)
        for i in range(2)
        for group, result, p in (("q1", int(source == 0), 0.1), ("q2", 1, 0.9), ("q3", 1, 0.9))
    ],
    columns=["attribute", "source", "group", "term", "word_class", "class", "gold", "predicted",
             "found", "probability"],
)  # fmt: skip


def test_a_sixth_whose_places_are_missed():
    cells = numbers(summarised(figure3, {figure3.RECOGNISERS["tagger"]: COUNTS}, **DEALS))
    # Of q1 3 in 4 are missed, of all 1 in 4, and of the others none.
    assert cells["FNED", "q1@tagger"] == pytest.approx(1 / 2)
    assert cells["FNED", "all@tagger"] == pytest.approx(1 / 2 + 1 / 4 + 1 / 4)
    assert cells["FNED*", "all@tagger"] == pytest.approx(1 / 3)
    assert cells["FNR Ratio", "q2@tagger"] == 0
    assert cells["TPR Gap", "q2@tagger"] == pytest.approx(3 / 8)  # .75 from q1, 0 from q3
    assert cells["AvgEG (TC)", "q1@tagger"] == -0.5
    assert cells["CFGap (TC)", "all@tagger"] == pytest.approx(0.8 * 2 / 3)
    assert ("AvgEG (TC)", "all@tagger") not in cells
