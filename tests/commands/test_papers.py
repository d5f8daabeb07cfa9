"""A paper's artefact on one's own input: what is asked of the workflow, and what is refused."""

import gzip
import json

import pandas as pd
import pytest
from click.testing import CliRunner

from socialbias.commands import reproduce
from socialbias.commands.cli import cli
from socialbias.config import Config
from socialbias.errors import UserError

COLUMNS = ["row", "column", "printed", "value", "ci_low", "ci_high", "fidelity"]
ASKED = ["reproduce", "paper", "trustworthy", "table5", "--vectors"]


@pytest.fixture
def checkout(pretended):
    """A folder that looks like a checkout, in which a workflow writes one own number."""

    def write(results):
        (folder := results / "trustworthy").mkdir(exist_ok=True)
        rows = [("caliskan", "a", "0.505", 0.1, 0.0, 0.2, "own"), ("x", "a", "1", 1, 1, 1, "exact")]
        table = pd.DataFrame(rows, columns=COLUMNS)
        table.to_csv(folder / "table5.comparison.csv", index=False)
        (folder / "table5.html").touch()

    return pretended(write)


def test_own_vectors_stand_beside_the_paper_s(checkout, reviews):
    root, asked = checkout
    told = CliRunner().invoke(cli, [*ASKED, str(reviews), "--profile", "slurm"])
    assert told.exit_code == 0, told.output
    assert "caliskan, a  0.100 [0.000, 0.200]        paper 0.505" in told.output
    assert "  x, a" not in told.output  # made of the paper's input
    assert "agree" not in told.output
    [command] = asked
    assert told.output.splitlines()[1].startswith("Table 5: predictive validity; Spearman")
    assert command[-2:] == ["--", "trustworthy_table5"]
    [path] = (part for part in command if part.endswith("own.json"))
    overlay = json.loads((root / path).read_text())
    [name] = overlay["subjects"]
    assert overlay["inputs"] == {"word2vec": [name]}
    assert overlay["run"] == f"own-{name.removeprefix('my-')}"
    Config.model_validate(overlay)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("trustworthy", "table99"), r"choose one of .*table3"),
        (("trustwrthy", "table5"), "did you mean 'trustworthy'"),
        (("stereoset", "table6"), "does not take your own vectors, only model"),
    ],
)
def test_what_cannot_be_is_one_line(checkout, reviews, arguments, message):
    with pytest.raises(UserError, match=message):
        reproduce.own_artefact(*arguments, vectors=reviews)


def test_without_a_checkout_there_is_a_hint(tmp_path, reviews, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = CliRunner().invoke(cli, [*ASKED, str(reviews)])
    assert (told.exit_code, told.output.count("\n")) == (1, 1)
    assert "`socialbias reproduce workflow FOLDER` writes a folder" in told.output


def test_a_name_with_dots_names_a_run(tmp_path):
    path = tmp_path / "v1.5.vec.gz"
    path.write_bytes(gzip.compress(b"2 2\na 1 0\nb 0 1\n"))
    own = reproduce.own_configuration("", {"vectors": path}, {"vectors": None})
    assert Config.model_validate(own).run == "own-v1-5-vec"
