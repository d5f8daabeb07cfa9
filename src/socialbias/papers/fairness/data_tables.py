"""Tables 2, 3, 4 and 6: the registry of metrics, and counts of terms and templates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256

import pandas as pd

from socialbias.measures.fairness.metrics import size
from socialbias.measures.fairness.registry import TABLE2, Metric
from socialbias.papers.fairness.suites import GENERIC, NAMES_ALONE, SPECIFIC, SUITES, TERMS_EVIDENCE
from socialbias.papers.fairness.terms import NAMES, NATIONALITY, kept
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact

KINDS = ("BCM", "VBCM", "PCM", "MCM")
SUM = "sum"
GROUPS = 8  # of which Table 2's normalisers are shown: those of gender
NUMBERS = ("published", "corrected")  # columns that are no marks and have no sum


def marks(metric: Metric) -> dict[str, int]:
    """Return which of Table 2's marks a metric has, 1 or 0, and its normalisers, by column."""
    group = not metric.counterfactual
    return {
        **{kind: int(metric.printed_kind == kind) for kind in KINDS},
        "group": int(group),
        "predictions": int(group and not metric.of_probabilities),
        "counterfactual": int(metric.counterfactual),
        "many": int(metric.many),
        "binary": int(metric.many and metric.binary),
        "signed": int(metric.many and metric.signed),
        **{name: size(getattr(metric, name), GROUPS) for name in NUMBERS},
    }


def table2(job: Job) -> list[dict]:
    """Return all cells, from the registry."""
    rows = {metric.name: marks(metric) for metric in TABLE2}
    first = next(iter(rows.values()))
    rows[SUM] = {
        name: sum(row[name] for row in rows.values()) for name in first if name not in NUMBERS
    }
    return [
        exact(row, column, number, unit="metrics")
        for row, numbers in rows.items()
        for column, number in numbers.items()
    ]


def counts_of_terms(terms: pd.DataFrame, suite: pd.DataFrame) -> dict[str, tuple[int, str]]:
    """Return the numbers of one attribute with their units, by column.

    A country with its adjective counts as one term, and so does a term in two word classes.
    """
    used = kept(terms)
    by_group = used.drop_duplicates(["group", "unit"]).groupby("group").size()
    filling = len(suite.drop_duplicates(["group", "unit"]))
    # A country without an adjective is kept, though its adjective is not.
    gone = terms[terms["reason"] != ""]
    left = set(zip(gone["term"], gone["place"], strict=True))
    left -= set(zip(used["term"], used["place"], strict=True))
    return {
        "groups": (len(by_group), "groups"),
        "terms": (int(by_group.sum()), "terms"),
        "filling": (filling, "terms"),
        "left_out": (len(left), "terms"),
        "single": (int((by_group == 1).sum()), "groups"),
    }


def table3(job: Job) -> list[dict]:
    """Return all cells; they are counts of all that there is, so that nothing varies."""
    suites, records = job.table(SUITES), []
    for attribute, part in job.table(TERMS_EVIDENCE).groupby("attribute", sort=False):
        numbers = counts_of_terms(part, suites[suites["attribute"] == attribute])
        records += [
            exact(attribute, column, number, unit=unit)
            for column, (number, unit) in numbers.items()
        ]
    return records


def table4(job: Job) -> Iterator[dict]:
    """Yield all cells; they are counts of all that there is, so that nothing varies."""
    table = kept(job.table(TERMS_EVIDENCE))
    table = table[table["attribute"] == "gender"]
    for group, printed in job.word_lists("fairness")["table4"].items():
        terms = table[table["group"] == group]
        with_class = terms["term"] + " (" + terms["word_class"] + ")"  # as in `female (adj)`
        in_print = {*printed} & {*terms["term"], *with_class}
        yield exact(group, "terms", len(terms), unit="terms")
        yield exact(group, "in_print", len(in_print), unit="terms")


SENTIMENTS = {"negative": 0, "neutral": 1, "positive": 2}
COUNTRY = re.compile(r"\{country\}", re.IGNORECASE)
DIGITS = 12  # of a digest, in resources/word_lists/fairness.yaml
# The examples that print has: of generic templates, of nationality's and of those for names.
EXAMPLES = {"gender": (GENERIC, GENERIC), NATIONALITY: (NATIONALITY, SPECIFIC),
            NAMES: (NAMES_ALONE, NAMES_ALONE)}  # fmt: skip


def digest(template: str) -> str:
    """Return the digest of a template, for `resources/word_lists/fairness.yaml`."""
    letters = re.sub(r"[^a-z0-9]", "", template.lower())
    return sha256(letters.encode()).hexdigest()[:DIGITS]


def counts_of_templates(suite: pd.DataFrame) -> dict[str, int]:
    """Return the numbers of one attribute, by column."""
    templates = suite.drop_duplicates("source")
    with_tags = templates["tags"] != ""
    by_source = suite.groupby("source")["group"].nunique()
    return {
        "templates": len(templates),
        **{name: int((templates["label"] == label).sum()) for name, label in SENTIMENTS.items()},
        "generic": int((templates["kind"] == GENERIC).sum()),
        "specific": int((templates["kind"] != GENERIC).sum()),
        "tagged": int(with_tags.sum()),
        "country_slots": int((with_tags & templates["template"].str.contains(COUNTRY)).sum()),
        "examples": len(suite),
        "without_variant": int((by_source < suite["group"].nunique()).sum()),
    }


def table6(job: Job) -> Iterator[dict]:
    """Yield all cells; they are counts of all that there is, so that nothing varies."""
    printed = job.word_lists("fairness")["table6"]
    for attribute, suite in job.table(SUITES).groupby("attribute", sort=False):
        numbers = counts_of_templates(suite)
        if attribute not in (NATIONALITY, NAMES):
            del numbers["tagged"]
        if attribute != NATIONALITY:
            del numbers["country_slots"]
        if attribute in EXAMPLES:
            name, kind = EXAMPLES[attribute]
            of_kind = suite.loc[suite["kind"] == kind, "template"].unique()
            numbers["printed"] = len({*printed[name]} & {*map(digest, of_kind)})
        for column, number in numbers.items():
            unit = "examples" if column in ("examples", "printed") else "templates"
            yield exact(attribute, column, number, unit=unit)
