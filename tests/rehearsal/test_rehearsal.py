"""The parts of the rehearsal that a test can look at without running it."""

from tests.rehearsal import generate


def test_every_source_that_the_runs_bind_has_a_generator():
    assert set(generate.bound_sources()) == set(generate.GENERATORS)
