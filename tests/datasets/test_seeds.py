"""The gathered seed sets."""

import pytest

from socialbias.datasets import seeds
from tests.datasets.failing import fails


def seed_set(name, text, **changes):
    return {
        "Category": "tea", "Seeds": text, "Source / Justification": None, "Link": "https://x/y",
        "Source Categories": "curated, prior-work", "Used in Paper": "Tea (A et al., 2020)",
        "Seeds ID": name, **changes,
    }  # fmt: skip


def test_seeds(put):
    data = [
        seed_set("a", "['oolong', \"bo's\", 'Earl Grey']"),
        seed_set("b", "[]", **{"Source Categories": None}),
    ]
    table = seeds.read_seeds(put(data))
    assert table["seeds"].tolist() == [("oolong", "bo's", "Earl Grey"), ()]
    assert table["documented"].tolist() == [True, False]
    assert table["source_categories"].tolist() == [("curated", "prior-work"), ()]
    assert table["justification"].tolist() == ["", ""]
    assert set(table.columns) == {*seeds.COLUMNS.values(), "seeds", "documented"}


@pytest.mark.parametrize(
    ("record", "match"),
    [
        (seed_set("b", "['a', 1]"), "record 2: not a list of strings"),
        (seed_set("b", "['a'"), "record 2: not a Python list"),
        (seed_set("a", "['a']"), "duplicate id 'a'"),
        ({"Seeds": "[]"}, "record 2: no key 'Seeds ID'"),
        ("text", "record 2: no key 'Seeds ID'"),
    ],
)
def test_seeds_are_checked(put, record, match):
    fails(seeds.read_seeds, put([seed_set("a", "['x']"), record]), match)
