"""From contexts to files for people and back and what malformed ones tell."""

import csv
import io
import re
import shutil
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from socialbias.corpora.annotation.export import csv_text, write_export
from socialbias.corpora.annotation.ingest import read_annotations
from socialbias.corpora.annotation.items import (
    Item,
    Sample,
    check_folder,
    compose,
    item_name,
    read_sample,
    write_sample,
)
from socialbias.corpora.annotation.sample import draw, proportional
from socialbias.errors import UserError
from tests.reliability import fault

TEXTS = {
    "nurse": ["The Nurse, said she < him & left.", "=A nurse* was there."],
    "pilot": ["“Où est le pilot?” he asked; the pilot, again.", "- a pilot flew"],
}


def item_of(target, number, text, everyone):
    spans = [match.span() for match in re.finditer(target, text, re.IGNORECASE)]
    words = [re.findall(r"\w+", text.lower())]
    return Item(item_name(target, number, text), target, number, text, spans, words, everyone)


@pytest.fixture
def sample():
    items = [
        item_of(target, number, text, everyone=number == 0)
        for target, texts in TEXTS.items()
        for number, text in enumerate(texts)
    ]
    return Sample(("female", "male"), {item.item: item for item in items}, {"source": "made"})


# --- the draw ---------------------------------------------------------------------------------


