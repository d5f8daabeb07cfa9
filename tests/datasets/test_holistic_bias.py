"""HolisticBias's files."""

from socialbias.datasets import holistic_bias

DESCRIPTORS = """{"age": {"old": ["aged", {"descriptor": "retired", "preference": "reviewed"}]}}"""
PHRASES = """{"age": [{"noun_phrase": "{article} {noun} in a crisis"}, "a youth"]}"""


def test_templates(put):
    text = '{"I am {noun_phrase}.": {}, "I like {plural_noun_phrase}.": {"must_be_noun": true}}'
    found = holistic_bias.read_templates(put(text))
    assert found == ["I am {noun_phrase}.", "I like {plural_noun_phrase}."]


def test_descriptors(put):
    table = holistic_bias.read_descriptors(put(DESCRIPTORS))
    assert table.to_numpy().tolist() == [
        ["age", "old", "aged", ""],
        ["age", "old", "retired", "reviewed"],
    ]


def test_phrases_that_follow_a_noun(put):
    table = holistic_bias.read_phrases(put(PHRASES))
    assert table.to_numpy().tolist() == [
        ["age", "in a crisis", "", True],
        ["age", "a youth", "", False],
    ]
