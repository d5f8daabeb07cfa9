"""Table 4, convergent validity: bias in text by people against bias by co-occurrence.

From the same evidence comes the human column of Table 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from socialbias.corpora.annotation.items import NONE, Sample
from socialbias.measures.datasets.census import GENDER
from socialbias.measures.divdist import sum_normalize
from socialbias.measures.text import vote
from socialbias.papers.trustworthy.directed import UNIT
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.agreement import fleiss_kappa, krippendorff_alpha, majority
from socialbias.stats.clustered import clustered_shares
from socialbias.stats.correlation import rowwise_pearson, rowwise_spearman
from socialbias.stats.draws import as_many
from socialbias.stats.intervals import percentile
from socialbias.stats.seeding import generator

COLUMNS = ["item", "target", "document", "variant", "n", "human", "automated", "mentioned"]
# The paper never published its annotations and contexts: those of others are read in their place.
CONTEXTS = "annotations/contexts"
TARGETS = 8


def evidence(
    annotations: pd.DataFrame, sample: Sample, lists: Mapping[str, Mapping[str, Sequence[str]]]
) -> pd.DataFrame:
    """Return the label of each annotated context by people and by windows of sentences."""
    if annotations.empty:
        return pd.DataFrame(columns=COLUMNS)
    human = majority(annotations, sample.labels, NONE).rename_axis("item").rename("human")
    items = [sample.items[name] for name in human.index]
    contexts = human.reset_index().assign(
        target=[item.target for item in items], document=[item.document for item in items]
    )
    parts = []
    groups = sorted(sample.groups)
    names = np.array([*groups, NONE])  # no group is -1, the last
    for variant, words in lists.items():
        masks = sentence_masks([item.sentences for item in items], [words[g] for g in groups])
        whole = np.bitwise_or.reduce(masks, axis=1)  # a bit for each group
        bits = (whole[:, None] >> np.arange(len(groups), dtype=np.uint64)) & np.uint64(1) > 0
        mentioned = [";".join(names[:-1][row]) for row in bits]
        for n in range(1, masks.shape[1] + 1):
            labels = {"automated": names[vote(masks, n, groups)], "mentioned": mentioned}
            parts.append(contexts.assign(variant=variant, n=n, **labels))
    return pd.concat(parts, ignore_index=True)[COLUMNS]


def sentence_masks(
    contexts: Sequence[Sequence[Sequence[str]]], groups: Sequence[Iterable[str]]
) -> NDArray[np.uint64]:
    """Return which groups' words the sentences (c, s) of contexts have.

    Bit g for those of group g.
    """
    sets = [frozenset(words) for words in groups]
    masks = [
        [sum(1 << g for g, words in enumerate(sets) if not words.isdisjoint(s)) for s in context]
        for context in contexts
    ]
    return np.array(masks, dtype=np.uint64)


def summarise(job: Job) -> Iterator[dict]:
    """Yield Table 4's cells: correlation over targets of both directed biases, by window length."""
    if CONTEXTS not in job:
        return
    table = job.table(CONTEXTS)
    for (variant, n), part in table.groupby(["variant", "n"]):
        pair = [
            biases_of(part, side, job.replicates, job.seed).to_numpy()
            for side in ("human", "automated")
        ]
        for column, draws, lowest in (
            ("spearman_rho", rowwise_spearman(*pair), -1),
            ("pearson_r2", rowwise_pearson(*pair) ** 2, 0),
        ):
            if np.isnan(draws[0]):
                continue  # a single target, or targets without any difference
            # Noise makes correlations smaller, in resamples twice: around the one that was measured
            # it does so once.
            drawn = np.clip(draws[0] - np.nanmedian(draws[1:]) + draws[1:], lowest, 1)
            yield value(
                str(n),
                f"{column}@{variant}",
                draws[0],
                interval=percentile(drawn, job.level),
                draws=as_many(drawn),
                n=pair[0].shape[1],
                n_of=TARGETS,
                n_unit="targets",
                unit="correlation of human and automated bias",
            )


def table3_values(table: pd.DataFrame, level: float) -> list[dict]:
    """Table 3's column `text-human`: directed bias of each target by the labels of people."""
    contexts = table.drop_duplicates("item")
    targets, names = pd.factorize(contexts["target"], sort=True)
    labels = pd.Index(GENDER).get_indexer(contexts["human"])  # -1 where there is no group
    documents = contexts["document"].to_numpy()
    shares = clustered_shares(labels, targets, documents, len(names), len(GENDER), level)
    draws = shares.draws([f"text-human {target}" for target in names])
    return [
        value(
            target,
            "text-human",
            shares.share[i, 0] - 0.5,
            interval=(shares.low[i, 0] - 0.5, shares.high[i, 0] - 0.5),
            draws=draws[:, i] - 0.5,
            n=shares.n[i],
            n_unit="contexts",
            unit=UNIT,
        )
        for i, target in enumerate(names)
        if shares.n[i]
    ]


