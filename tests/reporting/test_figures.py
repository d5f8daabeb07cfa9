"""The picture of a table: print beside every variant of ours, in panels that can be read."""

from dataclasses import replace

import pandas as pd
import pytest
from matplotlib.colors import same_color, to_hex

from socialbias.pipeline.job import Job
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import (
    CAUTION,
    CHARACTERS,
    FAINT,
    GREY,
    LONGEST,
    NO_NUMBERS,
    ON_SUBSTITUTE,
    draw_artefact,
    draw_dot_plot,
    fitting,
)
from tests.declared import DECLARATIONS
from tests.records import value, values_table

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
    return draw_dot_plot(drawing_of(of, *records, printed=printed))


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


def test_the_plain_column_or_else_the_first_variant_has_the_first_colour():
    first = (STYLE["colours"][0].lower(), "o", True)
    entry = artefact(variants={"": "as it is", "kept": "kept words"})
    both = legend(drawn(entry, number("a", "words", 3.0), number("a", "words@kept", 3.0)))
    assert both["ours"] == first
    printed = [("a", "words", "2")]
    alone = legend(drawn(artefact(), number("a", "words@kept", 3.0), printed=printed))
    assert alone["ours, kept words"] == first
    assert drawn(artefact(), number("a", "words", 3.0)).legends == []


@pytest.mark.parametrize(("scale", "is_log"), [("none", False), ("log", True)])
def test_panels_of_their_own_scale_say_their_own_unit(scale, is_log):
    records = [number("a", "words", 1e6), number("b", "words", 1e8), number("a", "share", 0.5)]
    records[2]["unit"] = "share of all"
    first, second = drawn(artefact(scale=scale), *records).axes
    assert (first.get_xlabel(), second.get_xlabel()) == ("words", "share of all")
    assert first.get_xlim()[1] > 1e8 > 10 > second.get_xlim()[1]
    assert (first.get_xscale() == "log") == is_log
    first, second = drawn(artefact(), *records[1:]).axes
    assert first.get_xlim() == second.get_xlim()
    assert (first.get_xlabel(), second.get_xlabel()) == ("words", "share of all")


def test_marks_are_hollow_on_a_substitute_and_faint_on_too_few():
    few = {"n": 9.0, "n_of": 32.0, "n_unit": "seeds"}
    other = {"fidelity": "substitute"}
    records = [number("a", "words", 1.0, **few), number("b", "words", 2.0)]
    records += [number("a", "words@kept", 3.0, **few, **other), number("a", "share", 4.0, **other)]
    figure = drawn(artefact(), *records)
    entries = legend(figure)
    assert list(entries) == ["ours", "ours, kept words", ON_SUBSTITUTE, CAUTION]
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


def drawing_of(entry, *records, run="", printed=()):
    values = values_table("table9", list(records), 1)
    published = pd.DataFrame(printed, columns=["row", "column", "value"])
    return Drawing(entry, values, published, STYLE, Job({}, {}, print), run)


def test_the_caption_says_everything_and_the_line_below_what_numbers_are_based_on():
    entry = artefact(
        caption="Not the paper's inputs: a text (for: a book).",
        intervals={"wo*": "over words", "*": "over documents"},
    )
    ends = {"ci_low": 0.5, "ci_high": 4.0}
    records = [number("a", "words", 1.0, **ends), number("b", "words@kept", 2.0)]
    records += [number("a", "share", 3.0, fidelity="substitute", **ends)]
    records += [number("b", "share", 4.0, sources="planted")]
    figure, caption = draw_artefact(drawing_of(entry, *records, run="mine"), draw_dot_plot)
    based_on = "Numbers: 2 on the paper's inputs, 1 on substitute data, 1 on planted data."
    assert figure.get_supxlabel() == f"Table 9 (mine run). {based_on}"
    assert caption == (
        f"Table 9. Run: mine. {based_on} Not the paper's inputs: a text (for: a book). "
        "Intervals (95 %), of several kinds: over words (words); over documents (share)."
    )
    entry = artefact(title=f"Why {'words ' * 40}?", drawn=["words"])
    figure, caption = draw_artefact(drawing_of(entry, number("a", "words", 1.0)), draw_dot_plot)
    assert caption.startswith(figure.get_supxlabel().replace("\n", " "))
    assert max(map(len, figure.get_supxlabel().split("\n"))) <= 6.8 * CHARACTERS / 8


