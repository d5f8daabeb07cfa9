"""`measure` on vectors: by hand, and its words and options."""

import re

import numpy as np
import pytest
from gensim.models import FastText

from socialbias import measure
from socialbias.errors import UserError
from socialbias.measures.registry import MEASURES
from tests.commands.conftest import FILMS, WORDS

pytestmark = pytest.mark.usefixtures("few_halves")
PAIR = {"female": ["she", "her"], "male": ["he", "his"]}
PAIRS = {"a": ["she", "her"], "b": ["he", "his"]}
ALIKE = {"she": [0, 1], "her": [0, 2], "he": [0, 2], "his": [0, 3], "nurse": [1, 1]}


def values(result) -> dict[str, float]:
    return {row.target: row.value for row in result.rows}


def test_shares_by_hand(hand):
    # Cosines with (1, 0) and (0, 1) are as 3 to 1, so that the shares are 3/4 and 1/4.
    result = measure(hand, PAIR, ["nurse", "pilot"], "directed")
    assert values(result) == pytest.approx({"nurse": 0.25, "pilot": -0.25})
    assert [row.leans_to for row in result.rows] == ["female", "male"]
    assert result.value == pytest.approx(0)
    assert result.null == 0
    magnitude = measure(hand, PAIR, "nurse,pilot", "divdist")
    assert magnitude.value == pytest.approx(0.5)  # |3/4 - 1/2| + |1/4 - 1/2|
    assert measure(hand, PAIR, "nurse", "divdist", divergence="linf").value == pytest.approx(0.25)


def test_a_weat_by_hand(hand):
    # s(nurse) = (3 - 1) / sqrt 10 and s(pilot) its opposite: two standard deviations of sqrt 2.
    result = measure(hand, PAIR, {"care": ["nurse"], "flight": ["pilot"]}, "weat")
    assert values(result) == pytest.approx({"nurse": 2 / 10**0.5, "pilot": -2 / 10**0.5})
    assert result.value == pytest.approx(2**0.5)
    assert result.answers == ()  # there is no other word


def test_words_that_do_not_vary_leave_no_doubt(hand):
    # All words of a group point the same way, so that no sample of them gives another share.
    (row,) = measure(hand, PAIR, "nurse", "directed").rows
    assert (row.low, row.high) == pytest.approx((0.25, 0.25))


def test_every_form_of_vectors_gives_the_same_numbers(reviews, gensims, loaded, tmp_path):
    asked = (WORDS, FILMS, "association")
    expected = measure(reviews, *asked)
    gensims.save_word2vec_format(str(tmp_path / "v.bin"), binary=True)
    loaded.save(tmp_path / "folder")
    np.save(tmp_path / "own.npy", loaded.matrix)
    (tmp_path / "own.txt").write_text("\n".join(loaded.words) + "\n", "utf-8")
    (tmp_path / "glove.txt").write_bytes(reviews.read_bytes().split(b"\n", 1)[1])
    by_word = dict(zip(loaded.words, loaded.matrix, strict=True))
    gensims.save(str(tmp_path / "one.kv"))
    gensims.save(str(tmp_path / "two.kv"), sep_limit=1000)
    forms = ("v.bin", "folder", "own.npy", "glove.txt", "one.kv", "two.kv")
    forms = [tmp_path / name for name in forms]
    pair = (loaded.words, loaded.matrix)
    for subject in [*forms, gensims, loaded, by_word, pair]:
        assert measure(subject, *asked).rows == expected.rows


def test_what_gensim_put_beside_its_pickle_is_read_with_it_and_told(gensims, tmp_path):
    gensims.save(str(tmp_path / "own.kv"), sep_limit=1000)
    files = measure(tmp_path / "own.kv", WORDS, FILMS).provenance[0]["files"]
    assert [file["name"] for file in files] == ["own.kv", "own.kv.vectors.npy"]
    (tmp_path / "own.kv.vectors.npy").unlink()
    told = r"own.kv: its vectors should be beside it in own\.kv\.vectors\.npy"
    with pytest.raises(UserError, match=told):
        measure(tmp_path / "own.kv", WORDS, FILMS)


def test_a_model_of_pieces_of_words_is_refused_with_what_to_do(tmp_path):
    model = FastText([["a", "b"]], vector_size=3, min_count=1, workers=1, bucket=5)
    model.wv.save(str(tmp_path / "own.kv"))
    told = r"asks for gensim\.models\.fasttext\.FastTextKeyedVectors: refused, not run; if you"
    with pytest.raises(UserError, match=told):
        measure(tmp_path / "own.kv", WORDS, FILMS)


def test_the_seed_and_nothing_else_moves_an_interval(reviews):
    first, again, other = (measure(reviews, WORDS, FILMS, "association", seed=s) for s in (1, 1, 2))
    assert first.to_json() == again.to_json()
    assert first.value == other.value
    assert first.interval != other.interval


