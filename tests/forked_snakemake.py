"""Snakemake for many dry runs: imported once, in a process of its own, and forked for each.

A third of a dry run is the import of Snakemake and of what it takes along. Of this project nothing
is imported before the fork, so that each run reads the code as it stands in its folder.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

# What the pipeline imports when it plans, beside what Snakemake itself does.
PACKAGES = ("jinja2", "numpy", "pandas", "pydantic", "requests", "tenacity", "yaml")
PACKAGES += ("snakemake.report", "snakemake_logger_plugin_rich")


class Forked:
    """A process that runs Snakemake in forks of itself, one after the other."""

    def __init__(self, report: Path) -> None:
        self.report = report
        self.process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, folder: Path, environment: dict[str, str], *arguments: str) -> tuple[int, str]:
        """The exit code of Snakemake in a folder, and all that it says."""
        request = [str(folder), environment, arguments, str(self.report)]
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline()), self.report.read_text("utf-8")

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def serve() -> None:
    """Answer each line of the input with the exit code of a run."""
    from snakemake.cli import main

    for name in PACKAGES:
        importlib.import_module(name)
    gc.freeze()  # or each fork would copy what it never changes
    for line in sys.stdin:
        folder, environment, arguments, report = json.loads(line)
        child = os.fork()
        if child == 0:
            with Path(report).open("w") as file:
                os.dup2(file.fileno(), 1)
                os.dup2(file.fileno(), 2)
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            sys.path[:1] = ["", *environment["PYTHONPATH"].split(os.pathsep)]
            main(arguments)  # it leaves the process
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
