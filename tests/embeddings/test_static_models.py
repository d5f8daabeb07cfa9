"""Static models as Model2Vec and SentenceTransformer write them, by hand."""

import json

import numpy as np
import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from socialbias import measure
from socialbias.commands.subjects import open_subject
from socialbias.errors import UserError

PIECES = ["[PAD]", "[UNK]", "she", "he", "nurse", "hair", "##cut"]
TABLE = np.array([[0, 0], [9, 9], [3, 4], [4, 3], [6, 8], [1, 0], [0, 3]], np.float32)
WORDS = ["she", "he", "Nurse", "haircut", "pilot"]


@pytest.fixture
def folder(tmp_path):
    """A model whose tokenizer ignores capitals; what is unknown has a piece of its own."""
    pieces = {piece: i for i, piece in enumerate(PIECES)}
    tokenizer = Tokenizer(models.WordPiece(pieces, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.enable_padding(length=8)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "config.json").write_text("{}")
    save_file({"embeddings": TABLE}, tmp_path / "model.safetensors")
    return tmp_path


def vectors(folder):
    subject = open_subject(str(folder))
    assert (subject.kind, subject.format) == ("vectors", "static-model")
    found = subject.vectors(WORDS)
    return dict(zip(found.words, found.matrix.tolist(), strict=True))


def modules(folder, *names):
    types = [{"type": f"sentence_transformers.models.{name}"} for name in names]
    (folder / "modules.json").write_text(json.dumps(types))


def test_a_word_is_the_mean_of_its_pieces_and_one_with_an_unknown_piece_is_missing(folder):
    expected = {"she": [3, 4], "he": [4, 3], "Nurse": [6, 8], "haircut": [0.5, 1.5]}
    assert vectors(folder) == expected
    save_file({"embedding.weight": TABLE}, folder / "model.safetensors")
    modules(folder, "StaticEmbedding")
    assert vectors(folder) == expected
    assert list(open_subject(folder).vocabulary()) == ["she", "he", "nurse", "hair"]


def test_normalised_vectors_have_length_one(folder):
    modules(folder, "StaticEmbedding", "Normalize")
    for word, vector in {
        "she": [0.6, 0.8],
        "Nurse": [0.6, 0.8],
        "haircut": [0.1**0.5, 0.9**0.5],
    }.items():
        assert vectors(folder)[word] == pytest.approx(vector)


def test_pieces_may_share_vectors_and_have_weights(folder):
    tables = {"embeddings": TABLE[2:].astype(np.float16), "weights": np.arange(7, dtype=np.float32)}
    tables["mapping"] = np.array([0, 0, 0, 1, 2, 3, 4])
    save_file(tables, folder / "model.safetensors")
    assert vectors(folder) == {"she": [6, 8], "he": [12, 9], "Nurse": [24, 32], "haircut": [2.5, 9]}


def test_what_is_no_static_model_is_one_line(folder):
    for name, content, match in (
        ("modules.json", "{}", "not a list of modules"),
        ("modules.json", json.dumps([{}, {"type": "a.Dense"}]), "module Dense changes the static"),
        ("tokenizer.json", "{}", "tokenizer.json: damaged"),
    ):
        before = (folder / name).read_text() if (folder / name).exists() else "[]"
        (folder / name).write_text(content)
        with pytest.raises(UserError, match=match):
            measure(folder, {"a": ["she"], "b": ["he"]}, ["nurse"])
        (folder / name).write_text(before)
    save_file({"embeddings": TABLE[:4]}, folder / "model.safetensors")
    with pytest.raises(UserError, match="or are not the tokenizer's"):
        measure(folder, {"a": ["she"], "b": ["he"]}, ["nurse"])
    save_file({"lm_head": TABLE}, folder / "model.safetensors")
    assert open_subject(folder).kind == "model"
