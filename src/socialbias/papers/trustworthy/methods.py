"""The debiasing methods of Table 7, put together from the word lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from socialbias.datasets.debias_lists import read_pairs, read_words
from socialbias.datasets.parsing import read_json
from socialbias.papers.inputs import read_vectors
from socialbias.papers.trustworthy.inputs import first_gender_list
from socialbias.papers.trustworthy.table7 import Method, evidence
from socialbias.pipeline.job import Job
from socialbias.sources.manifest import read_manifest


def methods(
    lists: Mapping, debiasing: Mapping, bolukbasi: tuple[list, list] | None, variant: str
) -> list[Method]:
    """Return the rows of Table 7 that debias word2vec.

    `bolukbasi`: pairs to equalize, and words that are about gender by definition.
    """
    gender = lists["gender"][variant]
    printed = {
        "gender": [gender["female"], gender["male"]],
        "race": [lists["race"][group] for group in ("white", "hispanic", "asian")],
    }
    professions, rows = {"professions": lists["professions"]}, []
    if bolukbasi is not None:
        pairs = debiasing["bolukbasi"]["pairs"]
        words = {"default lists": printed["gender"], "method's lists": _groups(pairs)}
        equal, keep = bolukbasi
        row = "word2vec hard-bolukbasi gender"
        rows.append(Method(row, pairs, equal, keep, False, words, professions, projection=True))
    for attribute, entry in debiasing["manzini"].items():
        sets, own = entry["sets"], _groups(entry["sets"])
        words = {"default lists": printed.get(attribute, own), "method's lists": own}
        targets = professions | {"stereotyped words": entry["targets"]}
        for kind in ("soft", "hard"):
            row = f"word2vec {kind}-manzini {attribute}"
            rows.append(Method(row, sets, sets, (), kind == "soft", words, targets))
    return rows


def _groups(sets: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return sets with a word a group, as the words of each group."""
    return [list(dict.fromkeys(words)) for words in zip(*sets, strict=True)]


def measure(job: Job) -> pd.DataFrame:
    """Return the evidence of Table 7."""
    lists, debiasing = job.word_lists("trustworthy"), job.word_lists("debiasing")
    variant, _ = first_gender_list(job)
    bolukbasi = None
    if "bolukbasi_lists" in job:
        folder, manifest = read_manifest(job.path("bolukbasi_lists"))
        if "bolukbasi.json" in {file["path"] for file in manifest["files"]}:  # of a package
            read = read_json(folder / "bolukbasi.json")["gender"]
            bolukbasi = read["equalize_pairs"], read["specific_full"]
        else:
            equal = [list(pair) for pair in read_pairs(folder / "equalize_pairs.json")]
            bolukbasi = equal, list(read_words(folder / "gender_specific_full.json"))
    vectors, aligned = read_vectors(job, "vocabulary"), read_vectors(job, "lists")
    published = {}
    if {"gn_glove", "gn_glove_baseline"} <= aligned.keys():
        # Of Gender-neutral GloVe (Zhao et al. 2018) the vectors are published. Print does not say
        # which metric it aims at; as for Bolukbasi et al., the projection is measured.
        gender = [lists["gender"][variant][group] for group in ("female", "male")]
        words = {"default lists": gender, "method's lists": gender}
        targets, row = {"professions": lists["professions"]}, "glove gn-glove gender"
        method = Method(row, (), (), (), False, words, targets, projection=True)
        published[method.row] = (method, aligned["gn_glove_baseline"], aligned["gn_glove"])
    rows = methods(lists, debiasing, bolukbasi, variant)
    return evidence(vectors.get("word2vec"), rows, published, job.level)
