"""What the artefacts read: embeddings and employment."""

import json

import numpy as np
from numpy.testing import assert_allclose

from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.inputs import joined, provenance, read_vectors
from socialbias.papers.trustworthy.inputs import read_employment
from socialbias.pipeline.job import Job


def test_inputs_are_read_with_their_source_and_fidelity(tmp_path):
    words = ("clerk", "judge")
    WordVectors(words, np.eye(2, dtype=np.float32)).save(tmp_path / "lists")
    (tmp_path / "a.tsv").write_text("occupation\tbls_pct_female\nclerk\t60\n")
    manifest = {"source": "labour", "format": "winogender", "files": [{"path": "a.tsv"}]}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    files = {"vectors/lists/word2vec": [tmp_path], "census_gender": [tmp_path / "manifest.json"]}
    provenance = {
        "vectors/lists/word2vec": [("w2v", "subset")],
        "census_gender": [("labour", "substitute")],
    }
    job = Job(files, provenance, {}, print)
    got = read_vectors(job, "lists")
    assert list(got) == ["word2vec"]
    assert (got["word2vec"].source, got["word2vec"].fidelity) == ("w2v", "subset")
    assert got["word2vec"].data.words == words
    assert read_vectors(job, "weat") == {}
    got = read_employment(job, 2010)
    assert list(got) == ["gender"]
    assert (got["gender"].source, got["gender"].fidelity) == ("labour", "substitute")
    assert_allclose(got["gender"].data, [[0.6, 0.4]])


def test_several_sources_are_separated_by_one_semicolon_each_once():
    job = Job(
        {}, {"evidence/x/y": [("w2v", "subset"), ("a;b", "exact"), ("b", "exact")]}, {}, print
    )
    assert provenance(job, "evidence/x/y") == ("a;b;w2v", "subset")
    assert joined(["b;a", "c", "", "a"]) == "a;b;c"
