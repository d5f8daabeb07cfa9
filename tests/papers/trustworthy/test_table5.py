"""Table 5 on a world small enough to work out by hand."""

from math import sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.divdist import negative_note
from socialbias.papers.trustworthy import table5
from socialbias.papers.trustworthy.table5 import TABLE5
from tests.worlds import job_with, summarised, vectors

pytestmark = pytest.mark.usefixtures("few_halves")


# The pairs that both words of are known are (7, 9)-(0, 0) and (5, 5)-(4, 4): differences (7, 9) and
# (1, 1), direction (3, 4)/5. `fb` has no partner, and would turn the direction if it got another's.
WORLD5 = {"fa": (7, 9), "fb": (100, 0), "fc": (5, 5), "ma": (0, 0), "mc": (4, 4)}
WORLD5 |= {"clerk": (1, 0), "judge": (0, 1), "nurse": (4, -3), "tailor": (3, 4)}
GENDER5 = {"female": ["fa", "fb", "fc"], "male": ["ma", "mb", "mc"]}
GENDER = pd.DataFrame(
    {"female": [0.5, 0.75, 1.0, 0.1, 0.2], "male": [0.5, 0.25, 0.0, 0.9, 0.8]},
    index=["clerk", "judge", "nurse", "tailor", "unknown"],
)
EMPLOYMENT = {"clerk": 0.0, "judge": 0.5, "nurse": 1.0, "tailor": 0.8}
RACE = {"white": ["wa"], "hispanic": ["ha", "absent"], "asian": ["aa"]}
LISTS5 = {"gender@code": GENDER5, "race": RACE}
SHARES5 = {"gender": GENDER}
SURNAMES = {"wa": (6, 8), "ha": (8, 6), "aa": (5, 0), "clerk": (3, 4)}
RACE_SHARES = pd.DataFrame(
    [[0.5, 0.375, 0.125], [1, 0, 0]], index=["clerk", "judge"], columns=list(RACE)
)


def table5_of(words=WORLD5, lacking=(), glove=None, shares=SHARES5):
    """Evidence of word2vec, and of GloVe beside it if it is given."""
    known = {word: v for word, v in words.items() if word not in lacking}
    others = {"glove": vectors(**glove)} if glove else {}
    return table5.evidence({"word2vec": vectors(**known)} | others, shares, LISTS5, 0.95)


def biases(table, row):
    return table[table["row"] == row].set_index("unit")["bias"].to_dict()


def test_table5_pairs_are_dropped_together():
    table = table5_of()
    expected = {"clerk": 0.6, "judge": 0.8, "nurse": 0.0, "tailor": 1.0}
    assert biases(table, "bolukbasi") == pytest.approx(expected, abs=1e-12)
    expected = {"clerk": 0.6, "judge": 0.8, "nurse": 0.0, "tailor": 5.0}
    assert biases(table, "ethayarajh") == pytest.approx(expected, abs=1e-12)


def test_table5_without_centring_the_direction_is_another():
    table = table5_of()
    # Differences (7, 9) and (1, 1): products 50, 64, 64, 82, whose larger eigenvalue is
    # 66 + sqrt(66^2 - 4), along (64, that less 50).
    x, y = 64, 16 + sqrt(66**2 - 4)
    expected = {"clerk": x, "judge": y, "nurse": abs(4 * x - 3 * y), "tailor": 3 * x + 4 * y}
    expected = {job: bias / sqrt(x**2 + y**2) for job, bias in expected.items()}
    assert biases(table, "ethayarajh-uncentred") == pytest.approx(expected, abs=1e-6)
    shorter = expected | {job: expected[job] / 5 for job in ("nurse", "tailor")}
    assert biases(table, "bolukbasi-uncentred") == pytest.approx(shorter, abs=1e-6)


def test_table5_says_where_two_measures_are_one():
    def notes(scale):
        unit = {word: np.divide(v, scale * np.linalg.norm(v)) for word, v in WORLD5.items()
                if word not in ("fa", "ma")}  # fmt: skip
        rest = {"fa": (0.6, 0.8), "ma": (1, 0), "dean": (scale, 0)}
        table = table5_of(unit | rest)
        return {r["row"]: r["note"] for r in summarised(table5, table) if r["note"]}

    assert notes(1) == dict.fromkeys(
        ("ethayarajh", "ethayarajh-uncentred"), table5.SAME_AS_BOLUKBASI
    )
    assert notes(2) == {}


