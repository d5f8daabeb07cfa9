"""The figures as drawn: the same bytes, what they say, what is hollow."""

from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from socialbias.papers.bad_seeds import (
    documents,
    documents_figure,
    figure1,
    figure2,
    figure3,
    figure4,
    figure5,
    figures,
    spread,
    spread_figure,
)
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import CAUTION, FAINT, ON_SUBSTITUTE, save_figure
from tests.declared import DECLARATIONS
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
    spread_table,
)
from tests.records import value, values_table
from tests.worlds.jobs import job_with, summarised
from tests.worlds.numbers import printed
from tests.worlds.vectors import vectors


def documents_():
    """The evidence of one measure, m: the second of two documents lowers it."""
    rows = [("m", "fit", 1, "", 0.25, 0.01), ("m", "groups", 1, "", -0.5, 0.9)]
    rows += [("m", "raises", 1, "An article", 0.1, np.nan), ("m", "lowers", 1, "B", -0.2, np.nan)]
    rows += [("m", "without top", 1, "", -0.3, 0.05), ("m", "without random", 1, "", 0.1, np.nan)]
    return pd.DataFrame(rows, columns=documents.COLUMNS[:6])


def drawing_of(artefact, evidence, records=(), **changed):
    """What the rule gives a figure, on the declared rows."""
    entry = Artefact(**DECLARATIONS.artefacts[f"bad_seeds_{artefact}"].shown())
    job = job_with({f"evidence/bad_seeds/{artefact}": evidence})
    values = values_table(artefact, records, 1)
    return Drawing(replace(entry, **changed), values, printed("bad_seeds", artefact), STYLE, job)


def figure4_plot(records):
    return figures.draw_figure4(drawing_of("figure4", None, records, rows={"a ordered": "a"}))


def documents_plot(evidence, *rows):
    drawing = drawing_of("documents", evidence, rows=dict.fromkeys(rows, ""))
    return documents_figure.draw_documents(drawing)


@pytest.fixture(scope="module")
def drawn(lists):
    made = cloud()
    panel = {**PANEL, "first": ["w1", "w2", "w3"], "second": ["w4", "w5", "w6"]}
    panel["shuffled"] = (panel["first"], panel["second"][::-1])
    evidence = figure3.evidence({"nyt": made}, [panel], 5, 1)
    table5 = figure5.evidence({"wikitext": made}, LISTS, SETS, (10, 900), 20, 1)
    drawing5 = drawing_of("figure5", table5, summarised(figure5, table5))
    spread_ = spread_table(A=[0, 2], B=[2, 4])
    sets = {"f": SETS2["f"].words}
    pairs4 = {k: v | {"first": ["w1", "w2"], "second": ["w3", "w4"]} for k, v in PAIRS4.items()}
    table4_ = figure4.evidence({"nyt": made}, pairs4, {}, 5, 1)
    records4 = summarised(figure4, table4_)
    gathered = figure1.evidence({"": GATHERED})
    return {
        "figure1": lambda: figures.draw_figure1(drawing_of("figure1", gathered)),
        "figure2": lambda: figures.figure2_plot(figure2_evidence(), sets, STYLE),
        "figure3": lambda: figures.figure3_plot(evidence, ["pairs", "absent"], STYLE),
        "figure4": lambda: figure4_plot(records4),
        "figure5": lambda: figures.draw_figure5(drawing5),
        "spread": lambda: spread_figure.draw_spread(
            drawing_of("spread", spread_, summarised(spread, spread_))
        ),
        "documents": lambda: documents_plot(documents_(), "m", "absent"),
    }


SLOW = ("figure1", "figure2", "figure3", "figure4", "documents", "spread")
DRAWN = ["figure5", *(pytest.param(name, marks=pytest.mark.long) for name in SLOW)]


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
    assert "share of variance" in texts(drawn["figure3"]())
    assert "no input" in texts(drawn["figure3"]())  # the absent panel
    assert "r = " in texts(drawn["figure5"]())
    assert "she, her, lady" in texts(drawn["figure2"]())
    assert "m\nR² 0.25, p 0.01; groups R² −0.50, p 0.90" in texts(drawn["documents"]())
    assert "An article" in texts(drawn["documents"]())
    assert "No input: absent." in texts(drawn["documents"]())


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


