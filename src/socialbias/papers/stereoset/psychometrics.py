"""What StereoSet's scores can bear: loadings, ranks, reliability, pairs, agreement of scorings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from socialbias.datasets.stereoset import TASKS
from socialbias.measures.stereoset import CANDIDATES
from socialbias.papers.inputs import joined
from socialbias.papers.stereoset.controls import CONTROLS
from socialbias.papers.stereoset.items import CORRECTED, LIKELIHOOD, PSEUDO
from socialbias.papers.stereoset.model_tables import SHORT, all_scores
from socialbias.papers.stereoset.pairs import BASELINES, PUBLISHED, decisions
from socialbias.papers.stereoset.predictions import CAUSAL
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.seeding import generator
from socialbias.sources.fidelity import worst_fidelity
from socialbias.stats.decisions import (
    agreement,
    rank_intervals,
    reliability_of_models,
    reliability_of_terms,
    score_draws,
)
from socialbias.stats.draws import DRAWS
from socialbias.stats.item_response import ItemResponse, against_all, correlations, fit
from socialbias.stats.paired import CANNOT_TELL, all_pairs
from socialbias.stats.reliability import Reliability

ITEMS, PREDICTIONS = "evidence/stereoset/items", "evidence/stereoset/predictions"
DEVELOPMENT, STEREOTYPE = "development", "stereotype"
# The ensemble is a function of three others: an item-response model would count them twice.
INDICATORS = tuple(name for name in PUBLISHED if name != "ensemble")
HEADS = INDICATORS[:-1]  # those that score what follows a sentence by a next-sentence head
# Models of a family share data and training, so that it would be counted as often as it has sizes.
FAMILIES = {
    "smaller": ("bert-base", "roberta-base", "xlnet-base", "gpt2", "sentiment"),
    "larger": ("bert-large", "roberta-large", "xlnet-large", "gpt2-large", "sentiment"),
}
SCHEMES = {"released": LIKELIHOOD, "corrected": CORRECTED, "pseudo": PSEUDO}  # in column names
ONE_SCORE = "by identity: both scorings give every candidate the same score"


def summarise(job: Job) -> list[dict]:
    """All rows, of the development split; the scorings of a model, of all items that have both."""
    scores = all_scores(job)
    left_out = [*CONTROLS, *BASELINES, *([] if PREDICTIONS in job else PUBLISHED)]
    scores = scores[~scores["row"].isin(left_out)]
    first = scores[scores["scheme"].isin([LIKELIHOOD, ""]) & (scores["split"] == DEVELOPMENT)]
    first = first.drop_duplicates(["row", "item"])  # released scores stand before recomputed ones
    records = []
    for short, task in SHORT.items():
        of_task = first[first["task"] == task]
        records += _reliabilities(job, of_task, short)
        if PREDICTIONS in job:
            released = of_task[of_task["row"].isin(PUBLISHED)]
            records += _of_published(job, released, short)
    records += _reliabilities(job, first, "overall")
    return [*records, *_scorings(job, scores)]


def _about(scores: pd.DataFrame) -> dict:
    """Where numbers of some scores are from."""
    return {
        "sources": joined(scores["sources"].unique()),
        "fidelity": worst_fidelity(scores["fidelity"].unique()),
    }


def _over_items(decided: pd.DataFrame) -> dict:
    """What numbers of some decisions rest on."""
    return {"n": len(decided), "n_unit": "items"}


def _terms(decided: pd.DataFrame) -> list[str]:
    return decided.index.get_level_values("target").tolist()


# Within a model.


def _reliabilities(job: Job, scores: pd.DataFrame, variant: str) -> Iterator[dict]:
    """Split-half reliability of the ss of terms, of each scorer."""
    for row, part in scores.groupby("row"):
        if variant == "overall" and set(part["task"]) != set(TASKS):
            continue
        ss = decisions(part)["ss"]
        found = reliability_of_terms(ss[row].to_numpy(), _terms(ss), job.level)
        if not np.isnan(found.value):
            note = f"a term has {found.k} items (median)"
            yield _reliability(found, row, f"reliability@{variant}", note, _about(part))


def _reliability(found: Reliability, row: str, column: str, note: str, fields: dict) -> dict:
    ends = {"ci_low": found.low, "ci_high": found.high}
    counts = {"n": found.n, "n_unit": "models" if row == "models" else "terms"}
    return value(
        row, column, found.value, **ends, **counts, unit="reliability", note=note, **fields
    )


# Of the scorers whose predictions the authors released.


def _of_published(job: Job, scores: pd.DataFrame, short: str) -> Iterator[dict]:
    """All that compares these scorers in one task."""
    fields = _about(scores)
    ss = decisions(scores)["ss"][list(PUBLISHED)]
    remarks = remarks_on(ss[list(INDICATORS)], _shared(job, ss))
    yield from _item_response(job, ss, remarks, short, fields)
    yield from _ranks(job, ss, remarks, short, fields)
    found = reliability_of_models(ss.to_numpy(), _terms(ss), PUBLISHED, job.level)
    note = f"random halves of {found.k} terms"
    yield _reliability(found, "models", f"all@{short}", note, fields)
    yield from _pairs(job, ss, short, fields)
    if short == "inter":
        yield from _heads(job, scores, fields)


def _shared(job: Job, decided: pd.DataFrame) -> pd.Series:
    """Of each item, the share of annotators who call its stereotypical sentence stereotypical."""
    items = job.table(ITEMS)
    items = items[(items["split"] == DEVELOPMENT) & (items["gold"] == STEREOTYPE)]
    shares = [np.mean([label == STEREOTYPE for label in labels]) for labels in items["labels"]]
    return pd.Series(shares, items["item"]).loc[decided.index.get_level_values("item")]


def _fitted(decided: pd.DataFrame, shared: pd.Series) -> ItemResponse:
    return fit(decided.to_numpy(), decided.columns, shared.to_numpy(), _terms(decided))


def remarks_on(decided: pd.DataFrame, shared: pd.Series) -> tuple[ItemResponse, dict[str, str]]:
    """The item-response model of all, and what there is to say of single models.

    Args:
        decided: (items, models) of 0 and 1, by `item` and `target`.
        shared: (items,) agreement of the annotators.

    Returns:
        The model, and by name a remark on each model that does not respond as the others do.
    """
    found, names = _fitted(decided, shared), list(decided.columns)
    phi = pd.DataFrame(correlations(decided.to_numpy()), names, names)
    alone = against_all(decided.to_numpy(), names)
    remarks = {}
    for name in names:
        said = []
        if name in found.negative():
            said.append("negative: it leans to the stereotype where the others lean away from it")
        elif name in found.small():
            said.append("near nothing: it hardly responds to what the models have in common")
        if name in alone:
            others = phi[name].drop(name)
            ends = f"{others.min():.2f} to {others.max():.2f}"
            said.append(
                f"its decisions correlate negatively with all {len(others)} others ({ends})"
            )
        if said:
            said.append("its ss and its rank in print rest on preferences that it does not share")
            remarks[name] = "; ".join(said)
    return found, remarks


def _item_response(
    job: Job, ss: pd.DataFrame, remarks: tuple, short: str, fields: dict
) -> Iterator[dict]:
    """Loadings and intercepts, of all indicators and with one of each family."""
    found, said = remarks
    about = fields | _over_items(ss)
    numbers = _parameters(found, job.level)
    for name in found.names:
        note = {"note": said.get(name, "")}
        yield value(name, f"loading@{short}", **numbers["loading", name], **about, **note)
        yield value(name, f"intercept@{short}", **numbers["intercept", name], **about)
    note = {"note": "of the latent place, between items on which nobody and everybody agrees"}
    yield value("annotators", f"all@{short}", **numbers["covariate", ""], **about, **note)
    shared = _shared(job, ss)
    for column, names in FAMILIES.items():
        numbers = _parameters(_fitted(ss[list(names)], shared), job.level)
        for name in names:
            yield value(name, f"{column}@{short}", **numbers["loading", name], **about)


def _parameters(found: ItemResponse, level: float) -> dict[tuple[str, str], dict]:
    """Each parameter with its interval and draws, by what it is and whose."""
    kinds = [("intercept", name) for name in found.names]
    kinds += [("loading", name) for name in found.names]
    kinds += [("covariate", "")] * len(found.coefficients)
    low, high = found.intervals(level)
    numbers = zip(found.parameters, low, high, _drawn(found).T, strict=True)
    fields = ("number", "ci_low", "ci_high", "draws")
    return {
        kind: dict(zip(fields, part, strict=True)) | {"unit": "logits"}
        for kind, part in zip(kinds, numbers, strict=True)
    }


def _drawn(found: ItemResponse) -> np.ndarray:
    """(DRAWS, parameters): jointly normal, as Wald's intervals take them to be."""
    known = ~np.isnan(np.diag(found.covariance))
    root = np.linalg.cholesky(found.covariance[np.ix_(known, known)])
    normals = generator(0, "item response").standard_normal((DRAWS, len(known)))[:, known]
    draws = np.full((DRAWS, len(known)), np.nan)
    draws[:, known] = found.parameters[known] + normals @ root.T
    return draws


