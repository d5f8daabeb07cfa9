"""The same work on many items, in as many processes as a job has cores; and commands with jobs."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from threading import Thread
from time import sleep
from typing import Any, TypeVar

from socialbias.errors import UserError

Item = TypeVar("Item")
Result = TypeVar("Result")
LOOK = 1.0  # seconds between two looks whether the job is still there

_work: tuple[Callable, Sequence] | None = None  # of this process


def run_with_jobs(command: Sequence[str], **options: Any) -> int:
    """Run a command that starts others, which end with this process; its exit status."""
    alone = {"stdin": subprocess.DEVNULL, "process_group": 0}
    with subprocess.Popen(command, **alone, **options) as process:
        try:
            return process.wait()
        except BaseException:  # an interrupt or a signal, which was for this process alone
            is_ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            os.killpg(process.pid, signal.SIGTERM if is_ignored else signal.SIGINT)
            process.wait()
            raise


def in_processes(
    compute: Callable[[Item], Result], items: Iterable[Item], cores: int
) -> list[Result]:
    """Return what a function makes of each item, in order, with any number of processes."""
    items = list(items)
    n = min(cores, len(items))
    if n < 2:
        return [compute(item) for item in items]
    context = get_context("fork")
    arguments = (compute, items, os.getpid())
    pool = ProcessPoolExecutor(n, context, _begin, arguments)
    try:
        return list(pool.map(_one, range(len(items))))
    except BrokenProcessPool:
        raise UserError(
            f"one of {n} processes was killed, probably because memory ran out: run it again with "
            "fewer cores"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(compute: Callable, items: Sequence, job: int) -> None:
    global _work
    _work = compute, items
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # the handler is that of the job

    def end_with_job() -> None:  # however it ends: this process would wait for work forever
        while os.getppid() == job:
            sleep(LOOK)
        os._exit(1)

    Thread(target=end_with_job, daemon=True).start()


def _one(number: int) -> Any:
    compute, items = _work
    return compute(items[number])
