"""Figures 1 to 5, the spread and the documents, drawn from evidence and values alone.

`style` is the configuration's: `width` (two columns, in inches), `row_height`, `font_size`, `dpi`,
`colours`. Series differ in marker, hatch or line as well as in colour; what rests on a substitute
is hollow, what rests on too few seeds to be judged is faint. The same input gives the same bytes:
nothing is drawn at random.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, product
from textwrap import fill, shorten
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from socialbias.papers.bad_seeds import figure2, figure3, figure4, figure5, spread
from socialbias.reporting.captions import left_out
from socialbias.reporting.compare import SIGNIFICANT, too_few
from socialbias.reporting.drawing import Drawing
from socialbias.reporting.figures import FAINT, ON_SUBSTITUTE, TOO_FEW, add_marks, fitting, mark

DARK, GREY, PALE, FADED = "#222222", "#777777", "#dddddd", "#bbbbbb"
COLUMN = 0.5  # of the page: the width of a column
PANELS = 3  # of Figures 3 and 4, the first rows of each
NOTHING = "no input"
SETTING_STYLE = {  # of Figure 3: label, place of the colour, hatch
    figure3.ORIGINAL: ("original order", 0, ""),
    figure3.SHUFFLED: ("shuffled", 1, "///"),
    figure3.AS_PRINTED: ("shuffled as printed", 2, "..."),
    figure3.RANDOM: ("random words", 3, "xxx"),
}
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
SHORT = {"nyt": "NYT", "wikitext": "WikiText", "goodreads-romance": "romance"}
SHORT |= {"goodreads-history-biography": "history, biography"}
NONE: Mapping[str, str] = {}
SUBSTITUTE = "substitute"  # a fidelity
LEGEND_LINE = 0.17  # inches
LONGEST_IN_COLUMN = 48  # characters of a legend's entry, in a figure as wide as a column
LONGEST_ENTRY = 20  # characters of a legend's entry, where several stand side by side
LONGEST_TITLE = 36  # of one of three panels
FEW_MODELS = 3  # are dots: a t interval over so few hides them
DEVIATIONS = "Lines: standard deviations over bootstrapped models."
BOLD = "Bold: words that the paper shows too. Lines: 95 % intervals over bootstrapped models."
MODELS = "Small dots are models; there is no interval over three or fewer."
SURE_OF_NOTHING = (
    "Grey: documents do not predict the measure (p > .05), so that no order of them is sure."
)


class Look(NamedTuple):
    """What a mark, a box or a bar says of the number: its input, and how much it rests on."""

    hollow: bool = False
    faint: bool = False


PLAIN = Look()


def figure1_plot(evidence: pd.DataFrame, style: dict) -> Figure:
    """Box plots of seeds in a set and of sets in a paper; outliers beyond the axis are counted.

    Args:
        evidence: Of `figure1`, version "" is drawn.
        style: The configuration's.
    """
    kinds = {"seeds per set": ("seeds in a set", 100), "sets per paper": ("sets in a paper", None)}
    with mpl.rc_context(_settings(style)):
        figure, panels = _new(style, COLUMN, 2.0, rows=2)
        for panel, (kind, (label, limit)) in zip(panels, kinds.items(), strict=True):
            part = evidence[(evidence["kind"] == kind) & (evidence["version"] == "")]
            numbers = part.loc[part["number"] > 0, "number"].to_numpy(float)
            panel.set_xlabel(label)
            panel.set_yticks([])
            if not len(numbers):
                _nothing(panel)
                continue
            _boxes(panel, [numbers], [0.0], [style["colours"][0]], 0.6)
            if limit is not None and numbers.max() > limit:
                panel.set_xlim(0, limit)
                beyond = f"{(numbers > limit).sum()} beyond {limit}, largest {numbers.max():,.0f}"
                panel.set_xlabel(f"{label} ({beyond})")
            else:
                panel.set_xlim(left=0)
    return figure


def figure2_plot(
    evidence: pd.DataFrame,
    sets: Mapping[str, Sequence[str]],
    style: dict,
    labels: Mapping[str, str] = SHORT,
) -> Figure:
    """Box plots of the seeds' cosines, a pair of boxes for each set.

    Args:
        evidence: Of `figure2`; a word's cosine is averaged over the models.
        sets: Words by id, in the order to draw.
        style: The configuration's.
        labels: What the corpora are called.
    """
    names = figure2.CORPORA
    with mpl.rc_context(_settings(style)):
        figure, (panel,) = _new(style, COLUMN, 0.7 + 0.52 * max(1, len(sets)))
        mean = evidence.groupby(["row", "corpus", "word"])["cosine"].mean()
        few = _few_by(evidence, ["row", "corpus"])
        hollow = _hollow_by(evidence, ["row", "corpus"])
        drawn = set()
        for i, (row, words) in enumerate(sets.items()):
            panel.text(
                0.01, -i - 0.36, _label(row, words), transform=panel.get_yaxis_transform()
            ).set_in_layout(False)  # a long label must not squeeze the boxes
            for j, name in enumerate(names):
                if (row, name) in mean.index.droplevel("word"):
                    place = -i - 0.62 - 0.2 * j
                    colour = style["colours"][j]
                    look = Look(hollow[row, name], few[row, name])
                    numbers = mean[row, name].to_numpy()
                    _boxes(panel, [numbers], [place], [colour], 0.15, "/" * j, look)
                    drawn.add(look)
        panel.set_ylim(-len(sets) - 0.05, -0.1)
        panel.set_yticks([])
        panel.axvline(0, color=PALE, linewidth=0.6, zorder=0)
        panel.set_xlabel("cosine with the unpleasantness vector")
        handles = [
            Patch(
                facecolor=style["colours"][j],
                hatch="/" * 2 * j,
                alpha=0.6,
                label=fitting(labels.get(n, n), LONGEST_IN_COLUMN),
            )
            for j, n in enumerate(names)
        ]
        handles += _look_patches(drawn)
        said = [handle.get_label() for handle in handles]
        one_column = max(map(len, said)) > LONGEST_ENTRY
        if one_column:  # a line of a legend takes nothing from the boxes
            width, height = figure.get_size_inches()
            figure.set_size_inches(width, height + LEGEND_LINE * "\n".join(said).count("\n"))
        figure.legend(
            handles=handles,
            loc="outside upper left",
            ncols=1 if one_column else 2,
            frameon=False,
        )
        if not drawn:
            _nothing(panel)
    return figure


def figure3_plot(
    evidence: pd.DataFrame, rows: Sequence[str], style: dict, labels: Mapping[str, str] = NONE
) -> Figure:
    """Explained variance of each component, original order beside shuffled, with error bars.

    Args:
        evidence: Of `figure3`. Bars are means over draws and models, error bars the standard
            deviation over the models of the mean over the draws, as in print.
        rows: Pairings to draw, a panel each.
        style: The configuration's.
        labels: Titles of the panels, where they are not the rows.
    """
    with mpl.rc_context(_settings(style)):
        figure, panels = _new(style, 1.0, 2.2, columns=max(1, len(rows)))
        for panel in panels[1:]:
            panel.sharey(panels[0])
        table = evidence[evidence["component"] <= figure3.COMPONENTS]
        means = table.groupby(["row", "setting", "model", "component"])["explained"].mean()
        in_rows = table[table["row"].isin(rows)]
        few = _few_by(in_rows, ["row", "setting"])
        hollow = _hollow_by(in_rows, ["row", "setting"])
        present = [s for s in SETTING_STYLE if s in set(table["setting"])]
        width = 0.8 / max(1, len(present))
        for panel, row in zip(panels, rows, strict=True):
            panel.set_title(_title_of(row, labels), loc="left")
            panel.set_xlabel("component")
            drawn = False
            for i, setting in enumerate(present):
                part = means[
                    (means.index.get_level_values("row") == row)
                    & (means.index.get_level_values("setting") == setting)
                ].unstack("component")
                if part.empty:
                    continue
                label, colour, hatch = SETTING_STYLE[setting]
                x = part.columns.to_numpy(float) + (i - (len(present) - 1) / 2) * width
                deviation = part.std(ddof=1) if len(part) > 1 else np.zeros(part.shape[1])
                panel.bar(
                    x, part.mean(), width, yerr=deviation, label=label, hatch=hatch,
                    error_kw={"elinewidth": 0.6, "ecolor": DARK},
                    **_filling(
                        style["colours"][colour], Look(hollow[row, setting], few[row, setting])
                    ),
                )  # fmt: skip
                panel.set_xticks(range(1, part.shape[1] + 1))
                drawn = True
            if not drawn:
                _nothing(panel)
        panels[0].set_ylabel("share of variance explained")
        handles = [
            Patch(label=label, hatch=hatch, **_filling(style["colours"][colour]))
            for label, colour, hatch in map(SETTING_STYLE.get, present)
        ]
        handles += _look_patches(map(Look, hollow, few))
        _legend_above(figure, handles, 5)
    return figure


def figure4_plot(
    values: pd.DataFrame,
    rows: Sequence[str],
    style: dict,
    labels: Mapping[str, str] = NONE,
    printed: Collection[tuple[str, str]] = (),
) -> Figure:
    """The words at both ends of the first component, with intervals, a panel for each pairing.

    Args:
        values: Of `figure4`: our `top k` and `bottom k`, whose `note` begins with the word.
        rows: Panels.
        style: The configuration's.
        labels: Their titles, where these are not the rows.
        printed: Rows and words that print shows, which are bold.
    """
    places = [f"top {i + 1}" for i in range(figure4.SHOWN)]
    places += [f"bottom {figure4.SHOWN - i}" for i in range(figure4.SHOWN)]
    with mpl.rc_context(_settings(style)):
        figure, panels = _new(style, 1.0, 0.8 + 0.17 * len(places), columns=max(1, len(rows)))
        looks: list[Look] = []
        for panel, row in zip(panels, rows, strict=True):
            cells = values[values["row"] == row].set_index("column").reindex(places)
            cells = cells.dropna(subset=["value"])
            panel.set_title(_title_of(row, labels), loc="left")
            panel.set_xlabel("cosine with component 1")
            if cells.empty:
                _nothing(panel)
                continue
            words = [note.split(";")[0] for note in cells["note"]]
            y = -np.arange(len(cells))
            colours = [style["colours"][int(v < 0)] for v in cells["value"]]
            few = any(map(too_few, cells.to_dict("records")))
            looks.append(Look(bool((cells["fidelity"] == SUBSTITUTE).any()), few))
            reach = np.stack([cells["value"] - cells["ci_low"], cells["ci_high"] - cells["value"]])
            panel.barh(
                y, cells["value"], 0.7, xerr=reach, **_filling(colours, looks[-1]),
                error_kw={"elinewidth": 0.7, "ecolor": DARK},
            )  # fmt: skip
            panel.set_yticks(y, words)
            for tick, word in zip(panel.get_yticklabels(), words, strict=True):
                tick.set_weight("bold" if (row, word) in printed else "normal")
            panel.axvline(0, color=DARK, linewidth=0.6)
            panel.tick_params(left=False)
        if patches := _look_patches(looks):
            _legend_above(figure, patches, 2)
    return figure


def figure5_plot(evidence: pd.DataFrame, values: pd.DataFrame, style: dict) -> Figure:
    """Explained variance against set similarity, generated and gathered pairs.

    Args:
        evidence: Of `figure5`; the generated nouns of `wikitext` are drawn, each in its model, the
            first draw of the placebo, and every other pair averaged over the models.
        values: Of `figure5`, for the correlations.
        style: The configuration's.
    """
    row = figure5.generated_row(figure5.CORPUS, "noun")
    with mpl.rc_context(_settings(style)):
        figure, (panel,) = _new(style, COLUMN, 2.7)
        table = evidence.dropna(subset=["similarity", "explained"])
        table = table.assign(hollow=table["fidelity"] == SUBSTITUTE)
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
        series += [(_with_correlation("generated", values, row), made, ".", GREY, 3)]
        series += [("gathered", rest[kinds == "gathered"], MARKERS[2], style["colours"][0], 4)]
        for label, part, marker, colour, size in series:
            look = {"color": colour, "ms": size, "alpha": 0.6}
            look["mew"] = 0.5 if marker == "x" else 0
            _points(panel, part, marker, label, look, look | {"mfc": "none", "mew": 0.7})
        shown = rest[kinds == "highlighted"].droplevel("kind")
        for i, (name, point) in enumerate(shown.groupby("pair")):
            look = {"color": style["colours"][1 + i], "ms": 6}
            hollow = look | {"mfc": "white", "mew": 1.2}
            _points(panel, point, MARKERS[3 + i], name, look | {"mec": DARK}, hollow)
        if made.empty and rest.empty:
            _nothing(panel)
        panel.set_xlabel("set similarity (cosine of the set means)")
        panel.set_ylabel("share of variance,\ncomponent 1")
        _legend(figure, [panel], 2)
    return figure


def _points(
    panel: Axes, part: pd.DataFrame, marker: str, label: str, look: dict, hollow: dict
) -> None:
    """Pairs in Figure 5: those on a substitute with the look `hollow`, on too few seeds faint.

    Similarity rests on the seeds of both sets, explained variance on those that have a partner.
    """
    few = _few(part) | _few(part.assign(n=part["pairs"], n_of=part["pairs_of"]))
    on_substitute = part["hollow"].to_numpy(bool)
    for is_hollow, is_few in product((False, True), repeat=2):
        chosen = part[(on_substitute == is_hollow) & (few == is_few)]
        drawn_as = (hollow if is_hollow else look) | ({"alpha": FAINT} if is_few else {})
        x, y = chosen["similarity"].astype(float), chosen["explained"].astype(float)
        panel.plot(x, y, marker, **drawn_as)
    panel.plot([], [], marker, label=label, **look)
    add_marks(panel, on_substitute, few)


def _with_correlation(label: str, values: pd.DataFrame, row: str) -> str:
    """The label of the generated pairs, with their correlation where there is one."""
    cell = values[(values["row"] == row) & (values["column"] == figure5.TRENDS["explained"])]
    number = cell["value"].dropna()
    return f"{label}, r = {number.iloc[0]:.2f}".replace("-", "−") if len(number) else label


def spread_plot(
    evidence: pd.DataFrame, values: pd.DataFrame, style: dict, labels: Mapping[str, str] = SHORT
) -> Figure:
    """Is it the corpus or the seeds? Every seed set's interval over the bootstraps, by concept.

    Args:
        evidence: Of `spread`; thin dots are single models.
        values: Of `spread`: means and intervals.
        style: The configuration's.
        labels: What the corpora are called.
    """
    concepts = list(dict.fromkeys(evidence["concept"])) or [""]
    most = max((_alternatives(evidence, c) for c in concepts), key=len)
    height = (
        1.0
        + len(concepts) * 0.35
        + style["row_height"] * 1.5 * sum(max(1, len(_alternatives(evidence, c))) for c in concepts)
    )
    with mpl.rc_context(_settings(style)):
        sizes = [max(1, len(_alternatives(evidence, c))) for c in concepts]
        figure = Figure(figsize=(style["width"], height), layout="constrained")
        grid = figure.subplots(len(concepts), 1, squeeze=False, height_ratios=sizes)
        panels = list(grid[:, 0])
        names = list(dict.fromkeys(evidence["corpus"]))
        for panel, concept in zip(panels, concepts, strict=True):
            part = evidence[evidence["concept"] == concept]
            panel.set_title(concept, loc="left")
            _spread_panel(panel, part, values, {n: labels.get(n, n) for n in names}, style)
            unit = part["unit"].iloc[0] if len(part) else ""
            if unit == spread.EFFECT:
                unit = "WEAT effect size, standard deviations"
            panel.set_xlabel(unit)
        if not most:
            _nothing(panels[0])
        longest = max(map(len, labels.values()))
        _legend(figure, panels, 5 if longest <= LONGEST_ENTRY else 2)
        figure.supxlabel(MODELS)
    return figure


def documents_plot(evidence: pd.DataFrame, rows: Sequence[str], style: dict) -> Figure:
    """Two panels a measure: influence of the top documents, and what goes when they go.

    Args:
        evidence: Of `documents`.
        rows: Measures, in order.
        style: The configuration's.
    """
    with mpl.rc_context(_settings(style)):
        figure = Figure(figsize=(style["width"], 0.6 + 1.75 * len(rows)), layout="constrained")
        grid = figure.subplots(len(rows), 2, squeeze=False, width_ratios=(3, 2))
        for (left, right), row in zip(grid, rows, strict=True):
            part = evidence[evidence["row"] == row]
            left.set_title(f"{row}\n{_fit(part)}".strip(), loc="left")
            if part.empty:
                _nothing(left)
                right.set_visible(False)
                continue
            _influences(left, part, style)
            _removals(right, part, style)
        grid[-1, 0].set_xlabel("change for one more copy\nof a document")
        grid[-1, 1].set_xlabel("change without\na tenth of the text")
        _legend(figure, [grid[0, 1]], 2)
        if any(_unsure(evidence[evidence["row"] == row]) for row in rows):
            figure.supxlabel(SURE_OF_NOTHING)
    return figure


def _fit(part: pd.DataFrame) -> str:
    """How well documents, and groups of them, predict a replicate left out; "" without a fit."""
    fits = part.set_index("kind")
    said = [
        f"{label} {fits.loc[kind, 'number']:.2f}, p {fits.loc[kind, 'p_value']:.2f}"
        for kind, label in (("fit", "R²"), ("groups", "groups R²"))
        if kind in fits.index
    ]
    return "; ".join(said).replace("-", "−")


def _influences(panel: Axes, part: pd.DataFrame, style: dict) -> None:
    """The documents that raise a measure, largest first, and below them those that lower it."""
    raises = part[part["kind"] == "raises"].sort_values("place")
    lowers = part[part["kind"] == "lowers"].sort_values("place", ascending=False)
    shown = pd.concat([raises, lowers])
    y = -np.arange(len(shown))
    colours = [style["colours"][int(number < 0)] for number in shown["number"]]
    if _unsure(part):
        colours = [FADED] * len(shown)
    panel.axvline(0, color=GREY, linewidth=0.6)
    panel.hlines(y, 0, shown["number"], colors=colours, linewidth=1.1)
    panel.scatter(shown["number"], y, c=colours, s=12, zorder=3)
    panel.set_yticks(y, [shorten(_title(name), 38, placeholder="…") for name in shown["document"]])
    panel.tick_params(left=False)


def _unsure(part: pd.DataFrame) -> bool:
    """Whether documents do not predict a replicate left out better than chance does."""
    return bool((part.loc[part["kind"] == "fit", "p_value"] > SIGNIFICANT).any())


def _title(name: str) -> str:
    """A title without the blanks that WikiText has around brackets, quotes and punctuation."""
    joined = re.sub(r"([(\[]) | (?=[)\],:;!?.]|'s\b)", r"\1", name)
    return re.sub(r'" ([^"]*) "', r'"\1"', joined)


def _removals(panel: Axes, part: pd.DataFrame, style: dict) -> None:
    """Models without random documents as circles, the one without the top as a diamond."""
    random = part.loc[part["kind"] == "without random", "number"]
    top = part[part["kind"] == "without top"]
    panel.axvline(0, color=GREY, linewidth=0.6)
    panel.plot(random, [0] * len(random), "o", color=GREY, mfc="none", ms=4, label="without random")
    label = "without those that raise it most"
    panel.plot(top["number"], [0] * len(top), "D", color=style["colours"][1], ms=5, label=label)
    for p_value in top["p_value"]:
        panel.set_title(f"p {p_value:.2f}", loc="right")
    panel.set_ylim(-1, 1)
    panel.set_yticks([])


def _alternatives(evidence: pd.DataFrame, concept: str) -> list[str]:
    return list(dict.fromkeys(evidence.loc[evidence["concept"] == concept, "alternative"]))


def _spread_panel(
    panel: Axes, part: pd.DataFrame, values: pd.DataFrame, labels: Mapping[str, str], style: dict
) -> None:
    """One concept: a row for each alternative, a lane for each corpus of which there is a label."""
    rows = list(dict.fromkeys(part["alternative"]))
    cells = values.set_index(["row", "column"]) if len(values) else values
    panel.axvline(0, color=GREY, linewidth=0.6, zorder=0)
    for j, name in enumerate(labels):
        colour, marker = style["colours"][j % len(style["colours"])], MARKERS[j % len(MARKERS)]
        for i, alternative in enumerate(rows):
            here = part[(part["alternative"] == alternative) & (part["corpus"] == name)]
            if here.empty or (here["row"].iloc[0], alternative) not in cells.index:
                continue
            y = -i - (j - (len(labels) - 1) / 2) * 0.7 / max(1, len(labels))
            cell = cells.loc[(here["row"].iloc[0], alternative)]
            dots = {"ms": 2, "alpha": 0.5} if len(here) > FEW_MODELS else {"ms": 3.5, "alpha": 0.6}
            panel.plot(here["measure"], [y] * len(here), ".", color=colour, mew=0, **dots)
            few, hollow = bool(too_few(cell)), cell["fidelity"] == SUBSTITUTE
            look = {"color": colour, "alpha": FAINT if few else 1.0}
            if len(here) > FEW_MODELS:
                panel.hlines(y, cell["ci_low"], cell["ci_high"], linewidth=1.1, **look)
            panel.plot(cell["value"], y, marker, **look, **mark(hollow))
            add_marks(panel, np.array([hollow]), np.array([few]))
        panel.plot([], [], marker, color=colour, ms=3.6, label=labels[name])
    panel.set_ylim(0.4 - len(rows), 0.6)
    panel.set_yticks([-i for i in range(len(rows))], [_short_pair(row) for row in rows])
    panel.tick_params(left=False)


def _short_pair(alternative: str) -> str:
    """Ids of sets, readable: `female 2 (Caliskan et al. 2017)`."""
    parts = [name.rpartition("-") for name in alternative.split(" | ")]
    words = " / ".join((first or last).replace("_", " ") for first, _, last in parts)
    return f"{words} ({_paper(parts[0][2])})"


def _label(row: str, words: Sequence[str]) -> str:
    """A set as in print: its first words and its paper."""
    first = ", ".join(list(dict.fromkeys(words))[:3])
    return f"{first}, … ({_paper(row.rpartition('-')[2])})"


def _paper(name: str) -> str:
    """`Caliskan et al. 2017` from `Caliskan_et_al_2017`."""
    return name.replace("_", " ").replace(" et al ", " et al. ")


def _settings(style: dict) -> dict:
    """Matplotlib's settings; the salt keeps SVG ids the same every time."""
    return {
        "font.size": style["font_size"],
        "axes.titlesize": style["font_size"],
        "axes.spines.top": False,
        "axes.spines.right": False,
        "hatch.linewidth": 0.4,
        "svg.hashsalt": "socialbias",
        "pdf.fonttype": 42,
    }


