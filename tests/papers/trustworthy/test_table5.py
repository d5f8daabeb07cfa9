"""Tables 3 and 5 of Bommasani and Liang 2022 on worlds small enough to work out by hand."""

import json
from math import sqrt

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import spearmanr

from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.trustworthy import table3, table5
from socialbias.papers.trustworthy.inputs import Input, read_embeddings, read_employment
from socialbias.reporting.values import values_table


def vectors(**words):
    return WordVectors(tuple(words), np.array(list(words.values()), dtype=np.float32))


# Means (3, 4) and (4, 3): cosines of (1, 0) are 3/5 and 4/5, of (3, 4) 1 and 24/25, so the female
# shares are 3/7 and 25/49.
WORLD3 = {"f1": (6, 0), "f2": (0, 8), "m1": (8, 0), "m2": (0, 6), "pilot": (1, 0), "nurse": (3, 4)}
LISTS3 = {
    "code": {"female": ["f1", "f2"], "male": ["m1", "m2"]},
    "print": {"female": ["f2", "absent"], "male": ["m1", "m2"]},
}


def table3_of(embeddings, draws=20, seed=1):
    return table3.evidence(embeddings, LISTS3, ["pilot", "nurse", "dancer"], draws, seed)


@pytest.fixture
def evidence3():
    return table3_of({"word2vec": Input(vectors(**WORLD3), "w2v", "subset")})


def observed(table):
    return table[table["draw"] == -1].set_index(["column", "row"])


def test_table3_directed_bias_is_the_female_share_minus_one_half(evidence3):
    bias = observed(evidence3)["bias"].to_dict()
    # f2 alone is (0, 8): cosines of (1, 0) are 0 and 4/5, of (3, 4) 4/5 and 24/25, shares 20/44
    assert bias == pytest.approx(
        {
            ("emb-word2vec@code", "pilot"): 3 / 7 - 1 / 2,
            ("emb-word2vec@code", "nurse"): 25 / 49 - 1 / 2,
            ("emb-word2vec@print", "pilot"): -1 / 2,
            ("emb-word2vec@print", "nurse"): 20 / 44 - 1 / 2,
        }
    )


def test_table3_counts_the_group_words_found_and_asked_for(evidence3):
    cells = observed(evidence3)
    assert cells.loc[("emb-word2vec@code", "pilot"), ["n", "n_of"]].to_list() == [4, 4]
    assert cells.loc[("emb-word2vec@print", "pilot"), ["n", "n_of"]].to_list() == [3, 4]
    assert set(evidence3["sources"]) == {"w2v"}
    assert set(evidence3["fidelity"]) == {"subset"}


def test_table3_resamples_the_words_of_each_group(evidence3):
    draws = evidence3[(evidence3["draw"] >= 0) & (evidence3["column"] == "emb-word2vec@code")]
    assert draws.groupby("row")["draw"].apply(sorted).map(lambda d: d == list(range(20))).all()
    # A resample of two words has the mean (6, 0), (3, 4) or (0, 8); of the other (8, 0), (4, 3)
    # or (0, 6). Their cosines with (3, 4) are 3/5, 1, 4/5 and 3/5, 24/25, 4/5.
    possible = [f / (f + m) - 0.5 for f in (0.6, 1, 0.8) for m in (0.6, 0.96, 0.8)]
    nurse = draws.loc[draws["row"] == "nurse", "bias"]
    assert all(np.isclose(possible, bias).any() for bias in nurse)
    assert nurse.nunique() > 3


def test_table3_leaves_out_what_an_embedding_lacks():
    no_men = {word: v for word, v in WORLD3.items() if word not in ("m1", "m2")}
    no_nurse = {word: v for word, v in WORLD3.items() if word != "nurse"}
    table = table3_of(
        {
            "word2vec": Input(vectors(**no_men), "w2v", "exact"),
            "glove": Input(vectors(**no_nurse), "glv", "substitute"),
        }
    )
    assert set(table["column"]) == {"emb-glove@code", "emb-glove@print"}
    assert set(table["row"]) == {"pilot"}
    assert set(table["fidelity"]) == {"substitute"}


def test_table3_without_an_embedding_is_empty():
    assert table3_of({}).empty
    assert table3.values(table3_of({}), 0.95) == []


def test_table3_leaves_out_an_embedding_without_any_target():
    groups_only = {word: v for word, v in WORLD3.items() if word not in ("pilot", "nurse")}
    assert table3_of({"word2vec": Input(vectors(**groups_only), "w2v", "exact")}).empty


def test_table3_same_seed_same_evidence_and_one_role_does_not_move_another(evidence3):
    world = Input(vectors(**WORLD3), "w2v", "subset")
    again = table3_of({"glove": world, "word2vec": world})
    again = again[again["column"].str.startswith("emb-word2vec")].reset_index(drop=True)
    pd.testing.assert_frame_equal(again, evidence3, check_exact=True)
    other = table3_of({"word2vec": world}, seed=2)
    assert not np.array_equal(other["bias"], evidence3["bias"])