def _ranks(job: Job, ss: pd.DataFrame, remarks: tuple, short: str, fields: dict) -> Iterator[dict]:
    """The rank of each scorer's ss, 1 for the highest."""
    ranks, low, high = rank_intervals(*score_draws(ss.to_numpy(), _terms(ss), job.seed), job.level)
    about = fields | _over_items(ss) | {"unit": "rank"}
    for name, rank, *ends in zip(ss.columns, ranks, low, high, strict=True):
        ends = dict(zip(("ci_low", "ci_high"), ends, strict=True))
        yield value(name, f"rank@{short}", rank, **ends, **about, note=remarks[1].get(name, ""))


def _pairs(job: Job, ss: pd.DataFrame, short: str, fields: dict) -> Iterator[dict]:
    """How many pairs differ in ss, and how many items would tell two apart."""
    found = all_pairs(ss.to_numpy(), _terms(ss), job.seed, job.level)
    total = len(found.first)
    for row, corrected in (("pairs", False), ("pairs holm", True)):
        number = sum(verdict != CANNOT_TELL for verdict in found.verdicts(corrected))
        about = {"n_of": total, "n_unit": "pairs", "unit": "pairs", "draws": number}
        yield value(row, f"all@{short}", number, n=total, **about, **fields)
    needed = float(np.median(found.items_needed))
    note = f"of {total} pairs, each were its difference the true one; here are {len(ss):,}"
    yield value("items", f"all@{short}", needed, unit="items", note=note, **fields)


