"""Text of other people that LaTeX or a spreadsheet would run."""

import csv
import io
import re

import pytest

from socialbias import compare_decisions
from socialbias.files.escaping import for_csv, for_latex
from socialbias.measurement.estimates import Row
from socialbias.reporting.methods_paragraph import with_references
from tests.reliability import fault

HOSTILE = r"\input{/etc/hostname} ~^ #1 $x$ 5% a_b & c"


@fault("a term with LaTeX's commands in it", "it is printed as it is written")
def test_no_command_is_left_for_latex():
    commands = re.findall(r"\\[A-Za-z]+", for_latex(HOSTILE))
    assert {*commands} <= {r"\textbackslash", r"\textasciitilde", r"\textasciicircum"}
    result = compare_decisions([1, 0, 1, 1], [0, 0, 1, 1], [HOSTILE, "b", "c", "d"])
    row = Row(HOSTILE, 0.1, 0.0, 0.2, HOSTILE)
    assert r"\input" not in type(result)(**vars(result) | {"rows": (row,)}).to_latex()


@fault("names with HTML, links or braces", "Markdown and BibTeX show them as they are")
def test_no_markup_is_left_in_a_methods_paragraph():
    name = r"<img src=x>[a](javascript:b){\input{c}.vec"
    read = [{"role": "vectors", "name": name}]
    paragraph, entry = with_references(f"We measured {name}.", read).split("\n\n")
    assert paragraph == (r"We measured &lt;img src=x&gt;\[a\](javascript:b){\\input{c}.vec.")
    assert "<" not in entry
    assert entry.count("{") == entry.count("}")


@fault("a word that a spreadsheet would take for a formula", "an apostrophe stands before it")
@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_no_formula_is_left_for_spreadsheets(text):
    assert for_csv(text) == f"'{text}"
    result = compare_decisions([1, 0, 1, 1], [0, 0, 1, 1], list("abcd"))
    row = Row(text, -0.1, -0.2, 0.2, "")
    table = type(result)(**vars(result) | {"rows": (row,)}).to_csv()
    [cells] = csv.DictReader(io.StringIO(table))
    assert (cells["target"], cells["value"]) == (f"'{text}", "-0.1")  # numbers stay numbers
