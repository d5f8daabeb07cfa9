"""The registry of measures: what each is, what computes it, what it says and what it cannot say.

Rows of tables (`{measure}` in declarations), options and help of the commands, the instruments of
an audit, the rows of the passport and the pages about measures come from it. Nothing heavy is
imported here: a measure's function is imported when it is first asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from socialbias.measures.divdist import DivDist
    from socialbias.measures.similarity import Array

INFINITE = float("inf")


def prose(*shared: dict, **texts: str | tuple[str, ...]) -> dict:
    """Texts for readers alone: digests of code leave them out, so that no job depends on them.

    Args:
        shared: Texts of several measures; later ones and `texts` replace earlier ones.
        texts: Texts by field.
    """
    return {key: text for part in (*shared, texts) for key, text in part.items()}


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
        paper: Short name of the paper that has it among its numbers; "" for none.
        family: Which places its passport has (`families` of resources/passports.yaml).
        called: What artefacts call it; "" for its name.
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
        page: Its page in docs/measures, if any.
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
    family: str = "vectors"
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
    page: str = ""
    error_rates: tuple[str, ...] = ()

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
        """Which targets have a negative association that makes no share (`DivDist.negative`), (n,).

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
    def table5(self) -> bool:
        """Whether it is a row of Table 5 of Bommasani and Liang 2022, beside DivDist."""
        return self.prior and self.paper == "trustworthy"

    @property
    def key(self) -> str:
        """What artefacts call it."""
        return self.called or self.name

    @property
    def brief(self) -> str:
        """Its label without the year."""
        return re.sub(r"( et al\.)? \d{4}", "", self.label)

    def way(self, groups: Sequence[str]) -> str:
        """Which way its numbers go between these groups, in words."""
        if not self.shuffled:
            return "larger: closer to the words of all groups together"
        if not self.signed:
            return "a magnitude: 0 is no bias, and chance alone gives more than 0"
        first, *others = groups
        return f"above 0: more associated with {first}; below 0: with {' or '.join(others)}"

    def fits(self, conditions: str) -> bool:
        """Whether it meets all of some conditions with commas between them.

        Args:
            conditions: Each `prior`, `table5`, `pairs` or `many`, or a pattern of names.
        """
        return all(
            getattr(self, each) if each in CONDITIONS else fnmatchcase(self.name, each)
            for each in conditions.split(",")
        )


CONDITIONS = ("prior", "table5", "pairs", "many")
_MAGNITUDE = prose(
    no_effect="0, which chance alone exceeds",
    direction="a magnitude: larger is more biased, towards any group",
    error_rates=("spearman",),
)
_TO_FIRST = prose(
    no_effect="0",
    direction="above 0: more associated with the first group; below 0: with the second",
)
_SHARES = prose(_TO_FIRST, range="-1/k to 1 - 1/k")
_COSINES = prose(
    range="0 to 2",
    limits="Its size depends on the vectors as much as on bias: it is not comparable across "
    "vectors.",
)
_LENGTHS = prose(range="from 0, in units of the vectors")
_FRAMEWORK = prose(citation="Bommasani and Liang 2022, section 3")
_CALISKAN = prose(citation="Caliskan, Bryson and Narayanan 2017")
_GARG = prose(citation="Garg, Schiebinger, Jurafsky and Zou 2018", page="garg")
_CENTRED = ", with centred differences as in the code of Bommasani and Liang 2022"
_BOLUKBASI = prose(
    citation="Bolukbasi, Chang, Zou, Saligrama and Kalai 2016",
    unit="cosine with the direction",
    range="0 to 1",
    page="bolukbasi",
)
_ETHAYARAJH = prose(
    citation="Ethayarajh, Duvenaud and Hirst 2019",
    unit="projection, in units of the vectors",
    page="ethayarajh",
)