def test_table5_says_how_much_negative_associations_carry():
    # Means (6, 7) and (2, 2): (4, -3) is 3 and 2 along them, (3, -4) is -10 and -2.
    table = table5_of(WORLD5 | {"judge": (3, -4)}, lacking=["fb"])
    negative = table.groupby("row")["negative"].sum().to_dict()
    assert negative == dict.fromkeys(TABLE5, 0) | {"divdist": 1}
    result = biases(table, "divdist")
    share = result["judge"] / sum(result.values())
    notes = {r["row"]: r["note"] for r in summarised(table5, table)}
    expected = "a negative association in 1 of 4 professions, which carry"
    assert notes["divdist"] == f"{expected} {share:.0%} of the mean magnitude"
    assert not any("negative" in note for row, note in notes.items() if row != "divdist")


def test_the_note_on_negative_associations_counts_magnitudes():
    flagged, biases = [True, False, True], [-1.0, 6.0, 1.0]
    assert negative_note(flagged, biases, "targets") == (
        "a negative association in 2 of 3 targets, which carry 25% of the mean magnitude"
    )
    assert negative_note([False] * 3, biases, "targets") == ""
    assert negative_note([], [], "targets") == ""
    assert "carry 0% of" in negative_note([True], [0.0], "targets")


def test_table5_measures_without_pairs_take_every_known_word():
    table = table5_of()
    # Cosines of (1, 0): 7/sqrt(130), 1, 1/sqrt(2) with the women, 0, 1/sqrt(2) with the men.
    women, men = (7 / sqrt(130) + 1 + 1 / sqrt(2)) / 3, (0 + 1 / sqrt(2)) / 2
    assert biases(table, "caliskan")["clerk"] == pytest.approx(women - men)
    assert biases(table, "manzini")["clerk"] == pytest.approx((women * 3 + men * 2) / 5)
    # Means (112, 14)/3 and (2, 2): distances from (0, 1)
    far, near = sqrt((112 / 3) ** 2 + (11 / 3) ** 2), sqrt(4 + 1)
    assert biases(table, "garg-euclidean")["judge"] == pytest.approx(far - near)
    # Cosines of (1, 0) with the means: 8/sqrt(65) and 1/sqrt(2)
    assert biases(table, "garg-cosine")["clerk"] == pytest.approx(8 / sqrt(65) - 1 / sqrt(2))
    share = (8 / sqrt(65)) / (8 / sqrt(65) + 1 / sqrt(2))
    assert biases(table, "divdist")["clerk"] == pytest.approx(2 * (share - 0.5))


def test_table5_sets_employment_beside_each_known_profession():
    table = table5_of()
    assert set(table["column"]) == {"contemporary-gender@code"}
    assert set(table["row"]) == set(TABLE5)
    for _, part in table.groupby("row"):
        got = part.set_index("unit")["employment_bias"].to_dict()
        assert got == pytest.approx(EMPLOYMENT)
    assert set(table["n_of"]) == {5}


def test_table5_words_that_glove_lacks_are_dropped_everywhere():
    known = {word: (9, 9) for word in WORLD5 if word not in ("tailor", "fb")}
    table = table5_of(glove=known)
    assert set(table["unit"]) == {"clerk", "judge", "nurse"}
    # without fb: 7/sqrt(130) and 1/sqrt(2); the numbers are word2vec's
    women, men = (7 / sqrt(130) + 1 / sqrt(2)) / 2, 1 / sqrt(2) / 2
    assert biases(table, "caliskan")["clerk"] == pytest.approx(women - men)


def test_table5_race_is_measured_by_vectors_with_surnames():
    shares = SHARES5 | {"race": RACE_SHARES}
    assert set(table5_of(shares=shares)["column"]) == {"contemporary-gender@code"}
    table = table5_of(SURNAMES, shares=shares)
    race = table[table["column"] == "contemporary-race"]
    assert set(race["row"]) == {"manzini", "divdist"}
    # Cosines of (3, 4) with (6, 8), (8, 6) and (5, 0): 1, 24/25, 3/5, sum 64/25
    assert biases(race, "manzini") == pytest.approx({"clerk": 64 / 75})
    # shares (25, 24, 15)/64 from 1/3: (11 + 8 + 19)/192
    assert biases(race, "divdist") == pytest.approx({"clerk": 38 / 192})
    assert race["employment_bias"].tolist() == pytest.approx([10 / 24] * 2)


