"""Fairness metrics, whatever the predictions: those of plain loops, and what must hold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from socialbias.measures.fairness.data import predictions
from socialbias.measures.fairness.draws import Key, bootstrap, deals, results
from socialbias.measures.fairness.metrics import applicable
from socialbias.measures.fairness.registry import METRICS
from socialbias.measures.fairness.sample import Draws
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


def data_of(examples, classes):
    """The examples as arrays."""
    columns = {key: [x[key] for x in examples] for key in examples[0]}
    return predictions(
        columns["true"], columns["predicted"], probabilities=columns["p"], group=columns["group"],
        source=columns["source"], term=columns["term"], classes=range(classes),
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
            drawn = [
                at[source, terms[some.terms[b, v]]]
                | {"source": f"{s} {k}", "term": term, "group": owner[term]}
                for s, source in enumerate(sources)
                for k in range(int(some.sources[b, s]))
                for v, term in enumerate(terms)
                if (source, terms[some.terms[b, v]]) in at
            ]
            if len({x["group"] for x in drawn}) < len(data.groups):
                continue
            drawn.sort(key=lambda x: data.groups.index(x["group"]))
            for key, result in values(data_of(drawn, classes)).items():
                if key in fast:
                    assert same(fast[key].value[b : b + 1], result.value)
