"""Second places of files with a checksum."""

import pytest

from socialbias.sources.copies import copies
from socialbias.sources.registry import SourceFile

COMMIT, SHA = "c0" * 20, "5a" * 32


def file(*locators, sha256=SHA):
    return SourceFile(name="a.csv", sha256=sha256, locators=list(locators))


@pytest.mark.parametrize(
    ("locator", "elsewhere"),
    [
        (
            f"https://raw.githubusercontent.com/owner/lists/{COMMIT}/data/a b.csv",
            [
                f"https://cdn.jsdelivr.net/gh/owner/lists@{COMMIT}/data/a b.csv",
                f"https://archive.softwareheritage.org/api/1/content/sha256:{SHA}/raw/",
            ],
        ),
        (
            f"hf://owner/model@{COMMIT}/config.json",
            [f"https://hf-mirror.com/owner/model/resolve/{COMMIT}/config.json"],
        ),
        (
            f"hf://datasets/owner/texts@{COMMIT}/train/0.parquet",
            [f"https://hf-mirror.com/datasets/owner/texts/resolve/{COMMIT}/train/0.parquet"],
        ),
        ("https://raw.githubusercontent.com/owner/lists/main/a.csv", []),  # a branch moves
        ("https://example.org/a.csv", []),
        ("manual://", []),
    ],
)
def test_copies_of_what_lies_on_github_and_on_the_hub(locator, elsewhere):
    assert copies(file(locator)) == elsewhere


def test_without_a_checksum_nobody_else_is_asked():
    assert copies(file(f"hf://owner/model@{COMMIT}/config.json", sha256="unknown")) == []


def test_a_place_that_is_named_already_is_not_asked_twice():
    named = f"https://cdn.jsdelivr.net/gh/owner/lists@{COMMIT}/a.csv"
    raw = f"https://raw.githubusercontent.com/owner/lists/{COMMIT}/a.csv"
    assert named not in copies(file(raw, named))
