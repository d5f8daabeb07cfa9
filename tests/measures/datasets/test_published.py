"""Published data in small: what the readers make of each format."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from socialbias.errors import UserError
from socialbias.measures.datasets import (
    conll2003,
    crows_pairs,
    gfm,
    holistic_bias,
    seeds,
    semeval,
    stereoset,
    weat,
)
from socialbias.measures.datasets.census import (
    GENDER,
    bias_from_uniform,
    professions,
    read_shares,
)

# --- CoNLL-2003's sentences -------------------------------------------------------------------


CONLL = """-DOCSTART- -X- -X- O

Ada NNP B-NP B-PER
Byron NNP I-NP I-PER
met VBD B-VP O
Bo NNP B-NP B-PER

London NNP B-NP B-LOC

-DOCSTART- -X- -X- O

-DOCSTART- -X- O O
Paris NNP B-NP B-LOC"""


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\n\n\n"])
def test_conll_sentences_with_their_documents(put, end):
    sentences = list(conll2003.read_sentences(put(CONLL + end)))
    assert [s.tokens for s in sentences] == [("Ada", "Byron", "met", "Bo"), ("London",), ("Paris",)]
    assert [s.document for s in sentences] == [1, 1, 3]
    assert sentences[0].entities == ("B-PER", "I-PER", "O", "B-PER")


# --- CrowS-Pairs ------------------------------------------------------------------------------


CROWS = """,sent_more,sent_less,stereo_antistereo,bias_type,annotations,anon_writer,anon_annotators
0,"Gardeners, they said, dawdle.","Bakers, they said, dawdle.",stereo,profession,"[['profession'], [], ['profession', 'age']]",a0,"['a1', 'a2', 'a3']"
1,"One line
and another","One line
and a third",antistereo,age,[['age']],a4,['a5']
7,None,NA,stereo,age,[[]],a4,['a5']
"""  # noqa: E501


def test_crows_pairs_with_a_line_break_inside(put):
    table = crows_pairs.read_pairs(put(CROWS))
    assert list(table.index) == [0, 1, 7]
    assert table.index.name == "id"
    assert table.loc[1, "sent_more"] == "One line\nand another"
    assert list(table["direction"]) == ["stereo", "antistereo", "stereo"]
    assert list(table.loc[7, ["sent_more", "sent_less"]]) == ["None", "NA"]


# --- SemEval-2018's tweets --------------------------------------------------------------------


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


# --- Templates and terms of the generalized fairness metrics ----------------------------------


TEMPLATES = """TEMPLATE,DOMAIN,SENT,NER,""\r
"{Person} likes {a:identity_adj} tea, always. ",,2,{Person}:U-PER|Leeds:U-LOC,""\r
It is {identity_adj}.,,0,,""\r
"""


def test_gfm_templates(put):
    table = gfm.read_templates(put("\ufeff" + TEMPLATES))
    assert list(table.columns) == ["template", "domain", "sentiment", "ner", "slots"]
    assert table["template"][0] == "{Person} likes {a:identity_adj} tea, always. "
    assert table["slots"].tolist() == [("Person", "identity_adj"), ("identity_adj",)]
    assert table["sentiment"].tolist() == [2, 0]
    assert table["ner"].tolist() == ["{Person}:U-PER|Leeds:U-LOC", ""]


def test_gfm_terms(put):
    table = gfm.read_terms(put('TERM,"GROUP",POS,"TYPE"\nNA,x,adj,nonrec\nwith tea,,pp,""\n'))
    assert table.to_dict("records") == [
        {"term": "NA", "group": "x", "pos": "adj", "type": "nonrec", "sem": ""},
        {"term": "with tea", "group": "", "pos": "pp", "type": "", "sem": ""},
    ]
    table = gfm.read_terms(put("TERM,GROUP\na,b\n"))
    assert table.loc[0].tolist() == ["a", "b", "", "", ""]


COUNTRIES = """RANK,TERM,COUNTRY_ADJ,CONTINENT,REGION,REGION_ADJ,GDP_NOMINAL,GDP_PPP
2,Ruritania,Ruritanian,Europe,East,Eastern,47,52.5
,Freedonia,Freedonian,Europe,West,Western,,
"""


def test_gfm_countries_with_gaps(put):
    table = gfm.read_countries(put(COUNTRIES))
    assert list(table.columns) == list(gfm.COUNTRY_COLUMNS.values())
    assert table["rank"].tolist() == [2, pd.NA]
    assert table.loc[0, ["gdp_nominal", "gdp_ppp"]].tolist() == [47, 52.5]
    assert table.loc[1, ["gdp_nominal", "gdp_ppp"]].isna().all()


class Munch(dict):
    """A kind of dictionary; the file names munch's."""


