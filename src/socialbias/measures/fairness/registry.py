"""The metrics of Table 2 of Czarnowska, Vyas and Shah 2021, by their parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from socialbias.measures.fairness import scores as fs

Array = NDArray[np.float64]
Normaliser = Literal["none", "groups", "pairs"]
Version = Literal["published", "corrected"]
Kind = Literal["PCM", "BCM", "VBCM", "MCM"]


@dataclass(frozen=True)
class Phi:
    """A scoring function.

    Attributes:
        text: As Table 2 has it.
        rate: From sums of counts, for one of predictions.
        of: Whose probability it is: of the class, of class 1, or of the gold class.
        gold: Examples of which gold class are scored: any, the class itself, or a number.
    """

    text: str
    rate: Callable[[Array], Array] | None = None
    of: Literal["class", "positive", "gold"] = "class"
    gold: Literal["any", "class"] | int = "any"


PHIS = {
    "fpr": Phi("False Positive Rate", fs.false_positive_rate),
    "fnr": Phi("False Negative Rate", fs.false_negative_rate),
    "tpr": Phi("True Positive Rate", fs.true_positive_rate),
    "tnr": Phi("True Negative Rate", fs.true_negative_rate),
    "f1": Phi("F1", fs.f1),
    "recall": Phi("Recall", fs.true_positive_rate),
    "parity": Phi("share of predictions of the class", fs.positive_rate),
    "accuracy": Phi("Accuracy", fs.accuracy),
    "las": Phi("LAS", fs.accuracy),
    "p": Phi("{f(x, c) | x in A}"),
    "p tc": Phi("{f(x, c) | x in A, y(x) = c}", gold="class"),
    "p1 of 1": Phi("{f(x, 1) | x in A, y(x) = 1}", of="positive", gold=1),
    "p1 of 0": Phi("{f(x, 1) | x in A, y(x) = 0}", of="positive", gold=0),
    "one p": Phi("f(x, c), A = {x}"),
    "one p tc": Phi("f(x, c), A = {x}, y(x) = c", gold="class"),
    "target": Phi("f(x, y(x)), A = {x}", of="gold"),
    "mean p": Phi("mean({f(x, c) | x in A})"),
}
COMPARISONS: dict[str, Callable] = {
    "|x - y|": lambda x, y: np.abs(x - y),
    "x - y": lambda x, y: x - y,
    "y / x": lambda background, group: fs.first_over_second(group, background),
    "x / y": fs.first_over_second,
    "W1": lambda x, y: x.distance(y),  # Wasserstein-1 distance of two sets
    "1/2 - MWU/(|X||Y|)": fs.equality_gap,
    "max - min": lambda scores: scores.max(axis=0) - scores.min(axis=0),
    "std": lambda scores: scores.std(axis=0),  # of the population
}


@dataclass(frozen=True)
class Metric:
    """A row of Table 2, or a version of one.

    Attributes:
        name: Short name.
        title: Full name.
        number: In Table 2; 0 for a version that the paper adds.
        citation: Where it was defined.
        printed_kind: The generalized metric in Table 2.
        phi, d: Scoring and comparison function, keys of `PHIS` and `COMPARISONS`.
        kind: The generalized metric as computed: on templates no variation is the original, so
            that metrics 17 and 18 compare pairs (section 5, Metrics).
        background: `all` examples or the `rest` of them without the group.
        published: Normaliser as published.
        corrected: Normaliser under which groups of any number can be compared.
        counterfactual: Whether it compares variations of a source.
        many: Whether it is defined for more than two groups (white circle).
        binary: Whether it was defined for binary classification alone.
        signed: Whether it says which way.
        class_wise: Whether it has a value for each class; else one for all.
        scalar: Whether one number for all groups says anything.
    """

    name: str
    title: str
    number: int
    citation: str
    printed_kind: Kind
    phi: str
    d: str
    kind: Kind
    background: Literal["all", "rest", ""] = ""
    published: Normaliser = "none"
    corrected: Normaliser = "none"
    counterfactual: bool = False
    many: bool = True
    binary: bool = False
    signed: bool = False
    class_wise: bool = True
    scalar: bool = True

    @property
    def of_probabilities(self) -> bool:
        """Whether it is based on probabilities; else on predictions."""
        return PHIS[self.phi].rate is None

    @property
    def versions(self) -> tuple[Version, ...]:
        """`published`, and `corrected` where that is another number."""
        return ("published",) if self.published == self.corrected else ("published", "corrected")


def _metrics() -> list[Metric]:
    dixon, huang = "Dixon et al. 2018", "Huang et al. 2020"
    beutel, borkan = "Beutel et al. 2019", "Borkan et al. 2019"
    prost = "Beutel et al. 2017; Prost et al. 2019"
    prabhakaran, garg = "Prabhakaran et al. 2019", "Garg et al. 2019"
    to_all = {"kind": "BCM", "background": "all", "corrected": "groups"}
    to_rest = {"kind": "VBCM", "background": "rest", "published": "groups", "corrected": "groups"}
    pairs = {"kind": "PCM", "published": "pairs", "corrected": "pairs"}
    two = {"kind": "PCM", "many": False, "signed": True}
    single = {"binary": True, "class_wise": False, "scalar": False, "signed": True}
    source = {"counterfactual": True}
    gap, sign, aeg = "|x - y|", "x - y", "1/2 - MWU/(|X||Y|)"
    return [
        Metric("FPED", "False Positive Equality Difference", 1, dixon, "BCM", "fpr", gap,
               **to_all, binary=True),
        Metric("FNED", "False Negative Equality Difference", 2, dixon, "BCM", "fnr", gap,
               **to_all, binary=True),
        Metric("AvgGF", "Average Group Fairness", 3, huang, "BCM", "p", "W1",
               **to_all | {"published": "groups"}, binary=True),
        Metric("FPR Ratio", "FPR Ratio", 4, beutel, "VBCM", "fpr", "y / x", **to_rest, binary=True),
        Metric("PosAvgEG", "Positive Average Equality Gap", 5, borkan, "VBCM", "p1 of 1", aeg,
               **to_rest, **single),
        Metric("NegAvgEG", "Negative Average Equality Gap", 6, borkan, "VBCM", "p1 of 0", aeg,
               **to_rest, **single),
        Metric("Disparity Score", "Disparity Score", 7, "Gaut et al. 2020", "PCM", "f1", gap,
               **pairs | {"published": "groups"}),
        Metric("TPR Gap", "TPR Gap", 8, prost, "PCM", "tpr", gap, **pairs, binary=True),
        Metric("TNR Gap", "TNR Gap", 9, "Prost et al. 2019", "PCM", "tnr", gap, **pairs,
               binary=True),
        Metric("Parity Gap", "Parity Gap", 10, "Beutel et al. 2017", "PCM", "parity", gap,
               **pairs, binary=True),
        Metric("Accuracy Difference", "Accuracy Difference", 11,
               "Blodgett and O'Connor 2017; Bhaskaran and Bhallamudi 2019", "PCM", "accuracy",
               sign, **two, class_wise=False),
        Metric("TPR Difference", "TPR Difference", 12, "De-Arteaga et al. 2019", "PCM", "tpr",
               sign, **two),
        Metric("F1 Difference", "F1 Difference", 13,
               "Stanovsky et al. 2019; Saunders and Byrne 2020", "PCM", "f1", sign, **two),
        Metric("LAS Difference", "LAS Difference", 14, "Blodgett et al. 2018", "PCM", "las", sign,
               **two, class_wise=False),
        Metric("Recall Difference", "Recall Difference", 15, "Bamman et al. 2019", "PCM", "recall",
               sign, **two),
        Metric("F1 Ratio", "F1 Ratio", 16, "Webster et al. 2018", "PCM", "f1", "x / y",
               **two | {"signed": False}),
        Metric("CFGap", "Counterfactual Token Fairness Gap", 17, garg, "BCM", "one p", gap,
               **pairs, **source, binary=True),
        Metric("PertSS", "Perturbation Score Sensitivity", 18, prabhakaran, "VBCM", "target", gap,
               **pairs, **source, class_wise=False),
        Metric("PertSD", "Perturbation Score Deviation", 19, prabhakaran, "MCM", "target", "std",
               "MCM", **source, class_wise=False),
        Metric("PertSR", "Perturbation Score Range", 20, prabhakaran, "MCM", "target",
               "max - min", "MCM", **source, class_wise=False),
        Metric("AvgIF", "Average Individual Fairness", 21, huang, "PCM", "p", "W1", **pairs,
               **source, binary=True),
        Metric("Average Score Difference", "Average Score Difference", 22,
               "Kiritchenko and Mohammad 2018; Popović et al. 2020", "PCM", "mean p", sign,
               **two, **source),
        Metric("FNR Ratio", "FNR Ratio", 0, "FNR equivalent of FPR Ratio, section 6", "VBCM",
               "fnr", "y / x", **to_rest),
        Metric("AvgGF (TC)", "Average Group Fairness, true class", 0, "section 5", "BCM", "p tc",
               "W1", **to_all | {"published": "groups", "background": "rest"}),
        Metric("AvgEG", "Average Equality Gap of each class", 0, "section 5.1", "VBCM", "p tc",
               aeg, **to_rest, scalar=False, signed=True),
        # Averaged over the sources of the class; the released code divides by all sources.
        Metric("CFGap (TC)", "Counterfactual Token Fairness Gap, true class", 0, "section 5",
               "PCM", "one p tc", gap, **pairs, **source),
        Metric("AvgIF (TC)", "Average Individual Fairness, true class", 0, "section 5", "PCM",
               "p tc", "W1", **pairs, **source),
    ]  # fmt: skip


METRICS = {metric.name: metric for metric in _metrics()}
TABLE2 = tuple(metric for metric in METRICS.values() if metric.number)
