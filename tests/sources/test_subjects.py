import gzip

import numpy as np
import pytest

from socialbias.config import Subject
from socialbias.embeddings.readers import read_word_vectors
from socialbias.errors import UserError
from socialbias.sources import subjects
from socialbias.sources.binding import Places, bind
from socialbias.sources.manifest import read_manifest, write_manifest
from socialbias.sources.registry import Source
from socialbias.sources.sniffing import check_not_read
from tests.hub import Hub
from tests.worlds.servers import FACTS, described

FILE = described("a.txt", b"a", "https://example.org/a.txt")
REGISTERED = Source(id="news", format="glove-text", files=[FILE], **FACTS)
GLOVE, WORD2VEC = "nurse 1 2\npilot 3 4\n", "2 2\nnurse 1 2\npilot 3 4\n"


def subject(**keys):
    return Subject.model_validate(keys).model_dump()


def fetched(tmp_path, **keys):
    """A subject fetched into a data folder: its folder and manifest."""
    [source] = subjects.subject_sources({"mine": subject(**keys)}, {"news": REGISTERED}).values()
    manifest = subjects.fetch_subject(source, tmp_path / "data")
    write_manifest(manifest, tmp_path / "data/mine/manifest.json")
    return read_manifest(tmp_path / "data/mine/manifest.json")


@pytest.mark.parametrize("name", ["v.txt", "v.vec", "v.vec.gz"])
@pytest.mark.parametrize("text", [GLOVE, WORD2VEC], ids=["glove", "word2vec"])
def test_a_file_of_vectors_is_read_whatever_its_kind_of_text(tmp_path, name, text):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    folder, manifest = fetched(tmp_path, path=str(path), kind="vectors")
    assert manifest["fidelity"] == "own"
    assert len(manifest["files"][0]["sha256"]) == 64
    vectors = read_word_vectors(folder, manifest, {"nurse", "pilot"})
    assert vectors.rows(["pilot"]).tolist() == [[3, 4]]


def test_a_folder_of_vectors_is_a_matrix_beside_its_words(tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    np.save(own / "vectors.npy", np.eye(2, dtype=np.float32))
    (own / "vocabulary.txt").write_text("nurse\npilot\n")
    (own / "remarks.md").write_text("mine")
    folder, manifest = fetched(tmp_path, path=str(own), kind="vectors")
    assert read_word_vectors(folder, manifest, {"pilot"}).rows(["pilot"]).tolist() == [[0, 1]]


def test_a_model_on_the_hub_is_downloaded_without_what_is_pickled(
    tmp_path, httpserver, monkeypatch
):
    own = tmp_path / "own"
    own.mkdir()
    for name in ("config.json", "model.safetensors", "pytorch_model.bin", "modeling.py"):
        (own / name).write_text("{}")
    hub = Hub(httpserver, tmp_path / "cache", monkeypatch)
    hub.serve("owner/name", own, "1" * 40, "v2")
    _, manifest = fetched(tmp_path, hub="owner/name@v2", kind="model")
    assert [file["path"] for file in manifest["files"]] == ["config.json", "model.safetensors"]


def test_a_hub_that_does_not_answer_is_one_line(tmp_path, monkeypatch):
    def snapshot_download(*_, **__):
        raise OSError("no route\nto host")

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    with pytest.raises(UserError) as caught:
        fetched(tmp_path, hub="owner/name", kind="model")
    told = "mine: owner/name: it cannot be downloaded from the Hugging Face Hub (no route to host)"
    assert str(caught.value) == f"{told}: try again later, or name a folder that has it"


@pytest.mark.parametrize(
    ("name", "keys", "line"),
    [
        ("mine", {"path": "nothing.vec"}, "nothing.vec: no such file or folder"),
        ("mine", {"path": "a.docx"}, "a.docx: not a known kind of file: its name should end"),
        ("mine", {"path": "texts"}, "texts: it is a corpus, not word vectors"),
        ("mine", {"path": "v.txt", "kind": "corpus"}, "v.txt: it is word vectors, not a corpus"),
        ("mine", {"source": "nws"}, "no source is called 'nws'"),
        ("news", {"path": "v.txt"}, "the registry has a source of this name"),
        *(
            (name, {"path": "v.txt"}, "is a name of this project's own")
            for name in ("packages", "sources.lock", "decades")
        ),
        *(
            ("mine", {"path": name, "kind": kind, "options": {option: "line"}}, f"options: {hint}")
            for name, kind, option, hint in [
                ("a.jsonl", "corpus", "txt", "the format jsonl has no option 'txt'; did you mean"),
                ("a.txt", "corpus", "units", "the format plain-text has no option 'units'; did"),
                ("a.vec", "vectors", "unit", "vectors take none"),
            ]
        ),
    ],
)
def test_what_cannot_be_a_subject_is_one_line(tmp_path, monkeypatch, name, keys, line):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    for file in ("a.docx", "a.jsonl", "a.txt", "texts/a.txt"):
        (tmp_path / file).write_text("She met a pilot.")
    for file in ("v.txt", "a.vec"):
        (tmp_path / file).write_text(GLOVE)
    own = {name: subject(**{"kind": "vectors"} | keys)}
    with pytest.raises(UserError) as caught:
        subjects.subject_sources(own, {"news": REGISTERED})
    assert str(caught.value).startswith(f"config: subjects.{name}: ")
    assert line in str(caught.value)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"kind": "vectors"}, "name one of path, hub and source"),
        ({"kind": "vectors", "path": "a", "source": "b"}, "name one of path, hub and source"),
        ({"kind": "corpus", "hub": "owner/name"}, "hub is for models"),
    ],
)
def test_a_subject_is_in_one_place(keys, message):
    with pytest.raises(ValueError, match=message):
        subject(**keys)


