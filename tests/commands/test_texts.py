"""`measure` on corpora: by hand, and every form of them."""

import unicodedata

import numpy as np
import pytest

from socialbias import compare, measure
from socialbias.commands.measure_corpus import Scan, prepare_corpus
from socialbias.commands.settings import Question, Resampling
from socialbias.commands.subjects import open_subject
from socialbias.embeddings.words.lists import WordLists
from socialbias.errors import UserError
from socialbias.measurement.instruments import instrument
from socialbias.measurement.texts import counts_of_lists, mean_of_counts

GROUPS = {"female": ["she"], "male": ["he"]}
# Each sentence has at least five tokens, and all three of a document make its only context.
HER = ["The nurse came in at noon .", "Then she went home again .", "It rained all day long ."]
HIS = ["The nurse came in at noon .", "Then he went home again .", "It rained all day long ."]
BOTH = ["The nurse came in at noon .", "Then he and she went home .", "It rained all day long ."]
PILOT = ["A pilot flew over the sea .", "He saw a ship down there .", "It rained all day long ."]
DOCUMENTS = [HER] * 6 + [HIS] * 2 + [BOTH] * 3 + [PILOT] * 4


@pytest.fixture
def corpus(tmp_path):
    """A paragraph a document."""
    path = tmp_path / "corpus.txt"
    path.write_text("\n\n".join(" ".join(sentences) for sentences in DOCUMENTS) + "\n")
    return path


def test_shares_by_hand(corpus):
    # Of the nurse's eleven documents three have words of both groups, and six of the others she.
    result = measure(corpus, GROUPS, "nurse,pilot,doctor")
    rows = {row.target: row for row in result.rows}
    assert rows["nurse"].value == pytest.approx(6 / 8 - 1 / 2)
    assert rows["pilot"].value == -0.5
    assert (rows["nurse"].n, rows["pilot"].n) == (8, 4)
    assert rows["nurse"].low < 0.25 < rows["nurse"].high
    assert rows["nurse"].note == "only 8 contexts; 20 are needed"
    assert result.missing == {"targets": ["doctor"]}
    assert np.isnan(result.value)  # no target has enough
    assert result.provenance[0]["documents"] == 15
    assert "only 15 documents: intervals over fewer than 30 are unreliable" in result.notes
    magnitude = measure(corpus, GROUPS, "nurse", "divdist")
    assert magnitude.rows[0].value == pytest.approx(2 * (6 / 8 - 1 / 2))


def test_many_lists_are_counted_in_one_scan(corpus):
    lists = [[["she"], ["he"]], [["he"], ["she"]], [["she", "he"], ["rained"]], [["no"], ["ship"]]]
    with prepare_corpus(open_subject(corpus), None, None) as ids:
        counts = counts_of_lists(ids, lists, ["nurse", "pilot", "doctor"])
    assert counts.shape == (4, 3, 2)
    assert counts[0].tolist() == [[6, 2], [0, 4], [0, 0]]
    assert counts[1].tolist() == [[2, 6], [4, 0], [0, 0]]  # a word's group is that of its list
    assert counts[2].tolist() == [[0, 0], [0, 0], [0, 0]]  # it rained everywhere: never alone
    assert counts[3].tolist() == [[0, 0], [0, 4], [0, 0]]
    often = 10 * counts[0]
    assert mean_of_counts(often, instrument("directed", 2)) == pytest.approx((1 / 4 - 1 / 2) / 2)
    assert np.isnan(mean_of_counts(counts[0], instrument("directed", 2)))


@pytest.mark.parametrize("name", ["directed", "divdist"])
def test_some_targets_of_a_scan_are_as_if_alone(corpus, name):
    groups = WordLists("groups", "groups", {key: tuple(words) for key, words in GROUPS.items()})
    some, more = (WordLists("t", "targets", {"": w}) for w in (("pilot", "no"), ("nurse", "pilot")))
    chosen, resampling = instrument(name, 2), Resampling(seed=1)
    with prepare_corpus(open_subject(corpus), None, None) as ids:
        alone, _ = Scan(ids, "c", Question(groups, some, chosen, resampling)).result(some, chosen)
        scan = Scan(ids, "c", Question(groups, more, chosen, resampling))
        found, _ = scan.result(some, chosen)
        with pytest.raises(UserError, match="c: no target word occurs near a group word"):
            scan.result(WordLists("t", "targets", {"": ("xyzzy",)}), chosen)
    assert found.as_dict() == alone.as_dict()
    assert np.array_equal(found.draws, alone.draws)


