import os
import signal
import subprocess
import sys
import time

import pytest

from socialbias.errors import UserError
from socialbias.system import progress
from socialbias.system.processes import in_processes
from tests.waiting import is_running, until


@pytest.mark.parametrize("cores", [1, 2, 5])
def test_results_come_in_the_order_of_items(cores):
    def later_the_smaller(number):
        time.sleep(0.02 * (4 - number))
        return number**2, os.getpid()

    found, processes = zip(*in_processes(later_the_smaller, range(5), cores), strict=True)
    assert found == (0, 1, 4, 9, 16)
    assert (os.getpid() in processes) == (cores == 1)


def test_an_error_of_an_item_is_that_of_the_whole():
    def fails(number):
        if number == 1:
            raise UserError("one is too few")
        return number

    with pytest.raises(UserError, match="one is too few"):
        in_processes(fails, range(4), 2)


def test_a_process_that_is_killed_is_told_in_a_line():
    def killed(number):
        if number == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    with pytest.raises(UserError, match="was killed, probably because memory ran out"):
        in_processes(killed, range(4), 2)


ORPHANS = """
import os, sys, time
from socialbias.system.processes import in_processes
def work(number):
    os.write(1, f"{os.getpid()}\\n".encode())  # in one piece, whoever else writes
    time.sleep(3600)
in_processes(work, range(2), 2)
"""


def test_processes_end_with_a_job_that_is_killed():
    job = subprocess.Popen([sys.executable, "-c", ORPHANS], stdout=subprocess.PIPE, text=True)
    workers = [int(job.stdout.readline()) for _ in range(2)]
    job.kill()
    job.wait()
    job.stdout.close()
    until(lambda: not any(map(is_running, workers)))


# --- when a line of progress is due, and the time that it estimates -------------------------


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_a_line_is_due_after_five_seconds_and_then_every_ten(clock):
    pace, due = progress.Pace(print), []
    for clock[0] in range(30):
        due += [clock[0]] * pace.due()
    assert due == [5, 15, 25]
    assert pace.left(29, 58) == "0:29 left"
    assert progress.time_left(60, 1, 3) == "2:00 left"
