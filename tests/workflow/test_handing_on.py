"""A finished run is handed on, and says what came of it."""

import json
import subprocess
import sys

from tests.conftest import SAID


def test_a_finished_run_is_handed_on_with_every_input(own):
    command = [sys.executable, "-m", "socialbias.reporting.crate"]
    done = subprocess.run(
        command, cwd=own.path, env=own.environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    crate = json.loads((own.results / "ro-crate-metadata.json").read_text("utf-8"))
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    named = [e for name, e in entities.items() if name.startswith("#source-")]
    sources = [e for e in named if e["@type"] == "CreativeWork"]
    record = json.loads((own.results / "run.json").read_text("utf-8"))
    assert len(sources) == len({bound["manifest"] for bound in record["inputs"].values()})
    for source in sources:
        assert source["license"]
    files = [e for e in entities.values() if e["@type"] == "File"]
    assert len([file for file in files if file["@id"].startswith("ni:")]) >= len(sources)
    assert all(len(file["sha256"]) == 64 for file in files)
    assert record["config"]["run"] == "quickstart"


def test_a_run_says_its_inputs_first_and_what_came_of_it_last(finished):
    said = (finished.path / SAID).read_text("utf-8").splitlines()
    assert sum("`make doctor` shows details" in line for line in said) == 1
    last = said[-5:]
    kinds = [line.partition(":")[0] for line in last]
    assert kinds[-2:] == ["the page", last[-1]]
    assert last[-1].startswith("done in ")
    assert "numbers" in kinds
