"""A peer's end of the pipe: tasks come in as lines of JSON and go out as such; see `bench.peers`.

It is imported by scripts that run under a peer's packages: the standard library is all that it has.
"""

import json
import os
import sys
from importlib.metadata import version


def versions_of(*packages: str):
    """Return what is compared with."""
    return 0.0, " ".join(f"{name} {version(name)}" for name in packages)


def answer(tasks: dict) -> None:
    """Answer until there are no more tasks.

    Answers go to what standard output was at the start: whatever the libraries print goes to
    standard error.

    Args:
        tasks: Functions by name; each gives the seconds that it took, and its result.
    """
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for line in sys.stdin:
        arguments = json.loads(line)
        seconds, result = tasks[arguments.pop("task")](**arguments)
        print(json.dumps({"seconds": seconds, "result": result}), file=answers)