# The measures on vectors, the framework first and the others by year. Those of
# Bommasani and Liang on a principal component are as their code has them, with differences that are
# centred, and as their authors define them.
VECTORS = (
    Measure(
        "divdist",
        "socialbias.measures.divdist:divdist",
        {"association": "cosine", "normalize": "sum", "divergence": "l1"},
        many=True,
        paper="trustworthy",
        **prose(
            _MAGNITUDE,
            _FRAMEWORK,
            title="DivDist in vectors",
            unit="divergence from equal shares",
            formula=r"\sum_g |p_g - 1/k|, p_g = s_g / \sum_h s_h, "
            r"s_g = \cos(t, mean of the words of g)",
            range="0 to 2 (l1) if all associations are positive; without an upper end if one is "
            "negative",
            no_effect="0",
            limits="Embeddings compress shares: the same planted share gives different numbers in "
            "text, vectors and reduced vectors. Sizes are not comparable across them. With a "
            "negative association, the shares are not a distribution.",
            code="socialbias.measures.divdist:DivDist",
            page="divdist",
            error_rates=("spearman", "bias by word lists"),
        ),
    ),
    Measure(
        "directed",
        "socialbias.measures.divdist:directed",
        {"association": "cosine", "normalize": "sum"},
        low=-INFINITE,
        signed=True,
        many=True,
        paper="trustworthy",
        called="divdist",
        **prose(
            _SHARES,
            _FRAMEWORK,
            title="DivDist in vectors, directed",
            unit="share of the first group minus 1/k",
            formula="p_1 - 1/k, p as in DivDist",
            range="-1/k to 1 - 1/k if all associations are positive",
            limits="The reference is uniform, not the base rate of the groups in the text that "
            "vectors were trained on. Sizes are not comparable with those in text.",
            code="socialbias.measures.divdist:DivDist",
            page="directed",
            error_rates=("bias by word lists",),
        ),
    ),
    Measure(
        "bolukbasi",
        "socialbias.measures.prior:bolukbasi",
        high=1.0,
        pairs=True,
        paper="trustworthy",
        **prose(
            _MAGNITUDE,
            _BOLUKBASI,
            title="Bolukbasi's direct bias, centred",
            label="Bolukbasi et al. 2016, centred",
            short="Bolukbasi",
            formula=r"|\cos(t, v)|, v the first principal component of the centred pair "
            "differences",
            limits="Centring removes the mean difference, which is the bias direction. Another "
            "direction remains.",
            citation=_BOLUKBASI["citation"] + _CENTRED,
        ),
    ),
    Measure(
        "bolukbasi-uncentred",
        "socialbias.measures.prior:bolukbasi",
        {"centre": False},
        high=1.0,
        pairs=True,
        version_of="bolukbasi",
        paper="trustworthy",
        **prose(
            _MAGNITUDE,
            _BOLUKBASI,
            title="Bolukbasi's direct bias",
            label="Bolukbasi et al. 2016, not centred",
            short="Bolukbasi, not centred",
            formula=r"|\cos(t, v)|, v the first principal component of both words of each pair "
            "minus the pair's mean",
            limits="The sign of the direction is arbitrary. Assigning the words at random does not "
            "change the direction, so the permutation test never finds a bias.",
        ),
    ),
    Measure(
        "caliskan",
        "socialbias.measures.prior:caliskan",
        high=2.0,
        paper="trustworthy",
        **prose(
            _MAGNITUDE,
            _COSINES,
            _CALISKAN,
            title="Caliskan's association",
            label="Caliskan et al. 2017",
            short="Caliskan",
            unit="difference of mean cosines",
            formula=r"|mean_a \cos(t, a) - mean_b \cos(t, b)|",
            page="caliskan",
        ),
    ),
    Measure(
        "garg-cosine",
        "socialbias.measures.prior:garg_cosine",
        high=2.0,
        paper="trustworthy",
        **prose(
            _MAGNITUDE,
            _COSINES,
            _GARG,
            title="Garg's relative norm bias, cosine",
            label="Garg et al. 2018, cosine",
            short="Garg cosine",
            unit="difference of cosines with the means",
            formula=r"|\cos(t, mean(A)) - \cos(t, mean(B))|",
        ),
    ),
    Measure(
        "garg-euclidean",
        "socialbias.measures.prior:garg_euclidean",
        paper="trustworthy",
        **prose(
            _MAGNITUDE,
            _LENGTHS,
            _GARG,
            title="Garg's relative norm bias, Euclidean",
            label="Garg et al. 2018, Euclidean",
            short="Garg Euclid.",
            unit="difference of distances, in units of the vectors",
            formula="| ||t - mean(A)|| - ||t - mean(B)|| |",
            limits="Grows with the lengths of vectors, and so with the frequency of words.",
        ),
    ),
    Measure(
        "manzini",
        "socialbias.measures.prior:manzini",
        high=1.0,
        many=True,
        shuffled=False,
        paper="trustworthy",
        **prose(
            _MAGNITUDE,
            title="Manzini's mean association",
            label="Manzini et al. 2019",
            short="Manzini",
            unit="mean cosine with all groups",
            formula=r"|mean over all words w of all groups of \cos(t, w)|",
            range="0 to 1",
            limits="Adds what the other measures subtract: it shows how similar a target is to all "
            "groups, not to which one.",
            citation="Manzini, Lim, Black and Tsvetkov 2019",
            page="manzini",
        ),
    ),
    Measure(
        "ethayarajh",
        "socialbias.measures.prior:ethayarajh",
        pairs=True,
        paper="trustworthy",
        **prose(
            _MAGNITUDE,
            _LENGTHS,
            _ETHAYARAJH,
            title="Ethayarajh's inner product, centred",
            label="Ethayarajh et al. 2019, centred",
            short="Ethayarajh",
            formula=r"|t \cdot v|, v as in Bolukbasi's, centred",
            limits="As Bolukbasi's, centred. For vectors of unit length, the two are the same.",
            citation=_ETHAYARAJH["citation"] + _CENTRED,
        ),
    ),
    Measure(
        "ethayarajh-uncentred",
        "socialbias.measures.prior:ethayarajh",
        {"centre": False},
        pairs=True,
        version_of="ethayarajh",
        paper="trustworthy",
        **prose(
            _MAGNITUDE,
            _LENGTHS,
            _ETHAYARAJH,
            title="Ethayarajh's inner product",
            label="Ethayarajh et al. 2019, not centred",
            short="Ethayarajh, not centred",
            formula=r"|t \cdot v|, v as in Bolukbasi's",
            limits="As Bolukbasi's; of vectors of unit length the two are one measure.",
        ),
    ),
    Measure(
        "same",
        "socialbias.measures.prior:same",
        high=1.0,
        **prose(
            _MAGNITUDE,
            title="SAME",
            label="Schröder et al. 2024",
            short="SAME",
            unit="cosine with the difference of the groups' means",
            formula=r"|\cos(t, mean_a a/||a|| - mean_b b/||b||)|",
            range="0 to 1",
            limits="Divides by the distance of the two groups. If these hardly differ, the "
            "direction is random and a number may still be large.",
            citation="Schröder, Schulz and Hammer 2024, arXiv 2203.14603",
        ),
    ),
    Measure(
        "weat",
        "socialbias.measures.weat:associations",
        low=-2.0,
        high=2.0,
        signed=True,
        paper="trustworthy",
        **prose(
            _CALISKAN,
            title="WEAT's effect size",
            unit="standard deviations",
            formula=r"(mean_x s(x) - mean_y s(y)) / sd_{x,y} s, "
            r"s(w) = mean_a \cos(w, a) - mean_b \cos(w, b)",
            range="-2 to 2 for sets of equal size",
            no_effect="0",
            direction="above 0: the first set of targets is more associated with the first "
            "attributes than the second set is",
            limits="It is divided by the spread of all words: a small difference between similar "
            "words can have a large effect size. The permutation test ignores the noise of "
            "training.",
            code="socialbias.measures.weat:weat",
            page="weat",
            error_rates=("weat among neighbours", "weat"),
        ),
    ),
)
MEASURES = {measure.name: measure for measure in VECTORS}


