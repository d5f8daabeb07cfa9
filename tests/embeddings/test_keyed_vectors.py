"""gensim's pickles: what is read, and that nothing in them is run."""

import os
import pickle
import sys
import types

import numpy as np
import pytest

from socialbias.embeddings.keyed_vectors import read_keyed_vectors
from socialbias.embeddings.readers import leading_words, read_word_vectors
from socialbias.errors import UserError

MODULE = "gensim.models.keyedvectors"
WORDS = ["the", "Ng", "naïve", "日本"]
MATRIX = np.arange(12, dtype=np.float32).reshape(4, 3) - 5


@pytest.fixture
def gensim(monkeypatch):
    """The two classes of gensim, which is not installed, as a module that can be pickled."""
    module = types.ModuleType(MODULE)
    for name in ("Word2VecKeyedVectors", "Vocab"):
        setattr(module, name, type(name, (), {"__module__": MODULE}))
    for name in ("gensim", "gensim.models", MODULE):
        monkeypatch.setitem(sys.modules, name, module)
    return module


@pytest.fixture
def save(gensim, tmp_path):
    """Writes word vectors as gensim 3 did; further fields replace its own."""

    def of(words=WORDS, matrix=MATRIX, protocol=4, **fields):
        model = gensim.Word2VecKeyedVectors()
        model.vectors, model.index2word, model.vector_size = matrix, list(words), 3
        model.vocab = {word: gensim.Vocab() for word in words}
        for i, entry in enumerate(model.vocab.values()):
            entry.count, entry.index = 1, i
        vars(model).update(fields)
        path = tmp_path / "vectors.kv"
        path.write_bytes(pickle.dumps(model, protocol))
        return path

    return of


def refused(path, match):
    with pytest.raises(UserError, match=match) as caught:
        read_keyed_vectors(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert message.isprintable()


@pytest.mark.parametrize("protocol", [3, 4])
def test_words_and_vectors_come_back_as_they_were(save, protocol):
    words, matrix = read_keyed_vectors(save(protocol=protocol))
    assert words == WORDS
    np.testing.assert_array_equal(matrix, MATRIX)
    assert matrix.dtype == np.float32


@pytest.fixture
def newer(gensim, tmp_path, monkeypatch):
    """Writes word vectors as gensim 4 does, with fields of their own."""
    kind = type("KeyedVectors", (), {"__module__": MODULE})
    monkeypatch.setattr(gensim, "KeyedVectors", kind, raising=False)

    def of(**fields):
        model = kind()
        model.index_to_key, model.key_to_index = WORDS, {word: i for i, word in enumerate(WORDS)}
        model.lifecycle_events = [{"ignore": frozenset(), "event": "saving"}]
        vars(model).update(fields)
        path = tmp_path / "newer.kv"
        path.write_bytes(pickle.dumps(model, 4))
        return path

    return of


def test_gensim_4_has_its_matrix_in_the_file_or_beside_it(newer):
    words, matrix = read_keyed_vectors(newer(vectors=MATRIX))
    assert words == WORDS
    np.testing.assert_array_equal(matrix, MATRIX)
    path = newer()
    beside = path.with_name("newer.kv.vectors.npy")
    refused(path, r"its vectors should be beside it in newer\.kv\.vectors\.npy")
    np.save(beside, MATRIX.astype(np.float64))
    assert read_keyed_vectors(path) == (WORDS, beside)
    manifest = {"source": "kv", "format": "gensim-keyedvectors-pickle"}
    manifest["files"] = [{"path": path.name}, {"path": beside.name}]
    np.testing.assert_array_equal(
        read_word_vectors(path.parent, manifest, ["the"]).matrix, MATRIX[:1]
    )
    assert leading_words(path.parent, manifest, 2) == WORDS[:2]


class Runs:
    """An object whose pickle asks to run something."""

    def __init__(self, *call):
        self.call = call

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("field", ["vectors", "index2word", "index_to_key", "comment"])
@pytest.mark.parametrize("how", [os.system, eval, np.load], ids=lambda f: f.__name__)
def test_a_call_is_refused_wherever_it_hides(save, newer, tmp_path, field, how):
    target = tmp_path / "it-ran"
    call = Runs(how, (f"touch {target}" if how is os.system else f"open({str(target)!r}, 'w')",))
    advice = "refused, not run; if you trust the file, load it in gensim"
    for hidden in (call, [call], {"ignore": frozenset([call])}):
        refused(save(**{field: hidden}), advice)
        refused(newer(**{field: hidden}), advice)
    assert not target.exists()


@pytest.mark.parametrize(
    ("fields", "match"),
    [
        ({"matrix": MATRIX[:3]}, "3 vectors for 4 words"),
        ({"matrix": MATRIX.astype(np.float64)}, "not 32-bit numbers, row by row"),
        ({"matrix": MATRIX.astype(">f4")}, "not 32-bit numbers, row by row"),
        ({"matrix": np.asfortranarray(MATRIX)}, "not 32-bit numbers, row by row"),
        ({"matrix": np.array([[None]])}, "not 32-bit numbers, row by row"),
        ({"matrix": MATRIX[0]}, "unpack"),
        ({"matrix": [[1.0]]}, "its vectors are no array"),
        ({"index2word": "the"}, "not word vectors saved by gensim"),
        ({"index2word": [1, 2, 3, 4]}, "one of its words is no string"),
        ({"index2word": [np.float32(1)] * 4}, "no string of its type"),
        ({"index2word": ["a", "b", "b", "c"]}, "twice"),
    ],
)
def test_what_is_no_matrix_of_words_is_one_clear_error(save, fields, match):
    refused(save(**fields), match)
