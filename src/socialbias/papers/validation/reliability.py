"""How reliable the numbers of each measured table are, by what they are a sample of.

The estimates are those that stand beside the numbers themselves (`measurement.reliability`), here
with their intervals and all together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain

import numpy as np
import pandas as pd

from socialbias.measurement.reliability import retested
from socialbias.measurement.texts import FEWEST_CONTEXTS
from socialbias.measures.datasets.census import GENDER
from socialbias.papers.bad_seeds import figure2, table4
from socialbias.papers.bad_seeds.inputs import with_enough_seeds
from socialbias.papers.evidence import cells
from socialbias.papers.trustworthy import probes, professions, table3
from socialbias.papers.trustworthy.directed import directed
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.reliability import Reliability, of_bootstraps, retest

TRUSTWORTHY, BAD_SEEDS = "evidence/trustworthy/", "evidence/bad_seeds/"
PROBES = {"encoder": f"{TRUSTWORTHY}probe_bert", "gpt2": f"{TRUSTWORTHY}probe_gpt2"}
WORDS = "evidence/validation/matrix_words"
ALPHA, HALVES, RETEST, ANEW = "alpha", "split-half", "test-retest", "another-sample"


def record(
    row: str, column: str, result: Reliability, unit: str, whole: bool = False
) -> list[dict]:
    """Return a reliability as a value, not below 0, where it cannot truly be.

    [] where there is none.
    """
    if np.isnan(result.value):
        return []
    if result.high < 0:  # the noise is not of the kind that the estimate assumes
        result = replace(result, low=np.nan, high=np.nan)
    low, number, high = np.maximum([result.low, result.value, result.high], 0)
    fields = {"n": result.n, "n_unit": unit, "unit": "reliability", "whole": whole}
    return [value(row, column, number, interval=(low, high), **fields)]


def _variant(column: str) -> str:
    """Return the word list of a column: its variant, or that of race, which has one list."""
    base, _, variant = column.partition("@")
    return variant or base.partition("-")[2]


def of_cells(table: pd.DataFrame, prefix: str, things: str) -> Iterator[dict]:
    """Split halves that evidence has of its cells."""
    for row, column, units, facts in cells(table):
        halves = _read(facts, "reliability", units["unit"].nunique())
        kind = "@".join(filter(None, [HALVES, _variant(column)]))
        yield from record(f"{prefix} {row}", kind, halves, things, facts.get("whole", False))


def _read(facts: Mapping, name: str, n: int) -> Reliability:
    """Return a reliability among the facts of evidence; NaN where there is none."""
    numbers = (facts.get(f"{name}{end}", np.nan) for end in ("", "_low", "_high"))
    return Reliability(*numbers, n, 0)


def of_words(table: pd.DataFrame) -> Iterator[dict]:
    """Alpha of the words of each list."""
    for column, part in table.groupby("column"):
        facts = part.iloc[0]
        alpha = _read(
            facts, "alpha", len(part.pivot(index="unit", columns="row", values="bias").dropna())
        )
        yield from record(
            "table5 words", f"{ALPHA}@{_variant(column)}", alpha, "professions", facts["whole"]
        )


def of_models(table: pd.DataFrame, thing: str, number: str, how: str = "mean") -> pd.DataFrame:
    """Numbers of things in bootstrapped models: things by models, without those that lack one."""
    grid = table.pivot_table(index=thing, columns="model", values=number, aggfunc=how)
    return grid.dropna()


def grids_of_bad_seeds(name: str, table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Numbers of an artefact in bootstrapped models: seed sets or pairs by models."""
    kept = with_enough_seeds(table)
    if name == "table4":  # gathered pairs, which share a corpus
        gathered = kept[kept["kind"] == "gathered"]
        return {key: of_models(gathered, "row", each) for each, key in table4.MEASURES.items()}
    # Of Figure 2 seed sets, in each compared corpus and in the difference.
    parts = {corpus: part for corpus, part in kept.groupby("corpus") if corpus in figure2.CORPORA}
    grids = {key: of_models(part, "row", "cosine", "median") for key, part in parts.items()}
    if len(grids) == 2:
        first, second = (grids[corpus] for corpus in figure2.CORPORA)
        grids[figure2.DIFFERENCE] = (first - second).dropna(axis=1, how="all").dropna()
    return grids


