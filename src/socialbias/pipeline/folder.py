"""The folder that has the workflow: a checkout, or what `socialbias reproduce workflow` wrote.

The second has what Snakemake starts from: the rules, the scripts, the configuration. Measures,
declarations and `resources` are those of the installed library.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import socialbias
from socialbias.errors import UserError
from socialbias.files.atomic_write import check_output_folder
from socialbias.files.paths import PACKAGE, resources

# Where the files of the workflow are: a wheel keeps them in a folder, a checkout at its top.
TOP = resources().parent
FILES = TOP / "workflow" if TOP == PACKAGE else TOP
# Profiles with a configuration `config.<profile>.yaml`, and the `run` that it names. The folder
# results/reference has numbers that the repository keeps, so the run itself has another one.
RUNS = {"quickstart": "quickstart", "light": "light", "reference": "reference-run"}
RUNS |= {"workstation": "workstation"}
# What the workflow starts from; `pyproject.toml` puts it into the wheel.
NAMES = ("Snakefile", "config.yaml", *(f"config.{profile}.yaml" for profile in RUNS))
NAMES += ("config", "envs", "profiles", "scripts", "workflow")
# In a folder that was written: the version that wrote it.
VERSION = Path("workflow/VERSION")


def write_folder(folder: Path) -> None:
    """Write the files of the workflow to a folder that is new or empty."""
    try:
        check_output_folder(folder)
        # Listed before any is written, which may be below one of them.
        tops = [FILES / name for name in NAMES]
        for source in [path for top in tops for path in (top, *top.rglob("*"))]:
            if not source.is_file() or "__pycache__" in source.parts:
                continue
            target = folder / source.relative_to(FILES)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        (folder / VERSION).write_text(f"{socialbias.__version__}\n", "utf-8")
    except OSError as error:
        raise UserError(f"{folder}: cannot be written ({error.strerror})") from None


def find_folder(place: Path) -> Path:
    """Return the folder with the workflow that a place is in."""
    for each in (place, *place.parents):
        if (each / "workflow" / "Snakefile").is_file() and (each / "config.yaml").is_file():
            return each
    raise UserError(
        f"{place}: the workflow is not here: `socialbias reproduce workflow FOLDER` writes a "
        "folder to run this in; socialbias measure and audit need none"
    )


def check_workflow(folder: Path) -> None:
    """Refuse a workflow that is not of this library."""
    library = Path("src/socialbias")  # which a checkout has
    if (folder / library).is_dir() and not (TOP / library).is_dir():
        raise UserError(
            f"{socialbias.__file__}: not the library of this checkout ({folder}): run `make`, or "
            "`pip install -e '.[all]'` in it"
        )
    stamp, installed = folder / VERSION, socialbias.__version__
    if stamp.is_file() and (written := stamp.read_text("utf-8").strip()) != installed:
        raise UserError(
            f"{folder}: this is the workflow of socialbias {written}, but {installed} is "
            "installed: write a new folder with `socialbias reproduce workflow`, and move data and "
            "results there"
        )
