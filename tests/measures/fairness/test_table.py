"""The table of fairness metrics: intervals, nulls, and what it says of cases without a value."""

import math
from itertools import permutations

import numpy as np
import pytest

from socialbias.errors import UserError
from socialbias.measures.fairness import METRICS, fairness_table, predictions
from socialbias.measures.fairness.draws import deals, smallest_p
from socialbias.measures.fairness.significance import significance
from socialbias.measures.fairness.table import excess, fairness_draws, interval, stretch


def filled(chances, terms=3, templates=6, seed=0):
    """Templates filled with the terms of each group, of classes in turn."""
    rng = np.random.default_rng(seed)
    rows = [
        (s, g, f"{g}{t}") for s in range(templates) for g in chances for t in range(terms)
    ]  # fmt: skip
    source, group, term = (np.array(column) for column in zip(*rows, strict=True))
    y_true = source % 2
    p = np.clip([chances[g] for g in group] + rng.normal(0, 0.05, len(rows)), 0, 1)
    p = np.where(y_true == 1, p, 1 - p)
    return {
        "y_true": y_true, "probabilities": np.column_stack([1 - p, p]), "group": group,
        "source": source, "term": term,
    }  # fmt: skip


def row(rows, metric, group="", class_=None, version="published"):
    """The only such row."""
    wanted = [
        r for r in rows
        if (r.metric, r.group, r.version) == (metric, group, version)
        and r.class_ == (class_ if class_ is not None else r.class_)
    ]  # fmt: skip
    assert len(wanted) == 1
    return wanted[0]


# --- intervals and nulls ----------------------------------------------------------------------


def test_intervals_hold_the_value_and_absolute_gaps_never_end_below_0():
    rows = fairness_table(predictions(**filled({"a": 0.8, "b": 0.8, "c": 0.6})), seed=0)
    for r in rows:
        if not math.isnan(r.low):
            assert r.low <= r.value <= r.high
            assert METRICS[r.metric].signed or r.low >= 0


def test_an_interval_of_a_gap_reaches_below_its_noise_by_hand():
    """Samples 5, 6 and 7 of a gap of 5: larger by 1, so that noise makes up 1 + sqrt(2) at most."""
    gap, signed = METRICS["AvgGF"], METRICS["PosAvgEG"]
    sampled, tail = np.array([5.0, 6.0, 7.0]), 0.25
    low, high = interval(5.0, sampled, 1 - 2 * tail, gap)
    assert low == pytest.approx(5 - (1 + math.sqrt(2)) - 0.5)  # 6.5 is half above the mean
    assert high == 6.5
    assert excess(5.0, sampled, gap) == pytest.approx(1 + math.sqrt(2))
    assert interval(5.0, sampled, 1 - 2 * tail, signed) == (3.5, 6.5)
    # Nothing is taken from a value that samples do not exceed; and no gap is below 0.
    assert excess(6.5, sampled, gap) == 0
    assert interval(1.0, np.array([1.0, 2.0, 3.0]), 1 - 2 * tail, gap)[0] == 0


def two_terms_a_group():
    """Group a is right for one of its two terms, group b for one of its two."""
    return predictions([1] * 4, [1, 0, 1, 0], group=list("aabb"), source=["x"] * 4, term=range(4),
                       classes=[0, 1])  # fmt: skip


def test_samples_of_two_terms_a_group_are_as_wide_as_students_interval_by_hand():
    """Resampled shares are 0, .5 or 1; variances double, and t is 4.303 with 1 + 1 degrees."""
    options = {"seed": 0, "classes": ["1"], "null_deals": 0}
    [drawn] = fairness_draws(two_terms_a_group(), ["TPR Difference"], **options)
    times = math.sqrt(2) * 4.302653 / 1.959964
    assert drawn.row.value == 0
    assert {*np.round(drawn.sampled / times, 5)} == {-1, -0.5, 0, 0.5, 1}
    assert drawn.row.high == pytest.approx(times)  # a sixteenth of samples has a gap of 1


def test_few_terms_widen_samples_and_single_ones_do_not_by_hand():
    """Two and three terms (t of 1 + 2 degrees 3.182), a noun beside the two, and a group of one."""
    sizes = {"a": (2, 1), "b": (3, 0), "c": (1, 0)}
    rows = [
        (group, f"{group} {kind} {i}", kind)
        for group, of_kinds in sizes.items()
        for kind, n in zip(("adjective", "noun"), of_kinds, strict=True)
        for i in range(n)
    ]
    group, term, kind = zip(*rows, strict=True)
    about = {"group": group, "source": ["x"] * len(rows), "classes": [0, 1]}
    data = predictions([1] * len(rows), [1] * len(rows), **about, term=term, word_class=kind)
    # Variances of means are 1/2 and 1/3, those over resamples half and two thirds of these.
    variances = np.array([(1 / 2 + 1 / 3) / (1 / 4 + 2 / 9), 2, 3 / 2, 1])
    expected = np.sqrt(variances) * 3.182446 / 1.959964
    np.testing.assert_allclose(stretch(data), expected, rtol=1e-6)
    without = predictions([1] * len(rows), [1] * len(rows), **about)
    np.testing.assert_array_equal(stretch(without), 1)


