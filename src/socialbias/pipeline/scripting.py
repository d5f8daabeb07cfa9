"""What every script of the pipeline shares: its log, and one clear line when it fails.

A script imports this first. Imports make hundreds of thousands of objects that stay until the end;
Python's collector of cycles would go through all of them again and again, and once more at exit,
which is a third of the start-up of PyTorch or spaCy. So it looks less often, and not at exit.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from socialbias.errors import UserError
from socialbias.files.atomic_write import full_disk, locked
from socialbias.pipeline.gpus import card_for
from socialbias.sources.verified import check_result, forget, record

FAILED = "\nfailed: "  # begins the last line of a failed job's log
MOST_READ = 4  # inputs that an error names
gc.set_threshold(200_000)  # objects that are made and not freed between two looks


@contextmanager
def logged(job: Any) -> Iterator:
    """Run a script's body with its log open, alone, its inputs checked and its outputs recorded.

    It has the GPU that the job has asked for, and no other (`pipeline.gpus`).

    A job whose Snakemake was killed may still be at work when the run is started again: the second
    one waits until the first has ended, so that they never write the same files at once.
    """
    log = Path(job.log[0])
    log.parent.mkdir(parents=True, exist_ok=True)
    lock = log.with_name(f".{log.name}.lock")
    with locked(lock, lambda _: _wait_for(lock)), warnings.catch_warnings():
        file = log.open("w", encoding="utf-8")
        lock.write_text(f"{os.getpid()}\n")
        shown: set[str] = set()

        def say(line: str) -> None:
            for stream in (file, sys.stderr):
                stream.write(f"{line}\n")  # in one piece: other jobs write to the terminal too
                stream.flush()

        def show(message: Warning | str, *_: object) -> None:
            if str(message) not in shown:  # each text once, without a line of code
                shown.add(str(message))
                say(f"warning: {message}")

        try:
            warnings.showwarning = show
            for path in job.output:
                forget(Path(path))
            for path in job.input:
                check_result(Path(path))
            gpus = getattr(getattr(job, "resources", None), "gpu", 0)
            with card_for(gpus, os.environ, say):
                yield say
            for path in job.output:
                record(Path(path))
        except Exception as error:
            reason = _reason(error, job, log)
            with suppress(OSError):  # the disk may be full
                traceback.print_exc(file=file)
                file.write(f"{FAILED}{reason}\n")
                file.flush()
            sys.exit(reason)
        finally:
            gc.freeze()
            with suppress(OSError):  # likewise
                file.close()


def _reason(error: Exception, job: Any, log: Path) -> str:
    """Return why a job failed, for a person; of an unforeseen error also what the job had read."""
    if isinstance(error, UserError):
        return str(error)
    if isinstance(error, MemoryError):
        return f"out of memory ({error}): run fewer jobs at once, or on a larger machine"
    if isinstance(error, PermissionError) and error.filename:
        return f"{error.filename}: {error.strerror}: this run must be able to read or write it"
    unforeseen = f"{type(error).__name__}: {error} (full traceback in {log}){_suspects(job)}"
    folder = Path(next(iter(job.output), log)).parent
    return full_disk(error, folder) or unforeseen


def _suspects(job: Any) -> str:
    """Return what a job has read, and what to do; "" if nothing."""
    named = dict(job.input.items()) if hasattr(job.input, "items") else {}
    paths = {name: x if isinstance(x, str) else next(iter(x), "") for name, x in named.items()}
    read = [f"{name} ({path})" for name, path in paths.items() if path]
    if not read:
        return ""
    more = f" and {len(read) - MOST_READ} more" if len(read) > MOST_READ else ""
    return (
        f". The job read {', '.join(read[:MOST_READ])}{more}: if you have changed none of them, "
        "and none is your own, this is a fault of the software: report it with that log"
    )


def _wait_for(lock: Path) -> None:
    """Say that another process does the same job."""
    with suppress(OSError):
        pid = lock.read_text().strip()
        sys.stderr.write(
            f"process {pid} is still at work on this job, for a run that was killed: waiting for "
            f"it to end (`kill {pid}` ends it)\n"
        )
