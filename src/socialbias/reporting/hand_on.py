"""Hand on a finished run: `python -m socialbias.reporting.hand_on [results/<run>]`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.paths import resources
from socialbias.files.yaml_files import read_yaml
from socialbias.reporting.contents import NAME
from socialbias.reporting.crate import write_crate
from socialbias.reporting.every_eval_ever import write_scores
from socialbias.reporting.record import last_run, read_record
from socialbias.sources.registry import load_registry

FOLDER = "handed_on"  # of what is written beside the crate
FACTS = resources().parent


def hand_on(folder: Path, facts: Path = FACTS) -> list[str]:
    """Write the scores of models and the crate of a run, and return a line on each.

    `facts` is the folder of `resources/` and `CITATION.cff`.
    """
    record, registry = read_record(folder), load_registry(facts / "resources/sources.yaml")
    shutil.rmtree(folder / FOLDER, ignore_errors=True)  # a model may have gone
    place = folder / FOLDER / "every_eval_ever"
    files = write_scores(folder, record, registry, place)  # before the crate, which describes them
    write_crate(folder, record, registry, read_yaml(facts / "CITATION.cff"))
    return [f"Every Eval Ever: {files} files in {place}", f"RO-Crate: {folder / NAME}"]


def main(arguments: list[str]) -> int:
    """Hand on the run that is named, or the last one; 1 if that is not possible."""
    try:
        print(*hand_on(Path(arguments[0]) if arguments else last_run()), sep="\n")
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
