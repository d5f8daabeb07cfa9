"""Parts of speech: a tiny tagger, trained here, and counts by hand."""

import json
import shutil
from collections import Counter

import numpy as np
import pytest
import spacy
from spacy.training import Example

from socialbias.corpora import tagging
from socialbias.corpora.tagging import count_tags, parts, sample, tagger, usual_tags
from socialbias.errors import UserError

TAGGED = [
    ("the dog saw a cat", "DT NN VBD DT NN"),
    ("a cat saw the old dog", "DT NN VBD DT JJ NN"),
    ("the saw cut a tree", "DT NN VBD DT NN"),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A folder with a tagger that knows three sentences, and a pipe that nobody wants."""
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger")
    nlp.add_pipe("sentencizer")
    examples = [
        Example.from_dict(nlp.make_doc(text), {"tags": tags.split()}) for text, tags in TAGGED
    ]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(40):
        nlp.update(examples, sgd=optimizer)
    folder = tmp_path_factory.mktemp("model")
    nlp.to_disk(folder)
    return folder


MANIFEST = {"source": "tiny", "files": [{"path": "config.cfg"}, {"path": "meta.json"}]}


def test_tagging_by_hand(model):
    texts = ["The dog saw a cat\n\nThe saw cut a tree", "A cat saw the old dog"]
    with tagger(model, MANIFEST) as nlp:
        assert nlp.pipe_names == ["tagger"]
        counts = count_tags(nlp, texts)
    assert counts == {
        ("the", "DT"): 3,
        ("a", "DT"): 3,
        ("dog", "NN"): 2,
        ("cat", "NN"): 2,
        ("saw", "VBD"): 2,
        ("saw", "NN"): 1,
        ("cut", "VBD"): 1,
        ("tree", "NN"): 1,
        ("old", "JJ"): 1,
    }
    table = usual_tags(counts).set_index("word")
    assert table.loc["saw"].tolist() == ["verb", 2, 3]
    assert table.loc["the"].tolist() == ["other", 3, 3]
    assert list(table.index) == sorted(table.index)


def test_usual_tags():
    counts = Counter(
        {("run", "NN"): 2, ("run", "VB"): 1, ("run", "VBD"): 1, ("x", "NNP"): 1, ("x", "CD"): 2}
    )
    counts |= {("well", "UH"): 1, ("well", "RBR"): 2}
    table = usual_tags(counts)
    # noun and verb are even: the first in alphabetical order
    assert table.to_numpy().tolist() == [
        ["run", "noun", 2, 4],
        ["well", "adverb", 2, 3],
        ["x", "number", 2, 3],
    ]
    assert list(usual_tags(Counter()).columns) == ["word", "tag", "tagged", "total"]


def test_a_sample_reaches_its_words():
    lengths = np.array([5, 1, 7, 3, 9, 2])
    for seed in range(20):
        numbers = sample(lengths, 10, np.random.default_rng(seed))
        assert numbers == sorted(set(numbers))
        order = np.random.default_rng(seed).permutation(6).tolist()
        assert sorted(order[: len(numbers)]) == numbers
        assert lengths[order[: len(numbers)]].sum() >= 10
        assert lengths[order[: len(numbers) - 1]].sum() < 10
    assert sample(lengths, 1000, np.random.default_rng(0)) == [0, 1, 2, 3, 4, 5]
    assert sample(lengths, 0, np.random.default_rng(0)) == [0, 1, 2, 3, 4, 5]


def test_models_that_cannot_be_used(model, tmp_path):
    old = tmp_path / "old"
    shutil.copytree(model, old)
    meta = json.loads((old / "meta.json").read_text())
    (old / "meta.json").write_text(json.dumps(meta | {"spacy_version": ">=2.2,<2.3"}))
    with pytest.raises(UserError, match=r"made for spaCy >=2\.2"), tagger(old, MANIFEST):
        pass
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(UserError, match="no tagger"), tagger(tmp_path / "blank", MANIFEST):
        pass
    shutil.copy(model / "meta.json", old)
    (old / "config.cfg").write_text("nonsense")
    with pytest.raises(UserError, match="not a model for spaCy"), tagger(old, MANIFEST):
        pass


def test_parts_have_every_document_once(monkeypatch):
    monkeypatch.setattr(tagging, "PART", 10)
    lengths = np.array([4, 4, 9, 4, 25, 1, 1, 1])
    found = parts(lengths, [0, 1, 3, 4, 5, 6])
    # Words so far: 4, 8, 12, 37, 38, 39; a part ends where a multiple of ten is passed.
    assert found == [[0, 1], [3], [4, 5, 6]]
    assert parts(lengths, []) == []
