"""What `make kill-anywhere` looks at: it sees what a kill can leave behind."""

import subprocess
import sys
import zipfile

import pytest

from tests import kill_anywhere
from tests.kill_anywhere import contents, differences, leftovers, orphans

PAGE = "<p>Page written on 2022-12-2{} 10:00 UTC. Numbers: {}</p>"


@pytest.fixture
def run(tmp_path):
    """Make a folder as a run leaves it."""

    def make(name, day=1, number="1.5"):
        folder = tmp_path / name
        (folder / "results/quickstart/.checked").mkdir(parents=True)
        page = PAGE.format(day, number)
        (folder / "results/quickstart/index.html").write_text(page)
        (folder / f"results/quickstart/.checked/{day:032x}").touch()
        (folder / "results/quickstart/report.json").write_text(
            f'{{"seconds": {day}.25, "written": "2022-12-2{day}T10:00:00", "n": {number}}}'
        )
        with zipfile.ZipFile(folder / "results/quickstart/all.zip", "w") as archive:
            archive.writestr("index.html", page)
        return folder

    return make


def test_when_it_was_made_is_no_difference_and_what_was_made_is(run):
    assert differences(contents(run("a")), contents(run("b", day=2))) == []
    other = run("c", number="1.6")
    (other / "results/quickstart/more.csv").touch()
    (other / "results/quickstart/report.json").unlink()
    assert differences(contents(run("d")), contents(other)) == [
        "differs: results/quickstart/all.zip",
        "differs: results/quickstart/index.html",
        "differs: results/quickstart/more.csv (added)",
        "differs: results/quickstart/report.json (missing)",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "results/quickstart/table5.csv.part",
        "results/quickstart/table5.values.tmp",
        "results/quickstart/.table5.tmp.png",
        "results/quickstart/evidence/table5.parts/0123/a.parquet",
        "data/glove/.fetching-x/file",
        "logs/quickstart/.page.log.lock",
        ".snakemake/locks/0.output.lock",
        ".snakemake/incomplete/cmVzdWx0cw==",
    ],
)
def test_what_is_not_finished_is_left_over(run, name):
    folder = run("a")
    assert leftovers(folder) == []
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).touch()
    assert len(leftovers(folder)) == 1


def test_a_process_at_work_in_the_folder_is_an_orphan(run, monkeypatch):
    monkeypatch.setattr(kill_anywhere, "GRACE", 0)
    folder = run("a")
    assert orphans(folder) == []
    command = [sys.executable, "-c", "input()", b"\xff"]  # of which an argument is not UTF-8
    with subprocess.Popen(command, cwd=folder, stdin=-1) as process:
        assert [line.split()[2] for line in orphans(folder)] == [f"{process.pid}:"]
        process.communicate(b"\n")
