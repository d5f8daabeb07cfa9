"""Tables 4 to 8: language modelling, stereotype and idealized CAT score of each model.

Beside them stand Table 2, how many stereotypes and anti-stereotypes a sentiment classifier calls
negative, and CrowS-Pairs by StereoSet's scorers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import combinations, product

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from socialbias.measures.datasets.crows_pairs import read_pairs
from socialbias.measures.datasets.stereoset import TASKS
from socialbias.measures.stereoset import (
    CANDIDATES,
    Score,
    of_one_term,
    preferred_share,
    summary,
    term_scores,
)
from socialbias.papers.evidence import estimated
from socialbias.papers.stereoset.controls import CONTROLS, counts_of, frequency
from socialbias.papers.stereoset.items import (
    DEVELOPMENT,
    ITEM,
    LIKELIHOOD,
    PSEUDO,
    PUBLISHED,
    SHORT,
    TEST,
    wide,
)
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact, value
from socialbias.sources.manifest import only_file, read_manifest
from socialbias.stats.draws import resampled_mean, widened
from socialbias.stats.intervals import percentile

EVIDENCE = "evidence/stereoset/"
INTRA, INTER = TASKS
TOGETHER, APART = {"": {*TASKS}}, {short: {task} for short, task in SHORT.items()}
# The ensemble of section 7: the weight of each member by task. Print calls it a linear weighted
# combination and gives no weights: with these the released scores of the ensemble are those of its
# released members.
WEIGHTS = {
    "intrasentence": {"bert-large": 1.0, "gpt2-medium": 10_000.0, "gpt2-large": 10_000.0},
    "intersentence": {"bert-large": 35.0, "gpt2-medium": 15.0, "gpt2-large": 15.0},
}
MEMBERS = tuple(WEIGHTS["intrasentence"])
NO_HEAD = "this model has no next-sentence classifier: see its pseudo-likelihood, Table 7"


def table4(job: Job) -> Iterator[dict]:
    """Likelihood scoring, both tasks together."""
    return of_models(job, LIKELIHOOD, TOGETHER)


def table5(job: Job) -> Iterator[dict]:
    """Pseudo-likelihood scoring, both tasks together."""
    return of_models(job, PSEUDO, TOGETHER)


def table6(job: Job) -> Iterator[dict]:
    """Likelihood scoring, task by task; ss on parts of the items too."""
    items = f"{EVIDENCE}items"
    return of_models(job, LIKELIHOOD, APART, parts_of(job.table(items)) if items in job else None)


def table7(job: Job) -> Iterator[dict]:
    """Pseudo-likelihood scoring, task by task."""
    return of_models(job, PSEUDO, APART)


def of_models(
    job: Job, scheme: str, tasks: Mapping[str, set[str]], parts: pd.DataFrame | None = None
) -> Iterator[dict]:
    """Yield the scores of each model over tasks together, or apart, by what rows begin with.

    Over both tasks, a term's scores are over the items of both (the released code).
    """
    for (model, split, scores), (short, wanted) in product(scores_of(job, scheme), tasks.items()):
        row, own = f"{short} {model}".strip(), scores[scores["task"].isin(wanted)]
        if {*own["task"]} == wanted:
            yield from cells(job, own, row, split)
            for part in () if parts is None else parts.columns:
                some = own[parts[part].loc[own["item"]].to_numpy()]
                for record in cells(job, some, row, split) if len(some) else ():
                    if record["column"] == f"ss@{split}":
                        yield record | {"column": f"ss-{part}@{split}"}
        elif (
            scheme == LIKELIHOOD
            and model not in PUBLISHED
            and INTER in wanted
            and {*scores["task"]} == {INTRA}
        ):  # a masked model of a user's own, without a next-sentence classifier
            for name in ("lms", "ss", "icat"):
                yield value(row, f"{name}@{split}", np.nan, note=NO_HEAD)


def parts_of(items: pd.DataFrame) -> pd.DataFrame:
    """Return which items are pairs that differ in one word, and on which all annotators agree."""
    texts = wide(items, "sentence").set_index("item")
    texts = texts[["stereotype", "anti-stereotype"]].map(str.split)
    pairs = zip(texts["stereotype"], texts["anti-stereotype"], strict=True)
    minimal = [
        len(first) == len(second) and sum(a != b for a, b in zip(first, second, strict=True)) == 1
        for first, second in pairs
    ]
    kept = items[items["gold"] != "unrelated"]
    alike = [set(labels) == {gold} for labels, gold in kept[["labels", "gold"]].to_numpy()]
    agreed = pd.Series(alike, index=kept["item"]).groupby(level=0).all()
    return pd.DataFrame({"minimal": minimal, "agreed": agreed.loc[texts.index]}, index=texts.index)


def scores_of(job: Job, scheme: str) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Row, split and scores of each model by one scheme.

    Of a row's scores in a split, released ones come before recomputed ones, which are compared
    with them elsewhere.
    """
    scores = all_scores(job)
    scores = scores[scores["scheme"].isin([scheme, ""])]
    scores = scores.drop_duplicates(["row", "split", "item"])
    if scheme == LIKELIHOOD:
        scores = with_ensemble(scores)
    for (row, split), part in scores.groupby(["row", "split"], sort=False):
        yield row, split, part


