"""A folder with valid files, in which each case puts its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adversary import given
from tests.paths import REPOSITORY


@pytest.fixture(autouse=True)
def few_draws() -> Iterator[None]:
    """Intervals from few resamples: the cases are about the numbers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("socialbias.measurement.reliability.HALVES", 4)
        patch.setattr("socialbias.commands.measure_vectors.DRAWS", 20)
        yield


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """The folder in which the command runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    files = {
        "g.txt": given.GROUP_FILE,
        "good.vec": given.text(),
        "good.txt": given.LINES,
        "first.csv": given.decisions(given.FIRST),
        "second.csv": given.decisions(given.SECOND),
        "printed.csv": given.PRINTED,
        "config.yaml": (REPOSITORY / "config.yaml").read_text("utf-8"),
    }
    for name, data in files.items():
        (tmp_path / name).write_text(data)
    return tmp_path
