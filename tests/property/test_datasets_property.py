"""Readers of StereoSet on JSON and tables of any shape: a result, or one line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialbias.measures.datasets import stereoset
from tests.property.damage import few, reads_or_says_why
from tests.reliability import fault

KEYS = ["data", "intrasentence", "intersentence", "sentences", "gold_label", "context", "target"]
KEYS += ["bias_type", "id", "sentence", "score", "labels", "label", "human_id"]
PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from(KEYS)
JSON = st.recursive(
    PLAIN | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)
HEADS = ["id", "sentence", "target", "bias_type", "text"]
CELL = st.text(st.sampled_from("ab',\"[]0.9-\x85é "), max_size=5) | st.sampled_from(["", "nan"])


@st.composite
def tables(draw):
    delimiter = draw(st.sampled_from([",", "\t", " "]))
    head = draw(st.lists(st.sampled_from(HEADS), min_size=1, max_size=5))
    rows = draw(st.lists(st.lists(CELL, max_size=6), max_size=3))
    return "\n".join(delimiter.join(row) for row in [head, *rows]).encode()


FILES = JSON.map(lambda value: json.dumps(value).encode()) | tables() | st.binary(max_size=40)
READERS = {
    "stereoset": stereoset.read_items,
}


@fault(
    "JSON and tables of any shape in place of StereoSet's items",
    "a result, or one line that names the file; never another error",
)
@pytest.mark.parametrize("name", READERS)
@few
@given(data=FILES)
def test_published_data(tmp_path, name, data):
    reads_or_says_why(tmp_path / "file.txt", data, READERS[name])
