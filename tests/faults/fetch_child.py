"""Fetches in a process of its own, and stands still at a phase so that it can be killed.

What it does is what `fetch` does: only the step named by `stop` first says that it has
been reached.
"""

import json
import signal
import sys
from pathlib import Path

from socialbias.errors import UserError
from socialbias.sources import fetch as fetching
from socialbias.sources import packages
from socialbias.sources.binding import Places
from socialbias.sources.registry import Source
from socialbias.sources.request import Timeouts

STEPS = {
    "before the rename": (fetching, "move_into_place"),
    "before the check": (fetching, "check_file"),
    "before the record": (fetching, "record"),
    "before the member": (packages, "copy_stream"),
}
task = json.loads(sys.argv[1])


def stand_still(module, name):
    """Let a function stand still when it is called."""

    def instead(*arguments, **keywords):
        Path(task["mark"]).touch()
        signal.pause()  # until it is killed

    setattr(module, name, instead)


if task["stop"]:
    stand_still(*STEPS[task["stop"]])
try:
    places = Places(
        Path(task["data"]),
        None,
        tuple(task["locators"]),
        timeouts=Timeouts(**task["haste"]),
    )
    print(json.dumps(fetching.fetch(Source.model_validate(task["source"]), places, print)))
except UserError as error:
    sys.exit(str(error))
