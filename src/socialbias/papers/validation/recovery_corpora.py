"""Recovery over corpora and trainings: what text and vectors say of what is planted many times.

`recovery` has what two small models, trained once on one corpus, say of it. Here corpora are
written anew, with the same truth and an order of the targets' frequencies of their own, and vectors
are trained several times on each: how a measure's numbers scatter is seen, and how often its test
is wrong. Corpora are independent, trainings on one of them are not: intervals are over corpora.

The evidence is that of `recovery` with the columns `corpus` and `training`, both from 0. The text
measure, which trains nothing, has the training 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from socialbias.embeddings.options import TRAINING, Options
from socialbias.papers.validation.planted_corpus import write
from socialbias.papers.validation.planted_design import DIRECT, NULL, SECOND
from socialbias.papers.validation.recovery import (
    DESIGN,
    DIRECTED,
    MAGNITUDES,
    SIGNIFICANT,
    rowwise_slope,
    text_evidence,
    vector_evidence,
)
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.clustered import shares_of_counts
from socialbias.stats.controls import p_values
from socialbias.stats.correlation import spearman_rho
from socialbias.stats.draws import resampled_mean, widened
from socialbias.stats.intervals import percentile
from socialbias.stats.reliability import retest
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array
from socialbias.system.processes import in_processes

EVIDENCE = "evidence/validation/recovery_corpora"
CORPORA = "corpora"  # of this module, by which they are drawn
PREFIX = "word2vec"  # begins the names of measures
DIVISIONS = 199  # of the words of the groups, of which the own test takes p-values
PART = 16  # trainings that are kept if the job is killed
CONTROLS = 39  # the nearest in frequency: with a target itself 40, of which .05 is two
KINDS = (DIRECT, SECOND, NULL)
Unit = tuple[int, int]  # the numbers of a corpus, and of a training on it
UNITS = {"slope": "measured per planted", "spearman": "Spearman's rho"}
ENOUGH = (20, 3)  # corpora, and trainings on each
FEW = "based on {} (a paper run: {} by {}), so its interval is wide"
TRAINED_ONCE = (
    "each corpus has one training, and nothing says how another would differ: set "
    "trustworthy: {recovery: {trainings: 2}} or more"
)


def measure(job: Job) -> pd.DataFrame:
    """Text and all measures of vectors, on all corpora: on the job's cores, kept in parts."""
    measured = partial(one_training, job)
    sizes = [job.settings[f"trustworthy.recovery.{key}"] for key in ("corpora", "trainings")]
    units, parts = list(product(*map(range, sizes))), []
    for start in range(0, len(units), PART):
        part = units[start : start + PART]
        made = partial(in_processes, measured, part, job.cores)
        parts.append(job.part(f"trainings_{start}", lambda made=made: pd.concat(made())))
        job.say(f"planted: {start + len(part)} of {len(units)} trainings")
    return pd.concat(parts, ignore_index=True)


def one_training(job: Job, unit: Unit) -> pd.DataFrame:
    """Return the evidence of one training on one corpus, of its first also that of the text."""
    # Training is for this one function: whatever else uses the module need not load it.
    from socialbias.embeddings.train import train

    corpus, training = unit
    rng = generator(job.seed, "recovery", CORPORA, corpus)
    design = DESIGN.reordered(rng)  # each corpus has frequencies of its own
    written = write(design, job.settings["trustworthy.recovery.corpus_tokens"], rng).prepared()
    seed = int(generator(job.seed, "recovery", CORPORA, *unit).integers(2**31))
    # In a small corpus a target may be rare; it has a vector all the same. Associations of second
    # order need as many negative samples as the paper run has, whatever other vectors have.
    options = {"min_count": 1, "negative": job.settings["trustworthy.recovery.negative"]}
    options |= {key: job.settings[f"bad_seeds.{key}"] for key in TRAINING if key not in options}
    model = train(
        written, np.arange(written.size), Options(**options), seed, name="planted", log=job.say
    )
    vectors, names = model.vectors, [*DIRECTED, *MAGNITUDES]
    parts = [vector_evidence(vectors, design, PREFIX, names, DIVISIONS, job.seed)]
    if training == 0:
        parts.append(text_evidence(written, design, job.level, "text"))
    return pd.concat(parts).assign(corpus=corpus, training=training)


# --- values -----------------------------------------------------------------------------------


def values(evidence: pd.DataFrame, job: Job) -> list[dict]:
    """Return what each measure recovers, on average over corpora, with intervals over corpora.

    Targets of `alarms` are called biased by the measure's own test, those of `corrected` by the
    test of that name.
    """
    records = []
    for measure, table in evidence.groupby("measure", sort=False):
        signed = measure.removeprefix(f"{PREFIX} ") not in MAGNITUDES
        table = table.assign(corrected=corrected(table, signed))
        rows = []
        for kind in KINDS:
            part = table[(table["kind"] == kind) & table["measured"].notna()]
            if kind != NULL:
                rows += _curves(measure, kind, part, job)
            rows += _shares(measure, kind, part, job.level)
        rows += _retests(measure, table, job)
        trains = measure.startswith(PREFIX)
        records += [marked(record, table, trains) for record in rows]
    records = [record for record in records if not np.isnan(record["value"])]
    trainings = evidence.groupby("measure", sort=False)["training"].nunique()
    once = [name for name, n in trainings.items() if name.startswith(PREFIX) and n == 1]
    return records + [value(name, "retest@trainings", np.nan, note=TRAINED_ONCE) for name in once]


