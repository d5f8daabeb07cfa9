"""Placebo tests on worlds in which it is known what makes a correlation."""

from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.evidence import Evidence
from socialbias.papers.trustworthy import table5
from socialbias.papers.trustworthy.table5 import TABLE5
from socialbias.papers.validation import placebo
from tests.worlds.jobs import summarised

pytestmark = pytest.mark.usefixtures("few_halves")
SIZE, GROUP, JOBS, DRAWS = 1500, 8, 70, 60
WOMEN, MEN = [f"w{i}" for i in range(GROUP)], [f"m{i}" for i in range(GROUP)]
MEASURES = set(TABLE5)
PAIRED = {name for name, measure in TABLE5.items() if measure.pairs}


def shares_of(bias):
    """Employment of which the bias, twice the distance of a share from one half, is given."""
    female = 0.5 + np.asarray(bias) / 2
    names = [f"job{i}" for i in range(len(female))]
    return pd.DataFrame({"female": female, "male": 1 - female}, names)


def world(lean, jobs_at):
    """Random vectors in order of frequency; the first coordinate tells women from men, and each
    job leans to women by its `lean`."""
    rng = np.random.default_rng(1)
    words, matrix = [f"v{i}" for i in range(SIZE)], 0.3 * rng.normal(size=(SIZE, 10))
    for group, sign, start in ((WOMEN, 1, 200), (MEN, -1, 230)):
        for i, word in enumerate(group):
            words[start + i], matrix[start + i, 0] = word, sign
    for i, (rank, amount) in enumerate(zip(jobs_at, lean, strict=True)):
        words[rank], matrix[rank, 0] = f"job{i}", amount
    return WordVectors(tuple(words), matrix.astype(np.float32))


JOBS_AT = np.random.default_rng(2).permutation(np.arange(300, SIZE))[:JOBS]
AMOUNT = np.random.default_rng(3).uniform(0.05, 0.95, JOBS)


def contemporary(lean, bias, lists=(WOMEN, MEN), seed=1):
    vectors = world(lean, JOBS_AT)
    column = "contemporary-gender"
    result = Evidence()
    placebo.contemporary(result, vectors, shares_of(bias), lists, column, DRAWS, seed)
    return result.table()


def cells_of(table, level=0.95):
    records = placebo.summarise(SimpleNamespace(table=lambda name: table, level=level))
    return {(r["row"], r["column"].split("@")[1]): r for r in records}


@pytest.fixture(scope="module")
def planted():
    return contemporary(AMOUNT, AMOUNT)


@pytest.mark.parametrize("row", ["garg-cosine", "garg-euclidean", "caliskan"])
def test_a_planted_association_is_far_outside_what_chance_gives(planted, row):
    cells = cells_of(planted)
    assert cells[row, "observed"]["value"] > 0.8
    for kind, draws in (("random-lists", DRAWS), ("shuffled", 1000)):
        null = cells[row, kind]
        assert null["p_value"] == pytest.approx(1 / (1 + draws))
        assert null["ci_high"] < cells[row, "observed"]["value"] - 0.3
    assert cells[row, "partial"]["value"] > 0.8


@pytest.mark.parametrize("kind", ["random-lists", "shuffled"])
def test_vectors_that_know_nothing_are_inside_what_chance_gives(kind):
    cells = cells_of(contemporary(np.full(JOBS, 0.4), AMOUNT))
    inside = 0
    for row in MEASURES:
        null = cells[row, kind]
        assert null["p_value"] > 0.02
        inside += null["ci_low"] <= cells[row, "observed"]["value"] <= null["ci_high"]
    assert inside >= len(MEASURES) - 1


def test_shuffled_pairings_are_as_wide_as_the_correlation_of_random_orders(planted):
    # The rank correlation of n random pairs has the mean 0 and the variance 1 / (n - 1).
    for row, part in planted[planted["kind"] == "shuffled"].groupby("row"):
        assert len(part) == 1000
        assert part["rho"].mean() == pytest.approx(0, abs=4 / np.sqrt(1000 * (JOBS - 1))), row
        assert part["rho"].std() == pytest.approx(1 / np.sqrt(JOBS - 1), rel=0.1), row


