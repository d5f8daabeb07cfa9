"""Items as evidence: what fills their blanks, and samples spread over terms."""

import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialbias.papers.stereoset.items import measure, sampled, scored, wide
from tests.worlds.corpora import manifest
from tests.worlds.jobs import job_with

GOLD = ("unrelated", "stereotype", "anti-stereotype")  # in another order than scores


def item(name, target, context, *sentences):
    labels = [{"label": "related", "human_id": f"h{i}"} for i in range(5)]
    candidates = [
        {"id": f"{name}-{gold}", "sentence": text, "labels": labels, "gold_label": gold}
        for gold, text in zip(GOLD, sentences, strict=True)
    ]
    about = {"id": name, "target": target, "bias_type": "gender", "context": context}
    return about | {"sentences": candidates}


DEVELOPMENT = {
    "intersentence": [item("b", "she", "She is here.", "Fish swim.", "She cooks.", "She drives.")],
    "intrasentence": [
        item(
            "a", "she", "A BLANK is a Blank.", "A fish is a fish.", "A she is a she.", "A U is a U."
        )
    ],
}
TEST = {"intersentence": [], "intrasentence": [item("c", "he", "He is BLANK.", *["He is x."] * 3)]}


def job(folder, **splits):
    files = {}
    for role, data in splits.items():
        (folder / role).mkdir()
        (folder / role / "items.json").write_text(json.dumps({"version": "1", "data": data}))
        files[role] = manifest(folder / role, role, "items.json")
    return job_with(files)


def test_every_candidate_of_both_splits_is_a_row(tmp_path):
    table = measure(job(tmp_path, stereoset_dev=DEVELOPMENT, stereoset_test=TEST))
    assert table["split"].tolist() == ["development"] * 6 + ["test"] * 3
    assert table["item"].tolist() == ["a"] * 3 + ["b"] * 3 + ["c"] * 3
    assert table["attribute"].tolist() == ["fish", "she", "U", "", "", "", "x", "x", "x"]
    first = table.iloc[0]
    assert (first["domain"], first["gold"], first["id"]) == ("gender", "unrelated", "a-unrelated")
    assert list(first["annotators"]) == ["h0", "h1", "h2", "h3", "h4"]


def test_candidates_beside_each_other_are_in_the_order_of_scores(tmp_path):
    table = measure(job(tmp_path, stereoset_dev=DEVELOPMENT))
    assert set(table["split"]) == {"development"}  # the other is not at hand
    texts = wide(table, "sentence")
    assert texts["item"].tolist() == ["a", "b"]
    assert texts.iloc[1][["stereotype", "anti-stereotype", "unrelated"]].tolist() == [
        "She cooks.", "She drives.", "Fish swim.",
    ]  # fmt: skip
    table = scored(texts, [(1, 2, 3), (4, 5, 6)], "mine", "likelihood")
    assert set(zip(table["row"], table["scheme"], strict=True)) == {("mine", "likelihood")}
    assert table.loc[1, ["stereotype", "unrelated"]].tolist() == [4, 6]


def frame(sizes, task="intrasentence"):
    """Items of terms with so many each, one term after the other."""
    targets = [name for name, size in sizes.items() for _ in range(size)]
    fields = {"split": "development", "task": task, "target": targets}
    return pd.DataFrame(fields | {"item": [f"i{k}" for k in range(len(targets))]})


def counts(items):
    return items["target"].value_counts().to_dict()


def test_a_sample_has_of_each_term_equally_many_as_far_as_there_are():
    sizes = {"a": 5, "b": 5, "c": 1, "d": 3}
    assert counts(sampled(frame(sizes), 7, 1)) == {"a": 2, "b": 2, "c": 1, "d": 2}


@given(st.lists(st.integers(1, 8), min_size=1, max_size=8), st.integers(1, 70), st.integers(0, 9))
def test_no_term_has_two_items_more_than_another_that_has_items_left(sizes, number, seed):
    sizes = {f"t{i}": size for i, size in enumerate(sizes)}
    result = counts(sampled(frame(sizes), number, seed))
    assert sum(result.values()) == min(number, sum(sizes.values()))
    short = [result.get(name, 0) for name, size in sizes.items() if result.get(name, 0) < size]
    assert max(result.values()) - min(short, default=max(result.values())) <= 1


def test_a_sample_is_the_seeds_and_a_larger_one_has_it():
    items = frame({"a": 30, "b": 30})
    one, again = (sampled(items, 10, 1)["item"].tolist() for _ in range(2))
    assert one == again == [name for name in items["item"] if name in one]  # in the items' order
    assert one != sampled(items, 10, 2)["item"].tolist()
    assert set(one) < set(sampled(items, 21, 1)["item"])
    inter = sampled(frame({"a": 30, "b": 30}, "intersentence"), 10, 1)
    assert one != inter["item"].tolist()


@pytest.mark.parametrize("number", [0, 4, 5])
def test_all_items_where_no_fewer_are_asked_for(number):
    items = frame({"a": 3, "b": 1})
    pd.testing.assert_frame_equal(sampled(items, number, 1), items)