def test_words_without_a_vector_are_told_and_too_few_are_noted(reviews):
    result = measure(reviews, "gender", "director,author,xyzzyq")
    assert result.missing["targets"] == ["xyzzyq"]
    assert result.missing["female"] == ["mary", "herself", "daughter", "mother", "female"]
    assert (result.n, result.n_of) == (2, 3)
    assert "only 3 of 8 words of female have a vector" in result.notes


def test_a_measure_that_takes_pairs_leaves_out_half_pairs(reviews):
    groups = {"female": ["she", "her", "xyzzyq", "woman"], "male": ["he", "his", "boy", "man"]}
    without = {name: [w for i, w in enumerate(ws) if i != 2] for name, ws in groups.items()}
    found, expected = (measure(reviews, g, FILMS, "direct-bias") for g in (groups, without))
    assert values(found) == values(expected)


def test_of_three_groups_positions_are_distances(reviews):
    groups = {"a": ["movie"], "b": ["story"], "c": ["drama"]}
    result = measure(reviews, groups, ["director", "comedy"])
    assert result.measure == "position"
    assert min(row.value for row in result.rows) > 0
    assert "a magnitude" in result.direction
    with pytest.raises(UserError, match="association needs two groups, but there are 3"):
        measure(reviews, groups, ["comedy"], "association")


@pytest.mark.parametrize("name", [*MEASURES])
def test_every_measure_has_a_range_that_its_numbers_keep(reviews, name):
    targets = {"x": FILMS[:6], "y": FILMS[6:]} if name == "weat" else FILMS
    options = {"normalize": "softmax"} if name in ("directed", "divdist") else {}
    result = measure(reviews, WORDS, targets, name, **options)
    instrument = MEASURES[name]
    found = np.array([[row.value, row.low, row.high] for row in result.rows])
    assert (found >= instrument.low - 1e-9).all()
    assert (found <= instrument.high + 1e-9).all()
    assert result.low <= result.value <= result.high
    assert result.citation


def test_without_pandas_a_table_is_a_list(reviews, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    table = measure(reviews, WORDS, "director").table
    assert [row["target"] for row in table] == ["director"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere.vec",), "nowhere.vec: no such file or folder"),
        (
            (3,),
            "subject: must be a path, gensim's vectors, WordVectors, vectors by word, or words and "
            "their array, not int",
        ),
        (((["she"], np.ones((2, 3))),), "words and array: 1 words, but 2 vectors"),
        (((["she", "she"], np.ones((2, 3))),), "words and array: 'she' occurs twice"),
        (((["she", "he"], np.array([["a"], ["b"]])),), "could not convert string to float"),
        (({"a": [1.0], "b": [1.0, 2.0]},), "vectors by word: "),
        (({"she": [1.0], "he": [np.nan]}, PAIR), "the vector of 'he' is not finite"),
        (({"she": [1.0], "he": [10**400]},), "vectors by word: int too large"),
        (({"she": [1.0], "he": [1j]},), "complex or masked numbers"),
        (((["she", "he"], np.ma.masked_equal([[1.0], [2.0]], 2)),), "complex or masked numbers"),
        (({"she": 1.0, "he": 2.0},), "must be words, each with a list of numbers"),
        (({1: [1.0], 2: [2.0]},), "must be words, each with a list of numbers"),
        (([],), "subject: the list is empty"),
        (("HAND", []), "groups: the list is empty"),
        (("HAND", PAIR, "nurse", ""), "measure: there is no measure ''"),
        (("HAND", "gendr"), "no list and no file is called 'gendr'; did you mean 'gender'"),
        (("HAND", "professions"), "groups: professions is a list of targets"),
        (("HAND", {"a": ["she"], "b": "he"}), "b: not a list of words"),
        (("HAND", {"a": ["she"], "b": ["zz"]}), "group b: none of its words has a vector: zz"),
        (
            ("HAND", PAIR, "nurse", "weet"),
            "measure: there is no measure 'weet'; did you mean 'weat'",
        ),
        (
            ("HAND", {"a": ["she", "her"], "b": ["he"]}, "nurse", "direct-bias"),
            "needs pairs of words",
        ),
        (("HAND", {"a": ["she"], "b": ["he"]}, "nurse", "direct-bias"), "fewer than two pairs"),
        (
            (ALIKE, PAIRS, "nurse", "direct-bias"),
            "the vectors of all pairs have the same difference, or none, so there is no direction",
        ),
        (
            (ALIKE, PAIRS, "nurse", "ripa"),
            "groups given: the vectors of all pairs have the same difference, or none",
        ),
    ],
)
def test_errors_are_one_line_that_says_what_to_do(hand, arguments, message):
    subject, *rest = arguments
    arguments = [hand if isinstance(subject, str) and subject == "HAND" else subject, *rest]
    with pytest.raises(UserError) as error:
        measure(*arguments)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"normalize": "summ"}, "normalize: must be one of sum, clipped-sum, softmax"),
        ({"divergence": "l1"}, "divergence: an option of divdist, not of directed"),
        ({"measure": "position", "normalize": "sum"}, "normalize: an option of directed and"),
        ({"measure": "position"}, "only 1 random words: too few to compare the targets with"),
        ({"measure": "weat", "normalize": "sum"}, "normalize: an option of directed and divdist"),
        ({"layer": 3}, "layer: has no effect on vectors"),
        ({"text_key": "body"}, "text-key: has no effect on vectors"),
        ({"level": 95}, "level: must be between 0 and 1, not 95"),
        ({"seed": -1}, "seed: must be a whole number of at least 0, not -1"),
        ({"window": 0}, "window: must be a whole number from 1 to 5, not 0"),
        ({"layer": -1}, "layer: must be a whole number from 0 to 999, not -1"),
    ],
)
def test_options_that_do_not_fit_are_refused(hand, options, message):
    with pytest.raises(UserError, match=message):
        measure(hand, PAIR, "nurse", **options)


