"""Figures 1 to 5, drawn from evidence and values alone.

`style` is the configuration's: `width` (two columns, in inches), `row_height`, `font_size`, `dpi`,
`colours`. Series differ in marker, hatch or line as well as in colour; what rests on a substitute
is hollow, what is to be read with caution is faint. Nothing is drawn at random.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, product
from textwrap import fill
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from socialbias.papers.bad_seeds import figure2, figure3, figure4, figure5
from socialbias.reporting.captions import left_out
from socialbias.reporting.compare import caution
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import (
    CAUTION,
    FAINT,
    ON_SUBSTITUTE,
    add_marks,
    legend_above,
    settings_of,
)

DARK, GREY, PALE = "#222222", "#777777", "#dddddd"
NOTHING = "no input"
SUBSTITUTE = "substitute"  # a fidelity


class Look(NamedTuple):
    """How a mark, a box or a bar shows its number: on a substitute hollow, on too few faint."""

    hollow: bool = False
    faint: bool = False


PLAIN = Look()


def figure_settings(style: dict) -> dict:
    """Matplotlib's settings for figures with an axis on the left and hatched areas."""
    return settings_of(style) | {"axes.spines.left": True, "hatch.linewidth": 0.4}


def new_figure(
    style: dict, share: float, height: float, rows: int = 1, columns: int = 1
) -> tuple[Figure, list[Axes]]:
    """Return a figure and its panels; `share` of the page's width."""
    figure = Figure(figsize=(style["width"] * share, height), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False)
    return figure, list(panels.flat)


def draw_boxes(panel, numbers, places, colours, width, hatch="", look=PLAIN) -> None:
    """Horizontal box plots: quartiles and median, whiskers to 1.5 interquartile ranges."""
    drawn = panel.boxplot(
        numbers, positions=places, widths=width, orientation="horizontal", patch_artist=True,
        manage_ticks=False, medianprops={"color": DARK}, whiskerprops={"linewidth": 0.7},
        flierprops={"marker": ".", "markersize": 2, "markeredgecolor": GREY},
    )  # fmt: skip
    for box, colour in zip(drawn["boxes"], colours, strict=True):
        box.set(facecolor=colour, alpha=0.6, linewidth=0.7, hatch=hatch * 2)
        if look.hollow:
            box.set(facecolor="white", edgecolor=colour, alpha=1.0)
    if look.faint:
        for artist in chain.from_iterable(drawn.values()):
            artist.set_alpha(FAINT)


def say_nothing(panel: Axes) -> None:
    """Draw a panel that says so, without the ticks of a scale on which nothing lies."""
    panel.set(xticks=[], yticks=[])
    panel.text(0.5, 0.5, NOTHING, transform=panel.transAxes, ha="center", va="center", color=GREY)


def rests_on_few(cells: pd.DataFrame) -> np.ndarray:
    """Return whether each row of evidence (with `n` and `n_of`) has too few seeds."""
    records = cells[["n", "n_of"]].assign(n_unit="seeds").to_dict("records")
    return np.array([bool(caution(record)) for record in records], dtype=bool)


def few_by(evidence: pd.DataFrame, keys: list[str]) -> pd.Series:
    """Return whether the numbers with these keys have too few seeds in any model."""
    counts = evidence.groupby(keys).agg({"n": "min", "n_of": "max"})
    return pd.Series(rests_on_few(counts), index=counts.index, dtype=bool)


def on_substitutes(values: pd.DataFrame) -> set[tuple[str, str]]:
    """Return the row and column of the cells that use a substitute."""
    cells = values.loc[values["fidelity"] == SUBSTITUTE, ["row", "column"]]
    return set(cells.itertuples(index=False, name=None))


def filling(colour: str | list[str], look: Look = PLAIN) -> dict:
    """Return the look of a bar."""
    alpha = {"alpha": FAINT} if look.faint else {}
    if look.hollow:
        return {"facecolor": "white", "edgecolor": colour, "linewidth": 0.8} | alpha
    return {"facecolor": colour, "edgecolor": "white", "linewidth": 0.3} | alpha


def look_patches(looks: Iterable[Look]) -> list[Patch]:
    """Return the legend's entries for hollow and for faint boxes and bars, if any."""
    known = set(looks)
    entries = [(ON_SUBSTITUTE, Look(hollow=True))] * any(look.hollow for look in known)
    entries += [(CAUTION, Look(faint=True))] * any(look.faint for look in known)
    return [Patch(label=label, **filling(GREY, look)) for label, look in entries]


