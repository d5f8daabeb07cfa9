"""The papers' printed numbers, shown beside one's own."""

from __future__ import annotations

import csv
from collections.abc import Callable

from socialbias.auditing.entries import Mark
from socialbias.files.paths import resources

PLACES = {"trustworthy": "Bommasani and Liang 2022", "bad_seeds": "Antoniak and Mimno 2021"}
PLACES |= {"stereoset": "Nadeem et al. 2021", "fairness": "Czarnowska et al. 2021"}


def ruler(artefact: str, chosen: Callable[[str, str], str | None]) -> tuple[Mark, ...]:
    """Return printed numbers of a table."""
    paper = next(name for name in PLACES if artefact.startswith(f"{name}_"))
    where = f"{PLACES[paper]}, Table {artefact.removeprefix(f'{paper}_table')}"
    marks = []
    path = resources() / "published" / f"{artefact}.csv"
    for line in csv.DictReader(path.read_text("utf-8").splitlines()):
        subject = chosen(line["row"], line["column"])
        if subject and line["value"]:
            marks.append(Mark(subject, line["value"], where))
    return tuple(marks)
