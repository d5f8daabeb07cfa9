"""The sentences that the pages show behind metrics of sentiment."""

import pandas as pd

from socialbias.papers.fairness.behind import MOST, groups
from tests.worlds.jobs import job_with


def test_sentences_of_a_group_are_spread_over_its_templates():
    keys = [
        {"attribute": "age", "kind": "generic", "source": s, "group": "old", "term": f"t{term}"}
        for s in range(4)
        for term in range(10)
    ]
    suites = pd.DataFrame(keys).assign(text=lambda t: t["term"] + " in " + t["source"].astype(str))
    suites = suites.assign(word_class="adj", label=2)
    suites.loc[1, ["term", "word_class"]] = ["t0", "n"]  # a term of two word classes
    scores = suites.drop(columns="text").assign(positive=0.25)
    inputs = {"suites": suites, "sentiment_binary": scores}
    job = job_with({f"evidence/fairness/{name}": table for name, table in inputs.items()})
    [items] = groups(job)
    assert items.keys[0] == "age old"
    assert "age" in items.keys
    assert len(items.table) == MOST
    assert items.table["sentence"].str.split().str[-1].value_counts().tolist() == [MOST // 4] * 4
    assert items.table.iloc[0].tolist() == ["t0", "t0 in 0", "positive", "0.25"]
    assert "of 40 sentences" in items.note
