"""What `make public-files` fetches, from hosts that this machine plays."""

import hashlib
import socket

import pytest
import yaml

from socialbias.pipeline import public_files, setup
from socialbias.pipeline.setup import load_setup
from socialbias.sources.binding import PUBLIC_BYTES, Binding
from socialbias.sources.fetch import fetch_or_link
from socialbias.sources.registry import Source, load_registry
from tests.paths import REPOSITORY, RESOURCES
from tests.rehearsal.hosts import Hosts
from tests.reliability import fault
from tests.waiting import PATIENCE
from tests.worlds.servers import BODY, FACTS, described, hanging, refusing, serving

CUT = 200_000
PUBLIC = "https://example.org/a.csv"


def source_of(name, body, *urls, **facts):
    files = [described(url.rpartition("/")[2], body, url) for url in urls]
    return Source(id=name, files=files, **FACTS | facts)


def wanted(sources, bound="", fidelity="substitute"):
    """What one role wants for which these sources are named, best first, and one of them serves."""
    binding = Binding("role", bound or None, "pypi" if bound else "", fidelity, "")
    registry = {source.id: source for source in sources}
    found = public_files.wanted({"role": list(registry)}, {"role": binding}, registry)
    return [source.id for source in found]


def test_what_serves_a_role_better_is_wanted():
    [best, second, bound] = [source_of(name, b"a", PUBLIC) for name in ("best", "second", "bound")]
    assert wanted([best, second, bound], "bound") == ["best"]
    assert wanted([best, second, bound]) == ["best"]
    assert wanted([best, second], "best") == []
    assert wanted([best, bound], "bound", "exact") == []


@pytest.mark.parametrize(
    "change",
    [
        {"status": "gated"},
        {"status": "dead"},
        {"bytes": None},
        {"bytes": PUBLIC_BYTES + 1},
        {"sha256": "unknown"},
        {"locators": ["http://example.org/a.csv", "hf://a/b@main/c"]},
    ],
    ids=str,
)
def test_what_is_not_public_or_too_large_is_not_wanted(change):
    public = source_of("public", b"a", PUBLIC, PUBLIC)
    facts = {"status": change["status"]} if "status" in change else {}
    of_files = {key: value for key, value in change.items() if key != "status"}
    last = public.files[1].model_copy(update=of_files)
    assert wanted([public]) == ["public"]
    other = public.model_copy(update=facts | {"files": [public.files[0], last]})
    assert wanted([other]) == []
    assert wanted([other.model_copy(update={"id": "other"}), public]) == ["public"]


def test_together_they_have_at_most_the_limit():
    half = PUBLIC_BYTES // 2
    sizes = {"a": half + 1, "b": half + 1, "c": half - 1}
    files = {name: described("f", b"", PUBLIC, bytes=size) for name, size in sizes.items()}
    sources = {name: Source(id=name, files=[file], **FACTS) for name, file in files.items()}
    inputs = {name: [name] for name in sources} | {"again": ["a"]}
    bindings = {name: Binding(name, None, "", "no input", "") for name in inputs}
    found = public_files.wanted(inputs, bindings, sources)
    assert [source.id for source in found] == ["a", "c"]


@pytest.fixture
def upstream(tmp_path, monkeypatch):
    """The quickstart's public files, small, from hosts that this machine plays over TLS."""
    monkeypatch.chdir(REPOSITORY)
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(yaml.safe_dump({"data": str(tmp_path / "data")}))
    overlays = [REPOSITORY / "config.quickstart.yaml", overlay]
    bare = load_setup(overlays, {})
    inputs = bare.config.inputs.model_dump()
    names = [s.id for s in public_files.wanted(inputs, bare.bindings, bare.registry)]
    entries = yaml.safe_load((RESOURCES / "sources.yaml").read_text("utf-8"))
    for entry in entries:
        for file in entry["files"] if entry["id"] in names else []:
            path = tmp_path / "origin" / entry["id"] / file["name"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{entry['id']} {file['name']}")
            file["bytes"] = path.stat().st_size
            file["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    registry = tmp_path / "resources/sources.yaml"
    registry.parent.mkdir()
    registry.write_text(yaml.safe_dump(entries))
    monkeypatch.setattr(setup, "resources", lambda: registry.parent)
    listed = [word for path in overlays for word in ("--configfile", str(path))]
    monkeypatch.setattr("sys.argv", ["public_files", *listed])
    sources = load_registry(registry)
    hosts = Hosts(tmp_path)
    hosts.publish({name: sources[name] for name in names}, tmp_path / "origin")
    with hosts:
        for name, value in hosts.environment.items():
            monkeypatch.setenv(name, value)
        yield hosts, lambda: load_setup(overlays, {}), [sources[name] for name in names]


def test_public_files_arrive_and_the_next_plan_is_made_of_them(upstream, capsys):
    _, load, sources = upstream
    assert {"garg-census-gender", "garg-census-race", "stereoset-predictions"} <= {
        source.id for source in sources
    }
    assert load().bindings["census_race"].source is None
    public_files.main()
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("public files: fetching ")
    names = ", ".join(source.id for source in sources)
    assert f"{len(sources)} of {len(sources)} sources came (" in last
    assert last.endswith(f"): {names}")
    bound = {binding.source: binding for binding in load().bindings.values()}
    assert {bound[source.id].where for source in sources} == {"data"}
    # The job of a run that may ask package registries alone takes what is there.
    manifest = fetch_or_link(sources[0], load().places, lambda line: None)
    assert [file["sha256"] for file in manifest["files"]] == [f.sha256 for f in sources[0].files]
    public_files.main()
    assert capsys.readouterr().out == "public files: nothing is missing that could be fetched\n"


@fault("hosts of public files that do not answer", "one line; the run goes on without them")
def test_hosts_that_refuse_are_one_line(upstream, capsys):
    hosts, load, sources = upstream
    hosts.dead = {host for host, _ in hosts.files}
    public_files.main()
    [line] = capsys.readouterr().out.splitlines()
    assert "raw.githubusercontent.com did not answer in 2 seconds" in line
    assert "make public-files" in line
    assert not load().places.data.exists()
    assert len(sources) > 5


@pytest.mark.parametrize("kind", ["name", "answer", "busy"])
def test_a_host_that_hangs_is_given_up(site, monkeypatch, kind):
    source = source_of("one", b"a", site.has("/a.bin", b"a"))
    assert public_files.silent_hosts([source], 60) == set()
    released = site.go

    def hang(*arguments, **options):
        released.wait(PATIENCE)
        raise socket.gaierror("no answer")

    if kind == "name":
        monkeypatch.setattr(socket, "getaddrinfo", hang)
    else:
        site.faults = [hanging if kind == "answer" else refusing(503)]
    assert public_files.silent_hosts([source], 0.3) == {site.url.removeprefix("http://")}
    assert not released.is_set()  # it did not wait for the answer


def test_a_host_that_stops_answering_is_asked_no_more(demo, capsys):
    sources = [source_of(n, BODY, demo.site.has(f"/{n}.bin")) for n in ("one", "two", "three")]
    demo.site.faults = [serving(), serving()] + [refusing(503)] * 20
    public_files.fetch_public(sources, demo.places)
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].endswith("1 of 3 sources came (640.0 kB): one")
    assert ("GET", "/three.bin") not in {(asked.method, asked.path) for asked in demo.site.asked}
