"""Files that people write, damaged: seed sets, annotations, overlays, registries."""

import pytest
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


def sample_of(path):
    write_sample(SAMPLE, path)
    return path.read_bytes()


OVERLAY = b"run: mine\nbad_seeds: {bootstraps: 2}\ninputs:\n  glove: [a, 'b']\n"
LOCK = b'{"mine/a.txt": {"bytes": 5, "sha256": "0123"}}\n'
# Files by name: what is in them, and what reads them.
FILES = {
    "sample.json": (sample_of, read_sample),
    "mine.yaml": (lambda path: OVERLAY, lambda path: check_files([path])),
    "sources.yaml": (lambda path: SOURCE, load_registry),
    "sources.lock": (lambda path: LOCK, read_lock),
}


@fault("the same of a registry of sources, and of the lock", "one line that names the file")
@pytest.mark.parametrize("name", FILES)
@few
@given(data=st.data())
def test_other_files(tmp_path, name, data):
    content, read = FILES[name]
    reads_or_says_why(tmp_path / name, data.draw(damaged(content(tmp_path / name))), read)
