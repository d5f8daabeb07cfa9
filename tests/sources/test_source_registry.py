"""The real registry: complete, without problems, and shown on a page."""

import csv
import os
from pathlib import Path

import pytest

from socialbias.config import Config, Inputs
from socialbias.files.yaml_files import read_yaml
from socialbias.pipeline.folder import RUNS
from socialbias.sources.document import human_bytes, sources_markdown
from socialbias.sources.registry import Source, load_registry
from tests.paths import REPOSITORY, RESOURCES
from tests.sources.registry_problems import problems
from tests.worlds.servers import FACTS, described

REAL = RESOURCES / "sources.yaml"
DIGITS = "0" * 39 + "1"
FILE = described("a.csv", b"a,b", "pypi://demo==1/demo/a.csv")
GOOD = FACTS | {"id": "demo", "files": [FILE]}


@pytest.fixture(scope="module")
def real():
    return load_registry(REAL)


def test_the_real_registry_has_no_problems(real):
    assert problems(real) == []
    assert list(real) == sorted(real)
    assert all(source.id == name for name, source in real.items())


# Formats whose documents and words can be counted in one file.
TEXTS = {"nyt-text", "goodreads", "gpt2-jsonl", "lateral-wikipedia"}
VECTORS = {"glove-text", "word2vec-text", "word2vec-binary", "histwords"}


def test_what_the_real_registry_expects_can_be_counted(real):
    expected = [(s, f) for s in real.values() for f in s.files if f.expect]
    assert len(expected) > 20
    for source, file in expected:
        if "rows" in file.expect:
            assert file.name.endswith((".csv", ".tsv", ".parquet")), source.id
        else:
            countable = TEXTS if "documents" in file.expect else VECTORS
            assert source.format in countable, source.id


def test_a_configuration_names_every_source(real):
    """A source that no run can bind would only be kept up to date."""
    sections = [Inputs().model_dump()]
    for profile in RUNS:
        config = Config.model_validate(read_yaml(REPOSITORY / f"config.{profile}.yaml"))
        sections.append(config.inputs.model_dump())
        sections.append({name: [subject.source] for name, subject in config.subjects.items()})
    named = {name for section in sections for names in section.values() for name in names}
    assert set(real) == named


def test_the_mirrors_copies_are_what_the_real_registry_describes(real):
    mirror = os.environ.get("SOCIALBIAS_MIRROR")
    if not mirror:
        pytest.skip("SOCIALBIAS_MIRROR is not set: nothing to compare the registry with")
    index = Path(mirror) / "INDEX.tsv"
    if not index.exists():
        pytest.skip(f"{index} is not there: nothing to compare the registry with")
    described = {
        f"{source.mirror_folder}/{file.name}": (file.sha256, file.bytes)
        for source in real.values()
        for file in source.files
    }
    with index.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    held = {row["path"]: (row["sha256"], int(row["bytes"])) for row in rows}
    shared = held.keys() & described.keys()
    assert len(shared) > 50
    assert {name: held[name] for name in shared} == {name: described[name] for name in shared}


def test_what_replaces_something_dead_or_gated_is_not_itself_dead(real):
    for source in real.values():
        if source.stands_in_for:
            assert source.status != "dead", source.id


def test_the_page_has_every_source_once_in_tables_and_once_in_details(real):
    page = sources_markdown(real)
    for source in real.values():
        assert page.count(f"\n### {source.id}\n") == 1
        assert page.count(f"\n| [{source.id}](#") == 1
        assert (f"\n### Getting {source.id}\n" in page) == bool(source.steps)
    assert sources_markdown(dict(reversed(real.items()))) == page


def test_the_page_tells_substitutes_from_both_sides_and_escapes_text():
    paper = GOOD | {"title": "a | b", "notes": "has <br /> & &amp; `x`"}
    locators = ["manual://", f"hf://a/b@{DIGITS}/c"]
    part = GOOD | {"id": "part.1", "steps": "Ask.\nWait.", "stands_in_for": "demo"}
    part |= {"files": [FILE | {"sha256": "unknown", "bytes": None, "locators": locators}]}
    sources = map(Source.model_validate, (paper, part | {"fidelity": "subset"}))
    page = sources_markdown({source.id: source for source in sources})
    rows = {line.split("]")[0]: line for line in page.splitlines() if line.startswith("| [")}
    assert rows["| [demo"].endswith("| [part.1](#part1) (subset) |")
    assert "a \\| b" in rows["| [demo"]
    assert "pypi `demo==1`" in rows["| [demo"]
    assert "| unknown | lock |" in rows["| [part.1"]
    assert "[by hand](#getting-part1)" in rows["| [part.1"]
    assert f"[Hugging Face](https://huggingface.co/a/b/tree/{DIGITS})" in rows["| [part.1"]
    assert "has &lt;br /> & &amp;amp; \\`x\\`" in page
    assert "1. Ask.\n2. Wait." in page


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (1, "1 bytes"),
        (999, "999 bytes"),
        (1639, "1.64 kB"),
        (999_600, "1.00 MB"),
        (31_952_576, "32.0 MB"),
        (1_647_046_227, "1.65 GB"),
        (6_516_051_717_000, "6516 GB"),
    ],
)
def test_human_bytes(size, text):
    assert human_bytes(size) == text
