"""The figures as drawn: what they say, what is hollow, what is faint."""

from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from socialbias.papers.bad_seeds import (
    figure2,
    figure3,
    figure4,
    figure5,
    figures,
    gathered_sets,
)
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import CAUTION, FAINT, ON_SUBSTITUTE
from tests.declared import DECLARATIONS
from tests.papers.bad_seeds.worlds import (
    ORDERED,
    PAIRS4,
    PANEL,
    REST4,
    STYLE,
    VERSIONS,
    cloud,
    corpus,
    figure2_evidence,
    figure3_of,
    figure4_of,
    figure5_of,
    first_component,
    measured,
)
from tests.paths import RESOURCES
from tests.records import value, values_table
from tests.worlds import job_with, printed, summarised, vectors


def drawing_of(artefact, evidence, records=(), **changed):
    """What the rule gives a figure, on the declared rows."""
    entry = Artefact(**DECLARATIONS.artefacts[f"bad_seeds_{artefact}"].shown())
    lists = RESOURCES / "word_lists" / "bad_seeds.yaml"
    job = job_with({f"evidence/bad_seeds/{artefact}": evidence, "word_lists/bad_seeds": lists})
    values, shown = values_table(artefact, records, 1), printed("bad_seeds", artefact)
    return Drawing(replace(entry, **changed), values, shown, STYLE, job)


def texts(figure):
    return " ".join(t.get_text() for t in figure.findobj(mpl.text.Text))


def legend_of(figure):
    return [text.get_text() for made in figure.legends for text in made.get_texts()]


def looks_of(artist):
    """Whether a mark, a box or a bar is filled with white, and whether it is faint."""
    mark = isinstance(artist, mpl.lines.Line2D)
    face = artist.get_markerfacecolor() if mark else artist.get_facecolor()
    hollow = face == "none" or mpl.colors.to_rgb(face) == (1, 1, 1)
    return hollow, artist.get_alpha() == FAINT


Bars = mpl.container.BarContainer
PLAIN, HOLLOW, FADED = (False, False), (True, False), (False, True)


def test_figures_say_what_they_show_and_what_has_no_input(figure3_evidence):
    drawing = drawing_of("figure3", figure3_evidence, rows={"pairs": "", "absent": "lost"})
    figure3_ = figures.draw_figure3(drawing)
    assert "share of variance" in texts(figure3_)
    assert figure3_.get_supxlabel().endswith("without a number in this run: lost.")
    evidence = figure5_of({"wikitext": cloud()})
    drawing = drawing_of("figure5", evidence, summarised(figure5, evidence))
    assert "r = " in texts(figures.draw_figure5(drawing))
    nothing = pd.DataFrame(columns=figure2.COLUMNS), pd.DataFrame(columns=figure5.COLUMNS)
    assert "no input" in texts(figures.draw_figure2(drawing_of("figure2", nothing[0])))
    assert "no input" in texts(figures.draw_figure5(drawing_of("figure5", nothing[1])))
    sizes = figures.draw_figure1(
        drawing_of("figure1", measured(gathered_sets.measure_figure1, replaced=VERSIONS))
    )
    assert sizes.axes[0].patches


def test_figure3_bars_are_means_and_error_bars_standard_deviations():
    model, other = vectors(**ORDERED), vectors(**(ORDERED | {"b2": (-0.6, 0, 0.8)}))
    table = figure3_of({"nyt": corpus(model, other)}, PANEL, 5)
    panel = figures.draw_figure3(drawing_of("figure3", table, rows={"pairs": ""})).axes[0]
    first = [
        first_component(table[table["model"] == i], "pairs", "original").item() for i in (0, 1)
    ]
    bars = [c for c in panel.containers if c.get_label() == "original order"]
    assert bars[0].patches[0].get_height() == pytest.approx(np.mean(first))
    (line,) = bars[0].errorbar.lines[2]
    low, high = line.get_segments()[0][:, 1]
    assert (high - low) / 2 == pytest.approx(np.std(first, ddof=1))


