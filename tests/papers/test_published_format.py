"""Form of `resources/published`: what every reader of the printed numbers relies on."""

from __future__ import annotations

import csv
import re
from decimal import Decimal
from pathlib import Path

import pytest

from tests.paths import PUBLISHED

FILES = sorted(PUBLISHED.glob("*.csv"))
PAPERS = ("trustworthy", "bad_seeds", "stereoset", "fairness")
# Tables with numbers in print; a missing file would otherwise pass unseen.
NEEDED = {
    "trustworthy": ("agreement", *(f"table{n}" for n in range(3, 9))),
    "bad_seeds": ("figure1", "figure4", "figure5", "table2", "table3", "table4"),
    "stereoset": (*(f"table{n}" for n in (1, 2, 4, 5, 6, 7, 8, 10)), "prose"),
    "fairness": ("table5", "table7"),
}


def _rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle, strict=True))


def test_every_table_with_numbers_is_there():
    wanted = {f"{paper}_{artefact}" for paper, names in NEEDED.items() for artefact in names}
    assert wanted <= {file.stem for file in FILES}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_bytes_header_and_name(file):
    raw = file.read_bytes()
    assert b"\r" not in raw
    assert not raw.startswith(b"\xef\xbb\xbf")
    assert raw.endswith(b"\n")
    assert not raw.endswith(b"\n\n")
    assert raw.decode("utf-8").splitlines()[0] == "row,column,value,note"
    assert re.fullmatch(rf"({'|'.join(PAPERS)})_[a-z]+\d*", file.stem)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_cells(file):
    rows = _rows(file)
    assert rows
    keys = [(row["row"], row["column"]) for row in rows]
    assert len(set(keys)) == len(keys)
    for row in rows:
        assert set(row) == {"row", "column", "value", "note"}
        assert all(text == text.strip() for text in row.values())
        assert row["row"]
        assert row["column"]
        # Plain digits: no thousands separator, no percent sign, no exponent but that of p-values.
        assert re.fullmatch(r"(-?\d+(\.\d+)?(e-\d+)?)?", row["value"]), row
        if row["value"]:
            assert Decimal(row["value"]).is_finite()
        else:
            assert re.search(r"N/A|dash", row["note"]), row


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_notes_are_short_remarks_not_quotations(file):
    assert max(len(row["note"]) for row in _rows(file)) <= 80
