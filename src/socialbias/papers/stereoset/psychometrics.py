"""How far StereoSet's scores can be trusted: loadings, ranks, reliability, pairs, agreement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.measures.datasets.stereoset import TASKS
from socialbias.measures.stereoset import CANDIDATES, summary, term_scores
from socialbias.papers.evidence import estimated
from socialbias.papers.stereoset.controls import CONTROLS
from socialbias.papers.stereoset.items import (
    CAUSAL,
    CORRECTED,
    DEVELOPMENT,
    LIKELIHOOD,
    PSEUDO,
    SHORT,
)
from socialbias.papers.stereoset.model_tables import all_scores
from socialbias.papers.stereoset.pairs import BASELINES, PUBLISHED, decisions
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact, read_published, value
from socialbias.stats.decisions import (
    agreement,
    means_by_term,
    rank_intervals,
    reliability_of_models,
    reliability_of_terms,
    score_draws,
)
from socialbias.stats.draws import DRAWS
from socialbias.stats.intervals import percentile
from socialbias.stats.item_response import ItemResponse, against_all, correlations, fit
from socialbias.stats.paired import CANNOT_TELL, all_pairs
from socialbias.stats.reliability import Reliability
from socialbias.stats.seeding import generator
from socialbias.stats.sequential import order_of_items

TABLE6 = "published/stereoset_table6"
ITEMS, PREDICTIONS = "evidence/stereoset/items", "evidence/stereoset/predictions"
STEREOTYPE = "stereotype"
# The ensemble is a function of three others: an item-response model would count them twice.
INDICATORS = tuple(name for name in PUBLISHED if name != "ensemble")
HEADS = INDICATORS[:-1]  # those that score what follows a sentence by a next-sentence head
# Models of a family share data and training, so that it would be counted as often as it has sizes.
FAMILIES = {
    "smaller": ("bert-base", "roberta-base", "xlnet-base", "gpt2", "sentiment"),
    "larger": ("bert-large", "roberta-large", "xlnet-large", "gpt2-large", "sentiment"),
}
SCHEMES = {"released": LIKELIHOOD, "corrected": CORRECTED, "pseudo": PSEUDO}  # in column names
ONE_SCORE = "a causal model has one score of a sentence for all scorings"


def summarise(job: Job) -> list[dict]:
    """Return all rows: of the development split, but scorings of all items with both."""
    scores = all_scores(job)
    left_out = [*CONTROLS, *BASELINES, *([] if PREDICTIONS in job else PUBLISHED)]
    scores = scores[~scores["row"].isin(left_out)]
    first = scores[scores["scheme"].isin([LIKELIHOOD, ""]) & (scores["split"] == DEVELOPMENT)]
    first = first.drop_duplicates(["row", "item"])  # released scores stand before recomputed ones
    records = []
    shared = annotators_agreement(job.table(ITEMS)) if PREDICTIONS in job else None
    for short, task in SHORT.items():
        of_task = first[first["task"] == task]
        records += _reliabilities(job, of_task, short)
        if PREDICTIONS in job:
            released = of_task[of_task["row"].isin(PUBLISHED)]
            records += _of_published(job, released, shared, short)
    records += _reliabilities(job, first, "overall")
    return [*records, *_scorings(job, scores)]


def _terms(decided: pd.DataFrame) -> list[str]:
    return decided.index.get_level_values("target").tolist()


# Within a model.


def _reliabilities(job: Job, scores: pd.DataFrame, variant: str) -> Iterator[dict]:
    """Split-half reliability of the ss of terms, of each scorer."""
    for row, part in scores.groupby("row"):
        if variant == "overall" and set(part["task"]) != set(TASKS):
            continue
        ss = decisions(part)["ss"]
        estimate = reliability_of_terms(ss[row].to_numpy(), _terms(ss), job.level)
        if not np.isnan(estimate.value):
            note = f"a term has {estimate.k} items (median)"
            yield _reliability(estimate, row, f"reliability@{variant}", note)


def _reliability(estimate: Reliability, row: str, column: str, note: str) -> dict:
    counts = {"n": estimate.n, "n_unit": "models" if row == "models" else "terms"}
    counts |= {"unit": "reliability", "note": note}
    return value(row, column, estimate.value, **estimated(estimate), **counts)


# Of the scorers whose predictions the authors released.


def _of_published(job: Job, scores: pd.DataFrame, shared: pd.Series, short: str) -> Iterator[dict]:
    """Yield all that compares these scorers in one task."""
    ss = decisions(scores)["ss"][list(PUBLISHED)]
    shared = shared.loc[ss.index.get_level_values("item")]
    model = fitted(ss, INDICATORS, shared)
    remarks = remarks_on(model, ss)
    for record in _parameters(model, "loading", f"loading@{short}", job.level):
        yield record | {"note": remarks.get(record["row"], "")}
    yield from _parameters(model, "intercept", f"intercept@{short}", job.level)
    note = "of the latent place, from items on which no annotator agrees to those on which all do"
    for record in _parameters(model, "covariate", f"all@{short}", job.level):
        yield record | {"note": note}
    for column, names in FAMILIES.items():
        of_family = fitted(ss, names, shared)
        yield from _parameters(of_family, "loading", f"{column}@{short}", job.level)
    ranks, low, high = rank_intervals(*score_draws(ss.to_numpy(), _terms(ss), job.seed), job.level)
    facts = {"n": len(ss), "n_unit": "items", "unit": "rank"}
    for name, rank, *ends in zip(ss.columns, ranks, low, high, strict=True):
        note = remarks.get(name, "")
        yield value(name, f"rank@{short}", rank, interval=ends, note=note, **facts)
    estimate = reliability_of_models(ss.to_numpy(), _terms(ss), PUBLISHED, job.level)
    note = f"random halves of {estimate.k} terms"
    yield _reliability(estimate, "models", f"all@{short}", note)
    yield from _pairs(job, ss, short)
    yield from _printed(job, scores, short)
    if short == "inter":
        yield from _heads(job, scores)


def annotators_agreement(items: pd.DataFrame) -> pd.Series:
    """Return by item, the share of annotators who call its stereotypical sentence stereotypical."""
    items = items[(items["split"] == DEVELOPMENT) & (items["gold"] == STEREOTYPE)]
    return pd.Series(
        [np.mean([label == STEREOTYPE for label in labels]) for labels in items["labels"]],
        items["item"],
    )


def fitted(ss: pd.DataFrame, names: Sequence[str], shared: pd.Series) -> ItemResponse:
    """Return the item-response model of some models, clustered by target term.

    `ss` has 0 and 1, (items, models); `shared` is the annotators' agreement, (items,).
    """
    return fit(ss[list(names)].to_numpy(), names, shared.to_numpy(), _terms(ss))


def remarks_on(model: ItemResponse, ss: pd.DataFrame) -> dict[str, str]:
    """Return by name, a remark on each model that does not respond as the others do."""
    names = list(model.names)
    decided = ss[names].to_numpy()
    phi = pd.DataFrame(correlations(decided), names, names)
    alone = against_all(decided, names)
    remarks = {}
    negative, small = model.small(bound=0), model.small()
    for name in dict.fromkeys([*negative, *small, *alone]):
        parts = []
        if name in negative:
            parts.append("below 0: if it differs from 0, it is opposite to what the models share")
        elif name in small:
            parts.append("near 0: it hardly responds to what the models have in common")
        if name in alone:
            others = phi[name].drop(name)
            ends = f"{others.min():.2f} to {others.max():.2f}"
            parts.append(
                f"its decisions correlate negatively with all {len(others)} others ({ends})"
            )
        parts.append("its ss and its rank in the paper reflect preferences of its own")
        remarks[name] = "; ".join(parts)
    return remarks


def _parameters(model: ItemResponse, kind: str, column: str, level: float) -> Iterator[dict]:
    """Yield the parameters `loading`, `intercept` or `covariate`, with intervals and draws."""
    m = len(model.names)
    first = {"intercept": 0, "loading": m, "covariate": 2 * m}[kind]
    rows = ["annotators"] if kind == "covariate" else model.names
    low, high = model.intervals(level)
    # Draws are jointly normal, as Wald's intervals take the parameters to be.
    known = ~np.isnan(np.diag(model.covariance))
    root = np.linalg.cholesky(model.covariance[np.ix_(known, known)])
    normals = generator(0, "item response").standard_normal((DRAWS, len(known)))[:, known]
    draws = np.full((DRAWS, len(known)), np.nan)
    draws[:, known] = model.parameters[known] + normals @ root.T
    facts = {"n": model.n, "n_unit": "items", "unit": "logits"}
    for k, row in enumerate(rows, first):
        ends = low[k], high[k]
        yield value(row, column, model.parameters[k], interval=ends, draws=draws[:, k], **facts)


def _pairs(job: Job, ss: pd.DataFrame, short: str) -> Iterator[dict]:
    """Yield how many pairs differ in ss, and how many items would show a difference of two."""
    pairs = all_pairs(ss.to_numpy(), _terms(ss), job.seed, job.level)
    total = len(pairs.first)
    counts = {"n": total, "n_of": total, "n_unit": "pairs", "unit": "pairs"}
    for row, corrected in (("pairs", False), ("pairs holm", True)):
        number = sum(verdict != CANNOT_TELL for verdict in pairs.verdicts(corrected))
        yield exact(row, f"all@{short}", number, **counts)
    needed = float(np.median(pairs.items_needed))
    note = (
        f"median over {total} pairs, if each difference is the true one; the data have {len(ss):,}"
    )
    yield value("items", f"all@{short}", needed, unit="items", note=note)


def _printed(job: Job, scores: pd.DataFrame, short: str) -> Iterator[dict]:
    """Yield how many numbers that Table 6 prints for test are the development split's.

    By chance one in ten or so is, of numbers with one digit after the point.
    """
    printed = read_published(job.path(TABLE6)).set_index("row")
    for name in (*HEADS, "ensemble"):
        part = scores[scores["row"] == name]
        by_term = term_scores(part[list(CANDIDATES)], part["target"].tolist())
        row = printed.loc[f"{short} {name}"].set_index("column")["value"]
        ours = {key: f"{score.value:.1f}" for key, score in summary(by_term, job.seed).items()}
        same = sum(ours[key] == row[key] for key in ours)
        counts = {"n": len(ours), "n_unit": "numbers", "unit": "numbers"}
        yield exact(name, f"printed@{short}", same, **counts)


def _heads(job: Job, scores: pd.DataFrame) -> Iterator[dict]:
    """Yield how often a next-sentence head gives candidates more than one half."""
    for name in HEADS:
        part = scores[scores["row"] == name]
        above = part[list(CANDIDATES)].to_numpy() > 0.5
        kinds = np.column_stack([above[:, :2].mean(axis=1), above[:, 2]])
        means, draws = score_draws(kinds, part["target"].tolist(), job.seed)
        facts = {"n": part["target"].nunique(), "n_unit": "terms", "unit": "share"}
        for kind, mean, drawn in zip(("meaningful", "unrelated"), means, draws.T, strict=True):
            ends = percentile(drawn, job.level).clip(0, 1)
            yield value(name, f"head@{kind}", mean, interval=ends, draws=drawn, **facts)


# Between the scorings of a model.


def _scorings(job: Job, scores: pd.DataFrame) -> Iterator[dict]:
    """Agreement of each two scorings of a model on which of two candidates is preferred."""
    names = {task: short for short, task in SHORT.items()}
    for (row, task), part in scores[scores["task"].isin(TASKS)].groupby(["row", "task"]):
        # A causal model has one score of a sentence. What follows a sentence is scored by the
        # published heads, which a model of a user's own lacks.
        if row in CAUSAL if task == TASKS[0] else row not in HEADS:
            continue
        known = {name: s for name, s in SCHEMES.items() if (part["scheme"] == s).any()}
        if row not in PUBLISHED and "corrected" not in known:
            for pair in combinations(SCHEMES, 2):
                yield value(row, f"{'-'.join(pair)}@{names[task]}", np.nan, note=ONE_SCORE)
            continue
        by_scheme = {}
        for name, scheme in known.items():
            own = part[part["scheme"] == scheme].drop_duplicates(["split", "item"])
            own = own.set_index(["split", "item", "target"])
            by_scheme[name] = own[list(CANDIDATES[:2])]
        for pair in combinations(by_scheme, 2):
            first, second = (by_scheme[name] for name in pair)
            both = first.join(second.add_suffix(" again"), how="inner")
            if both.empty:
                continue
            numbers = both.to_numpy()
            sides = [(numbers[:, k] > numbers[:, k + 1]).astype(float) for k in (0, 2)]
            alike, kappa = agreement(*sides, _terms(both), job.seed, job.level)
            shares = (alike.value, alike.low, alike.high)
            share, low, high = (f"{100 * number:.0f}" for number in shares)
            facts = {"unit": "kappa", "n": len(both), "n_unit": "items"}
            facts["note"] = f"decided alike on {share} % of the items [{low}, {high}]"
            facts["interval"] = kappa.low, kappa.high
            yield value(row, f"{'-'.join(pair)}@{names[task]}", kappa.value, **facts)


Array = NDArray[np.float64]
SHARE, FORMS = 0.1, 200  # of the items in a short form, and how many forms


def summarise_short_forms(job: Job) -> Iterator[dict]:
    """Yield the nine language models of the paper, on the development split, by task."""
    if PREDICTIONS not in job:
        return
    scores = job.table(PREDICTIONS)
    scores = scores[(scores["scheme"] == LIKELIHOOD) & scores["row"].isin(HEADS)]
    for short, task in SHORT.items():
        decided = decisions(scores[scores["task"] == task])["ss"][list(HEADS)]
        terms = decided.index.get_level_values("target").tolist()
        y = decided.to_numpy()
        phi = correlations(y)
        np.fill_diagonal(phi, np.nan)
        random, regression = errors_of_short_forms(y, terms)
        facts = {"n": len(y), "n_unit": "items"}
        points = facts | {"unit": "percentage points"}
        for k, row in enumerate(decided.columns):
            yield value(row, f"phi@{short}", np.nanmean(phi[k]), unit="phi", **facts)
            yield value(row, f"random@{short}", 100 * random[k], **points)
            yield value(row, f"regression@{short}", 100 * regression[k], **points)
        yield value("models", f"phi@{short}", np.nanmean(phi), unit="phi", **facts)
        for column, each in (("random", random), ("regression", regression)):
            together = np.sqrt(np.mean(each**2))
            yield value("models", f"{column}@{short}", 100 * together, **points)
        spread = means_by_term(y, terms)[0].mean(axis=0).std(ddof=1)
        yield value("models", f"spread@{short}", 100 * spread, **points)


def errors_of_short_forms(decided: Array, terms: list[str]) -> tuple[Array, Array]:
    """Return root mean square errors of each model's ss by a tenth of the items, from that by all.

    The first (m,) are by the decisions of these items. The others are with a regression of all
    items' decisions on those of the other models, which gives what the form leaves out. It is
    fitted on all items: no short form and no adaptive choice of items can know more.
    """
    n, m = decided.shape
    predicted = np.empty((n, m))
    for k in range(m):
        others = np.column_stack([np.ones(n), np.delete(decided, k, axis=1)])
        predicted[:, k] = others @ np.linalg.lstsq(others, decided[:, k])[0]
    both = np.hstack([decided, decided - predicted])
    whole = means_by_term(both, terms)[0].mean(axis=0)
    errors = []
    for draw in range(FORMS):
        form = order_of_items(terms, draw)[: round(SHARE * n)]
        by_term, _ = means_by_term(both[form], [terms[i] for i in form])
        errors.append(by_term.mean(axis=0) - whole)
    found = np.sqrt(np.mean(np.square(errors), axis=0))
    return found[:m], found[m:]
