"""StereoSet: items and predictions."""

import pytest

from socialbias.datasets import stereoset
from socialbias.errors import UserError


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


def test_targets_of_a_bias_type_are_of_both_tasks(put):
    data = {
        "intrasentence": [{"target": "nurse", "bias_type": "profession"}],
        "intersentence": [
            {"target": "Chef", "bias_type": "profession"},
            {"target": "nurse", "bias_type": "profession"},
            {"target": "she", "bias_type": "gender"},
        ],
    }
    assert stereoset.read_targets(put({"data": data}), "profession") == {"nurse", "Chef"}
    assert stereoset.read_targets(put({"data": data}), "race") == set()


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
