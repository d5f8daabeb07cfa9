"""Items as evidence: what fills their blanks, samples over terms, and what pages show."""

import json

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from socialbias.papers.stereoset.behind import MAX_ITEMS, groups
from socialbias.papers.stereoset.items import measure, sampled, scored, wide
from tests.worlds import job_with, manifest
from tests.worlds.stereoset import GOLD, A, S, item

RAW_GOLD = ("unrelated", "stereotype", "anti-stereotype")  # in another order than scores


def raw_item(name, target, context, *sentences):
    labels = [{"label": "related", "human_id": f"h{i}"} for i in range(5)]
    candidates = [
        {"id": f"{name}-{gold}", "sentence": text, "labels": labels, "gold_label": gold}
        for gold, text in zip(RAW_GOLD, sentences, strict=True)
    ]
    about = {"id": name, "target": target, "bias_type": "gender", "context": context}
    return about | {"sentences": candidates}


DEVELOPMENT = {
    "intersentence": [
        raw_item("b", "she", "She is here.", "Fish swim.", "She cooks.", "She drives.")
    ],
    "intrasentence": [
        raw_item(
            "a", "she", "A BLANK is a Blank.", "A fish is a fish.", "A she is a she.", "A U is a U."
        )
    ],
}
TEST = {
    "intersentence": [],
    "intrasentence": [raw_item("c", "he", "He is BLANK.", *["He is x."] * 3)],
}


def job_of_items(folder, **splits):
    files = {}
    for role, data in splits.items():
        (folder / role).mkdir()
        (folder / role / "items.json").write_text(json.dumps({"version": "1", "data": data}))
        files[role] = manifest(folder / role, role, "items.json")
    return job_with(files)


def test_every_candidate_of_both_splits_is_a_row(tmp_path):
    table = measure(job_of_items(tmp_path, stereoset_dev=DEVELOPMENT, stereoset_test=TEST))
    assert table["split"].tolist() == ["development"] * 6 + ["test"] * 3
    assert table["item"].tolist() == ["a"] * 3 + ["b"] * 3 + ["c"] * 3
    assert table["attribute"].tolist() == ["fish", "she", "U", "", "", "", "x", "x", "x"]
    first = table.iloc[0]
    assert (first["domain"], first["gold"], first["id"]) == ("gender", "unrelated", "a-unrelated")
    assert list(first["annotators"]) == ["h0", "h1", "h2", "h3", "h4"]


def test_candidates_beside_each_other_are_in_the_order_of_scores(tmp_path):
    table = measure(job_of_items(tmp_path, stereoset_dev=DEVELOPMENT))
    assert set(table["split"]) == {"development"}  # the other is not at hand
    texts = wide(table, "sentence")
    assert texts["item"].tolist() == ["a", "b"]
    assert texts.iloc[1][["stereotype", "anti-stereotype", "unrelated"]].tolist() == [
        "She cooks.", "She drives.", "Fish swim.",
    ]  # fmt: skip
    table = scored(texts, [(1, 2, 3), (4, 5, 6)], "mine", "likelihood")
    assert set(zip(table["row"], table["scheme"], strict=True)) == {("mine", "likelihood")}
    assert table.loc[1, ["stereotype", "unrelated"]].tolist() == [4, 6]


def items_of(sizes, task="intrasentence"):
    """Items of terms with so many each, one term after the other."""
    targets = [name for name, size in sizes.items() for _ in range(size)]
    fields = {"split": "development", "task": task, "target": targets}
    return pd.DataFrame(fields | {"item": [f"i{k}" for k in range(len(targets))]})


def counts(items):
    return items["target"].value_counts().to_dict()


@given(st.lists(st.integers(1, 8), min_size=1, max_size=8), st.integers(1, 70), st.integers(0, 9))
def test_no_term_has_two_items_more_than_another_that_has_items_left(sizes, number, seed):
    sizes = {f"t{i}": size for i, size in enumerate(sizes)}
    result = counts(sampled(items_of(sizes), number, seed))
    assert sum(result.values()) == min(number, sum(sizes.values()))
    short = [result.get(name, 0) for name, size in sizes.items() if result.get(name, 0) < size]
    assert max(result.values()) - min(short, default=max(result.values())) <= 1


def test_a_sample_is_the_seeds_and_a_larger_one_has_it():
    items = items_of({"a": 30, "b": 30})
    one, again = (sampled(items, 10, 1)["item"].tolist() for _ in range(2))
    assert one == again == [name for name in items["item"] if name in one]  # in the items' order
    assert one != sampled(items, 10, 2)["item"].tolist()
    assert set(one) < set(sampled(items, 21, 1)["item"])
    inter = sampled(items_of({"a": 30, "b": 30}, "intersentence"), 10, 1)
    assert one != inter["item"].tolist()


BOLD = ("He is bold.", "He is shy.", "He is rain.")


def job_behind(scores):
    labels = (S, S, S, A, A)
    fields = ("dev", "intrasentence", "boy", "gender", "He is BLANK.", BOLD, labels)
    items = [row for i in range(len(scores)) for row in item(i, *fields)]
    about = dict(zip(("split", "task", "target", "domain"), fields, strict=False))
    scored = pd.DataFrame(scores, columns=GOLD).assign(**about, row="m", scheme="")
    scored["item"] = [f"i{i}" for i in range(len(scores))]
    inputs = {"items": pd.DataFrame(items), "scores_m": scored}
    inputs = {f"evidence/stereoset/{name}": table for name, table in inputs.items()}
    return job_with(inputs | {"a page's other input": pd.DataFrame()})


def test_the_items_of_a_scorer_are_its_most_decided_ones_on_either_side():
    leads = range(-8, 9)  # of the stereotype, item by item
    scorer, term = groups(job_behind([(10 + lead, 10, 0) for lead in leads]))
    assert len(scorer.table) == 2 * MAX_ITEMS
    assert scorer.table["stereotype"].iloc[0] == "He is bold. (18)"
    assert scorer.table["stereotype"].iloc[-1] == "He is bold. (2)"
    assert (
        list(scorer.table["choice"]) == ["stereotype"] * MAX_ITEMS + ["anti-stereotype"] * MAX_ITEMS
    )
    # Without a scheme the scores are of the tables of either.
    for scheme in ("likelihood", "pseudo-likelihood"):
        assert {f"{scheme} m", f"{scheme} intra m"} <= {*scorer.keys}
    assert "of 17 " in scorer.note
    assert term.keys == ("gender boy", "boy")


def test_an_item_stands_once_where_there_are_few():
    scorer, _ = groups(job_behind([(1, 2, 3), (3, 2, 1)]))
    assert list(scorer.table["choice"]) == ["stereotype", "unrelated"]


def test_the_items_of_a_term_say_how_many_annotators_agreed():
    _, term = groups(job_behind([(1, 2, 3)] * 9))
    assert len(term.table) == MAX_ITEMS
    assert term.table["stereotype"].iloc[0] == "He is bold. (3 of 5)"
    assert term.table["anti-stereotype"].iloc[0] == "He is shy. (5 of 5)"
    assert f"first {MAX_ITEMS} of 9" in term.note


def test_without_items_there_is_nothing_to_show():
    assert groups(job_with()) == []
