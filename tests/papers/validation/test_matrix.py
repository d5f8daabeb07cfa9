"""The validity matrix on worlds in which it is known what each method measures."""

import numpy as np
import pandas as pd
import pytest
import torch

from socialbias.models.loading import load_model
from socialbias.papers.validation import matrix as m
from socialbias.papers.validation.matrix import FEWEST_CONTEXTS, variables
from socialbias.papers.validation.matrix_items import (
    CONTEXTS,
    COSINES,
    KNOWN,
    LOG_ODDS,
    PARTS,
    cosines,
    of_text,
)
from socialbias.papers.validation.matrix_models import filled, pronouns
from socialbias.papers.validation.units import NATIONALITIES, PROFESSIONS, looked_up
from tests import tiny_models
from tests.worlds import cells
from tests.worlds import corpus as prepared

N, K, LEVEL = 60, 8, 0.95
WORDS = [f"job{i:02}" for i in range(N)]


def items(trait, method, true, noise, rng, how=COSINES):
    """A method's items: what is true of each word and noise, with both poles or with one."""
    parts = []
    for pole in (1, -1) if how == COSINES else (1,):
        numbers = pole * true[:, None] + noise * rng.standard_normal((N, K))
        grid = pd.DataFrame(numbers, index=WORDS, columns=[f"{pole} {i}" for i in range(K)])
        table = grid.rename_axis("term").reset_index().melt("term", var_name="item")
        parts.append(table.rename(columns={"value": "number"}).assign(pole=pole))
    said = {"unit": PROFESSIONS, "trait": trait, "method": method, "how": how}
    return pd.concat(parts).assign(**said)


def matrix_of(*parts):
    """Records of a matrix by row and column."""
    found = variables(pd.concat(parts, ignore_index=True))
    return cells(m.of_unit(m.measure_unit(PROFESSIONS, WORDS, found, LEVEL, 0)))


@pytest.fixture(scope="module")
def world():
    """Gender and valence, independent, by two methods that see them and one that sees nothing."""
    rng = np.random.default_rng(4)
    gender, valence, women = rng.standard_normal((3, N))
    return matrix_of(
        items("gender", "glove", gender, 0.4, rng),
        items("gender", "representation", gender, 0.4, rng),
        items("gender", "text", 0 * gender, 1, rng),
        items("valence", "glove", valence, 0.4, rng),
        items("valence", "sentiment", valence, 0.4, rng, LOG_ODDS),
        items("women", "", gender + 0 * women, 0, rng, KNOWN),
    )


def test_methods_that_measure_the_same_agree(world):
    for row, column in (
        ("professions gender representation", "gender-glove"),
        ("professions valence sentiment", "valence-glove"),
        ("professions women", "gender-glove"),
    ):
        found = world[row, column]
        assert found["value"] > 0.9
        assert found["ci_low"] > 0.8
        assert found["n"] == N
        assert found["value"] <= found["ceiling"] + 0.05


def test_methods_of_two_traits_do_not(world):
    found = world["professions valence glove", "gender-glove"]
    assert abs(found["value"]) < 0.3
    rho = {
        names: world[f"professions {names[0]}", names[1]]["value"]
        for names in (("gender representation", "gender-glove"), ("valence glove", "gender-glove"),
                      ("valence sentiment", "gender-glove"))
    }  # fmt: skip
    same, *rivals = rho.values()
    lead = world["professions gender glove", "discriminant"]
    assert lead["value"] == pytest.approx(same - np.mean(np.abs(rivals)))
    assert lead["ci_low"] < lead["value"] < lead["ci_high"]
    assert world["professions gender glove", "convergent"]["value"] == pytest.approx(same)
    # Reliability stands on the diagonal.
    assert world["professions gender glove", "gender-glove"]["value"] > 0.9
    assert world["professions gender text", "gender-text"]["value"] < 0.3


def test_what_is_too_noisy_says_so_and_enters_no_mean(world):
    found = world["professions gender text", "gender-glove"]
    assert found["weak"].startswith("too noisy: gender text has a reliability of ")
    assert ("professions gender text", "convergent") not in world


def test_reliable_methods_may_disagree():
    rng = np.random.default_rng(5)
    first, second = rng.standard_normal((2, N))
    second -= first * (first @ second) / (first @ first)
    found = matrix_of(
        items("valence", "glove", first, 0.2, rng),
        items("valence", "sentiment", second, 0.2, rng, LOG_ODDS),
    )["professions valence sentiment", "valence-glove"]
    assert found["ci_low"] <= 0
    assert found["weak"] == ""


