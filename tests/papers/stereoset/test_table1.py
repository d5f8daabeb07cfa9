"""Table 1: terms, items and lengths, against numbers worked out by hand."""

import pandas as pd
import pytest

from socialbias.papers.stereoset import data_tables
from tests.papers.stereoset.tiny import ITEMS, SENTENCES, cells, numbers, printed


def test_the_length_of_an_intersentence_item_has_its_context():
    assert data_tables.lengths(ITEMS).tolist() == [4, 4, 4, 5, 5, 8, 3, 3, 3]


def test_terms_items_and_lengths_by_task_and_domain():
    result = numbers(data_tables.values_of_table1(SENTENCES))
    assert result["intra gender", "mean_length_words"] == 4
    assert result["inter race", "target_terms"] == 1
    assert result["inter race", "cats"] == 2
    assert result["inter race", "mean_length_words"] == pytest.approx((6 + 3) / 2)
    assert result["overall", "target_terms"] == 2
    assert result["overall", "cats"] == 3


def test_printed_totals_weight_domains_and_tasks_equally():
    result = numbers(data_tables.values_of_table1(SENTENCES))
    assert result["overall", "mean_length_words"] == pytest.approx((4 + 4.5) / 2)
    assert result["overall", "mean_length_by_item"] == pytest.approx((4 + 6 + 3) / 3)


def test_the_unweighted_mean_of_a_total_ignores_how_many_items_a_domain_has():
    again = ITEMS.iloc[:3].assign(domain="race", item="i4", sentence="One two.")
    more = pd.concat([ITEMS, again, again.assign(item="i5")], ignore_index=True)
    result = cells(data_tables.values_of_table1(more))
    total = result["intra total", "mean_length_words"]
    assert total["value"] == pytest.approx((4 + 2) / 2)
    assert total["n"] == 3
    assert result["intra total", "mean_length_by_item"]["value"] == pytest.approx(8 / 3)


def test_nothing_varies_in_what_was_counted_whole():
    for record in data_tables.values_of_table1(SENTENCES):
        assert record["draws"] == record["value"]


def test_there_is_a_row_for_each_in_print():
    rows = {row for row, _ in cells(data_tables.values_of_table1(SENTENCES))}
    assert rows <= set(printed("table1")["row"])
