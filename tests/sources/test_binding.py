from dataclasses import replace

import pytest

from socialbias.sources import binding
from socialbias.sources.binding import (
    Binding,
    Places,
    bind,
    fidelity_in_role,
    locations,
)
from socialbias.sources.copies import copies
from socialbias.sources.registry import Source, SourceFile
from tests.worlds.servers import FACTS, described

HTTPS, PYPI = "https://example.org/{}", "pypi://demo==1/demo/{}"


def source(name, *locators, fidelity="exact", stands_in_for="", **said):
    files = [described(f, b"x", *(x.format(f) for x in locators)) for f in ("a.csv", "b.csv")]
    stands_in_for = stands_in_for or ("" if fidelity == "exact" else "full")
    facts = FACTS | said | {"fidelity": fidelity, "stands_in_for": stands_in_for}
    return Source(id=name, files=files, **facts)


@pytest.fixture
def places(tmp_path):
    return Places(tmp_path / "data", tmp_path / "mirror", ("pypi", "https"))


@pytest.fixture(autouse=True)
def pip_is_here(monkeypatch):
    monkeypatch.setattr(binding, "client_installed", lambda kind: True)


def put(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def test_what_was_fetched_comes_first_then_the_mirror_then_a_locator(places):
    demo = source("demo", HTTPS, PYPI)
    assert locations(demo, places) == "https"
    put(places.mirror / "demo", "a.csv", "b.csv")
    assert locations(demo, places) == "mirror"
    put(places.data / "demo", "a.csv", "b.csv")  # no manifest: every file is checked again anyway
    assert locations(demo, places) == "data"


def test_each_role_gets_the_first_source_that_can_be_had(places):
    registry = {
        "full": source("full", "npm://x@1.0.0/{}"),
        "part": source("part", PYPI, fidelity="subset"),
        "other": source("other", PYPI, fidelity="substitute"),
    }
    only_pypi = Places(places.data, None, ("pypi",))
    bound = bind(
        {"words": ["full", "part", "other"], "more": ["other", "part"]}, registry, only_pypi
    )
    assert bound == {
        "words": Binding("words", "part", "pypi", "subset", "", label="A demonstration"),
        "more": Binding("more", "other", "pypi", "substitute", "", label="A demonstration"),
    }
    put(places.mirror / "full", "a.csv", "b.csv")
    assert bind({"words": ["full", "part"]}, registry, places)["words"].source == "full"


FOLLOWED = {  # by the sources that no place gave and `fallback`, what plays the role then
    ((), "exact"): "full",
    (("full",), "exact"): "copy",
    (("full",), "none"): None,
    (("full", "copy"), "exact"): None,
    (("full", "copy"), "subset"): "part",
    (("full", "copy", "part"), "subset"): None,
    (("full", "copy", "part"), "substitute"): "other",
    (("part",), "exact"): "full",
}


@pytest.mark.parametrize(("failed", "fallback"), FOLLOWED)
def test_a_source_that_no_place_gave_is_followed_by_one_as_good(places, failed, fallback):
    registry = {
        "full": source("full", PYPI),
        "copy": source("copy", PYPI, stands_in_for="full"),
        "part": source("part", PYPI, fidelity="subset"),
        "other": source("other", PYPI, fidelity="substitute"),
    }
    left = replace(places, unavailable=failed, fallback=fallback)
    [binding] = bind({"words": [*registry]}, registry, left, {"words": "full"}).values()
    assert binding.source == FOLLOWED[failed, fallback]
    if binding.source is None:
        assert binding.missing.startswith("the source full could not be fetched: `make doctor")
    put(places.mirror / "full", "a.csv", "b.csv")  # no host is needed for what is here
    assert bind({"words": [*registry]}, registry, left, {"words": "full"})["words"].source == "full"


def test_a_gated_source_needs_the_users_word(places):
    gated = source("gated", PYPI, status="gated")
    inputs, registry = {"words": ["gated"]}, {"gated": gated}
    [binding] = bind(inputs, registry, places).values()
    assert binding.source is None
    assert "if you have its licence (MIT), write `accepted: [gated]` in" in binding.missing
    [binding] = bind(inputs, registry, replace(places, accepted=("gated",))).values()
    assert binding.source == "gated"
    put(places.mirror / "gated", "a.csv", "b.csv")  # a copy that the user has put there
    assert bind(inputs, registry, places)["words"].source == "gated"


def test_a_role_that_nothing_can_play_says_how_to_get_it(places):
    registry = {"full": source("full", HTTPS, folder="census"), "part": source("part", HTTPS)}
    nowhere = Places(places.data, None, ("pypi",))
    bound = bind({"words": ["full", "part"], "empty": []}, registry, nowhere)
    words = bound["words"]
    assert (words.source, words.where, words.fidelity) == (None, "", "no input")
    for part in ("source full is missing", "`locators: [pypi, https]`"):
        assert part in words.missing
    assert bound["empty"].fidelity == "no input"
    assert "inputs.empty" in bound["empty"].missing


def test_a_dead_source_is_had_from_a_copy_but_never_from_a_locator(places):
    dead, alive = source("dead", HTTPS, PYPI, status="dead"), source("alive", HTTPS)
    registry = {"dead": dead, "alive": alive}
    assert locations(dead, places) == ""
    assert bind({"words": ["dead", "alive"]}, registry, places)["words"].source == "alive"
    put(places.mirror / "dead", "a.csv", "b.csv")
    assert bind({"words": ["dead", "alive"]}, registry, places)["words"].source == "dead"


ROLES = {
    "the paper's own": ("full", "full", "exact"),
    "a part of the paper's own": ("part", "full", "subset"),
    "the same content": ("copy", "full", "exact"),
    "a part of what another role has": ("part", "other", "substitute"),
    "another role's own": ("full", "other", "substitute"),
    "a substitute that is this role's own": ("other", "other", "exact"),
    "the original of a copy": ("full", "copy", "exact"),
}


@pytest.fixture
def registry():
    sources = [
        source("full", PYPI),
        source("part", PYPI, fidelity="subset"),
        source("copy", PYPI, fidelity="exact", stands_in_for="full"),
        source("other", PYPI, fidelity="substitute"),
    ]
    return {s.id: s for s in sources}


@pytest.mark.parametrize(("name", "original", "fidelity"), ROLES.values(), ids=ROLES)
def test_fidelity_is_relative_to_the_role(places, registry, name, original, fidelity):
    assert fidelity_in_role(registry[name], registry[original]) == fidelity
    bound = bind({"words": [name]}, registry, places, originals={"words": original})
    assert bound["words"].fidelity == fidelity


# --- second places of files with a checksum -------------------------------------------------


COMMIT, SHA = "c0" * 20, "5a" * 32


def file(*locators, sha256=SHA):
    return SourceFile(name="a.csv", sha256=sha256, locators=list(locators))


@pytest.mark.parametrize(
    ("locator", "elsewhere"),
    [
        (
            f"https://raw.githubusercontent.com/owner/lists/{COMMIT}/data/a b.csv",
            [
                f"https://cdn.jsdelivr.net/gh/owner/lists@{COMMIT}/data/a b.csv",
                f"https://archive.softwareheritage.org/api/1/content/sha256:{SHA}/raw/",
            ],
        ),
        (
            f"hf://owner/model@{COMMIT}/config.json",
            [f"https://hf-mirror.com/owner/model/resolve/{COMMIT}/config.json"],
        ),
        (
            f"hf://datasets/owner/texts@{COMMIT}/train/0.parquet",
            [f"https://hf-mirror.com/datasets/owner/texts/resolve/{COMMIT}/train/0.parquet"],
        ),
        ("https://raw.githubusercontent.com/owner/lists/main/a.csv", []),  # a branch moves
        ("https://example.org/a.csv", []),
        ("manual://", []),
    ],
)
def test_copies_of_what_lies_on_github_and_on_the_hub(locator, elsewhere):
    assert copies(file(locator)) == elsewhere


def test_without_a_checksum_nobody_else_is_asked():
    assert copies(file(f"hf://owner/model@{COMMIT}/config.json", sha256="unknown")) == []


def test_a_place_that_is_named_already_is_not_asked_twice():
    named = f"https://cdn.jsdelivr.net/gh/owner/lists@{COMMIT}/a.csv"
    raw = f"https://raw.githubusercontent.com/owner/lists/{COMMIT}/a.csv"
    assert named not in copies(file(raw, named))
