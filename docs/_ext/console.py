"""Runs the commands of the pages, and shows what they print.

    python docs/_ext/console.py [--write] [PAGE ...]

A block marked `console` has commands (`$ ...`) and, after each, its output. A page's commands run
one after the other in a folder of their own, with the materials that a comment names:

    <!-- with: glove.vec -->

and with each block that follows a comment `<!-- file: NAME -->` as a file. What they print is
compared with what the page says; `--write` puts it into the page. A block marked `sh` is not run,
and a comment before it says why: `<!-- not run: it takes minutes -->`. The site shows what its own
build printed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from materials import REPOSITORY, NotHere, lay_out

DOCS = Path(__file__).parents[1]
KEPT = DOCS / "_build/materials"
BLOCK = re.compile(r"^```console\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
WITH = re.compile(r"^<!-- with: (.+?) -->\n", re.MULTILINE)
FILE = re.compile(r"^<!-- file: (\S+) -->\n```\w*\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
NOT_RUN = re.compile(r"^<!-- not run: (.+?) -->\n", re.MULTILINE)
LONGEST = 300  # seconds


class Failed(Exception):
    """A command ends otherwise than the page says."""


@dataclass
class Ran:
    """A page whose commands have run: its text, and how long that took in seconds."""

    text: str
    seconds: float


def commands(block: str) -> list[tuple[str, str]]:
    """Return the commands of a block, each with the output that follows it."""
    parts = re.split(r"^\$ ((?:.*\\\n)*.*)\n", block, flags=re.MULTILINE)
    if parts[0]:
        raise Failed(f"a block of commands begins with {parts[0].splitlines()[0]!r}, not with `$ `")
    return list(zip(parts[1::2], parts[2::2], strict=True))


def output(command: str, folder: Path) -> str:
    """Return what a command prints, both streams, in a folder.

    Raises:
        Failed: it takes too long, or ends with an error and does not say `; echo $?`.
    """
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY / "src"),
        "OMP_NUM_THREADS": "1",
        "COLUMNS": "100",
        "REPOSITORY": str(REPOSITORY),
    }
    shell = ["bash", "-c", command]
    try:
        ran = subprocess.run(
            shell, cwd=folder, env=environment, capture_output=True, text=True, timeout=LONGEST
        )
    except subprocess.TimeoutExpired as error:
        raise Failed(f"{command}: not done after {LONGEST} s") from error
    if ran.returncode:
        raise Failed(f"{command}: exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return "".join(f"{line.rstrip()}\n" for line in (ran.stderr + ran.stdout).splitlines())


def run(text: str) -> Ran:
    """Return a page with what its commands print now.

    Raises:
        NotHere: a material cannot be had.
        Failed: a command fails.
    """
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lay_out([each for found in WITH.findall(text) for each in found.split()], folder, KEPT)
        for path, content in FILE.findall(text):
            (folder / path).write_text(content, "utf-8")

        def ran(block: re.Match) -> str:
            lines = (f"$ {command}\n{output(command, folder)}" for command, _ in commands(block[1]))
            return f"```console\n{''.join(lines)}```\n"

        done = BLOCK.sub(ran, text)
    return Ran(done, time.monotonic() - begin)


def pages() -> list[Path]:
    """Return the pages that have commands to run."""
    return [
        path
        for path in sorted(DOCS.glob("**/*.md"))
        if "_build" not in path.parts and BLOCK.search(path.read_text("utf-8"))
    ]


def _shown(app, docname: str, source: list[str]) -> None:
    """Put what this build printed into a page, and say of each block whether it ran."""
    text = source[0]
    if BLOCK.search(text) and app.config.run_commands:
        try:
            text = BLOCK.sub(r"\g<0>\n*Run when this page was built.*\n", run(text).text)
        except NotHere as error:
            app.statistics_of_console.append(f"{docname}: not run, {error}")
            text = BLOCK.sub(r"\g<0>\n*Not run in this build: its data could not be had.*\n", text)
    source[0] = NOT_RUN.sub(r"*Not run when this page is built: \1.*\n\n", text)


def _told(app, error: Exception | None) -> None:
    for line in app.statistics_of_console:
        print(line, file=sys.stderr)


def setup(app) -> dict:
    """Connect to the build; `-D run_commands=0` builds without running anything."""
    app.statistics_of_console = []
    app.add_config_value("run_commands", True, "env", [bool])
    app.connect("source-read", _shown)
    app.connect("build-finished", _told)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def main(arguments: list[str]) -> int:
    """Run pages; 1 where one prints otherwise than it says."""
    write = "--write" in arguments
    chosen = [Path(name).resolve() for name in arguments if name != "--write"] or pages()
    code = 0
    for path in chosen:
        text = path.read_text("utf-8")
        done = run(text)
        same = done.text == text
        print(f"{path.relative_to(REPOSITORY)}: {done.seconds:.0f} s{'' if same else ', differs'}")
        if not same and write:
            path.write_text(done.text, "utf-8")
        code |= not same and not write
    return code


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (Failed, NotHere) as error:
        sys.exit(str(error))
