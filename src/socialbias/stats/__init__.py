"""Correlation, intervals and permutation tests."""
