"""Form of `resources/published`: what every reader of the printed numbers relies on."""

import csv
import re

import pytest

from tests.paths import PUBLISHED

FILES = sorted(PUBLISHED.glob("*.csv"))
# Tables with numbers in print; a missing file would otherwise pass unseen.
NEEDED = {
    "trustworthy": ("agreement", *(f"table{n}" for n in range(3, 9))),
    "bad_seeds": ("figure1", "figure4", "figure5", "table2", "table3", "table4"),
    "stereoset": (*(f"table{n}" for n in (1, 2, 4, 5, 6, 7, 8, 10)), "prose"),
    "fairness": ("table5", "table7"),
}


def test_every_table_with_numbers_is_there():
    wanted = {f"{paper}_{artefact}" for paper, names in NEEDED.items() for artefact in names}
    assert wanted <= {file.stem for file in FILES}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_bytes_header_name_and_cells(file):
    raw = file.read_bytes()
    assert b"\r" not in raw
    assert raw.endswith(b"\n")
    assert not raw.endswith(b"\n\n")
    lines = raw.decode("utf-8").splitlines()
    assert lines[0] == "row,column,value,note"
    assert re.fullmatch(rf"({'|'.join(NEEDED)})_[a-z]+\d*", file.stem)
    rows = list(csv.DictReader(lines, strict=True))
    assert len({(row["row"], row["column"]) for row in rows}) == len(rows) > 0
    for row in rows:
        assert all(text == text.strip() for text in row.values())
        assert row["row"]
        assert row["column"]
        # Plain digits: no thousands separator, no percent sign, no exponent but that of p-values.
        assert re.fullmatch(r"(-?\d+(\.\d+)?(e-\d+)?)?", row["value"]), row
        assert row["value"] or re.search(r"N/A|dash", row["note"]), row
        assert len(row["note"]) <= 80  # a remark, no quotation
