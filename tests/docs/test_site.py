"""The pages: their links lead somewhere, their commands are commands, and the site builds."""

import importlib.util
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from socialbias.commands.cli import COMMANDS
from tests.declared import DECLARATIONS
from tests.paths import DATA, REPOSITORY

DOCS = REPOSITORY / "docs"
LISTING = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
FILES = subprocess.run(LISTING, cwd=REPOSITORY, capture_output=True, text=True, check=True)
COMMITTED = [name for name in FILES.stdout.splitlines() if (REPOSITORY / name).exists()]
PAGES = [REPOSITORY / name for name in COMMITTED if name.endswith(".md")]
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
TOOLS = all(importlib.util.find_spec(name) for name in ("sphinx", "furo", "myst_nb"))
needs_tools = pytest.mark.skipif(not TOOLS, reason="the docs tools are not installed (make docs)")


def named(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


def anchors(path: Path) -> set[str]:
    """As GitHub makes them of headings, and those set by hand."""
    text = FENCE.sub("", path.read_text("utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", each) for each in headings]
    made = {re.sub(r"[^\w\- ]", "", each.lower()).strip().replace(" ", "-") for each in plain}
    return made | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_to_committed_files(page):
    for target in LINK.findall(FENCE.sub("", page.read_text("utf-8"))):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", path):
            continue  # of the web
        there = (page.parent / path).resolve() if path else page
        assert named(there) in COMMITTED, target
        if anchor and there.suffix == ".md":
            assert anchor in anchors(there), target


def test_a_maintainer_reads_the_pages_in_an_afternoon():
    words = {page: len(page.read_text("utf-8").split()) for page in PAGES}
    own = [count for page, count in words.items() if DOCS in page.parents]
    assert (len(own) <= 40, sum(own) <= 32_000) == (True, True)
    assert words[REPOSITORY / "README.md"] <= 600


def test_what_code_and_data_call_a_page_is_one():
    places = ("src", "bench", "resources", "profiles", "workflow", "tests", ".ci")
    for name in COMMITTED:
        if name.startswith(places) and name.endswith((".py", ".yaml", ".toml", ".json", ".smk")):
            for page in re.findall(r"\bdocs/[\w/-]+\.md\b", (REPOSITORY / name).read_text("utf-8")):
                assert page in COMMITTED, f"{name}: {page}"


@cache
def make_targets() -> set[str]:
    text = (REPOSITORY / "Makefile").read_text("utf-8")
    return set(re.findall(r"^([a-z][\w-]*):", text, re.MULTILINE))


@cache
def snakemake_targets() -> set[str]:
    import socialbias.papers

    declared = DECLARATIONS.artefacts
    rules = (path.read_text("utf-8") for path in (REPOSITORY / "workflow").glob("**/*.smk"))
    snakefile = (REPOSITORY / "workflow/Snakefile").read_text("utf-8")
    found = re.findall(r"^\s*rule (\w+):", "\n".join([*rules, snakefile]), re.MULTILINE)
    papers = {name.name for name in Path(socialbias.papers.__file__).parent.iterdir()}
    return set(declared) | set(found) | papers


def lines(page: Path) -> list[str]:
    """Lines of commands in the blocks of a page, continued ones joined."""
    blocks = re.findall(r"^```(?:console|sh|)\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
    joined = "\n".join(blocks).replace("\\\n", " ")
    return [re.sub(r"\s+#.*", "", line.removeprefix("$ ")) for line in joined.splitlines()]


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_are_commands(page):
    text = page.read_text("utf-8")
    for target in re.findall(r"`(?:\w+=\S+ )*make ([a-z][\w-]*)", text):
        assert target in make_targets()
    for line in lines(page):
        words = line.split()
        if words[:1] == ["make"] and len(words) > 1 and re.fullmatch(r"[a-z][\w-]*", words[1]):
            assert words[1] in make_targets(), line
        if words[:1] == ["socialbias"] and len(words) > 1 and not words[1].startswith("-"):
            assert words[1] in COMMANDS, line
        if words[:1] == ["snakemake"]:
            for name in asked_of_snakemake(line):
                assert name in snakemake_targets(), line


def asked_of_snakemake(line: str) -> list[str]:
    """The targets of a line: what stands after ` -- `, else a last word that is no option's."""
    before, dashes, after = re.sub(r"'[^']*'", "QUOTED", line).partition(" -- ")
    if dashes:
        return re.findall(r"^[\w ]+", after)[0].split()
    words = before.split()
    takes = {"--cores", "--profile", "--configfile", "--config", "--snakefile", "--directory"}
    last = len(words) > 2 and words[-2] not in takes and "--config" not in words[-3:]
    return [words[-1]] if last and re.fullmatch(r"[a-z]\w+", words[-1]) else []


LOGS, VECTORS = "docs/tutorials/logs.md", "docs/tutorials/vectors.md"
with_glove = pytest.mark.skipif(
    not (DATA / "glove-6b-50d").exists(), reason="no GloVe: make quickstart"
)


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        pytest.param(LOGS, marks=pytest.mark.long),
        pytest.param(VECTORS, marks=[pytest.mark.long, with_glove]),
    ],
)
def test_commands_print_what_a_page_says(console, tmp_path, monkeypatch, page):
    monkeypatch.setattr(console, "KEPT", tmp_path / "kept")
    text = (REPOSITORY / page).read_text("utf-8")
    assert console.run(text).text == text


def test_a_command_that_fails_is_an_error(console):
    with pytest.raises(console.Failed, match="exit code 3"):
        console.run("```console\n$ echo told; exit 3\n```\n")


@pytest.fixture
def console(monkeypatch):
    monkeypatch.syspath_prepend(DOCS / "_ext")
    import console

    return console


@needs_tools
def test_the_site_builds_without_a_warning(tmp_path):
    """Without running its commands and its notebook, which `make docs` does."""
    ignored = shutil.ignore_patterns("_build", "_made", "__pycache__")
    shutil.copytree(DOCS, tmp_path / "docs", ignore=ignored)
    for name in {name.split("/")[0] for name in COMMITTED} - {"docs"}:
        (tmp_path / name).symlink_to(REPOSITORY / name)
    build = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going"]
    off = ["-D", "run_commands=0", "-D", "nb_execution_mode=off"]
    folders = [tmp_path / "docs", tmp_path / "site"]
    ran = subprocess.run([*build, *off, *folders], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    for page, anchor in {
        "artefacts": "trustworthy-table5",
        "error-rates": "sequential-comparisons",
        "extending": "an-artefact",
        "faults": "archives",
        "field": "word-vectors",
        "passports": "weat",
        "sources": "stereoset-dev",
    }.items():
        assert f'id="{anchor}"' in (tmp_path / f"site/{page}.html").read_text("utf-8")
    assert not re.search(r'(?:src|href)="https?://[^"]+\.(?:js|css)"',
                         (tmp_path / "site/index.html").read_text("utf-8"))  # fmt: skip
