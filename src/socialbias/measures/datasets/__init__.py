"""Data sets and word lists of the field, read into flat tables and plain dataclasses."""
