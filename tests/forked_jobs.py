"""Snakemake with its jobs in forks of one process that has imported what they import.

`python forked_jobs.py ARGUMENTS` is `snakemake ARGUMENTS`, faster: of a job of a second most is
import.
A job runs its script as ever, in a process of its own, with the environment and the working folder
that Snakemake would give it.
"""

from __future__ import annotations

import gc
import importlib
import os
import resource
import runpy
import signal
import socket
import struct
import sys
import threading
import time
import traceback
from pathlib import Path

PACKAGES = ("numpy", "pandas", "scipy.stats", "pyarrow.parquet", "yaml", "pydantic")
PACKAGES += (
    "spacy.lang.en",
    "matplotlib.figure",
    "matplotlib.backends.backend_svg",
)
PACKAGES += ("matplotlib.backends.backend_pdf", "matplotlib.backends.backend_agg")
PACKAGES += ("torch", "transformers", "socialbias.models.loading", "sklearn.linear_model")
PACKAGES += ("gensim.models", "socialbias.config", "socialbias.pipeline.job")
LENGTH = struct.Struct("<I")
ANSWER = struct.Struct("<Idd")  # exit code, seconds of CPU, most memory in MB


def serve(listening: socket.socket) -> None:
    """Fork for each script that is asked for; its exit code is the answer."""
    os.environ["OMP_NUM_THREADS"] = "1"
    sys.argv = ["python"]
    for name in PACKAGES:
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them here
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.collect()
    gc.freeze()  # or each fork would copy what it never changes
    while True:
        connection, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            _run(connection)
        connection.close()


def _run(connection: socket.socket) -> None:
    """In a fork: run the script as `python script` would, and answer with its exit code."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    [length] = LENGTH.unpack(connection.recv(LENGTH.size))
    script = connection.recv(length, socket.MSG_WAITALL).decode()
    code = 1
    try:
        sys.argv, sys.path[0] = [script], str(Path(script).parent)
        runpy.run_path(script, run_name="__main__")
        code = 0
    except SystemExit as leaving:
        if isinstance(leaving.code, str):
            print(leaving.code, file=sys.stderr)
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    used = resource.getrusage(resource.RUSAGE_SELF)
    connection.sendall(ANSWER.pack(code, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024))
    os._exit(code)


def ask(address: str, script: str) -> tuple[int, float, float]:
    """Exit code, seconds of CPU and MB of a script that the server runs; 1 if it was killed."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        text = script.encode()
        connection.sendall(LENGTH.pack(len(text)) + text)
        answer = connection.recv(ANSWER.size, socket.MSG_WAITALL)
    return ANSWER.unpack(answer) if len(answer) == ANSWER.size else (1, 0.0, 0.0)


def main() -> None:
    """Start the server, and then Snakemake with its scripts handed to it."""
    address = f"\0forked-jobs-{os.getpid()}"  # of Linux's abstract sockets: no file is left over
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address)
    listening.listen(64)
    server = os.fork()
    if server == 0:
        serve(listening)
    listening.close()

    import snakemake.cli
    from snakemake.exceptions import WorkflowError
    from snakemake.script import PythonScript

    def execute(self: PythonScript, name: str, edit: bool = False) -> None:
        began = time.monotonic()
        code, cpu, memory = ask(address, name)
        if record := self.bench_record:  # Snakemake would watch a process that it has started
            record.running_time = time.monotonic() - began
            record.data_collected, record.cpu_time, record.max_rss = True, cpu, memory
        if code:
            raise WorkflowError(f"{self.rulename}: exit code {code}")

    PythonScript.execute_script = execute
    try:
        snakemake.cli.main(sys.argv[1:])
    finally:
        os.kill(server, signal.SIGTERM)


if __name__ == "__main__":
    assert threading.active_count() == 1, "a fork has one thread"
    main()
