"""Table 3 on a world small enough to work out by hand."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from socialbias.papers.trustworthy import table3
from tests.worlds import vectors

# Means (3, 4) and (4, 3): cosines of (1, 0) are 3/5 and 4/5, of (3, 4) 1 and 24/25, so the female
# shares are 3/7 and 25/49.
WORLD3 = {"f1": (6, 0), "f2": (0, 8), "m1": (8, 0), "m2": (0, 6), "pilot": (1, 0), "nurse": (3, 4)}
LISTS3 = {
    "code": {"female": ["f1", "f2"], "male": ["m1", "m2"]},
    "print": {"female": ["f2", "absent"], "male": ["m1", "m2"]},
}


def table3_of(embeddings, draws=20, seed=1):
    return table3.evidence(embeddings, LISTS3, ["pilot", "nurse", "dancer"], draws, seed, 0.95)


@pytest.fixture
def evidence3():
    return table3_of({"word2vec": vectors(**WORLD3)})


def observed(table):
    return table[table["unit"] == -1].set_index(["column", "row"])


def test_table3_directed_bias_is_the_female_share_minus_one_half(evidence3):
    cells = observed(evidence3)
    bias = cells["bias"].to_dict()
    for variant, counted in (("code", [4, 4]), ("print", [3, 4])):  # group words
        at = (f"emb-word2vec@{variant}", "pilot")
        assert cells.loc[at, ["n", "n_of"]].to_list() == counted
        assert cells.loc[at, "whole"] == (counted == [4, 4])  # a larger vocabulary adds nothing
    # f2 alone is (0, 8): cosines of (1, 0) are 0 and 4/5, of (3, 4) 4/5 and 24/25, shares 20/44
    assert bias == pytest.approx(
        {
            ("emb-word2vec@code", "pilot"): 3 / 7 - 1 / 2,
            ("emb-word2vec@code", "nurse"): 25 / 49 - 1 / 2,
            ("emb-word2vec@clipped-sum", "pilot"): 3 / 7 - 1 / 2,
            ("emb-word2vec@clipped-sum", "nurse"): 25 / 49 - 1 / 2,
            ("emb-word2vec@print", "pilot"): -1 / 2,
            ("emb-word2vec@print", "nurse"): 20 / 44 - 1 / 2,
        }
    )


def test_table3_resamples_the_words_of_each_group(evidence3):
    draws = evidence3[(evidence3["unit"] >= 0) & (evidence3["column"] == "emb-word2vec@code")]
    assert draws.groupby("row")["unit"].apply(sorted).map(lambda d: d == list(range(20))).all()
    # A resample of two words has the mean (6, 0), (3, 4) or (0, 8); of the other (8, 0), (4, 3)
    # or (0, 6). Their cosines with (3, 4) are 3/5, 1, 4/5 and 3/5, 24/25, 4/5.
    possible = [f / (f + m) - 0.5 for f in (0.6, 1, 0.8) for m in (0.6, 0.96, 0.8)]
    nurse = draws.loc[draws["row"] == "nurse", "bias"]
    assert all(np.isclose(possible, bias).any() for bias in nurse)
    assert nurse.nunique() > 3


def test_table3_leaves_out_what_an_embedding_lacks(evidence3):
    def known(*lacking):
        return vectors(**{word: v for word, v in WORLD3.items() if word not in lacking})

    table = table3_of({"word2vec": known("m1", "m2"), "glove": known("nurse")})
    variants = ("code", "print", "clipped-sum")
    assert set(table["column"]) == {f"emb-glove@{variant}" for variant in variants}
    assert set(table["row"]) == {"pilot"}
    for nothing in (table3_of({}), table3_of({"word2vec": known("pilot", "nurse")})):
        assert list(table3.values(nothing, 0.95)) == []
    assert list(table3.placebo_values(evidence3)) == []  # without random words


def test_table3_same_seed_same_evidence_and_one_role_does_not_move_another(evidence3):
    world = vectors(**WORLD3)
    again = table3_of({"glove": world, "word2vec": world})
    again = again[again["column"].str.startswith("emb-word2vec")].reset_index(drop=True)
    pd.testing.assert_frame_equal(again, evidence3, check_exact=True)
    other = table3_of({"word2vec": world}, seed=2)
    assert not np.array_equal(other["bias"], evidence3["bias"])


def test_table3_values_have_the_widened_quantiles_of_the_draws():
    cell = {"column": "emb-word2vec@code", "row": "pilot", "n": 16, "n_of": 20}
    cell |= {"n_unit": "group words", "negative": False, "reliability": 0.5}
    biases = [0.25, 0.0, 0.1, 0.2, 0.3, 0.4]  # draw -1 first
    table = pd.DataFrame([cell | {"unit": i - 1, "bias": b} for i, b in enumerate(biases)])
    [record] = table3.values(table, level=0.5)
    assert record["value"] == 0.25
    # Eight words a group: t's quantile at 14 degrees of freedom over the normal one, root of 8/7.
    stretch = 2.144787 / 1.959964 * np.sqrt(8 / 7)
    assert record["ci_low"] == pytest.approx(0.25 - stretch * 0.15)
    assert record["ci_high"] == pytest.approx(0.25 + stretch * 0.05)
    # What reliability is computed from is not stretched; that of halved words is kept.
    assert record["reliability"] == 0.5
    assert record["replicates"].tolist() == biases[1:]
    assert (record["n"], record["n_of"], record["n_unit"]) == (16, 20, "group words")


# Means (3, 4) and (4, 3): cosines of (4, -3.5) have different signs, of (-3, -4) both are negative.
SIGNS3 = WORLD3 | {"pilot": (4, -3.5), "nurse": (-3, -4), "dancer": (1, 1)}


def test_table3_says_on_the_strengths_where_there_are_no_shares():
    table = table3_of({"word2vec": vectors(**SIGNS3)}, draws=50)
    records = {(r["column"].split("@")[1], r["row"]): r for r in table3.values(table, 0.95)}
    # Strengths -2 and 5.5, divided by their sum; -1 and -24/25, which look like shares.
    assert records["code", "pilot"]["value"] == pytest.approx(-2 / 3.5 - 0.5)
    assert records["code", "nurse"]["value"] == pytest.approx(25 / 49 - 0.5)
    assert records["code", "pilot"]["note"] == records["code", "nurse"]["note"] == table3.NEGATIVE
    assert records["clipped-sum", "pilot"]["value"] == -0.5
    assert records["clipped-sum", "nurse"]["value"] == 0
    # (1, 1) has positive cosines with every resample.
    for row in ("dancer", "pilot", "nurse"):
        assert records["clipped-sum", row]["note"] == ""
    assert records["code", "dancer"]["note"] == ""


def test_table3_says_where_only_resamples_have_no_shares():
    # (5, -1) leans to both means, but away from (0, 8) and (0, 6), a quarter of all resamples each.
    space = SIGNS3 | {"dancer": (5, -1)}
    table = table3_of({"word2vec": vectors(**space)}, draws=400)
    records = {(r["column"], r["row"]): r for r in table3.values(table, 0.95)}
    words = records["emb-word2vec@code", "dancer"]["note"].split()
    assert (words[0], words[2:4]) == ("in", ["of", "the"])
    share = float(words[1].rstrip("%")) / 100
    assert share == pytest.approx(7 / 16, abs=4 * (7 * 9 / 256 / 400) ** 0.5)


# A world in which every word has the first coordinate, so that no association is negative, and the
# second tells women from men.
PLAIN = ["".join(letters) for letters in product("abcdefgh", repeat=3)]  # 512 words


def world(**more):
    """Word vectors (512 random words, most frequent first, with groups and targets among them)."""
    rng = np.random.default_rng(5)

    def at(gender, n):
        own = rng.normal(0, 0.1, (n, 12))
        own[:, 0] += 1
        own[:, 1] += gender
        return own

    words = dict(zip(PLAIN, at(0.05, len(PLAIN)), strict=True))
    for group, sign in (("female", 1), ("male", -1)):
        words |= zip(GENDERED[group], at(0.4 * sign, 6), strict=True)
    words |= {"nurse": at(0.6, 1)[0], "pilot": at(0.05, 1)[0]}
    return vectors(**words, **more)


GENDERED = {group: [group + letter for letter in "abcdef"] for group in ("female", "male")}
LISTED = {*GENDERED["female"], *GENDERED["male"], "nurse", "pilot", "dancer"}


def placebo_of(embedding, listed=LISTED):
    lists = {"code": GENDERED}
    targets = ["pilot", "nurse", "dancer"]
    table = table3.evidence({"word2vec": embedding}, lists, targets, 20, 1, 0.95, listed)
    records = table3.placebo_values(table)
    return table, {(r["column"].partition(";")[2], r["row"]): r for r in records}


def shares_of(data, words, groups):
    """Female share minus one half, one word at a time."""
    result = []
    for word in words:
        vector = data.rows([word])[0]
        female, male = (
            vector @ mean / np.linalg.norm(vector) / np.linalg.norm(mean)
            for mean in (data.rows(group).mean(axis=0) for group in groups)
        )
        result.append(female / (female + male) - 0.5)
    return np.array(result)


def test_table3_random_words_have_the_mean_and_the_range_of_all_that_are_not_listed():
    embedding = world()
    _, cells = placebo_of(embedding)
    # There are fewer than a thousand, so that all are drawn; near neighbours are recomputed here.
    data, groups = embedding, list(GENDERED.values())
    rows = data.rows(PLAIN)
    both = np.vstack([rows, *map(data.rows, groups)]) - rows.mean(axis=0)
    unit = both / np.linalg.norm(both, axis=1, keepdims=True)
    cosines = unit[: len(PLAIN)] @ unit[len(PLAIN) :].T
    near = (cosines > cosines.mean(axis=0) + 3 * cosines.std(axis=0)).any(axis=1)
    kept = [word for word, close in zip(PLAIN, near, strict=True) if not close]
    expected = shares_of(data, kept, groups)
    cell = cells["placebo@code", "pilot"]
    assert cell["value"] == pytest.approx(expected.mean())
    assert [cell["ci_low"], cell["ci_high"]] == pytest.approx(np.quantile(expected, [0.025, 0.975]))
    assert (cell["n"], cell["n_of"], cell["n_unit"]) == (len(kept), len(kept), "random words")
    above = cells["above-placebo@code", "nurse"]
    [nurse] = shares_of(data, ["nurse"], groups)
    assert above["value"] == pytest.approx(nurse - expected.mean())
    # One of the random words with itself is what none of them reaches.
    assert above["p_value"] == pytest.approx(1 / (1 + len(kept)))
    # The jackknife leaves out each group word in turn, for the target and the random words alike.
    variance = 0.0
    for own, group in enumerate(groups):
        moved = []
        for word in group:
            left = [[w for w in g if i != own or w != word] for i, g in enumerate(groups)]
            [one] = shares_of(data, ["nurse"], left)
            moved.append(one - shares_of(data, kept, left).mean())
        variance += (len(group) - 1) / len(group) * np.var(moved) * len(group)
    sampled = expected.var(ddof=1) / len(kept)
    width = (above["ci_high"] - above["ci_low"]) / 2
    # Student's t at about ten degrees of freedom; what pairs of units give is taken off.
    assert width == pytest.approx(2.228 * np.sqrt(variance + sampled), rel=0.05)


def test_table3_listed_words_are_never_random_words():
    _, cells = placebo_of(world(), LISTED | set(PLAIN[:100]))
    assert cells["placebo@code", "nurse"]["n_of"] <= len(PLAIN) - 100
    # Of too few nothing is said.
    table, cells = placebo_of(world(), LISTED | set(PLAIN[99:]))
    assert not cells
    assert set(table["row"]) == {"nurse", "pilot"}


def test_table3_has_no_share_of_negative_associations_among_random_words():
    behind = {f"x{word}": -np.ones(12) for word in PLAIN[:50]}
    embedding = world(**behind, dancer=-np.ones(12))
    _, cells = placebo_of(embedding)
    cell, clipped = cells["placebo@code", "pilot"], cells["placebo@clipped-sum", "pilot"]
    assert cell["n_of"] - cell["n"] == 50
    assert clipped["n_of"] == clipped["n"] == cell["n_of"]
    dancer = cells["above-placebo@code", "dancer"]
    assert np.isnan(dancer["value"])
    assert dancer["note"] == table3.NEGATIVE
    assert not np.isnan(cells["above-placebo@clipped-sum", "dancer"]["value"])
