"""`measure` over time: shares by naive loops, planted trends, and dates."""

import csv
import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from socialbias import measure
from socialbias.commands import measure_corpus
from socialbias.measurement import texts as kernel
from tests.shortened import later

GENDER = {"female": ["she"], "male": ["he"]}
AGE = {"young": ["young"], "old": ["old"]}
TARGETS = ["nurse", "pilot"]
OTHERS = [a + b + c for a in "bdfgk" for b in "aeiou" for c in ("rl", "st", "nk", "mp")]
YEARS = range(1990, 2020)


def shares(word, year, outlet):
    """The share of she near a word: nurse becomes male in both outlets, others do not change."""
    place = (year - 1990) / 30
    own = {"nurse": 0.95 - 0.8 * place, "pilot": 0.3}.get(word, 0.5)
    return own - 0.1 * (outlet == "star")


def records():
    """Texts of one sentence. The outlet star, in which all is more male, grows."""
    rng = np.random.default_rng(4)
    for year in YEARS:
        for i in range(400):
            outlet = "star" if rng.uniform() < (year - 1985) / 40 else "post"
            word = [*TARGETS * 10, *OTHERS][i % 120]
            who = "she" if rng.uniform() < shares(word, year, outlet) else "he"
            age = rng.choice(["young", "old", "tall"])
            text = f"The {word} came in at noon and then {who} , {age} , went home again ."
            date = f"{year}-{rng.integers(1, 13):02}-{rng.integers(1, 29):02}"
            yield {"date": date, "outlet": outlet, "text": text}


@pytest.fixture(scope="module")
def papers(tmp_path_factory):
    path = tmp_path_factory.mktemp("papers") / "papers.csv"
    pd.DataFrame(records()).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def result(papers):
    return measure(papers, GENDER, TARGETS, over="date", stratify="outlet", baseline=OTHERS)


def naive_counts(path, target, period):
    """Texts of a target with she, and with she or he, by period and outlet."""
    totals, firsts = Counter(), Counter()
    for row in csv.DictReader(path.open()):
        words = row["text"].split()
        if target in words and ("she" in words) != ("he" in words):
            place = period(row["date"]), row["outlet"]
            totals[place] += 1
            firsts[place] += "she" in words
    return totals, firsts


@pytest.mark.parametrize(
    ("over", "period"),
    later(
        [
            ("date", lambda date: date[:4]),
            ("date:year", lambda date: date[:4]),
            ("date:decade", lambda date: f"{date[:3]}0s"),
            ("date:month", lambda date: date[:7]),
        ],
        1,
    ),
)
def test_shares_are_those_that_anyone_can_count(papers, over, period):
    table = measure(papers, GENDER, TARGETS, over=over, stratify="outlet").shares
    for target in TARGETS:
        totals, firsts = naive_counts(papers, target, period)
        rows = table[table["target"] == target]
        assert len(rows) == len(totals)
        for row in rows.itertuples():
            place = row.period, row.stratum
            assert (row.n, row.first) == (totals[place], firsts[place])
            assert row.share == pytest.approx(firsts[place] / totals[place])


def test_a_planted_trend_is_found_and_a_growing_outlet_is_none(papers, result):
    nurse, pilot = (result.columns[1].cells()[word] for word in TARGETS)
    assert nurse.low <= -0.8 / 3 <= nurse.high < 0
    assert pilot.low <= 0 <= pilot.high
    adjusted = {row.target: row.adjusted_p for row in result.columns[1].rows}
    assert adjusted["nurse"] < 0.05 < adjusted["pilot"]
    alone = measure(papers, GENDER, TARGETS, baseline=OTHERS)
    numbers = [
        [(row.value, row.low, row.high) for row in each.rows] for each in (result.columns[0], alone)
    ]
    assert numbers[0] == numbers[1]


def test_several_sets_of_groups_are_one_scan_each_as_alone(papers, result, monkeypatch):
    calls = []
    for module, name in ((measure_corpus, "read"), (kernel, "match_blocks")):
        real = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, r=real, n=name: (calls.append(n), r(*a))[1])
    both = measure(papers, [GENDER, AGE], TARGETS, over="date", stratify="outlet", baseline=OTHERS)
    assert sorted(calls) == ["match_blocks", "read"]
    assert list(both.sets) == ["female, male", "young, old"]
    own = [row for row in both.counts if row["groups"] == "female, male"]
    assert own == list(result.counts)
    for row, other in zip(both.columns[1].rows, result.columns[1].rows, strict=True):
        assert (row.target, row.n, row.value) == (other.target, other.n, other.value)


def test_dates_at_the_start_of_the_names_of_files(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    lines = {}
    for record in records():
        lines.setdefault(record["date"][:4], []).append(record["text"])
    for year, texts in lines.items():
        (folder / f"{year}-paper.txt").write_text("\n".join(texts) + "\n")
    found = measure(folder, GENDER, TARGETS, over="file", by="line")
    assert found.columns[1].cells()["nurse"].high < 0
    assert {row["period"] for row in found.counts} == set(map(str, YEARS))


def test_few_periods_have_no_interval_and_a_note(papers):
    found = measure(papers, GENDER, TARGETS, over="date:decade")
    for row in found.columns[1].rows:
        assert math.isnan(row.low)
        assert row.note == "only 3 periods with contexts; 8 are needed"
    assert not any(row.adjusted_p <= 1 for row in found.columns[1].rows)
    assert "(n 3)" in found.text()
    assert "only 3 periods: changes over fewer than 8 have no interval" in found.notes
