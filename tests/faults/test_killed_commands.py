"""A command that is ended by a signal leaves nothing behind, as after an interrupt."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import REPOSITORY
from tests.reliability import fault

# A command with a temporary folder, a process of its own, and a command that starts others.
COMMAND = """
import os, signal, sys, tempfile, time
from multiprocessing import get_context
from socialbias import cli
from socialbias.system.processes import run_with_jobs

def command(**_):
    with tempfile.TemporaryDirectory() as folder:
        child = get_context("fork").Process(target=time.sleep, args=(600,))
        child.start()
        job = f"import os, time; print({folder!r}, {child.pid}, os.getpid(), flush=True)"
        job += "; time.sleep(600)"
        run_with_jobs([sys.executable, "-c", job])

signal.signal(signal.SIGHUP, signal.SIG_IGN if sys.argv[1:] else signal.SIG_DFL)
cli.cli = command
cli.main()
"""


@pytest.fixture
def started():
    """Start a command; what it has open, and the process."""
    processes = []

    def start(*arguments):
        line = [sys.executable, "-c", COMMAND, *arguments]
        processes.append(subprocess.Popen(line, stdout=-1, text=True, cwd=REPOSITORY))
        folder, *children = processes[0].stdout.readline().split()
        return Path(folder), list(map(int, children)), processes[0]

    yield start
    for process in processes:
        process.kill()
        process.communicate()


@fault("SIGTERM or SIGHUP to a command", "no temporary file and no process is left")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_command_and_all_that_it_started(started, number):
    folder, children, process = started()
    assert folder.is_dir()
    process.send_signal(number)
    assert process.wait(60) == 128 + number
    assert not folder.exists()
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)


@fault("SIGHUP to a command under `nohup`", "it goes on")
def test_a_signal_that_is_ignored_stays_ignored(started):
    _, _, process = started("nohup")
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 128 + signal.SIGTERM
