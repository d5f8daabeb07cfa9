"""Scores of models among the numbers of a run, with what they are called elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from socialbias.files.yaml_files import read_yaml
from socialbias.reporting.exports.record import RunRecord
from socialbias.sources.registry import Source

HUB = "hf://"
NULL = "-null"  # ends the variant of a column that is the null of another
SUMMARIES = ("mean", "above null")  # rows of figure 1 that are no metric


@dataclass(frozen=True)
class Model:
    """A model.

    Attributes:
        name: Of the source, for a reader.
        id: `owner/name` as on Hugging Face; `local/...` for one that is not there.
        revision: Of the files there; "" where they are from elsewhere.
        licence: As its owners state it.
        source: Its id in the registry, or the name of a user's subject.
    """

    name: str
    id: str
    revision: str
    licence: str
    source: str

    @property
    def on_hub(self) -> bool:
        """Whether the model is on Hugging Face."""
        return not self.id.startswith("local/")


@dataclass(frozen=True)
class Score:
    """One number of one model.

    Attributes:
        benchmark: Key in `exports.yaml`.
        model: Whose it is.
        address: `<paper>_<artefact>.<row>.<column>`.
        task: What was scored, and how: scheme, and split or variant.
        split: Of the data; "" where there is one.
        metric: Name of the metric; the key in `exports.yaml` is `kind`.
        kind: What `exports.yaml` says of the metric.
        cell: The row of `all.parquet`.
        null: The number with terms dealt to groups at random; None where there is none.
        here: Whether this run scored the model; else its scores were released by others.
    """

    benchmark: str
    model: Model
    address: str
    task: str
    split: str
    metric: str
    kind: Mapping[str, Any]
    cell: Mapping[str, Any]
    null: float | None
    here: bool


def read_names(resources: Path) -> Mapping[str, Any]:
    """How results are called elsewhere."""
    return read_yaml(resources / "exports.yaml")


def scores_of(
    folder: Path, record: RunRecord, names: Mapping[str, Any], registry: Mapping[str, Source]
) -> list[Score]:
    """All scores of models in a run, in the order of its tables.

    Args:
        folder: Of the run.
        record: What the run was.
        names: As `read_names` gives them.
        registry: The sources by id.
    """
    table = pd.read_parquet(folder / "all.parquet")
    table["target"] = table["paper"] + "_" + table["artefact"]
    models = Models(record, names, registry)
    scores = []
    for benchmark, facts in names["benchmarks"].items():
        for target, scheme in facts["artefacts"].items():
            cells = table[(table["target"] == target)].to_dict("records")
            scores += list(_of_artefact(benchmark, facts, scheme, cells, models))
    return scores


def _of_artefact(
    benchmark: str, facts: Mapping, scheme: str, cells: list[dict], models: Models
) -> Iterator[Score]:
    """The scores in one table."""
    values = {(cell["row"], cell["column"]): cell["value"] for cell in cells}
    for cell in cells:
        row, column = cell["row"], cell["column"]
        name, _, variant = column.partition("@")
        if pd.isna(cell["value"]) or variant.endswith(NULL) or row in SUMMARIES:
            continue
        by_row = facts["rows"] == "models"
        model, here = models.of_row(row, cell) if by_row else (models.among(cell["sources"]), True)
        if model is None:
            continue
        null = values.get((row, f"{column}{NULL}"))
        yield Score(
            benchmark=benchmark,
            model=model,
            address=f"{cell['paper']}_{cell['artefact']}.{row}.{column}",
            task=f"{scheme}, {variant}" if variant else scheme,
            split=facts["splits"].get(variant, ""),
            metric=name if by_row else f"{row}, {name}",
            kind=facts["metrics"].get(name) or facts["metrics"]["*"],
            cell=cell,
            null=None if null is None or pd.isna(null) else float(null),
            here=here,
        )


class Models:
    """The models of a run, by row of a table or among the sources of a number."""

    def __init__(
        self, record: RunRecord, names: Mapping[str, Any], registry: Mapping[str, Source]
    ) -> None:
        self.record, self.names, self.registry = record, names, registry

    def of_row(self, row: str, cell: Mapping[str, Any]) -> tuple[Model | None, bool]:
        """The model of a row, and whether this run scored it; None where the row is no model."""
        source = self.record.models.get(row)
        if not source:
            return None, False
        return self.model(source), source in cell["sources"].split(";")

    def among(self, sources: str) -> Model | None:
        """The one model among the sources of a number; None where there is none, or several."""
        formats = self.names["formats"]
        fitting = [name for name in sources.split(";") if self._format(name) in formats]
        return self.model(fitting[0]) if len(fitting) == 1 else None

    def _format(self, name: str) -> str:
        source = self._source(name)
        return source.format if source else ""

    def _source(self, name: str) -> Source | None:
        return self.registry.get(self.record.subjects.get(name) or name)

    def model(self, name: str) -> Model:
        """A model by its source or subject."""
        source = self._source(name)
        if source is None:
            return Model(name, f"local/{name}", "", "", name)
        places = [place for file in source.files for place in file.locators if HUB in place]
        called = self.names["models"].get(source.id, f"local/{source.id}")
        revision = ""
        if places:
            called, _, rest = places[0].removeprefix(HUB).partition("@")
            revision = rest.partition("/")[0]
        return Model(source.title, called, revision, source.licence, source.id)
