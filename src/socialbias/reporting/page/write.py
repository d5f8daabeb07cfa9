"""Write the pages of a run, and its numbers in one table."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
from jinja2 import Environment, PackageLoader, StrictUndefined

from socialbias.files.atomic_write import aside, write_parquet, write_text
from socialbias.files.yaml_files import read_yaml
from socialbias.reporting import kinds, summary
from socialbias.reporting.artefact import Artefact, base_column
from socialbias.reporting.compare import OUTSIDE
from socialbias.reporting.page.answers import answer
from socialbias.reporting.page.items import Items, addresses, file_of
from socialbias.reporting.page.shown import PARTS, Shown, by_paper, show, totals
from socialbias.reporting.papers import Paper, read_papers
from socialbias.reporting.print_checks import AGREES, DISAGREES
from socialbias.reporting.record import RunRecord
from socialbias.reporting.statements import (
    Cells,
    read_statements,
    statements_table,
)
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
from socialbias.sources.manifest import read_manifest

DATA_KINDS, PICTURE_KINDS = (
    ("values.csv", "comparison.csv", "csv", "tex"),
    ("pdf", "png", "caption.txt"),
)
EPOCH = (1980, 1, 1, 0, 0, 0)  # of every member: the same pages make the same bytes


def write_pages(
    page: Path,
    artefacts: list[Artefact],
    resources: Path,
    record: RunRecord,
    models: Sequence[Path] = (),
    items: Mapping[str, list[Items]] | None = None,
    pictures: Mapping[str, Path] = {},
) -> None:
    """Write the first page, a page for each paper, and what they are made of.

    Beside the first page lie `<paper>.html` and, of papers with items, `<paper>.items.html`;
    `claims.csv` and `findings.csv`; all numbers in `all.csv`, `all.json` and `all.parquet`; and
    `<run>.zip` with all of these and the artefacts' files, to pass on.
    """
    folder = page.parent
    catalogue = {artefact.name: artefact for artefact in artefacts}
    papers = read_papers(resources / "papers.yaml")
    values = {
        name: read_values(folder / a.paper / f"{a.artefact}.values.csv")
        for name, a in catalogue.items()
    }
    inputs = {role: read_manifest(Path(i["manifest"]))[1] for role, i in record.inputs.items()}
    names = {"planted": "planted data"} | {
        inputs[role]["source"]: name
        for artefact in artefacts
        for role, name in artefact.stand_ins.items()
        if role in inputs
    }
    titles = {m["source"]: m["title"] for m in inputs.values()}
    tables, explained = _test_statements(values, catalogue, names, titles, resources, folder)
    units = read_yaml(resources / "units.yaml")
    items = items or {}
    places = {paper: addresses(paper, groups) for paper, groups in items.items()}
    shown = [
        show(a, values[name], folder, units, places.get(a.paper, {}), pictures.get(name))
        for name, a in catalogue.items()
    ]
    _write_numbers(shown, explained, folder)
    cells = [cell | {"source": a} for a in shown for cell in a.cells if cell["counted"]]
    numbers = numbers_of(shown, papers)
    claims = tables["claims"].to_dict("records")
    groups = by_paper(shown)
    files = {"style": "page.css", "script": "page.js"}
    assets = {name: Path(__file__).with_name(of).read_text("utf-8") for name, of in files.items()}
    fidelity = {role: bound["fidelity"] for role, bound in record.inputs.items()}
    parts = {
        m["source"]: f"{m['title']} (a part of the paper's)"
        for role, m in inputs.items()
        if fidelity[role] == "subset"
    }
    answers = answer(resources / "answers.yaml", shown, parts | names, titles)
    common = {"run": record, "groups": groups, "answers": answers, "claims": claims, **assets}
    environment = _environment(papers)
    html = environment.get_template("index.html.j2").render(
        **common,
        here="index.html",
        beside=_beside(shown),
        papers=papers,
        totals=totals(shown),
        outside=_outside(cells, explained),
        needs=summary.what_would_fill(
            [cell["detail"] for cell in cells if cell["verdict"] == NO_INPUT],
            [MissingInput(**each) for each in record.missing],
        ),
        counts=kinds.agreement(numbers, totals(shown)),
        by_kind=kinds.by_kind(numbers),
        chance_of_claims=summary.false_decisions(claims),
        claims_in_short=summary.claims(claims),
        findings=tables["findings"].to_dict("records"),
        audit=_audited(read_csv(folder / "print_audit.csv")),
        inputs=dict(sorted(inputs.items(), key=lambda item: fidelity[item[0]] == "exact")),
        originals={role: bound.get("original", "") for role, bound in record.inputs.items()},
        devices=devices(models),
        fidelity=fidelity,
        missing=record.missing,
    )
    _write_papers(environment, common, papers, items, folder)
    write_text(page, html)
    _pack(shown, [file_of(paper) for paper in items], folder, record.run)


def _write_papers(
    environment: Environment,
    common: Mapping[str, Any],
    papers: Mapping[str, Paper],
    items: Mapping[str, list[Items]],
    folder: Path,
) -> None:
    """Write a page for each paper, and one for what stands behind the numbers of some."""
    for paper, group in common["groups"]:
        text = environment.get_template("paper.html.j2").render(
            **common, here=f"{paper}.html", paper=paper, artefacts=group, facts=papers.get(paper)
        )
        write_text(folder / f"{paper}.html", text)
    for paper, of_paper in items.items():
        text = environment.get_template("items.html.j2").render(
            **common, here=file_of(paper), paper=paper, items=of_paper
        )
        write_text(folder / file_of(paper), text)


def _test_statements(
    values: Mapping[str, pd.DataFrame],
    catalogue: Mapping[str, Artefact],
    names: Mapping[str, str],
    titles: Mapping[str, str],
    resources: Path,
    folder: Path,
) -> tuple[dict[str, pd.DataFrame], dict[tuple[str, str, str], str]]:
    """Return the `claims` and the `findings` with their verdicts; also written to the run's folder.

    With them, by artefact, row and printed column, a finding that holds and is about that number.
    """
    cells = Cells(
        values,
        {name: read_published(resources / "published" / f"{name}.csv") for name in values},
        lambda name: read_draws(
            folder / catalogue[name].paper / f"{catalogue[name].artefact}.draws.parquet"
        ),
        catalogue,
    )
    tables = {}
    for kind in ("claims", "findings"):
        statements = read_statements(resources / f"{kind}.yaml", claims=kind == "claims")
        table = statements_table(statements, cells, names)
        named = [[titles.get(s, s) for s in scope.split("; ")] for scope in table["scope"]]
        tables[kind] = table.assign(scope=list(map("; ".join, named)))
        write_csv(tables[kind], folder / f"{kind}.csv")
    return tables, cells.explained


def _beside(shown: list[Shown]) -> str:
    """Return a file beside the first page, which tells the page that it was not sent alone."""
    drawn = [one.about for one in shown if one.picture]
    return f"{drawn[0].paper}/{drawn[0].artefact}.png" if drawn else ""


def _environment(papers: dict[str, Paper]) -> Environment:
    """Return the templates, with what they call."""
    environment = Environment(
        loader=PackageLoader("socialbias.reporting.page", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = reader_number
    # What belongs to no paper is called by its short name.
    cited = {name: paper.cited for name, paper in papers.items()}
    environment.filters["cited"] = lambda paper: cited.get(paper, paper.capitalize())
    environment.filters["said"] = kinds.of_artefact
    environment.globals |= {"PARTS": PARTS, "SAID": summary.OF_A_CLAIM}
    return environment


def numbers_of(shown: list[Shown], papers: Mapping[str, Paper]) -> pd.DataFrame:
    """Return the printed numbers of artefacts, with what came of each and `where` it is printed."""
    tables = []
    for one in shown:
        cited = papers[one.about.paper].cited if one.about.paper in papers else one.about.paper
        where = f"{one.about.title.partition(':')[0]} of {cited}"
        tables.append(kinds.counted(pd.DataFrame(one.cells)).assign(where=where))
    return pd.concat(tables, ignore_index=True)


def _outside(
    cells: Sequence[Mapping], explained: Mapping[tuple[str, str, str], str]
) -> list[tuple[str, list[Mapping]]]:
    """Return numbers outside the paper's by the finding that explains them ("" last)."""
    causes: dict[str, list[Mapping]] = {}
    for cell in (cell for cell in cells if cell["verdict"] == OUTSIDE):
        key = (cell["source"].about.name, cell["row"], base_column(cell["column"]))
        causes.setdefault(explained.get(key, ""), []).append(cell)
    return sorted(causes.items(), key=lambda item: (not item[0], -len(item[1]), item[0]))


