"""What every script of the pipeline shares: its log, and one clear line when it fails."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from socialbias.errors import UserError


@contextmanager
def logged(path: str) -> Iterator:
    """Run a script's body with its log open.

    Yields:
        A function that writes one line to the log and to standard error.

    Raises:
        SystemExit: the body raised; the log has the traceback. A `UserError` shows its own line,
            anything else its last line and where the log is.
    """
    log = Path(path)
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as file:

        def say(line: str) -> None:
            for stream in (file, sys.stderr):
                stream.write(f"{line}\n")  # in one piece: other jobs write to the terminal too
                stream.flush()

        try:
            yield say
        except UserError as error:
            traceback.print_exc(file=file)
            sys.exit(str(error))
        except Exception as error:
            traceback.print_exc(file=file)
            sys.exit(f"{type(error).__name__}: {error} (the whole story is in {path})")