def resampled(by_corpus: pd.Series, seed: int) -> Array:
    """Return the mean over resampled corpora, (DRAWS,), as wide as Student's interval."""
    names = [f"planted corpus {corpus}" for corpus in by_corpus.index]
    numbers = by_corpus.to_numpy(float)
    return widened(resampled_mean(numbers, names, seed), numbers.mean(), len(names))


def marked(record: dict, table: pd.DataFrame, trains: bool) -> dict:
    """Return the record, marked if it has fewer corpora or trainings than a paper run."""
    corpora, trainings = table["corpus"].nunique(), table["training"].nunique()
    if corpora >= ENOUGH[0] and (trainings >= ENOUGH[1] or not trains):
        return record
    counted = f"{corpora} corpora" + f" by {trainings} training(s)" * trains
    return record | {"weak": FEW.format(counted, *ENOUGH)}


def corrected(table: pd.DataFrame, signed: bool) -> Array:
    """Return whether each target is called biased by a test that knows how the measure scatters.

    A measure's own test takes the corpus and the training as given. Here its numbers are compared
    with those of controls, targets without an association, on other corpora, in all trainings.
    Numbers of rare words scatter more, so the controls are the nearest in frequency.

    Returns:
        (n,); NaN where there is no number, or where no other corpus has controls.
    """
    flags = np.full(len(table), np.nan)
    rows = table.reset_index(drop=True)
    null = rows[rows["kind"] == NULL]
    if null.empty:
        return flags
    controls = null.pivot(
        index=["corpus", "target"], columns="training", values=["measured", "frequency"]
    )
    numbers = controls["measured"].to_numpy(float)
    frequency = np.log(controls["frequency"].max(axis=1).to_numpy(float))
    of_corpus = controls.index.get_level_values("corpus")
    for (corpus, _), target in rows.groupby(["corpus", "target"]):
        away = np.abs(frequency - np.log(target["frequency"].iloc[0]))
        elsewhere = np.flatnonzero(of_corpus != corpus)
        near = elsewhere[np.argsort(away[elsewhere], kind="stable")[:CONTROLS]]
        if len(near):
            p = p_values(target["measured"], numbers[near].ravel(), signed)
            flags[target.index] = np.where(np.isnan(p), np.nan, p <= SIGNIFICANT)
    return flags


def _curves(measure: str, kind: str, part: pd.DataFrame, job: Job) -> Iterator[dict]:
    """Means over corpora, and in each over trainings, of numbers that each training has."""
    rows = []
    for (corpus, _), targets in part.groupby(["corpus", "training"]):
        x, y = targets["truth"].to_numpy(float), targets["measured"].to_numpy(float)
        rows.append((corpus, rowwise_slope(x[None], y[None])[0], spearman_rho(x, y)))
    means = pd.DataFrame(rows, columns=["corpus", *UNITS]).groupby("corpus").mean()
    for column, unit in UNITS.items():
        by_corpus = means[column].dropna()
        if len(by_corpus):
            draws = resampled(by_corpus, job.seed)
            fields = {"n": len(by_corpus), "n_unit": "corpora", "unit": unit, "draws": draws}
            cell = (measure, f"{column}@{kind}", float(by_corpus.mean()))
            yield value(*cell, interval=percentile(draws, job.level), **fields)


def _shares(measure: str, kind: str, part: pd.DataFrame, level: float) -> Iterator[dict]:
    """Shares of targets that are called biased; corpora are clusters."""
    for column, flags in (("alarms", part["flagged"]), ("corrected", part["corrected"])):
        known = flags.dropna().astype(float)
        by_corpus = known.groupby(part["corpus"]).agg(["sum", "count"]).to_numpy()
        if not len(by_corpus):
            continue
        counts = np.column_stack([by_corpus[:, 0], by_corpus[:, 1] - by_corpus[:, 0]])
        shares = shares_of_counts(counts, np.zeros(len(counts), int), 1, level)
        ends = shares.low[0, 0], shares.high[0, 0]
        fields = {"interval": ends, "unit": "share of targets", "n": len(counts)}
        fields |= {"n_unit": "corpora"}
        yield value(measure, f"{column}@{kind}", float(shares.share[0, 0]), **fields)


def _retests(measure: str, table: pd.DataFrame, job: Job) -> list[dict]:
    """Reliability of one training by another, over corpora, and of one corpus by another."""
    grids = {
        corpus: rows.pivot(index="target", columns="training", values="measured")
        for corpus, rows in table.groupby("corpus")
    }
    records, units = [], {"n_unit": "corpora", "unit": "reliability"}
    again = pd.Series({c: retest(g.to_numpy(), job.level).value for c, g in grids.items()}).dropna()
    if len(again):
        ends = percentile(resampled(again, job.seed), job.level)
        cell = (measure, "retest@trainings", float(again.mean()))
        records.append(value(*cell, interval=ends, n=len(again), **units))
    first = pd.concat({corpus: grid[0] for corpus, grid in grids.items()}, axis=1)
    result = retest(first.to_numpy(), job.level)
    cell, ends = (measure, "retest@corpora", result.value), (result.low, result.high)
    return [*records, value(*cell, interval=ends, n=first.shape[1], **units)]


def summarise(job: Job) -> list[dict]:
    """Return all cells."""
    return values(job.table(EVIDENCE), job)