def _new(
    style: dict, share: float, height: float, rows: int = 1, columns: int = 1
) -> tuple[Figure, list[Axes]]:
    """A figure and its panels; `share` of the page's width."""
    figure = Figure(figsize=(style["width"] * share, height), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False)
    return figure, list(panels.flat)


def _boxes(panel, numbers, places, colours, width, hatch="", look=PLAIN) -> None:
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


def _nothing(panel: Axes) -> None:
    """A panel that says so, without the ticks of a scale on which nothing lies."""
    panel.set(xticks=[], yticks=[])
    panel.text(0.5, 0.5, NOTHING, transform=panel.transAxes, ha="center", va="center", color=GREY)


def _few(cells: pd.DataFrame) -> np.ndarray:
    """Whether each row, of evidence with `n` and `n_of` seeds, rests on too few to be judged."""
    counts = zip(cells["n"], cells["n_of"], strict=True)
    return np.array(
        [bool(too_few({"n": n, "n_of": of, "n_unit": "seeds"})) for n, of in counts], dtype=bool
    )


def _few_by(evidence: pd.DataFrame, keys: list[str]) -> pd.Series:
    """Whether what has these keys rests on too few seeds in the model that has fewest."""
    counts = evidence.groupby(keys).agg({"n": "min", "n_of": "max"})
    return pd.Series(_few(counts), index=counts.index, dtype=bool)


