"""Files that people write, damaged: seed sets, annotations, overlays, registries."""

from hypothesis import given
from hypothesis import strategies as st

from socialbias.config.checks import check_files
from socialbias.corpora.annotation.ingest import COLUMNS, read_annotations
from socialbias.corpora.annotation.items import Item, Sample, read_sample, write_sample
from socialbias.sources.lock import read_lock
from socialbias.sources.registry import load_registry
from tests.property.damage import damaged, few, reads_or_says_why
from tests.reliability import fault

ITEM = Item("nurse-1", "nurse", 0, "A nurse.", [(2, 7)], [["nurse"]], True)
SAMPLE = Sample(("female", "male"), {ITEM.item: ITEM}, {"source": "made"})
DONE = b"item,target,label,annotator\nnurse-1,nurse,female,anna\n"
SOURCE = b"""\
- id: mine
  title: t
  citation: c
  licence: l
  files:
    - {name: a.txt, bytes: 5, sha256: unknown, locators: [https://localhost/a]}
"""


@fault(
    "the same of completed annotations", "labels of the sample's items, or lines with file and row"
)
@few
@given(data=st.data())
def test_annotations(tmp_path, data):
    body = data.draw(damaged(DONE))
    table = reads_or_says_why(
        tmp_path / "anna.csv", body, lambda path: read_annotations(path.parent, SAMPLE)
    )
    if table is not None:
        assert list(table) == COLUMNS
        assert set(table["item"]) <= {"nurse-1"}
        assert set(table["label"]) <= set(SAMPLE.labels)


@few
@given(data=st.data())
def test_samples(tmp_path, data):
    path = tmp_path / "sample.json"
    write_sample(SAMPLE, path)
    reads_or_says_why(path, data.draw(damaged(path.read_bytes())), read_sample)


@few
@given(body=damaged(b"run: mine\nbad_seeds: {bootstraps: 2}\ninputs:\n  glove: [a, 'b']\n"))
def test_overlays(tmp_path, body):
    reads_or_says_why(tmp_path / "mine.yaml", body, lambda path: check_files([path]))


@fault("the same of a registry of sources, and of the lock", "one line that names the file")
@few
@given(body=damaged(SOURCE))
def test_registries(tmp_path, body):
    sources = reads_or_says_why(tmp_path / "sources.yaml", body, load_registry)
    assert sources is None or all(name == source.id for name, source in sources.items())


@few
@given(body=damaged(b'{"mine/a.txt": {"bytes": 5, "sha256": "0123"}}\n'))
def test_locks(tmp_path, body):
    entries = reads_or_says_why(tmp_path / "sources.lock", body, read_lock)
    assert entries is None or all(isinstance(e["bytes"], int) for e in entries.values())