# The measures of texts, models, seed sets and predictions, which other modules compute.
OTHERS = (
    Measure(
        "text",
        paper="trustworthy",
        family="texts",
        **prose(
            title="DivDist in text",
            formula="p_1 - 1/k, p_g the share of a target's contexts with words of g among "
            "those with words of one group alone",
            range="-1/k to 1 - 1/k",
            no_effect="0 against the uniform reference; or the corpus' own base rate, if that is "
            "the reference",
            direction="above 0: more associated with the first group; below 0: with the second",
            limits="Counts the words near a target, not what the text says about it. Compared "
            "with equal shares, every target is associated with the group that a corpus names "
            "more often.",
            citation="Bommasani and Liang 2022, section 4.1",
            code="socialbias.measures.text:directed_bias",
            page="text",
            error_rates=(
                "measure in a text, gender",
                "share by documents",
                "shares of the same documents, difference",
            ),
        ),
    ),
    Measure(
        "reduction",
        paper="trustworthy",
        family="vectors",
        called="divdist",
        **prose(
            _TO_FIRST,
            title="DivDist in reduced contextual representations",
            formula="as in vectors; a word is the mean of its representations in the sentences "
            "of a corpus",
            range="-1/k to 1 - 1/k if all associations are positive",
            limits="In most layers all words are similar, so shares are compressed more than in "
            "static vectors.",
            citation="Bommasani and Liang 2022, section 4.3; Bommasani, Davis and Cardie 2020",
            code="socialbias.contextual.reduction:reduce_words",
            page="directed",
            error_rates=("bias by word lists",),
        ),
    ),
    Measure(
        "probe",
        paper="trustworthy",
        family="models",
        **prose(
            _SHARES,
            title="DivDist by a probe's probabilities",
            formula="p_1 - 1/k, p the mean probabilities of a linear probe that is trained on "
            "the labels of contexts",
            limits="Shows what can be predicted from representations, including word identity, not "
            "what a model uses. A probe that does not beat its controls shows nothing.",
            citation="Bommasani and Liang 2022, section 4.3",
            code="socialbias.contextual.probe:probe",
            page="probe",
            error_rates=("same contexts, difference",),
        ),
    ),
    Measure(
        "probe-decisions",
        paper="trustworthy",
        family="models",
        **prose(
            _SHARES,
            title="DivDist by a probe's decisions",
            formula="p_1 - 1/k, p the shares of a probe's most probable labels",
            limits="Decisions exaggerate: a probe that knows nothing always chooses the more "
            "frequent label. Bias then grows without any in the representations.",
            citation="Bommasani and Liang 2022, section 4.3",
            code="socialbias.contextual.probe:probe",
            page="probe",
            error_rates=("same contexts, difference",),
        ),
    ),
    Measure(
        "helm",
        paper="trustworthy",
        family="texts",
        **prose(
            title="HELM's variant in text",
            formula=r"\sum_g |p_g - 1/k| / 2, p_g in proportion to the pairs of a target's token "
            "and one of g in a whole text, by the length of g's list",
            range="0 to 1 - 1/k; p_1 - 1/k, by which words are ordered, -1/k to 1 - 1/k",
            no_effect="0, which chance alone exceeds; or the corpus' own base rate, if that is "
            "the reference",
            direction="a magnitude: larger is more biased, towards any group",
            limits="Counts every pair of tokens of a text, however far apart. One text that "
            "repeats a word can determine the number.",
            citation="Liang et al. 2022, HELM; Bommasani and Liang 2022, section 6",
            code="socialbias.measures.helm:cooccurrences",
            page="helm",
            error_rates=("share by documents",),
        ),
    ),
    Measure(
        "samples",
        paper="trustworthy",
        family="texts",
        **prose(
            _SHARES,
            title="DivDist in what a model writes",
            formula="as in text, for sampled text",
            limits="Depends on how text is sampled (temperature, top-k) and on its amount.",
            citation="Bommasani and Liang 2022, section 6",
            code="socialbias.measures.text:directed_bias",
            page="samples",
            error_rates=("share by documents",),
        ),
    ),
    Measure(
        "amplification",
        paper="trustworthy",
        family="models",
        **prose(
            title="Amplification",
            formula="how much further one level (representations, samples) goes than another to "
            "the side of the larger share",
            range="-1 to 1",
            no_effect="0",
            direction="above 0: the later level is more biased",
            limits="With a probe's decisions and contexts of different lengths, it is above 0 even "
            "if nothing is amplified.",
            citation="Bommasani and Liang 2022, section 6",
            code="socialbias.papers.validation.planted_table6:values",
            page="amplification",
            error_rates=("same contexts, difference", "size of biases, difference"),
        ),
    ),
    Measure(
        "coherence",
        paper="bad_seeds",
        family="seeds",
        **prose(
            title="Coherence of a seed pair",
            formula="|mean rank of the first set's words - that of the second's|, of a "
            "vocabulary ordered by cosine with the difference of the set means",
            range="0 to 1",
            no_effect="above 0: two random sets are apart too",
            direction="larger: the sets are at two ends of the vocabulary",
            limits="It is high if the sets differ for any reason, not only bias.",
            citation="Antoniak and Mimno 2021, section 6",
            code="socialbias.measures.coherence:coherence",
            page="coherence",
            error_rates=("models", "median over random lists"),
        ),
    ),
    Measure(
        "coherence-pca",
        paper="bad_seeds",
        family="seeds",
        called="coherence@pca",
        **prose(
            title="Coherence by the first component",
            formula="as coherence, ordered by cosine with the first component of the pair "
            "differences",
            range="0 to 1",
            no_effect="above 0: the component is fitted to the pairs",
            direction="larger: the pairs share a direction",
            limits="The component is fitted to the words that are then ranked by it.",
            citation="Antoniak and Mimno 2021, section 6",
            code="socialbias.measures.coherence:coherence",
            page="coherence",
            error_rates=("models", "median over random lists"),
        ),
    ),
    Measure(
        "set-similarity",
        paper="bad_seeds",
        family="seeds",
        called="set similarity",
        **prose(
            title="Similarity of two seed sets",
            formula=r"\cos(mean(A), mean(B))",
            range="-1 to 1",
            no_effect="above 0 in most vectors",
            direction="larger: the sets are used more similarly",
            limits="It lowers coherence mechanically: the closer two sets are, the shorter is the "
            "difference that orders the words.",
            citation="Antoniak and Mimno 2021, section 6",
            code="socialbias.measures.coherence:set_similarity",
            page="coherence",
            error_rates=("models", "median over random lists"),
        ),
    ),
    Measure(
        "explained-variance",
        paper="bad_seeds",
        family="seeds",
        called="explained variance",
        **prose(
            title="Variance explained by the first component",
            formula=r"\lambda_1 / \sum_i \lambda_i of the pair differences",
            range="1/pairs to 1",
            no_effect="the value for pairs shuffled at random, shown beside it",
            direction="larger: the pairs share a direction",
            limits="Falls with the number of pairs: sets of different sizes are not comparable.",
            citation="Antoniak and Mimno 2021, section 6",
            code="socialbias.measures.pca_bias:pca_bias",
            page="pca",
            error_rates=("models", "median over random lists"),
        ),
    ),
    Measure(
        "unpleasantness",
        paper="bad_seeds",
        family="seeds",
        **prose(
            title="Unpleasantness of a seed set",
            formula=r"median over the set of \cos(w, mean of the unpleasant words)",
            range="-1 to 1",
            no_effect="the value for other words of the same texts",
            direction="larger: used more like unpleasant words",
            limits="A cosine with one pole: pleasant words may be equally close.",
            citation="Antoniak and Mimno 2021, Figure 2",
            code="socialbias.papers.bad_seeds.figure2:measure",
            page="unpleasantness",
            error_rates=("models, difference", "heterogeneity, 6 sets"),
        ),
    ),
    Measure(
        "stereotype-score",
        paper="stereoset",
        family="stereotypes",
        called="ss",
        **prose(
            title="Stereotype score (ss)",
            formula="100 times the mean over terms of the share of items in which the "
            "stereotype is preferred to the anti-stereotype",
            range="0 to 100",
            no_effect="50",
            direction="above 50 prefers stereotypes, below 50 anti-stereotypes",
            limits="Not for single terms: one or two items determine a term's score. Scorers "
            "without any language model reach scores far from 50.",
            citation="Nadeem, Bethke and Reddy 2021, section 5.2",
            code="socialbias.measures.stereoset:term_scores",
            page="stereoset",
            error_rates=("paired decisions", "rank"),
        ),
    ),
    Measure(
        "language-modelling-score",
        paper="stereoset",
        family="stereotypes",
        called="lms",
        **prose(
            title="Language modelling score (lms)",
            formula="100 times the mean over terms of the share of comparisons in which a "
            "meaningful candidate is preferred to the unrelated one",
            range="0 to 100",
            no_effect="50 by chance; 100 is ideal",
            direction="larger: the model knows more language; it is not a measure of bias",
            limits="Unrelated candidates can often be recognised by frequency or overlap alone.",
            citation="Nadeem, Bethke and Reddy 2021, section 5.2",
            code="socialbias.measures.stereoset:term_scores",
            page="stereoset",
            error_rates=("paired decisions",),
        ),
    ),
    Measure(
        "icat",
        paper="stereoset",
        family="stereotypes",
        **prose(
            title="Idealized CAT score (icat)",
            formula="lms min(ss, 100 - ss) / 50",
            range="0 to 100",
            no_effect="100 for a model that knows language and prefers neither",
            direction="larger is better; it hides whether a model knows more language or has less "
            "preference",
            limits="Two models with opposite preferences have the same score; noise in ss can "
            "only lower it.",
            citation="Nadeem, Bethke and Reddy 2021, section 5.2",
            code="socialbias.measures.stereoset:idealized_cat_score",
            page="stereoset",
            error_rates=("paired decisions",),
        ),
    ),
)