def _hollow_by(evidence: pd.DataFrame, keys: list[str]) -> pd.Series:
    """Whether what has these keys rests on a substitute."""
    return evidence.assign(hollow=evidence["fidelity"] == SUBSTITUTE).groupby(keys)["hollow"].any()


def _filling(colour: str | list[str], look: Look = PLAIN) -> dict:
    """The look of a bar."""
    alpha = {"alpha": FAINT} if look.faint else {}
    if look.hollow:
        return {"facecolor": "white", "edgecolor": colour, "linewidth": 0.8} | alpha
    return {"facecolor": colour, "edgecolor": "white", "linewidth": 0.3} | alpha


def _look_patches(looks: Iterable[Look]) -> list[Patch]:
    """The legend's entries for hollow and for faint boxes and bars, as far as there are any."""
    known = set(looks)
    said = [(ON_SUBSTITUTE, Look(hollow=True))] * any(look.hollow for look in known)
    said += [(TOO_FEW, Look(faint=True))] * any(look.faint for look in known)
    return [Patch(label=label, **_filling(GREY, look)) for label, look in said]


def _title_of(row: str, labels: Mapping[str, str]) -> str:
    """The title of a panel, in lines that fit above one of three."""
    return fill(labels.get(row, row), LONGEST_TITLE)


