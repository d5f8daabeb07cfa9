"""Agreement of annotators with each other (section 7), and of the measure with them.

The measure gives a context to a group that alone is mentioned. Footnote 3 says that this gains
precision over a mere mention, at little cost in recall: here it is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from socialbias.annotation.items import NONE, Sample
from socialbias.datasets.census import GENDER
from socialbias.pipeline.job import Job
from socialbias.reporting.values import value
from socialbias.stats.agreement import fleiss_kappa, krippendorff_alpha
from socialbias.stats.clustered import clustered_shares
from socialbias.stats.draws import as_many
from socialbias.stats.seeding import generator

COLUMNS = ["item", "target", "document", "everyone", "annotator", "label"]


def evidence(annotations: pd.DataFrame, sample: Sample) -> pd.DataFrame:
    """Return every label, with what is known of its context."""
    items = [sample.items[name] for name in annotations["item"]]
    documents, everyone = [item.document for item in items], [item.everyone for item in items]
    return annotations.assign(document=documents, everyone=everyone)[COLUMNS]


def summarise(job: Job) -> Iterator[dict]:
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
        yield from _rules(own, variant, GENDER, job.level)


def _rules(own: pd.DataFrame, variant: str, groups: Sequence[str], level: float) -> Iterator[dict]:
    """Precision and recall of both rules on whole contexts, with the labels of people as truth."""
    documents, _ = pd.factorize(own["document"])
    mentioned = own["mentioned"].str.split(";")
    for group in groups:
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
