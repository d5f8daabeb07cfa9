from types import SimpleNamespace

import pytest

from socialbias.pipeline.cards import count_of, has_card


@pytest.mark.parametrize(
    ("names", "visible", "found"),
    [
        (["nvidia0", "nvidiactl"], None, True),
        (["nvidia12"], "1", True),
        (["nvidia0"], "", False),
        (["nvidia0"], "-1", False),
        (["nvidiactl", "nvidia-uvm", "null"], None, False),  # a driver without a card
        ([], None, False),
    ],
)
def test_cards_are_devices_that_nobody_hides(tmp_path, names, visible, found):
    for name in names:
        (tmp_path / name).touch()
    environment = {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    assert has_card(environment, tmp_path) == found


@pytest.mark.parametrize(
    ("resources", "count"),
    [
        ({}, 0),
        ({"gpu": SimpleNamespace(value=0)}, 0),  # `--resources gpu=0`
        ({"gpu": SimpleNamespace(value=4)}, 4),
        ({"gpu": 1}, 1),
    ],
)
def test_no_gpu_and_none_of_them_are_the_same(resources, count):
    assert count_of("gpu", resources) == count
