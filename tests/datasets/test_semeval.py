"""SemEval-2018's tweets."""

import pandas as pd
import pytest

from socialbias.datasets import semeval

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
