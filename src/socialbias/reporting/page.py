"""The page: one self-contained HTML file with every number, its verdict and its inputs."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from socialbias.reporting.artefact import Artefact
from socialbias.reporting.compare import judged_numbers
from socialbias.reporting.statements import Cells, read_statements, statements_table
from socialbias.reporting.tables import reader_number
from socialbias.reporting.values import NO_INPUT, read_csv, read_published, read_values, write_csv

NUMBERS = {"value", "ci_low", "ci_high", "p_value", "n", "n_of"}
COUNTS = ["cells", "exact", "compatible", "differs", "too_few", "no_input"]
COLUMN_NUMBERS = {
    *COUNTS,
    "passed_if_shuffled",
    "tau",
    "tau_p",
    "equal_signs",
    "agrees_if_shuffled",
}


@dataclass(frozen=True)
class Shown:
    """One artefact as the page shows it."""

    about: Artefact
    table: str
    picture: str
    cells: list[dict]
    columns: list[dict]
    counts: dict[str, float]


def write_page(
    page: Path,
    artefacts: list[Artefact],
    resources: Path,
    manifests: dict[str, Path],
    fidelity: dict[str, str],
    missing: dict[str, str],
    run: str,
    seed: int,
    command: str,
) -> None:
    """Write the page, and `claims.csv` and `findings.csv` beside it.

    Args:
        page: Where to write; the artefacts' files lie in `<paper>/` beside it, and the print
            audit in `print_audit.csv`.
        artefacts: What readers see of each artefact, in the order of the page.
        resources: The folder of this project's facts.
        manifests: By role, the manifest of the source that plays it.
        fidelity: By role, how near its source is to the paper's.
        missing: By role that no source plays, how to get one.
        run: Name of the run.
        seed: The configuration's seed.
        command: What re-makes one artefact, without its name.
    """
    catalogue = {artefact.name: artefact for artefact in artefacts}
    cells = _all_cells(catalogue, page.parent, resources / "published")
    tables = {}
    for kind in ("claims", "findings"):
        tables[kind] = statements_table(read_statements(resources / f"{kind}.yaml"), cells)
        write_csv(tables[kind], page.parent / f"{kind}.csv")
    shown = [_show(artefact, page.parent) for artefact in catalogue.values()]
    environment = Environment(
        loader=PackageLoader("socialbias.reporting", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = reader_number
    html = environment.get_template("page.html.j2").render(
        style=(Path(__file__).parent / "page.css").read_text("utf-8"),
        run=run,
        seed=seed,
        command=command,
        artefacts=shown,
        totals={name: sum(a.counts[name] for a in shown) for name in shown[0].counts},
        claims=tables["claims"].to_dict("records"),
        findings=tables["findings"].to_dict("records"),
        audit=_audited(read_csv(page.parent / "print_audit.csv")),
        inputs={role: json.loads(path.read_text("utf-8")) for role, path in manifests.items()},
        fidelity=fidelity,
        missing=missing,
    )
    temporary = page.with_suffix(".tmp")
    temporary.write_text(html, "utf-8")
    temporary.replace(page)


def _all_cells(catalogue: dict[str, Artefact], folder: Path, published: Path) -> Cells:
    """Every value and every printed number, for the claims and findings."""
    values = {
        name: read_values(folder / a.paper / f"{a.artefact}.values.csv")
        for name, a in catalogue.items()
    }
    return Cells(values, {name: read_published(published / f"{name}.csv") for name in catalogue})


def _show(about: Artefact, folder: Path) -> Shown:
    """Read one artefact's files."""
    stem = folder / about.paper / about.artefact
    cells = read_csv(Path(f"{stem}.comparison.csv"), NUMBERS)
    columns = read_csv(Path(f"{stem}.columns.csv"), COLUMN_NUMBERS)
    cells["row_label"] = cells["row"].map(about.rows)
    for table in (cells, columns):
        table["label"] = table["column"].map(about.label)
    order = about.in_print_order(list(columns["column"]))
    columns = columns.set_index("column").loc[order].reset_index()
    cells["order"] = cells["column"].map(order.index)
    cells["row_order"] = cells["row"].map(list(about.rows).index)
    picture = Path(f"{stem}.svg")
    # A picture that an earlier run left behind does not count: it is drawn where there are numbers.
    drawn = picture.exists() and (cells["fidelity"] != NO_INPUT).any()
    data = base64.b64encode(picture.read_bytes()).decode() if drawn else ""
    return Shown(
        about=about,
        table=Path(f"{stem}.html").read_text("utf-8"),
        picture=f"data:image/svg+xml;base64,{data}" if drawn else "",
        cells=cells.sort_values(["order", "row_order"]).to_dict("records"),
        columns=columns.to_dict("records"),
        counts=_counts(cells, columns),
    )


def _counts(cells: pd.DataFrame, columns: pd.DataFrame) -> dict[str, float]:
    """What the scoreboard says of one artefact."""
    counts = {name: int(columns[name].sum()) for name in COUNTS}
    counts["not_judged"] = int((cells["verdict"] == "not judged").sum())
    counts["judged"] = len(judged_numbers(cells))
    counts["passed_if_shuffled"] = float(columns["passed_if_shuffled"].sum())
    for verdict in ("agrees", "disagrees"):
        counts[verdict] = int((columns["verdict"] == verdict).sum())
    counts["agrees_if_shuffled"] = float(columns["agrees_if_shuffled"].sum())
    return counts


def _audited(audit: pd.DataFrame) -> dict[str, dict]:
    """By paper, how many checks of print there were and those that did not agree."""
    return {
        paper: {
            "checks": len(checks),
            "open": checks[checks["verdict"] != "agrees"].to_dict("records"),
        }
        for paper, checks in audit.groupby("paper", sort=False)
    }
