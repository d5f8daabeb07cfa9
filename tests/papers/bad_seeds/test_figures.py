"""The figures as drawn: the same bytes, what they say, what is hollow."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from socialbias.papers.bad_seeds import (
    documents,
    figure1,
    figure2,
    figure3,
    figure4,
    figure5,
    figures,
    spread,
)
from socialbias.pipeline.declarations import load_declarations
from socialbias.pipeline.job import Job
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import TOO_FEW, save_figure
from socialbias.reporting.values import values_table
from tests.papers.bad_seeds.worlds import (
    GATHERED,
    LISTS,
    ORDERED,
    PAIRS4,
    PANEL,
    REST4,
    SETS,
    SETS2,
    STYLE,
    cloud,
    corpus,
    figure2_evidence,
    first_component,
    published,
    spread_table,
    vectors,
)
from tests.paths import REPOSITORY


def documents_():
    """The evidence of one measure, m: the second of two documents lowers it."""
    rows = [("m", "fit", 1, "", 0.25, 0.01), ("m", "groups", 1, "", -0.5, 0.9)]
    rows += [("m", "raises", 1, "An article", 0.1, np.nan), ("m", "lowers", 1, "B", -0.2, np.nan)]
    rows += [("m", "without top", 1, "", -0.3, 0.05), ("m", "without random", 1, "", 0.1, np.nan)]
    return pd.DataFrame(rows, columns=documents.COLUMNS[:6])


@pytest.fixture(scope="module")
def drawn(lists):
    made = cloud()
    panel = {**PANEL, "first": ["w1", "w2", "w3"], "second": ["w4", "w5", "w6"]}
    panel["shuffled"] = (panel["first"], panel["second"][::-1])
    evidence = figure3.evidence({"nyt": made}, [panel], 5, 1)
    table5 = figure5.evidence({"wikitext": made}, LISTS, SETS, "g", ["noun"], (10, 900), 20, 1)
    values5 = values_table("figure5", figure5.values(table5, 0.95), 1)
    spread_ = spread_table(A=[0, 2], B=[2, 4])
    sets = {"f": SETS2["f"].words}
    pairs4 = {k: v | {"first": ["w1", "w2"], "second": ["w3", "w4"]} for k, v in PAIRS4.items()}
    table4_ = figure4.evidence(made, pairs4, {}, 5, 1)
    values4 = values_table("figure4", figure4.values(table4_, 0.95), 1)
    return {
        "figure1": lambda: figures.figure1_plot(figure1.evidence({"": GATHERED}), STYLE),
        "figure2": lambda: figures.figure2_plot(figure2_evidence(), sets, STYLE),
        "figure3": lambda: figures.figure3_plot(evidence, ["pairs", "absent"], STYLE),
        "figure4": lambda: figures.figure4_plot(values4, ["a ordered", "absent"], STYLE),
        "figure5": lambda: figures.figure5_plot(table5, values5, STYLE),
        "spread": lambda: figures.spread_plot(
            spread_, values_table("spread", spread.values(spread_, 0.95), 1), STYLE
        ),
        "documents": lambda: figures.documents_plot(documents_(), ["m", "absent"], STYLE),
    }


DRAWN = ["figure1", "figure2", "figure3", "figure4", "figure5", "spread", "documents"]


@pytest.mark.parametrize("name", DRAWN)
def test_a_figure_is_the_same_bytes_every_time(drawn, tmp_path, name):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        figure = drawn[name]()
        assert isinstance(figure, Figure)
        save_figure(figure, tmp_path / folder / name, STYLE["dpi"])
    for kind in ("pdf", "svg", "png"):
        one, two = (tmp_path / folder / f"{name}.{kind}" for folder in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


def texts(figure):
    return " ".join(t.get_text() for t in figure.findobj(mpl.text.Text))


def test_figures_say_what_they_show(drawn):
    assert "share of variance explained" in texts(drawn["figure3"]())
    assert "no input" in texts(drawn["figure3"]())  # the absent panel
    assert "r = " in texts(drawn["figure5"]())
    assert "she, her, lady" in texts(drawn["figure2"]())
    assert "m\nR² 0.25, p 0.01; groups R² −0.50, p 0.90" in texts(drawn["documents"]())
    assert "An article" in texts(drawn["documents"]())


def test_figure3_bars_are_means_and_error_bars_standard_deviations():
    model, other = vectors(**ORDERED), vectors(**(ORDERED | {"b2": (-0.6, 0, 0.8)}))
    table = figure3.evidence({"nyt": corpus(model, other)}, [PANEL], 5, 1)
    panel = figures.figure3_plot(table, ["pairs"], STYLE).axes[0]
    first = [
        first_component(table[table["model"] == i], "pairs", "original").item() for i in (0, 1)
    ]
    bars = [c for c in panel.containers if c.get_label() == "original order"]
    assert bars[0].patches[0].get_height() == pytest.approx(np.mean(first))
    (line,) = bars[0].errorbar.lines[2]
    low, high = line.get_segments()[0][:, 1]
    assert (high - low) / 2 == pytest.approx(np.std(first, ddof=1))


def drawing_of(artefact, evidence, records, folder):
    """What the rule gives a figure, on the declared rows."""
    declared = load_declarations(REPOSITORY / "src/socialbias/papers").artefacts
    entry = Artefact(**declared[f"bad_seeds_{artefact}"].shown())
    path = folder / "evidence.parquet"
    evidence.to_parquet(path)
    job = Job({f"evidence/bad_seeds/{artefact}": [path]}, {}, {}, print)
    return Drawing(entry, values_table(artefact, records, 1), published(artefact), STYLE, job)


@pytest.mark.parametrize("artefact", ["figure3", "figure4"])
def test_a_panel_of_print_without_numbers_is_there_and_says_so(artefact, lists, tmp_path):
    rows = [lists["pairs"][f"{artefact}{letter}"]["row"] for letter in "abc"]
    if artefact == "figure3":
        wanted = figure3.panels(lists, {})[:1]
        words = dict(zip(wanted[0]["first"], np.eye(20), strict=False))
        words |= dict(zip(wanted[0]["second"], -np.eye(20), strict=False))
        evidence = figure3.evidence({"nyt": corpus(vectors(**words))}, wanted, 5, 1)
        evidence = pd.concat([evidence, evidence.assign(row="pleasant-unpleasant pairs")])
        records = figure3.values(evidence, 0.95)
    else:
        pairs4 = {k: v | {"row": row} for (k, v), row in zip(PAIRS4.items(), rows, strict=True)}
        model = vectors(**ORDERED, **{k: v for k, v in REST4.items() if k != "u"})
        evidence = figure4.evidence(corpus(model), pairs4, {}, 5, 1)
        records = figure4.values(evidence, 0.95)
        assert rows[1] not in set(evidence["row"])
    panels = getattr(figures, f"draw_{artefact}")(
        drawing_of(artefact, evidence, records, tmp_path)
    ).axes
    assert [panel.get_title(loc="left") for panel in panels] == rows
    assert "no input" in {text.get_text() for text in panels[1].texts}
    assert not panels[0].texts


def test_figure4_bars_have_the_intervals_of_the_values():
    model = vectors(**ORDERED, **REST4)
    other = vectors(**ORDERED, **(REST4 | {"r7": (0.9, 1, 0)}))
    table = figure4.evidence(corpus(model, other), PAIRS4, {}, 5, 1)
    values = values_table("figure4", figure4.values(table, 0.95), 1)
    (panel,) = figures.figure4_plot(values, ["a ordered"], STYLE).axes
    cells_ = values[values["row"] == "a ordered"].set_index("column")
    places = [f"top {i}" for i in range(1, 6)] + [f"bottom {i}" for i in range(5, 0, -1)]
    (line,) = panel.containers[0].lines[2]
    drawn_ = [segment[:, 0] for segment in line.get_segments()]
    assert_allclose(drawn_, cells_.loc[places, ["ci_low", "ci_high"]], atol=1e-9)
    assert (cells_["ci_high"] > cells_["value"] + 0.1).any()


FEW = {"n": 2, "n_of": 9}


def legend_of(figure):
    return [text.get_text() for made in figure.legends for text in made.get_texts()]


def bars_of(panel):
    return [made for made in panel.containers if isinstance(made, mpl.container.BarContainer)]


def is_hollow(artist):
    """Whether a mark, a box or a bar is filled with white."""
    mark = isinstance(artist, mpl.lines.Line2D)
    face = artist.get_markerfacecolor() if mark else artist.get_facecolor()
    return face == "none" or mpl.colors.to_rgb(face) == (1, 1, 1)


def test_boxes_of_too_few_seeds_are_hollow_and_said_once():
    table = figure2_evidence()  # two of four seeds
    plenty = figures.figure2_plot(table.assign(n=4), {"f": ["she"]}, STYLE)
    few = table["corpus"] == "goodreads-romance"
    mixed = figures.figure2_plot(
        table.assign(n=4).mask(few, table.assign(n=1)), {"f": ["she"]}, STYLE
    )
    boxes = [[is_hollow(patch) for patch in figure.axes[0].patches] for figure in (plenty, mixed)]
    assert boxes == [[False, False], [True, False]]
    assert legend_of(plenty) == ["romance", "history, biography"]
    assert legend_of(mixed) == ["romance", "history, biography", TOO_FEW]


def test_bars_of_too_few_seeds_are_hollow_and_said_once(figure3_evidence):
    # print's shuffle has a count of its own
    other = figure3_evidence.assign(row="other", n=9, n_of=9)
    other.loc[other["setting"] == figure3.AS_PRINTED, ["n", "n_of"]] = 2, 9
    plenty = figure3_evidence.assign(n=9, n_of=9)
    figure = figures.figure3_plot(pd.concat([plenty, other]), ["pairs", "other"], STYLE)
    hollow = [
        {bars.get_label() for bars in bars_of(panel) if any(map(is_hollow, bars))}
        for panel in figure.axes
    ]
    assert hollow == [set(), {"shuffled as printed"}]
    assert legend_of(figure).count(TOO_FEW) == 1
    assert TOO_FEW not in legend_of(figures.figure3_plot(plenty, ["pairs"], STYLE))


def test_words_along_a_component_of_too_few_seeds_are_hollow(figure4_evidence):
    few = figure4_evidence.assign(**FEW)
    values = values_table("figure4", figure4.values(few, 0.95), 1)
    figure = figures.figure4_plot(values, ["a ordered"], STYLE)
    assert {is_hollow(bar) for bar in figure.axes[0].patches} == {True}
    assert legend_of(figure) == [TOO_FEW]


def test_points_of_too_few_seeds_are_hollow_and_said_once():
    rows = [("gathered", "gathered", "x", 0.1, 0.5, 9, 9)]
    rows += [("gathered", "gathered", "y", 0.2, 0.6, 2, 2)]
    rows += [("names", "highlighted", "names", 0.3, 0.7, 9, 2)]  # few have a partner
    columns = ["row", "kind", "pair", "similarity", "explained", "n", "pairs"]
    table = pd.DataFrame(rows, columns=columns).assign(model=0, n_of=9, pairs_of=9)
    table = table.reindex(columns=figure5.COLUMNS)
    figure = figures.figure5_plot(table, values_table("figure5", [], 1), STYLE)
    drawn_ = [line for line in figure.axes[0].get_lines() if len(line.get_xdata())]
    assert {float(line.get_xdata()[0]): is_hollow(line) for line in drawn_} == {
        0.1: False,
        0.2: True,
        0.3: True,
    }
    assert legend_of(figure) == ["placebo", "generated", "gathered", "names", TOO_FEW]


def test_the_spread_marks_what_is_too_few_and_cuts_no_mark():
    table = spread_table(A=[0, 2], B=[2, 4])
    table.loc[table["alternative"] == "B", ["n", "n_of"]] = 2, 9
    table = pd.concat([table, table.assign(corpus="wikitext", row="c, wikitext")])
    values = values_table("spread", spread.values(table, 0.95), 1)
    figure = figures.spread_plot(table, values, STYLE)
    (panel,) = figure.axes
    assert legend_of(figure) == ["NYT", "WikiText", TOO_FEW]
    marks = [line for line in panel.get_lines() if line.get_marker() in ("o", "s")]
    marks = [line for line in marks if len(line.get_xdata())]
    assert {(float(line.get_xdata()[0]), is_hollow(line)) for line in marks} == {
        (1.0, False),
        (3.0, True),
    }
    low, high = panel.get_ylim()
    ends = [float(np.ravel(line.get_ydata())[0]) for line in marks]
    assert low + 0.2 < min(ends) < max(ends) < high - 0.2


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Man Down ( song )", "Man Down (song)"),
        ('The " New " Deal : a history', 'The "New" Deal: a history'),
        ("Ted 's wife , Ann", "Ted's wife, Ann"),
        ("WASP-44", "WASP-44"),
    ],
)
def test_titles_lose_the_blanks_of_wikitext(name, shown):
    assert shown in texts(figures.documents_plot(documents_().assign(document=name), ["m"], STYLE))


@pytest.mark.parametrize("name", ["figure2", "figure3", "figure5", "spread", "documents"])
def test_a_figure_without_input_says_so(name):
    empty = {
        "figure2": lambda: figures.figure2_plot(
            pd.DataFrame(columns=figure2.COLUMNS), {"f": ["she"]}, STYLE
        ),
        "figure3": lambda: figures.figure3_plot(
            pd.DataFrame(columns=figure3.COLUMNS), ["pairs"], STYLE
        ),
        "figure5": lambda: figures.figure5_plot(
            pd.DataFrame(columns=figure5.COLUMNS), values_table("figure5", [], 1), STYLE
        ),
        "spread": lambda: figures.spread_plot(
            pd.DataFrame(columns=spread.COLUMNS), values_table("spread", [], 1), STYLE
        ),
        "documents": lambda: figures.documents_plot(
            pd.DataFrame(columns=documents.COLUMNS), ["m"], STYLE
        ),
    }
    assert "no input" in texts(empty[name]())
