"""What text and probes have in common: directed bias from counts by document."""

import numpy as np
import pandas as pd
import pytest

from socialbias.measures.aggregate_magnitude import size
from socialbias.papers.trustworthy import professions, table6
from socialbias.papers.trustworthy.directed import (
    Directed,
    cells,
    directed,
    references,
    same_contexts,
)
from socialbias.papers.trustworthy.inputs import EVERY
from socialbias.stats.draws import DRAWS
from tests.worlds import cells as by_cell
from tests.worlds import job_with, numbers, vectors


def counts(rows, documents=100):
    table = pd.DataFrame(rows, columns=["target", "document", "female", "male"])
    return table.assign(corpus_documents=documents)


def measured(rows, text="t"):
    return directed(counts(rows), 0.95, text)


def known(targets, observed, n=None):
    """As if measured so, without any doubt."""
    observed = np.array(observed, float)
    n = np.full(len(targets), 30) if n is None else np.array(n)
    draws = np.tile(observed, (DRAWS, 1))
    return Directed(tuple(targets), observed, observed, observed, draws, n)


@pytest.mark.parametrize(
    ("rows", "observed", "n"),
    [
        ([("nurse", 0, 3, 1), ("nurse", 4, 0, 0), ("pilot", 0, 1, 3)], [0.25, -0.25], [4, 4]),
        ([("nurse", 0, 0, 0), ("pilot", 0, 1, 0)], [np.nan, 0.5], [0, 1]),  # with neither group
        ([("nurse", 0, 0.25, 0.75)], [-0.25], [1]),  # probabilities are not cut off
        ([], [], []),
    ],
)
def test_the_bias_is_the_share_of_women_less_one_half(rows, observed, n):
    result = measured(rows)
    np.testing.assert_allclose(result.observed, observed)
    assert result.n.tolist() == n
    assert result.drawn.shape == (DRAWS, len(n))


def test_a_target_without_a_number_says_why_and_probabilities_rest_on_their_contexts():
    result = measured([("nurse", 0, 0, 0), ("pilot", 0, 1, 0)])
    records = list(cells("c", result.of(["nurse", "pilot", "dancer"]), 0.95))
    assert [(r["row"], r["n"]) for r in records] == [("nurse", 0), ("pilot", 1), ("dancer", 0)]
    assert "use a larger text" in records[0]["note"]
    table = counts([("nurse", 0, 0.1, 0.2)]).assign(contexts=7)
    assert directed(table, 0.95, "t").n.tolist() == [7]


def test_table6_subtracts_what_is_named_behind_the_semicolon():
    levels = {
        "L1": known(["nurse", "pilot"], [0.1, -0.2], [40, 5]),
        "L2": known(["nurse"], [0.4]),
        "one-hot": known(["nurse", "pilot"], [0.5, 0.5]),
    }
    records = list(table6.values({"one": table6.Levels(levels)}, ["nurse", "pilot"], 0.95))
    result = {cell: (r["value"], r["n"]) for cell, r in by_cell(records).items()}
    assert result["nurse", "L2;L1@one"] == (pytest.approx(0.3), 30)
    assert result["pilot", "one-hot;L1@one"] == (pytest.approx(0.7), 5)
    assert result["pilot", "L1;uniform@one"][0] == pytest.approx(-0.2)
    assert result["pilot", "L2;L1@one"][1] == 0
    assert not [column for _, column in result if column.startswith("L3")]


def test_table6_has_an_interval_where_all_contexts_agree():
    """Ten contexts of women in ten documents are no proof that there are no others."""
    level = measured([("nurse", d, 1, 0) for d in range(10)], "one")
    reference = measured([("nurse", d, d % 2, 1 - d % 2) for d in range(10)], "another")
    levels = table6.Levels({"L1": reference, "L2": level})
    result = {r["column"]: r for r in table6.values({"one": levels}, ["nurse"], 0.95)}
    alone, apart = result["L2;uniform@one"], result["L2;L1@one"]
    assert (alone["value"], apart["value"]) == (0.5, 0.5)
    assert (alone["ci_low"], alone["ci_high"]) == (level.low[0], 0.5)
    assert level.low[0] < 0.25
    # Independent: below sqrt((.5 - low)^2 + high^2), as Zou and Donner have it, but for the draws.
    below = np.hypot(0.5 - level.low[0], reference.high[0])
    assert apart["ci_low"] == pytest.approx(0.5 - below, abs=0.06)


