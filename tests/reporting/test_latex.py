"""LaTeX tables compile, and fit a page of an article in two columns."""

import re
import shutil
import subprocess

import pandas as pd
import pytest

from socialbias.reporting.artefact import Artefact
from socialbias.reporting.latex import Table, latex_table
from tests.declared import DECLARATIONS
from tests.paths import REPOSITORY

pytestmark = pytest.mark.skipif(
    not shutil.which("pdflatex"), reason="no TeX here: apt-get install texlive-latex-recommended"
)
HEAD = r"""\documentclass[twocolumn]{article}
\usepackage{array,booktabs}
\begin{document}
"""
OVERFULL = 10.0  # points, less than the gap between two columns
FINISHED = sorted(REPOSITORY.glob("results/*/*/*.tex"))


def problems(texts, folder):
    """What LaTeX says of some tables that each begin on a page: errors, and what does not fit."""
    body = [rf"\typeout{{TABLE {name}}}" + "\n" + text for name, text in texts.items()]
    source = folder / "all.tex"
    source.write_text(
        HEAD + "\n\\clearpage\n".join(body) + "\n\\end{document}\n",
        "utf-8",
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", source.name],
        cwd=folder, capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    found, table = [], ""
    for line in done.stdout.splitlines():
        table = line.removeprefix("TABLE ") if line.startswith("TABLE ") else table
        over = re.match(r"Overfull \\hbox \(([\d.]+)pt", line)
        if (
            line.startswith("!")
            or "Float too large" in line
            or (over and float(over[1]) > OVERFULL)
        ):
            found.append(f"{table}: {line}")
    return found


def test_what_does_not_compile_or_fit_is_found(tmp_path):
    wide = r"\begin{table}\rule{300pt}{1pt}\end{table}"
    found = problems({"one": r"\nothing", "two": wide}, tmp_path)
    assert [line.partition(":")[0] for line in found] == ["one", "two"]


@pytest.mark.long  # TeX, some 70 tables; those of a finished run are next
def test_every_declared_table_compiles_and_fits(tmp_path):
    texts = {}
    for name, declared in DECLARATIONS.artefacts.items():
        artefact = Artefact(**declared.shown())
        keys = [(label, side) for label in artefact.columns.values() for side in ("paper", "ours")]
        text = pd.DataFrame("−0.123", index=list(artefact.rows.values()), columns=keys)
        table = Table(text, text != text, text.map(lambda _: "−0.234, 0.345"))
        texts[name] = latex_table(table, artefact, [artefact.shows], "snakemake")
    assert problems(texts, tmp_path) == []


@pytest.mark.skipif(not FINISHED, reason="no finished run here: make quickstart")
def test_every_table_of_a_finished_run_compiles_and_fits(tmp_path):
    assert problems({str(path): path.read_text("utf-8") for path in FINISHED}, tmp_path) == []
