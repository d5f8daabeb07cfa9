"""What an audit asks of vectors and seed words: on planted spaces, and by hand."""

import json
from itertools import islice, product

import numpy as np
import pytest
from scipy.stats import binom

import socialbias
from socialbias.commands.audit import instruments_seeds
from socialbias.commands.audit.benchmarks import Benchmarks
from socialbias.commands.audit.page import verdict
from socialbias.commands.audit.results import Absent
from socialbias.commands.settings import Resampling
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.lists import WordLists, lists
from socialbias.errors import UserError
from socialbias.stats.similarity import unit_rows

LETTERS = "bcdfghjklmnpqrst"


class Judged(Benchmarks):
    """Judgements and analogies, made for a space of which they are right or wrong."""

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
    words = [*groups["female"], *groups["male"], *others]
    matrix = rng.standard_normal((len(words), 20)).astype(np.float32)
    for sign, name in ((1, "female"), (-1, "male")):
        rows = [words.index(word) for word in groups[name]]
        matrix[rows, 0] += sign * apart
    order = rng.permutation(len(words))
    return WordVectors(tuple(words[i] for i in order), matrix[order])


def found(vectors, benchmarks):
    steps = instruments_seeds.steps(vectors, benchmarks, Resampling(1))
    return {each.instrument: each for step in steps for each in step.outcomes()}


def test_seeds_that_are_opposites_pass_and_random_ones_do_not(tmp_path):
    nothing = Judged(tmp_path, {})
    apart, together = (found(space(x), nothing)["seed coherence, gender"] for x in (6, 0))
    assert apart.result.value > 0.95
    assert verdict(apart).startswith("the sets define a direction: ")
    assert verdict(together).startswith("no direction is shown: ")
    assert any("0.933" in mark.value for mark in apart.ruler)  # as the paper prints it
    assert [row.target for row in apart.result.rows] == lists()["gender"].all
    assert not any("rare" in row.note for row in apart.result.rows)  # vectors have no counts


def test_pairs_in_one_direction_are_explained_by_one_component(tmp_path):
    name = "seed pairs, explained variance, gender"
    base, nothing = space(0), Judged(tmp_path, {})
    matrix, groups = base.matrix.copy(), lists()["gender"].words
    for sides in zip(groups["female"], groups["male"], strict=True):
        one, other = (base.index[word] for word in sides)
        matrix[one] = matrix[other]
        matrix[[one, other], 0] = 4, -4  # as long as each other, and nothing else differs
    entry = found(WordVectors(base.words, matrix), nothing)[name]
    assert entry.result.value == pytest.approx(1)
    assert verdict(entry).startswith("above ")
    loose = found(base, nothing)[name]
    assert verdict(loose).startswith("not above ")


def test_seeds_without_vectors_say_so(tmp_path):
    told = found(space(1), Judged(tmp_path, {}))["seeds, class"]
    assert isinstance(told, Absent)
    assert "too few words have vectors (rich 0, poor 0); 3 of each are needed" in told.reason


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
    related = list(instruments_seeds.relatedness(vectors, benchmarks, Resampling(1)))
    assert [each.instrument for each in related] == ["relatedness, WordSim-353"]  # rw is no gate
    assert related[0].result.value == pytest.approx(rho)
    assert {c.name.partition(":")[0] for c in related[0].controls} == {"shuffled labels"}
    weak = "" if right else "the vectors know too little: -1.00 on WordSim-353, below 0.4"
    assert instruments_seeds.weakness(related) == weak


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
    kept = {each["instrument"]: each["weak"] for each in json.loads(audit.to_json())["entries"]}
    assert kept["seed coherence, gender"].endswith("below 0.4")


def test_analogies_by_hand(tmp_path):
    """Each word of the second list is its partner of the first and one step more."""
    rng = np.random.default_rng(0)
    words = ["".join(letters) for letters in islice(product(LETTERS, repeat=3), 12)]
    base = 5 * rng.standard_normal((12, 30))
    step = np.zeros(30)
    step[0] = 10
    vectors = WordVectors(
        (*words, *(word.upper().lower() + "x" for word in words)),
        np.vstack([base, base + step]).astype(np.float32),
    )
    questions = [f"{a} {a}x {b} {b}x" for a in words for b in words if a != b]
    wrong = [f"{a} {b}x {b} {a}x" for a in words for b in words if a != b]
    files = {"good.txt": "\n".join(questions), "bad.txt": "\n".join(wrong), "none.txt": "a b c d"}
    told = found(vectors, Judged(tmp_path, {"analogies": files}))
    assert told["analogies, good"].result.value > 0.9
    assert told["analogies, good"].controls[0].high < 0.3  # one answer of twelve by chance
    assert told["analogies, bad"].result.value < 0.3
    assert "0 of 1 questions have vectors" in told["analogies, none"].reason


