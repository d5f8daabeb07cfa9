"""What `measure` compares targets with: other words of the same vectors and texts."""

from itertools import product

import numpy as np
import pytest

from socialbias import lists, measure
from socialbias.commands.settings import make_question
from socialbias.embeddings.static_models import whole_words
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.measurement.estimates import percentiles, rank_among_words, uncertain
from socialbias.measurement.random_words import NAMES, choose_baseline
from socialbias.measurement.topics import TOPICS

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


def asked(result, question="spread"):
    return next(each for each in result.answers if each.question == question)


@pytest.mark.parametrize("of_all", [0, 2])
def test_targets_that_are_like_other_words_are_not_found_among_them(of_all):
    found = measure(vectors(of_all=of_all), GROUPS, TARGETS)
    assert asked(found).among == TOPICS
    assert len(found.random_words) >= 1000
    assert min(each.p_value for each in found.answers) > 0.05
    assert asked(found).low < found.value < asked(found).high
    assert found.outside.value <= found.outside.high
    assert 30 < np.mean([row.percentile for row in found.rows]) < 70
    assert found.named == []


def test_targets_that_are_nearer_to_a_group_than_other_words_are_found():
    found = measure(vectors(of_targets=3, of_all=1), GROUPS, TARGETS)
    assert max(each.p_value for each in found.answers) < 0.05
    assert (found.null, found.p_value) == (found.answers[0].middle, found.answers[0].p_value)
    assert asked(found, "direction").value > asked(found, "direction").high
    assert found.outside.value > found.outside.high
    assert set(found.named) <= {row.target for row in found.rows if row.value > 0}
    assert len(found.named) > 5
    assert np.mean([row.percentile for row in found.rows]) > 75
    for text in (str(found), found.brief()):
        assert ", p 0" not in text
    lines = found.brief().splitlines()
    assert len(lines) <= 15
    assert lines[1].startswith(f"{found.outside.value:.0f} of 30 targets lie outside the middle")


def test_targets_that_lie_on_both_sides_are_found_by_their_spread_alone():
    space = vectors(of_targets=3)
    space.matrix[31:46, 0] -= 6
    found = measure(space, GROUPS, TARGETS)
    assert asked(found).p_value < 0.01 < 0.2 < asked(found, "direction").p_value
    sides = [line for line in found.brief().splitlines() if line.startswith("Nearer to")]
    assert sorted(line.split(":")[0] for line in sides) == ["Nearer to a", "Nearer to b"]


def test_of_three_groups_words_far_from_others_are_found_and_come_first():
    groups = GROUPS | {"c": WORDS[46:54]}
    space = vectors(of_targets=4)
    space.matrix[46:54] += 4 * np.eye(50)[1]
    space.matrix[30:46, 0] -= 4  # these are as other words
    found = measure(space, groups, TARGETS)
    assert [each.question for each in found.answers] == ["spread"] * 2 + ["outside"] * 2
    assert asked(found).p_value < 0.01
    [nearer] = [line for line in found.brief().splitlines() if line.startswith("Nearer to a")]
    shown = [float(each.split()[-1].rstrip("*.")) for each in nearer.split(": ")[1].split(", ")]
    assert shown == sorted(shown, reverse=True)
    assert shown[0] > 2


def test_one_word_has_a_place_and_few_random_words_name_none():
    found = measure(vectors(of_targets=3), GROUPS, TARGETS[:1])
    [place] = found.answers
    assert (place.question, place.n) == ("value", len(found.random_words))
    assert place.p_value == found.rows[0].p_value == found.rows[0].adjusted_p
    few = measure(vectors(of_targets=3), GROUPS, TARGETS, baseline=WORDS[100:140])
    assert few.named == []
    assert "No single word can be named: with 40 random words" in few.brief()


def test_an_order_that_no_correlation_could_show_is_not_promised():
    numbers = dict(zip(TARGETS, range(30), strict=True))
    for n, few in ((5, True), (30, False)):
        found = measure(vectors(), GROUPS, TARGETS[:n], against=numbers)
        [line] = [each for each in found.brief().splitlines() if each.startswith("Would be found")]
        assert line.endswith("no order, with so few targets.") is few
        assert ("order below -0." in line) is not few


def test_a_target_whose_number_is_missing_has_none():
    numbers = dict(zip(TARGETS, range(30), strict=True))
    one = measure(vectors(), GROUPS, TARGETS, against=numbers | {TARGETS[3]: float("nan")})
    del numbers[TARGETS[3]]
    other = measure(vectors(), GROUPS, TARGETS, against=numbers)
    assert one.answers == other.answers


def test_positions_stay_where_all_vectors_are_shifted():
    space = vectors(1.5)
    moved = WordVectors(space.words, space.matrix + 5)
    one, other = (measure(each, GROUPS, TARGETS) for each in (space, moved))
    for row in other.rows:  # all words are nearer to one of the groups
        assert row.leans_to == ("a" if row.value > 0 else "b")
    assert [r.value for r in one.rows] == pytest.approx([r.value for r in other.rows], abs=1e-3)


def test_words_to_compare_with_may_be_given(tmp_path):
    (tmp_path / "others.txt").write_text("\n".join(WORDS[100:140]) + "\n")
    given = measure(vectors(), GROUPS, TARGETS, "association", baseline=tmp_path / "others.txt")
    values = measure(vectors(), GROUPS, WORDS[100:140], "association").table["value"]
    assert list(given.random_words.values()) == pytest.approx(values.to_list())
    assert given.provenance[3]["role"] == "baseline"
    assert len(given.provenance[3]["words"][""]) == 40