def test_table3_values_have_the_quantiles_of_the_draws():
    said = {
        "column": "emb-word2vec@code",
        "row": "pilot",
        "n": 3,
        "n_of": 4,
        "n_unit": "group words",
    }
    said |= {"sources": "w2v", "fidelity": "subset"}
    biases = [0.25, 0.0, 0.1, 0.2, 0.3, 0.4]  # draw -1 first
    table = pd.DataFrame([said | {"draw": i - 1, "bias": b} for i, b in enumerate(biases)])
    [record] = table3.values(table, level=0.5)
    assert record["value"] == 0.25
    assert record["ci_low"] == pytest.approx(0.1)
    assert record["ci_high"] == pytest.approx(0.3)
    assert (record["n"], record["n_of"], record["n_unit"]) == (3, 4, "group words")
    assert (record["fidelity"], record["sources"]) == ("subset", "w2v")


# The pairs that both words of are known are (7, 9)-(0, 0) and (5, 5)-(4, 4): differences (7, 9) and
# (1, 1), direction (3, 4)/5. `fb` has no partner, and would turn the direction if it got another's.
WORLD5 = {"fa": (7, 9), "fb": (100, 0), "fc": (5, 5), "ma": (0, 0), "mc": (4, 4)}
WORLD5 |= {"clerk": (1, 0), "judge": (0, 1), "nurse": (4, -3), "tailor": (3, 4)}
LISTS5 = {"code": {"female": ["fa", "fb", "fc"], "male": ["ma", "mb", "mc"]}}
GENDER = pd.DataFrame(
    {"female": [0.5, 0.75, 1.0, 0.1, 0.2], "male": [0.5, 0.25, 0.0, 0.9, 0.8]},
    index=["clerk", "judge", "nurse", "tailor", "unknown"],
)
EMPLOYMENT = {"clerk": 0.0, "judge": 0.5, "nurse": 1.0, "tailor": 0.8}
RACE = {"white": ["wa"], "hispanic": ["ha", "absent"], "asian": ["aa"]}
SURNAMES = {"wa": (6, 8), "ha": (8, 6), "aa": (5, 0), "clerk": (3, 4)}
RACE_SHARES = pd.DataFrame(
    [[0.5, 0.375, 0.125], [1, 0, 0]], index=["clerk", "judge"], columns=list(RACE)
)


@pytest.fixture
def embeddings():
    return {"word2vec": Input(vectors(**WORLD5), "w2v", "subset")}


@pytest.fixture
def shares():
    return {"gender": Input(GENDER, "census", "exact")}


def table5_of(embeddings, shares):
    return table5.evidence(embeddings, shares, LISTS5, RACE)


def biases(table, row):
    return table[table["row"] == row].set_index("profession")["bias"].to_dict()


def test_table5_pairs_are_dropped_together(embeddings, shares):
    table = table5_of(embeddings, shares)
    expected = {"clerk": 0.6, "judge": 0.8, "nurse": 0.0, "tailor": 1.0}
    assert biases(table, "bolukbasi") == pytest.approx(expected, abs=1e-12)
    expected = {"clerk": 0.6, "judge": 0.8, "nurse": 0.0, "tailor": 5.0}
    assert biases(table, "ethayarajh") == pytest.approx(expected, abs=1e-12)


def test_table5_measures_without_pairs_take_every_known_word(embeddings, shares):
    table = table5_of(embeddings, shares)
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


def test_table5_sets_employment_beside_each_known_profession(embeddings, shares):
    table = table5_of(embeddings, shares)
    assert set(table["column"]) == {"contemporary-gender@code"}
    assert set(table["row"]) == set(table5.MEASURES)
    for _, part in table.groupby("row"):
        got = part.set_index("profession")["employment_bias"].to_dict()
        assert got == pytest.approx(EMPLOYMENT)
    assert set(table["n_of"]) == {5}


def test_table5_words_that_glove_lacks_are_dropped_everywhere(embeddings, shares):
    lacking = {word: (9, 9) for word in WORLD5 if word not in ("tailor", "fb")}
    glove = Input(vectors(**lacking), "glv", "substitute")
    table = table5_of(embeddings | {"glove": glove}, shares)
    assert set(table["profession"]) == {"clerk", "judge", "nurse"}
    # without fb: 7/sqrt(130) and 1/sqrt(2); the numbers are word2vec's
    women, men = (7 / sqrt(130) + 1 / sqrt(2)) / 2, 1 / sqrt(2) / 2
    assert biases(table, "caliskan")["clerk"] == pytest.approx(women - men)
    assert set(table["sources"]) == {"census;glv;w2v"}
    assert set(table["fidelity"]) == {"subset"}  # GloVe's own numbers enter nowhere


def test_table5_fidelity_is_that_of_the_worse_input(embeddings):
    table = table5_of(embeddings, {"gender": Input(GENDER, "labour", "substitute")})
    assert set(table["fidelity"]) == {"substitute"}
    assert set(table["sources"]) == {"labour;w2v"}