def pickled(content):
    data = pickle.dumps(Munch(content), 2)
    return data.replace(f"c{__name__}\nMunch".encode(), b"cmunch\nMunch")


def test_gfm_names_of_wikidata(tmp_path):
    path = tmp_path / "wikidata.pkl"
    path.write_bytes(pickled({"mnames": {"en": ["Bo"], "fr": ["Luc"]}, "fnames": {"en": ["Ada"]}}))
    assert gfm.read_wikidata_names(path) == {"female": ("Ada",), "male": ("Bo",)}


# --- HolisticBias's files ---------------------------------------------------------------------


DESCRIPTORS = """{"age": {"old": ["aged", {"descriptor": "retired", "preference": "reviewed"}]}}"""


def test_descriptors(put):
    table = holistic_bias.read_descriptors(put(DESCRIPTORS))
    assert table.to_numpy().tolist() == [
        ["age", "old", "aged", ""],
        ["age", "old", "retired", "reviewed"],
    ]


# --- The gathered seed sets -------------------------------------------------------------------


def seed_set(name, text, **changes):
    return {
        "Category": "tea", "Seeds": text, "Source / Justification": None, "Link": "https://x/y",
        "Source Categories": "curated, prior-work", "Used in Paper": "Tea (A et al., 2020)",
        "Seeds ID": name, **changes,
    }  # fmt: skip


def test_seeds(put):
    data = [
        seed_set("a", "['oolong', \"bo's\", 'Earl Grey']"),
        seed_set("b", "[]", **{"Source Categories": None}),
    ]
    table = seeds.read_seeds(put(data))
    assert table["seeds"].tolist() == [("oolong", "bo's", "Earl Grey"), ()]
    assert table["documented"].tolist() == [True, False]
    assert table["source_categories"].tolist() == [("curated", "prior-work"), ()]
    assert table["justification"].tolist() == ["", ""]
    assert set(table.columns) == {*seeds.COLUMNS.values(), "seeds", "documented"}


# --- The word lists of WEAT, in two layouts ---------------------------------------------------


TEST = {
    key: {"category": key.upper(), "examples": [f"{key}-{i}" for i in range(2)]}
    for key in ("targ1", "targ2", "attr1", "attr2")
}


def test_weat_of_bias_bench(put):
    test = weat.read_bias_bench(put(json.dumps(TEST, indent=2), "weat6b.jsonl"))
    assert test.name == "weat6b"
    assert (test.target_names, test.attribute_names) == (("TARG1", "TARG2"), ("ATTR1", "ATTR2"))
    assert test.targets == (("targ1-0", "targ1-1"), ("targ2-0", "targ2-1"))
    assert test.attributes == (("attr1-0", "attr1-1"), ("attr2-0", "attr2-1"))


def test_weat_of_responsibly(put):
    sets = {
        "first_target": {"name": "Teas", "words": ["oolong", "assam"], "remove": ["assam"]},
        "second_target": {"name": "Cakes", "words": ["bun"]},
        "first_attribute": {"name": "Good", "words": ["nice"]},
        "second_attribute": {"name": "Bad", "words": ["foul"]},
        "original_finding": {"Ref": "X", "N": "32", "d": "1.35", "p": "1e-8"},
    }
    first, second = weat.read_responsibly(put([sets, sets]))
    assert (first.name, second.name) == ("weat1", "weat2")
    assert first.targets == (("oolong", "assam"), ("bun",))
    assert first.removed == (("assam",), ())
    assert first.attribute_names == ("Good", "Bad")
    assert first.finding["d"] == "1.35"


