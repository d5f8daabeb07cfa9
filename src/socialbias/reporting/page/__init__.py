"""The pages of a run: the result on one, every number of a paper on a page of its own."""

from socialbias.reporting.page.write import Run, write_pages

__all__ = ["Run", "write_pages"]
