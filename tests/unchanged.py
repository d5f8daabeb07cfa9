"""Checks of the printed numbers, which run when something that they read has changed.

A test marked `printed` reads the printed numbers, the print audits and the texts of the papers, and
nothing else that this project changes. Which of them passed is kept in pytest's cache with a digest
of what they read, and as long as the digest stays they are skipped. A fresh clone has no cache.
"""

from __future__ import annotations

from hashlib import sha256

import pytest

from tests import paths

READ = (
    "resources/published/*.csv",
    "src/socialbias/papers/**/print_audit.py",
    "src/socialbias/reporting/print_checks.py",
    "tests/papers/**/test_print_audit.py",
    "tests/real/test_published.py",
)
KEY = "socialbias/printed"
REASON = "unchanged since it last passed; `make test-long` runs it"


def digest() -> str:
    """Of the names and the bytes of all that the checks read."""
    files = sorted(path for pattern in READ for path in paths.REPOSITORY.glob(pattern))
    found = [(str(file), sha256(file.read_bytes()).hexdigest()) for file in files]
    return sha256(repr(found).encode()).hexdigest()


class Passed:
    """Remembers which checks passed in this run."""

    def __init__(self, cache: pytest.Cache) -> None:
        self.cache, self.digest, self.tests = cache, digest(), set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed and "printed" in report.keywords:
            self.tests.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        known = self.cache.get(KEY, {})
        self.cache.set(KEY, known | dict.fromkeys(sorted(self.tests), self.digest))


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "cache") and not hasattr(config, "workerinput"):
        # One process hears of all tests; with `-p no:cacheprovider` nothing is kept.
        config.pluginmanager.register(Passed(config.cache))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    passed = config.cache.get(KEY, {}) if hasattr(config, "cache") else {}
    now = digest()
    for item in items:
        if item.get_closest_marker("printed") and passed.get(item.nodeid) == now:
            item.add_marker(pytest.mark.skip(reason=REASON))
