"""What an audit asks vectors about relatedness, and what it says of vectors that know little."""

import json
from itertools import islice, product

import numpy as np
import pytest

import socialbias
from socialbias.commands.audit import instruments_relatedness
from socialbias.commands.audit.benchmarks import Benchmarks
from socialbias.commands.settings import Resampling
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.lists import lists
from socialbias.errors import UserError

LETTERS = "bcdfghjklmnpqrst"


class Judged(Benchmarks):
    """Judgements, made for a space of which they are right or wrong."""

    def __init__(self, folder, files):
        super().__init__(folder)
        self._files = files

    def _fetch(self, role):
        if role not in self._files:
            raise UserError(f"{role}: not at hand")
        for name, text in self._files[role].items():
            (self.data / name).write_text(text)
        return self.data, {"files": [{"path": name} for name in self._files[role]]}


def space(apart, seed=0):
    """1,000 words in 20 dimensions; women's words lie `apart` from men's in the first."""
    rng = np.random.default_rng(seed)
    groups = lists()["gender"].words
    others = ["".join(letters) for letters in islice(product(LETTERS, repeat=4), 1000)]
    words = [*groups["female"], *groups["male"], *lists()["professions"].all[:20], *others]
    matrix = rng.standard_normal((len(words), 20)).astype(np.float32)
    for sign, name in ((1, "female"), (-1, "male")):
        rows = [words.index(word) for word in groups[name]]
        matrix[rows, 0] += sign * apart
    order = rng.permutation(len(words))
    return WordVectors(tuple(words[i] for i in order), matrix[order])


def judgements(vectors, right):
    """Twenty pairs, judged by their cosines or the other way round."""
    words = vectors.words[:40]
    unit = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    cosines = [float(unit[i] @ unit[i + 1]) for i in range(0, 40, 2)]
    sign = 1 if right else -1
    lines = [f"{words[2 * i]} {words[2 * i + 1]} {sign * c:.4f}" for i, c in enumerate(cosines)]
    return {"similarity": {"wordsim353.tsv": "\n".join(lines), "rw.tsv": "a b 1"}}


@pytest.mark.parametrize(("right", "rho"), [(True, 1.0), (False, -1.0)])
def test_vectors_that_know_nothing_are_too_weak(tmp_path, right, rho):
    vectors = space(6)
    benchmarks = Judged(tmp_path, judgements(vectors, right))
    related = list(instruments_relatedness.relatedness(vectors, benchmarks, Resampling(1)))
    assert [each.instrument for each in related] == ["relatedness, WordSim-353"]  # rw is no gate
    assert related[0].result.value == pytest.approx(rho)
    assert {c.name.partition(":")[0] for c in related[0].controls} == {"shuffled labels"}
    weak = "" if right else "the vectors know too little: -1.00 on WordSim-353, below 0.4"
    assert instruments_relatedness.weakness(related) == weak


def test_an_audit_marks_what_is_too_weak(tmp_path, monkeypatch):
    vectors = space(6)
    files = judgements(vectors, right=False)
    monkeypatch.setattr(
        "socialbias.commands.audit.run.Benchmarks", lambda *_: Judged(tmp_path, files)
    )
    audit = socialbias.audit(vectors)
    for entry in audit.entries:
        assert bool(entry.weak) == (entry.result.measure != "relatedness")
    assert "Read with caution: " in audit.to_html()
    assert "(caution: the vectors know too little" in str(audit)
    kept = [each["weak"] for each in json.loads(audit.to_json())["entries"]]
    assert kept[-1].endswith("below 0.4")
