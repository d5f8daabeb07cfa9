"""From a corpus to the evidence of Trustworthy's text half, on a corpus of three short texts."""

import json

import numpy as np
import pandas as pd
import pytest

from socialbias.corpora.documents import Document, ReadReport
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.shards import write_shards
from socialbias.models.loading import load_model
from socialbias.models.probe import Settings
from socialbias.models.sampled_sentences import Choice, sentences
from socialbias.papers.trustworthy import (
    probes,
    probing,
    table3,
    table8,
    text,
)
from socialbias.papers.trustworthy.inputs import EVERY
from socialbias.papers.trustworthy.representing import (
    Features,
    Limits,
    Shard,
    choose,
    represent,
    save_shards,
)
from tests import tiny_models
from tests.worlds import summarised

LISTS = {"v": {"female": ["she", "her"], "male": ["he", "his"]}}
LIMITS = {"shortest": 3, "longest": 40, "windows": 0, "keep_last": True}
TEXTS = [
    "She was a nurse in town. The nurse saw him there once. He was a pilot all his life.",
    "The Nurse, she said, was late. His pilot was very late too.",
    "Nobody here works at all today.",
]


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shards")
    documents = [Document(f"d{i}", words, {}) for i, words in enumerate(TEXTS)]
    write_shards(documents, folder, ReadReport())
    return folder / "documents.json"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prepared")
    prepare([Document(f"d{i}", words, {}) for i, words in enumerate(TEXTS)], folder)
    return Corpus.load(folder)


def test_evidence_counts_contexts_by_document(corpus):
    def counted(n, **limits):
        table = text.evidence(corpus, ["nurse", "pilot"], LISTS, **LIMITS | limits)
        assert set(table["corpus_documents"]) == {3}
        at = table[table["n"] == n].set_index(["target", "document"])
        return {key: tuple(row) for key, *row in at[["female", "male", "neither"]].itertuples()}

    assert counted(1) == {
        ("nurse", 0): (1, 0, 1),
        ("nurse", 1): (1, 0, 0),
        ("pilot", 0): (0, 1, 0),
        ("pilot", 1): (0, 1, 0),
        # Whatever they mention: "she was", "he was"; "she said", "his pilot".
        (EVERY, 0): (1, 1, 0),
        (EVERY, 1): (1, 1, 0),
    }
    # Two sentences together: she, nobody; then nobody, he. In the second text both.
    assert (counted(2)["nurse", 0], counted(2)["nurse", 1]) == ((1, 1, 0), (0, 0, 1))
    # The pilots are in the last sentences.
    assert {target for target, _ in counted(1, keep_last=False)} == {"nurse", EVERY}


def test_evidence_goes_block_by_block_and_stops_with_the_windows(corpus, monkeypatch):
    """As all at once, with a block for each document; the limit is one for the whole corpus."""

    def nurses(windows=0):
        table = text.evidence(corpus, ["nurse"], LISTS, **LIMITS | {"windows": windows})
        return table.sort_values(["n", "target", "document"], ignore_index=True)

    at_once = {n: nurses(n) for n in (0, 3, 4)}
    monkeypatch.setattr("socialbias.corpora.prepared.BLOCK_TOKENS", 4)
    for n in (0, 4):
        pd.testing.assert_frame_equal(nurses(n), at_once[n])
    # The first text has three windows of one sentence, and the fourth is the second text's first.
    for n, documents in ((3, [0]), (4, [0, 1])):
        table = at_once[n].query("n == 1 and target == 'nurse'")
        assert table["document"].tolist() == documents


def chosen(corpus, targets, professions=(), how=None, seed=1, **limits):
    given = {"shortest": 3, "longest": 40, "documents": 0, "per_word": 0, "per_target": 9} | limits
    rng = np.random.default_rng(seed)
    return choose(corpus, targets, [*professions], LISTS, Limits(**given), rng, **how or {})


@pytest.fixture(scope="module")
def choice(corpus):
    return chosen(corpus, ["nurse", "pilot"], ["baker"])


def test_every_word_gets_its_sentences_and_every_target_its_examples(corpus, choice):
    assert choice.words == ("nurse", "pilot", "he", "her", "his", "she")
    counts = choice.mentions["word"].value_counts().to_dict()
    assert counts == {"nurse": 3, "pilot": 2, "she": 2, "his": 2, "he": 1}
    result = choice.examples.groupby("target")["label@v"].agg(sorted).to_dict()
    assert result == {"nurse": [0, 0, 2], "pilot": [1, 1]}


