import shutil
from itertools import pairwise

import pytest
import yaml

from socialbias.commands.maintenance.generate import conda_yaml, config_yaml, generated_files, main
from socialbias.config import Config
from tests.paths import REPOSITORY


def test_generated_files_have_not_drifted(monkeypatch, capsys):
    monkeypatch.chdir(REPOSITORY)
    code = main(["--check"])
    assert code == 0, capsys.readouterr().out


def test_config_yaml_reads_back_as_the_defaults():
    assert Config.model_validate(yaml.safe_load(config_yaml(Config()))) == Config()


def test_every_key_of_config_yaml_has_a_comment_above_it():
    lines = config_yaml(Config()).splitlines()
    for above, line in pairwise(lines):
        if not line.lstrip().startswith("#"):
            indent = len(line) - len(line.lstrip())
            assert above.startswith(" " * indent + "# ")
            assert above.strip() not in ("#", "# None")


def test_the_conda_environment_has_the_pins_of_the_lock():
    lock = (
        "# a comment\nnumpy==2.4.1 \\\n    --hash=sha256:a1 \\\n    --hash=sha256:b2\nscipy==1.17\n"
    )
    environment = yaml.safe_load(conda_yaml(lock, "torch==2.13.0\n"))
    pins = ["numpy==2.4.1", "scipy==1.17", "torch==2.13.0"]
    assert environment["dependencies"][-1] == {"pip": pins}


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A folder with the lock file and every generated file as it must be."""
    (tmp_path / "envs").mkdir()
    (tmp_path / "envs" / "requirements.lock").write_text("numpy==2.4.1\n")
    (tmp_path / "envs" / "torch.txt").write_text("torch==2.13.0\n")
    shutil.copytree(REPOSITORY / "resources/word_lists", tmp_path / "resources/word_lists")
    for name in ("lists.yaml", "languages.yaml"):
        shutil.copy(REPOSITORY / "resources" / name, tmp_path / "resources")
    (tmp_path / "paper").mkdir()
    for name in ("README.md", "CITATION.cff", "paper/paper.md"):
        shutil.copy(REPOSITORY / name, tmp_path / name)
    for path, text in generated_files(tmp_path).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_check_tells_what_has_drifted_and_without_it_that_is_written(copy, capsys):
    assert main(["--check"]) == 0
    config, schema = copy / "config.yaml", copy / "workflow/schemas/config.schema.json"
    config.write_text(config.read_text().replace("seed", "sed"))
    schema.unlink()
    assert main(["--check"]) == 1
    told = capsys.readouterr().out
    assert "config.yaml has drifted" in told
    assert "config.schema.json has drifted" in told
    assert "socialbias.yaml" not in told
    assert not schema.exists()
    assert main([]) == 0
    assert main(["--check"]) == 0