def test_table5_race_is_measured_by_the_vectors_with_surnames(embeddings, shares):
    shares = shares | {"race": Input(RACE_SHARES, "census-race", "exact")}
    assert set(table5_of(embeddings, shares)["column"]) == {"contemporary-gender@code"}
    surnames = {"word2vec_surnames": Input(vectors(**SURNAMES), "names", "exact")}
    table = table5_of(embeddings | surnames, shares)
    race = table[table["column"] == "contemporary-race"]
    assert set(race["row"]) == {"manzini", "divdist"}
    # Cosines of (3, 4) with (6, 8), (8, 6) and (5, 0): 1, 24/25, 3/5, sum 64/25
    assert biases(race, "manzini") == pytest.approx({"clerk": 64 / 75})
    # shares (25, 24, 15)/64 from 1/3: (11 + 8 + 19)/192
    assert biases(race, "divdist") == pytest.approx({"clerk": 38 / 192})
    assert race["employment_bias"].tolist() == pytest.approx([10 / 24] * 2)
    assert set(race["sources"]) == {"census-race;names"}
    assert set(race["fidelity"]) == {"exact"}


@pytest.mark.parametrize("absent", [("ma", "mc"), ("clerk", "judge", "nurse", "tailor")])
def test_table5_leaves_out_a_column_without_a_group_or_a_profession(shares, absent):
    rest = {word: v for word, v in WORLD5.items() if word not in absent}
    assert table5_of({"word2vec": Input(vectors(**rest), "w2v", "exact")}, shares).empty


def test_table5_with_one_pair_leaves_out_the_measures_on_pairs(shares):
    rest = {word: v for word, v in WORLD5.items() if word != "mc"}
    table = table5_of({"word2vec": Input(vectors(**rest), "w2v", "exact")}, shares)
    assert set(table5.MEASURES) - set(table["row"]) == {"bolukbasi", "ethayarajh"}


def test_table5_without_inputs_is_empty(embeddings, shares):
    assert table5_of({}, shares).empty
    assert table5_of(embeddings, {}).empty
    assert table5.values(table5_of({}, {}), 100, 0.95, 1) == []


def test_table5_values_are_spearmans_correlation_over_professions(embeddings, shares):
    table = table5_of(embeddings, shares)
    records = {r["row"]: r for r in table5.values(table, 200, 0.95, 1)}
    assert set(records) == set(table5.MEASURES)
    for row, record in records.items():
        part = table[table["row"] == row]
        oracle = spearmanr(part["bias"], part["employment_bias"])
        assert record["value"] == pytest.approx(oracle.statistic)
        assert np.isnan([record["ci_low"], record["ci_high"]]).all()  # four are too few
        assert (record["n"], record["n_of"], record["n_unit"]) == (4, 5, "professions")
        assert (record["fidelity"], record["sources"]) == ("subset", "census;w2v")
    # bolukbasi .6 .8 0 1 beside 0 .5 1 .8: ranks 2 3 1 4 and 1 2 4 3, 1 - 6 * 12 / 60
    assert records["bolukbasi"]["value"] == pytest.approx(-0.2)
    # Of the 24 orders of four, two have 0 and all others at least 0.2 in magnitude.
    assert records["bolukbasi"]["p_value"] == pytest.approx(22 / 24)
    assert table5.values(table, 200, 0.95, 1) == list(records.values())


def test_table5_with_two_professions_still_makes_a_table_of_values(shares):
    rest = {word: v for word, v in WORLD5.items() if word not in ("nurse", "tailor")}
    table = table5_of({"word2vec": Input(vectors(**rest), "w2v", "exact")}, shares)
    records = table5.values(table, 200, 0.95, 1)
    values_table("table5", [{"note": ""} | record for record in records], 1)


def test_inputs_are_read_with_their_source_and_fidelity(tmp_path):
    vectors(**WORLD5).save(tmp_path)
    said = {"source": "w2v", "fidelity": "subset"}
    (tmp_path / "info.json").write_text(json.dumps(said))
    (tmp_path / "a.tsv").write_text("occupation\tbls_pct_female\nclerk\t60\n")
    manifest = said | {"source": "labour", "format": "winogender", "files": [{"path": "a.tsv"}]}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    got = read_embeddings({"word2vec": str(tmp_path / "info.json"), "other": "x"})
    assert list(got) == ["word2vec"]
    assert (got["word2vec"].source, got["word2vec"].fidelity) == ("w2v", "subset")
    assert got["word2vec"].data.words == tuple(WORLD5)
    inputs = {"census_gender": str(tmp_path / "manifest.json")}
    got = read_employment(inputs, 2010, {"census_gender": "substitute"})
    assert list(got) == ["gender"]
    assert (got["gender"].source, got["gender"].fidelity) == ("labour", "substitute")
    assert_allclose(got["gender"].data, [[0.6, 0.4]])
