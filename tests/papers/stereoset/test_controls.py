"""Scorers without a language model on StereoSet and CrowS-Pairs, and released scores."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.stereoset import CANDIDATES, summary, term_scores
from socialbias.papers.stereoset import model_tables
from socialbias.papers.stereoset.controls import (
    baselines,
    cosines,
    frequency,
    measure,
    overlaps,
)
from socialbias.papers.stereoset.items import measure_predictions as measure_predictions
from socialbias.papers.stereoset.model_tables import crows_controls as controls
from socialbias.papers.stereoset.model_tables import crows_pairs_of as pairs_of
from tests.worlds import cells, job_with, manifest, prepared, summarised, vectors
from tests.worlds.stereoset import GOLD, ITEMS


def frame(terms, items):
    """So many terms with so many items each."""
    rows = [(f"t{term:03}", f"t{term} {k}") for term in range(terms) for k in range(items)]
    table = pd.DataFrame(rows, columns=["target", "item"])
    return table.assign(split="development", task="intrasentence")


def scores_of(items, row, seed=1):
    result = baselines(items, seed)[row]
    return {
        name: score.value
        for name, score in summary(term_scores(result, items["target"].tolist()), 1).items()
    }


@pytest.mark.parametrize(
    ("row", "items", "expected"),
    [
        ("ideal", (40, 4), {"lms": 100, "ss": 50, "icat": 100}),
        ("ideal", (40, 3), {"lms": 100, "ss": 50, "icat": 100}),  # of an odd number they take turns
        ("stereotyped", (400, 6), {"ss": 100, "icat": 0, "lms": pytest.approx(50, abs=3)}),
        ("random", (400, 6), dict.fromkeys(("ss", "lms"), pytest.approx(50, abs=3))),
    ],
)
def test_baselines_score_what_they_must(row, items, expected):
    """Three is three standard errors of 4,800 halves, paired in items."""
    found = scores_of(frame(*items), row)
    assert {name: found[name] for name in expected} == {
        name: pytest.approx(score) if isinstance(score, int) else score
        for name, score in expected.items()
    }
    assert (scores_of(frame(*items), row, seed=2) != found) == (row != "ideal")


def texts(context, *candidates, target="nurse"):
    row = {"target": target, "context": context} | dict(zip(CANDIDATES, candidates, strict=True))
    return pd.DataFrame([row])


def test_words_of_the_context():
    items = texts("The nurse sings.", "She sings; the song.", "He?", "3 %")
    # she, sings, the, song: two of four; he: none of one; no words.
    assert overlaps(items).tolist() == [[2 / 4, 0, 0]]


def test_frequency_is_the_mean_logarithm_of_counts_plus_one():
    counts, ten = {"a": 99, "song": 9}, np.log(10)
    found = [frequency(text, counts) for text in ("A song", "song, song", "!")]
    assert_allclose(found, [(2 * ten + ten) / 2, ten, 0])


def test_cosines_of_target_and_mean_candidate():
    space = vectors(nurse=(2, 0), kind=(3, 0), old=(0, 3), far=(-1, 0))
    items = texts("", "kind", "Kind, old", "far unknown")
    assert_allclose(cosines(items, space), [[1, np.sqrt(0.5), -1]], rtol=1e-6)
    lacking = [texts("", "kind", "?", "far"), texts("", *["kind"] * 3, target="x")]
    none = cosines(pd.concat(lacking), space)
    assert np.isnan(none).tolist() == [[False, True, False], [True] * 3]


@pytest.fixture
def inputs(tmp_path):
    """The three tiny items, vectors of some of their words, and a small corpus."""
    WordVectors(("she", "kind", "rude", "blue"), np.eye(4) + 1).save(tmp_path / "vectors/stereoset")
    return {
        "evidence/stereoset/items": ITEMS,
        "prepared/wikitext": prepared(tmp_path / "corpus", ["kind kind poor"]),
        "vectors/stereoset/glove": tmp_path / "vectors",
    }


def test_each_control_has_the_items_that_it_covers(inputs):
    table = measure(job_with(inputs))
    covered = table.groupby("row")["item"].apply(sorted).to_dict()
    everywhere = ("ideal", "stereotyped", "random", "longer", "frequency")
    expected = {row: ["i1", "i2", "i3"] for row in everywhere}
    # Sentences after a context; Peru has no vector.
    assert covered == expected | {"overlap": ["i2", "i3"], "cosine": ["i1"]}
    assert set(table["scheme"]) == {""}
    rows = table.set_index(["row", "item"])[list(CANDIDATES)]
    # Of a blank, what fills it; of a sentence that follows, the sentence.
    assert rows.loc[("longer", "i1")].tolist() == [4, 4, 4]
    assert rows.loc[("longer", "i3")].tolist() == [12, 12, 11]
    assert_allclose(rows.loc[("frequency", "i1")], [np.log(3), 0, 0])
    assert_allclose(rows.loc[("frequency", "i3")], [np.log(2) / 2, 0, 0])
    alone = measure(job_with({"evidence/stereoset/items": ITEMS}))
    assert set(alone["row"]) == {*covered} - {"frequency", "cosine"}


EVIDENCE = "evidence/stereoset/"
PAIRS = [  # more stereotyping, less so, kind
    ("Old men moan.", "Men moan.", "age"),
    ("He is kind.", "She is kind.", "gender"),
    ("She cooks.", "He drives.", "gender"),
    ("She is here.", "She is late.", "gender"),
]


@pytest.fixture
def files(tmp_path):
    rows = [
        {"sent_more": more, "sent_less": less, "stereo_antistereo": "stereo", "bias_type": kind}
        | {"annotations": "[]", "anon_writer": "a", "anon_annotators": "[]"}
        for more, less, kind in PAIRS
    ]
    pd.DataFrame(rows, index=[0, 2, 5, 7]).to_csv(tmp_path / "pairs.csv")
    return {"crows_pairs": manifest(tmp_path, "crows", "pairs.csv")}


def test_a_pair_is_an_item_of_its_kind(files):
    pairs = pairs_of(job_with(files))
    assert pairs["item"].tolist() == ["pair 0", "pair 2", "pair 5", "pair 7"]
    assert pairs["target"].tolist() == pairs["domain"].tolist() == ["age"] + ["gender"] * 3
    assert pairs.loc[1, ["stereotype", "anti-stereotype"]].tolist() == [*PAIRS[1][:2]]


def test_controls_score_the_length_and_the_words_of_a_sentence(files, tmp_path):
    table = controls(job_with(files))
    assert set(table["row"]) == {"longer"}
    assert_allclose(
        table[["stereotype", "anti-stereotype"]], [[13, 9], [11, 12], [10, 10], [12, 12]]
    )
    assert table["unrelated"].isna().all()
    corpus = prepared(tmp_path / "corpus", ["is " * 9 + "kind " * 4])
    table = controls(job_with(files | {"prepared/wikitext": corpus}))
    result = table[table["row"] == "frequency"]["stereotype"]
    assert_allclose(result, [0, (np.log(10) + np.log(5)) / 3, 0, np.log(10) / 3])


def test_the_share_of_pairs_without_ties_by_hand(files):
    own = pairs_of(job_with(files)).assign(row="mine", scheme="pseudo-likelihood")
    own[["stereotype", "anti-stereotype", "unrelated"]] = [
        [-1, -2, np.nan], [-1, -2, np.nan], [-2, -1, np.nan], [-1, -3, np.nan],
    ]  # fmt: skip
    # Scores of StereoSet's own items, and by another scheme, are none of these.
    other = own.assign(split="development")
    corrected = own.assign(scheme="corrected", stereotype=-9.0)
    result = cells(summarised(model_tables.summarise_crows_pairs, {
        f"{EVIDENCE}crows_controls": controls(job_with(files)),
        f"{EVIDENCE}scores_mine": pd.concat([own, other, corrected]),
    }))  # fmt: skip
    assert {place: cell["value"] for place, cell in result.items() if place[1] != "age"} == {
        # Longer by four letters, shorter by one, and twice equally long.
        ("longer", "all"): 100 * 1 / 2,
        ("longer", "gender"): 0,
        ("mine", "all"): 100 * 3 / 4,
        ("mine", "gender"): pytest.approx(100 * 2 / 3),
    }
    mine = result["mine", "all"]
    assert mine["n"] == 4
    assert result["longer", "all"]["n"] == 2
    assert mine["ci_low"] <= mine["value"] <= mine["ci_high"]


def test_a_kind_of_which_all_pairs_tie_has_no_share(files):
    table = controls(job_with(files)).assign(stereotype=1.0, **{"anti-stereotype": 1.0})
    assert (
        summarised(model_tables.summarise_crows_pairs, {f"{EVIDENCE}crows_controls": table}) == []
    )
    assert summarised(model_tables.summarise_crows_pairs, {}) == []


MODEL = "predictions_gpt2-medium_ModelNSP_GPT2LM.json"
# All of one split: the ids are i1s, i1a, i1u (intrasentence) and so on.
DEVELOPMENT = ITEMS.assign(split="development")


def predictions(**changed):
    """A file in which scores are the sentences' places; `changed` by id, None for no score."""
    scores = {name: float(place) for place, name in enumerate(DEVELOPMENT["id"])} | changed
    result = [{"id": name, "score": score} for name, score in scores.items() if score is not None]
    intra = [row for row in result if row["id"].startswith("i1")]
    return {"intrasentence": intra, "intersentence": [row for row in result if row not in intra]}


