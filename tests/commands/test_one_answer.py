"""The same vectors, texts and words give the same number in an artefact and an audit."""

import shutil

import pytest
from gensim.models import KeyedVectors
from scipy.stats import spearmanr

import socialbias
from socialbias.commands.audit import instruments_relatedness, instruments_vectors
from socialbias.commands.audit.benchmarks import Benchmarks
from socialbias.embeddings import intrinsic
from socialbias.embeddings.vectors import WordVectors
from socialbias.sources.manifest import read_manifest

pytestmark = pytest.mark.usefixtures("few_halves")  # as many on either side of a comparison
VECTORS = "googlenews-wefe-13k"


@pytest.fixture(scope="module")
def data(fetched, tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    sources = ("winogender-occupations", "word-similarity")
    for source in (VECTORS, *sources):
        shutil.copytree(fetched / source, folder / source)
    return folder


@pytest.fixture(scope="module")
def vectors(data):
    read = KeyedVectors.load(str(data / VECTORS / "test_model.kv"))
    return WordVectors(tuple(read.index_to_key), read.vectors)


@pytest.fixture(scope="module")
def audited(data, vectors, few_halves):
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SOCIALBIAS_MIRROR", raising=False)
        patch.setattr(instruments_vectors, "MEASURES", [])  # what no artefact has
        found = socialbias.audit(
            vectors, data=data, offline=True, only=["relatedness", "employment"]
        )
    return {entry.instrument: entry for entry in found.entries}


def same(found, expected):
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


def test_employment_is_a_rank_correlation_with_uneven_shares(data, audited, monkeypatch):
    monkeypatch.delenv("SOCIALBIAS_MIRROR", raising=False)
    shares = instruments_vectors.employment_of(Benchmarks(data, offline=True))["female"]
    results = [e.result for name, e in audited.items() if name.startswith("employment, ")]
    assert len(results) >= 5
    for result in results:
        biases = [row.value for row in result.rows]
        uneven = [abs(shares[row.target] - 0.5) for row in result.rows]
        assert result.value == pytest.approx(spearmanr(biases, uneven)[0])


def test_relatedness(data, vectors, audited):
    sets = {"similarity": read_manifest(data / "word-similarity" / "manifest.json")}
    names, counted = instruments_relatedness.JUDGED, 0
    for check in intrinsic.checks(vectors, sets):
        entry = audited.get(f"relatedness, {names.get(check['set'], check['set'])}")
        if entry is None:
            continue
        result, counted = entry.result, counted + 1
        assert result.value == pytest.approx(check["value"], rel=1e-5)
        assert (result.n, result.n_of) == (check["known"], check["of"])
    assert counted >= 2