@pytest.mark.parametrize("artefact", ["figure3", "figure4"])
def test_a_panel_of_print_without_numbers_is_left_out_and_named_below(artefact, lists):
    rows = [lists["pairs"][f"{artefact}{letter}"]["row"] for letter in "abc"]
    if artefact == "figure3":
        wanted = figure3.panels(lists, {})[:1]
        words = dict(zip(wanted[0]["first"], np.eye(20), strict=False))
        words |= dict(zip(wanted[0]["second"], -np.eye(20), strict=False))
        evidence = figure3.evidence({"nyt": corpus(vectors(**words))}, wanted, 5, 1)
        evidence = pd.concat([evidence, evidence.assign(row="pleasant-unpleasant pairs")])
        records = summarised(figure3, evidence)
    else:
        pairs4 = {k: v | {"row": row} for (k, v), row in zip(PAIRS4.items(), rows, strict=True)}
        model = vectors(**ORDERED, **{k: v for k, v in REST4.items() if k != "u"})
        evidence = figure4.evidence({"nyt": corpus(model)}, pairs4, {}, 5, 1)
        records = summarised(figure4, evidence)
        assert rows[1] not in set(evidence["row"])
    kept = [row for row in rows if row in set(evidence["row"])]
    assert len(kept) == (1 if artefact == "figure3" else 2)
    drawing = drawing_of(artefact, evidence, records)
    figure = getattr(figures, f"draw_{artefact}")(drawing)
    assert [panel.get_title(loc="left") for panel in figure.axes] == kept
    absent = "; ".join(row for row in rows if row not in kept)
    left_out = f"Not drawn, without a number in this run: {absent}."
    assert figure.get_supxlabel().endswith(left_out)


def test_figure4_bars_have_the_intervals_of_the_values():
    model = vectors(**ORDERED, **REST4)
    other = vectors(**ORDERED, **(REST4 | {"r7": (0.9, 1, 0)}))
    table = figure4.evidence({"nyt": corpus(model, other)}, PAIRS4, {}, 5, 1)
    records = summarised(figure4, table)
    values = values_table("figure4", records, 1)
    (panel,) = figure4_plot(records).axes
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


def is_faint(artist):
    return artist.get_alpha() == FAINT


def test_boxes_are_hollow_on_a_substitute_and_faint_on_too_few_seeds():
    table, sets = figure2_evidence().assign(n=4), {"f": ["she"]}
    romance = table["corpus"] == "goodreads-romance"
    plain = figures.figure2_plot(table, sets, STYLE)
    few, history = table.mask(romance, table.assign(n=1)), {("f", "goodreads-history-biography")}
    mixed = figures.figure2_plot(few, sets, STYLE, substitutes=history)
    boxes = [
        [(is_hollow(patch), is_faint(patch)) for patch in figure.axes[0].patches]
        for figure in (plain, mixed)
    ]
    assert boxes == [[(False, False), (False, False)], [(False, True), (True, False)]]
    assert legend_of(plain) == ["romance", "history, biography"]
    assert legend_of(mixed) == ["romance", "history, biography", ON_SUBSTITUTE, CAUTION]


def test_figure2_and_the_spread_call_corpora_what_they_are():
    labels = {
        "goodreads-romance": "film reviews, positive (for: Goodreads, romance)",
        "goodreads-history-biography": (
            "film reviews, negative (for: Goodreads, history and biography)"
        ),
    }
    made = figures.figure2_plot(figure2_evidence(), {"f": ["she"]}, STYLE, labels)
    said = [" ".join(text.split()) for text in legend_of(made)[:2]]
    assert said == list(labels.values())
    made.draw_without_rendering()
    (legend,) = made.legends
    assert legend.get_window_extent().x1 <= made.get_window_extent().x1
    table = spread_table(A=[0, 2], B=[2, 4])  # of the corpus nyt
    records = summarised(spread, table)
    drawing = drawing_of("spread", table, records)
    of = replace(drawing.artefact, stand_ins={"corpus_nyt": "BBC news"})
    assert legend_of(spread_figure.draw_spread(drawing))[0] == "NYT"
    said = legend_of(spread_figure.draw_spread(replace(drawing, artefact=of)))[0]
    assert said == "BBC news (for: NYT)"