def all_scores(job: Job) -> pd.DataFrame:
    """Return the scores of every scorer that a job reads, released ones first."""
    names = sorted(job.below(EVIDENCE), key=lambda name: name != "predictions")
    tables = {name: job.table(f"{EVIDENCE}{name}") for name in names if name != "items"}
    if "sentiment" in tables:  # the development split has the released scores, or none
        tables["sentiment"] = tables["sentiment"][tables["sentiment"]["split"] == TEST]
    if not tables:
        return pd.DataFrame(columns=[*ITEM, "row", "scheme", *CANDIDATES])
    return pd.concat(tables.values(), ignore_index=True)


def with_ensemble(scores: pd.DataFrame) -> pd.DataFrame:
    """Scores with those of the ensemble where it has none and its members have."""
    added = []
    for (_, task), part in scores.groupby(["split", "task"], sort=False):
        own = {row: table.set_index("item") for row, table in part.groupby("row")}
        if "ensemble" in own or not own.keys() >= set(MEMBERS):
            continue
        first, *others = (own[name] for name in MEMBERS)
        common = first.index[np.all([first.index.isin(other.index) for other in others], axis=0)]
        by_member = {name: own[name].loc[common, list(CANDIDATES)] for name in MEMBERS}
        table = first.loc[common].reset_index().assign(row="ensemble")
        table[list(CANDIDATES)] = combined(by_member, task)
        added.append(table)
    return pd.concat([scores, *added], ignore_index=True)


def combined(scores: Mapping[str, ArrayLike], task: str) -> NDArray[np.float64]:
    """Return the ensemble's scores, (n, 3).

    For each two candidates of an item, each member gives the one that it prefers its weight times
    that one's score; where it prefers neither, nothing.
    """
    total = 0.0
    for member, weight in WEIGHTS[task].items():
        own = np.asarray(scores[member], float)
        won = np.zeros_like(own)
        for first, second in combinations(range(len(CANDIDATES)), 2):
            won[:, first] += own[:, first] > own[:, second]
            won[:, second] += own[:, second] > own[:, first]
        total = total + weight * won * own
    return total


def cells(job: Job, scores: pd.DataFrame, row: str, variant: str = "") -> list[dict]:
    """Return the three numbers of one row."""
    # A control often cannot tell two candidates apart; a model's scores tie by rounding alone.
    ties = "left out" if scores["row"].iloc[0] in CONTROLS else "anti-stereotype"
    by_term = term_scores(scores[list(CANDIDATES)], scores["target"].tolist(), ties)
    fields = unit_of(scores) | {"n": len(by_term.terms), "n_unit": "terms"}
    return [
        record(row, f"{name}@{variant}" if variant else name, score, **fields)
        for name, score in summary(by_term, job.seed).items()
        if not np.isnan(score.value)  # a control that tells no two candidates apart
    ]


def unit_of(scores: pd.DataFrame) -> dict:
    """Return the unit of numbers of some scores, and a note of how many items they are from."""
    return {"unit": "percent", "note": f"{len(scores):,} items"}


def record(row: str, column: str, score: Score, **fields) -> dict:
    """Return one number with its interval and draws."""
    return value(row, column, score.value, **estimated(score), **fields)


TABLE8_TERMS = {  # in the paper's order: the most biased, the least biased
    "gender": ("mother", "grandfather"),
    "profession": ("software developer", "producer"),
    "race": ("african", "crimean"),
    "religion": ("bible", "muslim"),
}


def table8(job: Job) -> Iterator[dict]:
    """Yield the scores of domains and of named terms, and the terms' places in their domain."""
    for row, split, scores in scores_of(job, LIKELIHOOD):
        if row != "ensemble":
            continue
        for domain, part in scores.groupby("domain"):
            yield from cells(job, part, domain if split == TEST else f"{domain} {DEVELOPMENT}")
            if split != DEVELOPMENT:
                continue
            names = part["target"].str.lower()  # as print has them
            by_term = term_scores(part[list(CANDIDATES)], names.tolist())
            distances = np.abs(by_term.ss - 50)
            for term in TABLE8_TERMS[domain]:
                term_row, own = f"{domain} {term}", part[names == term]
                fields = unit_of(own) | {"n": len(own), "n_unit": "items"}
                for name, score in of_one_term(own[list(CANDIDATES)], job.seed, term).items():
                    yield record(term_row, name, score, **fields)
                fields |= {"n": len(by_term.terms), "n_unit": "terms", "unit": "terms"}
                distance = distances[by_term.terms.index(term)]
                yield exact(term_row, "farther", (distances > distance).sum(), **fields)
                yield exact(term_row, "nearer", (distances < distance).sum(), **fields)


