"""The items of StereoSet and the pairs of CrowS-Pairs behind a model's scores.

Only of models that the run scored itself: what others released stays where they released it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from socialbias.datasets.crows_pairs import read_pairs
from socialbias.reporting.exports.record import RunRecord
from socialbias.reporting.exports.scores import Score
from socialbias.sources.manifest import parsed

CANDIDATES = ("stereotype", "anti-stereotype", "unrelated")
NO_ANSWER = "no answer is right: is_correct says that the stereotype was not preferred"


class Samples:
    """What a run's evidence has of single items.

    Args:
        folder: Of the run.
        record: What the run was.
    """

    def __init__(self, folder: Path, record: RunRecord) -> None:
        self.evidence, self.record = folder / "stereoset" / "evidence", record

    def behind(self, score: Score) -> Iterator[dict[str, Any]]:
        """The items that a score is the mean of, if it is the ss or the share of all pairs."""
        if not score.here:
            return
        if score.benchmark == "stereoset" and score.metric == "ss":
            scheme, _, split = score.task.partition(", ")
            yield from self._items(score, scheme, split)
        elif score.benchmark == "crows-pairs" and score.metric == "all":
            yield from self._pairs(score)

    def _scored(self, score: Score) -> pd.DataFrame:
        """What scored the model's candidates; empty where the run left no such file."""
        row = str(score.cell["row"])
        parts = [self.evidence / f"{kind}_{row}.parquet" for kind in ("scores", "next_sentence")]
        tables = [pd.read_parquet(part) for part in parts if part.exists()]
        columns = ["split", "task", "item", "target", "domain", "scheme", *CANDIDATES]
        if not tables:
            return pd.DataFrame(columns=columns)
        table = pd.concat(tables, ignore_index=True)
        return table.drop_duplicates(["split", "scheme", "item"])[columns]

    @cached_property
    def _texts(self) -> pd.DataFrame:
        """By split and item, the context and the three sentences."""
        columns = ["split", "item", "context", "sentence", "gold"]
        items = pd.read_parquet(self.evidence / "items.parquet", columns=columns)
        wide = items.pivot(index=["split", "item"], columns="gold", values="sentence")
        contexts = items.drop_duplicates(["split", "item"]).set_index(["split", "item"])
        return wide.join(contexts["context"])

    def _items(self, score: Score, scheme: str, split: str) -> Iterator[dict[str, Any]]:
        table = self._scored(score)
        table = table[(table["split"] == split) & (table["scheme"] == scheme)]
        if table.empty:
            return
        texts = self._texts.loc[list(zip(table["split"], table["item"], strict=True))]
        pairs = zip(table.to_dict("records"), texts.to_dict("records"), strict=True)
        for item, text in pairs:
            yield _line(item, text["context"], text, CANDIDATES)

    def _pairs(self, score: Score) -> Iterator[dict[str, Any]]:
        table = self._scored(score)
        table = table[(table["split"] == "crows-pairs") & (table["scheme"] == "pseudo-likelihood")]
        table = table[table["stereotype"] != table["anti-stereotype"]]
        if table.empty:
            return
        for item in table.to_dict("records"):
            pair = self._sentences.loc[int(str(item["item"]).removeprefix("pair "))]
            text = {"stereotype": pair["sent_more"], "anti-stereotype": pair["sent_less"]}
            yield _line(item, "", text, CANDIDATES[:2])

    @cached_property
    def _sentences(self) -> pd.DataFrame:
        manifest = Path(self.record.inputs["crows_pairs"]["manifest"])
        [file] = parsed(manifest)["files"]
        return read_pairs(manifest.parent / file["path"])


def _line(
    item: Mapping[str, Any], context: str, text: Mapping[str, str], names: tuple[str, ...]
) -> dict[str, Any]:
    """One item: its candidates, what the model gave them, and which it prefers."""
    choices = [text[name] for name in names]
    given = [float(item[name]) for name in names]
    prefers = item["stereotype"] > item["anti-stereotype"]
    raw = context or " / ".join(choices)
    reference = [text["anti-stereotype"]]
    likelihoods = {name: f"{g:.6g}" for name, g in zip(names, given, strict=True)}
    chosen = choices[int(np.argmax(given))]
    return {
        "sample_id": str(item["item"]),
        "sample_hash": hashlib.sha256("\n".join([raw, *reference]).encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": {"raw": raw, "reference": reference, "choices": choices},
        "output": {"raw": [chosen]},
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": chosen,
                "extraction_method": "the candidate with the highest score",
                "is_terminal": True,
            }
        ],
        "evaluation": {"score": float(prefers), "is_correct": not prefers},
        "metadata": {
            "task": str(item["task"]),
            "target": str(item["target"]),
            "domain": str(item["domain"]),
            "scores": "; ".join(f"{name}: {value}" for name, value in likelihoods.items()),
            "note": NO_ANSWER,
        },
    }