def evidence_of(drawing: Drawing) -> pd.DataFrame:
    """Return the evidence of the artefact that is drawn."""
    return drawing.job.table(f"evidence/bad_seeds/{drawing.artefact.artefact}")


COLUMN = 0.5  # of the page: the width of a column
PANELS = 3  # of Figures 3 and 4, the first rows of each
SETTING_STYLE = {  # of Figure 3: label, place of the colour, hatch
    figure3.ORIGINAL: ("original order", 0, ""),
    figure3.SHUFFLED: ("shuffled", 1, "///"),
    figure3.AS_PRINTED: ("shuffled as printed", 2, "..."),
    figure3.RANDOM: ("random words", 3, "xxx"),
}
LONGEST_TITLE = 36  # of one of three panels
DEVIATIONS = "Lines: standard deviations over bootstrapped models."
BOLD = "Bold: words that the paper shows too. Lines: 95 % intervals over bootstrapped models."


def draw_figure1(drawing: Drawing) -> Figure:
    """Box plots of seeds in a set and of sets in a paper; outliers beyond the axis are counted."""
    evidence, style = evidence_of(drawing), drawing.style
    kinds = {"seeds per set": ("seeds in a set", 100), "sets per paper": ("sets in a paper", None)}
    with mpl.rc_context(figure_settings(style)):
        figure, panels = new_figure(style, COLUMN, 2.0, rows=2)
        for panel, (kind, (label, limit)) in zip(panels, kinds.items(), strict=True):
            part = evidence[(evidence["row"] == kind) & (evidence["column"] == "")]
            numbers = part.loc[part["number"] > 0, "number"].to_numpy(float)
            panel.set_xlabel(label)
            panel.set_yticks([])
            if not len(numbers):
                say_nothing(panel)
                continue
            draw_boxes(panel, [numbers], [0.0], [style["colours"][0]], 0.6)
            if limit is not None and numbers.max() > limit:
                panel.set_xlim(0, limit)
                beyond = f"{(numbers > limit).sum()} beyond {limit}, largest {numbers.max():,.0f}"
                panel.set_xlabel(f"{label} ({beyond})")
            else:
                panel.set_xlim(left=0)
    return figure


def draw_figure2(drawing: Drawing) -> Figure:
    """Return box plots of the seeds' cosines, a pair of boxes for each set."""
    evidence, style = evidence_of(drawing), drawing.style
    names, substitutes = figure2.CORPORA, on_substitutes(drawing.values)
    lists = drawing.job.word_lists("bad_seeds")
    words = {entry["id"]: entry["words"] for entry in lists["sets"]}
    sets = {row: words[row] for row in lists["figure2"]}
    with mpl.rc_context(figure_settings(style)):
        figure, (panel,) = new_figure(style, 1.0, 0.5 + 0.36 * max(1, len(sets)))
        mean = evidence.groupby(["row", "corpus", "word"])["cosine"].mean()
        few = few_by(evidence, ["row", "corpus"])
        drawn = set()
        for i, row in enumerate(sets):
            for j, name in enumerate(names):
                if (row, name) in mean.index.droplevel("word"):
                    look = Look((row, name) in substitutes, few[row, name])
                    place, colour = -i + 0.2 - 0.4 * j, style["colours"][j]
                    numbers = mean[row, name].to_numpy()
                    draw_boxes(panel, [numbers], [place], [colour], 0.3, "/" * j, look)
                    drawn.add(look)
        panel.set_ylim(0.5 - len(sets), 0.5)
        labels_of_sets = []  # as in print: the first words and the paper
        for row, seeds in sets.items():
            first = ", ".join(list(dict.fromkeys(seeds))[:3])
            paper = row.rpartition("-")[2].replace("_", " ").replace(" et al ", " et al. ")
            labels_of_sets.append(f"{first}, … ({paper})")
        panel.set_yticks(-np.arange(len(sets)), labels_of_sets)
        panel.tick_params(left=False)
        panel.axvline(0, color=PALE, linewidth=0.6, zorder=0)
        panel.set_xlabel("cosine with the unpleasantness vector")
        handles = [
            Patch(label=drawing.artefact.columns[name], hatch="/" * 2 * j, **filling(colour, look))
            for j, (name, colour) in enumerate(zip(names, style["colours"], strict=False))
            for look in [Look(hollow=bool(drawn) and all(look.hollow for look in drawn))]
        ]
        legend_above(figure, style, handles + look_patches(drawn))
        if not drawn:
            say_nothing(panel)
    return figure


