"""Answers of made-up runs with numbers that can be checked by eye."""

import fnmatch
import math

import pytest
import yaml

from socialbias.files.yaml_files import read_yaml
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.page.answers import FIELD, answer
from socialbias.reporting.page.shown import Shown
from tests.declared import DECLARATIONS
from tests.paths import RESOURCES

ROWS = {"bert": "BERT", "gpt": "GPT-2", "cosine": "cosine"}
COLUMNS = {"ss": "stereotype score", "lms": "language score"}
ABOUT = Artefact("demo", "t", "Table 1: scores", "Shows.", "", 1, ROWS, COLUMNS, {"a": "old"})
TEXT = "{above} above, {below} below, {open} open of {known}: {smallest} to {largest}."
DECLARED = {"paper": "demo", "question": "So?", "artefact": "demo_t", "nothing": 50, "text": TEXT}


def number(row, value, low, high, column="ss@a", **others):
    """A number of the table as the pages have it."""
    labels = {"row_label": ROWS[row], "label": f"{COLUMNS[column.partition('@')[0]]} (old)"}
    known = {"fidelity": "substitute", "sources": "news;part", "verdict": "not judged"}
    known |= {"row": row, "column": column, "value": value, "ci_low": low, "ci_high": high}
    return known | labels | {"printed": "", "caution": ""} | others


def answered(tmp_path, cells, columns=(), numbers=("*|ss@a",), no_input=0, titles=None, **others):
    """The answer to one question on these numbers."""
    path = tmp_path / "answers.yaml"
    path.write_text(yaml.safe_dump([DECLARED | {"numbers": list(numbers)} | others]))
    counts = {"no input": no_input, "printed": 1200}
    shown = Shown(ABOUT, "", "", cells, list(columns), counts)
    names = {"part": "a part of News"}
    (one,) = answer(path, [shown], names, titles or {})
    return one


CELLS = [
    number("bert", 61.26, 58.0, 64.04, printed="60.0"),
    number("gpt", 45.0, 42.0, 49.9, printed="-1.5"),
    number("cosine", 51.0, 49.0, 53.0, caution="little data"),
]


def test_numbers_are_counted_by_their_intervals_and_the_extreme_ones_named(tmp_path):
    one = answered(tmp_path, CELLS)
    assert one.text == (
        "1 above, 1 below, 1 open of 3: 45.0 (42.0 to 49.9; paper: −1.5) for GPT-2 "
        "to 61.3 (58.0 to 64.0; paper: 60.0) for BERT."
    )
    assert (one.question, one.href, one.title) == ("So?", "demo.html#demo_t", "Table 1: scores")
    assert (one.scope, one.cautions, one.first_page) == ("a part of News", 1, True)


def test_only_the_named_numbers_are_counted_and_others_can_be_quoted(tmp_path):
    one = answered(tmp_path, CELLS, numbers=["b*|ss@a"], text="{known}; {cosine|ss@a}")
    assert one.text == "1; 51.0 (49.0 to 53.0)"
    assert one.cautions == 1  # of the number that is quoted
    cells = [number("bert", -2.0, math.nan, math.nan)]  # it has no interval
    assert answered(tmp_path, cells, text="{bert|ss@a}, {open}").text == "−2.0, 1"


@pytest.mark.parametrize(
    ("columns", "label"),
    [(("ss@a", "lms@a"), "language score"), (("ss@a", "lms"), "language score (old)")],
)
def test_columns_are_named_by_what_tells_them_apart(tmp_path, columns, label):
    cells = [number("bert", i, 0, 1, column) for i, column in enumerate(columns)]
    assert answered(tmp_path, cells, numbers=["*"], text="{largest}").text.endswith(f" for {label}")


@pytest.mark.parametrize(
    "others",
    [
        {"text": "{gpt|ss@a}"},  # it has no number
        {"text": "{nobody|ss@a}"},
        {"numbers": ["gpt|*"]},
        {"artefact": "demo_gone"},
    ],
)
def test_a_question_without_its_numbers_has_no_answer(tmp_path, others):
    cells = [CELLS[0], number("gpt", math.nan, math.nan, math.nan, fidelity="no input")]
    one = answered(tmp_path, cells, **others)
    assert (one.question, one.text, one.scope, one.href) == ("So?", "", "", "")


def test_the_scope_is_the_titles_of_sources_that_have_no_other_name(tmp_path):
    cells = [number("bert", 1.0, 0, 2, sources="dev;other")]
    assert answered(tmp_path, cells, titles={"dev": "The split"}).scope == "The split; other"
    exact = [number("bert", 1.0, 0, 2, sources="dev", fidelity="exact")]
    assert answered(tmp_path, exact, titles={"dev": "The split"}).scope == "the paper's inputs"


def test_the_paper_is_compared_by_the_order_of_rows_and_by_single_numbers(tmp_path):
    rho = {"rho": 0.964, "p_value": 0.0528}
    columns = [{"column": "ss@a", "verdict": "unclear", **rho}]
    columns += [{"column": "lms", "verdict": "agrees", **rho}]  # of no number that is used
    cells = [CELLS[0] | {"verdict": "within"}, CELLS[1] | {"verdict": "outside"}]
    assert answered(tmp_path, cells, columns, no_input=1000).reproduced == (
        "whether the order of rows agrees with the paper's is unclear "
        "(rank correlation 0.96, p = 0.053); "
        "on its own inputs, 1 of 2 numbers were reproduced; "
        "1,000 of the 1,200 numbers of Table 1 could not be computed"
    )
    assert answered(tmp_path, CELLS).reproduced == ""


def test_questions_ask_for_numbers_that_are_declared():
    names = {"known", "above", "below", "open", "smallest", "largest"}
    for one in read_yaml(RESOURCES / "answers.yaml"):
        artefact = DECLARATIONS.artefacts[one["artefact"]]
        cells = {f"{cell.row}|{cell.column}" for cell in artefact.cells()}
        assert set(FIELD.findall(one["text"])) <= cells | names, one["question"]
        assert [like for like in one["numbers"] if not fnmatch.filter(cells, like)] == []
