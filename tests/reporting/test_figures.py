"""The picture of a table: print beside every variant of ours, in panels that can be read."""

from dataclasses import replace

import pandas as pd
import pytest
from matplotlib.colors import same_color, to_hex

from socialbias.pipeline.declarations import load_declarations
from socialbias.pipeline.job import Job
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import (
    FAINT,
    LONGEST_LABEL,
    NO_NUMBERS,
    ON_SUBSTITUTE,
    TOO_FEW,
    dot_plot,
    draw_artefact,
    draw_dot_plot,
    fitting,
)
from socialbias.reporting.values import value, values_table
from tests.paths import REPOSITORY

PAPERS = REPOSITORY / "src/socialbias/papers"
STYLE = {"width": 6.8, "row_height": 0.2, "font_size": 8.0, "dpi": 60}
STYLE |= {"colours": ["#0072B2", "#D55E00", "#009E73"]}
SAID = {"sources": "demo", "n_unit": "", "note": "", "fidelity": "exact"}


def artefact(**others):
    said = {"paper": "demo", "artefact": "table9", "title": "Table 9", "shows": "", "unit": "all"}
    rows = {"a": "row a", "b": "row b"}
    columns = {"words": "words", "share": "share"}
    variants = {"kept": "kept words", "rare": "rare words"}
    said |= {"digits": 1, "rows": rows, "columns": columns, "variants": variants}
    return Artefact(**(said | others))


def drawn(of, *records, printed=()):
    published = pd.DataFrame(printed, columns=["row", "column", "value"])
    return dot_plot(values_table("table9", list(records), 1), published, of, STYLE)


def number(row, column, x, unit="words", **others):
    return value(row, column, x, unit=unit, **(SAID | others))


def legend(figure):
    """By label, (colour, marker, filled) of the entry."""
    (made,) = figure.legends
    return {
        text.get_text(): (
            to_hex(line.get_color()),
            line.get_marker(),
            not same_color(line.get_markerfacecolor(), "white"),
        )
        for text, line in zip(made.get_texts(), made.get_lines(), strict=True)
    }


def test_ours_and_its_variants_differ_in_colour_and_in_marker():
    columns = ("words", "words@kept", "words@rare")
    entries = legend(drawn(artefact(), *(number("a", column, 3.0) for column in columns)))
    assert list(entries) == ["ours", "ours, kept words", "ours, rare words"]
    colours, markers, _ = zip(*entries.values(), strict=True)
    assert len(set(colours)) == len(set(markers)) == 3
    assert "D" not in markers  # print's


def test_without_plain_columns_the_first_variant_has_the_first_colour():
    entries = legend(drawn(artefact(), number("a", "words@kept", 3.0)))
    assert entries["ours, kept words"] == (STYLE["colours"][0].lower(), "o", True)


@pytest.mark.parametrize(("scale", "is_log"), [("none", False), ("log", True)])
def test_panels_of_their_own_scale_say_their_own_unit(scale, is_log):
    records = [number("a", "words", 1e6), number("b", "words", 1e8), number("a", "share", 0.5)]
    records[2]["unit"] = "share of all"
    first, second = drawn(artefact(scale=scale), *records).axes
    assert (first.get_xlabel(), second.get_xlabel()) == ("words", "share of all")
    assert first.get_xlim()[1] > 1e8 > 10 > second.get_xlim()[1]
    assert (first.get_xscale() == "log") == is_log


def test_panels_share_their_scale_where_nothing_else_is_said():
    first, second = drawn(artefact(), number("a", "words", 60), number("a", "share", 0.5)).axes
    assert first.get_xlim() == second.get_xlim()
    assert first.get_xlabel() == second.get_xlabel() == "all"


def test_a_single_panel_has_the_whole_width():
    figure = drawn(artefact(drawn=("words",)), number("a", "words", 3.0))
    figure.draw_without_rendering()
    (panel,) = figure.axes
    assert panel.get_position().width > 0.8


