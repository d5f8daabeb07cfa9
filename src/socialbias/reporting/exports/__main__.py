"""Hand on a finished run; see the package."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.paths import resources
from socialbias.reporting.exports.checklist import write_checklist
from socialbias.reporting.exports.crate import write_crate
from socialbias.reporting.exports.every_eval_ever import write_results
from socialbias.reporting.exports.hub import write_for_hub
from socialbias.reporting.exports.record import last_run, read_record
from socialbias.reporting.exports.samples import Samples
from socialbias.reporting.exports.scores import read_names, scores_of
from socialbias.sources.registry import load_registry

FOLDER = "handed_on"
FACTS = resources().parent


def hand_on(folder: Path, facts: Path = FACTS) -> list[str]:
    """Write all exports of a run.

    Args:
        folder: Of the run.
        facts: Has `resources/` and `CITATION.cff`.

    Returns:
        A line on each kind of export.

    Raises:
        UserError: the run is not finished, or one of its files is damaged.
    """
    record = read_record(folder)
    registry = load_registry(facts / "resources/sources.yaml")
    names = read_names(facts / "resources")
    scores = scores_of(folder, record, names, registry)
    shutil.rmtree(folder / FOLDER, ignore_errors=True)  # a model may have gone
    every, hub = folder / FOLDER / "every_eval_ever", folder / FOLDER / "hugging_face"
    results = write_results(scores, record, names, Samples(folder, record), every)
    cards = write_for_hub(scores, record, names, hub)
    checklist = write_checklist(folder, record)  # before the crate, which describes it
    crate = write_crate(folder, record, registry, facts / "CITATION.cff")
    models = len({score.model.id for score in scores})
    return [
        f"{len(scores)} scores of {models} models",
        f"Every Eval Ever: {len(results)} files in {every}",
        f"Hugging Face: {len(cards)} files in {hub}",
        f"RO-Crate: {crate}",
        f"Reproducibility checklist: {checklist}",
    ]


def main(arguments: list[str]) -> int:
    """Hand on the run that is named, or the last one; 1 if that is not possible."""
    try:
        folder = Path(arguments[0]) if arguments else last_run()
        print(*hand_on(folder), sep="\n")
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
