"""The items that the pages show behind StereoSet's numbers."""

import pandas as pd

from socialbias.papers.stereoset.behind import MOST, groups
from socialbias.pipeline.job import Job
from tests.papers.stereoset.tiny import A, S, item

SENTENCES = ("He is bold.", "He is shy.", "He is rain.")


def job(tmp_path, scores):
    labels = (S, S, S, A, A)
    fields = ("dev", "intrasentence", "boy", "gender", "He is BLANK.", SENTENCES, labels)
    items = [row for i in range(len(scores)) for row in item(i, *fields)]
    pd.DataFrame(items).to_parquet(tmp_path / "items.parquet")
    scored = pd.DataFrame(scores, columns=["stereotype", "anti-stereotype", "unrelated"])
    scored["item"] = [f"i{i}" for i in range(len(scores))]
    scored = scored.assign(
        split="dev", task="intrasentence", target="boy", domain="gender", row="m", scheme=""
    )
    scored.to_parquet(tmp_path / "scores.parquet")
    files = {"items": tmp_path / "items.parquet", "scores_m": tmp_path / "scores.parquet"}
    files = {f"evidence/stereoset/{name}": [path] for name, path in files.items()}
    other = {"a page's other input": [tmp_path / "nothing.parquet"]}
    return Job(files | other, {}, print)


def test_the_items_of_a_scorer_are_its_most_decided_ones_on_either_side(tmp_path):
    leads = range(-8, 9)  # of the stereotype, item by item
    scorer, term = groups(job(tmp_path, [(10 + lead, 10, 0) for lead in leads]))
    assert len(scorer.table) == 2 * MOST
    assert scorer.table["stereotype"].iloc[0] == "He is bold. (18)"
    assert scorer.table["stereotype"].iloc[-1] == "He is bold. (2)"
    assert list(scorer.table["choice"]) == ["stereotype"] * MOST + ["anti-stereotype"] * MOST
    # Without a scheme the scores are of the tables of either.
    for scheme in ("likelihood", "pseudo-likelihood"):
        assert {f"{scheme} m", f"{scheme} intra m"} <= {*scorer.keys}
    assert "of 17 " in scorer.note
    assert term.keys == ("gender boy", "boy")


def test_an_item_stands_once_where_there_are_few(tmp_path):
    scorer, _ = groups(job(tmp_path, [(1, 2, 3), (3, 2, 1)]))
    assert list(scorer.table["choice"]) == ["stereotype", "unrelated"]


def test_the_items_of_a_term_say_how_many_annotators_agreed(tmp_path):
    _, term = groups(job(tmp_path, [(1, 2, 3)] * 9))
    assert len(term.table) == MOST
    assert term.table["stereotype"].iloc[0] == "He is bold. (3 of 5)"
    assert term.table["anti-stereotype"].iloc[0] == "He is shy. (5 of 5)"
    assert f"first {MOST} of 9" in term.note


def test_without_items_there_is_nothing_to_show():
    assert groups(Job({}, {}, print)) == []
