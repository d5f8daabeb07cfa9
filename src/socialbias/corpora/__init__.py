"""Corpora: readers of published formats and of users' own files, one document at a time."""
