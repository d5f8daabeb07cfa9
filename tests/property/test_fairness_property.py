"""Fairness metrics, whatever the predictions: those of plain loops, and what must hold."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from socialbias.measures.fairness.data import predictions
from socialbias.measures.fairness.draws import Key, bootstrap, deals, results
from socialbias.measures.fairness.metrics import applicable, evaluate
from socialbias.measures.fairness.registry import METRICS
from socialbias.measures.fairness.sample import Draws, Sample
from socialbias.measures.fairness.variations import variations
from tests.oracles import slow_fairness

TENTHS = st.integers(0, 10).map(lambda x: x / 10)  # so that values tie


@st.composite
def corpora(draw, equal=False, most_groups=4):
    """Examples of templates filled with each group's terms, some templates without some groups."""
    groups = draw(st.integers(2, most_groups))
    classes = draw(st.integers(2, 3))
    sizes = [draw(st.integers(1, 3))] * groups
    if not equal:
        sizes = draw(st.lists(st.integers(1, 3), min_size=groups, max_size=groups))
    sources = draw(st.integers(1, 4))
    lacking = set()
    if not equal and sources > 1:
        lacking = draw(st.sets(st.tuples(st.integers(1, sources - 1), st.integers(0, groups - 1))))
    examples = []
    for s in range(sources):
        true = draw(st.integers(0, classes - 1))
        for g in range(groups):
            if (s, g) in lacking:
                continue
            for t in range(sizes[g]):
                p = [draw(TENTHS) for _ in range(classes)]
                predicted = draw(st.integers(0, classes - 1))
                examples.append(
                    {"source": s, "group": f"g{g}", "term": f"{g}-{t}", "true": true,
                     "predicted": predicted, "p": p}
                )  # fmt: skip
    return examples, classes


def data_of(examples, classes, groups=None):
    """The examples as arrays."""
    columns = {key: [x[key] for x in examples] for key in examples[0]}
    return predictions(
        columns["true"], columns["predicted"], probabilities=columns["p"], group=columns["group"],
        source=columns["source"], term=columns["term"], classes=range(classes), groups=groups,
    )  # fmt: skip


def values(data, seed=0):
    tuples = variations(data, seed)
    metrics = [METRICS[name] for name in applicable(data, tuples)]
    return results(data, metrics, Draws.none(data), tuples)


def same(a, b):
    return np.array_equal(np.isnan(a), np.isnan(b)) and np.allclose(
        np.nan_to_num(a), np.nan_to_num(b), atol=1e-9, rtol=1e-9
    )


@settings(deadline=None)
@given(corpora())
def test_plain_loops(corpus):
    examples, classes = corpus
    groups = list(dict.fromkeys(x["group"] for x in examples))
    fast = values(data_of(examples, classes))
    tuples = slow_fairness.cartesian(examples, groups)
    for c in range(classes):
        slow = slow_fairness.group_metrics(examples, groups, c)
        slow |= slow_fairness.counterfactual_metrics(examples, groups, c, tuples)
        gaps = slow_fairness.equality_gaps(examples, groups, c)
        for key, result in fast.items():
            name, class_, version = key
            metric = METRICS[name]
            if not metric.many or not metric.scalar or class_ != c:
                continue
            if (name, version) in slow:
                assert result.value[0] == pytest.approx(slow[name, version], rel=1e-9, abs=1e-9)
            else:
                assert np.isnan(result.value[0])
        equality = fast[Key("AvgEG", c, "published")].by_group[:, 0]
        assert same(equality, np.array(gaps))


@settings(deadline=None)
@given(corpora(equal=True, most_groups=2))
def test_two_groups(corpus):
    """PertSS = PertSR = 2 PertSD; published over corrected is the number of pairs over |T|."""
    found = values(data_of(*corpus))
    pert = [found[Key(name, 0, "published")].value[0] for name in ("PertSS", "PertSR", "PertSD")]
    assert pert[0] == pytest.approx(pert[1])
    assert pert[0] == pytest.approx(2 * pert[2])
    published, corrected = (
        found[Key("Disparity Score", 0, version)].value for version in ("published", "corrected")
    )
    assert same(published * 2, corrected * 1)  # |T| = 2, one pair


