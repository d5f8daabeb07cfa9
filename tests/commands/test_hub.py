"""Models by their names on the Hugging Face Hub, in `measure`, `compare` and `audit`."""

import pickle

import pytest
from click.testing import CliRunner

from socialbias import compare, measure
from socialbias.commands.cli import cli
from socialbias.commands.subjects import open_subject
from socialbias.errors import UserError
from tests.hub import Hub
from tests.tiny_models import write

GROUPS = {"female": ["she", "her", "woman"], "male": ["he", "him", "man"]}
TARGETS = ["nurse", "pilot"]
COMMIT, OTHER = "1" * 40, "2" * 40


class Runs:
    """Leaves a file behind when it is unpickled."""

    def __reduce__(self):
        return exec, ("open('ran', 'w').close()",)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model with what a repository may have beside it."""
    folder = write(tmp_path_factory.mktemp("model") / "tiny", "bert")
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Runs()))
    (folder / "modeling_own.py").write_text("open('ran', 'w').close()\n")
    (folder / "onnx").mkdir()
    (folder / "onnx/config.json").write_text("{}")
    return folder


@pytest.fixture
def hub(httpserver, tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    hub = Hub(httpserver, tmp_path / "cache", monkeypatch)
    hub.serve("owner/tiny", folder, COMMIT)
    return hub


def test_a_model_is_measured_by_its_name(hub, folder, tmp_path, capsys):
    result = measure("owner/tiny", GROUPS, TARGETS, "association")
    expected = measure(folder, GROUPS, TARGETS, "association")
    assert [row.value for row in result.rows] == [row.value for row in expected.rows]
    assert result.title.endswith("in owner/tiny")
    read = result.provenance[0]
    told = {key: read[key] for key in ("repository", "revision", "commit")}
    assert told == {"repository": "owner/tiny", "revision": "main", "commit": COMMIT}
    sums = {file["name"]: file["sha256"] for file in expected.provenance[0]["files"]}
    assert {file["name"]: file["sha256"] for file in read["files"]}.items() <= sums.items()
    assert "model.safetensors" in {file["name"] for file in read["files"]}
    said = (
        "owner/tiny: no such file or folder; using the model owner/tiny on the Hugging Face Hub, "
    )
    said += f"stored in {tmp_path / 'cache'}\n"
    assert capsys.readouterr().err.startswith(said)


def test_nothing_that_could_run_is_downloaded(hub, tmp_path):
    measure("owner/tiny", GROUPS, TARGETS, "association")
    assert "model.safetensors" in hub.asked
    assert not [name for name in hub.asked if name.endswith((".bin", ".py")) or "/" in name]
    assert not (tmp_path / "ran").exists()


def test_what_was_downloaded_is_used_again_without_a_network(hub, httpserver):
    measure("owner/tiny", GROUPS, TARGETS, "association")
    hub.asked.clear()
    httpserver.clear()  # it answers with an error now
    assert open_subject("owner/tiny").hub["commit"] == COMMIT
    assert open_subject("owner/tiny", offline=True).hub["commit"] == COMMIT
    assert hub.asked == []


def test_revisions_are_compared(hub, tmp_path):
    other = write(tmp_path / "other", "bert", seed=1)
    hub.serve("owner/tiny", other, OTHER, "v2")
    others = [f"{a}{b}" for a in "abcdef" for b in "ghijk"]
    result = compare("owner/tiny", "owner/tiny@v2", GROUPS, TARGETS, baseline=others)
    assert result.title.endswith("in owner/tiny@v2 compared with owner/tiny")
    assert [each.get("commit") for each in result.provenance[:2]] == [COMMIT, OTHER]


def test_a_file_of_that_name_is_the_file(hub, tmp_path, folder):
    (tmp_path / "owner").mkdir()
    (tmp_path / "owner/tiny").symlink_to(folder)
    assert open_subject("owner/tiny").hub == {}
    assert open_subject("hf://owner/tiny").hub["commit"] == COMMIT
    assert hub.asked


@pytest.mark.parametrize("target", ["nowhere", "loop"])
def test_a_link_to_nothing_is_no_name_of_the_hub(hub, tmp_path, target):
    (tmp_path / "loop").symlink_to(target)
    with pytest.raises(UserError, match="loop: "):
        open_subject("loop")
    assert hub.asked == []


def test_where_a_folder_has_the_owners_name_both_are_told_and_nothing_is_asked(hub, tmp_path):
    (tmp_path / "owner/tiny-2").mkdir(parents=True)
    with pytest.raises(UserError) as error:
        open_subject("owner/tiny")
    told = "owner/tiny: no such file or folder; did you mean 'tiny-2'?; for the model of this "
    assert str(error.value) == told + "name on the Hugging Face Hub, write hf://owner/tiny"
    assert hub.asked == []


def test_a_mistyped_path_is_told_as_a_path_and_as_a_name(hub, tmp_path):
    (tmp_path / "my-model").mkdir()
    hub.refuse("my-modle", 404, "RepoNotFound")
    with pytest.raises(UserError) as error:
        open_subject("my-modle")
    said = "my-modle: no such file or folder; did you mean 'my-model'?; "
    assert str(error.value).startswith(said)
    assert "the Hugging Face Hub has no model of this name" in str(error.value)


@pytest.mark.parametrize(
    "path", ["nowhere.vec", "./owner/tiny", "a/b/c", "~/tiny", "my corpus", "owner/nowhere.gguf"]
)
def test_what_can_only_be_a_path_is_never_asked_for(hub, httpserver, path):
    with pytest.raises(UserError, match=r"no such file or folder$"):
        open_subject(path)
    assert httpserver.log == []


@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        (404, "RevisionNotFound", "the Hugging Face Hub has no revision 'v9' of it"),
        (403, "GatedRepo", "accept its terms on its page and to set HF_TOKEN"),
        (401, "RepoNotFound", "has no model of this name: check the spelling"),
        (500, "", "cannot be downloaded from the Hugging Face Hub .*: try again"),
    ],
)
def test_what_the_hub_refuses_is_one_line(hub, status, code, message):
    hub.refuse("owner/other", status, code, "v9")
    with pytest.raises(UserError, match=message) as error:
        open_subject("hf://owner/other@v9")
    assert str(error.value).startswith("owner/other@v9: ")
    assert "\n" not in str(error.value)


def test_a_model_without_safetensors_is_refused(hub, tmp_path):
    (tmp_path / "pickled").mkdir()
    (tmp_path / "pickled/config.json").write_text("{}")
    (tmp_path / "pickled/pytorch_model.bin").write_bytes(pickle.dumps(Runs()))
    hub.serve("owner/pickled", tmp_path / "pickled", COMMIT)
    with pytest.raises(UserError, match="has no safetensors of it, and nothing else is downloaded"):
        open_subject("owner/pickled")


def test_offline_nothing_is_asked_for(hub, httpserver):
    with pytest.raises(UserError, match=r"it is not in .*, and nothing is downloaded offline"):
        open_subject("owner/tiny", offline=True)
    assert httpserver.log == []


def test_the_command_takes_names_too(hub):
    arguments = "measure owner/tiny --targets nurse,pilot --measure association --layer 3"
    ran = CliRunner().invoke(cli, arguments.split())
    assert ran.exit_code == 0, ran.output
    assert "association bias of 2 targets between female and male in owner/tiny" in ran.stdout
    assert "owner/tiny, 16 dimensions, layer 3, commit 111111111111;" in ran.stdout