def test_bars_are_hollow_on_a_substitute_and_faint_on_too_few_seeds(figure3_evidence):
    # print's shuffle has a count of its own
    plenty = figure3_evidence.assign(n=9, n_of=9)
    other = plenty.assign(row="other")
    other.loc[other["column"] == figure3.AS_PRINTED, ["n", "n_of"]] = 2, 9
    hollow = {("other", f"component 1@{figure3.ORIGINAL}")}
    both, rows = pd.concat([plenty, other]), ["pairs", "other"]
    figure = figures.figure3_plot(both, rows, STYLE, substitutes=hollow)
    for look, label in ((is_faint, "shuffled as printed"), (is_hollow, "original order")):
        found = [
            {bars.get_label() for bars in bars_of(panel) if any(map(look, bars))}
            for panel in figure.axes
        ]
        assert found == [set(), {label}]
    assert legend_of(figure)[-2:] == [ON_SUBSTITUTE, CAUTION]
    alone = legend_of(figures.figure3_plot(plenty, ["pairs"], STYLE))
    assert not {ON_SUBSTITUTE, CAUTION} & {*alone}


def test_words_along_a_component_are_hollow_on_a_substitute_and_faint_on_too_few(figure4_evidence):
    for others, fidelity, hollow, faint, label in (
        (FEW, "exact", False, True, CAUTION),
        ({"n": 9, "n_of": 9}, "substitute", True, False, ON_SUBSTITUTE),
    ):
        records = summarised(figure4, figure4_evidence.assign(**others))
        figure = figure4_plot([record | {"fidelity": fidelity} for record in records])
        bars = figure.axes[0].patches
        assert {(is_hollow(bar), is_faint(bar)) for bar in bars} == {(hollow, faint)}
        assert legend_of(figure) == [label]


def test_points_are_hollow_on_a_substitute_and_faint_on_too_few_seeds():
    rows = [("gathered", "gathered", "x", 0.1, 0.5, 9, 9)]
    rows += [("cut", "gathered", "y", 0.2, 0.6, 2, 2)]
    rows += [("names", "highlighted", "names", 0.3, 0.7, 9, 2)]  # few have a partner
    columns = ["row", "kind", "pair", "similarity", "explained", "n", "pairs"]
    table = pd.DataFrame(rows, columns=columns).assign(model=0, n_of=9, pairs_of=9)
    table = table.reindex(columns=figure5.COLUMNS)
    records = [value("gathered", "x", 1.0, fidelity="substitute")]
    figure = figures.draw_figure5(drawing_of("figure5", table, records))
    drawn_ = [line for line in figure.axes[0].get_lines() if len(line.get_xdata())]
    looks = {float(line.get_xdata()[0]): (is_hollow(line), is_faint(line)) for line in drawn_}
    assert looks == {0.1: (True, False), 0.2: (False, True), 0.3: (False, True)}
    labels = ["placebo", "generated", "gathered", "names", ON_SUBSTITUTE, CAUTION]
    assert legend_of(figure) == labels


def test_the_spread_marks_substitutes_and_what_is_too_few_and_cuts_no_mark():
    table = spread_table(A=[0, 2], B=[2, 4])
    table.loc[table["column"] == "B", ["n", "n_of"]] = 2, 9
    other = table.assign(corpus="wikitext", row="c, wikitext")
    table = pd.concat([table, other])
    records = summarised(spread, table)
    for record in records:
        record["fidelity"] = "substitute" if record["row"] == "c, wikitext" else "exact"
    figure = spread_figure.draw_spread(drawing_of("spread", table, records))
    (panel,) = figure.axes
    assert legend_of(figure) == ["NYT", "WikiText", ON_SUBSTITUTE, CAUTION]
    marks = [line for line in panel.get_lines() if line.get_marker() in ("o", "s")]
    marks = [line for line in marks if len(line.get_xdata())]
    looks = {(float(line.get_xdata()[0]), is_faint(line), is_hollow(line)) for line in marks}
    assert looks == {(x, x == 3.0, hollow) for x in (1.0, 3.0) for hollow in (False, True)}
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
    assert shown in texts(documents_plot(documents_().assign(document=name), "m"))


@pytest.mark.parametrize("name", ["figure2", "figure3", "figure5", "spread"])
def test_a_figure_without_input_says_so(name):
    empty = {
        "figure2": lambda: figures.figure2_plot(
            pd.DataFrame(columns=figure2.COLUMNS), {"f": ["she"]}, STYLE
        ),
        "figure3": lambda: figures.figure3_plot(figure3.evidence({}, [], 1, 1), ["pairs"], STYLE),
        "figure5": lambda: figures.draw_figure5(
            drawing_of("figure5", pd.DataFrame(columns=figure5.COLUMNS))
        ),
        "spread": lambda: spread_figure.draw_spread(
            drawing_of("spread", spread.evidence({}, {}, {}))
        ),
    }
    assert "no input" in texts(empty[name]())
