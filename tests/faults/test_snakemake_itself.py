"""What Snakemake itself meets before or after our code: it stops, and leaves nothing wrong."""

import os
import subprocess
import sys
import time

import pytest

from tests.reliability import fault

SNAKEFILE = """\
rule made:
    input: "given"
    output: "out"
    shell: "cp given out"
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    (tmp_path / "given").write_text("text")
    return tmp_path


def snakemake(folder, *arguments):
    command = [sys.executable, "-m", "snakemake", "--cores", "1", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@fault(
    "an overlay in UTF-16 or nested thousands deep that is given to Snakemake (`--configfile`)",
    "Snakemake stops with a traceback before anything runs; `make plan CONFIG=FILE` names the "
    "fault in one line",
)
@pytest.mark.long  # starts Snakemake
@pytest.mark.parametrize(
    "content",
    ["run: mine\n".encode("utf-16"), b"a: " + b"[" * 2000 + b"]" * 2000],
    ids=["UTF-16", "nested"],
)
def test_an_overlay_that_snakemake_cannot_read(folder, content):
    (folder / "mine.yaml").write_bytes(content)
    assert snakemake(folder, "--configfile", "mine.yaml").returncode == 1
    assert not (folder / "out").exists()


@pytest.mark.long  # two starts of Snakemake
@fault(
    "a clock that was set back after a part of the run",
    "Snakemake says that a result is older than its input and removes it; once the files are "
    "touched (`find data results -exec touch {} +`), the same command goes on",
)
def test_a_clock_that_goes_back(folder):
    future = time.time() + 2 * 86_400
    os.utime(folder / "given", (future, future))
    ended = snakemake(folder)
    assert ended.returncode == 1
    assert "clock skew" in ended.stderr
    assert not (folder / "out").exists()
    (folder / "given").touch()
    assert snakemake(folder).returncode == 0
    assert (folder / "out").read_text() == "text"
