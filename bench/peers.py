"""Peers in environments of their own, and the process in each that is asked to work."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

from bench.comparison import Measurement, Side

ROOT = Path(__file__).parents[1]
ENVIRONMENTS = ROOT / ".venv-bench"


class NoPeer(Exception):
    """A peer cannot be had; the message says why, in one line."""


class Peer:
    """A process that answers tasks: `<name>_peer.py` under the packages of `envs/bench-<name>.txt`.

    A task and its answer are one line of JSON each. The process times itself, so that neither its
    start nor the pipe counts.
    """

    def __init__(self, name: str):
        """Install what is needed, where it is not there yet, and start.

        Raises:
            NoPeer: it cannot be installed or does not start.
        """
        self.name = name
        script = Path(__file__).with_name(f"{name}_peer.py")
        self.process = subprocess.Popen(
            [environment(name), str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.versions: str = self.ask("versions").result

    def ask(self, task: str, **arguments) -> Measurement:
        """Give a task and wait for the answer.

        Raises:
            NoPeer: the process ended instead.
        """
        try:
            print(json.dumps({"task": task, **arguments}), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise NoPeer(f"{self.name} ended while it was asked for {task!r}")
        return Measurement(**json.loads(line))

    def side(self, task: str, **arguments) -> Side:
        """Return a task as a side of a comparison."""
        return lambda: self.ask(task, **arguments)

    def close(self) -> None:
        """No more tasks: the process ends by itself."""
        self.process.stdin.close()
        self.process.wait(60)


def environment(name: str) -> str:
    """Return the Python of an environment that holds what `envs/bench-<name>.txt` pins.

    Raises:
        NoPeer: it cannot be installed.
    """
    requirements = ROOT / "envs" / f"bench-{name}.txt"
    folder = ENVIRONMENTS / name
    stamp = folder / "installed"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()
    python = folder / "bin/python"
    if not stamp.exists() or stamp.read_text("utf-8") != digest:
        print(f"installing {name} into {folder.relative_to(ROOT)}", file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
        _run(name, [sys.executable, "-m", "venv", str(folder)])
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run(name, [*pip, "--requirement", str(requirements)])
        stamp.write_text(digest, "utf-8")
    return str(python)


def _run(name: str, command: list[str]) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        lines = [x for x in result.stderr.splitlines() if x.lower().startswith("error")]
        raise NoPeer(f"{name} cannot be installed: {lines[-1] if lines else 'no reason'}")
