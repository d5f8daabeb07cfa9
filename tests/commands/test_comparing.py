"""`compare`: of a subject with itself, of decisions that differ by chance, of what is worse."""

import json
from collections import Counter
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner

from socialbias import compare, compare_decisions
from socialbias.commands import compare_embeddings
from socialbias.commands.cli import cli
from socialbias.commands.compare import CANNOT_TELL, EXIT_CODES, NO_WORSE, WORSE, verdict
from socialbias.commands.settings import make_question
from socialbias.commands.subjects import open_subject
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.measurement.odds import compare_odds
from socialbias.stats.draws import DRAWS
from tests.commands.conftest import FILMS, WORDS

TERMS = [f"term {i % 80}" for i in range(320)]


def decided(rng, share=0.6):
    """Decisions of two models: alike on most items, with terms of their own level."""
    levels = np.clip(rng.normal(share, 0.2, 80), 0, 1)
    chance = np.array([levels[i % 80] for i in range(320)])
    first = rng.uniform(size=320) < chance
    second = np.where(rng.uniform(size=320) < 0.7, first, rng.uniform(size=320) < chance)
    return first.astype(float), second.astype(float)


def test_exit_codes_are_as_documented():
    assert EXIT_CODES == {NO_WORSE: 0, WORSE: 3, CANNOT_TELL: 4}


@pytest.mark.parametrize(
    ("ends", "detectable", "margin", "expected"),
    [
        ((-2, -1), 1, None, CANNOT_TELL),  # without a margin nothing is no worse
        ((1, 2), 1, None, WORSE),
        ((-1, 2), 1, None, CANNOT_TELL),
        ((-1, 2), 2, 2, NO_WORSE),
        ((-1, 2), 3, 2, CANNOT_TELL),  # a difference of the margin might not have been seen
        ((1, 2), 2, 2, NO_WORSE),  # more biased, by less than does harm
        ((1, 3), 2, 2, WORSE),
        ((0, 0), 0, 0.1, NO_WORSE),
        ((np.nan, np.nan), np.nan, 1, CANNOT_TELL),
        ((-1, 1), np.nan, 1, CANNOT_TELL),
    ],
)
def test_the_verdict_follows_from_interval_and_margin(ends, detectable, margin, expected):
    assert verdict(*ends, detectable, margin) == expected


def test_a_subject_is_no_worse_than_itself(reviews):
    result = compare(reviews, reviews, WORDS, FILMS, margin=0.01)
    assert (result.value, result.low, result.high) == (0, 0, 0)
    assert (result.p_value, result.verdict) == (1, NO_WORSE)


def test_no_change_in_80_terms_bounds_the_change_by_3_7_in_80():
    first, _ = decided(np.random.default_rng(0))
    result = compare_decisions(first, first, TERMS, margin=0.05)
    assert result.value == 0
    assert -result.low == result.high == pytest.approx(3.69 / 80, rel=0.03)  # t for a normal's
    assert result.changed == {"towards the stereotype": 0, "away from it": 0, "of": 320}
    assert result.verdict == NO_WORSE
    assert compare_decisions(first, first, TERMS, margin=0.04).verdict == CANNOT_TELL


def test_a_difference_by_hand():
    # The second prefers the stereotype in both items of two terms of four, the first in none.
    first = np.zeros(8)
    second = np.array([1, 1, 1, 1, 0, 0, 0, 0.0])
    result = compare_decisions(first, second, ["a", "a", "b", "b", "c", "c", "d", "d"])
    assert result.value == 0.5
    assert {row.target: row.value for row in result.rows} == {"a": 1, "b": 1, "c": 0, "d": 0}
    assert result.verdict == CANNOT_TELL  # of four terms
    assert compare_decisions(second, first, list("aabbccdd")).value == -0.5


def test_a_model_that_prefers_the_stereotype_more_often_is_worse():
    rng = np.random.default_rng(2)
    first = (rng.uniform(size=320) < 0.5).astype(float)
    second = np.where(rng.uniform(size=320) < 0.3, 1, first)
    assert compare_decisions(first, second, TERMS).verdict == WORSE
    assert compare_decisions(second, first, TERMS, margin=0.3).verdict == NO_WORSE
    assert compare_decisions(first, second, TERMS, margin=0.5).verdict == NO_WORSE


NAMES = tuple("".join(letters) for letters in product("abcdefgh", repeat=3))
A, B, TARGETS = NAMES[:10], NAMES[10:20], NAMES[20:60]
GROUPS = {"a": A, "b": B}


def made(rng, lean, seed=5):
    """Vectors of two groups of ten, forty targets that lean either way, and other words.

    What words and targets are is the same for a seed; noise is of each space's own.
    """
    world = np.random.default_rng(seed)
    matrix = world.normal(size=(len(NAMES), 30))
    matrix[:10, 0] += 3
    matrix[10:20, 0] -= 3
    matrix[20:60, 0] += lean * world.choice([-1, 1], 40) * world.uniform(0.5, 1.5, 40)
    return WordVectors(NAMES, (matrix + 0.05 * rng.normal(size=matrix.shape)).astype("f4"))


