"""`python -m bench.referee.attempts`: packages that stop before they measure, and where they do.

Each is installed and takes the first step of its guide, with hubs switched off: the table is made
without any file that is not in a package index.
"""

from __future__ import annotations

import os
import re
import subprocess
from textwrap import shorten

import pandas as pd

from bench.peers import ROOT, NoPeer, environment
from bench.referee.table import FOLDER
from socialbias.reporting.values import write_csv

OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
# The environment (`envs/bench-<name>.txt`) and the first step.
STEPS = {
    "evaluate": 'import evaluate; evaluate.load("honest", "en")',
    "inspect_evals": "from inspect_evals.stereoset import stereoset; stereoset()",
    "langfair": "from langfair.metrics.stereotype import StereotypeMetrics; StereotypeMetrics()",
    "responsibly": "import responsibly.we",
    "whatlies": "import whatlies",
}


def attempt(name: str, step: str) -> str:
    """Return why a package stops, in one line; empty if it does not."""
    try:
        python = environment(name)
    except NoPeer as reason:
        return str(reason)
    command, where = [python, "-c", step], os.environ | OFFLINE
    result = subprocess.run(command, env=where, capture_output=True, text=True, check=False)
    return reason_of(result.stderr) if result.returncode else ""


def reason_of(stderr: str) -> str:
    """Return the error at the end of a traceback, in one line and without folders."""
    errors = re.split(r"^(?=[\w.]+(?:Error|Exception)\b)", stderr, flags=re.MULTILINE)
    message = re.sub(r"(?<!\S)/\S+/", "", errors[-1].replace("*", ""))
    return shorten(message, 120, placeholder=" ...")


if __name__ == "__main__":
    rows = []
    for name, step in STEPS.items():
        package = (ROOT / f"envs/bench-{name}.txt").read_text("utf-8").splitlines()[1]
        rows.append({"package": package, "step": step, "stops": attempt(name, step)})
    write_csv(pd.DataFrame(rows), FOLDER / "attempts.csv")