def test_shares_of_one_text_pair_by_document():
    """The same counts twice: of one text there is no doubt that they are equal, of two there is."""
    rows = [("nurse", d, 1 + d % 3, 2 - d % 2) for d in range(30)]
    same = measured(rows).drawn - measured(rows).drawn
    other = measured(rows).drawn - measured(rows, "another").drawn
    assert np.abs(same).max() == 0
    expected = np.sqrt(2) * measured(rows).drawn.std()
    assert other.std() == pytest.approx(expected, rel=0.1)


def test_the_same_contexts_are_compared_by_what_differs_in_each_document():
    """Four documents of two contexts each; differences from the ratio of sums, by hand."""
    labels = measured([("nurse", d, female, 2 - female) for d, female in enumerate([2, 1, 0, 1])])
    soft = measured([("nurse", d, female, 2 - female) for d, female in enumerate([2, 1, 1, 1])])
    result = same_contexts(soft, labels, 0.95)
    # Shares 5/8 and 1/2; per document (female - 2 * share) / 8 is .75, -.25, -.25, -.25 over 8 less
    # 1, 0, -1, 0 over 8: -.25, -.25, .75, -.25 over 8, whose squares sum to .75 / 64.
    error = np.sqrt(4 / 3 * 0.75 / 64)
    assert result.value[0] == pytest.approx(0.125)
    assert result.high[0] - result.value[0] == pytest.approx(3.182446 * error, rel=1e-5)
    assert result.draws.std() == pytest.approx(np.sqrt(3) * error, rel=0.4)  # t with 3 degrees
    assert np.quantile(result.draws, 0.975) == pytest.approx(result.high[0], abs=0.06)


def test_the_base_rate_is_that_of_all_contexts_of_the_text():
    rows = [("nurse", d, 1, 3) for d in range(10)] + [(EVERY, d, 2, 6) for d in range(20)]
    result = measured(rows)
    base = references(result, None, ["nurse"])["base"]
    assert base.share.tolist() == [0.25]
    [record] = cells("c@base", result.of(["nurse"]), 0.95, base)
    assert record["value"] == 0  # as male as everything else
    [record] = cells("c", result.of(["nurse"]), 0.95)
    assert record["value"] == -0.25
    assert references(measured(rows[:10]), None, ["nurse"]) == {}


def test_employment_is_a_reference_of_each_profession():
    women = pd.DataFrame({"female": [0.9, 0.1]}, index=["nurse", "pilot"])
    against = references(None, women, ["pilot", "dancer", "nurse"])["employment"]
    result = measured([(t, d, 1, 1) for t in ("nurse", "pilot", "dancer") for d in range(9)])
    records = list(cells("c", result.of(["pilot", "dancer", "nurse"]), 0.95, against))
    assert {r["row"]: r["value"] for r in records} == pytest.approx({"pilot": 0.4, "nurse": -0.4})
    middle = (records[0]["ci_low"] + records[0]["ci_high"]) / 2
    assert middle == pytest.approx(0.4)


def test_controls_are_as_frequent_as_the_professions():
    pairs = professions.matched({"nurse": 100, "pilot": 20}, {"table": 90, "chair": 95, "door": 10})
    assert pairs == {"nurse": "chair", "pilot": "door"}
    assert professions.matched({"nurse": 1, "pilot": 2}, {"table": 1}) == {"pilot": "table"}


def test_amplification_is_along_the_side_of_the_training_text():
    """Both go .2 further: one to the side of its text, the other away from it."""

    def level(nurse, pilot):
        shares = {"nurse": nurse, "pilot": pilot}
        return measured([(t, d, n, 10 - n) for t, n in shares.items() for d in range(9)])

    lean = {"nurse": 1.0, "pilot": -1.0}
    levels = table6.Levels({"L1": level(6, 4), "L2": level(8, 6)}, paired=True, lean=lean)
    records = table6.values({"paired": levels}, ["nurse", "pilot", "dancer"], 0.95)
    result = numbers(records)
    assert result["nurse", "L2;L1@paired"] == pytest.approx(0.2)
    assert result["pilot", "L2;L1@paired"] == pytest.approx(0.2)
    assert result["nurse", "amplification@text"] == pytest.approx(0.2)
    assert result["pilot", "amplification@text"] == pytest.approx(-0.2)
    assert np.isnan(result["dancer", "amplification@text"])


