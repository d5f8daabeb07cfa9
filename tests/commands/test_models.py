"""`measure` on language models: words by themselves and in sentences."""

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from socialbias import compare, compare_decisions, compare_items, measure
from socialbias.errors import UserError
from socialbias.measures.divdist import DivDist, clipped_sum_normalize
from socialbias.models.extract import extract
from socialbias.models.items import Intrasentence
from socialbias.models.loading import load_model
from socialbias.models.scoring import score
from socialbias.models.token_scores import TokenScorer
from tests.tiny_models import LAYERS, WIDTH, write

GROUPS = {"female": ["she", "her", "woman"], "male": ["he", "him", "man"]}
TARGETS = ["nurse", "pilot"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write(tmp_path_factory.mktemp("model") / "tiny", "bert")


def alone(model, words, layer):
    loaded = load_model(model, "encoder")
    return extract(loaded, words, [[(0, len(word))] for word in words], layer=layer).vectors


@pytest.mark.parametrize("layer", [1, None])
def test_words_by_themselves_have_the_vectors_of_their_layer(model, layer):
    result = measure(model, GROUPS, TARGETS, layer=layer, normalize="clipped-sum")
    at = LAYERS if layer is None else layer
    groups = [alone(model, words, at) for words in GROUPS.values()]
    framework = DivDist(normalize=clipped_sum_normalize)
    expected = framework.directed(alone(model, TARGETS, at), groups)
    np.testing.assert_allclose([row.value for row in result.rows], expected, atol=1e-5)
    read = result.provenance[0]
    assert (read["layer"], read["layers"], read["dimensions"]) == (at, LAYERS, WIDTH)
    assert {file["name"] for file in read["files"]} >= {"config.json", "model.safetensors"}


def test_words_in_sentences_rest_on_documents_too(model, tmp_path):
    lines = [f"the {t} and {g} went in here" for t in TARGETS for g in ("she", "he", "man")]
    (tmp_path / "texts.txt").write_text("\n".join(lines * 3) + "\n")
    result = measure(model, GROUPS, TARGETS, "association", texts=tmp_path / "texts.txt")
    assert "documents" in result.rows_resampled
    assert result.provenance[0]["words in sentences"] == 5  # the targets and three words
    assert result.provenance[1]["role"] == "texts"
    assert all(row.low <= row.value <= row.high for row in result.rows)


def test_a_word_that_the_vocabulary_cannot_spell_is_missing(model):
    unknown = ["ექთანი", "მფრინავი"]  # both would have the vector of the unknown piece
    result = measure(model, GROUPS, [*TARGETS, *unknown], "association")
    assert [row.target for row in result.rows] == TARGETS
    assert (result.n, result.n_of, result.missing["targets"]) == (2, 4, unknown)
    with pytest.raises(UserError, match="cannot spell any of the words"):
        measure(model, {"a": unknown[:1], "b": unknown[1:]}, unknown)


def test_two_spellings_of_one_vector_are_one_target(model):
    result = measure(model, GROUPS, ["pilot", "Nurse", "nurse"], "association")
    assert [row.target for row in result.rows] == ["pilot", "Nurse"]
    assert "other spellings of an earlier target, with the same vector: nurse" in result.notes


def test_a_model_is_no_worse_than_itself(model):
    others = [f"{a}{b}" for a in "abcdef" for b in "ghijk"]
    found = compare(model, model, GROUPS, TARGETS, baseline=others, margin=0.1)
    assert (found.value, found.verdict) == (0, "no worse")


def test_a_damaged_model_is_not_called_one_without_a_head(tmp_path, items):
    model = write(tmp_path / "model", "bert", "masked")
    weights = load_file(model / "model.safetensors")
    left = {name: part for name, part in weights.items() if "layer.1.output.dense" not in name}
    save_file(left, model / "model.safetensors", {"format": "pt"})
    with pytest.raises(UserError, match=r"weights of a model of kind masked .*: fetch it again"):
        compare_items(model, model, items)


@pytest.fixture
def items(tmp_path):
    """Twelve items of four terms."""
    rows = ["item,term,context,stereotype,anti-stereotype"]
    for i in range(12):
        term = ("nurse", "woman", "business", "the")[i % 4]
        rows.append(f"i{i},{term},{term} is BLANK {i},{'abcdefghijkl'[i]},{'mnopqrstuvwx'[i]}")
    path = tmp_path / "items.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize(
    ("kind", "head", "scoring"),
    [("bert", "masked", "likelihood_corrected"), ("gpt2", "causal", "sentence_sum")],
)
def test_models_are_compared_by_the_stereotypes_they_prefer(tmp_path, items, kind, head, scoring):
    models = [write(tmp_path / f"m{seed}", kind, head, seed) for seed in (1, 2)]
    rows = [line.split(",") for line in items.read_text().splitlines()[1:]]
    given = [Intrasentence(row[2], tuple(row[3:])) for row in rows]
    scorers = [TokenScorer(load_model(model, head, device="cpu")) for model in models]
    scores = [score(scorer, given, [scoring])[scoring].values for scorer in scorers]
    decided = [(each[:, 0] > each[:, 1]).astype(float) for each in scores]
    expected = compare_decisions(*decided, [row[1] for row in rows])
    found = compare_items(*models, items)
    assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)
    assert [entry["role"] for entry in found.provenance] == ["model", "model", "items", "software"]
    itself = compare_items(models[0], models[0], items)
    assert (itself.value, itself.changed["of"]) == (0, len(rows))
