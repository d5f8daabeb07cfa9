"""What `measure` sets targets beside: other words of the same vectors and texts."""

from itertools import product

import numpy as np
import pytest

from socialbias import lists, measure
from socialbias.commands.result import Result, disagreement
from socialbias.commands.settings import question_of
from socialbias.embeddings.static_models import whole_words
from socialbias.embeddings.vectors import WordVectors
from socialbias.measurement.estimates import Placebo, Row, beside, percentiles, uncertain
from socialbias.measurement.random_words import NAMES, PERSONS, others_of
from socialbias.measurement.spelling import languages_of
from socialbias.stats.two_way import Difference

pytestmark = pytest.mark.usefixtures("few_halves", "few_draws")
WORDS = ["".join(letters) for letters in product("abcdefghij", repeat=4)][:1500]
GROUPS = {"a": WORDS[:8], "b": WORDS[8:16]}
TARGETS = WORDS[16:46]


def vectors(of_targets=0.0, of_all=0.0):
    """Words at random around a mean, some or all of them nearer to the first group."""
    rng = np.random.default_rng(4)
    matrix = 2 + rng.normal(size=(len(WORDS), 50))
    axis = np.eye(50)[0]
    matrix[:8] += 4 * axis
    matrix[8:16] -= 4 * axis
    matrix[16:] += of_all * axis
    matrix[16:46] += of_targets * axis
    return WordVectors(tuple(WORDS), matrix.astype("f4"))


def test_targets_that_are_like_other_words_do_not_differ_from_them():
    found = measure(vectors(of_all=2), GROUPS, TARGETS)
    [random] = found.placebos
    assert random.n >= 1000
    assert random.mean > 0.02  # all words are nearer to the first group
    assert found.null == random.mean
    assert random.difference_low < 0 < random.difference_high
    assert random.share > 0.05
    assert 30 < np.mean([row.percentile for row in found.rows]) < 70
    assert found.p_words_exchanged < 0.05  # which asks about 0, and not about other words


def test_targets_that_are_nearer_to_a_group_than_other_words_differ_from_them():
    found = measure(vectors(of_targets=1.5), GROUPS, TARGETS)
    [random] = found.placebos
    assert random.difference == pytest.approx(found.value - random.mean)
    assert 0 < random.difference_low < random.difference < random.difference_high
    assert random.share < 0.01
    assert np.mean([row.percentile for row in found.rows]) > 75
    assert "This does not show that there is no bias" in str(found)
    assert ", p 0" not in str(found)


def test_the_same_shift_of_all_vectors_moves_no_word_among_the_others_by_much():
    one, other = (measure(vectors(1.5, all_), GROUPS, TARGETS) for all_ in (0, 1))
    places = [[row.percentile for row in found.rows] for found in (one, other)]
    assert np.corrcoef(places)[0, 1] > 0.95


def test_placebo_words_may_be_given(tmp_path):
    (tmp_path / "others.txt").write_text("\n".join(WORDS[100:140]) + "\n")
    given = measure(vectors(), GROUPS, TARGETS, placebo=tmp_path / "others.txt")
    [placebo] = given.placebos
    assert (placebo.words, placebo.n) == (f"words of {tmp_path / 'others.txt'}", 40)
    values = measure(vectors(), GROUPS, WORDS[100:140]).table["value"]
    assert placebo.mean == pytest.approx(values.mean())
    assert given.provenance[3]["role"] == "placebo"
    assert len(given.provenance[3]["words"][""]) == 40


def test_of_few_placebo_words_as_given_no_p_value_is_made():
    sets = {"x": TARGETS[:4], "y": TARGETS[4:8]}
    for of in (sets, TARGETS):
        measure_ = "weat" if of is sets else "association"
        found = measure(vectors(1.5), GROUPS, of, measure_, placebo=WORDS[100:103])
        assert found.placebos == ()
        assert any(note.startswith("only 3 given placebo words: too few") for note in found.notes)


def test_an_effect_size_of_unequal_sets_may_be_above_2_and_so_may_its_interval():
    space = vectors()
    space.matrix[16:18, 0] += 8
    found = measure(space, GROUPS, {"x": TARGETS[:2], "y": TARGETS[2:]}, "weat")
    [random] = found.placebos
    assert 2 < found.value < 30 / np.sqrt(2 * 28)
    assert random.difference_low < found.value < random.difference_high