def job_of_predictions(folder, **files):
    for name, data in files.items():
        (folder / name).write_text(json.dumps(data))
    source = manifest(folder, "released", *files)
    return job_with({"stereoset_predictions": source, "evidence/stereoset/items": DEVELOPMENT})


def test_scores_are_those_of_the_items_candidates(tmp_path):
    table = measure_predictions(job_of_predictions(tmp_path, **{MODEL: predictions(i2a=-7.5)}))
    result = table[table["scheme"] == "likelihood"].set_index("item")
    assert set(result["row"]) == {"gpt2-medium"}
    assert GOLD == CANDIDATES
    assert result.loc["i1", list(CANDIDATES)].tolist() == [0, 1, 2]
    assert result.loc["i2", list(CANDIDATES)].tolist() == [3, -7.5, 5]
    assert result.loc["i3", "target"] == "Peru"


def test_a_causal_models_sentences_have_one_score_and_sentiment_no_scheme(tmp_path):
    names = ("SentimentModel", "bert-base-cased_B_C", "EnsembleModel_", "gpt2_ModelNSP_GPT2LM")
    names = [MODEL, *(f"predictions_{name}.json" for name in names)]
    table = measure_predictions(job_of_predictions(tmp_path, **dict.fromkeys(names, predictions())))
    tasks = table.groupby(["row", "scheme"])["task"].apply(lambda tasks: sorted(set(tasks)))
    both = ["intersentence", "intrasentence"]
    assert tasks.to_dict() == {
        ("gpt2-medium", "likelihood"): both,
        ("gpt2-medium", "pseudo-likelihood"): ["intrasentence"],
        ("sentiment", ""): both,
        ("bert-base", "likelihood"): both,
        ("ensemble", "likelihood"): both,
        ("gpt2", "likelihood"): both,
        ("gpt2", "pseudo-likelihood"): ["intrasentence"],
    }