@settings(deadline=None)
@given(corpora())
def test_normalisers_differ_by_groups_over_pairs(corpus):
    data = data_of(*corpus)
    groups = len(data.groups)
    sample = Sample(data, Draws.none(data))
    published, corrected = (
        evaluate(METRICS["Disparity Score"], sample, 1, version).value
        for version in ("published", "corrected")
    )
    assert same(published * groups, corrected * groups * (groups - 1) / 2)


@settings(deadline=None)
@given(corpora(equal=True))
def test_two_classes_have_equal_counterfactual_gaps(corpus):
    examples, classes = corpus
    assume(classes == 2)
    for x in examples:
        x["p"] = [1 - x["p"][1], x["p"][1]]
    found = values(data_of(examples, 2))
    first, second = (found[Key("CFGap", c, "published")] for c in (0, 1))
    assert same(first.value, second.value)
    assert same(first.by_group, second.by_group)


@settings(deadline=None)
@given(corpora(equal=True))
def test_equality_gaps_of_equally_large_groups_sum_to_0(corpus):
    examples, classes = corpus
    found = values(data_of(examples, classes))
    for c in range(classes):
        gaps = found[Key("AvgEG", c, "published")].by_group
        assert np.isnan(gaps).all() or abs(gaps.sum()) < 1e-9


@settings(deadline=None)
@given(corpora(), st.randoms())
def test_order_and_names_of_groups_change_nothing(corpus, random):
    examples, classes = corpus
    before = data_of(examples, classes)
    named = {name: f"new {i}" for i, name in enumerate(before.groups)}
    shuffled = [x | {"group": named[x["group"]]} for x in examples]
    random.shuffle(shuffled)
    order = list(named.values())
    random.shuffle(order)
    after = data_of(shuffled, classes, groups=order)
    places = [order.index(named[name]) for name in before.groups]
    old, new = values(before), values(after)
    assert old.keys() == new.keys()
    for key, result in old.items():
        if METRICS[key.metric].many:
            assert same(result.value, new[key].value)
            if result.by_group is not None:
                assert same(result.by_group, new[key].by_group[places])


@settings(deadline=None)
@given(corpora())
def test_a_draw_is_the_metric_of_the_drawn_examples(corpus):
    """Bootstrap samples and deals, against the examples written out as often as drawn."""
    examples, classes = corpus
    data = data_of(examples, classes)
    draws = [bootstrap(data, 3, 0)]
    if len(np.unique(data.stratum)) < len({*zip(data.stratum, data.term_group, strict=True)}):
        draws.append(deals(data, 3, 0))
    at = {(x["source"], x["term"]): x for x in examples}
    sources = list(dict.fromkeys(x["source"] for x in examples))
    terms = list(dict.fromkeys(x["term"] for x in examples))
    owner = {x["term"]: x["group"] for x in examples}
    for some in draws:
        tuples = variations(data, 0)
        metrics = [METRICS[name] for name in applicable(data, tuples) if METRICS[name].many]
        fast = results(data, metrics, some, tuples)
        for b in range(3):
            placed = {term: terms[some.terms[b, v]] for v, term in enumerate(terms)}
            drawn = [
                at[source, placed[term]] | {"source": (source, k), "group": owner[term]}
                for s, source in enumerate(sources)
                for k in range(int(some.sources[b, s]))
                for term in terms
                if (source, term) in at
            ]
            groups = {x["group"] for x in drawn}
            if len(groups) < len(data.groups):
                continue
            slow = slow_fairness.group_metrics(drawn, data.groups, 0)
            whole = slow_fairness.cartesian(drawn, data.groups)
            slow |= slow_fairness.counterfactual_metrics(drawn, data.groups, 0, whole)
            for (name, version), value in slow.items():
                result = fast.get(Key(name, 0, version))
                if result is not None:
                    assert result.value[b] == pytest.approx(value, rel=1e-9, abs=1e-9)
