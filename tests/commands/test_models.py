"""`measure` on language models, which read words in templates."""

import numpy as np
import pytest
from safetensors.torch import load_file, save_file
from sklearn.metrics.pairwise import cosine_similarity

from socialbias import compare, compare_decisions, compare_items, measure
from socialbias.commands.measure_model import TEMPLATES, least_alike
from socialbias.embeddings.static_models import whole_words
from socialbias.errors import UserError
from socialbias.measures.divdist import DivDist, clipped_sum_normalize
from socialbias.models.extract import extract
from socialbias.models.items import Intrasentence
from socialbias.models.loading import load_model
from socialbias.models.scoring import score
from socialbias.models.token_scores import TokenScorer
from socialbias.models.tokenizers import pieces
from tests.tiny_models import LAYERS, WIDTH, write

GROUPS = {"female": ["she", "her", "woman"], "male": ["he", "him", "man"]}
TARGETS = ["nurse", "pilot"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write(tmp_path_factory.mktemp("model") / "tiny", "bert")


def by_hand(model, words, layer):
    """The mean over the templates, one word and one template at a time."""
    loaded, vectors = load_model(model, "encoder"), []
    for word in words:
        texts = [template.replace("{}", word) for template in TEMPLATES]
        spans = [[(text.rindex(word), len(text))] for text in texts]
        found = [extract(loaded, [t], [s], layer=layer) for t, s in zip(texts, spans, strict=True)]
        vectors.append(np.mean([each.vectors[0] for each in found], axis=0))
    return np.array(vectors)


def test_words_have_the_mean_of_their_vectors_in_templates(model):
    result = measure(model, GROUPS, TARGETS, layer=1, normalize="clipped-sum")
    groups = [by_hand(model, words, 1) for words in GROUPS.values()]
    framework = DivDist(normalize=clipped_sum_normalize)
    expected = framework.directed(by_hand(model, TARGETS, 1), groups)
    np.testing.assert_allclose([row.value for row in result.rows], expected, atol=1e-5)
    read = result.provenance[0]
    assert (read["layer"], read["layers"], read["dimensions"]) == (1, LAYERS, WIDTH)
    assert {file["name"] for file in read["files"]} >= {"config.json", "model.safetensors"}
    low, high = result.by_templates
    assert low < result.value < high


def test_the_layer_is_that_in_which_words_look_least_alike(model, tmp_path):
    loaded = load_model(model, "encoder")
    words = whole_words(loaded.tokenizer.get_vocab())
    words = [word for word, n in pieces(loaded.tokenizer, words).items() if n == 1]
    texts = [TEMPLATES[0].replace("{}", word) for word in words]
    spans = [[(text.rindex(" ") + 1, len(text))] for text in texts]
    cosines = []
    for layer in range(1, LAYERS + 1):
        found = cosine_similarity(extract(loaded, texts, spans, layer=layer).vectors)
        cosines.append(found[np.triu_indices(len(words), 1)].mean())
    layer, alike = least_alike(loaded)
    assert layer == np.argmin(cosines) + 1
    assert alike == pytest.approx(min(cosines), abs=1e-5)
    few_words = load_model(write(tmp_path / "few", "gpt2", "causal"), "causal")
    assert least_alike(few_words)[0] == LAYERS


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
