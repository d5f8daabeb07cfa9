"""The metrics of Czarnowska et al. 2021, section 3 and Table 2, one example after the other.

Examples are dictionaries with `group`, `source`, `true`, `predicted` and `p`, a list of
probabilities. Written from the paper, without a look at the fast implementation that it checks.
"""

from itertools import combinations, product
from math import nan, sqrt

from scipy.stats import mannwhitneyu, wasserstein_distance


def rate(examples, name, c):
    """A score of predictions, one class against the rest; None if it divides by nothing."""
    tp = fp = fn = tn = 0
    for x in examples:
        true, predicted = x["true"] == c, x["predicted"] == c
        tp += true and predicted
        fp += predicted and not true
        fn += true and not predicted
        tn += not true and not predicted
    part, whole = {
        "fpr": (fp, fp + tn),
        "tnr": (tn, fp + tn),
        "fnr": (fn, tp + fn),
        "tpr": (tp, tp + fn),
        "f1": (2 * tp, 2 * tp + fp + fn),
        "parity": (tp + fp, len(examples)),
    }[name]
    return part / whole if whole else None


def pairs(scores, d):
    """Sum over pairs of groups."""
    return sum(d(a, b) for a, b in combinations(scores, 2))


def absolute(a, b):
    return abs(a - b)


BACKGROUND = {"FPED": "fpr", "FNED": "fnr"}
RATIO = {"FPR Ratio": "fpr", "FNR Ratio": "fnr"}
PAIRS = {"TPR Gap": "tpr", "TNR Gap": "tnr", "Parity Gap": "parity", "Disparity Score": "f1"}
DISTANCE = ("AvgGF", "AvgGF (TC)")
COUNTERFACTUAL = ("CFGap", "CFGap (TC)", "AvgIF", "AvgIF (TC)", "PertSS", "PertSD", "PertSR")


def group_metrics(examples, groups, c):
    """All group metrics for many groups, each by itself; without those that are not defined."""
    found = {}
    for name in (*BACKGROUND, *RATIO, *PAIRS, *DISTANCE):
        of = [[x for x in examples if x["group"] == g] for g in groups]
        if name in BACKGROUND:
            found[name] = to_all(examples, of, BACKGROUND[name], c)
        elif name in RATIO:
            found[name] = to_rest(examples, groups, of, RATIO[name], c)
        elif name in PAIRS:
            found[name] = in_pairs(of, PAIRS[name], c)
        else:
            found[name] = distances(examples, groups, name, c)
    n, named = len(groups), {}
    for name, total in found.items():
        if total is not None:
            divisor = 1 if name in BACKGROUND else n
            if name in PAIRS and name != "Disparity Score":
                divisor = n_pairs(groups)
            named[name, "published"] = total / divisor
            if name in BACKGROUND:
                named[name, "corrected"] = total / n
            elif name == "Disparity Score":
                named[name, "corrected"] = total / n_pairs(groups)
    return named


def to_all(examples, of, score, c):
    """Sum of gaps to the score of all examples."""
    scores = [rate(each, score, c) for each in of]
    return None if None in scores else sum(abs(rate(examples, score, c) - s) for s in scores)


def to_rest(examples, groups, of, score, c):
    """Sum of ratios to the score of all other groups."""
    scores = [rate(each, score, c) for each in of]
    around = [rate([x for x in examples if x["group"] != g], score, c) for g in groups]
    if None in scores + around:
        return None
    return sum(_over(s, b) for s, b in zip(scores, around, strict=True))


def _over(x, y):
    """The ratio: x/0 is infinite, 0/0 is 0."""
    return x / y if y else float("inf") if x else 0.0


def in_pairs(of, score, c):
    """Sum of gaps over pairs of groups."""
    scores = [rate(each, score, c) for each in of]
    return None if None in scores else pairs(scores, absolute)


def distances(examples, groups, name, c):
    """Sum of distances to all examples, or of those of the class to the other groups'."""
    total = 0
    for g in groups:
        kept = [x for x in examples if name == "AvgGF" or x["true"] == c]
        own = [x["p"][c] for x in kept if x["group"] == g]
        around = [x["p"][c] for x in kept if name == "AvgGF" or x["group"] != g]
        if not own or not around:
            return None
        total += wasserstein_distance(around, own)
    return total


def equality_gaps(examples, groups, c):
    """The average equality gap of each group; NaN if it or the rest has no example of the class."""
    gaps = []
    for g in groups:
        own = [x["p"][c] for x in examples if x["group"] == g and x["true"] == c]
        rest = [x["p"][c] for x in examples if x["group"] != g and x["true"] == c]
        if not own or not rest:
            gaps.append(nan)
            continue
        u = mannwhitneyu(rest, own, alternative="greater").statistic
        gaps.append(0.5 - u / (len(own) * len(rest)))
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
                values.append(pairs(p, wasserstein_distance) / n_pairs(groups))
            else:
                each = [of_variation(name, one, groups, c) for one in tuples]
                values.append(sum(each) / len(each))
        if values:
            found[name, "published"] = sum(values) / len(values)
    return found


def of_variation(name, variation, groups, c):
    """A counterfactual metric of one example of each group."""
    if "CFGap" in name:
        return pairs([x["p"][c] for x in variation], absolute) / n_pairs(groups)
    target = [x["p"][x["true"]] for x in variation]
    if name == "PertSS":
        return pairs(target, absolute) / n_pairs(groups)
    if name == "PertSR":
        return max(target) - min(target)
    mean = sum(target) / len(target)
    return sqrt(sum((t - mean) ** 2 for t in target) / len(target))


def n_pairs(groups):
    """The number of pairs of groups."""
    return len(groups) * (len(groups) - 1) / 2