def test_boxes_are_hollow_on_a_substitute_and_faint_on_too_few_seeds():
    row = "female_1-Caliskan_et_al_2017"
    table = figure2_evidence().assign(n=4, row=row)
    few = table.mask(table["corpus"] == "goodreads-romance", table.assign(n=1))
    hollow = value(row, "goodreads-history-biography", 1.0, fidelity="substitute")
    columns = {"goodreads-romance": "romance", "goodreads-history-biography": "biography"}
    for evidence, records, looks, labels in (
        (table, [], [PLAIN, PLAIN], []),
        (few, [hollow], [FADED, HOLLOW], [ON_SUBSTITUTE, CAUTION]),
    ):
        figure = figures.draw_figure2(drawing_of("figure2", evidence, records, columns=columns))
        assert [looks_of(patch) for patch in figure.axes[0].patches] == looks
        assert legend_of(figure) == [*columns.values(), *labels]
        assert "sister, female, woman, … (Caliskan et al. 2017)" in texts(figure)


def test_bars_are_hollow_on_a_substitute_and_faint_on_too_few_seeds(figure3_evidence):
    # print's shuffle has a count of its own
    plenty = figure3_evidence.assign(n=9, n_of=9)
    other = plenty.assign(row="other")
    other.loc[other["column"] == figure3.AS_PRINTED, ["n", "n_of"]] = 2, 9
    records = [value("other", f"component 1@{figure3.ORIGINAL}", 1.0, fidelity="substitute")]
    both, rows = pd.concat([plenty, other]), {"pairs": "", "other": ""}
    figure = figures.draw_figure3(drawing_of("figure3", both, records, rows=rows))
    found = [
        {made.get_label(): looks_of(made[0]) for made in panel.containers if isinstance(made, Bars)}
        for panel in figure.axes
    ]
    expected = {"original order": HOLLOW, "shuffled as printed": FADED}
    assert {name: looks for name, looks in found[1].items() if looks != PLAIN} == expected
    assert {*found[0].values()} == {PLAIN}
    assert legend_of(figure)[-2:] == [ON_SUBSTITUTE, CAUTION]


def marks_of(figure, kinds=None):
    lines = figure.axes[0].get_lines()
    return [m for m in lines if len(m.get_xdata()) and (kinds is None or m.get_marker() in kinds)]


def test_points_are_hollow_on_a_substitute_and_faint_on_too_few_seeds():
    rows = [("gathered", "gathered", "x", 0.1, 0.5, 9, 9)]
    rows += [("cut", "gathered", "y", 0.2, 0.6, 2, 2)]
    rows += [("names", "highlighted", "names", 0.3, 0.7, 9, 2)]  # few have a partner
    columns = ["row", "kind", "pair", "similarity", "explained", "n", "pairs"]
    table = pd.DataFrame(rows, columns=columns).assign(model=0, n_of=9, pairs_of=9)
    records = [value("gathered", "x", 1.0, fidelity="substitute")]
    drawing = drawing_of("figure5", table.reindex(columns=figure5.COLUMNS), records)
    figure = figures.draw_figure5(drawing)
    looks = {float(mark.get_xdata()[0]): looks_of(mark) for mark in marks_of(figure)}
    assert looks == {0.1: HOLLOW, 0.2: FADED, 0.3: FADED}
    labels = ["placebo", "generated", "gathered", "names", ON_SUBSTITUTE, CAUTION]
    assert legend_of(figure) == labels


def test_a_panel_of_print_without_numbers_is_left_out_and_named_below(lists):
    rows = [lists["pairs"][f"figure4{letter}"]["row"] for letter in "abc"]
    pairs4 = {k: v | {"row": row} for (k, v), row in zip(PAIRS4.items(), rows, strict=True)}
    model = vectors(**ORDERED, **{k: v for k, v in REST4.items() if k != "u"})
    evidence = figure4_of({"nyt": corpus(model)}, pairs4)
    figure = figures.draw_figure4(drawing_of("figure4", evidence, summarised(figure4, evidence)))
    assert [panel.get_title(loc="left") for panel in figure.axes] == [rows[0], rows[2]]
    assert figure.get_supxlabel().endswith(f"without a number in this run: {rows[1]}.")