def _world(rng, n, apart):
    """1,500 words, and n seeds of each of two kinds, of 150 words, that lie so far apart."""
    matrix = rng.standard_normal((1500, 10)) * np.arange(1, 11) ** -0.25
    one, other = np.split(rng.permutation(1500)[:300], 2)
    matrix[one, 0] += apart
    matrix[other, 0] -= apart
    return matrix, [rng.choice(kind, n, replace=False) for kind in (one, other)]


def _pairs(rng, n, apart):
    """Partners by chance; or that have much in common, and differ in one direction by so much."""
    matrix, (one, other) = _world(rng, n, 0)
    alike = (apart > 0) * rng.standard_normal((n, 10))
    for rows, sign in ((one, 1), (other, -1)):
        matrix[rows] = alike + 0.7 * rng.standard_normal((n, 10))
        matrix[rows, 0] += sign * apart
    return matrix, [one, other]


def _seed_entries(monkeypatch, made, n, apart, runs):
    """What an audit says of seeds in so many worlds."""
    words = tuple("".join(letters) for letters in islice(product(LETTERS, repeat=4), 1500))
    monkeypatch.setattr(instruments_seeds, "ruler", lambda *_: ())
    for run in range(runs):
        matrix, rows = made(np.random.default_rng([n, run]), n, apart)
        vectors = WordVectors(words, matrix.astype(np.float32))
        both = [[words[i] for i in each] for each in rows]
        sets = WordLists("made", "groups", {"a": tuple(both[0]), "b": tuple(both[1])}, pairs=True)
        if made is _pairs:
            yield instruments_seeds._explained(sets, both, vectors, Resampling(run))
        else:
            unit = unit_rows(vectors.matrix)
            yield instruments_seeds._coherence(sets, both, vectors, unit, Resampling(run))


@pytest.mark.long  # a simulation
@pytest.mark.parametrize(
    ("made", "n", "apart"),
    [
        (_world, 5, 2.5),
        (_world, 25, 0.8),
        (_pairs, 5, 2),
        (_pairs, 25, 0.9),
    ],
)
def test_seeds_are_told_from_random_ones_as_often_as_is_said(monkeypatch, made, n, apart):
    """Bounds are of binomial shares of 150 worlds, that chance leaves once in 1,000."""
    runs, told = 150, {}
    for distance in (0, apart):
        entries = list(_seed_entries(monkeypatch, made, n, distance, runs))
        values = np.array([entry.result.value for entry in entries])
        ends = np.array([entry.result.interval for entry in entries])
        held = (ends[:, 0] <= values.mean()) & (values.mean() <= ends[:, 1])
        assert held.sum() >= binom.ppf(0.001, runs, 0.95)
        told[distance] = sum(verdict(entry).startswith("above ") for entry in entries)
        seen = np.mean([entry.result.detectable for entry in entries])
    assert told[0] <= binom.ppf(0.999, runs, 0.03)  # 97.5 % of 200 draws
    expected = 0.8 if values.mean() >= seen else 0.5
    assert told[apart] >= binom.ppf(0.001, runs, expected)


@pytest.mark.long  # a simulation
def test_fewer_seeds_need_to_be_more_coherent(monkeypatch):
    """What has to be exceeded, and what would be seen, fall with the number of seeds."""
    for made in (_world, _pairs):
        many, few = (
            [entry.result for entry in _seed_entries(monkeypatch, made, n, 1, 10)] for n in (20, 5)
        )
        for name in ("low", "detectable"):
            assert np.isfinite([getattr(result, name) for result in (*many, *few)]).all()
        widths = [np.mean([r.high - r.low for r in results]) for results in (many, few)]
        assert widths[0] < widths[1]
        assert np.mean([r.detectable for r in many]) < np.mean([r.detectable for r in few])
