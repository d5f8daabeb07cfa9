"""Recovery over corpora and trainings: what text and vectors say of what is planted many times.

`recovery` has what two small models, trained once on one corpus, say of it. Here corpora are
written anew, with the same truth and an order of the targets' frequencies of their own, and vectors
are trained several times on each: how a measure's numbers scatter is seen, and how often its test
is wrong. Corpora are independent, trainings on one of them are not: intervals are over corpora.

The evidence is that of `recovery` with the columns `corpus` and `training`, both from 0. The text
measure, which trains nothing, has the training 0. Rows with a `state` are of debiased vectors: the
methods are Table 7's, which get half of the words of each group, in pairs, and are measured with
the same words and with the rest. In the very words from which a bias was removed, hard debiasing
leaves none by construction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from socialbias.corpora.prepared import Corpus
from socialbias.embeddings.options import TRAINING, Options
from socialbias.embeddings.vectors import WordVectors
from socialbias.papers.trustworthy.table7 import Method, debiased
from socialbias.papers.validation.planted_corpus import write
from socialbias.papers.validation.planted_design import DIRECT, NULL, SECOND, Design
from socialbias.papers.validation.recovery import (
    DESIGN,
    DIRECTED,
    MAGNITUDES,
    SIGNIFICANT,
    TRAINED,
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

ORIGINAL = "original"
# By state of the vectors, whether debiasing is soft, and whether with means in place of sums.
DEBIASING_METHODS = {"hard": (False, False), "soft": (True, False), "soft-means": (True, True)}
OWN_WORDS, OTHER_WORDS = "own", "other"  # of the groups: those that the method gets, or the rest
# Measures, and what they are without a bias.
DEBIASING_MEASURES = {"divdist": 0.5, "weat": 0.0}
DEBIASED = "debiased"
TINY = 1e-9  # biases that are smaller are 0: arithmetic leaves as much
DEBIASED_UNITS = {"rank": "Spearman's rho", "above": "mean size above controls"}
SIZE = "mean size"


def debiasing_evidence(vectors: WordVectors, design: Design) -> pd.DataFrame:
    """Biases of all targets before and after each method."""
    table = design.targets
    half = design.group_words // 2
    groups = list(design.groups.values())
    lists = {
        OWN_WORDS: [words[:half] for words in groups],
        OTHER_WORDS: [words[half:] for words in groups],
    }
    pairs, targets = list(zip(*lists[OWN_WORDS], strict=True)), {"targets": list(table["target"])}
    members_of_groups = [word for words in groups for word in words]
    spaces = {ORIGINAL: vectors}
    for name, (soft, means) in DEBIASING_METHODS.items():
        method = Method(name, pairs, pairs, members_of_groups, soft, lists, targets)
        spaces[name] = debiased(vectors, method, means)
    truth = table[["target", "kind"]].assign(truth=table["truth 0"], share=False)
    parts = []
    for state, space in spaces.items():
        rows = space.rows(list(table["target"]))
        for words, members in lists.items():
            matrices = [space.rows(group) for group in members]
            for name, nothing in DEBIASING_MEASURES.items():
                measured = DIRECTED[name](rows, matrices) - nothing
                part = truth.assign(state=state, words=words, measure=name, measured=measured)
                parts.append(part)
    return pd.concat(parts, ignore_index=True)


def debiasing_values(biases: pd.DataFrame, job: Job) -> Iterator[dict]:
    """Yield the measured biases of targets, on average over corpora, with intervals over corpora.

    Sizes are those of direct targets and of controls, which have no association: direct ones less
    controls are 0 if debiasing takes them to the same level. The rank correlation of a direct
    target's bias with what was planted is 0 if nothing is left to see.
    """
    for (words, measure), table in biases.groupby(["words", "measure"], sort=False):
        before = _numbers(table[table["state"] == ORIGINAL])
        for method in DEBIASING_METHODS:
            after = _numbers(table[table["state"] == method])
            columns = {
                ORIGINAL: before[DIRECT],
                DEBIASED: after[DIRECT],
                f"controls-{ORIGINAL}": before[NULL],
                f"controls-{DEBIASED}": after[NULL],
                f"above-{DEBIASED}": after[DIRECT] - after[NULL],
                f"rank-{ORIGINAL}": before["rank"],
                f"rank-{DEBIASED}": after["rank"],
            }
            for column, by_corpus in columns.items():
                cell = f"{method} {words}", f"{column}@{measure}"
                unit = DEBIASED_UNITS.get(column.partition("-")[0], SIZE)
                mean = mean_over_corpora(*cell, by_corpus, unit, job)
                yield from (marked(record, table, trains=True) for record in mean)


def _numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Return by corpus, on average over its trainings: mean sizes by kind of targets, and `rank`.

    `rank` is the rank correlation of measured with planted biases; NaN where all are 0.
    """
    measured = table["measured"].where(table["measured"].abs() > TINY, 0.0)
    table = table.assign(measured=measured, size=measured.abs())
    units = ["corpus", "training"]
    numbers = table.groupby([*units, "kind"])["size"].mean().unstack("kind")
    direct = table[table["kind"] == DIRECT].groupby(units)[["truth", "measured"]]
    numbers["rank"] = direct.apply(lambda rows: spearman_rho(*rows.to_numpy(float).T))
    return numbers.groupby("corpus").mean()


