"""Published files that are not of their format: one line that begins with the file's name."""

import copy
import pickle
from collections import OrderedDict

import pytest

from socialbias.errors import UserError
from socialbias.measures.datasets import gfm, stereoset
from tests.measures.datasets.test_published import STEREOSET


def fails(read, path, match):
    with pytest.raises(UserError, match=match) as caught:
        read(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    "data", ["<!DOCTYPE html>\n<p>404", b"\xff\xfe\x00", "[1, 2]", "{}", "[" * 50_000]
)
def test_a_file_of_another_kind_is_one_clear_error(put, data):
    fails(stereoset.read_items, put(data), r"file\.txt")


def test_a_file_that_is_not_there_is_one_clear_error(tmp_path):
    fails(stereoset.read_items, tmp_path / "absent", "absent: no such file")


def test_a_pickle_that_asks_for_more_than_dictionaries_is_not_run(put):
    data = pickle.dumps(OrderedDict(), 2)
    fails(gfm.read_wikidata_names, put(data), "collections.OrderedDict: refused, not run")


GOLD = "item b: its gold labels are"


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda item: item["sentences"].pop(), GOLD),
        (lambda item: item["sentences"][0].update(gold_label="unrelated"), GOLD),
        (lambda item: item.pop("target"), "no key 'target'"),
        (lambda item: item["sentences"][0].update(id="a-unrelated"), "duplicate sentence 'a-u"),
        (lambda item: item["sentences"][0]["labels"][0].update(label="?"), r"label '\?'"),
    ],
)
def test_what_is_wrong_in_an_item_is_named(put, change, match):
    data = copy.deepcopy(STEREOSET)
    change(data["data"]["intersentence"][0])
    fails(stereoset.read_items, put(data), match)
