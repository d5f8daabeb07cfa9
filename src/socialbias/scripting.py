"""What every script of the pipeline shares: its log, and one clear line when it fails.

A script imports this first. Imports make hundreds of thousands of objects that stay until the end;
Python's collector of cycles would go through all of them again and again, and once more at exit,
which is a third of the start-up of PyTorch or spaCy. So it looks less often, and not at exit.
"""

from __future__ import annotations

import gc
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from socialbias.errors import UserError
from socialbias.sources.verified import check_result, forget, record

gc.set_threshold(200_000)  # objects that are made and not freed between two looks


@contextmanager
def logged(job: Any) -> Iterator:
    """Run a script's body with its log open, its inputs checked and its outputs recorded.

    Args:
        job: Snakemake's description of the job, with `log`, `input` and `output`.

    Yields:
        A function that writes one line to the log and to standard error.

    Raises:
        SystemExit: the body raised, or an input is not what an earlier job has written; the log has
            the traceback. A `UserError` shows its own line, anything else its last line and where
            the log is.
    """
    log = Path(job.log[0])
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as file:

        def say(line: str) -> None:
            for stream in (file, sys.stderr):
                stream.write(f"{line}\n")  # in one piece: other jobs write to the terminal too
                stream.flush()

        try:
            for path in job.output:
                forget(Path(path))
            for path in job.input:
                check_result(Path(path))
            yield say
            for path in job.output:
                record(Path(path))
        except UserError as error:
            traceback.print_exc(file=file)
            sys.exit(str(error))
        except Exception as error:
            traceback.print_exc(file=file)
            sys.exit(f"{type(error).__name__}: {error} (full traceback in {log})")
        finally:
            gc.freeze()