def test_a_pair_with_few_words_enters_no_mean():
    rng = np.random.default_rng(7)
    true = rng.standard_normal(N)
    short = items("valence", "sentiment", true, 0.1, rng, LOG_ODDS)
    found = matrix_of(
        items("valence", "glove", true, 0.1, rng), short[short["term"].isin(WORDS[:20])]
    )
    record = found["professions valence sentiment", "valence-glove"]
    assert (record["n"], record["n_of"]) == (20, N)
    assert ("professions valence glove", "convergent") not in found


def test_scores_and_forms_of_words_by_hand():
    table = cosines(np.eye(2), ["x", "y"], [np.eye(2)[:1], np.eye(2)[1:]], [["good"], ["bad"]])
    [each] = variables(table.assign(unit=PROFESSIONS, trait="valence", method="glove"))
    assert each.scores().tolist() == [1, -1]
    found = looked_up(["Thai", "Greek", "Dutch"], {"Thai": 0, "thai": 1, "greek": 2})
    assert found == {"Thai": "Thai", "Greek": "greek"}  # as written first
    templates = ["The {word} left."]
    assert filled(templates, NATIONALITIES, ["Thai"]) == ["The Thai person left."]
    assert filled(templates, PROFESSIONS, ["cook"]) == ["The cook left."]


def test_words_with_few_contexts_have_no_score_in_a_text():
    most = FEWEST_CONTEXTS - 1
    rows = [("often", 1, most), ("often", -1, 1), ("rare", 1, most), ("rare", -1, 0)]
    table = pd.DataFrame(rows, columns=["term", "pole", "number"])
    said = {"unit": PROFESSIONS, "trait": "gender", "method": "text", "how": CONTEXTS}
    [each] = variables(table.assign(item="0", **said))
    expected = np.log((FEWEST_CONTEXTS - 0.5) / 1.5)
    assert each.scores().to_dict() == {"often": pytest.approx(expected)}


FILLER = "a b c d e"
TEXTS = {
    0: f"the nurse saw she left\n{FILLER}\nthe pilot saw he left",  # both poles: with neither
    1: f"the nurse saw her leave\n{FILLER}\n{FILLER}",
    # Two windows of three sentences have the pilot, one of them with `him`.
    2: f"then him again and again\nthe pilot saw a nurse\n{FILLER}\n{FILLER}",
    3: f"the nurse saw her leave\n{FILLER}",  # no window of three sentences
    PARTS + 1: f"the thai nurse saw her\n{FILLER}\n{FILLER}",
}


@pytest.fixture
def corpus(tmp_path):
    return prepared(tmp_path, [TEXTS.get(i, FILLER) for i in range(PARTS + 2)])


def test_contexts_with_one_pole_alone_in_the_parts_of_a_text(corpus):
    words = {PROFESSIONS: ["nurse", "pilot", "dean"], NATIONALITIES: ["Thai"]}
    table = of_text(corpus, words, (["she", "her"], ["he", "him"]))
    assert len(table) == 2 * PARTS * 4
    found = table[table["number"] > 0].set_index(["unit", "term", "pole", "item"])["number"]
    assert found.to_dict() == {
        (PROFESSIONS, "nurse", 1, "1"): 2,  # documents 1 and 21
        (PROFESSIONS, "nurse", -1, "2"): 1,
        (PROFESSIONS, "pilot", -1, "2"): 1,
        (NATIONALITIES, "Thai", 1, "1"): 1,
    }


def test_log_odds_of_pronouns_are_those_of_the_models_next_pieces(tmp_path):
    """The tiny vocabulary spells both after a blank: what is compared are "s" and "h" behind it."""
    tiny_models.write(tmp_path, "gpt2", "causal")
    model = load_model(tmp_path, "causal", device="cpu")
    texts = ["A nurse said", "A cook cried"]
    blank, s, h = (model.tokenizer.convert_tokens_to_ids(piece) for piece in ("Ġ", "s", "h"))
    expected = []
    for text in texts:
        ids = torch.tensor([[*model.tokenizer(text)["input_ids"], blank]])
        with torch.no_grad():
            logits = model.network(ids).logits[0, -1]
        expected.append(float(logits[s] - logits[h]))
    found = pronouns(model, texts, texts)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert np.ptp(found) > 1e-4