def test_a_subject_plays_a_role_as_ones_own_and_never_as_the_papers(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text(GLOVE)
    own = {
        "mine": subject(path=str(path), kind="vectors"),
        "known": subject(source="news", kind="vectors"),
    }
    registry = {"news": REGISTERED} | subjects.subject_sources(own, {"news": REGISTERED})
    inputs = {"word2vec": ["mine"], "glove": ["known"]}
    places = Places(data=tmp_path / "data", mirror=None, locators=("https",))
    bound = bind(inputs, registry, places, {"word2vec": "news", "glove": "news"})
    assert [(b.source, b.fidelity) for b in bound.values()] == [("mine", "own"), ("known", "own")]
    assert bound["word2vec"].where == "path"


def test_an_edited_or_another_file_is_another_subject(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("nurse pilot\n")

    def identity(**keys):
        [source] = subjects.subject_sources({"mine": subject(**keys)}, {}).values()
        return subjects.identity_of(source)

    before = identity(path=str(path), kind="corpus")
    path.write_text("nurse pilot maid\n")
    assert identity(path=str(path), kind="corpus") != before
    path.write_text(GLOVE)
    assert identity(path=str(path), kind="vectors") != before
    assert identity(hub="a/b", kind="model") != identity(hub="a/c", kind="model")
    assert subjects.identity_of(REGISTERED) == []


def test_a_file_that_lies_where_its_link_would_is_left_alone(tmp_path):
    path = tmp_path / "data/mine/v.txt"
    path.parent.mkdir(parents=True)
    path.write_text(GLOVE)
    with pytest.raises(UserError, match="is in the way: keep files of your own outside"):
        fetched(tmp_path, path=str(path), kind="vectors")
    assert path.read_text() == GLOVE


@pytest.mark.parametrize(
    ("read", "beside"),
    [("own.kv", "own.kv.vectors.npy"), ("own.npy", "own.txt"), ("own.npy", "vocabulary.txt")],
)
def test_what_is_read_beside_vectors_is_not_written_over(tmp_path, read, beside):
    for name in (read, beside, "other.txt"):
        (tmp_path / name).touch()
    with pytest.raises(UserError, match=f"{beside}: is read by this command"):
        check_not_read(tmp_path / beside, str(tmp_path / read))
    check_not_read(tmp_path / "other.txt", str(tmp_path / read))