def _write_numbers(
    shown: list[Shown], explained: Mapping[tuple[str, str, str], str], folder: Path
) -> None:
    """Write all numbers of a run with their labels, print and verdicts, as one tidy table.

    Where the printed number is outside of ours, `finding` is the finding that explains it, if any.
    """
    tables = []
    for one in shown:
        units = {column["column"]: column["unit"] for column in one.columns}
        table = pd.DataFrame(one.cells).drop(columns=["order", "row_order", "behind"])
        table.insert(0, "paper", one.about.paper)
        table.insert(1, "artefact", one.about.artefact)
        table.insert(2, "title", one.about.title)
        table["unit"] = table["column"].map(units)
        bases = table["column"].map(base_column)
        keys = zip(table["row"], bases, strict=True)
        table["finding"] = [explained.get((one.about.name, *key), "") for key in keys]
        table.loc[table["verdict"] != OUTSIDE, "finding"] = ""
        tables.append(table.rename(columns={"label": "column_label"}))
    together = pd.concat(tables, ignore_index=True)
    write_csv(together, folder / "all.csv")
    text = together.to_json(orient="records", indent=0, double_precision=6, force_ascii=False)
    write_text(folder / "all.json", text)
    write_parquet(folder / "all.parquet", together, index=False)


def _pack(shown: list[Shown], items: list[str], folder: Path, run: str) -> None:
    """Write the pages and the artefacts' files to one archive, whose bytes depend on them alone."""
    names = ["index.html", "all.csv", "claims.csv", "findings.csv", "print_audit.csv"]
    names += [f"{paper}.html" for paper, _ in by_paper(shown)] + items
    for one in shown:
        kinds = DATA_KINDS + (PICTURE_KINDS if one.picture else ())
        names += [f"{one.about.paper}/{one.about.artefact}.{kind}" for kind in kinds]
    zipped = aside(folder / f"{run}.zip")
    with zipped as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            path = folder / name
            if path.exists():  # a picture is there only where there are numbers to show
                member = zipfile.ZipInfo(f"{run}/{name}", EPOCH)
                member.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(member, path.read_bytes())


