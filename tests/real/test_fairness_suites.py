"""Suites of the released templates and terms, against what the paper says of them.

The numbers are counted in print (Tables 3, 4; section 5) or in the files by other means than the
readers'; `SOCIALBIAS_MIRROR` names the folder with the files.
"""

from __future__ import annotations

import csv
import os
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

from socialbias.measures.spans import may_follow, spans
from socialbias.papers.fairness import data_tables
from socialbias.papers.fairness.suites import released_templates, suite
from socialbias.papers.fairness.terms import (
    NAMES,
    NATIONALITY,
    TERMS,
    identity_terms,
    nationalities,
)
from socialbias.reporting.values import read_published
from tests.paths import PUBLISHED

FOLDER = Path(os.environ.get("SOCIALBIAS_MIRROR", "")) / "fairness-metrics"
pytestmark = pytest.mark.skipif(
    not os.environ.get("SOCIALBIAS_MIRROR") or not FOLDER.exists(),
    reason="SOCIALBIAS_MIRROR is not set, or has no fairness-metrics",
)
TERMS_FOLDER = FOLDER / "terms/identity_terms"
NAMED = [
    (NAMES, gender, name, "name", name, "") for gender in "fm" for name in (gender, gender * 2)
]


@pytest.fixture(scope="module")
def terms():
    found = [identity_terms(TERMS_FOLDER)[0], nationalities(TERMS_FOLDER / "countries.csv")[0]]
    return pd.concat([*found, pd.DataFrame(NAMED, columns=TERMS)], ignore_index=True)


@pytest.fixture(scope="module")
def templates():
    return released_templates(FOLDER / "templates")


@pytest.fixture(scope="module")
def suites(templates, terms):
    table, left = suite(templates, terms)
    assert left.empty  # every template is filled, and every group has a variant of each
    return table


def rows(name):
    """A file of terms without this project's readers."""
    with (TERMS_FOLDER / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_groups_are_those_of_table_3(terms):
    printed = read_published(PUBLISHED / "fairness_table3.csv").set_index("row")["value"]
    found = terms.groupby("attribute")["group"].nunique()
    assert found.astype(str).to_dict() == printed.to_dict()


def test_what_is_left_out_of_the_files():
    _, left = identity_terms(TERMS_FOLDER)
    counts = left.groupby(["attribute", "reason"]).size().to_dict()
    assert counts["disability", "not recommended"] == 33  # of 57, so that 24 are kept
    assert counts["gender", "no group"] == 2
    assert counts["religion", "no group"] == 10
    nouns = [row for row in rows("age.csv") if row["POS"] == "n"]
    assert counts["age", "of age, adjectives alone are used"] == len(nouns)
    assert left.loc[left["reason"] == "no part of speech", "item"].tolist() == ["cis man"]
    assert "very-young" not in set(identity_terms(TERMS_FOLDER)[0]["group"])


def test_countries_and_their_gdp(terms):
    of = terms[(terms["attribute"] == NATIONALITY) & (terms["word_class"] == "country")]
    ordered = sorted(
        (float(row["GDP_PPP"]), row["TERM"]) for row in rows("countries.csv") if row["GDP_PPP"]
    )
    assert len(ordered) == len(of) == 195 - 8
    by_name = of.set_index("term")["group"]
    groups = [by_name[name] for _, name in ordered]
    assert groups == sorted(groups)
    assert (groups[0], by_name["Tuvalu"], by_name["China"]) == ("q1", "q1", "q6")
    assert set(of.groupby("group").size()) == {31, 32}
    assert sum(" " in row["TERM"] for row in rows("countries.csv")) == 39


def test_sixty_templates_of_each_attribute_balanced(suites):
    for attribute, part in suites.groupby("attribute"):
        found = data_tables.counts_of_templates(part)
        assert found["templates"] == 60, attribute
        assert {found[name] for name in data_tables.SENTIMENTS} == {20}, attribute
        assert found["without_variant"] == 0
    kinds = data_tables.counts_of_templates(suites[suites["attribute"] == "disability"])
    assert (kinds["generic"], kinds["specific"]) == (29, 31)


def test_tags_are_whole_and_cover_the_country(suites):
    of = suites[(suites["word_class"] == "country") & (suites["tags"] != "")]
    for row in of.itertuples(index=False):
        tokens, tags = row.tokens.split(), row.tags.split()
        assert all(may_follow(tag, before) for before, tag in pairwise(["O", *tags, "O"]))
        named = {" ".join(tokens[each.first : each.end]) for each in spans(tags)}
        assert named & {row.term, row.term[0].upper() + row.term[1:]}