def test_marks_are_hollow_on_a_substitute_and_faint_on_too_few():
    few = {"n": 9.0, "n_of": 32.0, "n_unit": "seeds"}
    other = {"fidelity": "substitute"}
    records = [number("a", "words", 1.0, **few), number("b", "words", 2.0)]
    records += [number("a", "words@kept", 3.0, **few, **other), number("a", "share", 4.0, **other)]
    figure = drawn(artefact(), *records)
    entries = legend(figure)
    assert list(entries) == ["ours", "ours, kept words", ON_SUBSTITUTE, TOO_FEW]
    assert [filled for *_, filled in entries.values()] == [True, True, False, True]
    marks = {
        float(line.get_xdata()[0]): (
            same_color(line.get_markerfacecolor(), "white"),
            line.get_alpha() == FAINT,
        )
        for panel in figure.axes
        for line in panel.get_lines()
        if line.get_marker() in ("o", "s") and len(line.get_xdata())
    }
    assert marks == {1.0: (False, True), 2.0: (False, False), 3.0: (True, True), 4.0: (True, False)}


def test_a_caption_stands_below_the_panels_and_makes_the_figure_taller(tmp_path):
    said = "Not the paper's inputs: " + "; ".join(f"text {i} (for: book {i})" for i in range(9))
    of = {said: artefact(caption=said), "": artefact()}
    figures = {}
    for caption, entry in of.items():
        values = values_table("table9", [number("a", "words", 1.0)], 1)
        published = pd.DataFrame(columns=["row", "column", "value"])
        drawing = Drawing(entry, values, published, STYLE, Job({}, {}, {}, print))
        figures[caption] = draw_artefact(drawing, draw_dot_plot)
    left_out = "1 row without a number here left out"
    assert figures[""].get_supxlabel() == left_out
    assert figures[said].get_supxlabel().split("\n")[0] == left_out
    assert " ".join(figures[said].get_supxlabel().split("\n")[1:]) == said
    assert figures[said].get_size_inches()[1] > figures[""].get_size_inches()[1]


def test_a_long_label_keeps_both_ends():
    label = "distinctions similarities friction parallels - rape manslaughter felony assault"
    short = fitting(label, 40)
    assert short == "distinctions … felony assault"
    assert fitting("short", 40) == "short"


def test_a_long_label_of_a_substitute_keeps_both_names():
    real, label = "film reviews, negative", "(for: Goodreads, history and biography)"
    assert fitting(f"{real} {label}", 40) == f"{real}\n{label}"
    assert fitting(f"{real} {label}", 80) == f"{real} {label}"


def test_no_two_rows_of_a_picture_get_the_same_short_label():
    for declared in load_declarations(PAPERS).artefacts.values():
        if not declared.figure.function.endswith(":draw_dot_plot"):
            continue  # has a picture of its own
        entry = Artefact(**declared.shown())
        longest = LONGEST_LABEL[min(2, len(entry.drawn or entry.columns))]
        labels = [fitting(label, longest) for label in entry.rows.values()]
        assert len(set(labels)) == len(labels), entry.name
        assert max(map(len, labels)) <= longest, entry.name


def test_a_row_without_any_number_is_left_out_and_counted():
    nothing = number("b", "words", float("nan"), **{"fidelity": "no input"})
    figure = drawn(artefact(), number("a", "words", 3.0), nothing)
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["row a"]
    assert figure.get_supxlabel() == "1 row without a number here left out"
    both = drawn(artefact(), number("a", "words", 3.0), nothing, printed=[("b", "words", "2")])
    assert [label.get_text() for label in both.axes[0].get_yticklabels()] == ["row a", "row b"]
    assert both.get_supxlabel() == ""


@pytest.mark.parametrize("printed", [(), [("b", "words", "2")]])
def test_a_figure_without_a_number_of_ours_is_one_sentence(printed):
    published = pd.DataFrame(printed, columns=["row", "column", "value"])
    nothing = number("b", "words", float("nan"), **{"fidelity": "no input"})
    not_drawn = number("b", "share", 0.5)
    values = values_table("table9", [nothing, not_drawn], 1)
    job = Job({}, {}, {}, print)
    only_words = Drawing(artefact(drawn=["words"]), values, published, STYLE, job)
    figure = draw_artefact(only_words, draw_dot_plot)
    assert figure.axes == []
    assert [text.get_text() for text in figure.texts] == [f"Table 9\n{NO_NUMBERS}"]
    assert len(draw_artefact(replace(only_words, artefact=artefact()), draw_dot_plot).axes) > 0