def _audited(audit: pd.DataFrame) -> dict[str, dict]:
    """Return by paper, how many checks of print there were, and those that did not agree."""
    return {
        paper: {
            "checks": len(checks),
            "disagree": int((checks["verdict"] == DISAGREES).sum()),
            "open": checks[checks["verdict"] != AGREES].to_dict("records"),
        }
        for paper, checks in audit.groupby("paper", sort=False)
    }


def devices(paths: Iterable[Path]) -> list[dict]:
    """Return which models ran on what device, in which precision, as their jobs' files say."""
    found: dict[tuple[str, str], list[str]] = {}
    for path in paths:
        if path.suffix == ".json":  # of a representation, such as `bert/given`
            name = "/".join(path.parts[-3:-1])
            attributes = json.loads(path.read_text("utf-8"))
        else:  # of evidence, such as `stereoset/scores_gpt2`
            name = f"{path.parts[-3]}/{path.stem}"
            metadata = pq.read_schema(path).metadata or {}
            attributes = json.loads(metadata.get(b"PANDAS_ATTRS", b"{}"))  # of pandas' table
        for ran_on in attributes.get("ran_on", []):
            jobs = found.setdefault((ran_on["device"], ran_on["dtype"]), [])
            if name not in jobs:
                jobs.append(name)
    return [
        {"device": device, "dtype": dtype, "jobs": sorted(jobs)}
        for (device, dtype), jobs in sorted(found.items())
    ]
