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


def group_metrics(examples, groups, c):
    """All group metrics for many groups; without those that divide by nothing."""
    of = [[x for x in examples if x["group"] == g] for g in groups]
    rest = [[x for x in examples if x["group"] != g] for g in groups]
    n, n_pairs, found = len(groups), len(groups) * (len(groups) - 1) / 2, {}
    scores = {}
    for name in ("fpr", "fnr", "tpr", "tnr", "f1", "parity"):
        scores[name] = [rate(each, name, c) for each in of]
    for name, score in (("FPED", "fpr"), ("FNED", "fnr")):
        if None not in scores[score]:
            whole = rate(examples, score, c)
            found[name, "published"] = sum(abs(whole - s) for s in scores[score])
            found[name, "corrected"] = found[name, "published"] / n
    for name, score in (("FPR Ratio", "fpr"), ("FNR Ratio", "fnr")):
        around = [rate(each, score, c) for each in rest]
        if None not in scores[score] + around:
            ratios = [s / (b + 1e-13) for s, b in zip(scores[score], around, strict=True)]
            found[name, "published"] = sum(ratios) / n
    for name, score in (("TPR Gap", "tpr"), ("TNR Gap", "tnr"), ("Parity Gap", "parity")):
        if None not in scores[score]:
            found[name, "published"] = pairs(scores[score], absolute) / n_pairs
    if None not in scores["f1"]:
        found["Disparity Score", "published"] = pairs(scores["f1"], absolute) / n
        found["Disparity Score", "corrected"] = pairs(scores["f1"], absolute) / n_pairs
    p = [[x["p"][c] for x in each] for each in of]
    everything = [x["p"][c] for x in examples]
    found["AvgGF", "published"] = sum(wasserstein_distance(everything, each) for each in p) / n
    own = [[x["p"][c] for x in each if x["true"] == c] for each in of]
    others = [[x["p"][c] for x in each if x["true"] == c] for each in rest]
    if all(own):
        gaps = [wasserstein_distance(b, g) for b, g in zip(others, own, strict=True)]
        found["AvgGF (TC)", "published"] = sum(gaps) / n
    return found


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
    """All counterfactual metrics for many groups; without those that have no source."""
    n_pairs = len(groups) * (len(groups) - 1) / 2
    gap, ss, sd, sr, w1 = {}, [], [], [], {}
    for source, tuples in variations.items():
        sums = [0, 0, 0, 0]
        for each in tuples:
            p = [x["p"][c] for x in each]
            target = [x["p"][x["true"]] for x in each]
            mean = sum(target) / len(target)
            sums[0] += pairs(p, absolute) / n_pairs
            sums[1] += pairs(target, absolute) / n_pairs
            sums[2] += sqrt(sum((t - mean) ** 2 for t in target) / len(target))
            sums[3] += max(target) - min(target)
        gap[source], *others = [s / len(tuples) for s in sums]
        for values, value in zip((ss, sd, sr), others, strict=True):
            values.append(value)
        own = [x for x in examples if x["source"] == source]
        p = [[x["p"][c] for x in own if x["group"] == g] for g in groups]
        w1[source] = pairs(p, wasserstein_distance) / n_pairs
    gold = {x["source"]: x["true"] for x in examples}
    found = {}
    for name, values in (
        ("CFGap", list(gap.values())),
        ("AvgIF", list(w1.values())),
        ("CFGap (TC)", [value for s, value in gap.items() if gold[s] == c]),
        ("AvgIF (TC)", [value for s, value in w1.items() if gold[s] == c]),
        ("PertSS", ss),
        ("PertSD", sd),
        ("PertSR", sr),
    ):
        if values:
            found[name, "published"] = sum(values) / len(values)
    return found