def _heads(job: Job, scores: pd.DataFrame, fields: dict) -> Iterator[dict]:
    """How often a next-sentence head gives candidates more than one half."""
    for name in HEADS:
        part = scores[scores["row"] == name]
        above = part[list(CANDIDATES)].to_numpy() > 0.5
        kinds = np.column_stack([above[:, :2].mean(axis=1), above[:, 2]])
        means, draws = score_draws(kinds, part["target"].tolist(), job.seed)
        tail = (1 - job.level) / 2
        ends = np.nanquantile(draws, [tail, 1 - tail], axis=0).clip(0, 1)
        about = fields | {"n": part["target"].nunique(), "n_unit": "terms", "unit": "share"}
        for k, kind in enumerate(("meaningful", "unrelated")):
            low, high = ends[:, k]
            cell = about | {"ci_low": low, "ci_high": high, "draws": draws[:, k]}
            yield value(name, f"head@{kind}", means[k], **cell)


# Between the scorings of a model.


def _scorings(job: Job, scores: pd.DataFrame) -> Iterator[dict]:
    """Agreement of each two scorings of a model on which of two candidates is preferred."""
    for (row, task), part in scores[scores["task"].isin(TASKS)].groupby(["row", "task"]):
        if not _has_scorings(row, task):
            continue
        short = next(key for key, name in SHORT.items() if name == task)
        by_scheme = {name: _decided(part, scheme) for name, scheme in SCHEMES.items()}
        for pair in combinations(by_scheme, 2):
            first, second = (by_scheme[name] for name in pair)
            both = first.join(second, how="inner", lsuffix=" first", rsuffix=" second")
            if len(both):
                yield _scoring(job, row, f"{'-'.join(pair)}@{short}", both, _about(part))


def _has_scorings(row: str, task: str) -> bool:
    """Whether a model has scorings that differ by design.

    A causal model has one score of a sentence. What follows a sentence is scored by the published
    heads, which a model of a user's own lacks.
    """
    return row not in CAUSAL if task == TASKS[0] else row in HEADS


def _decided(scores: pd.DataFrame, scheme: str) -> pd.DataFrame:
    """`stereotype` and `anti-stereotype` by split, item and target, of one scoring."""
    own = scores[scores["scheme"] == scheme].drop_duplicates(["split", "item"])
    return own.set_index(["split", "item", "target"])[list(CANDIDATES[:2])]


def _scoring(job: Job, row: str, column: str, both: pd.DataFrame, fields: dict) -> dict:
    """Agreement of two scorings beyond chance."""
    numbers = both.to_numpy()
    sides = [(numbers[:, k] > numbers[:, k + 1]).astype(float) for k in (0, 2)]
    found = agreement(*sides, _terms(both), job.seed, job.level)
    same = (numbers[:, :2] == numbers[:, 2:]).all()
    share = (
        f"{100 * found.share:.0f} % of the items [{100 * found.low:.0f}, {100 * found.high:.0f}]"
    )
    return value(
        row,
        column,
        found.kappa,
        ci_low=found.kappa_low,
        ci_high=found.kappa_high,
        unit="kappa",
        weak=ONE_SCORE if same else "",
        note=f"decided alike on {share}",
        **fields,
        **_over_items(both),
    )