def test_words_that_other_vectors_lack_are_left_out_as_in_table_5():
    vectors, shares = world(AMOUNT, JOBS_AT), shares_of(AMOUNT)
    lacking = {"job3", "job7", WOMEN[2]}
    other = vectors.only([word for word in vectors.words if word not in lacking])
    evidence = table5.evidence(
        {"word2vec": vectors, "glove": other},
        {"gender": shares},
        {"gender@code": {"female": WOMEN, "male": MEN}},
        0.95,
    )
    table5_cells = summarised(table5, evidence)
    table = placebo.evidence(
        {"word2vec": vectors}, [other], {}, lambda year: {"gender": shares},
        {"gender": [WOMEN, MEN]}, 1990, DRAWS, 1,
    )  # fmt: skip
    cells = cells_of(table)
    assert len(table5_cells) == len(MEASURES)
    for cell in table5_cells:
        observed = cells[cell["row"], "observed"]
        assert observed["value"] == pytest.approx(cell["value"])
        assert (observed["n"], observed["n_of"]) == (JOBS - 2, JOBS)
        # Professions are shuffled as for the q-values of Table 5.
        drawn = table[(table["row"] == cell["row"]) & (table["kind"] == "shuffled")]
        assert drawn["rho"].tolist() == pytest.approx(list(cell["null"]))


def test_what_is_only_frequency_goes_when_frequency_is_partialled_out():
    # Rarer jobs lean more to women, and rarer jobs happen to be women's: nothing else.
    rank, noise = JOBS_AT / SIZE, np.random.default_rng(4).normal(0, 0.06, size=(2, JOBS))
    cells = cells_of(contemporary(rank + noise[0], np.clip(rank + noise[1], 0, 1)))
    assert cells["garg-cosine", "observed"]["value"] > 0.7
    assert abs(cells["garg-cosine", "partial"]["value"]) < 0.25


def test_evidence_has_every_measure_and_what_it_rests_on(planted):
    count = planted.groupby(["row", "kind"]).size().unstack()
    assert set(count.index) == MEASURES
    assert (count[["observed", "partial"]] == 1).all(axis=None)
    assert (count["random-lists"] == DRAWS).all()
    assert (count["shuffled"] == 1000).all()
    said = ["column", "n", "n_of"]
    expected = ["contemporary-gender", JOBS, JOBS]
    assert planted[said].drop_duplicates().to_numpy().tolist() == [expected]


def test_the_random_lists_are_reproducible_by_their_seed(planted):
    pd.testing.assert_frame_equal(contemporary(AMOUNT, AMOUNT), planted, check_exact=True)
    other = contemporary(AMOUNT, AMOUNT, seed=2)
    kinds = {kind: part["rho"].to_numpy() for kind, part in other.groupby("kind")}
    assert np.array_equal(kinds["observed"], planted.loc[planted["kind"] == "observed", "rho"])
    assert (kinds["random-lists"] != planted.loc[planted["kind"] == "random-lists", "rho"]).any()


def themselves(ranks, size, draws, rng):
    """In place of random words, the words themselves."""
    return np.tile(ranks, (draws, 1))


def test_each_measure_gets_a_random_word_for_each_of_its_own(monkeypatch):
    # If each word is its own stand-in, each measure must give what was observed; the pairs, of
    # which some words have no vector, too.
    monkeypatch.setattr(placebo, "matched_lists", themselves)
    lists = [[*WOMEN[:4], "no-woman", *WOMEN[4:]], [*MEN[:2], "no-man", *MEN[2:]]]
    table = contemporary(AMOUNT, AMOUNT, lists)
    for row, part in table.groupby("row"):
        observed = part.loc[part["kind"] == "observed", "rho"].item()
        assert part.loc[part["kind"] == "random-lists", "rho"].tolist() == pytest.approx(
            [observed] * DRAWS
        ), row


def test_with_three_groups_only_the_measures_for_any_number_are_taken():
    table = contemporary(AMOUNT, AMOUNT, [WOMEN[:2], MEN[:3], WOMEN[4:]])
    assert set(table["row"]) == {"manzini", "divdist"}


@pytest.mark.parametrize(
    ("bias", "lists"), [(AMOUNT[:4], (WOMEN, MEN)), (AMOUNT, (WOMEN, ["absent"]))]
)
def test_without_enough_professions_or_without_a_group_there_are_no_rows(bias, lists):
    table = contemporary(AMOUNT, bias, lists)
    assert table.empty
    assert cells_of(table) == {}


# Decades. The only profession lies where cos(woman) - cos(man) is what is wanted.

