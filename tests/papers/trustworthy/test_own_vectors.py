"""Vectors of a user's own, named in `subjects`: WEAT is by those vectors alone."""

import json

import numpy as np
import pandas as pd
import pytest
import yaml

from socialbias.config import paper_sources
from socialbias.config.checks import load_config
from socialbias.embeddings.readers import read_word_vectors
from socialbias.papers.trustworthy import weat
from socialbias.papers.word_sets import words_of
from socialbias.pipeline.job import Job
from socialbias.pipeline.plan import Plan
from socialbias.sources import binding
from socialbias.sources.registry import load_registry
from socialbias.sources.subjects import fetch_subject, subject_sources
from tests.declared import DECLARATIONS
from tests.paths import REPOSITORY, RESOURCES

pytestmark = pytest.mark.usefixtures("few_halves")
LISTS = {
    "first_target": ["rose", "daisy", "tulip", "clover"],
    "second_target": ["moth", "wasp", "ant", "flea"],
    "first_attribute": ["love", "peace"],
    "second_attribute": ["pain", "death"],
}
ALL = [word for words in LISTS.values() for word in words]


@pytest.fixture
def weat_of(tmp_path, monkeypatch):
    """WEAT of a file of vectors that the configuration names, through the plan of a run."""
    monkeypatch.setattr(binding, "client_installed", lambda kind: True)  # the registry has it all

    def of(vectors):
        path = tmp_path / "mine.txt"
        lines = [f"{word} {' '.join(map(repr, row.tolist()))}" for word, row in vectors.items()]
        path.write_text("\n".join(lines) + "\n")
        overlay = yaml.safe_load((REPOSITORY / "config.quickstart.yaml").read_text("utf-8"))
        overlay["subjects"] = {"mine": {"path": str(path), "kind": "vectors"}}
        overlay["inputs"] |= {"word2vec": ["mine"]}
        overlay["data"] = str(tmp_path / "data")
        registry = load_registry(RESOURCES / "sources.yaml")
        config = load_config(overlay, list(registry), list(DECLARATIONS.artefacts))
        subjects = {name: subject.model_dump() for name, subject in config.subjects.items()}
        registry |= subject_sources(subjects, registry)
        places = binding.places_of(config, {})
        bound = binding.bind(config.inputs.model_dump(), registry, places, paper_sources())
        plan = Plan(config, bound, DECLARATIONS, REPOSITORY)
        step = DECLARATIONS.evidence["trustworthy", "weat"]
        spaces = [name for name in plan.inputs_of(step) if name.startswith("vectors/")]
        assert spaces == ["vectors/weat/word2vec"]
        assert plan.inputs_of(step)[spaces[0]] == ["results/quickstart/embeddings/mine"]

        test = {key: {"name": key, "words": words} for key, words in LISTS.items()}
        (tmp_path / "weat.json").write_text(json.dumps([test]))
        manifest = {"source": "lists", "format": "weat-json", "files": [{"path": "weat.json"}]}
        (tmp_path / "manifest.json").write_text(json.dumps(manifest))
        manifest = fetch_subject(registry["mine"], places.data)
        asks = {"weat_lists": [tmp_path / "manifest.json"]}
        lists = {"word_lists/trustworthy": [RESOURCES / "word_lists/trustworthy.yaml"]}
        words = words_of(Job(asks | lists, {}, print), "weat")
        own = read_word_vectors(places.data / "mine", manifest, words)
        own.save(tmp_path / "aligned/weat")
        files = asks | {"vectors/weat/word2vec": [tmp_path / "aligned"]}
        return weat.measure(Job(files, {"intervals.level": 0.95}, print))

    return of


def alone(vectors):
    """Associations worked out from these vectors and no others."""

    def cosines(word, others):
        known = [vectors[other] for other in others if other in vectors]
        return np.mean([np.dot(vectors[word], b) / np.sqrt(vectors[word] @ vectors[word] * (b @ b))
                        for b in known])  # fmt: skip

    return [
        cosines(word, LISTS["first_attribute"]) - cosines(word, LISTS["second_attribute"])
        for key in ("first_target", "second_target")
        for word in LISTS[key]
        if word in vectors
    ]


def world(width, words=ALL):
    rng = np.random.default_rng(width)
    return {word: rng.normal(size=width) for word in words}


@pytest.mark.parametrize("width", [3, 50, 300])
def test_vectors_of_any_width_have_the_numbers_of_those_vectors_alone(weat_of, width):
    vectors = world(width)
    np.testing.assert_allclose(weat_of(vectors)["association"], alone(vectors), atol=1e-6)


@pytest.mark.parametrize("width", [3, 300])
def test_words_that_the_vectors_lack_are_left_out_and_taken_from_nowhere(weat_of, width):
    vectors = world(width, [word for word in ALL if word not in ("rose", "flea", "death")])
    table = weat_of(vectors)
    np.testing.assert_allclose(table["association"], alone(vectors), atol=1e-6)
    assert set(zip(table["n"], table["n_of"], strict=True)) == {(9, 12)}
    without = weat_of(world(width, [word for word in ALL if word not in LISTS["first_target"]]))
    assert without.empty  # which is `no input`


def test_rotated_vectors_have_the_same_numbers(weat_of):
    vectors = world(300, [word for word in ALL if word != "rose"])
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(300, 300)))[0]
    before = weat_of(vectors)
    after = weat_of({word: turn @ row for word, row in vectors.items()})
    pd.testing.assert_frame_equal(before, after, rtol=0, atol=1e-5)
    assert len(before) == 7
