"""The items that the pages show behind StereoSet's numbers."""

import pandas as pd

from socialbias.papers.stereoset.behind import MOST, groups
from tests.worlds.jobs import job_with
from tests.worlds.stereoset import GOLD, A, S, item

SENTENCES = ("He is bold.", "He is shy.", "He is rain.")


def job(scores):
    labels = (S, S, S, A, A)
    fields = ("dev", "intrasentence", "boy", "gender", "He is BLANK.", SENTENCES, labels)
    items = [row for i in range(len(scores)) for row in item(i, *fields)]
    about = dict(zip(("split", "task", "target", "domain"), fields, strict=False))
    scored = pd.DataFrame(scores, columns=GOLD).assign(**about, row="m", scheme="")
    scored["item"] = [f"i{i}" for i in range(len(scores))]
    inputs = {"items": pd.DataFrame(items), "scores_m": scored}
    inputs = {f"evidence/stereoset/{name}": table for name, table in inputs.items()}
    return job_with(inputs | {"a page's other input": pd.DataFrame()})


def test_the_items_of_a_scorer_are_its_most_decided_ones_on_either_side():
    leads = range(-8, 9)  # of the stereotype, item by item
    scorer, term = groups(job([(10 + lead, 10, 0) for lead in leads]))
    assert len(scorer.table) == 2 * MOST
    assert scorer.table["stereotype"].iloc[0] == "He is bold. (18)"
    assert scorer.table["stereotype"].iloc[-1] == "He is bold. (2)"
    assert list(scorer.table["choice"]) == ["stereotype"] * MOST + ["anti-stereotype"] * MOST
    # Without a scheme the scores are of the tables of either.
    for scheme in ("likelihood", "pseudo-likelihood"):
        assert {f"{scheme} m", f"{scheme} intra m"} <= {*scorer.keys}
    assert "of 17 " in scorer.note
    assert term.keys == ("gender boy", "boy")


def test_an_item_stands_once_where_there_are_few():
    scorer, _ = groups(job([(1, 2, 3), (3, 2, 1)]))
    assert list(scorer.table["choice"]) == ["stereotype", "unrelated"]


def test_the_items_of_a_term_say_how_many_annotators_agreed():
    _, term = groups(job([(1, 2, 3)] * 9))
    assert len(term.table) == MOST
    assert term.table["stereotype"].iloc[0] == "He is bold. (3 of 5)"
    assert term.table["anti-stereotype"].iloc[0] == "He is shy. (5 of 5)"
    assert f"first {MOST} of 9" in term.note


def test_without_items_there_is_nothing_to_show():
    assert groups(job_with()) == []