def written(path, rng, share, documents=400, both=False):
    """Documents of ten targets, each as often, a share of which has she, or of five targets he."""
    targets = [f"job{i}" for i in "abcdefghij"]
    lines = []
    for i in range(documents):
        one, other = ("she", "he") if not both or i % 2 else ("he", "she")
        who = one if rng.uniform() < share else other
        one = f"The {targets[i % 10]} came in at noon . Then {who} went home again ."
        lines.append(f"{one} It rained all day long .")
    path.write_text("\n".join(lines) + "\n")
    return path, targets


def test_of_three_groups_shares_are_against_a_third(corpus):
    groups = GROUPS | {"rain": ["rained"]}
    with pytest.raises(UserError, match="no target word occurs near a group word"):
        measure(corpus, groups, "nurse")  # it rains in every document
    result = measure(corpus, GROUPS | {"ship": ["ship"]}, "nurse", "directed")
    assert result.rows[0].value == pytest.approx(6 / 8 - 1 / 3)
    (row,) = measure(corpus, GROUPS | {"ship": ["ship"]}, "nurse").rows
    assert row.value == pytest.approx((3 / 4 - 1 / 3) + (1 / 3 - 1 / 4) + 1 / 3)


def test_a_text_with_more_bias_is_worse(tmp_path):
    rng = np.random.default_rng(1)
    fair, targets = written(tmp_path / "fair.txt", rng, 0.5)
    unfair, _ = written(tmp_path / "unfair.txt", rng, 0.95, both=True)
    assert compare(fair, unfair, GROUPS, targets).verdict == "worse"
    assert compare(unfair, fair, GROUPS, targets, margin=1).verdict == "no worse"
    assert compare(fair, fair, GROUPS, targets, margin=0.1).verdict == "no worse"
    # More women beside every target and beside every other word: a base rate, and no bias.
    women, _ = written(tmp_path / "women.txt", rng, 0.8)
    assert compare(fair, women, GROUPS, targets).verdict == "cannot tell"


ACCENTED = "\n".join(f"The nurse said that {['élève', 'he'][i % 2]} left {i}." for i in range(60))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ACCENTED, None),
        (unicodedata.normalize("NFD", ACCENTED), None),
        (unicodedata.normalize("NFD", ACCENTED), "fr"),
        (ACCENTED.replace("nurse", "nu\u00adrse"), None),
        (ACCENTED.replace("nurse", "nu\u200drse\u200e"), None),
        (ACCENTED.replace("\n", "\r"), None),
        (ACCENTED.replace("\n", "\r\n"), None),
    ],
)
def test_accents_invisible_characters_and_line_ends_change_no_number(tmp_path, text, language):
    path = tmp_path / "corpus.txt"
    path.write_bytes(text.encode())
    groups = {"a": ["élève", "Mädchen"], "b": ["he"]}
    result = measure(path, groups, "nurse", language=language)
    assert [(row.value, row.n) for row in result.rows] == [(0.0, 60)]
    assert result.missing == {"a": ["Mädchen"]}
    assert not any("accents" in note for note in result.notes)


@pytest.mark.parametrize(
    ("language", "groups", "target"),
    [("fa", ["خانم‌ها", "آقایان"], "می‌شود"), ("hi", ["महिला", "आदमी"], "नर्स")],
)
def test_joiners_and_vowel_signs_are_spelling(tmp_path, language, groups, target):
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(f"a {groups[i % 2]} b {target} c {i} ." for i in range(60)), "utf-8")
    one, other = groups
    result = measure(path, {"a": [one], "b": [other]}, [target], language=language)
    assert [(row.value, row.n) for row in result.rows] == [(0.0, 60)]
    assert not result.missing