def test_a_null_by_hand():
    """Right 1, 1, 0, 0 of four terms: dealt to two groups, a third of deals part them so again."""
    data = predictions(
        [1] * 4 + [0] * 4, [1, 1, 0, 0, 0, 0, 0, 0], group=list("aabb") * 2,
        source=["x"] * 4 + ["y"] * 4, term=list("wxyz") * 2,
    )  # fmt: skip
    r = row(fairness_table(data, ["TPR Gap"], seed=0, level=0.6), "TPR Gap", class_="1")
    assert r.value == 1
    assert r.null_mean == pytest.approx(1 / 3, abs=0.06)
    assert r.p_value == pytest.approx(1 / 3, abs=0.06)


@pytest.mark.parametrize(
    ("sizes", "ways", "alike"),
    [((2, 2), 6, 2), ((3, 3), 20, 2), ((4, 4), 70, 2), ((2, 3), 10, 1), ((2, 2, 2), 90, 6)],
)
def test_too_few_terms_have_no_test(sizes, ways, alike):
    """Ways of dealing by hand, and by listing them all."""
    groups = [name for name, size in zip("abc", sizes, strict=False) for _ in range(size)]
    assert len(set(permutations(groups))) == ways if len(groups) < 8 else True
    n = len(groups)
    data = predictions(
        [1, 0] * n, [1, 0] * n, group=np.repeat(groups, 2), source=["x", "y"] * n,
        term=np.repeat([f"t{i}" for i in range(n)], 2),
    )  # fmt: skip
    assert smallest_p(data) == pytest.approx(alike / ways)
    found = row(fairness_table(data, ["TPR Gap"], seed=0), "TPR Gap", class_="1")
    assert math.isnan(found.p_value) == (alike / ways > 0.05)
    assert ("no test" in found.note) == (alike / ways > 0.05)
    found = row(fairness_table(data, ["TPR Gap"], seed=0, level=0.9), "TPR Gap", class_="1")
    assert ("no test" in found.note) == (alike / ways > 0.1)  # which is .1 with (3, 3) and (2, 3)


def test_terms_are_dealt_within_word_class_and_as_many_to_each_group():
    # The nouns occur with one source, adjectives with both.
    rows = [("x", "a", "a adj"), ("x", "b", "b adj"), ("y", "a", "a adj"), ("y", "b", "b adj"),
            ("y", "a", "a noun"), ("y", "b", "b noun")]  # fmt: skip
    source, group, term = zip(*rows, strict=True)
    data = predictions([0] * 6, [0] * 6, group=group, source=source, term=term)
    some = deals(data, 50, 0).terms
    adjectives = [i for i, name in enumerate(data.terms) if name.endswith("adj")]
    assert {frozenset(each) for each in some[:, adjectives].tolist()} == {frozenset(adjectives)}
    assert len(np.unique(some, axis=0)) == 4
    named = predictions(
        [0] * 6, [0] * 6, group=group, source=source, term=term,
        word_class=["1", "2", "1", "2", "3", "3"],
    )  # fmt: skip
    assert len(np.unique(deals(named, 50, 0).terms, axis=0)) == 2  # nouns alone change places


# --- what is said of cases without a value ----------------------------------------------------


def test_ratios_without_a_denominator_are_marked():
    data = predictions([0, 0, 0, 0, 1, 1], [0, 1, 0, 0, 0, 0], group=list("aabbab"))
    rows = fairness_table(data, ["FPR Ratio"], seed=0, bootstraps=0)
    # 1/3 over 0, which no number is.
    for group in ("a", ""):
        r = row(rows, "FPR Ratio", group, "1")
        assert np.isnan(r.value)
        assert r.note == "not defined: there is nothing to divide by"
    assert row(rows, "FPR Ratio", "b", "1").value == 0
    assert row(rows, "FPR Ratio", "b", "1").note == ""
    none = predictions([0, 0, 1, 1], [0, 0, 1, 1], group=list("abab"))
    r = row(fairness_table(none, ["FPR Ratio"], seed=0, bootstraps=0), "FPR Ratio", "a", "1")
    assert (r.value, r.note) == (0, "0/0 counted as 0")


@pytest.mark.parametrize(("undefined", "defined"), [(1, True), (10, False)])
def test_a_ratio_has_an_interval_where_few_samples_are_x_over_0(undefined, defined):
    sampled = np.array([np.inf] * undefined + [1.0, 2.0] * 100)
    low, high = interval(1.5, sampled, 0.95, METRICS["FPR Ratio"])
    assert np.isfinite([low, high]).all() == defined
    if defined:
        assert (low, high) == (1, 2)


