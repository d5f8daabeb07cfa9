"""What the artefacts of this paper read: vectors and employment, each with its source."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from socialbias.census import GENDER, RACE, read_shares
from socialbias.embeddings.vectors import WordVectors
from socialbias.sources.manifest import read_manifest

EMBEDDINGS = ("word2vec", "word2vec_names", "glove", "word2vec_surnames")
EMBEDDINGS += ("gn_glove", "gn_glove_baseline")


@dataclass(frozen=True)
class Input:
    """Data with where it is from.

    Attributes:
        data: Word vectors, or shares of groups by profession.
        source: Id in the source registry.
        fidelity: How near the source is to what the paper used.
    """

    data: WordVectors | pd.DataFrame
    source: str
    fidelity: str


def read_embeddings(inputs: Mapping[str, str]) -> dict[str, Input]:
    """The aligned vectors among a rule's named inputs, by role.

    Args:
        inputs: Paths by name; those of the roles in `EMBEDDINGS` are the `info.json` beside the
            vectors.
    """
    embeddings = {}
    for role in EMBEDDINGS:
        if role in inputs:
            path = Path(inputs[role])
            info = json.loads(path.read_text("utf-8"))
            vectors = WordVectors.load(path.parent)
            embeddings[role] = Input(vectors, info["source"], info["fidelity"])
    return embeddings


def read_decades(inputs: Mapping[str, str]) -> dict[int, Input]:
    """The aligned vectors by decade among a rule's named inputs; {} where there are none.

    Args:
        inputs: Paths by name; `decades` is the `info.json` beside one folder a decade.
    """
    if "decades" not in inputs:
        return {}
    path = Path(inputs["decades"])
    info = json.loads(path.read_text("utf-8"))
    return {
        year: Input(WordVectors.load(path.parent / str(year)), info["source"], info["fidelity"])
        for year in info["years"]
    }


def read_employment(
    inputs: Mapping[str, str], year: int, fidelity: Mapping[str, str]
) -> dict[str, Input]:
    """Shares of gender and race by profession among a rule's named inputs, by group set.

    Args:
        inputs: Paths by name; `census_gender` and `census_race` are manifests of sources.
        year: Census year.
        fidelity: By role, how near the source is to the paper's.
    """
    shares = {}
    for group_set, groups in (("gender", GENDER), ("race", RACE)):
        if f"census_{group_set}" in inputs:
            folder, manifest = read_manifest(Path(inputs[f"census_{group_set}"]))
            table = read_shares(folder, manifest, groups, year)
            role = f"census_{group_set}"
            shares[group_set] = Input(table, manifest["source"], fidelity[role])
    return shares


def concat(parts: list[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    """The parts that have rows below each other, in these columns."""
    filled = [part[columns] for part in parts if len(part)]
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(columns=columns)
