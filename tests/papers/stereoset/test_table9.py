"""Table 9: the share of labels `related`, against numbers worked out by hand."""

import pytest

from socialbias.papers.stereoset import data_tables
from tests.papers.stereoset.tiny import ITEMS, SENTENCES, cells


def test_the_share_of_labels():
    """Of 45 labels three are `related`, of Peru's 30 all three, of its stereotypes' ten too."""
    result = cells(data_tables.values_of_table9(SENTENCES, 1))
    assert result["all", "related"]["value"] == pytest.approx(100 * 3 / 45)
    assert result["race", "related"]["value"] == pytest.approx(100 * 3 / 30)
    assert result["race", "related stereotype"]["value"] == pytest.approx(100 * 3 / 10)
    assert result["race", "related unrelated"]["value"] == 0
    assert result["all", "related"]["n"] == 3


def test_domains_are_sampled_by_term_and_a_term_by_item():
    as_tailor = ITEMS.assign(target=ITEMS["target"].replace("Peru", "tailor"))
    result = cells(data_tables.values_of_table9(as_tailor, 1))
    # Samples of its two items have 2, 3 or 4 of 30 labels; stretched, these are three numbers.
    draws = result["tailor", "related stereotype"]["draws"]
    assert len({round(float(draw), 6) for draw in draws}) == 3
    assert result["tailor", "related"]["n"] == 2


def test_of_one_split_only_its_terms_have_a_number():
    part = ITEMS[ITEMS["split"] == "development"]
    assert data_tables.values_of_table9(part, 1) == []
