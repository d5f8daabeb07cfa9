"""SemEval-2018's tweets."""

import numpy as np
import pandas as pd
import pytest

from socialbias.datasets import semeval
from tests.datasets.failing import fails

CLASSES = (
    "ID\tTweet\tAffect Dimension\tIntensity Class\n"
    '2018-En-01\t"Open quote &amp; no end\\n\\n\tvalence\t-3: very negative emotional state\n'
    "2018-En-02\tpadded \tvalence\t2: moderately positive emotional state can be inferred\n"
    "2018-En-03\tnull\tvalence\tNONE\n"
)
SCORES = (
    "ID\tTweet\tAffect Dimension\tIntensity Score\n"
    "2018-En-01\tone\tvalence\t0.141\n"
    "2018-En-02\ttwo\tvalence\t0.000\n"
    "2018-En-mystery-00001\tNora feels glad.\tvalence\t0.000\n"
    "2018-En-mystery-16937\tNora feels sad.\tvalence\t0.000\n"
)


@pytest.mark.parametrize("header", [True, False])
def test_semeval_classes(put, header):
    body = CLASSES if header else CLASSES.partition("\n")[2]
    tweets = semeval.read_tweets(put(body))
    assert (tweets.kind, tweets.dropped) == ("class", 0)
    assert list(tweets.table.columns) == ["id", "tweet", "dimension", "intensity"]
    assert list(tweets.table["tweet"]) == ['"Open quote &amp; no end\\n\\n', "padded ", "null"]
    assert tweets.table["intensity"].tolist() == [-3, 2, pd.NA]
    assert tweets.table["intensity"].dtype == "Int64"


@pytest.mark.parametrize("header", [True, False])
def test_semeval_scores_drop_the_rows_that_are_no_tweets(put, header):
    body = SCORES if header else SCORES.partition("\n")[2]
    tweets = semeval.read_tweets(put(body.replace("\n", "\r\n")))
    assert (tweets.kind, tweets.dropped) == ("score", 2)
    assert tweets.table["intensity"].tolist() == [0.141, 0.0]


def test_semeval_without_gold(put):
    body = SCORES.replace("0.141", "NONE").replace("0.000", "NONE")
    tweets = semeval.read_tweets(put(body))
    assert (tweets.kind, tweets.dropped, len(tweets.table)) == ("score", 2, 2)
    assert np.isnan(tweets.table["intensity"]).all()
    assert semeval.read_tweets(put(body.partition("\n")[2])).kind == "none"


@pytest.mark.parametrize(
    ("body", "match"),
    [
        (CLASSES + "2018-En-04\tno label\tvalence\n", "line 5: 3 fields instead of 4"),
        (CLASSES + "2018-En-02\tagain\tvalence\t0: neutral\n", "duplicate id '2018-En-02'"),
        (CLASSES + "2018-En-04\tx\tvalence\t0.5\n", "line 5: not a class such as"),
        (CLASSES + "2018-En-04\tx\tvalence\t4: extreme\n", "line 5: not a class such as"),
        (SCORES + "2018-En-04\tx\tvalence\t1.5\n", "line 6: not a score such as 0.600"),
        (SCORES + "2018-En-04\tx\tvalence\t0: neutral\n", "line 6: not a score"),
        (CLASSES.partition("\n")[0] + "\n", "contains no tweets"),
    ],
)
def test_semeval_lines_are_checked(put, body, match):
    fails(semeval.read_tweets, put(body), match)
