"""A page for each measure, `docs/passports`, generated from `resources/measures.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import groupby

from socialbias.measure_facts import COMPUTED, FIELDS, Measure, Place
from socialbias.reporting.papers import Paper

MADE = "Generated from `resources/measures.yaml` by `make generate`."
INDEX = f"""\
# Passports of the measures

What each measure of the four papers is, what it cannot say, and what is known of how far its
numbers can be trusted. The numbers are those of a run: `snakemake validation_passport` collects
them in one table, in which every empty cell says why it is. {MADE}
"""
FACTS = {
    "range": "range",
    "no_effect": "without an effect",
    "direction": "direction",
    "citation": "citation",
}

# What `docs/measures` has a page on, by what the names of its measures begin with.
EXPLAINED = {
    "directed": "directed", "reduction": "directed", "divdist": "divdist", "caliskan": "caliskan",
    "bolukbasi": "bolukbasi", "garg": "garg", "manzini": "manzini", "ethayarajh": "ethayarajh",
    "weat": "weat", "text": "text", "helm": "helm", "samples": "samples", "probe": "probe",
    "amplification": "amplification", "unpleasantness": "unpleasantness", "coherence": "coherence",
    "set-similarity": "coherence", "explained-variance": "pca", "icat": "stereoset",
    "language-modelling-score": "stereoset", "stereotype-score": "stereoset",
}  # fmt: skip


def explained_in(measure: Measure) -> str:
    """The page of `docs/measures` on a measure; "" where there is none."""
    if measure.paper == "fairness":
        return "fairness"
    found = [page for start, page in EXPLAINED.items() if measure.name.startswith(start)]
    return found[0] if found else ""


def measure_pages(
    measures: Mapping[str, Measure], papers: Mapping[str, Paper], error_rates: str
) -> dict[str, str]:
    """The text of each page by its name in `docs/passports`.

    Args:
        measures: Every measure by name.
        papers: By short name.
        error_rates: The text of docs/error-rates.md.
    """
    tables = _sections(error_rates)
    pages = {f"{name}.md": _page(measure, tables) for name, measure in measures.items()}
    return pages | {"index.md": _index(list(measures.values()), papers)}


def _index(measures: list[Measure], papers: Mapping[str, Paper]) -> str:
    parts = [INDEX]
    for paper, found in groupby(measures, key=lambda measure: measure.paper):
        lines = "\n".join(f"- [{each.title}]({each.name}.md)" for each in found)
        parts.append(f"## {papers[paper].title}\n\n{lines}\n")
    names = "\n".join(each.name for each in measures)
    parts.append(f"```{{toctree}}\n:hidden:\n\n{names}\n```\n")
    return "\n".join(parts)


def _page(measure: Measure, tables: Mapping[str, str]) -> str:
    facts = "\n".join(f"| {said} | {_cell(getattr(measure, k))} |" for k, said in FACTS.items())
    module, _, name = measure.code.partition(":")
    places = "\n".join(
        f"| {said} | {_cell(_source(measure.passport[field]))} |" for field, said in FIELDS.items()
    )
    page = explained_in(measure)
    explained = f"\n| explained in | [measures](../measures/{page}.md) |" if page else ""
    rates = "\n".join(f"### {each}\n\n{tables[each]}\n" for each in measure.error_rates)
    return f"""\
# {measure.title}

    {measure.formula}

| | |
|---|---|
{facts}
| code | `{module}.{name}` |
| row of the passport | `{measure.name}` |{explained}

**What it cannot say.** {measure.limits}

## Passport

Where a run's `validation_passport` takes each number from, or why there is none.

| field | from |
|---|---|
{places}

## Error rates

Of verdicts on such numbers, from [simulations](../error-rates.md), where the columns are explained.

{rates}
{MADE}
"""


def _source(place: Place | str) -> str:
    if isinstance(place, str):
        return f"none: {place}"
    if place.artefact == COMPUTED:
        return "computed from both settings"
    return ", otherwise ".join(f"`{each}`" for each in place.places())


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def _sections(text: str) -> dict[str, str]:
    """What stands below each heading of the second level."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)[1:]
    return {name: body.strip() for name, body in zip(parts[::2], parts[1::2], strict=True)}
