"""Artefacts of the outside world: where they are, whether they are right, how to fetch them."""
