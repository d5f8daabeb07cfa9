"""Seed files that are almost right: read as they are meant, or refused in one line."""

import numpy as np
import pytest

from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.bad_seeds import seed_audit
from socialbias.papers.bad_seeds.inputs import SeedSet
from socialbias.words.files import read_word_list
from tests.papers.bad_seeds.worlds import corpus
from tests.reliability import fault


def test_words_with_apostrophes_and_hyphens_are_words(tmp_path):
    (tmp_path / "l.txt").write_text("women's\n'tis\no’clock\nsister-in-law\ngirls'\n", "utf-8")
    assert len(read_word_list(tmp_path / "l.txt")["l"]) == 5


@fault(
    "a seed file of thousands of words or sets", "the time grows with the words, not their square"
)
@pytest.mark.parametrize("per_set", [pytest.param(1, marks=pytest.mark.long), 2000])
def test_work_grows_with_the_words(tmp_path, monkeypatch, per_set):
    """No word is looked at again for each other word: counted, since times are no test."""
    words = [f"w{i}" for i in range(4000)]
    sets = {f"s{i}": words[i : i + per_set] for i in range(0, len(words), per_set)}
    model = WordVectors(tuple(words), np.random.default_rng(0).normal(size=(4000, 4)))
    made = corpus(model, counts=dict.fromkeys(words, 30), tags=dict.fromkeys(words, "noun"))
    looked = 0
    plain = seed_audit.in_places

    def counting(words):
        nonlocal looked
        words = list(words)
        looked += len(words)
        return plain(words)

    monkeypatch.setattr(seed_audit, "in_places", counting)
    monkeypatch.setattr(seed_audit, "unigrams", lambda words: tuple(filter(None, counting(words))))
    table = seed_audit.audit_words(sets, made)
    summary = seed_audit.audit_sets(sets, made, {"p": SeedSet(("w1",))}, 0.95)
    assert len(table) == 4000
    assert looked <= 10 * 4000
    assert seed_audit.audit_text(table, summary).count("\n") >= len(sets)
