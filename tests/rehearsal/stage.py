"""A copy of this checkout that knows the generated files, and how the workflow is run in it."""

from __future__ import annotations

import copy
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from socialbias.sources.registry import Source, load_registry
from tests.paths import FORKED_JOBS, REPOSITORY, copy_checkout
from tests.rehearsal.generate import bound_sources, config_of, write_registry
from tests.rehearsal.texts import Counts

# What the paper run does on a machine with a GPU. Its sources are priced at their real sizes.
TRAINED = (
    "fairness={fine_tune: true}",
    "stereoset={sentiment: {fine_tune: true}, next_sentence: {fine_tune: true}}",
    "planning={run_hours: 1000}",
)
OVERLAY = "config.rehearsal.yaml"
MIRRORED = ("garg-census-gender", "garg-census-race")
BY_HAND = ("gn-glove", "gn-glove-baseline", "nyt-articles-2016")
BY_HAND_FOLDER = "by-hand"  # as the overlay has it
# What a person may have set, and what would lead past the stand-ins.
UNSET = ("SOCIALBIAS_", "HF_", "PIP_", "XDG_")
WITHOUT_ROUTE = ["unshare", "--map-root-user", "--net"]
# Without a network namespace: no socket but those of this machine.
GUARD = """import socket
real = socket.getaddrinfo
def refuse(host, *arguments, **named):
    if host in (None, "localhost", "127.0.0.1", "::1", b"localhost"):
        return real(host, *arguments, **named)
    raise OSError(f"the rehearsal has no network: {{host}}")
socket.getaddrinfo = refuse
"""


class Stage:
    """A copy of the checkout.

    Attributes:
        path: Its folder.
        sources: The generated sources by id, as its registry has them.
        environment: For commands in it.
        name: The run that is rehearsed, `paper` or one with a configuration of its own.
    """

    name = "paper"

    def __init__(self, path: Path, origin: Path, counts: Mapping[str, Counts]) -> None:
        self.path, self.origin = path, origin
        copy_checkout(path)
        registry = path / "resources/sources.yaml"
        write_registry(origin, counts, registry)
        all_sources = load_registry(registry)
        self.sources = {name: all_sources[name] for name in bound_sources()}
        shutil.copy2(REPOSITORY / "tests/rehearsal/config.yaml", path / OVERLAY)
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(UNSET)}
        self.environment = inherited | {
            "PYTHONPATH": str(path / "src"),
            "HOME": str(path / "home"),
            "OMP_NUM_THREADS": "1",
        }
        self._lend()

    @property
    def bound(self) -> list[str]:
        """The first source of each role that has one, which the run binds."""
        first = [names[0] for names in config_of(self.name).inputs.model_dump().values() if names]
        return list(dict.fromkeys(first))

    @property
    def results(self) -> Path:
        """The folder of the run's results."""
        return self.path / "results" / self.name

    @property
    def configuration(self) -> list[str]:
        """The option that names the files of the run."""
        own = [] if self.name == "paper" else [f"config.{self.name}.yaml"]
        return ["--configfile", *own, OVERLAY]

    def moved(self, path: Path) -> Stage:
        """This stage as it is after its folder was copied."""
        other = copy.copy(self)
        other.path = path
        other.environment = {
            key: value.replace(str(self.path), str(path)) for key, value in self.environment.items()
        }
        return other

    def _lend(self) -> None:
        """Put some sources into a mirror and a folder of files by hand."""
        for name in MIRRORED:
            target = self.path / "mirror" / self.sources[name].mirror_folder
            shutil.copytree(self.origin / name, target, dirs_exist_ok=True)
        for name in BY_HAND:
            shutil.copytree(self.origin / name, self.path / BY_HAND_FOLDER / name)
        self.environment["SOCIALBIAS_MIRROR"] = str(self.path / "mirror")

    def served(self) -> dict[str, Source]:
        """The sources that hosts have; the others come by hand alone."""
        return {name: s for name, s in self.sources.items() if name not in BY_HAND}

    def run(
        self, *command: str, network: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess:
        """Run a command in the copy.

        Args:
            command: The program and its arguments.
            network: What leads to the hosts; None for no network at all.
        """
        environment = self.environment | dict(network or {})
        if network is None:
            command, environment = without_network(list(command), environment, self.path)
        return subprocess.run(
            command, cwd=self.path, env=environment, capture_output=True, text=True, check=False
        )

    def snakemake(
        self, *arguments: str, cores: int = 2, network: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess:
        """Run the workflow, its jobs in forks."""
        forked = [sys.executable, str(FORKED_JOBS)]
        options = ["--cores", str(cores), *arguments, *self.configuration]
        trained = ["--config", *TRAINED] if self.name == "paper" else []
        return self.run(*forked, *options, *trained, network=network)

    def module(self, name: str, *arguments: str, network: Mapping[str, str] | None = None):
        """Run one of the package's programs."""
        command = [sys.executable, "-m", name, *arguments, *self.configuration]
        return self.run(*command, network=network)


def has_namespaces() -> bool:
    """Whether a process can be run in a network namespace without a route."""
    try:
        return subprocess.run([*WITHOUT_ROUTE, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def without_network(
    command: list[str], environment: dict[str, str], folder: Path
) -> tuple[list[str], dict[str, str]]:
    """A command and its environment such that it reaches no host."""
    if has_namespaces():
        return [*WITHOUT_ROUTE, *command], environment
    guard = folder / "home/guard"
    guard.mkdir(parents=True, exist_ok=True)
    (guard / "sitecustomize.py").write_text(GUARD, "utf-8")
    path = os.pathsep.join([str(guard), environment["PYTHONPATH"]])
    return command, environment | {"PYTHONPATH": path}