def test_of_few_words_as_given_no_p_value_is_made():
    sets = {"x": TARGETS[:4], "y": TARGETS[4:8]}
    few = "only 3 given words: too few to compare the targets with"
    for of in (sets, TARGETS):
        name = "weat" if of is sets else "association"
        found = measure(vectors(1.5), GROUPS, of, name, baseline=WORDS[100:103])
        assert found.answers == ()
        assert np.isnan(found.p_value)
        assert few in found.notes
    with pytest.raises(UserError, match=few):
        measure(vectors(1.5), GROUPS, TARGETS, "position", baseline=WORDS[100:103])
    of_shares = measure(vectors(1.5), GROUPS, TARGETS, baseline=WORDS[100:103])
    assert of_shares.measure == "directed"
    assert any(note.startswith(few) for note in of_shares.notes)


def test_an_effect_size_of_unequal_sets_may_be_above_2():
    space = vectors()
    space.matrix[16:18, 0] += 8
    found = measure(space, GROUPS, {"x": TARGETS[:2], "y": TARGETS[2:]}, "weat")
    [neighbours] = found.answers
    assert 2 < found.value < 30 / np.sqrt(2 * 28)
    assert neighbours.p_value < 0.05


def test_what_has_no_number_has_no_p_value():
    sets = {"x": TARGETS[:4], "y": TARGETS[4:]}
    same = WordVectors(tuple(WORDS), np.ones((len(WORDS), 3), "f4"))
    same.matrix[: len(WORDS) // 2, 0] = 2
    same.matrix[:] *= np.linspace(1, 2, len(WORDS))[:, None]  # which changes no direction
    found = measure(same, GROUPS, sets, "weat")
    assert np.isnan(found.value)
    assert found.answers == ()
    space = vectors()
    space.matrix[16] = -space.matrix[8:16].mean(axis=0)  # a negative association
    first, *others = measure(space, GROUPS, TARGETS, "divdist", divergence="kl").rows
    assert np.isnan([first.value, first.p_value]).all()
    assert not np.isnan([row.p_value for row in others]).any()


def test_no_first_name_no_word_of_the_lists_and_no_spelling_of_one_is_drawn():
    groups, targets = lists()["gender"], lists()["professions"]
    known = [*lists()[NAMES].all, *groups.all, *targets.all, "Nurse", "table", "chair"]
    random = choose_baseline(
        known, *make_question(groups, targets, None, {"seed": 1}).compared_with
    )
    assert sorted(random.words) == ["chair", "table"]


def test_percentiles_by_hand():
    found = percentiles(np.array([0.0, 2.0, 9.0, np.nan]), np.array([1.0, 2.0, 3.0, 4.0]))
    assert found == pytest.approx([0, 37.5, 100, np.nan], nan_ok=True)


def test_a_number_is_never_outside_its_interval():
    draws = np.linspace(0.3, 0.5, 200)  # of a magnitude that resampling enlarges
    found = uncertain(0.2, draws, 0.95)
    assert (found.low, found.value) == (0.2, 0.2)
    assert found.high == pytest.approx(np.quantile(draws, 0.975))


def test_words_are_named_by_their_rank_with_false_discoveries_controlled():
    words = np.arange(-49.0, 50)  # 99 around 0
    first, second, third, none = rank_among_words(np.array([60.0, -48.5, 1, np.nan]), words, True)
    assert [each["p_value"] for each in (first, second, third)] == [1 / 100, 3 / 100, 99 / 100]
    by_hand = [3 / 100, 4.5 / 100, 99 / 100]  # Benjamini and Hochberg: p 3 / rank
    assert [each["adjusted_p"] for each in (first, second, third)] == pytest.approx(by_hand)
    assert np.isnan([*none.values()]).all()


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
    others = [*found.random_words.values()]
    assert len(others) >= 55
    assert np.mean(others) == pytest.approx(-0.2, abs=0.03)  # three in ten; one has the base rate
    assert found.value == pytest.approx(0.4)
    assert max(each.p_value for each in found.answers) < 0.01
    assert [row.percentile for row in found.rows] == [100] * 5
    assert found.outside.value == 5
    women = (5 * 9 + 55 * 3) / (60 * 10)
    note = f"women {women:.3f}, men {1 - women:.3f}"
    assert any(each.startswith("base rate") and note in each for each in found.notes)
    given = measure(tmp_path / "t.txt", groups, targets[:1], by="line", baseline=targets[1:])
    assert given.answers == ()
    assert "only 4 given words: too few to compare the targets with" in given.notes


def test_texts_of_which_all_words_are_alike_have_no_unusual_targets(tmp_path):
    targets, text = in_texts(3, 3)
    (tmp_path / "t.txt").write_text(text)
    found = measure(tmp_path / "t.txt", {"women": ["she"], "men": ["he"]}, targets, by="line")
    assert found.value == pytest.approx(-0.2)
    assert found.outside.value == 0
    assert min(each.p_value for each in found.answers) > 0.3


@pytest.mark.parametrize(("mark", "expected"), [("Ġ", ["lamp"]), ("", ["lamp", "post"])])
def test_whole_words_of_a_model_begin_as_its_words_do(mark, expected):
    pieces = [f"{mark}lamp", "##light", "post", *(f"{mark}{n}" for n in range(200))]
    assert whole_words({piece: i for i, piece in enumerate(pieces)}) == expected


def test_sets_of_random_words_promise_no_power():
    text = measure(vectors(of_targets=30), GROUPS, TARGETS, baseline=WORDS[46:80]).brief()
    assert "there is no test" in text
    assert "sets of random words: " in text
    assert "80 % power" not in text
    assert "No difference from topics" not in text
