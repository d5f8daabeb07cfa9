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
from socialbias.reporting.print_checks import PAPERS, Check, Printed, read_tables

MODULES = dict(zip(PAPERS, (trustworthy, bad_seeds, stereoset, fairness), strict=True))


def audit(published: Path) -> list[Check]:
    """Run every check of every paper on the tables in `resources/published`."""
    tables = read_tables(published)
    return [
        replace(check, paper=paper)
        for paper, module in MODULES.items()
        for family in module.AUDIT
        for check in family(Printed(tables, paper))
    ]


def checks_table(checks: Iterable[Check]) -> pd.DataFrame:
    """Return the checks as a table, in an order that does not depend on that of the input."""
    columns = [field.name for field in fields(Check)]
    table = pd.DataFrame([asdict(check) for check in checks], columns=columns)
    table["paper"] = pd.Categorical(table["paper"], PAPERS, ordered=True)
    table = table.sort_values(["paper", "kind", "place", "printed", "implied", "arithmetic"])
    return table.astype(str).reset_index(drop=True)
