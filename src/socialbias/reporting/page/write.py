"""Write the pages of a run, the data that they load, and its numbers in one table."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from socialbias.files.atomic_write import aside, write_parquet, write_text
from socialbias.files.yaml_files import read_yaml
from socialbias.reporting import kinds, summary
from socialbias.reporting.artefact import Artefact, base_column
from socialbias.reporting.compare import OUTSIDE
from socialbias.reporting.page import screen
from socialbias.reporting.page.items import FOLDER, Items, write_items
from socialbias.reporting.page.shown import Shown, by_paper, data_of, show
from socialbias.reporting.papers import Paper, read_papers
from socialbias.reporting.passports import detectable, in_a_run, passport_rows
from socialbias.reporting.print_checks import AGREES, DISAGREES
from socialbias.reporting.record import RunRecord
from socialbias.reporting.statements import Cells, read_statements, statements_table
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

PASSPORT = "validation_passport"
# Pages beside the first one and those of papers, with what the navigation calls them.
OTHER_PAGES = {"claims": "Claims", "inputs": "Inputs", "measures": "Measures and their power"}
PICTURES = ("pdf", "png", "caption.txt")
PACKED = ("values.csv", "comparison.csv", "html", "csv", "tex", *PICTURES)  # of an artefact
# What `snakemake --report` opens with (workflow/report/workflow.rst): the first page as it is.
REPORT = (
    "<style>.prose.max-w-lg {{ max-width: none }} .items-start {{ flex-wrap: wrap }} "
    ".h-screen.items-center {{ align-items: flex-start }}</style>\n"
    '<iframe title="The result" srcdoc="{}" style="width: calc(100vw - 22rem); height: 88vh; '
    'border: 0"></iframe>\n'
)
EPOCH = (1980, 1, 1, 0, 0, 0)  # of every member: the same pages make the same bytes


def write_pages(
    page: Path,
    artefacts: list[Artefact],
    resources: Path,
    record: RunRecord,
    models: Sequence[Path] = (),
    items: Mapping[str, list[Items]] | None = None,
    drawn: Iterable[str] = (),
) -> None:
    """Write the first page, a page for each paper, and what they are made of.

    Beside the first page lie `<paper>.html` with the numbers that it loads, `<paper>.js`; pages of
    claims, inputs and measures; `claims.csv` and `findings.csv`; all numbers in `all.csv` and
    `all.parquet`; items in a folder; and `<run>.zip` with all of these and the
    artefacts' files, to pass on. `drawn` are the artefacts of which the run draws a figure.
    """
    folder, drawn = page.parent, {*drawn}
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
    places = write_items(items or {}, folder)
    shown = [
        show(a, values[name], folder, units, places.get(a.paper, {}), name in drawn)
        for name, a in catalogue.items()
    ]
    _explain(shown, explained)
    _write_numbers(shown, folder)
    groups, claims = by_paper(shown), tables["claims"].to_dict("records")
    fidelity = {role: bound["fidelity"] for role, bound in record.inputs.items()}
    costs = read_yaml(resources / "full_run.yaml")
    missing = [
        summary.MissingInput(**each, **costs["inputs"].get(each["name"], {}))
        for each in record.missing
    ]
    empty = [cell["detail"] for a in shown for cell in a.printed if cell["verdict"] == NO_INPUT]
    numbers = numbers_of(shown, papers)
    audit = {
        paper: {
            "checks": len(checks),
            "disagree": int((checks["verdict"] == DISAGREES).sum()),
            "open": checks[checks["verdict"] != AGREES].to_dict("records"),
        }
        for paper, checks in read_csv(folder / "print_audit.csv").groupby("paper", sort=False)
    }
    texts: dict[str, Any] = {
        "run": record,
        "papers": papers,
        "groups": groups,
        "claims": claims,
        "printed": [(paper, group) for paper, group in groups if paper in papers],
        "audit": audit,
        "needs": summary.what_would_fill(empty, missing),
        "missing": missing,
        "full_run": costs["whole"],
    }
    environment = _environment(papers)

    def render(name: str, template: str, **more: Any) -> None:
        text = environment.get_template(f"{template}.html.j2").render(here=name, **texts, **more)
        write_text(folder / f"{name}.html", text)

    for paper, group in groups:
        render(paper, "paper", paper=paper, artefacts=group, facts=papers.get(paper))
        data = json.dumps(data_of(group, record.command), ensure_ascii=False, separators=(",", ":"))
        write_text(folder / f"{paper}.js", f"loaded({data});\n")
    render("claims", "claims", findings=tables["findings"].to_dict("records"),
           chance=summary.false_decisions(claims))  # fmt: skip
    render(
        "inputs",
        "inputs",
        inputs=dict(sorted(inputs.items(), key=lambda item: fidelity[item[0]] == "exact")),
        originals={role: bound.get("original", "") for role, bound in record.inputs.items()},
        devices=devices(models),
        fidelity=fidelity,
    )
    passports = in_a_run(values[PASSPORT]) if PASSPORT in values else {}
    render("measures", "measures", rows=passport_rows(passports), sizes=detectable(),
           in_full=PASSPORT in values)  # fmt: skip
    render(
        "index",
        "index",
        beside=next((one.picture for one in shown if one.picture), ""),
        agreement=kinds.agreement(numbers),
        by_kind=kinds.by_kind(numbers),
        claims_in_short=summary.claims(claims),
        data=data_of(shown, record.command, only_printed=True),
    )
    waffles = {
        papers[paper].cited: screen.waffle(group) for paper, group in groups if paper in papers
    }
    height = 70 + max(sum(row.height for row in rows) for rows in waffles.values())
    picture = environment.get_template("overview.svg.j2").render(waffles=waffles, height=height)
    write_text(folder / "overview.svg", picture)
    first = (folder / "index.html").read_text("utf-8")
    write_text(folder / "report.html", REPORT.format(escape(first)))
    _pack(shown, groups, folder, record.run)


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


def _environment(papers: dict[str, Paper]) -> Environment:
    """Return the templates, with what they call."""
    environment = Environment(
        loader=PackageLoader("socialbias.reporting.page", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # What belongs to no paper is called by its short name.
    cited = {name: paper.cited for name, paper in papers.items()} | {"validation": "Validation"}
    environment.filters |= {
        "number": reader_number,
        "cited": lambda paper: cited.get(paper, paper.capitalize()),
        "said": kinds.of_artefact,
        "json": lambda data: Markup(
            json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
        ),
    }
    files = {"STYLE": "page.css", "SCRIPT": "page.js"}
    environment.globals |= {
        name: Markup(Path(__file__).with_name(file).read_text("utf-8"))
        for name, file in files.items()
    }
    environment.globals |= {"screen": screen, "OTHER_PAGES": OTHER_PAGES}
    environment.globals |= {"SAID": summary.OF_A_CLAIM}
    return environment


def numbers_of(shown: list[Shown], papers: Mapping[str, Paper]) -> pd.DataFrame:
    """Return the printed numbers of artefacts, with what came of each and `where` it is printed."""
    tables = []
    for one in shown:
        cited = papers[one.about.paper].cited if one.about.paper in papers else one.about.paper
        counted = kinds.counted(pd.DataFrame(one.cells))
        tables.append(counted.assign(where=f"{one.short} of {cited}"))
    return pd.concat(tables, ignore_index=True)


def _explain(shown: list[Shown], explained: Mapping[tuple[str, str, str], str]) -> None:
    """Note with each number that is outside the paper's the `finding` that explains it, if any."""
    for one in shown:
        for cell in one.cells:
            key = (one.about.name, cell["row"], base_column(cell["column"]))
            cell["finding"] = explained.get(key, "") if cell["verdict"] == OUTSIDE else ""


