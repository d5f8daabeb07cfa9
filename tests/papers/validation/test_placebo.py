"""Placebo tests on worlds in which it is known what makes a correlation."""

import numpy as np
import pandas as pd
import pytest

from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.datasets.census import GENDER
from socialbias.papers.evidence import Evidence
from socialbias.papers.trustworthy import table5
from socialbias.papers.trustworthy.table5 import TABLE5
from socialbias.papers.validation import placebo
from tests.worlds import job_with, summarised

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
    result, vectors = Evidence(), world(lean, JOBS_AT)
    shares = shares_of(bias)
    job = job_with(seed=seed, **{placebo.DRAWS: DRAWS})
    placebo.contemporary(result, vectors, shares, lists, "contemporary-gender", job)
    return result.table()


def cells_of(table, level=0.95):
    records = summarised(placebo, table, **{"intervals.level": level})
    return {(r["row"], r["column"].split("@")[1]): r for r in records}


@pytest.fixture(scope="module")
def planted():
    return contemporary(AMOUNT, AMOUNT)


@pytest.mark.parametrize("row", ["garg-cosine", "garg-euclidean", "caliskan"])
def test_a_planted_association_is_far_outside_what_chance_gives(planted, row):
    cells = cells_of(planted)
    assert cells[row, "observed"]["value"] > 0.8
    null = cells[row, "random-lists"]
    assert null["p_value"] == pytest.approx(1 / (1 + DRAWS))
    assert null["ci_high"] < cells[row, "observed"]["value"] - 0.3
    assert cells[row, "partial"]["value"] > 0.8


def test_vectors_that_know_nothing_are_inside_what_chance_gives():
    cells = cells_of(contemporary(np.full(JOBS, 0.4), AMOUNT))
    inside = 0
    for row in MEASURES:
        null = cells[row, "random-lists"]
        assert null["p_value"] > 0.02
        inside += null["ci_low"] <= cells[row, "observed"]["value"] <= null["ci_high"]
    assert inside >= len(MEASURES) - 1


def test_words_that_other_vectors_lack_are_left_out_as_in_table_5(monkeypatch):
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
    read = {"vocabulary": {"word2vec": vectors}, "professions": {"glove": other}}
    monkeypatch.setattr(placebo, "read_vectors", lambda _, words: read[words])
    monkeypatch.setattr(placebo, "read_employment", lambda *_: {"gender": shares})
    gender = {"code": dict(zip(GENDER, (WOMEN, MEN), strict=True))}
    race = dict(zip(("white", "hispanic", "asian"), [*PAIR, ["job0"]], strict=True))
    settings = {"word_lists": ["code"], "word_list_draws": DRAWS, "census_year": 1990}
    settings = {f"trustworthy.{key}": setting for key, setting in settings.items()}
    words = {"word_lists/trustworthy": {"gender": gender, "race": race}}
    table = placebo.measure(job_with(words, **settings))
    assert set(table["column"]) == {"contemporary-gender"}
    cells = cells_of(table)
    assert len(table5_cells) == len(MEASURES)
    for cell in table5_cells:
        observed = cells[cell["row"], "observed"]
        assert observed["value"] == pytest.approx(cell["value"])
        assert (observed["n"], observed["n_of"]) == (JOBS - 2, JOBS)


def themselves(ranks, size, draws, rng):
    """In place of random words, the words themselves."""
    return np.tile(ranks, (draws, 1))


def same_as_observed(table):
    for row, part in table.groupby("row"):
        observed = part.loc[part["kind"] == "observed", "rho"].item()
        drawn = part.loc[part["kind"] == "random-lists", "rho"]
        assert drawn.tolist() == pytest.approx([observed] * DRAWS, nan_ok=True), row
    return set(table["row"])


def test_each_measure_gets_a_random_word_for_each_of_its_own(monkeypatch):
    # If each word is its own stand-in, each measure must give what was observed; the pairs, of
    # which some words have no vector, too.
    monkeypatch.setattr(placebo, "matched_lists", themselves)
    lists = [[*WOMEN[:4], "no-woman", *WOMEN[4:]], [*MEN[:2], "no-man", *MEN[2:]]]
    assert same_as_observed(contemporary(AMOUNT, AMOUNT, lists)) == MEASURES
    assert same_as_observed(diachronic(TRIPLE, PLANE)) == MEASURES


@pytest.mark.parametrize(
    ("bias", "lists", "rows"),
    [
        (AMOUNT[:4], (WOMEN, MEN), set()),  # too few professions
        (AMOUNT, (WOMEN, ["absent"]), set()),
        (
            AMOUNT,
            [WOMEN[:2], MEN[:3], WOMEN[4:]],
            {"manzini", "divdist"},
        ),  # of any number of groups
    ],
)
def test_measures_have_rows_where_there_is_enough(bias, lists, rows):
    table = contemporary(AMOUNT, bias, lists)
    assert {*table["row"]} == rows
    assert {row for row, _ in cells_of(table)} == rows


