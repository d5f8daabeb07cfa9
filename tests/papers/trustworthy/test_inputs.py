"""What the artefacts read: embeddings and employment."""

import json

import numpy as np
from numpy.testing import assert_allclose

from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.trustworthy.inputs import read_embeddings, read_employment


def test_inputs_are_read_with_their_source_and_fidelity(tmp_path):
    words = ("clerk", "judge")
    WordVectors(words, np.eye(2, dtype=np.float32)).save(tmp_path)
    said = {"source": "w2v", "fidelity": "subset"}
    (tmp_path / "info.json").write_text(json.dumps(said))
    (tmp_path / "a.tsv").write_text("occupation\tbls_pct_female\nclerk\t60\n")
    manifest = said | {"source": "labour", "format": "winogender", "files": [{"path": "a.tsv"}]}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    got = read_embeddings({"word2vec": str(tmp_path / "info.json"), "other": "x"})
    assert list(got) == ["word2vec"]
    assert (got["word2vec"].source, got["word2vec"].fidelity) == ("w2v", "subset")
    assert got["word2vec"].data.words == words
    inputs = {"census_gender": str(tmp_path / "manifest.json")}
    got = read_employment(inputs, 2010, {"census_gender": "substitute"})
    assert list(got) == ["gender"]
    assert (got["gender"].source, got["gender"].fidelity) == ("labour", "substitute")
    assert_allclose(got["gender"].data, [[0.6, 0.4]])