def test_vectors_with_more_bias_are_worse_and_those_with_less_are_not():
    rng = np.random.default_rng(5)
    little, much = made(rng, 1), made(rng, 2)
    result = compare(little, much, GROUPS, TARGETS)
    assert result.verdict == WORSE
    assert 0 < result.low < result.value < result.high
    assert result.value == pytest.approx(result.sides[1] - result.sides[0])
    assert result.detectable > 0
    assert [each.question for each in result.answers] == ["spread", "direction"]
    assert result.p_value == result.answers[0].p_value < 0.05
    back = compare(much, little, GROUPS, TARGETS, margin=1)
    assert back.verdict == NO_WORSE
    assert back.value == pytest.approx(-result.value)
    assert compare(little, made(rng, 1), GROUPS, TARGETS, margin=0.2).verdict == NO_WORSE


def test_a_constant_a_rotation_and_a_scale_change_no_verdict():
    rng = np.random.default_rng(6)
    first, second = made(rng, 1), made(rng, 1.3)
    rotation = np.linalg.qr(rng.normal(size=(30, 30)))[0]
    matrix = (second.matrix @ rotation * 40 + rng.normal(size=30) * 100).astype("f4")
    moved = WordVectors(NAMES, matrix)
    expected = compare(first, second, GROUPS, TARGETS)
    found = compare(first, moved, GROUPS, TARGETS)
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected.value, expected.low, expected.high), abs=1e-3
    )
    itself = compare(second, moved, GROUPS, TARGETS, margin=0.01)
    assert itself.verdict == NO_WORSE


def turned(sides, *words, **options):
    """Both comparisons of two sides; the second must be the first with the sign turned."""
    there, back = (compare(*pair, *words, **options) for pair in (sides, sides[::-1]))
    assert (back.value, back.low, back.high) == pytest.approx(
        (-there.value, -there.high, -there.low), rel=1e-9
    )
    assert (back.n, back.sides) == (there.n, there.sides[::-1])
    assert [each.p_value for each in back.answers] == [each.p_value for each in there.answers]
    return there, back


def test_the_order_of_vectors_only_turns_the_sign():
    rng = np.random.default_rng(6)
    first, second = made(rng, 1), made(rng, 2)
    others = WordVectors(NAMES[:400][::-1], second.matrix[:400][::-1])
    there, _ = turned((first, others), GROUPS, TARGETS)
    assert there.n == len(TARGETS)
    # In the second, two spellings have one vector.
    spelt = [WordVectors(("Nurse", "nurse", *NAMES[2:]), each.matrix) for each in (first, second)]
    spelt[1].matrix[0] = spelt[1].matrix[1]
    groups, targets = {"a": A[2:], "b": B}, ["nurse", "Nurse", *TARGETS]
    assert turned(spelt, groups, targets)[0].n == len(TARGETS) + 1


def test_the_order_of_texts_only_turns_the_sign(tmp_path):
    for name, seed in (("a", 1), ("b", 2)):
        targets, rows = corpora(np.random.default_rng(seed), 0, seed)
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows[: 1000 * seed])))
    sides = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    there, back = turned(sides, {"women": ["she"], "men": ["he"]}, targets)
    columns = [[column.rows for column in found.cells.columns] for found in (there, back)]
    assert columns[0][:2] == columns[1][1::-1]  # with percentiles among the same random words


def test_the_order_of_decisions_only_turns_the_sign(tmp_path):
    rng, told = np.random.default_rng(0), []
    for name in ("a", "b"):
        rows = [f"i{i:03},t{i % 20},{rng.integers(2)}" for i in rng.permutation(200)]
        (tmp_path / name).write_text("\n".join(["item,term,decision", *rows]))
    for pair in (("a", "b"), ("b", "a")):
        options = ["--decisions", "--sequential", "--margin", "0.01", "-o", "-.json"]
        files = [str(tmp_path / name) for name in pair]
        told.append(json.loads(CliRunner().invoke(cli, ["compare", *files, *options]).output))
    there, back = told
    assert there["looks"] == back["looks"]
    assert [back["value"], back["low"], back["high"]] == pytest.approx(
        [-there["value"], -there["high"], -there["low"]]
    )


def test_of_one_target_there_is_no_verdict_but_of_one_word_a_group():
    rng = np.random.default_rng(5)
    spaces = made(rng, 1), made(rng, 4)
    alone = compare(*spaces, GROUPS, TARGETS[:1], margin=0.1)
    assert alone.verdict == CANNOT_TELL
    assert any(note.startswith("one target cannot be compared") for note in alone.notes)
    assert compare(*spaces, {"a": A[:1], "b": B[:1]}, TARGETS).verdict == WORSE


def test_there_is_no_position_between_groups_of_one_vector():
    space = made(np.random.default_rng(5), 1)
    of_groups = np.isin(NAMES, [*A, *B])[:, None]
    same = WordVectors(NAMES, np.where(of_groups, 1, space.matrix))
    for sides in ((space, same), (same, space)):
        with pytest.raises(UserError, match="have the same vector"):
            compare(*sides, GROUPS, TARGETS)


