"""Claims on amplification in worlds where it is known what probes do."""

import numpy as np
import pandas as pd
import pytest

from socialbias.files.yaml_files import read_yaml
from socialbias.papers.trustworthy import probes, table6
from socialbias.reporting.statements import Cells, verdict_on
from socialbias.reporting.values import DRAWN
from socialbias.stats.draws import DRAWS
from tests.paths import RESOURCES
from tests.records import values_table

TARGETS = [f"t{i}" for i in range(8)]
CLAIMS = {c["id"]: c["predicate"] for c in read_yaml(RESOURCES / "claims.yaml")}
SHARES = np.array([0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85])
DOCUMENTS, NEITHER = 60, 0.5


def contexts(rng, shares, documents):
    """Target, document, probability of the first group and of no group, and label, of contexts."""
    sizes = rng.integers(1, 5, size=(len(shares), documents))
    of_document = rng.beta(6 * shares[:, None], 6 * (1 - shares[:, None]), sizes.shape)
    target, document = np.repeat(np.indices(sizes.shape).reshape(2, -1), sizes.ravel(), axis=1)
    mean = np.clip(of_document[target, document], 0.02, 0.98)
    first = rng.beta(8 * mean, 8 * (1 - mean))
    neither = np.clip(rng.normal(NEITHER, 0.1, len(first)), 0.1, 0.9)
    label = np.where(rng.random(len(first)) < neither, 2, rng.random(len(first)) > first)
    return pd.DataFrame(
        {"target": target, "document": target * documents + document, "first": first,
         "neither": neither, "label": label.astype(int)}
    )  # fmt: skip


def trained_shares(rng):
    """The first group's share among the labels that a probe was trained on."""
    given = contexts(rng, SHARES, 2 * DOCUMENTS)
    given = given[given["label"] < 2]
    return 1 - given.groupby("target")["label"].mean().to_numpy()


def evidence(rng, amplified):
    """Probes whose probabilities are those of the labels, but pushed where they are amplified.

    They repeat some of the chance in the labels that they were trained on, and controls know less.
    """
    held_out, trained = contexts(rng, SHARES, DOCUMENTS), trained_shares(rng)
    own = trained[held_out["target"]]
    push = (amplified * np.sign(SHARES - 0.5))[held_out["target"]]
    first = {
        "given": np.clip(0.8 * held_out["first"] + 0.2 * own + push, 0.01, 0.99),
        "majority": own,
        "one-hot": 0.5 * own + 0.25,
        "random": 0.4 * held_out["first"] + 0.3,
        "shuffled": np.full(len(own), 0.5),
    }
    parts = []
    for kind, share in first.items():
        p = np.column_stack([share, 1 - share]) * (1 - held_out[["neither"]].to_numpy())
        part = held_out[["document", "label"]].assign(kind=kind, seed=0, variant="v")
        part["target"] = np.array(TARGETS)[held_out["target"]]
        part[probes.SHARES] = np.column_stack([p, held_out["neither"]])
        part["predicted"] = part[probes.SHARES].to_numpy().argmax(axis=1)
        parts.append(part.assign(corpus_documents=DOCUMENTS))
    return pd.concat(parts, ignore_index=True)


def samples(rng):
    """What a model writes that says what its text says."""
    wrote = contexts(rng, SHARES, DOCUMENTS)
    table = wrote.assign(female=wrote["label"] == 0, male=wrote["label"] == 1)
    table["target"] = np.array(TARGETS)[table["target"]]
    return table.groupby(["target", "document"], as_index=False)[["female", "male"]].sum()


def world(rng, amplified=0.0):
    """The cells of Table 6 in one world; `amplified` is by how much, of all or of each target."""
    probe = evidence(rng, np.broadcast_to(amplified, 8))
    levels = table6.of_same_contexts(probe, "v", 0.95)
    levels.biases["L3"] = table6.directed(samples(rng), 0.95, "samples")
    return list(table6.values({"paired": levels}, TARGETS, 0.95))


def verdict(records, claim):
    """The verdict on a claim, with these rows alone."""
    table = values_table("table6", records, 1)
    drawn = {
        (r["row"], r["column"]): np.stack(
            [np.broadcast_to(r.get(name, np.nan), DRAWS) for name in DRAWN]
        )
        for r in records
    }
    cells = Cells({"trustworthy_table6": table}, {}, lambda target: drawn)
    return verdict_on(CLAIMS[claim], cells).verdict


@pytest.mark.parametrize(("amplified", "expected"), [(0.25, "holds"), (-0.25, "fails")])
def test_claims_on_amplification_follow_what_probes_do(amplified, expected):
    records = world(np.random.default_rng(1), amplified)
    assert verdict(records, "trustworthy-amplification") == expected
    assert verdict(records, "trustworthy-dormant") == expected