EVIDENCE = [
    "evidence/validation/recovery_corpora",
    "evidence/validation/recovery_corpora_bert",
    "evidence/validation/recovery_corpora_gpt2",
]
REAL = "evidence/validation/recovery_corpora_real"
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
    """Text and all measures of vectors, on all corpora; with `state`, of debiased vectors."""

    def measured(unit: Unit) -> pd.DataFrame:
        return one_training(job, *of_corpus(job, DESIGN, unit[0]), CORPORA, unit)

    return in_parts(job, measured).fillna({"state": "", "words": ""})


def of_corpus(job: Job, design: Design, number: int) -> tuple[Design, Corpus]:
    """Return one of the corpora: what is planted, with frequencies of its own, and the text."""
    rng = generator(job.seed, "recovery", CORPORA, number)
    design = design.reordered(rng)
    tokens = job.settings["trustworthy.recovery.corpus_tokens"]
    return design, write(design, tokens, rng).prepared()


def in_parts(job: Job, measured: Callable[[Unit], pd.DataFrame]) -> pd.DataFrame:
    """Return the evidence of all trainings, on the job's cores, kept in parts."""
    sizes = [job.settings[f"trustworthy.recovery.{key}"] for key in ("corpora", "trainings")]
    units, parts = list(product(*map(range, sizes))), []
    for start in range(0, len(units), PART):
        part = units[start : start + PART]
        made = partial(in_processes, measured, part, job.cores)
        parts.append(job.part(f"trainings_{start}", lambda made=made: pd.concat(made())))
        job.say(f"planted: {start + len(part)} of {len(units)} trainings")
    return pd.concat(parts, ignore_index=True)


def one_training(job: Job, design: Design, written: Corpus, name: str, unit: Unit) -> pd.DataFrame:
    """Return the evidence of one training on one corpus, of its first also that of the text."""
    # Training is for this one function: whatever else uses the module need not load it.
    from socialbias.embeddings.train import train

    corpus, training = unit
    seed, documents = of_training(job.seed, name, unit), np.arange(written.size)
    # In a small corpus a target may be rare; it has a vector all the same. Associations of second
    # order need as many negative samples as the paper run has, whatever other vectors have.
    options = {"min_count": 1, "negative": job.settings["trustworthy.recovery.negative"]}
    options |= {key: job.settings[f"bad_seeds.{key}"] for key in TRAINING if key not in options}
    model = train(written, documents, Options(**options), seed, name="planted", log=job.say)
    vectors, names = model.vectors, [*DIRECTED, *MAGNITUDES]
    parts = [vector_evidence(vectors, design, PREFIX, names, DIVISIONS, job.seed)]
    if name == CORPORA:  # of generated language alone
        parts.append(debiasing_evidence(vectors, design))
    if training == 0:
        parts.append(text_evidence(written, design, job.level, "text"))
    return pd.concat(parts).assign(corpus=corpus, training=training)


def of_training(seed: int, name: str, unit: Unit) -> int:
    """Return the seed of a training."""
    return int(generator(seed, "recovery", name, *unit).integers(2**31))


# --- values -----------------------------------------------------------------------------------


def values(evidence: pd.DataFrame, job: Job) -> list[dict]:
    """Return what each measure recovers, on average over corpora, with intervals over corpora.

    The `bias` of measures that estimate a share is measured less planted, along the side that a
    target leans to. `coverage` is that of the text measure's own interval, else of `spread`'s;
    `corrected` are targets that the test of that name calls biased.
    """
    null = evidence.loc[(evidence["kind"] == NULL) & evidence["share"].eq(True), "truth"]
    base, records = float(null.iloc[0]) if len(null) else DESIGN.base[0], []
    for measure, table in evidence.groupby("measure", sort=False):
        signed = measure.removeprefix(f"{PREFIX} ") not in MAGNITUDES
        table = table.assign(corrected=corrected(table, signed))
        if " probe" in measure:
            # It has learnt from the controls and never seen these: they are not alike.
            table.loc[table["kind"] == SECOND, "corrected"] = np.nan
        if table["low"].isna().all():
            table = spread(table, job.level)
        rows = []
        for kind in KINDS:
            part = table[(table["kind"] == kind) & table["measured"].notna()]
            rows += _curves(measure, kind, part, base, job)
            rows += _shares(measure, kind, part, job.level)
        rows += _retests(measure, table, job)
        trains = measure.startswith(TRAINED)
        records += [marked(record, table, trains) for record in rows]
    records = [record for record in records if not np.isnan(record["value"])]
    trainings = evidence.groupby("measure", sort=False)["training"].nunique()
    once = [name for name, n in trainings.items() if name.startswith(TRAINED) and n == 1]
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


def _curves(measure: str, kind: str, part: pd.DataFrame, base: float, job: Job) -> Iterator[dict]:
    """Means over corpora, and in each over trainings, of numbers that each training has."""
    rows = []
    for (corpus, _), targets in part.groupby(["corpus", "training"]):
        x, y = targets["truth"].to_numpy(float), targets["measured"].to_numpy(float)
        side = np.where(x < base, -1, 1)  # a null target has the side of the first group
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
    real = values(job.table(REAL), job) if REAL in job else []
    table = pd.concat([job.table(name) for name in EVIDENCE if name in job], ignore_index=True)
    debiased = table["state"].fillna("") != ""
    return [
        *values(table[~debiased], job),
        *debiasing_values(table[debiased], job),
        *(record | {"row": f"real {record['row']}"} for record in real),
    ]