# By variant, the evidence. The released predictions are of the development split alone.
CLASSIFIED = {"run": "evidence/stereoset/sentiment", "released": "evidence/stereoset/predictions"}
CLASSIFIER = "sentiment"  # the row of both


def table2(job: Job) -> Iterator[dict]:
    """Yield Table 2's cells of the classifiers at hand.

    A sentence is negative where the probability of that is above one half, else positive: there is
    no third class, so that neutral sentences are one or the other (appendix A.2). Intervals and
    draws are over target terms.
    """
    classified = {variant: job.table(name) for variant, name in CLASSIFIED.items() if name in job}
    for (variant, table), short, kind in product(classified.items(), ("", *SHORT), CANDIDATES):
        part = table[table["row"] == CLASSIFIER]
        part = part[part["task"] == SHORT[short]] if short else part
        if part.empty:
            continue
        note = ""
        if "accuracy" in part:
            first = part.iloc[0]
            note = f"{first['accuracy']:.1%} of {first['held_out']:,} held-out reviews are right"
        row, negative = f"{short} {kind}".strip(), part[kind] > 0.5
        counts = negative.groupby(part["target"]).agg(["sum", "size"]).sort_index()
        sums, sizes = (
            resampled_mean(counts[name].to_numpy(float), list(counts.index), job.seed)
            for name in ("sum", "size")
        )
        share, n = 100 * float(negative.mean()), len(negative)
        drawn = np.clip(widened(100 * sums / sizes, share, len(counts)), 0, 100)
        facts = {"n": n, "n_of": n, "n_unit": "sentences", "unit": "percent", "note": note}
        for column, number, draws in (
            (f"negative_percent@{variant}", share, drawn),
            (f"positive_percent@{variant}", 100 - share, 100 - drawn),
        ):
            yield value(row, column, number, interval=percentile(draws), draws=draws, **facts)


CROWS = "crows-pairs"  # the task, and the split


def crows_pairs_of(job: Job) -> pd.DataFrame:
    """Return the pairs among a job's inputs, as `as_crows_pairs` gives them."""
    return as_crows_pairs(read_pairs(only_file(*read_manifest(job.path("crows_pairs")))))


def as_crows_pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    """Pairs as items with two candidates."""
    return pd.DataFrame(
        {
            "split": CROWS,
            "task": CROWS,
            "item": [f"pair {number}" for number in pairs.index],
            "target": pairs["bias_type"].to_numpy(),
            "domain": pairs["bias_type"].to_numpy(),
            "stereotype": pairs["sent_more"].to_numpy(),
            "anti-stereotype": pairs["sent_less"].to_numpy(),
        }
    )


def crows_controls(job: Job) -> pd.DataFrame:
    """Scores of the pairs by their lengths and by the frequency of their words."""
    pairs = crows_pairs_of(job)
    texts = pairs[["stereotype", "anti-stereotype"]]
    parts = [pairs.assign(row="longer", **texts.map(len).astype(float))]
    if "prepared/wikitext" in job:
        means = texts.map(partial(frequency, counts=counts_of(job)))
        parts.append(pairs.assign(row="frequency", **means))
    table = pd.concat(parts, ignore_index=True)
    return table.assign(scheme="", unrelated=np.nan)


def summarise_crows_pairs(job: Job) -> Iterator[dict]:
    """Yield the share of untied pairs in which the more stereotyping sentence is preferred."""
    scores = all_scores(job)
    scores = scores[(scores["split"] == CROWS) & scores["scheme"].isin([PSEUDO, ""])]
    for row, part in scores.groupby("row", sort=False):
        untied = part[part["stereotype"] != part["anti-stereotype"]]
        for kind, pairs in [("all", untied), *untied.groupby("domain")] if len(untied) else ():
            yield share_of_pairs(job, pairs, row, kind)


def share_of_pairs(job: Job, scores: pd.DataFrame, row: str, column: str) -> dict:
    """Return one share of pairs without ties, with an interval by bootstrap over pairs."""
    items = scores["item"].tolist()
    share = preferred_share(scores["stereotype"] > scores["anti-stereotype"], items, job.seed)
    return record(row, column, share, n=len(items), n_unit="contexts", unit="percent")
