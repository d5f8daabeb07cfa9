"""What a run says: inputs, nearest target, how far it is, how it ended, and what a job had read."""

import warnings
from types import SimpleNamespace

import pytest

from socialbias.pipeline.messages import (
    Target,
    ending,
    unknown_target,
)
from socialbias.pipeline.scripting import logged
from socialbias.pipeline.targets import listed
from tests.declared import DECLARATIONS

NAMES = ["all", "trustworthy_table5", "trustworthy_table6", "bad_seeds_figure3"]
FILES = ["results/mine/trustworthy/table5.html"]


@pytest.mark.parametrize(
    ("target", "near"),
    [
        ("trustworthy_tabel5", "did you mean trustworthy_table5 or"),
        ("bad_seed_figure3", "did you mean bad_seeds_figure3?"),
        ("results/mine/trustworthy/table5.htm", f"did you mean {FILES[0]}?"),
        ("xyz", "no such target: `make targets` lists them all"),
        ("x/y.parquet", ""),  # a rule makes it
    ],
)
def test_a_misspelt_target_names_the_nearest(target, near):
    said = unknown_target(["all", target], NAMES, FILES, lambda path: path[:2] == "x/")
    assert near in said
    assert bool(said) == bool(near)


def test_targets_are_listed_with_their_titles():
    artefacts = DECLARATIONS.artefacts
    lines = listed(artefacts)
    assert any(line.split()[:1] == ["all"] for line in lines)
    for name, declared in artefacts.items():
        [line] = [line for line in lines if line.split()[:1] == [name]]
        assert line.endswith(declared.title)


@pytest.fixture
def stem(tmp_path):
    """The files of an artefact that are counted in the end."""
    stem = tmp_path / "demo" / "table1"
    stem.parent.mkdir()
    verdicts = ["equal", "equal", "no input", "not judged"]
    text = "".join(f"{row},x,{verdict},1,measured\n" for row, verdict in enumerate(verdicts))
    text += "0,x@b,equal,0,measured\n"  # a variant of a number that is counted
    header = "row,column,verdict,counted,kind"
    stem.with_name("table1.comparison.csv").write_text(f"{header}\n{text}")
    stem.with_name("table1.columns.csv").write_text(
        "column,verdict,counted\nx,agrees,1\nx@b,agrees,0\n"
    )
    (tmp_path / "claims.csv").write_text("id,verdict\na,holds\nb,agrees\nc,holds\n")
    return stem


def test_the_end_of_a_run_is_five_lines_with_the_page(stem):
    asked = [Target("the page", (stem,), "results/mine/index.html")]
    assert ending(asked, stem.parents[1] / "claims.csv", 62) == [
        "numbers: 2 equal, 1 no input",
        "columns: 1 agrees",
        "claims: 2 holds, 1 agrees",
        "the page: results/mine/index.html",
        "done in 1.0 min",
    ]


class Inputs(list):
    """A job's inputs as Snakemake gives them: a list with names."""

    def __init__(self, named):
        super().__init__(named.values())
        self.named = named

    def items(self):
        return self.named.items()


def said_of(tmp_path, named):
    """What a job says that NumPy stops, with these inputs."""
    job = SimpleNamespace(log=[str(tmp_path / "a.log")], input=Inputs(named), output=[])
    with pytest.raises(SystemExit) as ended, logged(job):
        raise ValueError("all the input arrays must have the same shape")
    return str(ended.value)


def test_an_error_that_nobody_foresaw_names_log_and_inputs(tmp_path):
    said = said_of(tmp_path, {"word2vec": "data/news/manifest.json"})
    assert said.startswith("ValueError: all the input arrays must have the same shape")
    assert f"full traceback in {tmp_path / 'a.log'}" in said
    assert "The job read word2vec (data/news/manifest.json): if you have changed none" in said
    said = said_of(tmp_path, {f"r{i}": f"data/{i}.csv" for i in range(9)})
    assert "r3 (data/3.csv) and 5 more" in said


def test_a_job_says_a_warning_once_and_without_code(tmp_path, capsys):
    log = tmp_path / "job.log"
    shown = warnings.showwarning
    with logged(SimpleNamespace(log=[str(log)], input=[], output=[])):
        for text in ("too cold", "too dark", "too cold"):
            warnings.warn(text, stacklevel=1)
    assert warnings.showwarning is shown
    assert log.read_text("utf-8") == "warning: too cold\nwarning: too dark\n"
    assert capsys.readouterr().err == "warning: too cold\nwarning: too dark\n"