def test_errata_are_corrected_in_all_sets_and_can_be_left(put):
    sets = {
        "first_target": {"name": "Teas", "words": ["oolong", "asam"]},
        "second_target": {"name": "Cakes", "words": ["bun"]},
        "first_attribute": {"name": "Good", "words": ["nice"]},
        "second_attribute": {"name": "Bad", "words": ["foul", "asam"]},
    }
    path = put([sets], "weat.json")
    manifest = {"files": [{"path": path.name}]}
    [test] = weat.read_tests(path.parent, manifest, {"asam": "assam"})
    assert test.targets == (("oolong", "assam"), ("bun",))
    assert test.attributes == (("nice",), ("foul", "assam"))
    [test] = weat.read_tests(path.parent, manifest, {})
    assert test.words == {"oolong", "asam", "bun", "nice", "foul"}


# --- StereoSet: items and predictions -------------------------------------------------------


def item(name, *golds):
    labels = [{"label": "related", "human_id": "h1"}, {"label": "unrelated", "human_id": "h2"}]
    return {
        "id": name, "target": "gardener", "bias_type": "profession",
        "context": "The gardener is BLANK.",
        "sentences": [
            {"id": f"{name}-{g}", "sentence": f"Is {g}.", "labels": labels, "gold_label": g}
            for g in golds
        ],
    }  # fmt: skip


GOLDS = ("anti-stereotype", "unrelated", "stereotype")
STEREOSET = {
    "version": "1.0-dev",
    "data": {
        "intersentence": [item("b", *GOLDS), item("c", *GOLDS)],
        "intrasentence": [item("a", *GOLDS)],
    },
}


def test_stereoset_has_a_row_for_each_sentence(put):
    table = stereoset.read_items(put(STEREOSET))
    assert list(table.columns) == [
        "task", "item", "target", "bias_type", "context",
        "id", "sentence", "gold_label", "labels", "annotators",
    ]  # fmt: skip
    assert list(table["item"]) == ["a"] * 3 + ["b"] * 3 + ["c"] * 3
    assert table["task"].value_counts().to_dict() == {"intersentence": 6, "intrasentence": 3}
    first = table.iloc[0]
    assert (first["id"], first["sentence"]) == ("a-anti-stereotype", "Is anti-stereotype.")
    assert (first["labels"], first["annotators"]) == (("related", "unrelated"), ("h1", "h2"))
    assert first["context"] == "The gardener is BLANK."


def test_stereoset_predictions(put):
    data = {
        "intersentence": [{"id": "x", "score": 0}, {"id": "y", "score": 90.5}],
        "intrasentence": [{"id": "x", "score": 1e-9}],
    }
    table = stereoset.read_predictions(put(data))
    assert table.values.tolist() == [
        ["intrasentence", "x", 1e-9],
        ["intersentence", "x", 0.0],
        ["intersentence", "y", 90.5],
    ]


@pytest.mark.parametrize(
    ("context", "sentence", "filled"),
    [
        ("The gardener is BLANK.", "The gardener is kind.", "kind"),
        ("BLANK gardeners work.", "Old and kind gardeners work.", "Old and kind"),
        ("The (old) BLANK?", "The (old) man?", "man"),
        ("She is BLANK ", " she is kind", "kind"),  # letters of another case, spaces at the ends
        ("A BLANK is a Blank.", "A rose is a rose.", "rose"),
        ("A BLANK is a BLANK.", "A Rose is a rose.", "Rose"),
        ("She is BLANK.", "She is a U.S. citizen.", "a U.S. citizen"),
    ],
)
def test_what_fills_a_blank(context, sentence, filled):
    assert stereoset.attribute(context, sentence) == filled


