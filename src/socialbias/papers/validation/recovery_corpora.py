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
    marked,
    mean_over_corpora,
    resampled,
    rowwise_slope,
    text_evidence,
    vector_evidence,
)
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.clustered import shares_of_counts
from socialbias.stats.controls import p_values
from socialbias.stats.correlation import spearman_rho
from socialbias.stats.intervals import percentile, student
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
UNITS = {
    "slope": "measured per planted",
    "spearman": "Spearman's rho",
    "bias": "measured minus planted",
    "rmse": "root mean square error",
}
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

    The `bias` of measures that estimate a share is measured less planted, along the side that a
    target leans to. `coverage` is that of the text measure's own interval, else of `spread`'s;
    `corrected` are targets that the test of that name calls biased.
    """
    records = []
    for measure, table in evidence.groupby("measure", sort=False):
        signed = measure.removeprefix(f"{PREFIX} ") not in MAGNITUDES
        table = table.assign(corrected=corrected(table, signed))
        if table["low"].isna().all():
            table = spread(table, job.level)
        rows = []
        for kind in KINDS:
            part = table[(table["kind"] == kind) & table["measured"].notna()]
            rows += _curves(measure, kind, part, job)
            rows += _shares(measure, kind, part, job.level)
        rows += _retests(measure, table, job)
        trains = measure.startswith(PREFIX)
        records += [marked(record, table, trains) for record in rows]
    records = [record for record in records if not np.isnan(record["value"])]
    trainings = evidence.groupby("measure", sort=False)["training"].nunique()
    once = [name for name, n in trainings.items() if name.startswith(PREFIX) and n == 1]
    return records + [value(name, "retest@trainings", np.nan, note=TRAINED_ONCE) for name in once]


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


def spread(table: pd.DataFrame, level: float) -> pd.DataFrame:
    """Evidence of one measure with intervals of how a target's number varies over other corpora.

    As for a further number of a normal distribution, of which the variance is that over the other
    corpora, a training of each: Student's t with one degree of freedom fewer than there are.
    """
    grid = table.pivot(index="corpus", columns=["target", "training"], values="measured")
    if len(grid) < 4:
        return table
    left_out = {corpus: grid.drop(index=corpus).var(ddof=1) for corpus in grid.index}
    # Trainings share their corpora: the mean of their variances is taken.
    variance = pd.DataFrame(left_out).groupby(level="target").mean()
    keys = pd.MultiIndex.from_frame(table[["target", "corpus"]])
    half = student(level, len(grid) - 2) * np.sqrt(variance.stack().reindex(keys))
    measured = table["measured"].to_numpy()
    return table.assign(low=measured - half.to_numpy(), high=measured + half.to_numpy())


def _curves(measure: str, kind: str, part: pd.DataFrame, job: Job) -> Iterator[dict]:
    """Means over corpora, and in each over trainings, of numbers that each training has."""
    rows = []
    for (corpus, _), targets in part.groupby(["corpus", "training"]):
        x, y = targets["truth"].to_numpy(float), targets["measured"].to_numpy(float)
        side = np.where(x < DESIGN.base[0], -1, 1)  # a null target has the side of the first group
        off = y - x if targets["share"].all() else np.full(len(x), np.nan)
        row = {"corpus": corpus, "bias": (side * off).mean(), "rmse": (off**2).mean()}
        if kind != NULL:
            row |= {"slope": rowwise_slope(x[None], y[None])[0], "spearman": spearman_rho(x, y)}
        rows.append(row)
    if not rows:
        return
    means = pd.DataFrame(rows, columns=["corpus", *UNITS]).groupby("corpus").mean()
    for column, unit in UNITS.items():
        cell = (measure, f"{column}@{kind}", means[column], unit)
        yield from mean_over_corpora(*cell, job, root=column == "rmse")


def _shares(measure: str, kind: str, part: pd.DataFrame, level: float) -> Iterator[dict]:
    """Shares of targets that alarm, and of intervals that hold the truth; corpora are clusters."""
    covered = part["truth"].between(part["low"], part["high"]).astype(float)
    marks = {
        "alarms": (part["flagged"], "share of targets"),
        "corrected": (part["corrected"], "share of targets"),
        "coverage": (covered[part["low"].notna() & part["share"].eq(True)], "share of intervals"),
    }
    for column, (flags, unit) in marks.items():
        known = flags.dropna().astype(float)
        by_corpus = known.groupby(part["corpus"]).agg(["sum", "count"]).to_numpy()
        if not len(by_corpus):
            continue
        counts = np.column_stack([by_corpus[:, 0], by_corpus[:, 1] - by_corpus[:, 0]])
        shares = shares_of_counts(counts, np.zeros(len(counts), int), 1, level)
        ends = shares.low[0, 0], shares.high[0, 0]
        fields = {"interval": ends, "unit": unit, "n": len(counts), "n_unit": "corpora"}
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
