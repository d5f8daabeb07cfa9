import pytest
import yaml

from socialbias.config import Inputs
from socialbias.errors import UserError
from socialbias.sources.fidelity import worst_fidelity
from socialbias.sources.registry import load_registry
from tests.paths import RESOURCES

REAL = RESOURCES / "sources.yaml"
GOOD = {
    "id": "demo",
    "title": "A demonstration",
    "citation": "Nobody 2020",
    "licence": "none stated",
    "files": [
        {"name": "a.csv", "bytes": 3, "sha256": "0" * 64, "locators": ["pypi://demo==1/demo/a.csv"]}
    ],
}


@pytest.fixture
def load(tmp_path):
    def of(*entries):
        path = tmp_path / "sources.yaml"
        path.write_text(yaml.safe_dump(list(entries)))
        return load_registry(path)

    return of


def test_the_real_registry_loads_and_is_sorted_by_id():
    sources = load_registry(REAL)
    assert list(sources) == sorted(sources)
    assert all(source.id == name for name, source in sources.items())


def test_the_real_registry_has_every_default_source():
    sources = load_registry(REAL)
    assert {s for ids in Inputs().model_dump().values() for s in ids} <= set(sources)


def test_the_mirror_folder_is_the_id_unless_another_is_named(load):
    sources = load(GOOD, GOOD | {"id": "demo-2", "folder": "census"})
    assert [s.mirror_folder for s in sources.values()] == ["demo", "census"]
    assert sources["demo"].file("a.csv").bytes == 3
    with pytest.raises(KeyError):
        sources["demo"].file("b.csv")


def file_with(**changes):
    return {"files": [GOOD["files"][0] | changes]}


BROKEN = {
    "unknown key": ({"licens": "MIT"}, "licens"),
    "id in capitals": ({"id": "Demo"}, "id"),
    "no title": ({"title": None}, "title"),
    "no files": ({"files": []}, "files"),
    "a file without bytes": (file_with(bytes=0), "files.0.bytes"),
    "a checksum that is none": (file_with(sha256="abc"), "files.0.sha256"),
    "a checksum in capitals": (file_with(sha256="A" * 64), "files.0.sha256"),
    "a checksum of the wrong length": (file_with(md5="0" * 31), "files.0.md5"),
    "by hand without steps": (file_with(locators=["manual://"]), "`steps`"),
    "unknown status": ({"status": "fine"}, "status"),
    "no place": (file_with(locators=[]), "files.0.locators"),
    "unknown fidelity": ({"fidelity": "good"}, "fidelity"),
    "subset of nothing": ({"fidelity": "subset"}, "stands_in_for"),
    "a source that is no input": ({"stands_in_for": "demo", "fidelity": "no input"}, "fidelity"),
    "stand-in for nobody": ({"stands_in_for": "x", "fidelity": "subset"}, "stands_in_for"),
}


@pytest.mark.parametrize(("change", "key"), BROKEN.values(), ids=BROKEN)
def test_a_broken_source_is_one_line_that_names_it_and_the_key(load, change, key):
    broken = GOOD | {"id": "bad-one"} | change
    with pytest.raises(UserError) as caught:
        load(GOOD, broken)
    lines = str(caught.value).splitlines()
    assert len(lines) == 1
    assert f"sources.yaml: {broken['id']}: " in lines[0]
    assert key in lines[0]


def test_the_same_content_elsewhere_may_stand_in_as_exact(load):
    same = load(GOOD, GOOD | {"id": "same", "stands_in_for": "demo"})["same"]
    assert (same.stands_in_for, same.fidelity) == ("demo", "exact")


@pytest.mark.parametrize("key", ["id", "title", "citation", "licence", "files"])
def test_a_source_without_a_key_is_one_line_that_names_the_key(load, key):
    with pytest.raises(UserError) as caught:
        load({k: v for k, v in GOOD.items() if k != key})
    lines = str(caught.value).splitlines()
    assert len(lines) == 1
    assert f"{key}: Field required" in lines[0]


def test_a_source_described_twice_is_named(load):
    with pytest.raises(UserError, match=r"sources\.yaml: demo: duplicate id"):
        load(GOOD, GOOD)


def test_problems_of_several_sources_are_listed_at_once(load):
    with pytest.raises(UserError) as caught:
        load(
            GOOD | {"id": "one", "fidelity": "good"}, GOOD | {"id": "two", "title": 3, "files": []}
        )
    assert [line.split(": ")[1] for line in str(caught.value).splitlines()] == ["one", "two", "two"]


@pytest.mark.parametrize(
    "text", ["", "demo: {id: demo}\n", "- demo\n"], ids=["empty", "map", "word"]
)
def test_a_file_that_is_no_list_of_sources_is_an_error_of_the_writer(tmp_path, text):
    path = tmp_path / "sources.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=r"sources\.yaml"):
        load_registry(path)


def test_a_number_is_as_good_as_its_worst_input():
    assert worst_fidelity(["exact", "substitute", "subset"]) == "substitute"
    assert worst_fidelity(["exact", "no input"]) == "no input"
    assert worst_fidelity(["exact", "subset"]) == "subset"
    assert worst_fidelity([]) == "exact"