def _legend(figure: Figure, panels: Sequence[Axes], columns: int) -> None:
    """One legend for all panels, above them; none without an entry."""
    entries = {}
    for panel in panels:
        for handle in panel.get_legend_handles_labels()[0]:
            entries.setdefault(handle.get_label(), handle)
    last = {ON_SUBSTITUTE: 1, TOO_FEW: 2}
    handles = sorted(entries.values(), key=lambda handle: last.get(handle.get_label(), 0))
    if handles:
        _legend_above(figure, handles, columns)


def _legend_above(figure: Figure, handles: Sequence[Artist], columns: int) -> None:
    """A legend above all panels."""
    figure.legend(
        handles=handles,
        loc="outside upper left",
        ncols=columns,
        frameon=False,
        columnspacing=1.0,
        handletextpad=0.4,
    )


def _evidence(drawing: Drawing) -> pd.DataFrame:
    """The evidence of the artefact that is drawn."""
    return drawing.job.table(f"evidence/bad_seeds/{drawing.artefact.artefact}")


def _panels_of_print(drawing: Drawing, table: pd.DataFrame) -> tuple[list[str], str]:
    """The rows of Figures 3 and 4 that print has panels for, and what is said of those left out."""
    labels = drawing.artefact.rows
    rows, measured = list(labels)[:PANELS], set(table["row"])
    absent = [labels[row] for row in rows if row not in measured]
    return [row for row in rows if row in measured] or rows, left_out(absent, 0)