def _write_numbers(shown: list[Shown], folder: Path) -> None:
    """Write all numbers of a run with labels, the paper's and verdicts, as one tidy table."""
    tables = []
    for one in shown:
        units = {column["column"]: column["unit"] for column in one.columns}
        table = pd.DataFrame(one.cells).drop(columns=["order", "row_order", "behind"])
        table.insert(0, "paper", one.about.paper)
        table.insert(1, "artefact", one.about.artefact)
        table.insert(2, "title", one.about.title)
        table.insert(len(table.columns) - 1, "unit", table["column"].map(units))
        tables.append(table.rename(columns={"label": "column_label"}))
    together = pd.concat(tables, ignore_index=True)
    write_csv(together, folder / "all.csv")
    write_parquet(folder / "all.parquet", together, index=False)


def _pack(shown: list[Shown], groups: list, folder: Path, run: str) -> None:
    """Write the pages and the artefacts' files to one archive, whose bytes depend on them alone."""
    pages = ["index", *(paper for paper, _ in groups), *OTHER_PAGES]
    names = [f"{page}.html" for page in pages] + [f"{paper}.js" for paper, _ in groups]
    names += ["all.csv", "claims.csv", "findings.csv", "print_audit.csv"]
    names += sorted(f"{FOLDER}/{path.name}" for path in (folder / FOLDER).glob("*.csv"))
    names += [
        f"{one.about.paper}/{one.about.artefact}.{kind}"
        for one in shown
        for kind in PACKED
        if one.picture or kind not in PICTURES
    ]
    zipped = aside(folder / f"{run}.zip")
    with zipped as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            path = folder / name
            if path.exists():  # a picture is there only where there are numbers to show
                member = zipfile.ZipInfo(f"{run}/{name}", EPOCH)
                member.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(member, path.read_bytes())


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
