"""Scores of models as Every Eval Ever 0.3.0 keeps them: a JSON file a benchmark and model.

`data/<benchmark>/<developer>/<model>/<uuid>.json`; beside it, for models that the run scored
itself, `<uuid>_samples.jsonl` with every item of StereoSet and pair of CrowS-Pairs. Names of files
follow from what is in them, so that the same run gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import math
import uuid
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd

from socialbias.files.atomic_write import write_text
from socialbias.reporting.exports.record import RunRecord
from socialbias.reporting.exports.samples import Samples
from socialbias.reporting.exports.scores import Model, Score

VERSION = "0.3.0"
DETAILS = ("fidelity", "sources", "printed", "verdict", "detail", "caution", "n_unit")
DETAIL_NUMBERS = ("n", "n_of", "p_value", "q_value", "reliability", "detectable")
NO_BEST_END = "the best score is {}: neither lower nor higher is better, whatever the flag says"


def write_results(
    scores: Iterable[Score], record: RunRecord, names: dict, samples: Samples, folder: Path
) -> list[Path]:
    """Write one file for each benchmark and model, and its samples.

    Args:
        scores: As `scores_of` gives them.
        record: What the run was.
        names: As `read_names` gives them.
        samples: The items behind the scores.
        folder: Where `data/` goes.

    Returns:
        The files, samples after the scores that they are of.
    """

    def key(score: Score) -> tuple[str, str]:
        return score.benchmark, score.model.id

    written = []
    for (benchmark, _), group in groupby(sorted(scores, key=key), key=key):
        written += _write(list(group), benchmark, record, names, samples, folder)
    return written


def _write(
    scores: list[Score],
    benchmark: str,
    record: RunRecord,
    names: dict,
    samples: Samples,
    folder: Path,
) -> list[Path]:
    """The file of one benchmark and model, and its samples if there are any."""
    model = scores[0].model
    log = _log(scores, benchmark, record, names)
    content = hashlib.sha256(json.dumps(log, sort_keys=True).encode()).digest()
    name = uuid.UUID(bytes=content[:16], version=4)
    developer, _, model_name = model.id.partition("/")
    place = Path("data", benchmark, developer, model_name.replace("/", "_"))
    (folder / place).mkdir(parents=True, exist_ok=True)
    paths = [folder / place / f"{name}.json"]
    lines = list(_sample_lines(scores, log["evaluation_id"], samples))
    if lines:
        text = "".join(f"{line}\n" for line in lines)
        companion = place / f"{name}_samples.jsonl"
        log["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": companion.as_posix(),
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(text.encode()).hexdigest(),
            "total_rows": len(lines),
        }
        paths.append(folder / companion)
        write_text(paths[-1], text)
    write_text(paths[0], json.dumps(log, indent=1, ensure_ascii=False) + "\n")
    return paths


def _log(scores: list[Score], benchmark: str, record: RunRecord, names: dict) -> dict[str, Any]:
    """All that is said of one benchmark and model, but for its samples."""
    model = scores[0].model
    written = f"{datetime.fromisoformat(record.written).timestamp():.0f}"
    return {
        "schema_version": VERSION,
        "evaluation_id": f"{benchmark}/{model.id}/{written}",
        "evaluation_timestamp": written,
        "retrieved_timestamp": written,
        "source_metadata": {
            "source_name": f"socialbias, run {record.run}",
            "source_type": "evaluation_run",
            "source_organization_name": "the person who ran socialbias",
            "evaluator_relationship": "third_party",
            "additional_details": {
                "command": record.command,
                "machine": record.machine,
                "seed": str(record.seed),
            },
        },
        "eval_library": {"name": "socialbias", "version": record.version},
        "model_info": _model_info(model, scores),
        "evaluation_results": [_result(score, names["benchmarks"][benchmark]) for score in scores],
    }


def _model_info(model: Model, scores: list[Score]) -> dict[str, Any]:
    here = all(score.here for score in scores)
    details = {
        "deployment_type": "self_deployed",
        "model_availability": "open_weights" if model.on_hub else "unknown",
        "licence": model.licence or "not stated",
        "source": model.source,
        "scored_by": "this run" if here else "predictions that the authors of StereoSet released",
    }
    if here and model.revision:  # what others scored may have been another one
        details["revision"] = model.revision
    developer = model.id.partition("/")[0]
    return {
        "name": model.name,
        "id": model.id,
        "developer": developer,
        "additional_details": details,
    }


def _result(score: Score, facts: dict) -> dict[str, Any]:
    """One number."""
    cell, kind = score.cell, score.kind
    details = {name: str(cell[name]) for name in DETAILS if cell[name] and pd.notna(cell[name])}
    details |= {name: f"{cell[name]:g}" for name in DETAIL_NUMBERS if pd.notna(cell[name])}
    if score.null is not None:
        details["null"] = f"{score.null:g}"
    result = {
        "evaluation_result_id": score.address,
        "evaluation_name": f"{score.benchmark}, {score.task}",
        "source_data": _source_data(score, facts),
        "metric_config": {
            "evaluation_description": kind["about"],
            "metric_id": f"{score.benchmark}.{score.metric.replace(', ', '.').replace(' ', '-')}",
            "metric_name": f"{kind['name']} ({score.metric})",
            "metric_unit": kind["unit"],
            "lower_is_better": kind["lower_is_better"],
            "score_type": "continuous",
            "min_score": kind["min"],
            "max_score": kind["max"],
            "additional_details": {"best": str(kind["best"])} | _direction(kind),
        },
        "score_details": {"score": float(cell["value"]), "details": details},
    }
    uncertainty = _uncertainty(cell, facts["interval"])
    if uncertainty:
        result["score_details"]["uncertainty"] = uncertainty
    return result


def _direction(kind: dict) -> dict[str, str]:
    """What the flag of direction cannot say of a score that is best between its ends."""
    inside = kind["best"] not in (kind["min"], kind["max"])
    return {"direction": NO_BEST_END.format(kind["best"])} if inside else {}


def _uncertainty(cell: dict, method: str) -> dict[str, Any]:
    bounds = [cell["ci_low"], cell["ci_high"]]
    if any(pd.isna(bound) or not math.isfinite(bound) for bound in bounds):
        return {}
    interval = {"lower": float(bounds[0]), "upper": float(bounds[1])}
    interval |= {"confidence_level": 0.95, "method": method}
    number = {"num_samples": int(cell["n"])} if pd.notna(cell["n"]) else {}
    return {"confidence_interval": interval} | number


def _source_data(score: Score, facts: dict) -> dict[str, Any]:
    origin = {"sources": score.cell["sources"], "fidelity": score.cell["fidelity"]}
    data = {"dataset_name": facts["title"], "additional_details": origin}
    if "hub" not in facts:
        return {"source_type": "other", **data}
    split = {"hf_split": score.split} if score.split else {}
    return {"source_type": "hf_dataset", "hf_repo": facts["hub"], **split, **data}


def _sample_lines(scores: list[Score], identity: str, samples: Samples) -> Iterator[str]:
    """The items behind those scores that are means over items, a line each."""
    for score in scores:
        for item in samples.behind(score):
            line = {
                "schema_version": VERSION,
                "evaluation_id": identity,
                "model_id": score.model.id,
                "evaluation_name": f"{score.benchmark}, {score.task}",
                "evaluation_result_id": score.address,
                **item,
            }
            yield json.dumps(line, ensure_ascii=False)
