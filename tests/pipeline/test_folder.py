"""The folder with the workflow: what is written, found and refused."""

import pytest

import socialbias
from socialbias.errors import UserError
from socialbias.files.yaml_files import read_yaml
from socialbias.pipeline import folder
from tests.paths import REPOSITORY
from tests.reliability import fault


@pytest.fixture
def written(tmp_path):
    folder.write_folder(tmp_path / "mine")
    return tmp_path / "mine"


def test_a_folder_that_was_written_is_found_from_below_and_fits(written):
    (written / "results/a").mkdir(parents=True)
    assert folder.find_folder(written / "results/a") == written
    folder.check_workflow(written)
    folder.check_workflow(REPOSITORY)


def test_each_profile_s_configuration_names_its_run():
    named = {path.name: read_yaml(path) for path in REPOSITORY.glob("config.*.yaml")}
    runs = {f"config.{profile}.yaml": run for profile, run in folder.RUNS.items()}
    assert {name: raw["run"] for name, raw in named.items()} == runs
    for profile in folder.RUNS:
        profiled = read_yaml(REPOSITORY / "profiles" / profile / "profile.yaml")
        assert profiled["configfile"] == [f"config.{profile}.yaml"]


@pytest.mark.parametrize("name", ["file", "file/mine"])
def test_what_cannot_be_written_is_one_line(tmp_path, name):
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"^/[^\n]+: (already exists|cannot be written)[^\n]+$"):
        folder.write_folder(tmp_path / name)


@fault(
    "a workflow's folder that another version of the library wrote",
    "one line before anything runs: both versions, and to write a new folder",
)
def test_another_version_s_workflow_is_refused_in_one_line(written):
    (written / folder.VERSION).write_text("0.0.9\n")
    line = rf"the workflow of socialbias 0\.0\.9, but {socialbias.__version__} is installed[^\n]+$"
    with pytest.raises(UserError, match=line):
        folder.check_workflow(written)


def test_a_checkout_takes_its_own_library(tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "TOP", tmp_path / "site/socialbias")
    with pytest.raises(UserError, match=r"not the library of this checkout [^\n]+ in it$"):
        folder.check_workflow(REPOSITORY)
