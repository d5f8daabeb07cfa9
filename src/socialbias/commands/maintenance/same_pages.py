"""Whether the pages, claims and exports of a finished run are those that its values give."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from socialbias.commands.maintenance.same_numbers import plan_of_run
from socialbias.files.paths import resources
from socialbias.pipeline.labels import labelled
from socialbias.reporting.hand_on import hand_on
from socialbias.reporting.make_values import silent
from socialbias.reporting.page.job import write_again
from socialbias.reporting.record import read_record
from socialbias.sources.verified import FOLDER


def same_pages(folder: Path) -> Iterator[str]:
    """Write the pages and exports of a run again, elsewhere, and yield each file that differs."""
    plan = plan_of_run(folder)
    artefacts = plan.declarations.artefacts
    drawn = [a for target, a in artefacts.items() if plan.is_drawn(target)]
    pictures = [f"{plan.run}/{a.paper}/{a.artefact}.png" for a in drawn]
    inputs = plan.inputs_behind() | {"pictures": pictures, "models": plan.of_models()}
    settings = {
        "artefacts": [labelled(plan, target) for target in artefacts],
        "resources": str(resources()),
        "behind": {p: plan.settings_of(s) for p, s in plan.declarations.behind.items()},
    }
    with TemporaryDirectory() as temporary:
        copy = Path(temporary) / folder.name
        # Checksums that the run has noted are not believed.
        kept = shutil.ignore_patterns(FOLDER)
        shutil.copytree(folder.absolute(), copy, copy_function=os.symlink, ignore=kept)

        write_again(copy / "index.html", inputs, settings, read_record(folder), silent)
        hand_on(copy)
        for path in sorted(copy.rglob("*")):
            if path.is_file() and not path.is_symlink():  # it was written again
                name = path.relative_to(copy).as_posix()
                if not (folder / name).is_file():
                    yield f"{name}: is missing"
                elif (folder / name).read_bytes() != path.read_bytes():
                    yield f"{name}: is not what the values give"
