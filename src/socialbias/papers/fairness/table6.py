"""Table 6 and section 5: how many templates there are, and of which kinds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256

import pandas as pd

from socialbias.papers.fairness.suites import GENERIC, NAMES_ALONE, SPECIFIC, SUITES
from socialbias.papers.fairness.terms import NAMES, NATIONALITY
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact

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


def counts(suite: pd.DataFrame) -> dict[str, int]:
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


def in_print(templates: pd.Series, printed: Sequence[str]) -> int:
    """Return how many printed examples are among the templates."""
    return len(set(printed) & {digest(template) for template in templates})


def summarise(job: Job) -> Iterator[dict]:
    """Yield all cells; they are counts of all that there is, so that nothing varies."""
    printed = job.word_lists("fairness")["table6"]
    for attribute, suite in job.table(SUITES).groupby("attribute", sort=False):
        numbers = counts(suite)
        if attribute not in (NATIONALITY, NAMES):
            del numbers["tagged"]
        if attribute != NATIONALITY:
            del numbers["country_slots"]
        if attribute in EXAMPLES:
            name, kind = EXAMPLES[attribute]
            of_kind = suite.loc[suite["kind"] == kind, "template"]
            numbers["printed"] = in_print(of_kind.drop_duplicates(), printed[name])
        for column, number in numbers.items():
            unit = "examples" if column in ("examples", "printed") else "templates"
            yield exact(attribute, column, number, unit=unit)