def of_table3(table: pd.DataFrame, level: float) -> Iterator[dict]:
    """Table 3's eight professions: halves of the group words, and resampled words or documents."""
    resampled = retested(table3.values(table, level), level)
    for column, part in table.groupby("column"):
        base, _, variant = column.partition("@")
        kinds = {HALVES: _read(part.iloc[0], "reliability", part["row"].nunique())}
        if column in resampled:
            kinds[ANEW] = resampled[column][1]
        for kind, result in kinds.items():
            yield from record(f"table3 {base}", f"{kind}@{variant}", result, "professions")


def of_helm(table: pd.DataFrame, level: float) -> list[dict]:
    """HELM's variant of the text measure, of words with twenty documents, by halves of these."""
    bias = directed(table, level, "wikipedia")
    known = [word for word, n in zip(bias.targets, bias.n, strict=True) if n >= FEWEST_CONTEXTS]
    return record("helm wikipedia", HALVES, bias.of(known).reliability(level), "professions")


def probe_grids(evidence: pd.DataFrame, variant: str) -> dict[str, pd.DataFrame]:
    """Targets by trainings of the probe, which differ in the seed alone."""
    labelled = evidence[(evidence["kind"] == "given") & (evidence["variant"] == variant)]
    grids = {}
    for how in ("", "decisions"):
        by_seed = {
            seed: _female(probes.probe_counts(part, "given", variant, soft=not how))
            for seed, part in labelled.groupby("seed")
        }
        grids[how] = pd.DataFrame(by_seed).dropna()
    text = _female(probes.same_contexts(evidence, variant)["labels"])
    further = grids[""].sub(text, axis=0).mul(probes.trained_lean(evidence, variant), axis=0)
    return grids | {"amplification": further.dropna()}


def _female(counts: pd.DataFrame) -> pd.Series:
    """Return the share of women by target, less one half."""
    sums = counts.groupby("target", observed=True)[list(GENDER)].sum()
    return sums[GENDER[0]] / sums.sum(axis=1) - 0.5


def of_probes(job: Job) -> Iterator[dict]:
    """Test-retest of one training of a probe by another, of the same representations."""
    for name, path in PROBES.items():
        if path not in job:
            continue
        table = job.table(path)
        for how, grid in probe_grids(table, job.settings["trustworthy.word_lists"][0]).items():
            # Of GPT-2 alone text, representations and samples are compared.
            if how != "amplification" or name == "gpt2":
                result = retest(grid.to_numpy(float), job.level)
                yield from record(f"probe {name} {how}".strip(), RETEST, result, "targets")


def of_own_vectors(table: pd.DataFrame, level: float) -> list[dict]:
    """Lean of professions by mean cosines in the run's bootstrapped models of WikiText."""
    of_professions = (table["unit"] == "professions") & (table["trait"] == "gender")
    rows = table[of_professions & (table["how"] == "models")]
    if rows.empty:
        return []
    grid = rows.pivot(index="term", columns="item", values="number")
    return _retests("skip-gram mean cosines", grid, "professions", level)


def _retests(row: str, grid: pd.DataFrame, unit: str, level: float) -> list[dict]:
    """Test-retest of numbers over bootstrapped models (columns): of one model, and of the mean."""
    numbers = grid.to_numpy(float)
    anew = record(row, ANEW, of_bootstraps(numbers, level), unit)
    return record(row, RETEST, retest(numbers, level), unit) + anew


# What is read from one evidence alone: its table, the level -> records.
READERS: dict[str, Callable[[pd.DataFrame, float], Iterable[dict]]] = {
    f"{TRUSTWORTHY}table3": of_table3,
    f"{TRUSTWORTHY}table5": lambda table, _: chain(
        of_cells(table, "table5", "professions"), of_words(table)
    ),
    f"{TRUSTWORTHY}weat": lambda table, _: of_cells(table, "weat", "target words"),
    f"{TRUSTWORTHY}helm_wikipedia": of_helm,
    WORDS: of_own_vectors,
}


def summarise(job: Job) -> Iterator[dict]:
    """Yield all cells."""
    biases, employment = professions.read(job)
    if employment is not None:
        found = professions.reliabilities(biases, employment, job.level)
        for row, result in found.items():
            column = HALVES if biases[row].halves is not None else ANEW
            yield from record(f"professions {row}", column, result, "professions")
    for name in ("figure2", "table4"):
        path = f"{BAD_SEEDS}{name}"
        table = job.table(path) if path in job else pd.DataFrame()
        for key, grid in grids_of_bad_seeds(name, table).items() if len(table) else ():
            yield from _retests(f"{name} {key}", grid, "numbers", job.level)
    yield from of_probes(job)
    for name, of in READERS.items():
        table = job.table(name) if name in job else pd.DataFrame()
        if len(table):
            yield from of(table, job.level)