def test_a_rare_profession_is_not_asked_about_and_limits_hold(corpus):
    limits = {"documents": 1, "per_word": 1, "per_target": 1}
    result = chosen(corpus, ["nurse"], ["pilot"], **limits)
    assert "pilot" not in result.words
    assert set(result.mentions["document"]) == {0}
    assert result.mentions["word"].value_counts().max() == 1
    alone = chosen(corpus, ["nurse"], how={"for_probe_alone": True}, **limits)
    assert alone.words == ("nurse",)
    assert len(alone.mentions) == len(alone.examples) == 1


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({}, {0, 1, 2, 3, 4}),  # three sentences of the first text, two of the second
        ({"last_window": False}, {0, 1, 3}),
        ({"windows": 2}, {0, 1}),
        ({"windows": 3, "last_window": False}, {0, 1, 3}),
    ],
)
def test_the_limits_of_the_released_code_hold_for_sentences(corpus, limits, expected):
    assert set(chosen(corpus, ["nurse", "pilot"], **limits).mentions["sentence"]) == expected


@pytest.mark.parametrize(("probed", "asked"), [(True, {"nurse", "pilot"}), (False, {"nurse"})])
def test_a_probe_may_be_asked_about_the_eight_alone(corpus, monkeypatch, probed, asked):
    monkeypatch.setattr("socialbias.papers.trustworthy.representing.FEWEST", 2)
    result = chosen(corpus, ["nurse"], ["pilot"], {"probed_professions": probed})
    assert set(result.examples["target"]) == asked
    assert "pilot" in result.words  # which has a reduction all the same


@pytest.mark.parametrize("per_target", [1, 2, 9])
def test_the_control_is_given_the_same_examples(corpus, per_target):
    limits = {"per_word": 1, "per_target": per_target, "seed": 7}
    both, alone = (
        chosen(corpus, ["nurse", "pilot"], how={"for_probe_alone": alone}, **limits)
        for alone in (False, True)
    )
    pd.testing.assert_frame_equal(both.examples, alone.examples)
    assert len(both.mentions) > len(alone.mentions) == len(alone.examples)


@pytest.mark.parametrize("as_tokens", [False, True])
def test_words_are_found_in_their_sentences(corpus, shards, choice, as_tokens):
    read = list(sentences(corpus, shards, choice, as_tokens=as_tokens))
    result = {
        (s.document, choice.words[word], s.text[slice(*span)])
        for s in read
        for word, span in zip(s.words, s.spans, strict=True)
    }
    assert (1, "nurse", "nurse" if as_tokens else "Nurse") in result
    assert (0, "he", "he" if as_tokens else "He") in result
    assert {word.lower() for _, word, _ in result} == {w.lower() for *_, w in result}
    assert ("the nurse , she said" in read[3].text) == as_tokens


def test_features_are_means_over_a_word_s_places(corpus, shards, choice):
    features = Features(choice)
    read = list(sentences(corpus, shards, choice, as_tokens=False))
    for part in (read[:2], read[2:]):
        rows = [[s.number, word] for s in part for word in s.words]
        features.add(part, np.array(rows, np.float32))
    expected = [[row.sentence, choice.words.index(row.target)]
                for row in choice.examples.itertuples()]  # fmt: skip
    assert [features.vectors[i].tolist() for i in range(len(expected))] == expected


def test_what_shards_leave_is_what_the_whole_text_leaves(tmp_path, corpus, shards, choice):
    folder = tiny_models.write(tmp_path / "bert", "bert")
    model = load_model(folder, "encoder", device="cpu")
    choice.save(tmp_path)
    read = Choice.load(tmp_path)
    options = {"layer": 1, "draws": 3, "seed": 1}
    for of in (1, 2):
        done = []
        for number in range(of):
            part = sentences(corpus, shards, read.shard(number, of), as_tokens=False)
            shard = represent(model, part, read, isolated=number == 0, **options)
            shard.save(tmp_path / "shard.npz")
            done.append(Shard.load(tmp_path / "shard.npz"))
        save_shards(done, read, tmp_path / str(of), {"documents": 3})
    for name in ("vectors", "resampled", "features", "counts"):
        whole, divided = (np.load(tmp_path / f"{of}/{name}.npy") for of in (1, 2))
        np.testing.assert_allclose(divided, whole, atol=1e-5)
    assert np.abs(whole).sum() > 0
    report = [(tmp_path / f"{of}/report.json").read_text("utf-8") for of in (1, 2)]
    assert report[0] == report[1]
    info = json.loads((tmp_path / "2/info.json").read_text("utf-8"))
    assert info == {"documents": 3, "ran_on": [{"device": "cpu", "dtype": "float32"}]}