# Differences in ranks 1 to 7, and in ranks 4 7 1 2 6 3 5: their Spearman's rho is
# 1 - 6 (9 + 25 + 4 + 4 + 1 + 9 + 4) / (7 * 48) = 0, though both series only ever rise.
RISES = 0.02 * np.array([1, 2, 3, 4, 5, 6, 7])
OTHER_RISES = 0.02 * np.array([4, 7, 1, 2, 6, 3, 5])
LEANS, BIASES = (np.cumsum([0.1, *rises]) for rises in (RISES, OTHER_RISES))
YEARS = range(1900, 1980, 10)


def decade(lean, groups, without=()):
    """A decade in which the job leans so much; the other words are the same in every decade."""
    side = np.sqrt(2 - lean**2)
    words = {f"v{i}": v for i, v in enumerate(np.random.default_rng(5).normal(size=(60, 2)))}
    words |= {"job0": ((side + lean) / 2, (side - lean) / 2)} | groups
    words = {word: vector for word, vector in words.items() if word not in without}
    matrix = np.array(list(words.values()), dtype=np.float32)
    return WordVectors(tuple(words), matrix)


def diachronic(lists, groups, without=None, years=YEARS):
    """Decades in which the words of `without[year]` have no vector."""
    without = without or {}
    decades = {
        year: decade(lean, groups, without.get(year, ()))
        for year, lean in zip(years, LEANS, strict=False)
    }
    shares = {year: shares_of([bias]) for year, bias in zip(years, BIASES, strict=False)}
    result = Evidence()
    placebo.diachronic(result, decades, shares, lists, "diachronic-gender", DRAWS, 1)
    return result.table()


@pytest.fixture(scope="module")
def trends():
    return diachronic([["woman"], ["man"]], {"woman": (1, 0), "man": (0, 1)})


@pytest.mark.parametrize("row", ["garg-cosine", "caliskan"])
def test_two_unrelated_trends_correlate_but_their_differences_do_not(trends, row):
    cells = cells_of(trends)
    assert cells[row, "observed"]["value"] == pytest.approx(1)
    assert cells[row, "differences"]["value"] == pytest.approx(0, abs=1e-9)
    # The job moves whatever the lists are, so that random lists trend as well.
    assert cells[row, "random-lists"]["p_value"] > 0.2


def test_decades_are_what_it_rests_on(trends):
    cell = cells_of(trends)["garg-cosine", "observed"]
    assert (cell["n"], cell["n_of"], cell["n_unit"]) == (8, 8, "decades")


def block_orders(decades):
    """The orders of an even number of decades in which pairs stay together."""
    pairs = [(i, i + 1) for i in range(0, decades, 2)]
    return [[i for pair in order for i in pair] for order in permutations(pairs)]


def test_blocks_are_every_order_in_which_pairs_of_decades_stay_together(trends):
    part = trends[(trends["row"] == "garg-cosine") & (trends["kind"] == "blocks")]
    # Both series rise: the correlation is that of the order with 0 to 7.
    expected = [stats.spearmanr(order, range(8)).statistic for order in block_orders(8)]
    assert sorted(part["rho"]) == pytest.approx(sorted(expected))


@pytest.mark.parametrize("decades", [4, 8])
def test_the_p_of_blocks_counts_the_observed_order_once(decades):
    groups = {"woman": (1, 0), "man": (0, 1)}
    table = diachronic([["woman"], ["man"]], groups, years=YEARS[:decades])
    orders = block_orders(decades)
    # Only the observed one of 2 or 24 orders reaches a correlation of 1 or -1.
    rho = [stats.spearmanr(order, range(decades)).statistic for order in orders]
    assert sum(np.isclose(np.abs(rho), 1)) == 1
    assert cells_of(table)["garg-cosine", "blocks"]["p_value"] == pytest.approx(1 / len(orders))


TRIPLE = [["w0", "w1", "w2"], ["m0", "m1", "m2"]]
PLANE = {"w0": (6, 1), "w1": (5, 2), "w2": (4, 0), "m0": (1, 6), "m1": (0, 5), "m2": (2, 3)}


def test_each_measure_of_decades_gets_a_random_word_for_each_of_its_own(monkeypatch):
    monkeypatch.setattr(placebo, "matched_lists", themselves)
    table = diachronic(TRIPLE, PLANE)
    for row, part in table.groupby("row"):
        observed = part.loc[part["kind"] == "observed", "rho"].item()
        drawn = part.loc[part["kind"] == "random-lists", "rho"]
        assert drawn.tolist() == pytest.approx([observed] * DRAWS, nan_ok=True), row
    assert set(table["row"]) == MEASURES


