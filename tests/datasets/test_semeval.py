"""SemEval-2018's tweets."""

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


@pytest.mark.parametrize("header", [True, False])
def test_semeval_classes(put, header):
    body = CLASSES.replace("\n", "\r\n") if header else CLASSES.partition("\n")[2]
    tweets = semeval.read_tweets(put(body))
    assert list(tweets.columns) == ["id", "tweet", "dimension", "intensity"]
    assert list(tweets["tweet"]) == ['"Open quote &amp; no end\\n\\n', "padded ", "null"]
    assert tweets["intensity"].tolist() == [-3, 2, pd.NA]
    assert tweets["intensity"].dtype == "Int64"


@pytest.mark.parametrize(
    ("body", "match"),
    [
        (CLASSES + "2018-En-04\tno label\tvalence\n", "line 5: 3 fields instead of 4"),
        (CLASSES + "2018-En-02\tagain\tvalence\t0: neutral\n", "duplicate id '2018-En-02'"),
        (CLASSES + "2018-En-04\tx\tvalence\t0.5\n", "line 5: not a class such as"),
        (CLASSES + "2018-En-04\tx\tvalence\t4: extreme\n", "line 5: not a class such as"),
        (CLASSES + "2018-En-04\tx\tvalence\t\n", "line 5: not a class such as"),
        (CLASSES.partition("\n")[0] + "\n", "contains no tweets"),
    ],
)
def test_semeval_lines_are_checked(put, body, match):
    fails(semeval.read_tweets, put(body), match)