def draw_figure1(drawing: Drawing) -> Figure:
    """Figure 1."""
    return figure1_plot(_evidence(drawing), drawing.style)


def draw_figure2(drawing: Drawing) -> Figure:
    """Figure 2."""
    lists = drawing.job.word_lists("bad_seeds")
    words = {entry["id"]: entry["words"] for entry in lists["sets"]}
    sets = {name: words[name] for name in lists["figure2"]}
    return figure2_plot(_evidence(drawing), sets, drawing.style, drawing.artefact.columns)


def draw_figure3(drawing: Drawing) -> Figure:
    """Figure 3."""
    evidence = _evidence(drawing)
    rows, said = _panels_of_print(drawing, evidence)
    figure = figure3_plot(evidence, rows, drawing.style, drawing.artefact.rows)
    figure.supxlabel(f"{DEVIATIONS} {said}".strip())
    return figure


def draw_figure4(drawing: Drawing) -> Figure:
    """Figure 4."""
    measured = drawing.values[drawing.values["value"].notna()]
    rows, said = _panels_of_print(drawing, measured)
    printed = {*zip(drawing.published["row"], drawing.published["column"], strict=True)}
    figure = figure4_plot(drawing.values, rows, drawing.style, drawing.artefact.rows, printed)
    figure.supxlabel(f"{BOLD} {said}".strip())
    return figure


def draw_figure5(drawing: Drawing) -> Figure:
    """Figure 5."""
    return figure5_plot(_evidence(drawing), drawing.values, drawing.style)


def draw_spread(drawing: Drawing) -> Figure:
    """The spread over corpora and seed sets."""
    roles = {name: f"corpus_{name.replace('-', '_')}" for name in SHORT}
    stand_ins = drawing.artefact.stand_ins
    labels = SHORT | {
        name: f"{stand_ins[role]} (for: {SHORT[name]})"
        for name, role in roles.items()
        if role in stand_ins
    }
    return spread_plot(_evidence(drawing), drawing.values, drawing.style, labels)


def draw_documents(drawing: Drawing) -> Figure:
    """The documents that make a number."""
    return documents_plot(_evidence(drawing), list(drawing.artefact.rows), drawing.style)