def test_missing_variants_are_named_and_their_sources_left_out():
    arrays = filled({"a": 0.8, "b": 0.7, "c": 0.6})
    kept = ~((arrays["source"] == 2) & (arrays["group"] == "b"))
    data = predictions(**{name: values[kept] for name, values in arrays.items()})
    assert data.missing_variants == [("2", "b")]
    rows = fairness_table(data, ["PertSS", "FNED"], seed=0, bootstraps=0, null_deals=0)
    assert row(rows, "PertSS").note == "1 of 6 sources left out: no variation for b of 1"
    assert row(rows, "FNED", class_="1").note == ""
    whole = {name: values[arrays["source"] != 2] for name, values in arrays.items()}
    without = fairness_table(predictions(**whole), ["PertSS"], seed=0, bootstraps=0)
    assert row(rows, "PertSS").value == pytest.approx(row(without, "PertSS").value)


DECIDED = {"y_true": [0, 1], "y_pred": [0, 1], "group": ["a", "b"], "classes": [0, 1]}
LIKELY = {"y_true": [0, 1], "group": ["a", "b"], "probabilities": [[0.5, 0.5]] * 2}
TWICE = {key: values * 2 for key, values in LIKELY.items()} | {"y_true": [0] * 4}


@pytest.mark.parametrize(
    ("arrays", "how", "message"),
    [
        (DECIDED | {"term": ["s", "s"]}, {}, "term 's' belongs to a and b|to b and a"),
        (DECIDED | {"group": ["a", "a"]}, {}, "only one group"),
        (DECIDED | {"probabilities": [[0.5, 1.5]] * 2}, {}, "outside 0 to 1"),
        (DECIDED | {"y_pred": [0, 7]}, {}, "predicted label '7' is not one of"),
        (DECIDED | {"y_pred": [0]}, {}, "2 gold and 1 predicted"),
        (DECIDED | {"source": ["x"]}, {}, "sources of 2 examples"),
        (DECIDED, {"classes": [2]}, "no class '2': there are 0, 1"),
        (DECIDED, {"metrics": ["BPSN"]}, "no metric 'BPSN'"),
        (LIKELY, {"metrics": ["CFGap"]}, "need sources"),
        (LIKELY | {"source": ["x", "x"]}, {}, "'x' differ in gold class"),
        (TWICE | {"source": ["x"] * 4, "term": ["s", "t"] * 2}, {}, "'x' has one term twice"),
    ],
)
def test_what_is_wrong_is_named(arrays, how, message):
    with pytest.raises(UserError, match=message):
        fairness_table(predictions(**arrays), seed=0, **how)


# --- significance -----------------------------------------------------------------------------


def likely(p, classes=2):
    """Two-class predictions from probabilities of class 1, (sources, groups)."""
    p = np.asarray(p, float)
    source, group = (grid.ravel() for grid in np.indices(p.shape))
    rest = np.repeat(((1 - p.ravel()) / (classes - 1))[:, None], classes - 1, axis=1)
    return predictions(
        [0] * p.size, probabilities=np.insert(rest, 1, p.ravel(), axis=1), group=group,
        source=source,
    )  # fmt: skip


def test_friedman_by_hand():
    # Four sources that order three groups alike: chi squared of 8, two degrees of freedom.
    found = significance(likely([[0.1, 0.2, 0.3], [0.2, 0.5, 0.6], [0, 0.1, 0.9], [0.3, 0.4, 0.5]]))
    assert (found.test, found.effect_name, found.sources) == ("Friedman", "Kendall's W", 4)
    assert found.statistic == pytest.approx(8)
    assert found.effect == pytest.approx(1)
    assert found.p_value == pytest.approx(math.exp(-4))


def test_wilcoxon_by_hand():
    # Differences .1, .2, .3 and -.4: (1 + 2 + 3 - 4) / 10.
    found = significance(likely([[0.3, 0.2], [0.4, 0.2], [0.5, 0.2], [0.1, 0.5]]))
    assert (found.test, found.statistic) == ("Wilcoxon", 4)
    assert found.effect == pytest.approx(0.2)


def test_a_source_has_one_probability_of_each_group():
    data = predictions(
        [0] * 6, group=list("aabaab"), source=[0, 0, 0, 1, 1, 1],
        probabilities=[[0.9, 0.1], [0.5, 0.5], [0.8, 0.2], [0.2, 0.8], [0.4, 0.6], [0.6, 0.4]],
    )  # fmt: skip
    assert significance(data).effect == 1  # .3 over .2, .7 over .4


def test_groups_that_are_all_alike_have_no_effect():
    found = significance(likely([[0.2, 0.2, 0.2]] * 4))
    assert (found.statistic, found.p_value, found.effect) == (0, 1, 0)