def world(rng, documents=40, targets=("nurse", "pilot")):
    """Documents of 30 windows of five sentences; a stratum for each, two of three being 0."""
    rows = [
        {"target": target, "document": d, "first": 34 * d + i, "stratum": int(rng.integers(3) == 2)}
        for target in targets
        for d in range(documents)
        for i in range(30)
        if rng.random() < 0.5
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("per_target", [1, 7, 60])
def test_a_draw_never_overlaps_and_has_its_size(per_target):
    table = world(np.random.default_rng(1))
    drawn = draw(table, 5, per_target, 5, seed=3)
    assert drawn["target"].value_counts().to_dict() == {"nurse": per_target, "pilot": per_target}
    assert all(abs(a - b) >= 5 for a, b in combinations(drawn["first"], 2))
    found = drawn.merge(table, on=["target", "document", "first"])
    assert len(found) == len(drawn)


def test_a_draw_is_seeded_and_shuffled_and_the_shared_come_first():
    table = world(np.random.default_rng(1))
    first, again = (draw(table, 5, 50, 5, seed=3) for _ in range(2))
    pd.testing.assert_frame_equal(first, again)
    pd.testing.assert_frame_equal(first, draw(table.iloc[::-1], 5, 50, 5, seed=3))
    assert not first.equals(draw(table, 5, 50, 5, seed=4))
    assert first["everyone"].tolist() == [True] * 10 + [False] * 90
    assert first[:10]["target"].value_counts().to_dict() == {"nurse": 5, "pilot": 5}
    assert first["target"].ne(first["target"].shift()).sum() > 20  # targets alternate


def test_a_draw_is_proportional_over_strata_and_documents():
    """Of 3,600 contexts 1,200 have a group; document 0 has as many as the other 60 together."""
    rows = [(0, 8 * i, i % 3 == 0) for i in range(1800)]
    rows += [(1 + i // 30, 20_000 + 8 * i, i % 3 == 0) for i in range(1800)]
    table = pd.DataFrame(rows, columns=["document", "first", "stratum"]).assign(target="nurse")
    drawn = draw(table, 5, 240, 5, seed=1).merge(table)
    assert drawn["stratum"].sum() == 80
    assert drawn["document"].eq(0).sum() == 120
    assert drawn[drawn["document"] > 0]["document"].value_counts().between(1, 4).all()


@pytest.mark.parametrize(
    ("strata", "size", "quotas"),
    [
        ([0] * 5 + [1] * 3 + [2] * 2, 10, {0: 5, 1: 3, 2: 2}),
        ([0] * 5 + [1] * 3 + [2] * 2, 4, {0: 2, 1: 1, 2: 1}),  # 2, 1.2, .8
        ([0, 0, 1, 1], 1, {0: 1, 1: 0}),
        ([], 0, {}),
    ],
)
def test_largest_remainders(strata, size, quotas):
    assert proportional(np.array(strata, int), size) == quotas


# --- files for people -------------------------------------------------------------------------


def test_sentences_are_joined_with_their_spans():
    pieces = [("A nurse\tsat.", [(2, 7)]), ("He.", []), ("Nurse!", [(0, 5)])]
    text, spans = compose(pieces, [False, True, False])
    assert text == "A nurse sat. He. [...] Nurse!"
    assert [text[a:b] for a, b in spans] == ["nurse", "Nurse"]


def test_a_sample_survives_its_file(sample, tmp_path):
    write_sample(sample, tmp_path / "sample.json")
    assert read_sample(tmp_path / "sample.json") == sample


# --- completed files: all of them simulated ---------------------------------------------------

ANSWERS = {"anna": ["female", "N/A", "male", "male"], "ben": ["female", "female", "N/A", "male"]}


def expected(sample):
    rows = [
        (item.item, item.target, annotator, label)
        for annotator, labels in ANSWERS.items()
        for item, label in zip(sample.items.values(), labels, strict=True)
    ]
    table = pd.DataFrame(rows, columns=["item", "target", "annotator", "label"])
    return table.sort_values(["item", "annotator"], ignore_index=True)


def filled(sample, labels):
    """The exported rows with simulated labels."""
    rows = list(csv.DictReader(io.StringIO(csv_text(sample.items.values()))))
    for row, label in zip(rows, labels, strict=True):
        row["label"] = label
    return rows


def write_rows(path, rows, *, delimiter=",", newline="\n", encoding="utf-8"):
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter, lineterminator=newline)
    writer.writeheader()
    writer.writerows(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(file.getvalue().encode(encoding))


def in_spreadsheets(**how):
    def write(folder, sample):
        for annotator, labels in ANSWERS.items():
            write_rows(folder / f"{annotator}.csv", filled(sample, labels), **how)
        write_sample(sample, folder / "sample.json")

    return write


def in_a_folder_and_a_column(folder, sample):
    rows = filled(sample, ANSWERS["anna"])
    write_rows(folder / "anna/everyone.csv", rows[:1])
    write_rows(folder / "anna/one.csv", rows[1:])
    rows = [row | {"annotator": "ben"} for row in filled(sample, ANSWERS["ben"])]
    write_rows(folder / "somebody.csv", rows)


@pytest.mark.parametrize(
    "write",
    [
        in_spreadsheets(),
        in_spreadsheets(newline="\r\n", encoding="utf-8-sig"),
        in_spreadsheets(delimiter="\t"),
        in_a_folder_and_a_column,
    ],
)
def test_round_trips(sample, tmp_path, write):
    write(tmp_path, sample)
    pd.testing.assert_frame_equal(read_annotations(tmp_path, sample), expected(sample))


# --- malformed ones ---------------------------------------------------------------------------


def problems(folder, sample):
    with pytest.raises(UserError) as error:
        read_annotations(folder, sample)
    head, *lines = str(error.value).split("\n")
    assert head.startswith(f"{folder}: {len(lines)} problem")
    return lines


def test_each_problem_has_its_file_and_row(sample, tmp_path):
    rows = filled(sample, ["famale", "", "male", "male"])
    rows[2]["text"] += " He died."
    rows[3]["target"] = "nurse"
    rows.append(rows[0] | {"item": "nurse-0123456789", "label": "male"})
    rows.append(rows[0] | {"item": "", "label": "male"})
    write_rows(tmp_path / "anna.csv", rows)
    items = list(sample.items)
    assert problems(tmp_path, sample) == [
        "anna.csv, line 2: unknown label 'famale': one of female, male, N/A",
        f"anna.csv, line 3: item {items[1]} has no label: add one, or delete the row",
        f"anna.csv, line 4: the text of item {items[2]} has changed: labels are for "
        "the original text",
        f"anna.csv, line 5: item {items[3]} has the target 'nurse' instead of 'pilot'",
        "anna.csv, line 6: unknown item 'nurse-0123456789': it is not in sample.json",
        "anna.csv, line 7: no item name",
    ]


@pytest.mark.parametrize(
    ("name", "data", "line"),
    [
        ("a.csv", b"", "a.csv: it is empty; it should have the columns item, label"),
        ("a.csv", b"item,label\nx,m\xe9\n", "{folder}/a.csv: byte 14 is not UTF-8"),
        ("a.csv", b"name,label\nx,y\n", "a.csv: no column item; its columns are name, label"),
        ("a.xlsx", b"PK", "a.xlsx: not a CSV file: save it as one, and delete it"),
    ],
)  # fmt: skip
def test_files_that_are_no_annotations(sample, tmp_path, name, data, line):
    (tmp_path / name).write_bytes(data)
    assert problems(tmp_path, sample) == [line.format(folder=tmp_path)]


# --- the folder that comes back ---------------------------------------------------------------


def test_files_in_a_folder_that_a_run_overwrites_are_refused(sample, tmp_path):
    """Through a link too: what counts is where the files are."""
    results, link = tmp_path / "results", tmp_path / "labels"
    write_export(sample, results / "paper/trustworthy/annotation")
    link.symlink_to(results / "paper/trustworthy/annotation")
    for folder in (results / "paper/trustworthy/annotation", link):
        with pytest.raises(UserError, match="a run would overwrite it: copy"):
            check_folder(folder, results)
    copy = shutil.copytree(link, tmp_path / "copy")
    check_folder(copy, results)
    (copy / "sample.json").unlink()
    with pytest.raises(UserError, match=r"copy has no sample\.json: put the one"):
        check_folder(copy, results)


@pytest.mark.parametrize("text", ["", "{}", '{"items": [{"item": 1}], "groups": [], "about": {}}'])
def test_a_broken_sample_and_a_folder_without_annotations(sample, tmp_path, text):
    path = tmp_path / "sample.json"
    with pytest.raises(UserError, match="missing"):
        read_sample(path)
    path.write_text(text)
    with pytest.raises(UserError, match="not a sample"):
        read_sample(path)
    with pytest.raises(UserError, match="no completed annotations"):
        read_annotations(tmp_path, sample)


# --- one person is one annotator, however many files of theirs there are --------------------


ITEMS = [f"nurse-{number}" for number in range(30)]
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


@fault("a copy of an annotator's file (`anna (1).csv`)", "one line names both files")
def test_a_copy_is_no_annotator(tmp_path):
    anna = labelled()
    with pytest.raises(UserError, match=r"anna \(1\)\.csv and anna\.csv: the same content: delete"):
        read(tmp_path, **{"anna": anna, "anna (1)": anna, "ben": labelled(["male"])})


@fault("an annotator's name in two spellings (`Anna`, `anna`)", "it is one annotator")
def test_a_name_is_the_same_in_capitals(tmp_path):
    first, rest = labelled(items=ITEMS[:15], annotator="Anna"), ITEMS[15:]
    table = read(tmp_path, one=first, two=labelled(items=rest, annotator="anna "))
    assert set(table["annotator"]) == {"Anna"}
    with pytest.raises(UserError, match="item nurse-0 is labelled twice by Anna"):
        read(tmp_path, two=labelled(items=ITEMS[:1], annotator="ANNA"))
