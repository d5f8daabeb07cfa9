"""The page: one self-contained HTML file with every number, its verdict and its inputs."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from socialbias.reporting import summary
from socialbias.reporting.artefact import Artefact, numbers_drawn
from socialbias.reporting.devices import devices
from socialbias.reporting.papers import Paper, read_papers
from socialbias.reporting.print_checks import AGREES, CONTRADICTS
from socialbias.reporting.statements import Cells, read_statements, statements_table
from socialbias.reporting.summary import MissingInput
from socialbias.reporting.tables import reader_number
from socialbias.reporting.values import (
    NO_INPUT,
    read_csv,
    read_draws,
    read_published,
    read_values,
    write_csv,
)

NUMBERS = {"value", "ci_low", "ci_high", "p_value", "q_value", "n", "n_of"}
QUALITIES = ("reliability", "ceiling", "detectable")
NUMBERS |= {*QUALITIES}
VERDICTS = (
    *("exact", "compatible", "differs", "undecided", "not judged", "not printed"),
    *("own input", "too few", "too weak", NO_INPUT),
)
COLUMN_NUMBERS = {
    *("cells", "exact", "compatible", "differs", "undecided", "too_few", "too_weak", "no_input"),
    *("passed_if_shuffled", "tau", "tau_p", "equal_signs", "power", "agrees_if_shuffled"),
}


@dataclass(frozen=True)
class Run:
    """What made a page.

    Attributes:
        name: Name of the run.
        seed: The configuration's seed.
        command: What re-makes one artefact, without its name.
        version: The version of the code, with its commit where that is known.
        written: When the page was written.
    """

    name: str
    seed: int
    command: str
    version: str
    written: datetime


@dataclass(frozen=True)
class Shown:
    """One artefact as the page shows it."""

    about: Artefact
    table: str
    picture: str
    cells: list[dict]
    columns: list[dict]
    counts: dict[str, float]

    @property
    def replicated(self) -> list[dict]:
        """The cells for which print and a second team have a number."""
        return [cell for cell in self.cells if cell.get("replication_verdict")]

    @property
    def qualities(self) -> list[str]:
        """Which of reliability, ceiling and detectable any of its cells has."""
        return [name for name in QUALITIES if any(pd.notna(cell[name]) for cell in self.cells)]

    def quality(self, cell: dict, name: str) -> str:
        """One of the qualities of a cell for a reader."""
        if name == "detectable" and pd.notna(cell["ceiling"]) and cell[name] > 1:
            return "none"  # no correlation is as large
        return reader_number(cell[name], self.about.digits if name == "detectable" else 2)

    @property
    def in_short(self) -> str:
        """Its number in the paper, such as `Table 5`; its name where it has none."""
        number = self.about.title.partition(": ")[0]
        return number if re.fullmatch(r"(Table|Figure) \d+", number) else self.about.artefact

    @property
    def first_sentence(self) -> str:
        """The first sentence on what it shows."""
        return re.split(r"(?<=[.?!]) (?=[A-Z])", self.about.shows, maxsplit=1)[0]


@dataclass(frozen=True)
class Score:
    """A column of the scoreboard.

    Attributes:
        key: Of the counts of an artefact.
        heading: What stands above it.
        only_with: Counts of which one must not be zero for this number to mean anything.
        decimals: Decimals shown.
    """

    key: str
    heading: str
    only_with: tuple[str, ...] = ()
    decimals: int = 0

    def means_something(self, counts: dict[str, float]) -> bool:
        """Whether an artefact with these counts has something in this column."""
        return any(counts[key] for key in self.only_with or (self.key,))

    def text(self, counts: dict[str, float]) -> str:
        """The number as the scoreboard shows it."""
        if self.only_with and not self.means_something(counts):
            return "–"
        return f"{counts[self.key]:,.{self.decimals}f}"

    def look(self, counts: dict[str, float]) -> str:
        """The class of the cell: a colour for what there is, none of its own for zeros."""
        return self.key.replace("_", "-") if counts[self.key] else "soft"


JUDGED = ("exact", "compatible", "differs", "undecided")
COMPARED = ("identical", "agrees", "contradicts", "undecided_columns")
SCORES = (
    Score("numbers", "numbers"),
    Score("exact", "exact"),
    Score("compatible", "compatible"),
    Score("differs", "differ"),
    Score("undecided", "undecided"),
    Score("passed_if_shuffled", "would pass by chance", JUDGED, 1),
    Score("not_judged", "judged by column"),
    Score("agrees", "columns agree"),
    Score("identical", "columns identical"),
    Score("contradicts", "columns contradict"),
    Score("undecided_columns", "columns undecided"),
    Score("agrees_if_shuffled", "would agree by chance", COMPARED, 2),
    Score("beside_print", "not in the paper"),
    Score("own_input", "own input"),
    Score("too_few", "too few"),
    Score("too_weak", "too weak"),
    Score("no_input", "no input"),
)


@dataclass(frozen=True)
class Scoreboard:
    """Counts of some artefacts, grouped by paper, without columns that say nothing in this run."""

    scores: list[Score]
    groups: list[tuple[str, list[Shown]]]
    totals: dict[str, float]


def write_page(
    page: Path,
    artefacts: list[Artefact],
    resources: Path,
    manifests: dict[str, Path],
    fidelity: dict[str, str],
    missing: list[MissingInput],
    run: Run,
    models: Sequence[Path] = (),
) -> None:
    """Write the page, and `claims.csv` and `findings.csv` beside it.

    Args:
        page: Where to write; the artefacts' files lie in `<paper>/` beside it, and the print
            audit in `print_audit.csv`.
        artefacts: What readers see of each artefact, in the order of the page.
        resources: The folder of this project's facts.
        manifests: By role, the manifest of the source that plays it.
        fidelity: By role, how near its source is to the paper's.
        missing: The inputs that the run lacks.
        run: What made the page.
        models: What jobs with a language model wrote; see `devices`.
    """
    catalogue = {artefact.name: artefact for artefact in artefacts}
    papers = read_papers(resources / "papers.yaml")
    cells = _all_cells(catalogue, page.parent, resources / "published")
    tables = {}
    for kind in ("claims", "findings"):
        tables[kind] = statements_table(read_statements(resources / f"{kind}.yaml"), cells)
        write_csv(tables[kind], page.parent / f"{kind}.csv")
    shown = [_show(artefact, page.parent) for artefact in catalogue.values()]
    claims = tables["claims"].to_dict("records")
    environment = Environment(
        loader=PackageLoader("socialbias.reporting", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = reader_number
    environment.filters["cited"] = lambda paper: _cited(paper, papers)
    html = environment.get_template("page.html.j2").render(
        style=(Path(__file__).parent / "page.css").read_text("utf-8"),
        run=run,
        papers=[papers[paper] for paper, _ in _by_paper(shown) if paper in papers],
        summary=_summary(shown, claims, missing),
        groups=_by_paper(shown),
        with_print=_scoreboard([a for a in shown if a.counts["printed"]]),
        without_print=_scoreboard([a for a in shown if not a.counts["printed"]]),
        artefacts=shown,
        claims=claims,
        findings=tables["findings"].to_dict("records"),
        audit=_audited(read_csv(page.parent / "print_audit.csv")),
        inputs={role: json.loads(path.read_text("utf-8")) for role, path in manifests.items()},
        fidelity=fidelity,
        missing=missing,
        devices=devices(models),
    )
    temporary = page.with_suffix(".tmp")
    temporary.write_text(html, "utf-8")
    temporary.replace(page)


def _cited(paper: str, papers: dict[str, Paper]) -> str:
    """What a paper is called on the page; its short name for what belongs to none."""
    return papers[paper].cited if paper in papers else paper.capitalize()


def _by_paper(shown: list[Shown]) -> list[tuple[str, list[Shown]]]:
    """Artefacts grouped by paper, in the order of the page."""
    return [(paper, list(group)) for paper, group in groupby(shown, lambda a: a.about.paper)]


def _totals(shown: list[Shown]) -> dict[str, float]:
    """The counts of several artefacts together."""
    return {key: sum(a.counts[key] for a in shown) for key in (shown[0].counts if shown else ())}


def _scoreboard(shown: list[Shown]) -> Scoreboard:
    """The scoreboard of some artefacts."""
    scores = [s for s in SCORES if any(s.means_something(a.counts) for a in shown)]
    return Scoreboard(scores, _by_paper(shown), _totals(shown))


def _summary(
    shown: list[Shown], claims: list[dict], missing: list[MissingInput]
) -> dict[str, tuple[str, str]]:
    """The result of the run in sentences, each with its subject, by the place that has more."""
    totals = _totals(shown)
    notes = [cell["detail"] for a in shown for cell in a.cells if cell["verdict"] == NO_INPUT]
    coverage = summary.coverage(
        totals["numbers"], totals["too_few"], totals["too_weak"], notes, missing
    )
    return {
        "scoreboard": ("Agreement", summary.agreement(totals)),
        "claims": ("Claims", summary.claims(claims)),
        "inputs": ("Missing", coverage),
    }


def _all_cells(catalogue: dict[str, Artefact], folder: Path, published: Path) -> Cells:
    """Every value with its draws and every printed number, for the claims and findings."""
    stems = {name: folder / a.paper / a.artefact for name, a in catalogue.items()}
    return Cells(
        {name: read_values(Path(f"{stem}.values.csv")) for name, stem in stems.items()},
        {name: read_published(published / f"{name}.csv") for name in catalogue},
        lambda name: read_draws(Path(f"{stems[name]}.draws.parquet")),
        {name: artefact.describing for name, artefact in catalogue.items()},
    )


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
    # A picture may be one that an earlier run left behind.
    drawn = len(numbers_drawn(cells, about)) > 0
    return Shown(
        about=about,
        table=Path(f"{stem}.html").read_text("utf-8"),
        picture=_picture(stem) if drawn else "",
        cells=cells.sort_values(["order", "row_order"]).to_dict("records"),
        columns=columns.to_dict("records"),
        counts=_counts(cells, columns),
    )


def _picture(stem: Path) -> str:
    """The smaller of an artefact's pictures, as the page holds it; "" without one."""
    kinds = {"svg": "svg+xml", "png": "png"}
    files = [path for kind in kinds if (path := Path(f"{stem}.{kind}")).exists()]
    if not files:
        return ""
    data = {path.suffix: path.read_bytes() for path in files}
    suffix = min(data, key=lambda key: len(data[key]))
    return f"data:image/{kinds[suffix[1:]]};base64,{base64.b64encode(data[suffix]).decode()}"


def _counts(cells: pd.DataFrame, columns: pd.DataFrame) -> dict[str, float]:
    """What the scoreboard says of one artefact."""
    verdicts = cells["verdict"].value_counts()
    counts = {name.replace(" ", "_"): int(verdicts.get(name, 0)) for name in VERDICTS}
    counts |= {"numbers": len(cells), "printed": int(columns["cells"].sum())}
    # Where the paper has none of an artefact's numbers, the scoreboard's heading says so.
    counts["beside_print"] = counts["not_printed"] if counts["printed"] else 0
    for verdict in COMPARED:
        counts[verdict] = int((columns["verdict"] == verdict.removesuffix("_columns")).sum())
    for by_chance in ("passed_if_shuffled", "agrees_if_shuffled"):
        counts[by_chance] = float(columns[by_chance].sum())
    return counts


def _audited(audit: pd.DataFrame) -> dict[str, dict]:
    """By paper, how many checks of print there were, and those that did not agree."""
    return {
        paper: {
            "checks": len(checks),
            "contradictions": int((checks["verdict"] == CONTRADICTS).sum()),
            "open": checks[checks["verdict"] != AGREES].to_dict("records"),
        }
        for paper, checks in audit.groupby("paper", sort=False)
    }
