"""Corpora: readers of the published formats and of a user's own files, one document at a time."""
