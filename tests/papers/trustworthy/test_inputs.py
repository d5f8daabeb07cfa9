"""What the artefacts read: embeddings and employment."""

import json

import numpy as np
from numpy.testing import assert_allclose

from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.inputs import read_vectors
from socialbias.papers.trustworthy.inputs import read_employment
from socialbias.pipeline.job import Job


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