def test_size_is_without_what_sampling_adds():
    """Ten contexts or a thousand of the same truth: only a mean of absolute values differs."""
    rng = np.random.default_rng(3)
    truth = np.linspace(0.35, 0.65, 5000)
    means, sizes = [], []
    for n in (10, 1000):
        shares = rng.binomial(n, truth) / n
        means.append(np.abs(shares - 0.5).mean())
        sizes.append(size(shares - 0.5, shares * (1 - shares) / (n - 1)))
    true = np.sqrt(((truth - 0.5) ** 2).mean())
    assert means[0] > 1.5 * means[1]
    assert sizes == pytest.approx([true, true], abs=0.01)
    assert size(np.array([0.1, -0.1]), np.array([0.5, 0.5])) == 0


def test_table6_takes_print_s_lengths_and_one_length_throughout():
    def text(n_female):
        rows = [(n, "nurse", 0, f, 4 - f) for n, f in n_female.items()]
        table = pd.DataFrame(rows, columns=["n", "target", "document", "female", "male"])
        return table.assign(variant="v", corpus_documents=9)

    result = {"webtext": text({1: 1, 3: 3}), "samples": text({1: 2, 3: 4})}
    levels = table6.levels(result, "v", 0.95)
    assert levels["mixed"].biases["L1"].observed[0] == 0.25
    assert levels["mixed"].biases["L3"].observed[0] == 0.5
    assert levels["one"].biases["L1"].observed[0] == -0.25
    assert levels["one"].biases["L3"].observed[0] == 0
    assert "L2" not in levels["one"].biases
    assert "paired" not in levels


def test_professions_need_twenty_contexts_in_the_text():
    words = ["a", "b", "c", "d", "e"]
    women = pd.DataFrame({"female": [0.1, 0.2, 0.3, 0.4, 0.9]}, index=words)
    text = known(words, [-0.4, -0.3, -0.2, -0.1, 0.4], [20, 25, 30, 20, 19])
    glove = known(words, [0.3, 0.2, 0.1, 0.0, -0.9])
    result = {"text-automated": text, "emb-glove": glove}
    found = by_cell(professions.values(result, women, job_with()))
    assert found["text-automated", "employment"]["value"] == pytest.approx(1)
    assert found["text-automated", "employment"]["n"] == 4
    assert found["emb-glove", "text"]["value"] == pytest.approx(-1)
    assert found["emb-glove", "mean"]["value"] == pytest.approx(0.15)
    assert ("text-automated", "text") not in found


SURE = [("nurse", 1, 0), ("pilot", 0, 1), ("dancer", 1, 0), ("soldier", 0, 1)]


def test_negative_associations_are_said_beside_numbers_of_vectors(monkeypatch):
    # Means (3, 4) and (4, 3): of (4, -3.5) and (-1, 0) a cosine is negative, of the others none.
    space = {"f": (3, 4), "m": (4, 3), "clerk": (1, 1), "judge": (1, 0), "nurse": (0, 1)}
    space |= {"pilot": (4, -3.5), "dean": (-1, 0)}
    # Female shares: of (4, -3.5) -2 and 5.5, of (-1, 0) 3/5 and 4/5, of (1, 0) and (0, 1) the same.
    sizes = {"clerk": 0, "judge": 1 / 14, "nurse": 1 / 14, "dean": 1 / 14, "pilot": 2 / 3.5 + 0.5}
    women = pd.DataFrame({"female": [0.5, 0.2, 0.9, 0.3, 0.1]}, index=list(sizes))
    monkeypatch.setattr(professions, "read_vectors", lambda *_: {"word2vec": vectors(**space)})
    monkeypatch.setattr(professions, "read_employment", lambda *_: {"gender": women})
    lists = {"gender": {"code": {"female": ["f"], "male": ["m"]}}}
    settings = {"trustworthy.word_lists": ["code"], "trustworthy.census_year": 2015}
    result, _ = professions.read(job_with({"word_lists/trustworthy": lists}, **settings))
    at = result["emb-word2vec"].of(["pilot", "clerk", "absent", "dean"])
    assert at.negative.tolist() == [True, False, False, True]
    records = professions.values(result, women, job_with())
    share = (sizes["pilot"] + sizes["dean"]) / sum(sizes.values())
    expected = "a negative association in 2 of 5 professions, which carry"
    notes = {record["column"]: record["note"] for record in records if record.get("note")}
    assert set(notes) == {"employment", "mean", "mean@employment"}
    assert set(notes.values()) == {f"{expected} {share:.0%} of the mean magnitude"}
