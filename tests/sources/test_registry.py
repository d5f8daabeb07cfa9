"""The registry of sources: what is refused, and the real one."""

import pytest
import yaml

from socialbias.config import Config, Inputs
from socialbias.errors import UserError
from socialbias.files.yaml_files import read_yaml
from socialbias.pipeline.folder import RUNS
from socialbias.sources.fidelity import worst_fidelity
from socialbias.sources.registry import load_registry
from tests.paths import REPOSITORY, RESOURCES
from tests.sources.registry_problems import problems
from tests.worlds.servers import FACTS, described

FILE = described("a.csv", b"a,b", "pypi://demo==1/demo/a.csv")
GOOD = FACTS | {"id": "demo", "files": [FILE]}


@pytest.fixture
def load(tmp_path):
    def of(*entries):
        path = tmp_path / "sources.yaml"
        path.write_text(yaml.safe_dump(list(entries)))
        return load_registry(path)

    return of


def test_the_mirror_folder_is_the_id_unless_another_is_named(load):
    sources = load(GOOD, GOOD | {"id": "demo-2", "folder": "census"})
    assert [s.mirror_folder for s in sources.values()] == ["demo", "census"]
    assert [file.bytes for file in sources["demo"].files if file.name == "a.csv"] == [3]


def file_with(**changes):
    return {"files": [FILE | changes]}


BROKEN = {
    "unknown key": ({"licens": "MIT"}, "licens"),
    "no licence": ({"licence": ...}, "licence: Field required"),
    "id in capitals": ({"id": "Demo"}, "id"),
    "no title": ({"title": None}, "title"),
    "no files": ({"files": []}, "files"),
    "a file without bytes": (file_with(bytes=0), "files.0.bytes"),
    "a checksum that is none": (file_with(sha256="abc"), "files.0.sha256"),
    "a checksum in capitals": (file_with(sha256="A" * 64), "files.0.sha256"),
    "a checksum of the wrong length": (file_with(sha256="0" * 63), "files.0.sha256"),
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
    broken = {key: value for key, value in broken.items() if value is not ...}
    with pytest.raises(UserError) as caught:
        load(GOOD, broken)
    lines = str(caught.value).splitlines()
    assert len(lines) == 1
    assert f"sources.yaml: {broken['id']}: " in lines[0]
    assert key in lines[0]


def test_the_same_content_elsewhere_may_stand_in_as_exact(load):
    same = load(GOOD, GOOD | {"id": "same", "stands_in_for": "demo"})["same"]
    assert (same.stands_in_for, same.fidelity) == ("demo", "exact")


def test_a_source_described_twice_is_named(load):
    with pytest.raises(UserError, match=r"sources\.yaml: demo: duplicate id"):
        load(GOOD, GOOD)


@pytest.mark.parametrize("text", ["", "demo: {id: demo}\n", "- demo\n"])
def test_a_file_that_is_no_list_of_sources_is_refused(tmp_path, text):
    (tmp_path / "sources.yaml").write_text(text)
    with pytest.raises(UserError, match=r"sources\.yaml"):
        load_registry(tmp_path / "sources.yaml")


def test_a_number_is_as_good_as_its_worst_input():
    assert worst_fidelity(["exact", "substitute", "subset"]) == "substitute"
    assert worst_fidelity(["exact", "no input"]) == "no input"
    assert worst_fidelity(["exact", "subset"]) == "subset"
    assert worst_fidelity([]) == "exact"


# --- the real registry: complete, without problems, and shown on a page ---------------------


REAL = RESOURCES / "sources.yaml"


@pytest.fixture(scope="module")
def real():
    return load_registry(REAL)


def test_the_real_registry_has_no_problems(real):
    assert problems(real) == []
    assert list(real) == sorted(real), f"sort {REAL} by id"
    assert all(source.id == name for name, source in real.items())


def test_a_configuration_names_every_source(real):
    """A source that no run can bind would only be kept up to date."""
    sections = [Inputs().model_dump()]
    for profile in RUNS:
        config = Config.model_validate(read_yaml(REPOSITORY / f"config.{profile}.yaml"))
        sections.append(config.inputs.model_dump())
        sections.append({name: [subject.source] for name, subject in config.subjects.items()})
    named = {name for section in sections for names in section.values() for name in names}
    assert set(real) == named
