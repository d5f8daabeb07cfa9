"""Checks of the printed numbers are skipped until something that they read changes."""

import pytest

from tests import paths

pytest_plugins = ("pytester",)

CHECK = """
import pathlib, pytest

@pytest.mark.printed
@pytest.mark.parametrize("digit", "12")
def test_digit(digit):
    assert digit in pathlib.Path("resources/published/table1.csv").read_text()

def test_other():
    pass
"""


@pytest.fixture
def outcomes(pytester, monkeypatch):
    """Write what is printed, and count what a run of the checks comes to."""
    monkeypatch.setattr(paths, "REPOSITORY", pytester.path)
    table = pytester.path / "resources/published/table1.csv"
    table.parent.mkdir(parents=True)
    pytester.makepyfile(CHECK)

    def run(printed: str, *arguments: str) -> dict[str, int]:
        table.write_text(printed, "utf-8")
        return pytester.runpytest_inprocess("-p", "tests.unchanged", *arguments).parseoutcomes()

    return run


def test_what_passed_is_skipped_until_the_digits_change(outcomes):
    assert outcomes("12")["passed"] == 3
    again = outcomes("12")
    assert (again["passed"], again["skipped"]) == (1, 2)
    assert outcomes("1 2")["passed"] == 3


def test_without_a_cache_everything_runs(outcomes):
    for _ in range(2):
        assert outcomes("12", "-p", "no:cacheprovider")["passed"] == 3


def test_what_failed_runs_again(outcomes):
    for _ in range(2):
        assert outcomes("1")["failed"] == 1


def test_a_cleared_cache_runs_everything(outcomes):
    outcomes("12")
    assert outcomes("12", "--cache-clear")["passed"] == 3
