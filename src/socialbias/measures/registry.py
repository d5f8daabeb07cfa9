"""The registry of measures: what each is, what computes it, what it says and what it cannot say.

Rows of tables (`{measure}` in declarations), options and help of the commands, the instruments of
an audit, the rows of the passport and the pages about measures come from it. Nothing heavy is
imported here: a measure's function is imported when it is first asked for. Texts for readers stand
in `registry.toml`, which digests of code leave out, so that no job depends on them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from socialbias.measures.divdist import DivDist
    from socialbias.stats.similarity import Array

INFINITE = float("inf")
TEXTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@dataclass(frozen=True)
class Measure:
    """A measure.

    Attributes:
        name: By which it is asked for.
        path: `module:function`, (targets (n, d), groups) -> (n,), of a measure on vectors.
        options: Keywords of the function.
        low, high: Its range; of `directed` and `divdist` where there are shares.
        signed: Whether its sign says to which group; otherwise it is a magnitude.
        pairs: Whether it takes aligned pairs of words.
        many: Whether it is for any number of groups; otherwise for two alone.
        shuffled: Whether shuffling words between groups changes it, so that chance can be tested.
        version_of: The measure of which it is another version, under whose name it is offered.
        paper: Short name of the paper of the four that prints numbers of it; "" for none.
        tables: The artefacts that show it beside DivDist, such as `trustworthy_table5`.
        family: Which places its passport has (`families` of resources/passports.yaml).
        alias: Its authors' name: accepted too, and the key of its rows in declarations and files.
        called: What artefacts call it, if not that or its name.
        title: For a reader.
        label: In a table that cites.
        short: In a table of many rows.
        unit: Of its numbers; those of a command's result.
        formula: In plain text and LaTeX.
        range: Of its values, in words.
        no_effect: What it is without an effect.
        direction: Which way it goes.
        limits: What it cannot say.
        citation: Who proposed it.
        code: `module:function` that a reader looks up, if not `path`.
        error_rates: Sections of docs/error-rates.md.
    """

    name: str
    path: str = ""
    options: Mapping[str, object] = field(default_factory=dict)
    low: float = 0.0
    high: float = INFINITE
    signed: bool = False
    pairs: bool = False
    many: bool = False
    shuffled: bool = True
    version_of: str = ""
    paper: str = ""
    tables: Sequence[str] = ()
    family: str = "vectors"
    alias: str = ""
    called: str = ""
    title: str = ""
    label: str = ""
    short: str = ""
    unit: str = ""
    formula: str = ""
    range: str = ""
    no_effect: str = ""
    direction: str = ""
    limits: str = ""
    citation: str = ""
    code: str = ""
    error_rates: Sequence[str] = ()

    @cached_property
    def function(self) -> Callable[[Array, Sequence[Array]], Array]:
        """(targets (n, d), groups) -> (n,)."""
        module, _, name = self.path.partition(":")
        return partial(getattr(import_module(module), name), **self.options)

    @cached_property
    def divdist(self) -> DivDist | None:
        """The parts of the framework that it is made of, if any."""
        if "normalize" not in self.options:
            return None
        from socialbias.measures.divdist import DivDist

        return DivDist.named(**({"divergence": "l1"} | self.options))

    def negative(self, targets: Array, groups: Sequence[Array]) -> NDArray[np.bool_]:
        """Return which targets have a negative association, which makes no share, (n,).

        None of any measure but DivDist's.
        """
        import numpy as np

        framework = self.divdist
        return framework.negative(targets, groups) if framework else np.zeros(len(targets), bool)

    @property
    def prior(self) -> bool:
        """Whether it is a magnitude that is computed without shares of groups."""
        return bool(self.path) and not self.signed and "normalize" not in self.options

    @property
    def row(self) -> str:
        """The key of its rows in declarations and published files."""
        return self.alias or self.name

    @property
    def key(self) -> str:
        """What artefacts call it."""
        return self.called or self.row

    @property
    def brief(self) -> str:
        """Its label without the year."""
        return re.sub(r"( et al\.)? \d{4}", "", self.label)

    def way(self, groups: Sequence[str]) -> str:
        """Return which way its numbers go between these groups, in words."""
        if not self.shuffled:
            return "larger: closer to the words of all groups together"
        if not self.signed:
            return "a magnitude: 0 is no bias, and chance alone gives more than 0"
        first, *others = groups
        return f"above 0: more associated with {first}; below 0: with {' or '.join(others)}"

    def fits(self, conditions: str) -> bool:
        """Return whether it meets all of some conditions with commas between them.

        Args:
            conditions: Each `prior`, `pairs`, `many`, one of `tables`, or a pattern of rows.
        """
        return all(
            getattr(self, each)
            if each in CONDITIONS
            else each in self.tables or fnmatchcase(self.row, each)
            for each in conditions.split(",")
        )


CONDITIONS = ("prior", "pairs", "many")


def _texts(own: Mapping[str, object]) -> dict:
    """Return a measure's texts: those of what it is like, and its own."""
    texts: dict = {}
    for name in own.get("like", ()):
        texts |= _texts(TEXTS[name])
    texts |= {key: " ".join(x.split()) if isinstance(x, str) else x for key, x in own.items()}
    texts.pop("like", None)
    return texts


