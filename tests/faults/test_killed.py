"""Processes that are killed (-9) while they fetch, and processes that want the same file."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import REPOSITORY
from tests.reliability import fault
from tests.shortened import later
from tests.waiting import PATIENCE, until
from tests.worlds.servers import BODY, left, serving

CUT = 300_000


def both_finish(start, demo, source, **places):
    """A second run brings the right bytes and clears away what the first one left."""
    child = start(source, **places)
    assert child.finish() == 0, child.text
    demo.check()


def in_the_middle(start, demo, source):
    """A process that has got a part of the file."""
    demo.site.faults = [serving(pause=CUT)]
    child = start(source)
    assert demo.site.waiting.wait(PATIENCE)
    parts = demo.target.parent.glob
    until(lambda: [part.stat().st_size for part in parts("a.bin.*.part")] == [CUT])
    return child


@fault("one killed in the middle of a download", "the next run fetches what is missing")
def test_in_the_middle_of_a_download(demo, start):
    in_the_middle(start, demo, demo.source()).kill()
    assert not demo.target.exists()
    both_finish(start, demo, demo.source())
    assert demo.site.ranges == ["", f"bytes={CUT}-"]
    assert demo.site.asked[1].sent == len(BODY) - CUT


@pytest.mark.parametrize(
    "stop", later(["before the record", "before the check", "before the rename"], 1)
)
@pytest.mark.parametrize("known", [pytest.param(True, marks=pytest.mark.long), False])
@fault("one killed between download, check and rename", "the next run brings the file")
def test_killed_after_the_download(demo, start, stop, known):
    source = demo.source(known=known)
    child = start(source, stop)
    child.wait_for_mark()
    child.kill()
    assert not demo.target.exists()
    assert all(name.endswith((".part", ".lock")) for name in demo.left)
    both_finish(start, demo, source)
    # What had come was right: it is not fetched again where that can be told without a record.
    recorded = known or stop == "before the rename"
    assert len(demo.site.asked) == (1 if recorded else 2)


@fault("two processes that want one file", "it is fetched once")
def test_two_that_want_one_file_fetch_it_once(demo, start):
    source = demo.source(known=False)
    first = in_the_middle(start, demo, source)
    second = start(source)
    second.wait_for("another process is working on a.bin: waiting")
    demo.site.go.set()
    assert (first.finish(), second.finish()) == (0, 0), first.text + second.text
    assert len(demo.site.asked) == 1
    assert left(demo.places.data) == ["demo/a.bin", "sources.lock"]
    manifests = [json.loads(child.text.splitlines()[-1]) for child in (first, second)]
    assert manifests[0] == manifests[1]


@fault("a process that waits for another that is killed", "it goes on where the other stopped")
def test_who_waits_goes_on_where_the_killed_one_stopped(demo, start):
    first = in_the_middle(start, demo, demo.source())
    second = start(demo.source())
    second.wait_for("waiting")
    first.kill()
    assert second.finish() == 0, second.text
    assert demo.site.ranges == ["", f"bytes={CUT}-"]
    assert demo.left == ["a.bin"]


# --- a command that is ended by a signal leaves nothing behind, as after an interrupt -------


# A command with a temporary folder, a process of its own, and a command that starts others.
COMMAND = """
import os, signal, sys, tempfile, time
from multiprocessing import get_context
from socialbias.commands import cli
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
