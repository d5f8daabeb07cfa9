"""The catalogue of artefacts: `resources/artefacts.yaml`, and the manifest of their cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from socialbias.errors import UserError
from socialbias.reporting.values import KEY, NO_INPUT, read_csv, read_values
from socialbias.sources.fidelity import FIDELITIES
from socialbias.yaml_files import read_yaml


@dataclass(frozen=True)
class Artefact:
    """One table or figure of a paper.

    Attributes:
        paper, artefact: Short names, such as `trustworthy` and `table5`.
        title, shows: What it is, in our own words.
        unit: What its numbers are.
        digits: Decimals shown.
        rows, columns: Labels by key, in the order of print.
        variants: Labels by key of the variants that a column may come in, in the order shown.
        drawn: Columns that the figure shows; all where none is named.
        scale: Panels that share the scale of their x axis: `all`, those of one `row`, or `none`;
            with `log` none do, and each is logarithmic.
    """

    paper: str
    artefact: str
    title: str
    shows: str
    unit: str
    digits: int
    rows: dict[str, str]
    columns: dict[str, str]
    variants: dict[str, str] = field(default_factory=dict)
    drawn: tuple[str, ...] = ()
    scale: str = "all"

    @property
    def name(self) -> str:
        """Its name as a target, such as `trustworthy_table5`."""
        return f"{self.paper}_{self.artefact}"

    @property
    def in_short(self) -> str:
        """Its number in print, or what it is where it stands beside print, such as `Table 5`."""
        number, _, what = self.title.partition(": ")
        return what if number.startswith("Beside") else number

    def label(self, column: str) -> str:
        """The label of a values column, with its variant where it has one."""
        base, _, variant = column.partition("@")
        return f"{self.columns[base]} ({self.variants[variant]})" if variant else self.columns[base]

    def label_of_ours(self, column: str) -> str:
        """What our side of a printed column is called: its variant, or `ours`."""
        variant = column.partition("@")[2]
        return self.variants[variant] if variant else "ours"

    def in_print_order(self, columns: list[str]) -> list[str]:
        """Values columns in the order of print, and within one by variant."""
        bases, variants = list(self.columns), ["", *self.variants]

        def place(column: str) -> tuple[int, int]:
            base, _, variant = column.partition("@")
            return bases.index(base), variants.index(variant)

        return sorted(dict.fromkeys(columns), key=place)


def base_column(column: str) -> str:
    """The printed column that a values column belongs to."""
    return column.partition("@")[0]


def load_catalogue(path: Path) -> dict[str, Artefact]:
    """All artefacts by name, in the order of the file."""
    entries = [Artefact(**entry) for entry in read_yaml(path)]
    return {entry.name: entry for entry in entries}


def manifest_cells(manifest: Path, paper: str, artefact: str) -> list[tuple[str, str]]:
    """Every (row, column) that an artefact must have."""
    table = read_csv(manifest)
    table = table[(table["paper"] == paper) & (table["artefact"] == artefact)]
    return list(zip(table["row"], table["column"], strict=True))


def completeness(manifest: pd.DataFrame, values: list[Path], kind: str) -> str:
    """Check every cell of a run against the least fidelity it must reach.

    Args:
        manifest: Columns `paper, artefact, row, column`, and `run:<kind>` for each kind of run.
        values: Values files, `.../<paper>/<artefact>.values.csv`.
        kind: The kind of run, such as `quickstart-mirror`. A kind that the manifest has no
            column for is a user's own: its cells must be there, whatever their fidelity.

    Returns:
        One sentence on what was checked.

    Raises:
        UserError: a line for every cell that is absent, below its minimum or not foreseen.
    """
    manifest = manifest.assign(least=manifest.get(f"run:{kind}", NO_INPUT))
    problems, total = [], 0
    made = {(path.parent.name, path.name.removesuffix(".values.csv")) for path in values}
    for paper, artefact in sorted(set(zip(manifest["paper"], manifest["artefact"], strict=True))):
        if (paper, artefact) not in made:
            problems.append(f"{paper}_{artefact}: in resources/manifest.csv, but nothing makes it")
    for path in values:
        paper, artefact = path.parent.name, path.name.removesuffix(".values.csv")
        wanted = manifest[(manifest["paper"] == paper) & (manifest["artefact"] == artefact)]
        least = wanted.set_index(KEY)["least"].to_dict()
        have = read_values(path).set_index(KEY)["fidelity"].to_dict()
        problems += [f"{paper}_{artefact}, {line}" for line in _cell_problems(least, have)]
        total += len(least)
    if problems:
        raise UserError("\n".join(problems))
    return f"all {total} cells reach the least fidelity of a run of the kind {kind!r}"


def _cell_problems(least: dict, have: dict) -> list[str]:
    """One line for each cell that is absent, below its minimum or not in the manifest."""
    lines = []
    for cell in sorted(least.keys() | have.keys()):
        where = f"row {cell[0]}, column {cell[1]}"
        if cell not in least:
            lines.append(f"{where}: not in resources/manifest.csv")
        elif cell not in have:
            lines.append(f"{where}: absent, must be at least {least[cell]!r}")
        elif FIDELITIES.index(have[cell]) > FIDELITIES.index(least[cell]):
            lines.append(f"{where}: {have[cell]!r}, must be at least {least[cell]!r}")
    return lines