def _measure(name: str, *facts: object, **more: object) -> Measure:
    return Measure(name, *facts, **more, **_texts(TEXTS[name]))


def _of_table5(name: str, alias: str, path: str, *facts: object, **more: object) -> Measure:
    """Return a measure that Table 5 of Bommasani and Liang 2022 shows beside DivDist.

    The path is written out in each call, so that digests of code find the function.
    """
    tables = ("trustworthy_table5",)
    return _measure(name, path, *facts, alias=alias, paper="trustworthy", tables=tables, **more)


# The measures on vectors, the framework first and the others by year. Those of
# Bommasani and Liang on a principal component are as their code has them, with differences that are
# centred, and as their authors define them.
VECTORS = (
    _measure(
        "divdist",
        "socialbias.measures.divdist:divdist",
        {"association": "cosine", "normalize": "sum", "divergence": "l1"},
        many=True,
        paper="trustworthy",
    ),
    _measure(
        "directed",
        "socialbias.measures.divdist:directed",
        {"association": "cosine", "normalize": "sum"},
        low=-INFINITE,
        signed=True,
        many=True,
        paper="trustworthy",
        called="divdist",
    ),
    _of_table5(
        "direct-bias",
        "bolukbasi",
        "socialbias.measures.embedding_measures:direct_bias",
        high=1.0,
        pairs=True,
    ),
    _of_table5(
        "direct-bias-uncentred",
        "bolukbasi-uncentred",
        "socialbias.measures.embedding_measures:direct_bias",
        {"centre": False},
        high=1.0,
        pairs=True,
        version_of="direct-bias",
    ),
    _of_table5(
        "association", "caliskan", "socialbias.measures.embedding_measures:association", high=2.0
    ),
    _of_table5(
        "rnd-cosine", "garg-cosine", "socialbias.measures.embedding_measures:rnd_cosine", high=2.0
    ),
    _of_table5(
        "rnd-euclidean", "garg-euclidean", "socialbias.measures.embedding_measures:rnd_euclidean"
    ),
    _of_table5(
        "mac",
        "manzini",
        "socialbias.measures.embedding_measures:mac",
        high=1.0,
        many=True,
        shuffled=False,
    ),
    _of_table5("ripa", "ethayarajh", "socialbias.measures.embedding_measures:ripa", pairs=True),
    _of_table5(
        "ripa-uncentred",
        "ethayarajh-uncentred",
        "socialbias.measures.embedding_measures:ripa",
        {"centre": False},
        pairs=True,
        version_of="ripa",
    ),
    _measure("same", "socialbias.measures.embedding_measures:same", high=1.0),
    _measure(
        "weat",
        "socialbias.measures.weat:associations",
        low=-2.0,
        high=2.0,
        signed=True,
        paper="trustworthy",
    ),
)
# The default of commands, which `measures.placebo.RandomWords` computes.
POSITION = _measure("position", low=-INFINITE, signed=True, many=True)
MEASURES = {measure.name: measure for measure in (*VECTORS, POSITION)}
ALIASES = {measure.alias: measure.name for measure in VECTORS if measure.alias}


