"""The same vectors, texts and words give the same number in an artefact and an audit."""

import shutil

import numpy as np
import pytest
from gensim.models import KeyedVectors
from scipy.stats import spearmanr

import socialbias
from socialbias.commands.audit import instruments_seeds, instruments_vectors
from socialbias.commands.audit.benchmarks import Benchmarks
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.user_files import plain_text
from socialbias.embeddings import intrinsic
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.of_papers import read_word_lists
from socialbias.files.paths import resources
from socialbias.papers.trustworthy import table3, text
from socialbias.reporting.write_artefact import with_detectable
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


def numbers(record, *further):
    return [record.get(name, np.nan) for name in ("value", "ci_low", "ci_high", *further)]


def same(found, expected):
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


def test_employment_is_a_rank_correlation_with_uneven_shares(data, audited):
    shares = instruments_vectors.employment_of(Benchmarks(data, offline=True))["female"]
    results = [e.result for name, e in audited.items() if name.startswith("employment, ")]
    assert len(results) >= 5
    for result in results:
        biases = [row.value for row in result.rows]
        uneven = [abs(shares[row.target] - 0.5) for row in result.rows]
        assert result.value == pytest.approx(spearmanr(biases, uneven)[0])


def test_relatedness(data, vectors, audited):
    sets = {"similarity": read_manifest(data / "word-similarity" / "manifest.json")}
    names, counted = instruments_seeds.JUDGED, 0
    for check in intrinsic.checks(vectors, sets):
        entry = audited.get(f"relatedness, {names.get(check['set'], check['set'])}")
        if entry is None:
            continue
        result, counted = entry.result, counted + 1
        assert result.value == pytest.approx(check["value"], rel=1e-5)
        assert (result.n, result.n_of) == (check["known"], check["of"])
    assert counted >= 2


def test_text(tmp_path):
    """Table 3's column of a text, made as by the workflow, and an audit of the same text."""
    words = read_word_lists(resources() / "word_lists/trustworthy.yaml")
    targets, lists, rng = words["table3_targets"], words["gender"], np.random.default_rng(0)
    lines = [
        f"The {targets[i % 8]} came in at noon . Then {rng.choice(['she', 'he'])} went home again ."
        " It rained all day long ."
        for i in range(400)
    ]
    path = tmp_path / "c.txt"
    path.write_text("\n".join(lines) + "\n")
    prepare(plain_text(path, unit="line"), tmp_path / "ids")
    corpus = Corpus.load(tmp_path / "ids")
    table = text.evidence(corpus, targets, lists, shortest=5, longest=40, windows=0)
    cells = table3.counted_values({"wikipedia": table}, targets, 0.95)
    records = {(r["row"], r["column"]): with_detectable(r) for r in cells}
    found = socialbias.audit(path, by="line", data=tmp_path, offline=True)
    entries = {entry.instrument: entry for entry in found.entries}
    result = entries["directed bias, professions-eight"].result
    assert len(result.rows) == 8
    for row in result.rows:
        record = records[row.target, "text-automated@released-code"]
        same([row.value, row.low, row.high, row.n], numbers(record, "n"))
        same(max(result.reliability, 0), record["reliability"])