def test_vectors_with_too_few_words_have_everything_but_random_lists():
    few = world(AMOUNT, JOBS_AT).only([*WOMEN, *MEN, *(f"job{i}" for i in range(6))])
    result = Evidence()
    job = job_with(**{placebo.DRAWS: DRAWS})
    placebo.contemporary(result, few, shares_of(AMOUNT), (WOMEN, MEN), "contemporary-gender", job)
    found = cells_of(result.table())
    cell = found["garg-cosine", "random-lists"]
    assert np.isnan(cell["value"])
    assert cell["note"].startswith("too few words of similar frequency")
    assert found["garg-cosine", "observed"]["n"] == 6


# Decades. The only profession lies where cos(woman) - cos(man) is what is wanted.

# Differences in ranks 1 to 7, and in ranks 4 7 1 2 6 3 5: their Spearman's rho is
# 1 - 6 (9 + 25 + 4 + 4 + 1 + 9 + 4) / (7 * 48) = 0, though both series only ever rise.
RISES = 0.02 * np.array([1, 2, 3, 4, 5, 6, 7])
OTHER_RISES = 0.02 * np.array([4, 7, 1, 2, 6, 3, 5])
LEANS, BIASES = (np.cumsum([0.1, *rises]) for rises in (RISES, OTHER_RISES))
YEARS = range(1900, 1980, 10)
PAIR, AXES = [["woman"], ["man"]], {"woman": (1, 0), "man": (0, 1)}
TRIPLE = [["w0", "w1", "w2"], ["m0", "m1", "m2"]]
PLANE = {"w0": (6, 1), "w1": (5, 2), "w2": (4, 0), "m0": (1, 6), "m1": (0, 5), "m2": (2, 3)}


def decade(lean, groups, without=()):
    """A decade in which the job leans so much; the other words are the same in every decade."""
    side = np.sqrt(2 - lean**2)
    words = {f"v{i}": v for i, v in enumerate(np.random.default_rng(5).normal(size=(60, 2)))}
    words |= {"job0": ((side + lean) / 2, (side - lean) / 2)} | groups
    words = {word: vector for word, vector in words.items() if word not in without}
    matrix = np.array(list(words.values()), dtype=np.float32)
    return WordVectors(tuple(words), matrix)


def diachronic(lists=PAIR, groups=AXES, without=None, years=YEARS):
    """Decades in which the words of `without[year]` have no vector."""
    without, result = without or {}, Evidence()
    leans, shares = zip(years, LEANS, strict=False), zip(years, BIASES, strict=False)
    decades = {year: decade(lean, groups, without.get(year, ())) for year, lean in leans}
    shares = {year: shares_of([bias]) for year, bias in shares}
    job = job_with(**{placebo.DRAWS: DRAWS})
    placebo.diachronic(result, decades, shares, lists, "diachronic-gender", job)
    return result.table()


@pytest.mark.parametrize("row", ["garg-cosine", "caliskan"])
def test_two_unrelated_trends_correlate_but_their_differences_do_not(row):
    cells = cells_of(diachronic())
    observed = cells[row, "observed"]
    assert observed["value"] == pytest.approx(1)
    assert (observed["n"], observed["n_of"], observed["n_unit"]) == (8, 8, "decades")
    assert cells[row, "differences"]["value"] == pytest.approx(0, abs=1e-9)
    # The job moves whatever the lists are, so that random lists trend as well.
    assert cells[row, "random-lists"]["p_value"] > 0.2


@pytest.mark.parametrize(
    ("lists", "lacking", "rest", "rows"),
    [
        ([["w0", "w1"], ["m0", "m1"]], ["w1", "m1"], [["w0"], ["m0"]], MEASURES - PAIRED),
        (TRIPLE, ["w1"], [["w0", "w2"], ["m0", "m2"]], MEASURES),  # a pair is left out whole
        # w1 and m1 are the only pair that is left, and one pair has no direction.
        (TRIPLE, ["w0", "m2"], None, MEASURES - PAIRED),
    ],
)
def test_what_one_decade_lacks_is_left_out_of_every_decade(lists, lacking, rest, rows):
    table = diachronic(lists, PLANE, {1930: lacking})
    assert set(table["row"]) == rows
    compared = PAIRED if rows == MEASURES else rows
    for row in compared if rest else ():
        for kind in ("observed", "differences"):
            got, expected = (
                t.loc[(t["kind"] == kind) & (t["row"] == row), "rho"].item()
                for t in (table, diachronic(rest, PLANE))
            )
            assert got == pytest.approx(expected, nan_ok=True)


def test_fewer_than_four_decades_or_no_common_word_give_no_rows():
    assert diachronic(years=YEARS[:3]).empty
    assert diachronic(without={1900: ["man"]}).empty
    assert diachronic(without={1900: ["job0"]}).empty


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
    unknown = drawn(observed=[np.nan], **{"random-lists": [0.1, -0.9, 0.5, 0.2]})
    assert [r for r in cells_of(unknown).values() if r["p_value"] < 1] == []
