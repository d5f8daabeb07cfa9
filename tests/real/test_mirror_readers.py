"""The readers on the published files themselves.

`SOCIALBIAS_MIRROR` names a folder with copies of them; without it, or without a file, the tests
skip. What is expected here was published with the files, or is counted by code that knows nothing
of the readers.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from socialbias.corpora.documents import ReadReport
from socialbias.corpora.parquet import parquet_text
from socialbias.corpora.readers import gpt2_jsonl, gpt2_samples
from socialbias.corpora.wikipedia import wikitext
from socialbias.errors import UserError
from socialbias.measures.datasets import conll2003, crows_pairs, gfm, semeval, weat

FOLDER = os.environ.get("SOCIALBIAS_MIRROR", "")
pytestmark = pytest.mark.skipif(
    not FOLDER, reason="SOCIALBIAS_MIRROR is not set: it names the folder with the published files"
)


def mirror(name: str) -> Path:
    path = Path(FOLDER) / name
    if not path.exists():
        pytest.skip(f"the mirror has no {name}")
    return path


def listed(folder: str, pattern: str) -> list[Path]:
    return sorted(mirror(folder).glob(pattern))


# Articles as published (Merity et al. 2016); lines and blank lines as in torchtext's and Hugging
# Face's descriptions. 29 more lines of train look like titles, and 2 of test: legends, formulas.
WIKITEXT = [
    pytest.param("wikitext-2/train.txt", 600, 36_718, marks=pytest.mark.long),
    ("wikitext-2/valid.txt", 60, 3_760),
    ("wikitext-2/test.txt", 60, 4_358),
]


@pytest.mark.parametrize(("name", "articles", "lines"), WIKITEXT)
def test_wikitext(name, articles, lines):
    path, report = mirror(name), ReadReport()
    documents = list(wikitext(path, report))
    data = path.read_bytes()
    assert data.count(b"\n") == lines
    assert len(documents) == articles
    assert (report.empty, report.bad_bytes, report.truncated) == (0, 0, 0)
    words = sum(len(d.text.split()) for d in wikitext(path))
    heads = re.findall(rb"(?m)^ ?(?:= )+[^=\n].*(?: =)+ ?$", data)
    assert len(data.split()) > words > len(data.split()) - sum(len(h.split()) for h in heads) - 1


def test_wikitext_as_parquet(tmp_path):
    """Its lines as Hugging Face stores them: a blank one as an empty string."""
    path = mirror("wikitext-2/train.txt")
    lines = path.read_bytes().decode().removesuffix("\n").split("\n")
    rows = [f"{line}\n" if line.strip() else "" for line in lines]
    parts = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    for part, some in zip(parts, (rows[:20_000], rows[20_000:]), strict=True):
        pq.write_table(pa.table({"text": some}), part, row_group_size=1000)
    assert list(parquet_text(parts, rows="wikitext")) == list(wikitext(path))


RULE = "=" * 40


@pytest.mark.parametrize("name", ["conditional.txt", "unconditional-topk40.txt"])
def test_gpt2_samples(name):
    path, report = mirror(f"gpt2-output/{name}"), ReadReport()
    samples = list(gpt2_samples(path, report))
    data = path.read_bytes()
    assert data.count(b" SAMPLE ") == data.count(b"======== SAMPLE ") == len(samples) == 500
    rebuilt = "".join(f"{RULE} SAMPLE {s.id} {RULE}\n{s.text}\n" for s in samples)
    assert rebuilt.encode() == data
    assert (report.empty, report.bad_bytes) == (0, 0)


@pytest.mark.parametrize(
    ("name", "cut", "truncated"),
    [
        ("webtext.test.truncated.jsonl", False, 0),
        ("webtext.valid.truncated.jsonl", False, 0),
        ("webtext.train.head.jsonl", True, 1),
    ],
)
def test_gpt2_jsonl(name, cut, truncated):
    path, report = mirror(f"gpt2-output/{name}"), ReadReport()
    documents = list(gpt2_jsonl(path, report, cut=cut))
    assert len(documents) == path.read_bytes().count(b"\n") == report.documents
    assert (report.truncated, report.empty) == (truncated, 0)
    if cut:
        assert [int(d.id) for d in documents] == list(range(len(documents)))
        with pytest.raises(UserError, match=f"line {len(documents) + 1}: not JSON"):
            list(gpt2_jsonl(path))


# Sentences and documents as published (Tjong Kim Sang and De Meulder 2003); so are the entities.
CONLL = [
    ("train.txt", 14_041, 946, 203_621, {"LOC": 7140, "MISC": 3438, "ORG": 6321, "PER": 6600}),
    ("dev.txt", 3_250, 216, 51_362, {"LOC": 1837, "MISC": 922, "ORG": 1341, "PER": 1842}),
    ("test.txt", 3_453, 231, 46_435, {"LOC": 1668, "MISC": 702, "ORG": 1661, "PER": 1617}),
]


@pytest.mark.parametrize(("name", "sentences", "documents", "tokens", "entities"), CONLL)
def test_conll2003(name, sentences, documents, tokens, entities):
    found = list(conll2003.read_sentences(mirror(f"conll2003/{name}")))
    assert len(found) == sentences
    assert found[-1].document == documents
    assert len({s.document for s in found}) == documents
    assert sum(len(s.tokens) for s in found) == tokens
    begun = [tag[2:] for s in found for tag in s.entities if tag[0] == "B"]
    assert {kind: begun.count(kind) for kind in entities} == entities


def test_crows_pairs():
    path = mirror("crows-pairs/crows_pairs_anonymized.csv")
    table = crows_pairs.read_pairs(path)
    assert path.read_bytes().count(b"\n") == 1 + 1_508 + 1  # header, rows, one inside a sentence
    assert list(table.index) == list(range(1_508))
    assert (table["annotations"].map(len) == 5).all()
    assert (table["annotators"].map(len) == 5).all()
    # Nangia et al. 2020, Table 1
    kinds = table["bias_type"].value_counts()
    assert (kinds["race-color"], kinds["gender"], kinds["disability"]) == (516, 262, 60)
    assert table["direction"].value_counts()["antistereo"] == 218


def test_gfm_names():
    for path in listed("fairness-metrics/terms/identity_terms/wiktionary_names", "*.txt"):
        names = gfm.read_names(path)
        assert len(names) == len(set(names)) == path.read_bytes().count(b"\n")


def test_weat():
    paths = listed("weat", "*.jsonl")
    assert len(paths) == 30
    for path in paths:
        test = weat.read_bias_bench(path)
        sets = test.targets + test.attributes
        data = json.loads(path.read_text("utf-8"))
        assert sum(map(len, sets)) == sum(len(part["examples"]) for part in data.values())
    sizes = {  # Caliskan et al. 2017, Table 1
        "weat1": [25] * 4, "weat2": [25] * 4, "weat3": [32, 32, 25, 25], "weat4": [16, 16, 25, 25],
        "weat5": [16, 16, 8, 8], "weat6": [8] * 4, "weat7": [8] * 4, "weat8": [8] * 4,
        "weat9": [6, 6, 7, 7], "weat10": [8] * 4,
    }  # fmt: skip
    for name, expected in sizes.items():
        test = weat.read_bias_bench(mirror(f"weat/{name}.jsonl"))
        assert [len(words) for words in test.targets + test.attributes] == expected


IDENTITY = "fairness-metrics/terms/identity_terms"
ROWS = [
    (semeval.read_tweets, "semeval2018/V-oc/2018-Valence-oc-En-train.txt", 1181),
    (semeval.read_tweets, "semeval2018/V-oc/Valence-oc-En-train.txt", 1181),
    (semeval.read_tweets, "semeval2018/V-oc/Valence-oc-En-dev.txt", 449),
    (semeval.read_tweets, "semeval2018/V-oc/Valence-oc-En-test.txt", 937),
    (semeval.read_tweets, "semeval2018/V-oc/Valence-oc-En-test-gold.txt", 937),
    (gfm.read_terms, f"{IDENTITY}/age.csv", 29),
    (gfm.read_terms, f"{IDENTITY}/disability.csv", 57),
    (gfm.read_terms, f"{IDENTITY}/gender.csv", 89),
    (gfm.read_terms, f"{IDENTITY}/race.csv", 11),
    (gfm.read_terms, f"{IDENTITY}/religion.csv", 47),
    (gfm.read_terms, f"{IDENTITY}/sexuality.csv", 37),
]


@pytest.mark.parametrize(("read", "name", "rows"), ROWS)
def test_rows(read, name, rows):
    table = read(mirror(name))
    assert len(table) == rows
    if read is semeval.read_tweets:
        assert set(table["dimension"]) == {"valence"}
        gold = not name.endswith("-test.txt")
        assert (table["intensity"].notna() == gold).all()
    if read is gfm.read_terms:
        assert (table["term"] != "").all()
