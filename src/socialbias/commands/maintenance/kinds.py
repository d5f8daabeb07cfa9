"""`make kinds`: printed numbers by kind, in finished runs and in what the paper run would have.

    python -m socialbias.commands.maintenance.kinds [RUN_FOLDER...] [--configfile OVERLAY...]

The committed reference run is judged anew, by the declarations and the rules as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from socialbias.errors import UserError
from socialbias.files import paths
from socialbias.files.reference import reference_run
from socialbias.pipeline.plan import Plan
from socialbias.pipeline.preview import arguments
from socialbias.pipeline.setup import declared, load_setup, plan_of
from socialbias.reporting import kinds
from socialbias.reporting.artefact import Artefact
from socialbias.reporting.compare import BY_CHANCE, compare, printed_numbers
from socialbias.reporting.papers import read_papers
from socialbias.reporting.values import (
    COLUMNS,
    NO_INPUT,
    NUMBERS,
    read_csv,
    read_published,
    read_values,
)

FORECAST = (kinds.OWN_INPUTS, kinds.PART, kinds.OTHER, NO_INPUT)


def judged(values: Mapping[str, pd.DataFrame]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge the values of artefacts, by target.

    Returns:
        The printed numbers, as `kinds.agreement` takes them, and the columns with their verdicts.
    """
    papers, numbers, columns = read_papers(paths.resources() / "papers.yaml"), [], []
    for target, table in values.items():
        artefact = declared().artefacts[target]
        about, cells = Artefact(**artefact.shown()), {cell[:2] for cell in artefact.cells()}
        table = table[[key in cells for key in zip(table["row"], table["column"], strict=True)]]
        order = about.in_print_order([*table["column"]])
        if about.paper in papers and not table.empty:
            compared, ranked = compare(table, _published(target), about.kinds, order)
            where = f"{about.title.partition(':')[0]} of {papers[about.paper].cited}"
            numbers.append(kinds.counted(compared).assign(where=where))
            columns.append(ranked)
    if not numbers:
        return pd.DataFrame(columns=["kind", "outcome", "where", *BY_CHANCE]), pd.DataFrame()
    return pd.concat(numbers, ignore_index=True), pd.concat(columns, ignore_index=True)


def reference_values() -> dict[str, pd.DataFrame]:
    """Return the values of the committed reference run, by target."""
    table = read_csv(paths.reference_folder() / "numbers.csv", NUMBERS - {"seed"})
    parts = table.groupby(table["paper"] + "_" + table["artefact"], sort=False)
    names = [name for name in COLUMNS if name != "seed"]
    return {
        target: part[names].reset_index(drop=True)
        for target, part in parts
        if target in declared().artefacts
    }


def run_values(folder: Path) -> dict[str, pd.DataFrame]:
    """Return the values of a finished run, by target."""
    return {
        target: read_values(path)
        for target, artefact in declared().artefacts.items()
        if (path := folder / artefact.paper / f"{artefact.artefact}.values.csv").exists()
    }


def forecast(plan: Plan) -> pd.DataFrame:
    """Return by kind, what inputs the printed numbers of a run would have."""
    numbers = []
    for target, artefact in plan.declarations.artefacts.items():
        cells = pd.DataFrame(plan.cells(target)).assign(fidelity=lambda t: t["whole"], verdict="")
        about = Artefact(**artefact.shown())
        order = about.in_print_order([*cells["column"]])
        printed = printed_numbers(cells, _published(target), about.kinds, order)
        numbers.append(kinds.counted(printed))
    return kinds.by_kind(pd.concat(numbers), FORECAST)


def _published(target: str) -> pd.DataFrame:
    return read_published(paths.resources() / "published" / f"{target}.csv")


def main() -> int:
    """Print the tables."""
    parser = arguments(__doc__.partition("\n")[0])
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN_FOLDER", help="finished runs")
    chosen = parser.parse_args()
    try:
        for folder in chosen.runs:
            if not (values := run_values(folder)):
                raise UserError(f"{folder}: name the folder of a finished run, with values in it")
            print(f"{folder}\n{kinds.as_text(kinds.by_kind(judged(values)[0]))}\n")
        if run := reference_run():
            numbers, _ = judged(reference_values())
            table = kinds.as_text(kinds.by_kind(numbers))
            print(f"reference run of {run['written'][:10]}\n{table}\n")
        setup = load_setup(chosen.configfile)
        print(f"forecast, run {setup.config.run}\n{kinds.as_text(forecast(plan_of(setup)))}")
    except (UserError, OSError) as error:
        print(f"kinds: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