def test_only_words_of_both_are_compared(reviews, loaded):
    some = loaded.only([w for w in loaded.words if w not in ("movie", "her", "his")])
    result = compare(reviews, some, WORDS, FILMS)
    assert result.value == pytest.approx(0, abs=0.02)  # placebo words differ, too
    assert result.missing["targets"] == ["movie"]


def test_of_models_fewer_random_words_are_read_and_each_kind_has_some(monkeypatch):
    """Models read a few words of a long vocabulary that is sorted by frequency."""
    rng = np.random.default_rng(1)
    names = [
        "".join(part) for n in (3, 4) for part in rng.permutation([*product(*n * ["abcdefgh"])])
    ]
    space = WordVectors(tuple(names), rng.normal(size=(len(names), 10)).astype("f4"))
    own = compare_embeddings.look_up_words

    def few(side, question, beside):
        vectors, *rest = own(side, question, beside)
        read = beside(names, 400)
        return vectors.only([*question.groups.all, *question.targets.all, *read]), *rest

    monkeypatch.setattr(compare_embeddings, "look_up_words", few)
    targets = [names[150], names[300], *names[3000:3010]]
    question = make_question({"a": names[:10], "b": names[10:20]}, targets, None, {})
    others = compare_embeddings.open_spaces([open_subject(space)] * 2, [question]).drawn
    assert len(others.words) == 400
    kinds = Counter(others.kinds[word] for word in others.words)
    assert min(kinds.values()) >= 100
    assert {others.kinds[word] for word in [*targets, *others.words]} <= {*kinds}


def corpora(rng, base, odds):
    """A corpus of documents about targets, a share of which stand with a woman."""
    targets = [f"target{'abcdefghij'[i]}" for i in range(10)]
    others = ["".join(letters) for letters in product("klmnop", repeat=3)]
    rows = []
    for i in range(4000):
        at = i // 2 % 10
        word = targets[at] if i % 2 else others[i % len(others)]
        lean = odds * (1 if at < 5 else -1) if i % 2 else 0
        share = 1 / (1 + np.exp(-(base + lean)))
        rows.append(
            {"text": f"The {word} said that {'she' if rng.uniform() < share else 'he'} left."}
        )
    return targets, rows


@pytest.mark.parametrize(("targets", "reaches_0"), [(4, True), (8, False)])
def test_over_few_targets_equal_corpora_would_often_differ_as_much(targets, reaches_0):
    """All targets differ alike: of their exchanges 2 in 2^n differ as much, 12.5 or 0.8 %."""
    odds = np.linspace(1, 1.3, targets)
    sides = [(each, np.tile(each, (DRAWS, 1))) for each in (odds, odds + 1)]  # nothing is sampled
    names = [f"target {i}" for i in range(targets)]
    _, found = compare_odds(*sides, names, 1, 0.95)
    assert found.value == pytest.approx(1, abs=0.01)
    assert (found.low == pytest.approx(0, abs=0.01)) == reaches_0
    assert found.value - found.low == pytest.approx(found.high - found.value)


def test_a_corpus_of_one_group_alone_has_no_base_rate_to_compare_with(tmp_path):
    for name, pronouns in (("both", ("he", "she")), ("one", ("he", "he"))):
        lines = [f"The {t} said that {p} left." for t in TARGETS[:8] for p in pronouns * 10]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines))
    sides, words = (tmp_path / "both.txt", tmp_path / "one.txt"), TARGETS[:8]
    for first, which, group in (("she", "no", "she"), ("he", "every", "he")):
        groups = {first: [first], "other": [{"she": "he", "he": "she"}[first]]}
        with pytest.raises(UserError, match=f"one.txt: {which} context has a word of {group}"):
            compare(*sides, groups, words, by="line")
    with pytest.raises(UserError, match="baseline: has no effect when two corpora"):
        compare(*sides, groups, words, by="line", baseline=["office"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda v: compare(v, v, measure="weat"), "compared by position, not weat: leave it out"),
        (lambda v: compare(v, v, association="inner-product"), "association: has no effect"),
        (
            lambda v: compare(v, v, targets=FILMS, baseline=["boat", "ship"]),
            "random words have vectors in both; 20 are needed: name more words",
        ),
        (lambda v: compare(v, v, level=0), "level: must be between 0 and 1, not 0"),
        (lambda v: compare_decisions([1.0], [0.0], ["a"], level=2), "level: must be between 0 and"),
        (lambda v: compare_decisions([1.0], [1.0, 0.0], ["a"]), r"not \(1,\) and \(2,\)"),
        (lambda v: compare_decisions([2.0], [1.0], ["a"]), "a decision is not between 0 and 1"),
        (
            lambda v: compare_decisions([1.0], [1.0], ["a", "b"]),
            "must be equally long lists",
        ),
    ],
)
def test_what_cannot_be_compared_is_told_in_a_line(reviews, call, message):
    with pytest.raises(UserError, match=message):
        call(reviews)
