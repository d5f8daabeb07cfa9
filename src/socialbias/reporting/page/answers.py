"""What a run found: questions of `resources/answers.yaml`, answered by sentences on its values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import pandas as pd

from socialbias.files.yaml_files import read_yaml
from socialbias.reporting.artefact import base_column
from socialbias.reporting.compare import AGREES, CONTRADICTS, NUMBER_VERDICTS, PASSED, UNCLEAR
from socialbias.reporting.page.shown import Shown
from socialbias.reporting.statements import scope_of
from socialbias.reporting.tables import reader_number
from socialbias.reporting.values import NO_INPUT

FIELD = re.compile(r"\{([^}]*)\}")
ORDER = {
    AGREES: "the order of rows agrees with the paper's",
    CONTRADICTS: "the order of rows contradicts the paper's",
    UNCLEAR: "whether the order of rows agrees with the paper's is unclear",
}


@dataclass(frozen=True)
class Answer:
    """A question about a paper's subject, and what the run's numbers say."""

    paper: str  # short name of the paper whose page shows it
    question: str  # the question
    text: str = ""  # sentences with numbers and 95 % intervals; "" where one could not be computed
    # How the numbers compare with the paper's; "" where they cannot be compared.
    reproduced: str = ""
    scope: str = ""  # the inputs behind the numbers
    cautions: int = 0  # how many of the numbers are weak
    href: str = ""  # the place of the artefact that has the numbers; "" where the run lacks it
    title: str = ""  # title of that artefact
    first_page: bool = True  # whether the first page shows it too


def answer(
    path: Path, shown: Sequence[Shown], names: Mapping[str, str], titles: Mapping[str, str]
) -> list[Answer]:
    """Answer the questions of a file, in its order.

    An answer has no text where a number that it needs is missing.
    """
    by_name, answers = {one.about.name: one for one in shown}, []
    for one in read_yaml(path) or []:
        kept = {key: one[key] for key in ("paper", "question", "first_page") if key in one}
        source = by_name.get(one["artefact"])
        cells = source.cells if source else []
        known = {f"{c['row']}|{c['column']}": c for c in cells if pd.notna(c["value"])}
        counted = [key for key in known if any(fnmatchcase(key, like) for like in one["numbers"])]
        named = {key for key in FIELD.findall(one["text"]) if "|" in key}
        if not counted or not named <= {*known}:
            answers.append(Answer(**kept))
            continue
        used = [known[key] for key in dict.fromkeys([*counted, *sorted(named)])]
        fill = _summary([known[key] for key in counted], one["nothing"], source)
        fill |= {key: _number(known[key], source.about.digits) for key in named}
        kept |= {
            "text": FIELD.sub(lambda field, fill=fill: fill[field[1]], one["text"]),
            "reproduced": _reproduced(used, source),
            "scope": "; ".join(titles.get(name, name) for name in scope_of(used, names)),
            "cautions": sum(cell["caution"] != "" for cell in used),
            "href": source.href,
            "title": source.about.title,
        }
        answers.append(Answer(**kept))
    return answers


def _summary(cells: Sequence[Mapping], nothing: float, source: Shown) -> dict[str, str]:
    """Return how many numbers differ from what no effect would give, and the extreme ones."""
    above = sum(cell["ci_low"] > nothing for cell in cells)
    below = sum(cell["ci_high"] < nothing for cell in cells)
    counts = {"known": len(cells), "above": above, "below": below}
    counts["open"] = len(cells) - above - below
    summary = {name: f"{n}" for name, n in counts.items()}
    rows, columns = ({cell[key] for cell in cells} for key in ("row", "column"))
    variants = {column.partition("@")[2] for column in columns}
    for name, end in (("smallest", min), ("largest", max)):
        cell = end(cells, key=lambda cell: cell["value"])
        # What tells it from the others: its row, its column or both.
        parts = [cell["row_label"]] if len(rows) > 1 else []
        if len(columns) > 1:
            base = source.about.columns[base_column(cell["column"])]
            parts.append(base if len(variants) == 1 else cell["label"])
        summary[name] = f"{_number(cell, source.about.digits)} for {', '.join(parts)}"
    return summary


def _number(cell: Mapping, digits: int) -> str:
    """Return a number with its 95 % interval and the paper's, as far as there are any."""
    parts = []
    if pd.notna(cell["ci_low"]):
        parts.append(" to ".join(reader_number(cell[end], digits) for end in ("ci_low", "ci_high")))
    if cell["printed"]:
        parts.append(f"paper: {cell['printed'].replace('-', '−')}")
    brackets = f" ({'; '.join(parts)})" if parts else ""
    return reader_number(cell["value"], digits) + brackets


def _reproduced(cells: Sequence[Mapping], source: Shown) -> str:
    """Return how numbers on the paper's inputs, and columns on others, compare with print."""
    parts = []
    used = {cell["column"] for cell in cells}
    for column in source.columns:
        if column["column"] in used and column["verdict"]:
            rho, p = reader_number(column["rho"], 2), reader_number(column["p_value"], 3)
            parts.append(f"{ORDER[column['verdict']]} (rank correlation {rho}, p = {p})")
    verdicts = [cell["verdict"] for cell in cells if cell["verdict"] in NUMBER_VERDICTS]
    if verdicts:
        passed = sum(verdict in PASSED for verdict in verdicts)
        parts.append(f"on its own inputs, {passed} of {len(verdicts)} numbers were reproduced")
    if parts and source.counts[NO_INPUT]:
        missing, total = (f"{source.counts[key]:,.0f}" for key in (NO_INPUT, "printed"))
        name = source.about.title.partition(":")[0]
        parts.append(f"{missing} of the {total} numbers of {name} could not be computed")
    return "; ".join(parts)