def test_a_target_that_nothing_was_trained_of_gets_the_shares_of_all():
    """The one document of a pilot is held out; of the nurse's ten examples seven are trained on."""
    examples = pd.DataFrame({"document": range(11), "target": ["nurse"] * 10 + ["pilot"]})
    examples["label@v"] = [1, 1, 1, 1, 0, 0, 2, 0, 0, 0, 0]
    x = np.random.default_rng(1).normal(size=(11, 3))
    table = probing.evidence(x, x, examples, Settings(epochs=1), 1, 1, 11)
    majority = table[table["kind"] == "majority"].set_index("target")
    assert majority.loc["pilot", "predicted"] == 1
    np.testing.assert_allclose(majority.loc["pilot", probes.SHARES].tolist(), [2 / 7, 4 / 7, 1 / 7])


def test_sentences_of_a_document_are_not_on_both_sides_of_a_probe():
    examples = pd.DataFrame(
        {"document": [0] * 4 + [1] * 6, "target": "nurse", "label@v": [0, 1] * 5}
    )
    x = np.random.default_rng(1).normal(size=(10, 3))
    table = probing.evidence(x, x, examples, Settings(epochs=1), 1, 1, 11)
    assert set(table["document"]) == {1}
    assert len(table[table["kind"] == "given"]) == 6


def test_a_control_task_is_judged_by_its_own_labels_one_a_target():
    examples = pd.DataFrame({"document": range(40), "target": ["nurse", "pilot"] * 20})
    examples["label@v"] = [0, 0, 1, 1] * 10  # each target has as many of both
    x = np.random.default_rng(1).normal(size=(40, 3))
    table = probing.evidence(x, x, examples, Settings(epochs=1), 1, 1, 40)
    labels = table.groupby(["kind", "target"], observed=True)["label"].nunique()
    assert (labels["control"] == 1).all()
    assert (labels["given"] == 2).all()


def probe_evidence():
    """Two documents of a nurse: one said to be of a woman twice, one of neither and of a man."""
    rows = [
        ("given", 0, "nurse", 0, 0, 0, 0.75, 0.25, 0.0),
        ("given", 1, "nurse", 0, 0, 0, 0.75, 0.25, 0.0),
        ("given", 0, "nurse", 1, 1, 2, 0.25, 0.25, 0.5),
        ("given", 1, "nurse", 1, 1, 1, 0.25, 0.50, 0.25),
    ]
    columns = ["kind", "seed", "target", "document", "label", "predicted", *probes.SHARES]
    return pd.DataFrame(rows, columns=columns).assign(variant="v", corpus_documents=9)


def test_probe_counts_are_means_over_seeds():
    hard = probes.probe_counts(probe_evidence(), "given", "v").set_index("document")
    assert hard[["female", "male"]].to_numpy().tolist() == [[1, 0], [0, 0.5]]
    soft = probes.probe_counts(probe_evidence(), "given", "v", soft=True).set_index("document")
    assert soft[["female", "male"]].to_numpy().tolist() == [[0.75, 0.25], [0.25, 0.375]]


def test_probe_values_hold_predictions_against_labels():
    table = pd.concat([probe_evidence(), probe_evidence().assign(target="pilot", predicted=1)])
    tables = {"evidence/trustworthy/probe_bert": table}
    result = summarised(probes, tables, **{"trustworthy.word_lists": ["v"]})
    cells = {record["column"]: record["value"] for record in result}
    # Nurse: 3 of 4 right; pilot: 2 of 4.
    assert cells["accuracy"] == pytest.approx(0.625)
    # Labels are half female, half male. Nurse as predicted: 1/2, 1/4, 1/4; pilot: all male.
    assert cells["error@hard"] == pytest.approx((0.25 + 0.5) / 2)
    # Probabilities: 1/2, 5/16, 3/16 for both.
    assert cells["error@soft"] == pytest.approx(3 / 16)


def test_the_same_contexts_are_those_held_out():
    """Labels of one seed, since the others have the same, and probabilities of all."""
    result = probes.same_contexts(probe_evidence(), "v")
    assert set(result) == {"labels", "given"}
    labels = result["labels"].set_index("document")[["female", "male"]]
    assert labels.to_numpy().tolist() == [[1, 0], [0, 1]]
    soft = result["given"].set_index("document")[["female", "male"]]
    assert soft.to_numpy().tolist() == [[0.75, 0.25], [0.25, 0.375]]