TWO = {"a": ["she", "her", "he"], "b": ["his", "him", "they"]}
OPPOSED = {"she": [1, 0], "her": [-1, 0.3], "he": [0.2, 1], "his": [0.1, 1], "him": [1, 0.1],
           "they": [-0.3, 1], "nurse": [1, 1], "pilot": [1, 0.5]}  # fmt: skip


@pytest.mark.parametrize(("name", "low", "high"), [("directed", -0.5, 0.5), ("divdist", 0.0, 2.0)])
def test_intervals_of_shares_stay_within_what_shares_can_be(name, low, high):
    # With some words of a group against a target, resamples have no shares: sums of negative
    # strengths, which are as large as you like.
    found = measure(OPPOSED, TWO, ["nurse", "pilot"], name)
    assert np.nanmax(np.abs(found.draws)) > high
    assert not any(row.note for row in found.rows)
    for each in (found, *found.rows):
        assert low <= each.low <= each.value <= each.high <= high


@pytest.mark.parametrize(
    ("nurse", "options", "has_number"),
    [
        ([-1, 0.05], {}, False),
        ([-1, 0.05], {"association": "inner-product"}, False),
        ([-1, 0.05], {"measure": "divdist"}, False),
        ([-1, 0.05], {"normalize": "softmax"}, True),
        ([-0.5, 1], {"normalize": "clipped-sum"}, True),
        ([-1, -1], {"normalize": "clipped-sum"}, False),  # shares of nothing
        ([0, 0, 1], {}, False),  # at right angles to both groups
        ([-1, 0.05], {"measure": "association"}, True),
    ],
)
def test_a_target_without_a_share_has_no_number(nurse, options, has_number):
    words = {word: [*row, 0][:3] for word, row in (OPPOSED | {"nurse": nurse}).items()}
    result = measure(words, TWO, ["nurse", "pilot"], **{"measure": "directed"} | options)
    row, other = result.rows
    assert np.isnan([row.value, row.low, row.high]).tolist() == [not has_number] * 3
    assert result.notes[0].startswith("use --normalize softmax: 1 of 2 targets") != has_number
    if not has_number:
        assert result.value == other.value
        assert re.search(r"nurse +- ", result.text())


SHE, HE = {"she": [1, 0], "her": [1, 0.1]}, {"he": [0, 1], "his": [0.1, 1]}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"she": [1, 0], "her": [1, 0]}, "^group a: all its 2 words have the same vector"),
        ({"she": [0, 1], "her": [0.1, 1]}, "^groups a and b: the means of their vectors are the"),
        ({"she": [1, 0], "her": [-1, 0]}, "^group a: its vectors cancel each other out"),
    ],
)
def test_vectors_that_tell_nothing_apart_are_refused(changed, message):
    words = {**SHE, **HE, "nurse": [1, 2], "pilot": [2, 1], **changed}
    with pytest.raises(UserError, match=message):
        measure(words, {"a": [*SHE], "b": [*HE]}, ["nurse", "pilot"], "directed")


def test_words_with_one_vector_and_a_user_s_pairs_are_named():
    words = {**SHE, **HE, "him": [2, 2], "hers": [2, 1], "nurse": [1, 0], "pilot": [2, 1]}
    groups = {"a": ["she", "her", "hers"], "b": ["he", "him", "his"]}
    notes = measure(words, groups, ["nurse", "pilot"], "direct-bias").notes
    assert "different words have the same vector: she = nurse, hers = pilot" in notes
    assert "pairs of group words, row by row: she/he, her/him, hers/his" in notes
