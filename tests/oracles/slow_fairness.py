"""The metrics of Czarnowska et al. 2021, section 3 and Table 2, one example after the other.

Examples are dictionaries with `group`, `source`, `true`, `predicted` and `p`, a list of
probabilities. Written from the paper, without a look at the fast implementation that it checks.
"""

from itertools import combinations, product
from math import nan, sqrt

from scipy.stats import mannwhitneyu, wasserstein_distance

BACKGROUND = {"FPED": "fpr", "FNED": "fnr"}
RATIO = {"FPR Ratio": "fpr", "FNR Ratio": "fnr"}
PAIRS = {"TPR Gap": "tpr", "TNR Gap": "tnr", "Parity Gap": "parity", "Disparity Score": "f1"}
COUNTERFACTUAL = ("CFGap", "CFGap (TC)", "AvgIF", "AvgIF (TC)", "PertSS", "PertSD", "PertSR")


def rate(examples, name, c):
    """A score of predictions, one class against the rest; None if it divides by nothing."""
    both = [(x["true"] == c, x["predicted"] == c) for x in examples]
    tp, fn = both.count((True, True)), both.count((True, False))
    fp, tn = both.count((False, True)), both.count((False, False))
    part, whole = {
        "fpr": (fp, fp + tn),
        "tnr": (tn, fp + tn),
        "fnr": (fn, tp + fn),
        "tpr": (tp, tp + fn),
        "f1": (2 * tp, 2 * tp + fp + fn),
        "parity": (tp + fp, len(examples)),
    }[name]
    return part / whole if whole else None


def over(x, y):
    """The ratio: x/0 is infinite, 0/0 is 0."""
    return x / y if y else float("inf") if x else 0.0


def n_pairs(groups):
    return len(groups) * (len(groups) - 1) / 2


def gaps_of_pairs(scores):
    """Sum of absolute differences over pairs of groups."""
    return sum(abs(a - b) for a, b in combinations(scores, 2))


def group_metrics(examples, groups, c):
    """All group metrics for many groups, each by itself; without those that are not defined."""
    found, n = {}, len(groups)
    of = [[x for x in examples if x["group"] == g] for g in groups]
    others = [[x for x in examples if x["group"] != g] for g in groups]
    for name, score in (BACKGROUND | RATIO | PAIRS).items():
        own, rest = ([rate(each, score, c) for each in side] for side in (of, others))
        if None in own or (name in RATIO and None in rest):
            continue
        if name in BACKGROUND:
            found[name, "published"] = sum(abs(rate(examples, score, c) - s) for s in own)
            found[name, "corrected"] = found[name, "published"] / n
        elif name in RATIO:
            found[name, "published"] = sum(map(over, own, rest)) / n
        elif name == "Disparity Score":
            found[name, "published"] = gaps_of_pairs(own) / n
            found[name, "corrected"] = gaps_of_pairs(own) / n_pairs(groups)
        else:
            found[name, "published"] = gaps_of_pairs(own) / n_pairs(groups)
    found["AvgGF", "published"] = distance_of([examples] * n, of, c)
    of_class = [[[x for x in each if x["true"] == c] for each in side] for side in (others, of)]
    found["AvgGF (TC)", "published"] = distance_of(*of_class, c)
    return {key: value for key, value in found.items() if value is not None}


def distance_of(sides, of, c):
    """Mean distance of the groups' probabilities to others'; None where some have none."""
    if not all([*sides, *of]):
        return None
    pairs = [[[x["p"][c] for x in each] for each in pair] for pair in zip(sides, of, strict=True)]
    return sum(wasserstein_distance(*pair) for pair in pairs) / len(of)


def equality_gaps(examples, groups, c):
    """The average equality gap of each group; NaN if it or the rest has no example of the class."""
    gaps = []
    for g in groups:
        own = [x["p"][c] for x in examples if x["group"] == g and x["true"] == c]
        rest = [x["p"][c] for x in examples if x["group"] != g and x["true"] == c]
        known = bool(own and rest)
        u = mannwhitneyu(rest, own, alternative="greater").statistic if known else nan
        gaps.append(0.5 - u / (len(own) * len(rest)) if known else nan)
    return gaps


def cartesian(examples, groups):
    """Of each source with all groups: its variations, one of each group."""
    found = {}
    for source in dict.fromkeys(x["source"] for x in examples):
        own = [x for x in examples if x["source"] == source]
        of = [[x for x in own if x["group"] == g] for g in groups]
        if all(of):
            found[source] = list(product(*of))
    return found


def counterfactual_metrics(examples, groups, c, variations):
    """All counterfactual metrics for many groups, each by itself; without those of no source."""
    found = {}
    for name in COUNTERFACTUAL:
        values = []
        for source, tuples in variations.items():
            if "(TC)" in name and tuples[0][0]["true"] != c:
                continue
            if "AvgIF" in name:
                own = [x for x in examples if x["source"] == source]
                p = [[x["p"][c] for x in own if x["group"] == g] for g in groups]
                apart = sum(wasserstein_distance(*pair) for pair in combinations(p, 2))
                values.append(apart / n_pairs(groups))
            else:
                each = [of_variation(name, one, groups, c) for one in tuples]
                values.append(sum(each) / len(each))
        if values:
            found[name, "published"] = sum(values) / len(values)
    return found


def of_variation(name, variation, groups, c):
    """A counterfactual metric of one example of each group."""
    if "CFGap" in name:
        return gaps_of_pairs([x["p"][c] for x in variation]) / n_pairs(groups)
    target = [x["p"][x["true"]] for x in variation]
    if name == "PertSS":
        return gaps_of_pairs(target) / n_pairs(groups)
    if name == "PertSR":
        return max(target) - min(target)
    mean = sum(target) / len(target)
    return sqrt(sum((t - mean) ** 2 for t in target) / len(target))
