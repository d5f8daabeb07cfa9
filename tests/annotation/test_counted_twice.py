"""One person is one annotator, however many files of theirs there are."""

import pytest

from socialbias.annotation.ingest import ALIKE, read_annotations
from socialbias.annotation.items import Item, Sample
from socialbias.errors import UserError
from tests.reliability import fault

ITEMS = [f"nurse-{number}" for number in range(ALIKE)]
SAMPLE = Sample(
    ("female", "male"),
    {name: Item(name, "nurse", i, "A nurse.", [(2, 7)], [["nurse"]], True)
     for i, name in enumerate(ITEMS)},
    {"source": "made"},
)  # fmt: skip


def labelled(labels=("female", "male"), items=ITEMS, annotator=""):
    """A completed file: the labels in turn."""
    head = "item,label" + ",annotator" * bool(annotator)
    rows = (f"{item},{labels[i % len(labels)]}" for i, item in enumerate(items))
    return "\n".join([head, *(row + f",{annotator}" * bool(annotator) for row in rows)]) + "\n"


def read(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    return read_annotations(folder, SAMPLE)


@fault(
    "a second download of one annotator's file (`anna (1).csv`)",
    "one line names both files: a copy is no second annotator in perfect agreement",
)
def test_a_copy_is_no_annotator(tmp_path):
    anna = labelled()
    with pytest.raises(UserError, match=r"anna \(1\)\.csv and anna\.csv: the same content: delete"):
        read(tmp_path, **{"anna": anna, "anna (1)": anna, "ben": labelled(["male"])})


@fault(
    "a copy of an annotator's file that was saved again, with another order or line ends",
    "one line if 30 labels or more are all the same and no column names the annotators",
)
def test_a_copy_in_another_order_is_no_annotator(tmp_path):
    rows = labelled().splitlines()
    again = "\r\n".join([rows[0], *reversed(rows[1:])])
    with pytest.raises(UserError, match=r"anna and copy give the same label to each of 30 items"):
        read(tmp_path, anna=labelled(), copy=again)


def test_two_who_are_named_may_agree_on_everything(tmp_path):
    table = read(tmp_path, one=labelled(annotator="anna"), two=labelled(annotator="ben"))
    assert len(table) == 2 * ALIKE


def test_two_may_agree_on_a_few_items(tmp_path):
    few = ITEMS[: ALIKE - 1]
    table = read(tmp_path, anna=labelled(items=few), ben=labelled(items=few[::-1]))
    assert len(table) == 2 * len(few)


@fault("an annotator's name in two spellings (`Anna`, `anna`)", "it is one annotator")
def test_a_name_is_the_same_in_capitals(tmp_path):
    half = ALIKE // 2
    first, rest = labelled(items=ITEMS[:half], annotator="Anna"), ITEMS[half:]
    table = read(tmp_path, one=first, two=labelled(items=rest, annotator="anna "))
    assert set(table["annotator"]) == {"Anna"}
    with pytest.raises(UserError, match="item nurse-0 is labelled twice by Anna"):
        read(tmp_path, two=labelled(items=ITEMS[:1], annotator="ANNA"))
