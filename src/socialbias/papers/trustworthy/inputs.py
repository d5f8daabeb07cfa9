"""What the artefacts of this paper read: vectors by decade, reductions, counts and employment."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from socialbias.embeddings.vectors import WordVectors
from socialbias.measures.datasets.census import GENDER, RACE, professions, read_shares
from socialbias.pipeline.job import Job
from socialbias.sources.manifest import read_manifest

DECADES = "vectors/decades"
REDUCTION = "representation/bert/given"
EVIDENCE = "evidence/trustworthy/"
EVERY = "*"  # in place of a target where contexts with a group are counted whatever they mention
# Evidence of texts and probes.
COUNTED = ("text_wikipedia", "text_webtext", "text_samples", "probe_bert", "probe_gpt2")


def gender_lists(job: Job) -> dict[str, dict[str, list[str]]]:
    """Return the words of each gender, by the variants of lists in the configuration."""
    lists = job.word_lists("trustworthy")["gender"]
    return {variant: lists[variant] for variant in job.settings["trustworthy.word_lists"]}


def first_gender_list(job: Job) -> tuple[str, dict[str, list[str]]]:
    """Return the first variant of the gender lists that the configuration names, and its words."""
    return next(iter(gender_lists(job).items()))


def group_lists(job: Job) -> dict[str, dict[str, list[str]]]:
    """Return the words of each group, by group set and variant: `gender@appendix` ..., `race`."""
    lists = {f"gender@{variant}": words for variant, words in gender_lists(job).items()}
    return lists | {"race": job.word_lists("trustworthy")["race"]}


def contexts_options(job: Job) -> dict:
    """Return which sentences make contexts, as keywords of `text.evidence`."""
    settings = job.settings
    windows = ("trustworthy.windows", "trustworthy.windows_table6")
    return {
        "shortest": settings["trustworthy.shortest"],
        "longest": settings["trustworthy.longest"],
        "windows": next(settings[key] for key in windows if key in settings),
        "keep_last": settings["trustworthy.last_window"],
    }


@dataclass(frozen=True)
class Reduction:
    """Contextualised representations reduced to one vector a word."""

    vectors: WordVectors  # n words
    counts: np.ndarray  # (n,) sentences behind each vector; 0 where the word was embedded alone
    resampled: np.ndarray  # (draws, n, width) the vectors from resampled documents


def read_reduction(job: Job) -> Reduction | None:
    """Return the encoder's reduction among a job's inputs; None where there is none."""
    if REDUCTION not in job:
        return None
    folder = job.path(REDUCTION).parent
    return Reduction(
        WordVectors.load(folder),
        np.load(folder / "counts.npy"),
        np.load(folder / "resampled.npy", mmap_mode="r"),
    )


def read_tables(job: Job) -> dict[str, pd.DataFrame]:
    """Return the evidence of texts and probes among a job's inputs, by name."""
    names = [name for name in job.below(EVIDENCE) if name in COUNTED]
    return {name.removeprefix("text_"): job.table(f"{EVIDENCE}{name}") for name in names}


def read_decades(job: Job) -> dict[int, WordVectors]:
    """Return the vectors by decade among a job's inputs; {} where there are none."""
    if DECADES not in job:
        return {}
    folder = job.path(DECADES)
    years = json.loads((folder / "info.json").read_text("utf-8"))["years"]
    return {year: WordVectors.load(folder / str(year)) for year in years}


def read_employment(job: Job, year: int) -> dict[str, pd.DataFrame]:
    """Shares of gender and race by profession among a job's inputs, by group set."""
    shares = {}
    for group_set, groups in (("gender", GENDER), ("race", RACE)):
        role = f"census_{group_set}"
        if role in job:
            shares[group_set] = read_shares(*read_manifest(job.path(role)), groups, year)
    return shares


def text_targets(lists: Mapping, census: list[str]) -> list[str]:
    """Return the words measured in text: the eight, and every profession of one word."""
    words = {*lists["table3_targets"], *lists["professions"], *census}
    return sorted(word for word in words if " " not in word)


def census_words(job: Job) -> list[str]:
    """Return the census professions of one word among a job's inputs; [] without a census."""
    if "census_gender" not in job:
        return []
    words = professions(*read_manifest(job.path("census_gender")))
    return sorted(word for word in words if " " not in word)