def test_what_has_no_number_has_no_p_value():
    sets = {"x": TARGETS[:4], "y": TARGETS[4:]}
    same = WordVectors(tuple(WORDS), np.ones((len(WORDS), 3), "f4"))
    same.matrix[: len(WORDS) // 2, 0] = 2
    same.matrix[:] *= np.linspace(1, 2, len(WORDS))[:, None]  # which changes no direction
    found = measure(same, GROUPS, sets, "weat")
    assert np.isnan(found.value)
    assert found.placebos == ()
    space = vectors()
    space.matrix[16] = -space.matrix[8:16].mean(axis=0)  # a negative association
    first, *others = measure(space, GROUPS, TARGETS, "divdist", divergence="kl").rows
    assert np.isnan([first.value, first.p_words_exchanged]).all()
    assert not np.isnan([row.p_words_exchanged for row in others]).any()


def test_no_first_name_no_word_of_the_lists_and_no_spelling_of_one_is_drawn():
    groups, targets = lists()["gender"], lists()["professions"]
    known = [*lists()[NAMES].all, *groups.all, *targets.all, "Nurse", "table", "chair"]
    random, persons = others_of(
        known, *question_of(groups, targets, None, {"seed": 1}).compared_with
    )
    assert sorted(random.words) == ["chair", "table"]
    assert persons.name == "nouns for persons"
    assert not {*persons.words} & {*targets.all, *groups.all}
    german = others_of(
        known, *question_of("gender-de", "professions-de", None, {"seed": 1}).compared_with
    )
    assert len(german) == 1  # the nouns are English


def test_nouns_for_persons_are_no_professions_and_have_no_gender():
    persons = set(lists()[PERSONS].all)
    assert not persons & set(lists()["professions"].all)
    assert not persons & set(lists()["gender-appendix"].all)
    assert languages_of(None, lists()[PERSONS])["guest"] == ""


def test_percentiles_by_hand():
    found = percentiles(np.array([0.0, 2.0, 9.0, np.nan]), np.array([1.0, 2.0, 3.0, 4.0]))
    assert found == pytest.approx([0, 37.5, 100, np.nan], nan_ok=True)


def test_a_number_is_never_outside_its_interval():
    draws = np.linspace(0.3, 0.5, 200)  # of a magnitude that resampling enlarges
    found = uncertain(0.2, draws, 0.95)
    assert (found.low, found.value) == (0.2, 0.2)
    assert found.high == pytest.approx(np.quantile(draws, 0.975))


def estimate(low, high, share):
    placebo = Placebo("random words", 1000, 0.0, -1.0, 1.0, 0.5, low, high, share)
    fields = dict.fromkeys(("measure", "unit", "direction", "n_unit", "citation"), "")
    return Result(
        statistic="mean over targets", value=0.5, low=low, high=high, level=0.95, null=0.0, n=2,
        n_of=2, resampled="words of each group and targets", placebos=(placebo,),
        rows=(Row("x", 0, 0, 0), Row("y", 1, 1, 1)), **fields,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("low", "high", "share", "told"),
    [
        (0.1, 0.9, 0.001, ""),
        (-0.1, 1.1, 0.4, ""),
        (0.1, 0.9, 0.4, "excludes 0, but many samples of them differ as much"),
        (-0.1, 1.1, 0.01, "includes 0, but few samples of them differ as much"),
    ],
)
def test_where_the_interval_and_the_samples_disagree_it_says_why(low, high, share, told):
    found = disagreement(estimate(low, high, share))
    assert told in found
    assert bool(told) == bool(found)
    assert not told or "the interval resamples words of each group and targets" in found


@pytest.mark.parametrize(("value", "rare", "high"), [(-0.3, 0.05, 0.0), (-0.3, 1.0, -0.1),
                                                     (-2.0, 0.05, -1.8)])  # fmt: skip
def test_an_interval_is_extended_to_0_where_samples_often_differ_as_much(value, rare, high):
    others = np.random.default_rng(2).exponential(size=400)  # means of 5 vary by 0.45
    apart = Difference(value, value - 0.2, value + 0.2, 0.4)
    found = beside("words", np.zeros(5), others, apart, np.random.default_rng(1), rare)
    assert (found.difference, found.difference_low) == (value, value - 0.2)
    assert found.difference_high == pytest.approx(high)


def in_texts(of_targets, of_others, words=60, sentences=30):
    """Lines in which words stand with "she" so often, of ten times, and otherwise with "he"."""
    names = ["".join(letters) for letters in product("bcdfg", "aeiou", "lmnr")][:words]
    lines = [
        f"yesterday the {name} saw that {'she' if i % 10 < often else 'he'} was in there"
        for place, name in enumerate(names)
        for often in [of_targets if place < 5 else of_others]
        for i in range(sentences)
    ]
    return names[:5], "\n".join(lines) + "\n"


def test_in_texts_targets_stand_beside_words_as_frequent_and_the_base_rate(tmp_path):
    targets, text = in_texts(9, 3)
    (tmp_path / "t.txt").write_text(text)
    groups = {"women": ["she"], "men": ["he"]}
    found = measure(tmp_path / "t.txt", groups, targets, by="line")
    [random, *_] = found.placebos
    assert random.n >= 55
    assert random.mean == pytest.approx(-0.2, abs=0.03)  # three in ten; "yesterday" has the base
    assert found.value == pytest.approx(0.4)
    assert 0.4 < random.difference_low < 0.6 < random.difference_high
    assert [row.percentile for row in found.rows] == [100] * 5
    women = (5 * 9 + 55 * 3) / (60 * 10)
    note = f"women {women:.3f}, men {1 - women:.3f}"
    assert any(each.startswith("base rate") and note in each for each in found.notes)
    given = measure(tmp_path / "t.txt", groups, targets[:1], by="line", placebo=targets[1:])
    assert given.placebos == ()
    assert "only 4 given placebo words: too few to compare the targets with" in given.notes


def test_texts_of_which_all_words_are_alike_have_no_unusual_targets(tmp_path):
    targets, text = in_texts(3, 3)
    (tmp_path / "t.txt").write_text(text)
    found = measure(tmp_path / "t.txt", {"women": ["she"], "men": ["he"]}, targets, by="line")
    assert found.value == pytest.approx(-0.2)
    assert abs(found.placebos[0].difference) < 0.01
    assert found.placebos[0].share > 0.3


@pytest.mark.parametrize(("mark", "expected"), [("Ġ", ["lamp"]), ("", ["lamp", "post"])])
def test_whole_words_of_a_model_begin_as_its_words_do(mark, expected):
    pieces = [f"{mark}lamp", "##light", "post", *(f"{mark}{n}" for n in range(200))]
    assert whole_words({piece: i for i, piece in enumerate(pieces)}) == expected