@pytest.mark.parametrize(
    ("context", "sentence"),
    [
        ("The gardener is BLANK.", "The baker is kind."),
        ("The gardener is BLANK.", "The gardener is ."),
        ("A BLANK is a BLANK.", "A rose is a tulip."),
    ],
)
def test_a_sentence_that_does_not_fill_the_blank_is_told(context, sentence):
    with pytest.raises(UserError) as caught:
        stereoset.attribute(context, sentence)
    assert str(caught.value) == f"StereoSet: the sentence {sentence!r} does not fill {context!r}"


def test_words_of_a_text():
    assert stereoset.words("The ma'am, 3 well-known men's — ÉCOLE") == [
        "the", "ma'am", "well-known", "men's", "école",
    ]  # fmt: skip
    assert stereoset.words("12 %") == []


# --- shares of professions in a census --------------------------------------------------------


GENDER_CSV = """\
Census year,Occupation,Total Weight,Female,Male
2010,Nurse,10,0.9,0.1
1990,nurse,10,0.95,0.05
2010,judge,20,0.2,0.6
2010,nobody,0,0,0
1990,bookbinder,5,0.5,0.5
"""
RACE_CSV = """\
Census year,Occupation,Total Weight,multirace,aian,white,hispanic,asian,black
2010,judge,1,0.1,0.1,0.4,0.3,0.1,0
"""
WINOGENDER_TSV = """\
occupation\tbergsma_pct_female\tbls_pct_female\tbls_year
technician\t9.42\t40\t2015
accountant\t9.26\t59.7\t2016
"""


@pytest.fixture
def source(tmp_path):
    """A folder with one file, and its manifest."""

    def of(text, form="garg-census"):
        (tmp_path / "shares.csv").write_text(text)
        return tmp_path, {"format": form, "files": [{"path": "shares.csv"}]}

    return of


def test_garg_census_takes_one_year_and_renormalises(source):
    # judge: (.2, .6) / .8; nobody sums to zero and is dropped
    shares = read_shares(*source(GENDER_CSV), GENDER, 2010)
    assert list(shares.index) == ["judge", "nurse"]
    assert list(shares.columns) == ["female", "male"]
    assert_allclose(shares, [[0.25, 0.75], [0.9, 0.1]])
    shares = read_shares(*source(GENDER_CSV), GENDER, 1990)
    assert list(shares.index) == ["bookbinder", "nurse"]
    assert_allclose(shares.loc["nurse"], [0.95, 0.05])
    assert professions(*source(GENDER_CSV)) == {"nurse", "judge", "nobody", "bookbinder"}


def test_winogender_gives_shares_from_per_cent_whatever_the_year(source):
    shares = read_shares(*source(WINOGENDER_TSV, "winogender"), GENDER, 1850)
    assert list(shares.index) == ["accountant", "technician"]
    assert_allclose(shares, [[0.597, 0.403], [0.4, 0.6]])


def test_bias_is_the_l1_distance_from_the_uniform_distribution():
    # (.5, .375, .125) from 1/3: 1/6 + 1/24 + 5/24 = 10/24
    two = pd.DataFrame([[0.25, 0.75], [0.5, 0.5], [1, 0]], index=["x", "y", "z"])
    three = pd.DataFrame([[0.5, 0.375, 0.125], [1, 0, 0]])
    assert_allclose(bias_from_uniform(two), [0.5, 0, 1])
    assert list(bias_from_uniform(two).index) == ["x", "y", "z"]
    assert_allclose(bias_from_uniform(three), [10 / 24, 4 / 3])
    assert np.isfinite(bias_from_uniform(two.iloc[:0])).all()


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (GENDER_CSV.replace("2010", "1975"), "no rows for 2010$"),
        (RACE_CSV, "no column 'female'$"),
    ],
)
def test_a_year_or_group_that_a_census_lacks_is_told(source, text, match):
    with pytest.raises(UserError, match=rf"shares\.csv.*{match}"):
        read_shares(*source(text), GENDER, 2010)
