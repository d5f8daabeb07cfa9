"""What the artefacts of this paper read: vectors and employment, each with its source."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from socialbias.corpora.prepared import Corpus
from socialbias.datasets.census import GENDER, RACE, professions, read_shares
from socialbias.embeddings.vectors import WordVectors
from socialbias.sources.fidelity import worst_fidelity
from socialbias.sources.manifest import read_manifest

EMBEDDINGS = ("word2vec", "word2vec_names", "glove", "word2vec_surnames")
EMBEDDINGS += ("gn_glove", "gn_glove_baseline")


@dataclass(frozen=True)
class Input:
    """Data with where it is from.

    Attributes:
        data: Word vectors, a reduction, a corpus, or a table such as shares of groups by
            profession.
        source: Id in the source registry.
        fidelity: How near the source is to what the paper used.
    """

    data: WordVectors | pd.DataFrame | Corpus | Reduction
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


# The tables of evidence that values are made of, and the texts and models that they rest on.
RESTS_ON = {
    "wikipedia": ("wikipedia",),
    "webtext": ("webtext",),
    "samples": ("samples",),
    "probe_bert": ("bert", "wikipedia"),
    "probe_gpt2": ("gpt2", "webtext"),
    "reduction": ("bert", "wikipedia"),
}


def resting_on(names: Sequence[str], about: Mapping[str, Mapping]) -> tuple[str, str]:
    """Sources, joined, and the worst fidelity of these texts and models.

    Args:
        names: Such as `wikipedia` and `bert`.
        about: By name, `source` and `fidelity`.
    """
    sources = dict.fromkeys(about[name]["source"] for name in names)
    return "; ".join(sources), worst_fidelity([about[name]["fidelity"] for name in names])


@dataclass(frozen=True)
class Reduction:
    """Contextualised representations reduced to one vector a word.

    Attributes:
        vectors: n words.
        counts: (n,) sentences behind each vector; 0 where the word was embedded alone.
        resampled: (draws, n, width) the vectors from resampled documents.
    """

    vectors: WordVectors
    counts: np.ndarray
    resampled: np.ndarray


def read_reduction(inputs: Mapping[str, str], about: Mapping[str, Mapping]) -> Input | None:
    """The reduction among a rule's named inputs, where there is one.

    Args:
        inputs: Paths by name; `reduction` is the `info.json` beside the vectors.
        about: By text or model, `source` and `fidelity`.
    """
    if "reduction" not in inputs:
        return None
    folder = Path(inputs["reduction"]).parent
    found = Reduction(
        WordVectors.load(folder),
        np.load(folder / "counts.npy"),
        np.load(folder / "resampled.npy", mmap_mode="r"),
    )
    return Input(found, *resting_on(RESTS_ON["reduction"], about))


def read_tables(inputs: Mapping[str, str], about: Mapping[str, Mapping]) -> dict[str, Input]:
    """The evidence of texts and probes among a rule's named inputs.

    Args:
        inputs: Paths by name; those in `RESTS_ON` but the reduction are parquet files.
        about: By text or model, `source` and `fidelity`.
    """
    return {
        name: Input(pd.read_parquet(inputs[name]), *resting_on(names, about))
        for name, names in RESTS_ON.items()
        if name in inputs and name != "reduction"
    }


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


def text_targets(lists: Mapping, inputs: Mapping[str, str]) -> list[str]:
    """The words whose bias in text is measured: the eight, and every profession of one word.

    Args:
        lists: This paper's word lists.
        inputs: Paths by name; `census_gender`, where it is there, is a source's manifest.
    """
    words = {*lists["table3_targets"], *lists["professions"], *census_words(inputs)}
    return sorted(word for word in words if " " not in word)


def census_words(inputs: Mapping[str, str]) -> list[str]:
    """The professions of one word in the census; [] where there is none.

    Args:
        inputs: Paths by name; `census_gender`, where it is there, is a source's manifest.
    """
    if "census_gender" not in inputs:
        return []
    words = professions(*read_manifest(Path(inputs["census_gender"])))
    return sorted(word for word in words if " " not in word)


def concat(parts: list[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    """The parts that have rows below each other, in these columns."""
    filled = [part[columns] for part in parts if len(part)]
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(columns=columns)
