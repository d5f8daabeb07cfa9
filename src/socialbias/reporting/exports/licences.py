"""Licences as their owners state them, as SPDX ids where they have one."""

from __future__ import annotations

import re
from typing import NamedTuple

# Of https://spdx.org/licenses: those that sources name with their version.
SPDX = (
    *("MIT", "Apache-2.0", "BSD-3-Clause", "GPL-3.0", "PDDL-1.0", "CC-BY-4.0"),
    *("CC-BY-SA-3.0", "CC-BY-SA-4.0"),
)
URL = "https://spdx.org/licenses/"
ID = re.compile(rf"(?<![\w.-])({'|'.join(map(re.escape, SPDX))})(?![\w-])")
# What a licence is of, where it is of what holds the data and not of the data.
HOLDERS = re.compile(r"\((package|packages|repository|code|Kaggle field)\)")
FILLERS = re.compile(r"\([^)]*\)|\band\b|[\s,;]+")


class Licence(NamedTuple):
    """A licence.

    Attributes:
        ids: SPDX ids; empty where the statement has none.
        stated: The statement in full.
        covered: Whether the ids say all that the statement says of the data.
    """

    ids: tuple[str, ...]
    stated: str
    covered: bool


def parsed(stated: str) -> Licence:
    """A licence from `sources.yaml`.

    Where a statement is of several parts, what it says of the data counts, and not what it says of
    the package or repository that they lie in, unless it says nothing else.
    """
    clauses = [clause.strip() for clause in re.split(r"[;,](?![^(]*\))", stated)]
    of_data = [clause for clause in clauses if not HOLDERS.search(clause)] or clauses
    ids = tuple(dict.fromkeys(name for clause in of_data for name in ID.findall(clause)))
    rest = FILLERS.sub("", ID.sub("", " ".join(of_data)))
    asides = [re.findall(r"\((.*?)\)", clause) for clause in of_data]
    doubtful = any(" " in aside for found in asides for aside in found)
    return Licence(ids, stated, bool(ids) and not rest and not doubtful)