def offered() -> list[str]:
    """The names of the measures on vectors, as commands list them: versions are not among them."""
    prior = [measure for measure in VECTORS if measure.prior and not measure.version_of]
    prior.sort(key=lambda measure: (measure.many, measure.pairs))
    return ["directed", "divdist", *(measure.name for measure in prior), "weat"]


_GAP = prose(
    range="from 0",
    no_effect="0, which chance alone exceeds",
    direction="larger: less equal, regardless of which group is worse off",
)
_RATIO = prose(
    range="from 0",
    no_effect="1",
    direction="above 1 and below 1 are unequal treatment, in opposite directions",
)
_DIFFERENCE = prose(
    range="-1 to 1",
    no_effect="0",
    direction="the sign shows which group has the higher scores",
)
_COMPARED = {
    "|x - y|": (_GAP, "|x - y|"),
    "W1": (_GAP, "W_1(X, Y)"),
    "max - min": (_GAP, "max - min"),
    "std": (_GAP, "standard deviation"),
    "y / x": (_RATIO, "y / x"),
    "x / y": (_RATIO, "x / y"),
    "x - y": (_DIFFERENCE, "x - y"),
    "1/2 - MWU/(|X||Y|)": (prose(_DIFFERENCE, range="-1/2 to 1/2"), "1/2 - MWU/(|X||Y|)"),
}


def every() -> list[Measure]:
    """All measures: those of the four papers, paper by paper, and then the others."""
    return sorted((*VECTORS, *OTHERS, *_metrics()), key=lambda measure: not measure.paper)


def _metrics() -> list[Measure]:
    """The metrics of Czarnowska, Vyas and Shah 2021, from their own registry."""
    from socialbias.measures.fairness.registry import METRICS, PHIS

    measures = []
    for metric in METRICS.values():
        what, formula = _COMPARED[metric.d]
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
        measures.append(
            Measure(
                re.sub(r"\W+", "-", metric.name.lower()).strip("-"),
                paper="fairness",
                family="gaps",
                called=metric.name,
                **prose(
                    what,
                    title=metric.title,
                    formula=f"{formula} of {PHIS[metric.phi].text}; {how}",
                    limits=f"A group is represented by its terms. {caution}",
                    citation=f"Czarnowska, Vyas and Shah 2021, {section[0]}"
                    if section
                    else metric.citation,
                    code="socialbias.measures.fairness.metrics:evaluate",
                    page="fairness",
                    error_rates=("gaps of groups, margin", "gaps of groups"),
                ),
            )
        )
    return measures