def biases_of(contexts: pd.DataFrame, side: str, replicates: int, seed: int) -> pd.DataFrame:
    """Directed bias of each target, and of resamples of its documents (section 3 of the paper).

    Contexts of one document are not independent, so documents are drawn, with all of theirs. The
    same draws are made for both sides, since people and machine saw the same contexts.
    """
    columns = {}
    for target, own in contexts.groupby("target"):
        documents, names = pd.factorize(own["document"], sort=True)
        size, counts = len(names), np.zeros((len(names), len(GENDER)), int)
        labels = pd.Index(GENDER).get_indexer(own[side])  # -1 where there is no group
        np.add.at(counts, (documents[labels >= 0], labels[labels >= 0]), 1)
        rng = generator(seed, "table4", target)
        times = rng.multinomial(size, np.full(size, 1 / size), size=replicates)
        times = np.vstack([np.ones(size, dtype=int), times])
        shares = sum_normalize((times @ counts).astype(float))
        columns[target] = shares[:, 0] - 0.5
    return pd.DataFrame(columns, index=range(1 + replicates))


# -- agreement of annotators with each other (section 7), and of the measure with them -------------
# The measure gives a context to a group that alone is mentioned. Footnote 3 says that this gains
# precision over a mere mention, at little cost in recall: here it is counted.

LABEL_COLUMNS = ["item", "target", "document", "everyone", "annotator", "label"]


def agreement_evidence(annotations: pd.DataFrame, sample: Sample) -> pd.DataFrame:
    """Return every label, with what is known of its context."""
    items = [sample.items[name] for name in annotations["item"]]
    documents, everyone = [item.document for item in items], [item.everyone for item in items]
    return annotations.assign(document=documents, everyone=everyone)[LABEL_COLUMNS]


def summarise_agreement(job: Job) -> Iterator[dict]:
    """Kappa and alpha of the annotators; precision and recall of two automated rules."""
    if "annotations/labels" not in job:
        return
    labels, contexts = (job.table(f"annotations/{name}") for name in ("labels", "contexts"))
    if labels.empty:
        return
    rng = generator(job.seed, "agreement")
    of_all = labels[labels["everyone"].astype(bool)]
    for row, statistic, part in (
        ("fleiss_kappa", fleiss_kappa, of_all),
        ("krippendorff_alpha", krippendorff_alpha, labels),
    ):
        estimate = statistic(part, [*GENDER, NONE], job.replicates, job.level, rng)
        if np.isnan(estimate.value):
            continue  # fewer than two annotators or contexts, or one label throughout
        facts = {"n": estimate.n, "n_unit": "contexts", "unit": "agreement beyond chance"}
        facts |= {"interval": (estimate.low, estimate.high), "draws": as_many(estimate.draws)}
        facts["note"] = f"{part['annotator'].nunique()} annotators"
        yield value(row, "value", estimate.value, **facts)
    for variant, own in contexts[contexts["n"] == contexts["n"].max()].groupby("variant"):
        yield from _rules(own, variant, job.level)


def _rules(own: pd.DataFrame, variant: str, level: float) -> Iterator[dict]:
    """Precision and recall of both rules on whole contexts, with the labels of people as truth."""
    documents, _ = pd.factorize(own["document"])
    mentioned = own["mentioned"].str.split(";")
    for group in GENDER:
        truth = (own["human"] == group).to_numpy()
        rules = {
            "exclusive": (own["automated"] == group).to_numpy(),
            "any-mention": np.array([group in names for names in mentioned]),
        }
        for rule, predicted in rules.items():
            for what, among in (("precision", predicted), ("recall", truth)):
                if not among.any():
                    continue
                # The share of contexts with the label 0, which cluster in documents.
                hits = np.where(truth & predicted, 0, 1)[among]
                one = np.zeros_like(hits)
                shares = clustered_shares(hits, one, documents[among], 1, 2, level)
                row, column = f"{what} {group}", f"{rule}@{variant}"
                yield value(
                    row,
                    column,
                    shares.share[0, 0],
                    interval=(shares.low[0, 0], shares.high[0, 0]),
                    draws=shares.draws([f"{row} {column}"])[:, 0],
                    n=int(shares.n[0]),
                    n_unit="contexts",
                    unit="share of contexts",
                )
