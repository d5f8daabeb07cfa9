"""Released scores: placed by the ids of sentences, and refused where an id does not fit."""

import json

import pytest

from socialbias.errors import UserError
from socialbias.measures.stereoset import CANDIDATES
from socialbias.papers.stereoset.items import measure_predictions as measure
from socialbias.papers.stereoset.items import row_of
from tests.worlds.corpora import manifest
from tests.worlds.jobs import job_with
from tests.worlds.stereoset import GOLD, ITEMS

MODEL = "predictions_gpt2-medium_ModelNSP_GPT2LM.json"
# All of one split: the ids are i1s, i1a, i1u (intrasentence) and so on.
DEVELOPMENT = ITEMS.assign(split="development")


def predictions(**changed):
    """A file in which scores are the sentences' places; `changed` by id, None for no score."""
    scores = {name: float(place) for place, name in enumerate(DEVELOPMENT["id"])} | changed
    result = [{"id": name, "score": score} for name, score in scores.items() if score is not None]
    intra = [row for row in result if row["id"].startswith("i1")]
    return {"intrasentence": intra, "intersentence": [row for row in result if row not in intra]}


def job(folder, **files):
    for name, data in files.items():
        (folder / name).write_text(json.dumps(data))
    source = manifest(folder, "released", *files)
    return job_with({"stereoset_predictions": source, "evidence/stereoset/items": DEVELOPMENT})


def test_scores_are_those_of_the_items_candidates(tmp_path):
    table = measure(job(tmp_path, **{MODEL: predictions(i2a=-7.5)}))
    result = table[table["scheme"] == "likelihood"].set_index("item")
    assert set(result["row"]) == {"gpt2-medium"}
    assert GOLD == CANDIDATES
    assert result.loc["i1", list(CANDIDATES)].tolist() == [0, 1, 2]
    assert result.loc["i2", list(CANDIDATES)].tolist() == [3, -7.5, 5]
    assert result.loc["i3", "target"] == "Peru"


def test_a_causal_models_sentences_have_one_score_and_sentiment_no_scheme(tmp_path):
    names = [MODEL, "predictions_SentimentModel.json", "predictions_bert-base-cased_B_C.json"]
    table = measure(job(tmp_path, **dict.fromkeys(names, predictions())))
    tasks = table.groupby(["row", "scheme"])["task"].apply(lambda tasks: sorted(set(tasks)))
    both = ["intersentence", "intrasentence"]
    assert tasks.to_dict() == {
        ("gpt2-medium", "likelihood"): both,
        ("gpt2-medium", "pseudo-likelihood"): ["intrasentence"],
        ("sentiment", ""): both,
        ("bert-base", "likelihood"): both,
    }


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("EnsembleModel_", "ensemble"),
        ("SentimentModel", "sentiment"),
        ("bert-large-cased_BertNextSentence_BertLM", "bert-large"),
        ("gpt2-medium_ModelNSP_GPT2LM", "gpt2-medium"),
        ("gpt2_ModelNSP_GPT2LM", "gpt2"),
        ("roberta-base_ModelNSP_RoBERTaLM", "roberta-base"),
        ("xlnet-large-cased_ModelNSP_XLNetLM", "xlnet-large"),
    ],
)
def test_rows_of_the_released_files(tmp_path, name, row):
    assert row_of(tmp_path / f"predictions_{name}.json") == row


def moved(name, to, keep):
    """The file with the score of a sentence in another task, or there too."""
    data = predictions()
    [row] = [row for row in data["intersentence"] if row["id"] == name]
    if not keep:
        data["intersentence"].remove(row)
    data[to].append(row)
    return data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (predictions(i2a=None, i3u=None), "2 sentences without a score, such as i2a"),
        (predictions(i9s=0.5), "1 unknown sentences, such as i9s"),
        (predictions(i2u=float("nan")), "the score of i2u is nan, not a finite number"),
        (
            moved("i2s", "intrasentence", keep=False),
            "sentence i2s is under intrasentence: put it under intersentence",
        ),
        (predictions(i2u="high"), "not StereoSet predictions: could not convert string to float"),
        (moved("i2s", "intersentence", keep=True), "duplicate sentence 'i2s'"),
        (moved("i2s", "intrasentence", keep=True), "duplicate sentence 'i2s'"),
        ({"intrasentence": []}, "contains no predictions"),
        ([1, 2], "not StereoSet predictions: "),
    ],
)
def test_a_file_that_does_not_fit_is_one_line_with_its_name(tmp_path, data, message):
    with pytest.raises(UserError) as caught:
        measure(job(tmp_path, **{MODEL: data}))
    line = str(caught.value)
    assert line.startswith(f"{tmp_path / MODEL}: {message}")
    assert "\n" not in line
