"""What sections 3, 4 and 8 say of the measure, HELM's variant, what artefacts read and show."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.inputs import read_vectors
from socialbias.papers.trustworthy import helm, reading, special_cases
from socialbias.papers.trustworthy.directed import directed
from socialbias.papers.trustworthy.inputs import read_employment
from socialbias.papers.trustworthy.special_cases import cases, deviation, same_order
from socialbias.pipeline.job import Job
from tests.worlds import job_with, numbers, parquet, prepared


def test_the_proof_by_hand():
    # x, y = 3, 1: print's steps give |3/4 - 1/2| + |1/4 - 1/2| = 1/2 = (3 - 1) / (3 + 1).
    earlier, ours, scale = special_cases._of_strengths(np.array([[3.0, 1.0], [2.0, 2.0]]))
    assert earlier.tolist() == [2, 0]
    assert ours.tolist() == [0.5, 0]
    assert scale.tolist() == [4, 4]
    assert deviation(earlier, ours, scale) == 0


def test_a_measure_that_is_no_special_case_deviates():
    sums, ours = np.array([4.0, 4.0]), np.array([0.5, 0.0])  # Manzini's sum of the same strengths
    assert deviation(sums, ours, np.array([4.0, 4.0])) == 4


def test_orders_of_pairs_by_hand():
    # Three pairs of targets: 1 2 3 against 1 3 2 agree on two; a tie agrees with a tie alone.
    assert same_order(np.array([1.0, 2, 3]), np.array([1.0, 3, 2])) == pytest.approx(2 / 3)
    assert same_order(np.array([1.0, 1, 2]), np.array([1.0, 1, 3])) == 1
    assert same_order(np.array([1.0, 1, 2]), np.array([1.0, 2, 3])) == pytest.approx(2 / 3)


@pytest.mark.parametrize("seed", range(3))
def test_every_identity_holds_and_a_constant_scale_keeps_the_order(seed):
    for name, (earlier, ours, scale) in cases(np.random.default_rng(seed)).items():
        np.testing.assert_allclose(earlier, ours * scale, atol=1e-12, err_msg=name)
        if np.ptp(scale) < 1e-12:
            assert same_order(earlier, ours) == 1, name


def test_differences_of_strengths_order_targets_otherwise_than_divdist():
    # (10, 8) differs by 2 and (3, 2) by 1, but 2/18 < 1/5: up to scaling is not up to order.
    earlier, ours, _ = special_cases._of_strengths(np.array([[10.0, 8], [3, 2]]))
    assert same_order(earlier, ours) == 0


WORDS = ["a", "b", "c", "d"]


def biases(shares):
    """Directed bias of words that stand in 20 documents, by their female share."""
    rows = [
        {"target": word, "document": i, "female": share, "male": 1 - share, "contexts": 1}
        for word, share in shares.items()
        for i in range(20)
    ]
    return directed(pd.DataFrame(rows).assign(corpus_documents=20), 0.95, "t")


def helm_cells(ours, helms):
    return numbers(helm.values("samples", ours, helms, ["a"], job_with()))


def test_both_measures_stand_side_by_side():
    ours = biases({"a": 1.0, "b": 0.9, "c": 0.2, "d": 0.5})
    helms = biases({"a": 0.7, "b": 0.8, "c": 0.4, "d": 0.5})
    result = helm_cells(ours, helms)
    assert result["a", "samples"] == pytest.approx(0.5)
    assert result["a", "samples-helm"] == pytest.approx(0.2)
    # (.5 + .4 + .3 + 0) / 4 and (.2 + .3 + .1 + 0) / 4
    assert result["mean-size", "samples"] == pytest.approx(0.3)
    assert result["mean-size", "samples-helm"] == pytest.approx(0.15)
    # Ranks 4 3 1 2 and 3 4 1 2: 1 - 6 * 2 / 60.
    assert result["rho", "samples-helm"] == pytest.approx(0.8)


def test_without_one_of_the_texts_there_is_no_comparison():
    result = helm_cells(None, biases(dict.fromkeys(WORDS, 0.4)))
    assert set(result) == {("a", "samples-helm"), ("mean-size", "samples-helm")}


def test_weights_divide_by_the_lengths_of_the_lists(tmp_path):
    lists = {"female": ["she", "her"], "male": ["he", "him", "his", "john"]}
    lists = {"gender": {"v": lists}, "table3_targets": ["nurse"], "professions": []}
    files = {"prepared/a": prepared(tmp_path, ["she met a nurse and him ."])}
    files |= {"word_lists/trustworthy": lists}
    table = helm.measure(job_with(files, **{"trustworthy.word_lists": ["v"]}))
    assert table[["female", "male", "contexts"]].values.tolist() == [[0.5, 0.25, 1]]


def test_vectors_and_employment_are_read_by_role_and_group_set(tmp_path):
    words = ("clerk", "judge")
    WordVectors(words, np.eye(2, dtype=np.float32)).save(tmp_path / "lists")
    (tmp_path / "a.tsv").write_text("occupation\tbls_pct_female\nclerk\t60\n")
    manifest = {"source": "labour", "format": "winogender", "files": [{"path": "a.tsv"}]}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    files = {"vectors/lists/word2vec": [tmp_path], "census_gender": [tmp_path / "manifest.json"]}
    job = Job(files, {}, print)
    got = read_vectors(job, "lists")
    assert list(got) == ["word2vec"]
    assert got["word2vec"].words == words
    assert read_vectors(job, "weat") == {}
    got = read_employment(job, 2010)
    assert list(got) == ["gender"]
    assert_allclose(got["gender"], [[0.6, 0.4]])


SHOWN = {
    "gender": {"mine": {"female": ["she"], "male": ["he"]}},
    "table3_targets": ["nurse", "pilot", "dancer"],
}


def shown_count(target, document, female, male, neither, variant="mine", n=3):
    about = {"variant": variant, "n": n, "target": target, "document": document}
    return about | {"female": female, "male": male, "neither": neither}


def test_documents_with_one_gender_are_shown_with_their_counts(tmp_path):
    report = prepared(tmp_path / "corpus", ["she nurse nurse naps"])
    rows = [shown_count("nurse", 0, 2, 0, 1), shown_count("pilot", 0, 0, 0, 4)]
    # Of another list or length, and of a word that the table does not show.
    rows += [
        shown_count("nurse", 0, 9, 9, 9, variant="other"),
        shown_count("nurse", 0, 9, 9, 9, n=1),
    ]
    rows += [shown_count("baker", 0, 9, 9, 9)]
    files = {reading.TEXT: parquet(tmp_path, text=pd.DataFrame(rows)), reading.CORPUS: report}
    files |= {"word_lists/trustworthy": SHOWN}
    nurse, pilot = reading.shown_contexts(job_with(files, **{"trustworthy.word_lists": ["mine"]}))
    assert nurse.keys == ("text-automated nurse",)
    [row] = nurse.table.to_dict("records")
    assert [row[name] for name in ("document", "female", "male", "neither")] == ["0", "2", "0", "1"]
    assert sorted(row["text"].split()) == ["naps", "nurse", "nurse", "she"]
    assert pilot.table.empty  # no context of one gender alone


def test_the_words_around_the_first_mention_are_shown():
    words = ["a"] * reading.AROUND + ["b", "pilot"] + ["c"] * reading.AROUND + ["pilot"]
    shown = reading._around("pilot", words)
    assert shown.split()[0] == shown.split()[-1] == "…"
    assert shown.split().count("pilot") == 1
    assert len(shown.split()) == 2 * reading.AROUND + 3