def test_a_word_that_one_decade_lacks_is_left_out_of_every_decade():
    lists, without = [["w0", "w1"], ["m0", "m1"]], {1930: ["w1", "m1"]}
    table, shorter = diachronic(lists, PLANE, without), diachronic([["w0"], ["m0"]], PLANE)
    assert set(table["row"]) == MEASURES - PAIRED
    for kind in ("observed", "differences"):
        got, expected = (t.loc[t["kind"] == kind, "rho"].tolist() for t in (table, shorter))
        assert got == pytest.approx(expected, nan_ok=True)


def test_a_pair_of_which_one_decade_lacks_a_word_is_left_out_whole():
    table = diachronic(TRIPLE, PLANE, {1930: ["w1"]})
    whole = diachronic([["w0", "w2"], ["m0", "m2"]], PLANE)
    for row in PAIRED:
        got, expected = (
            t.loc[(t["row"] == row) & (t["kind"] == "observed"), "rho"].item()
            for t in (table, whole)
        )
        assert got == pytest.approx(expected, nan_ok=True)


def test_words_whose_partners_are_lacking_are_not_paired_with_each_other():
    # w1 and m1 are the only pair that is left, and one pair has no direction.
    table = diachronic(TRIPLE, PLANE, {1930: ["w0", "m2"]})
    assert set(table["row"]) == MEASURES - PAIRED


def test_fewer_than_four_decades_or_no_common_word_give_no_rows():
    groups = {"woman": (1, 0), "man": (0, 1)}
    assert diachronic([["woman"], ["man"]], groups, years=YEARS[:3]).empty
    assert diachronic([["woman"], ["man"]], groups, {1900: ["man"]}).empty
    assert diachronic([["woman"], ["man"]], groups, {1900: ["job0"]}).empty


def test_evidence_has_a_column_for_whatever_vectors_and_decades_there_are():
    now, vectors = shares_of(AMOUNT), world(AMOUNT, JOBS_AT)
    groups = {"gender": [["woman"], ["man"]], "race": [["woman"], ["man"], ["job0"]]}
    decades = dict(
        zip(YEARS, (decade(x, {"woman": (1, 0), "man": (0, 1)}) for x in LEANS), strict=True)
    )

    def columns(embeddings, decades, groups):
        def employment(year):
            return {"gender": now if year == 1990 else shares_of([BIASES[YEARS.index(year)]])}

        arguments = embeddings, [], decades, employment, groups, 1990, 5, 1
        return set(placebo.evidence(*arguments)["column"])

    assert columns({}, decades, groups) == {"diachronic-gender"}
    gender = {"gender": [WOMEN, MEN]}
    assert columns({"word2vec": vectors}, {}, gender) == {"contemporary-gender"}
    both = gender | {"gender;appendix": [WOMEN[:4], MEN[:4]]}
    found = columns({"word2vec": vectors}, {}, both)
    assert found == {"contemporary-gender", "contemporary-gender;appendix"}
    assert columns({"glove": vectors}, {}, gender) == set()


# Values


def drawn(**kinds):
    result, counts = Evidence(), {"n": 9, "n_of": 12, "n_unit": "professions"}
    for kind, rhos in kinds.items():
        numbers = {"unit": range(len(rhos)), "kind": kind, "rho": rhos}
        numbers["p_value"] = 0.25 if len(rhos) == 1 else np.nan
        result.add("caliskan", "contemporary-gender", numbers, **counts)
    return result.table()


def test_a_null_has_its_median_its_middle_and_the_share_that_reaches_the_observed():
    table = drawn(observed=[0.5], **{"random-lists": [0.1, -0.9, 0.5, 0.2, np.nan]})
    cells = cells_of(table, level=0.5)
    assert cells["caliskan", "observed"]["value"] == 0.5
    assert cells["caliskan", "observed"]["p_value"] == 0.25
    null = cells["caliskan", "random-lists"]
    # -0.9 0.1 0.2 0.5: two of four reach 0.5, and the observed one is counted
    assert null["p_value"] == 3 / 5
    assert null["value"] == pytest.approx(0.15)
    assert (null["ci_low"], null["ci_high"]) == pytest.approx((-0.15, 0.275))
    assert (null["n"], null["n_of"], null["n_unit"]) == (9, 12, "professions")


def test_without_an_observed_correlation_no_null_is_told_to_be_far_from_it():
    table = drawn(observed=[np.nan], **{"random-lists": [0.1, -0.9, 0.5, 0.2]})
    assert [r for r in cells_of(table).values() if r["p_value"] < 1] == []
