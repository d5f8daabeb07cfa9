"""The print audit of all papers, as one table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, fields, replace
from pathlib import Path

import pandas as pd

from socialbias.papers.bad_seeds import print_audit as bad_seeds
from socialbias.papers.fairness import print_audit as fairness
from socialbias.papers.stereoset import print_audit as stereoset
from socialbias.papers.trustworthy import print_audit as trustworthy
from socialbias.reporting.print_checks import PAPERS, Check, read_tables


def audit(published: Path) -> list[Check]:
    """Run every check of every paper on the published tables.

    Args:
        published: Folder `resources/published`.

    Raises:
        FileNotFoundError: The folder has no tables.
        KeyError: A table or a cell that a check needs is missing.
    """
    tables = read_tables(published)
    modules = (trustworthy, bad_seeds, stereoset, fairness)
    return [
        replace(check, paper=paper)
        for paper, module in zip(PAPERS, modules, strict=True)
        for family in module.FAMILIES
        for check in family(tables)
    ]


def checks_table(checks: Iterable[Check]) -> pd.DataFrame:
    """Return the checks as a table with the fields as columns, one row a check.

    The order is that of the papers in the project, then kind, place, printed and implied value:
    it does not depend on the order of the input.
    """
    columns = [field.name for field in fields(Check)]
    table = pd.DataFrame([asdict(check) for check in checks], columns=columns)
    table["paper"] = pd.Categorical(table["paper"], PAPERS, ordered=True)
    table = table.sort_values(["paper", "kind", "place", "printed", "implied", "arithmetic"])
    return table.astype(str).reset_index(drop=True)
