"""The gathered seed sets."""

from socialbias.datasets import seeds


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