# The measures of texts, models, seed sets and predictions, which other modules compute.
OTHERS = (
    _measure("text", paper="trustworthy", family="texts"),
    _measure("reduction", paper="trustworthy", family="vectors", called="divdist"),
    _measure("probe", paper="trustworthy", family="models"),
    _measure("probe-decisions", paper="trustworthy", family="models"),
    _measure("helm", paper="trustworthy", family="texts"),
    _measure("samples", paper="trustworthy", family="texts"),
    _measure("amplification", paper="trustworthy", family="models"),
    _measure("coherence", paper="bad_seeds", family="seeds"),
    _measure("coherence-pca", paper="bad_seeds", family="seeds", called="coherence@pca"),
    _measure("set-similarity", paper="bad_seeds", family="seeds", called="set similarity"),
    _measure("explained-variance", paper="bad_seeds", family="seeds", called="explained variance"),
    _measure("unpleasantness", paper="bad_seeds", family="seeds"),
    _measure("stereotype-score", paper="stereoset", family="stereotypes", called="ss"),
    _measure("language-modelling-score", paper="stereoset", family="stereotypes", called="lms"),
    _measure("icat", paper="stereoset", family="stereotypes"),
)


def offered() -> list[str]:
    """Return the names of the measures on vectors, as commands list them.

    Versions are not among them.
    """
    prior = [measure for measure in VECTORS if measure.prior and not measure.version_of]
    prior.sort(key=lambda measure: (measure.many, measure.pairs))
    return ["position", "directed", "divdist", *(measure.name for measure in prior), "weat"]


def bias_by(name: str) -> str:
    """Return a measure's name for titles: `ripa bias`, and `direct bias` by `direct-bias`."""
    return f"{name.removesuffix('-bias')} bias"


# By the comparison of a metric: whose texts it shares, and its formula.
_COMPARED = {
    "|x - y|": ("gap", "|x - y|"),
    "W1": ("gap", "W_1(X, Y)"),
    "max - min": ("gap", "max - min"),
    "std": ("gap", "standard deviation"),
    "y / x": ("ratio", "y / x"),
    "x / y": ("ratio", "x / y"),
    "x - y": ("difference", "x - y"),
    "1/2 - MWU/(|X||Y|)": ("rank-difference", "1/2 - MWU/(|X||Y|)"),
}


def every() -> list[Measure]:
    """Return all measures: those of the four papers, paper by paper, and then the others."""
    return sorted((*VECTORS, *OTHERS, *_metrics()), key=lambda measure: not measure.paper)


def _metrics() -> list[Measure]:
    """Return the metrics of Czarnowska, Vyas and Shah 2021, from their own registry."""
    from socialbias.measures.fairness.registry import METRICS, PHIS

    measures = []
    for metric in METRICS.values():
        like, formula = _COMPARED[metric.d]
        over = {"PCM": "pairs of groups", "BCM": "groups, each against all"}.get(metric.kind)
        how = {"VBCM": "of each group against the rest", "MCM": "over all groups at once"}.get(
            metric.kind, f"{'sum' if metric.published == 'none' else 'mean'} over {over}"
        )
        if (metric.kind, metric.published) == ("PCM", "groups"):
            how = "sum over pairs of groups, divided by the number of groups"
        elif not metric.many:
            how = "of two groups"
        caution = (
            "Probabilities may differ without changing any decision."
            if metric.of_probabilities
            else "If errors are rare, a few of them determine it."
        )
        section = re.search(r"section [\d.]+", metric.citation)
        cited = f"Czarnowska, Vyas and Shah 2021, {section[0]}" if section else metric.citation
        texts = {
            "like": [like, "predictions"],
            "title": metric.title,
            "formula": f"{formula} of {PHIS[metric.phi].text}; {how}",
            "limits": f"A group is represented by its terms. {caution}",
            "citation": cited,
        }
        name = re.sub(r"\W+", "-", metric.name.lower()).strip("-")
        facts = {"paper": "fairness", "family": "gaps", "called": metric.name}
        measures.append(Measure(name, **facts, **_texts(texts)))
    return measures
