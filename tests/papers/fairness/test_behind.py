"""The sentences that the pages show behind metrics of sentiment."""

import pandas as pd

from socialbias.papers.fairness.behind import MOST, groups
from socialbias.pipeline.job import Job


def test_sentences_of_a_group_are_spread_over_its_templates(tmp_path):
    keys = [
        {
            "attribute": "age",
            "kind": "generic",
            "source": source,
            "group": "old",
            "term": f"t{term}",
        }
        for source in range(4)
        for term in range(10)
    ]
    suites = pd.DataFrame(keys).assign(text=lambda t: t["term"] + " in " + t["source"].astype(str))
    suites = suites.assign(word_class="adj", label=2)
    suites.loc[1, ["term", "word_class"]] = ["t0", "n"]  # a term of two word classes
    scores = suites.drop(columns="text").assign(positive=0.25)
    suites.to_parquet(tmp_path / "suites.parquet")
    scores.to_parquet(tmp_path / "scores.parquet")
    files = {"suites": "suites", "sentiment_binary": "scores"}
    job = Job(
        {f"evidence/fairness/{k}": [tmp_path / f"{v}.parquet"] for k, v in files.items()},
        {},
        print,
    )
    [items] = groups(job)
    assert items.keys[0] == "age old"
    assert "age" in items.keys
    assert len(items.table) == MOST
    assert items.table["sentence"].str.split().str[-1].value_counts().tolist() == [MOST // 4] * 4
    assert items.table.iloc[0].tolist() == ["t0", "t0 in 0", "positive", "0.25"]
    assert "of 40 sentences" in items.note
