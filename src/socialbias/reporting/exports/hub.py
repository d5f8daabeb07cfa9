"""Scores of models for Hugging Face: `.eval_results/*.yaml`, and a block for a model card.

The first is of benchmarks that are data sets on the hub; the hub shows it once the data set is
registered as a benchmark. The second has everything: metadata as `model-index`, and a table.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from socialbias.files.atomic_write import write_text
from socialbias.reporting.exports.record import RunRecord
from socialbias.reporting.exports.scores import Score

DIGITS = 4  # significant


def write_for_hub(
    scores: Iterable[Score], record: RunRecord, names: dict, folder: Path
) -> list[Path]:
    """Write both for each model.

    Args:
        scores: As `scores_of` gives them.
        record: What the run was.
        names: As `read_names` gives them.
        folder: Gets a folder for each model, `<owner>/<name>/`, laid out as the model's repository.

    Returns:
        The files.
    """

    def key(score: Score) -> str:
        return score.model.id

    written = []
    for model, group in groupby(sorted(scores, key=key), key=key):
        own, place = list(group), folder / model
        on_hub = [score for score in own if "hub" in names["benchmarks"][score.benchmark]]
        if on_hub:
            entries = [_entry(score, record, names) for score in on_hub]
            written.append(place / ".eval_results" / "socialbias.yaml")
            _write(written[-1], _yaml(entries))
        written.append(place / "model-card.md")
        _write(written[-1], _card(own, record, names))
    return written


def _entry(score: Score, record: RunRecord, names: dict) -> dict[str, Any]:
    """One number as the hub's `.eval_results` have it."""
    facts = names["benchmarks"][score.benchmark]
    task = f"{score.task}, {score.metric}".replace(", ", "_").replace(" ", "-")
    return {
        "dataset": {"id": facts["hub"], "task_id": task},
        "value": float(score.cell["value"]),
        "date": record.written[:10],
        "notes": _remarks(score),
    }


def _remarks(score: Score) -> str:
    """What a number has to be read with."""
    cell = score.cell
    parts = [f"best {score.kind['best']}"]
    if pd.notna(cell["ci_low"]):
        parts.append(f"95 % interval {_number(cell['ci_low'])} to {_number(cell['ci_high'])}")
    if pd.notna(cell["n"]):
        parts.append(f"{cell['n']:,.0f} {cell['n_unit']}")
    if score.null is not None:
        parts.append(f"with terms assigned at random {_number(score.null)}")
    parts.append(f"fidelity to the paper's inputs: {cell['fidelity']}")
    if not score.here:
        parts.append("from predictions that the authors of StereoSet released")
    return "; ".join(parts)


def _card(scores: list[Score], record: RunRecord, names: dict) -> str:
    """Metadata and a table for a model card."""
    model = scores[0].model
    results = [
        {
            "task": {"type": "other", "name": f"social bias: {score.task}"},
            "dataset": _dataset(score, names),
            "metrics": [
                {
                    "type": score.metric,
                    "name": f"{score.kind['name']} ({score.metric})",
                    "value": float(score.cell["value"]),
                    "args": {"note": _remarks(score)},
                }
            ],
        }
        for score in scores
    ]
    metadata = {"model-index": [{"name": model.id, "results": results}]}
    lines = [
        "---",
        _yaml(metadata).rstrip(),
        "---",
        "",
        "## Social bias",
        "",
        f"{model.name}, measured with {record.version}, run {record.run}, {record.written[:10]}. "
        "A score is worth as much as its interval: two models differ where a paired comparison "
        "says so (`socialbias compare`).",
        "",
        "| benchmark | how | metric | value | read with |",
        "|---|---|---|---:|---|",
    ]
    for score in scores:
        title = names["benchmarks"][score.benchmark]["title"]
        metric = f"{score.kind['name']} ({score.metric})"
        value = _number(score.cell["value"])
        lines.append(f"| {title} | {score.task} | {metric} | {value} | {_remarks(score)} |")
    cited = dict.fromkeys(names["benchmarks"][score.benchmark]["citation"] for score in scores)
    return "\n".join([*lines, "", f"To cite: {'; '.join(cited)}.", ""])


def _dataset(score: Score, names: dict) -> dict[str, str]:
    facts = names["benchmarks"][score.benchmark]
    split = {"split": score.split} if score.split else {}
    return {"type": facts.get("hub", score.benchmark), "name": facts["title"], **split}


def _number(value: float) -> str:
    return f"{value:.{DIGITS}g}"


def _yaml(content: object) -> str:
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