def test_table5_is_whole_where_it_has_every_word_that_all_vectors_have():
    words = WORLD5 | {"mb": (1, 2)}
    unit = {word: np.array(v) / max(np.hypot(*v), 1e-9) for word, v in words.items()}
    cases = [(words, None, False)]  # no `unknown`
    cases += [(words, WORLD5, False)]  # glove lacks mb, which is not measured, too
    cases += [(words, words, True), (unit | {"ma": (1, 0)}, words, False)]
    for space, glove, expected in cases:
        assert set(table5_of(space, glove=glove)["whole"]) == {expected}


def test_table5_values_are_spearmans_correlation_over_professions():
    table = table5_of()
    records = {r["row"]: r for r in summarised(table5, table)}
    assert set(records) == set(TABLE5)
    for row, record in records.items():
        part = table[table["row"] == row]
        oracle = spearmanr(part["bias"], part["employment_bias"])
        assert record["value"] == pytest.approx(oracle.statistic)
        assert np.isnan([record["ci_low"], record["ci_high"]]).all()  # four are too few
        assert (record["n"], record["n_of"], record["n_unit"]) == (4, 5, "professions")
    # bolukbasi .6 .8 0 1 beside 0 .5 1 .8: ranks 2 3 1 4 and 1 2 4 3, 1 - 6 * 12 / 60
    assert records["bolukbasi"]["value"] == pytest.approx(-0.2)
    # Of the 24 orders of four, two have 0 and all others at least 0.2 in magnitude.
    assert records["bolukbasi"]["p_value"] == pytest.approx(22 / 24)


def test_means_by_decade_have_the_reliability_of_their_group_words(monkeypatch):
    rng = np.random.default_rng(2)
    groups = {g: [f"{g}{i}" for i in range(8)] for g in ("female", "male")}
    jobs = [f"job{i}" for i in range(6)]
    decades, shares = {}, {}
    for year in range(1900, 2000, 10):  # a drift that all words of a group tell alike
        lean = (year - 1950) / 100
        poles = {"female": [1, lean, 3], "male": [-1, -lean, 3]}
        words = {
            w: np.add(poles[g], 0.02 * rng.standard_normal(3)) for g in groups for w in groups[g]
        }
        words |= {job: np.array([0.1, 1, 3]) + 0.02 * rng.standard_normal(3) for job in jobs}
        data = WordVectors(tuple(words), np.array(list(words.values())))
        decades[year] = data
        women = pd.DataFrame({"female": 0.5 + lean / 2, "male": 0.5 - lean / 2}, index=jobs)
        shares[year] = {"gender": women}
    monkeypatch.setattr(table5, "read_decades", lambda _: decades)
    monkeypatch.setattr(table5, "read_employment", lambda _, year: shares[year])
    monkeypatch.setattr(table5, "group_lists", lambda _: {"gender@appendix": groups})
    table = table5.measure_diachronic(job_with())
    result = table.groupby("row")["reliability"].first()
    assert result["divdist"] > 0.9
    [cell] = [r for r in table5.diachronic_values(table, 0.95, 1) if r["row"] == "divdist"]
    assert cell["reliability"] == result["divdist"]
    assert cell["ceiling"] == pytest.approx(np.sqrt(result["divdist"]))


@pytest.mark.parametrize(
    ("lacking", "left_out"),
    [
        (("ma", "mc"), set(TABLE5)),
        (("clerk", "judge", "nurse", "tailor"), set(TABLE5)),
        (("mc",), set(TABLE5)),  # one man of three is less than half
        (("fa",), {name for name, measure in TABLE5.items() if measure.pairs}),  # one pair is left
    ],
)
def test_table5_leaves_out_what_lacks_its_words(lacking, left_out):
    assert set(TABLE5) - set(table5_of(lacking=lacking)["row"]) == left_out


def test_table5_leaves_out_what_has_no_direction_or_no_input():
    alike = {"fa": (7, 9), "fc": (5, 5), "ma": (6, 8), "mc": (4, 4)}  # equal differences
    records = summarised(table5, table5_of(WORLD5 | alike, lacking=["fb"]))
    assert set(TABLE5) - {r["row"] for r in records} == {"bolukbasi", "ethayarajh"}
    assert table5_of(shares={}).empty
    assert summarised(table5, table5.evidence({}, SHARES5, LISTS5, 0.95)) == []
