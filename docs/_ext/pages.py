"""Parts of pages that each build writes to `docs/_made`, which is not in git.

Committed pages include them. Artefacts, measures, sources and keys come from declarations and
registries; error rates, faults and the comparison of packages from stored results and tests.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
import yaml

from socialbias.files.paths import resources
from socialbias.measures.fairness.registry import METRICS
from socialbias.measures.passport import FIELDS, Passport, passports
from socialbias.measures.registry import Measure, every
from socialbias.pipeline.declarations import (
    PAPERS,
    Column,
    Cores,
    Declaration,
    Kind,
    Part,
    Row,
    Step,
    Taken,
    Variant,
    load_declarations,
)
from socialbias.sources.registry import Source, load_registry

REPOSITORY = Path(__file__).parents[2]
ROOT = {"CONTRIBUTING.md": "contributing.md", "CODE_OF_CONDUCT.md": "conduct.md",
        "CHANGELOG.md": "changelog.md"}  # fmt: skip
NEEDS = {
    "stand_in": "of another thing than the paper's, so always a substitute",
    "unreleased": "never released by the authors",
    "option": "only if the configuration lists it",
    "evidence": "computed in the run",
    "vectors": "word vectors",
    "text": "a corpus, prepared",
    "prepared": "a corpus as ids",
    "tags": "the parts of speech of a corpus' words",
    "probe": "a language model's vectors of words in their sentences",
}
KEYS_OF: dict[type[Part], str] = {
    Declaration: "the file",
    Row: "a row or column",
    Column: "a column",
    Variant: "a variant",
    Kind: "`kinds`",
    Taken: "`takes`",
    Step: "`evidence`, `values`, `figure`",
    Cores: "`cores`",
}


def write(docs: Path) -> None:
    """Write all of them; what is the same keeps its time of change."""
    sys.path.append(str(docs.parent))  # tests and bench are no packages of the library
    from bench.referee.table import tables
    from tests.reliability import faults
    from tests.simulations.looks import LOOKS
    from tests.simulations.report import rates, read_figures

    parts = {
        "artefacts": artefacts(),
        "error-rates": rates(read_figures(), pd.read_csv(LOOKS)),
        "faults": faults(docs.parent / "tests"),
        "field": tables(),
        "keys": keys(),
        "metrics": metrics(),
        "passports": measures(),
        "sources": sources(),
    }
    wanted = {f"parts/{name}.md": text for name, text in parts.items()}
    wanted |= {name: of_root(docs.parent / path) for path, name in ROOT.items()}
    for name, text in wanted.items():
        path = docs / "_made" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def cell(text: object) -> str:
    """Return text for a cell of a Markdown table."""
    return " ".join(str(text).replace("|", "\\|").split())


def table(head: list[str], rows: list[list[object]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(cell, line))} |\n" for line in lines)


def of_root(path: Path) -> str:
    """Return a page that lies beside `docs`, with its links as they are from `docs/_made`."""
    text = path.read_text("utf-8").replace("](docs/", "](../")
    for name, here in ROOT.items():
        text = text.replace(f"]({name})", f"]({here})")
    return text


def artefacts() -> str:
    """Return a section for each paper, with what each of its artefacts shows and needs."""
    import socialbias.papers

    declared = load_declarations(Path(socialbias.papers.__file__).parent).artefacts.values()
    known = yaml.safe_load((resources() / "papers.yaml").read_text("utf-8"))
    parts = []
    for paper in PAPERS:
        parts.append(f"## {known.get(paper, {}).get('title', 'Beyond the papers')}\n")
        parts += [_artefact(each) for each in declared if each.paper == paper]
    return "\n".join(parts)


def _artefact(declared: Declaration) -> str:
    steps = [*declared.evidence.values(), declared.values, declared.figure]
    needs = {name for each in declared.cells() for name in each.needs + each.uses}
    explained = [
        f"`{name}` ({NEEDS[kind]})" if (kind := name.split("/")[0]) in NEEDS else f"`{name}`"
        for name in sorted(needs)
    ]
    settings = [f"`{key}`" for key in sorted({key for step in steps for key in step.settings})]
    columns = [f"`{key}` ({cell(each.label)})" for key, each in declared.columns.items()]
    variants = [f"`{key}` ({cell(each.label)})" for key, each in declared.variants.items()]
    facts = {"columns": columns, "variants": variants, "needs": explained, "settings": settings}
    listed = "".join(f"- {name}: {', '.join(each)}\n" for name, each in facts.items() if each)
    return (
        f"({declared.target.replace('_', '-')})=\n### {declared.title}\n\n`{declared.target}`. "
        f"{declared.shows}\n\n- unit: {declared.unit}\n{listed}"
    )


def keys() -> str:
    """Return the keys of declarations, from the descriptions of their fields."""
    rows: list[list[object]] = [
        [place, f"`{name}`", field.description or "See below."]
        for part, place in KEYS_OF.items()
        for name, field in part.model_fields.items()
        if part is not Column or name not in Row.model_fields
    ]
    return table(["in", "key", "content"], rows)


def metrics() -> str:
    """Return the fairness metrics, with what they score and how they compare."""
    rows = [
        [each.number or "–", each.title, each.printed_kind, f"`{each.phi}`", f"`{each.d}`",
         "any" if each.many else "two", each.citation]
        for each in METRICS.values()
    ]  # fmt: skip
    return table(["Table 2", "metric", "kind", "score", "compared by", "groups", "source"], rows)


def measures() -> str:
    """Return a section for each measure: what it is, and its numbers in the reference run."""
    known = passports()
    run = next((f"Measured by {each.run}.\n\n" for each in known.values()), "")
    return run + "\n".join(_measure(each, known.get(each.name)) for each in every())


def _measure(measure: Measure, passport: Passport | None) -> str:
    facts: list[list[object]] = [
        ["range", measure.range],
        ["without an effect", measure.no_effect],
        ["direction", measure.direction],
        ["citation", measure.citation],
        ["code", f"`{(measure.code or measure.path).replace(':', '.')}`"],
        ["error rates", ", ".join(measure.error_rates)],
    ]
    text = (
        f"({measure.name})=\n## {measure.title}\n\n    {measure.formula}\n\n"
        f"{table(['', ''], facts)}\n**What it cannot say.** {measure.limits}\n\n"
    )
    if passport is None:
        return text + "The reference run has no numbers of this measure.\n"
    rows: list[list[object]] = [
        [name, each.number, each.unit, each.size, each.measured_on]
        for key, name in FIELDS.items()
        if (each := passport.known[key]).number != "none"
    ]
    return text + table(["number", "value", "unit", "n", "data"], rows)


def sources() -> str:
    """Return a section for each source, with its files and what it stands in for."""
    registry = load_registry(resources() / "sources.yaml")
    return "\n".join(_source(registry[name]) for name in sorted(registry))


def _source(source: Source) -> str:
    size = sum(file.bytes or 0 for file in source.files)
    unknown = any(file.bytes is None for file in source.files)
    places = dict.fromkeys(_place(each) for file in source.files for each in file.locators)
    checks = {"lock" if file.sha256 == "unknown" else "sha256" for file in source.files}
    names = [f"`{file.name}`" for file in source.files]
    facts = {
        "status": source.status,
        "licence": source.licence,
        "cite": source.citation,
        "stands in for": source.stands_in_for and f"{source.stands_in_for} ({source.fidelity})",
        "note": source.notes,
        "from": ", ".join(places),
        "size": f"{'at least ' * unknown}{size / 1e6:,.1f} MB",
        "checked by": ", ".join(sorted(checks)),
        "folder in a mirror": source.folder,
        "files": ", ".join([*names[:5], *([f"and {len(names) - 5} more"] if names[5:] else [])]),
        "by hand": " ".join(source.steps.split()),
    }
    lines = [f"- {name}: {' '.join(text.split())}\n" for name, text in facts.items() if text]
    return f"({source.id})=\n## {source.id}\n\n{source.title}\n\n{''.join(lines)}"


def _place(locator: str) -> str:
    """Return the host or the package that a file comes from."""
    kind, _, path = locator.partition("://")
    if kind in ("http", "https"):
        return path.split("/")[0]
    return f"{kind} `{path.split('/')[0]}`" if path else kind