def controlled(accuracies, targets=12, each=20):
    """Evidence of probes that are right so often, of many targets."""
    rows = [
        (kind, f"t{t}", i, 0, 0 if i < round(right * each) else 1)
        for kind, right in accuracies.items()
        for t in range(targets)
        for i in range(each)
    ]
    columns = ["kind", "target", "document", "label", "predicted"]
    table = pd.DataFrame(rows, columns=columns).assign(seed=0, variant="v", corpus_documents=9)
    return table.assign(p_female=0.5, p_male=0.25, p_neither=0.25)


def test_a_probe_must_beat_shuffled_labels_and_the_most_frequent_label():
    good = controlled({"given": 0.8, "shuffled": 0.6, "majority": 0.7})
    assert probes.weakness(good, "v", 0.95, 1) == ""
    bad = controlled({"given": 0.8, "shuffled": 0.6, "majority": 0.8})
    assert "not shown to be above 0.80" in probes.weakness(bad, "v", 0.95, 1)
    records = table3.counted_values({"probe_bert": bad}, ["t1", "t2"], 0.95)
    assert all(record["weak"] for record in records)
    assert set(table8.probe_evidence(bad, "v", ["t1", "t2"])["weak"]) != {""}
    trained = controlled({"majority": 1.0}, targets=2)
    trained.loc[trained["target"] == "t1", ["p_female", "p_male"]] = [0.1, 0.4]
    assert probes.trained_lean(trained, "v").to_dict() == {"t0": 1, "t1": -1}


def test_table3_makes_columns_of_counts():
    rows = [("v", 3, "nurse", 0, 3, 1, 0, 9), ("v", 1, "nurse", 0, 0, 9, 0, 9)]
    table = pd.DataFrame(rows, columns=text.COLUMNS)
    result = {"wikipedia": table, "probe_bert": probe_evidence()}
    records = {r["column"]: r for r in table3.counted_values(result, ["nurse"], 0.95)}
    assert records["text-automated@v"]["value"] == 0.25
    assert records["text-automated@v"]["n"] == 4
    assert records["cr-probe@v"]["value"] == pytest.approx(1 / 1.5 - 0.5)


def test_table8_with_all_words_is_the_default(corpus, monkeypatch):
    monkeypatch.setattr(table8, "DEFAULT_LENGTH", 1)
    table = table8.text_evidence(corpus, LISTS["v"], ["nurse", "pilot"], [1, 2], 20, 1, LIMITS)
    part = table.set_index(["column", "draw", "unit"])["direction"].sort_index()
    assert part.xs(("default", 0)).to_dict() == {"nurse": 0.5, "pilot": -0.5}
    assert (part.xs("lists-2").unstack() == part.xs(("default", 0))).all(axis=None)
    assert set(part.xs("lists-1").round(6)) == {-0.5, 0.0, 0.5}
    monkeypatch.undo()  # with three sentences, the first text has both groups: none to share
    table = table8.text_evidence(corpus, LISTS["v"], ["nurse", "pilot"], [1], 20, 1, LIMITS)
    assert summarised(table8, table) == []


def test_table8_of_a_probe_uses_its_counts():
    table = table8.probe_evidence(probe_evidence(), "v", ["nurse", "pilot"])
    part = table.set_index(["column", "unit"])["direction"]
    assert part["default", "nurse"] == pytest.approx(1 / 6)
    assert set(table["unit"]) == {"nurse"}  # of the pilot it never says a group
    assert part["softmax", "nurse"] == pytest.approx(1 / (1 + np.exp(-0.5)) - 0.5)


def test_intervals_of_shares_end_where_shares_do():
    """31 targets of four examples each, all of which are predicted rightly but one."""
    table = controlled({"given": 1.0}, targets=31, each=4)
    table.loc[0, "predicted"] = 1
    table[probes.SHARES] = np.eye(3)[table["predicted"]]
    tables = {"evidence/trustworthy/probe_bert": table}
    result = summarised(probes, tables, **{"trustworthy.word_lists": ["v"]})
    found = {cell["column"]: cell for cell in result}
    assert found["accuracy"]["value"] == pytest.approx(1 - 1 / 124)
    assert found["error@hard"]["value"] == pytest.approx(1 / 124)
    assert found["accuracy"]["ci_high"] == 1  # by the draws alone above it
    assert np.quantile(found["accuracy"]["draws"], 0.975) > 1
    assert found["error@hard"]["ci_low"] == 0