def draw_figure3(drawing: Drawing) -> Figure:
    """Return explained variances of each component, original order beside shuffled."""
    evidence, style = evidence_of(drawing), drawing.style
    rows, note = _panels_of_print(drawing, evidence)
    substitutes = on_substitutes(drawing.values)
    with mpl.rc_context(figure_settings(style)):
        figure, panels = new_figure(style, 1.0, 2.2, columns=max(1, len(rows)))
        for panel in panels[1:]:
            panel.sharey(panels[0])
        figure.supxlabel(f"{DEVIATIONS} {note}".strip())
        if evidence.empty:
            for panel in panels:
                say_nothing(panel)
            return figure
        table = evidence[evidence["unit"] <= figure3.COMPONENTS]
        means = table.groupby(["row", "column", "model", "unit"])["explained"].mean()
        in_rows = table[table["row"].isin(rows)]
        few = few_by(in_rows, ["row", "column"])
        looks = {
            (row, setting): Look((row, f"component 1@{setting}") in substitutes, is_few)
            for (row, setting), is_few in few.items()
        }
        present = [s for s in SETTING_STYLE if s in set(table["column"])]
        for panel, row in zip(panels, rows, strict=True):
            panel.set_title(_title_of(row, drawing), loc="left")
            panel.set_xlabel("component")
            drawn = [setting for setting in present if (row, setting) in few]
            width = 0.8 / max(1, len(drawn))
            for i, setting in enumerate(drawn):
                part = means[row, setting].unstack("unit")
                shift = (i - (len(drawn) - 1) / 2) * width
                _bars_of_setting(panel, part, setting, shift, width, looks[row, setting], style)
            if not drawn:
                say_nothing(panel)
        panels[0].set_ylabel("share of variance")
        handles = []
        for setting in present:
            label, colour, hatch = SETTING_STYLE[setting]
            hollow = all(look.hollow for (_, of), look in looks.items() if of == setting)
            look = filling(style["colours"][colour], Look(hollow=hollow))
            handles.append(Patch(label=label, hatch=hatch, **look))
        legend_above(figure, style, handles + look_patches(looks.values()))
    return figure


def _bars_of_setting(
    panel: Axes,
    part: pd.DataFrame,
    setting: str,
    shift: float,
    width: float,
    look: Look,
    style: dict,
) -> None:
    """Draw the bars of one setting of Figure 3, a mean over models for each component."""
    label, colour, hatch = SETTING_STYLE[setting]
    x = part.columns.to_numpy(float) + shift
    deviation = part.std(ddof=1) if len(part) > 1 else np.zeros(part.shape[1])
    panel.bar(
        x, part.mean(), width, yerr=deviation, label=label, hatch=hatch,
        error_kw={"elinewidth": 0.6, "ecolor": DARK},
        **filling(style["colours"][colour], look),
    )  # fmt: skip
    panel.set_xticks(range(1, part.shape[1] + 1))


def draw_figure4(drawing: Drawing) -> Figure:
    """Return the words at both ends of the first component, a panel for each pairing."""
    values, style = drawing.values, drawing.style
    rows, note = _panels_of_print(drawing, values[values["value"].notna()])
    printed = {*zip(drawing.published["row"], drawing.published["column"], strict=True)}
    height = 0.8 + 0.17 * len(figure4.PLACES)
    with mpl.rc_context(figure_settings(style)):
        figure, panels = new_figure(style, 1.0, height, columns=max(1, len(rows)))
        looks: list[Look] = []
        for panel, row in zip(panels, rows, strict=True):
            cells = values[values["row"] == row].set_index("column").reindex(figure4.PLACES)
            cells = cells.dropna(subset=["value"])
            panel.set_title(_title_of(row, drawing), loc="left")
            panel.set_xlabel("cosine with component 1")
            if cells.empty:
                say_nothing(panel)
                continue
            words = [note.split(";")[0] for note in cells["note"]]
            y = -np.arange(len(cells))
            colours = [style["colours"][int(v < 0)] for v in cells["value"]]
            few = any(map(caution, cells.to_dict("records")))
            looks.append(Look(bool((cells["fidelity"] == SUBSTITUTE).any()), few))
            reach = np.stack([cells["value"] - cells["ci_low"], cells["ci_high"] - cells["value"]])
            panel.barh(
                y, cells["value"], 0.7, xerr=reach, **filling(colours, looks[-1]),
                error_kw={"elinewidth": 0.7, "ecolor": DARK},
            )  # fmt: skip
            panel.set_yticks(y, words)
            for tick, word in zip(panel.get_yticklabels(), words, strict=True):
                tick.set_weight("bold" if (row, word) in printed else "normal")
            panel.axvline(0, color=DARK, linewidth=0.6)
            panel.tick_params(left=False)
        legend_above(figure, style, look_patches(looks))
    figure.supxlabel(f"{BOLD} {note}".strip())
    return figure