def test_an_interval_that_would_stretch_an_axis_is_cut_with_an_arrow():
    wide = {"ci_low": -9.0, "ci_high": 1.2}
    records = [number("a", "share", 1.0, **wide), number("b", "share", 0.8)]
    figure = drawn(artefact(columns={"share": "share"}), *records)
    assert figure.axes[0].get_xlim()[0] == pytest.approx(0.6)  # as far as 0.8 and 1 are apart
    assert figure.axes[0].get_xlim()[1] >= 1.2
    assert [line.get_xdata()[0] for line in arrows(figure)] == pytest.approx([0.6])
    assert arrows(drawn(artefact(columns={"share": "share"}), records[1])) == []


def arrows(figure):
    return [line for line in figure.axes[0].get_lines() if line.get_marker() in ("<", ">")]


@pytest.mark.parametrize(
    ("neutral", "unit", "at"),
    [(None, "bias", [0]), (None, "words", []), (0.5, "words", [0.5]), ({"words": 9}, "words", [])],
)
def test_a_line_stands_where_there_is_no_effect(neutral, unit, at):
    drawing = drawing_of(artefact(neutral=neutral), number("a", "share", 0.7, unit=unit))
    figure = draw_dot_plot(replace(drawing, zero_units=["bias"]))
    lines = [line.get_xdata() for line in figure.axes[0].get_lines() if len(line.get_xdata()) == 2]
    assert [line[0] for line in lines if line[0] == line[1]] == at


def test_marks_of_a_row_stand_around_its_line_without_a_lane_for_what_is_not_there():
    for printed, markers in (((), ["o"]), ([("a", "words", "2")], ["D", "o"])):
        panel = drawn(artefact(), number("a", "words", 1.0), printed=printed).axes[0]
        (centre,) = panel.get_yticks()
        heights = {
            line.get_marker(): float(line.get_ydata()[0]) - centre
            for line in panel.get_lines()
            if line.get_marker() in ("o", "D") and len(line.get_ydata())
        }
        assert sorted(heights) == markers
        assert sum(heights.values()) == pytest.approx(0)
        assert len(markers) == 1 or heights["D"] > 0


def test_a_long_label_is_broken_and_loses_no_word():
    label = "distinctions similarities friction parallels - rape manslaughter felony assault"
    lines = fitting(label, 40).split("\n")
    assert " ".join(lines) == label
    assert max(map(len, lines)) <= 40
    assert fitting("short", 40) == "short"
    real, label = "film reviews, negative", "(for: Goodreads, history and biography)"
    assert fitting(f"{real} {label}", 40) == f"{real}\n{label}"
    assert fitting(f"{real} {label}", 80) == f"{real} {label}"
    assert fitting("names white – names asian (Garg et al. 2018)", 41) == (
        "names white – names asian\n(Garg et al. 2018)"
    )


def test_no_two_rows_of_a_picture_have_the_same_label():
    for declared in DECLARATIONS.artefacts.values():
        if not declared.figure.function.endswith(":draw_dot_plot"):
            continue  # has a picture of its own
        entry = Artefact(**declared.shown())
        labels = [fitting(label, LONGEST) for label in entry.rows.values()]
        assert len(set(labels)) == len(labels), entry.name
        assert max(len(line) for label in labels for line in label.split("\n")) <= LONGEST


def test_a_row_without_a_number_of_ours_is_left_out_and_counted():
    nothing = number("b", "words", float("nan"), **{"fidelity": "no input"})
    for printed in ([], [("b", "words", "2")]):
        figure = drawn(artefact(), number("a", "words", 3.0), nothing, printed=printed)
        assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["row a"]
        assert figure.get_supxlabel().endswith("in this run: share and 1 row.")


def test_what_was_chosen_to_be_near_the_paper_is_grey():
    records = [number("a", column, 3.0) for column in ("words@kept", "words@rare")]
    entries = legend(drawn(artefact(chosen=["rare"]), *records))
    assert entries["ours, rare words"][0] == GREY
    assert entries["ours, kept words"][0] == STYLE["colours"][0].lower()


@pytest.mark.parametrize("printed", [(), [("b", "words", "2")]])
def test_a_figure_without_a_number_of_ours_is_one_sentence(printed):
    published = pd.DataFrame(printed, columns=["row", "column", "value"])
    nothing = number("b", "words", float("nan"), **{"fidelity": "no input"})
    not_drawn = number("b", "share", 0.5)
    values = values_table("table9", [nothing, not_drawn], 1)
    job = Job({}, {}, print)
    only_words = Drawing(artefact(drawn=["words"]), values, published, STYLE, job)
    figure, caption = draw_artefact(only_words, draw_dot_plot)
    assert figure.axes == []
    assert [text.get_text() for text in figure.texts] == [caption] == [f"Table 9. {NO_NUMBERS}"]
    figure, _ = draw_artefact(replace(only_words, artefact=artefact()), draw_dot_plot)
    assert len(figure.axes) > 0