def draw_figure5(drawing: Drawing) -> Figure:
    """Explained variance against set similarity, generated and gathered pairs."""
    evidence, values, style = evidence_of(drawing), drawing.values, drawing.style
    row = figure5.generated_row(figure5.CORPUS, "noun")
    with mpl.rc_context(figure_settings(style)):
        figure, (panel,) = new_figure(style, 1.0, 2.7)
        table = evidence.dropna(subset=["similarity", "explained"])
        table = table.assign(hollow=table["row"].isin({row for row, _ in on_substitutes(values)}))
        made = table[(table["kind"] == "generated") & (table["row"] == row)]
        random = table[(table["kind"] == "placebo") & (table["model"] == 0)]
        rest = table[
            table["kind"].isin(["gathered", "highlighted"]) & (table["row"] != figure5.CUT)
        ]
        numbers = dict.fromkeys(("similarity", "explained"), "mean")
        numbers |= {"n": "min", "n_of": "max", "pairs": "min", "pairs_of": "max", "hollow": "any"}
        rest = rest.groupby(["kind", "pair"]).agg(numbers)
        kinds = rest.index.get_level_values("kind")
        label = _with_correlation("placebo", values, figure5.PLACEBO)
        series = [(label, random, "x", style["colours"][4], 2.5)]
        label = _with_correlation("generated", values, row)
        series += [(label, made, ".", style["colours"][2], 3)]
        series += [("gathered", rest[kinds == "gathered"], "^", style["colours"][0], 4)]
        for label, part, marker, colour, size in series:
            look = {"color": colour, "ms": size, "alpha": 0.6}
            look["mew"] = 0.5 if marker == "x" else 0
            _points(panel, part, marker, label, look, look | {"mfc": "none", "mew": 0.7})
        shown = rest[kinds == "highlighted"].droplevel("kind")
        for i, (name, point) in enumerate(shown.groupby("pair")):
            look = {"color": style["colours"][1 + 2 * i], "ms": 6}
            hollow = look | {"mfc": "white", "mew": 1.2}
            _points(panel, point, "DvPX"[i], name, look | {"mec": DARK}, hollow)
        if made.empty and rest.empty:
            say_nothing(panel)
        panel.set_xlabel("set similarity (cosine of the set means)")
        panel.set_ylabel("share of variance, component 1")
        legend_above(figure, style)
    return figure


def _points(
    panel: Axes, part: pd.DataFrame, marker: str, label: str, look: dict, hollow: dict
) -> None:
    """Pairs in Figure 5: those on a substitute with the look `hollow`, on too few seeds faint.

    Similarity rests on the seeds of both sets, explained variance on those that have a partner.
    """
    few = rests_on_few(part) | rests_on_few(part.assign(n=part["pairs"], n_of=part["pairs_of"]))
    on_substitute = part["hollow"].to_numpy(bool)
    for is_hollow, is_few in product((False, True), repeat=2):
        chosen = part[(on_substitute == is_hollow) & (few == is_few)]
        drawn_as = (hollow if is_hollow else look) | ({"alpha": FAINT} if is_few else {})
        x, y = chosen["similarity"].astype(float), chosen["explained"].astype(float)
        panel.plot(x, y, marker, **drawn_as)
    panel.plot([], [], marker, label=label, **(hollow if on_substitute.any() else look))
    add_marks(panel, on_substitute, few)


def _with_correlation(label: str, values: pd.DataFrame, row: str) -> str:
    """Return the label of the generated pairs, with their correlation where there is one."""
    cell = values[(values["row"] == row) & (values["column"] == figure5.TRENDS["explained"])]
    number = cell["value"].dropna()
    return f"{label}, r = {number.iloc[0]:.2f}".replace("-", "−") if len(number) else label


def _title_of(row: str, drawing: Drawing) -> str:
    """Return the title of a panel, in lines that fit above one of three."""
    return fill(drawing.artefact.rows[row], LONGEST_TITLE)


def _panels_of_print(drawing: Drawing, table: pd.DataFrame) -> tuple[list[str], str]:
    """Return the rows that Figures 3 and 4 have panels for, and a note of those left out."""
    labels = drawing.artefact.rows
    rows, measured = list(labels)[:PANELS], set(table["row"])
    absent = [labels[row] for row in rows if row not in measured]
    return [row for row in rows if row in measured] or rows, left_out(absent, 0)
