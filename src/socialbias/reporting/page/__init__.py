"""The pages of a run: the result on one, every number of a paper on a page of its own."""

from socialbias.reporting.page.write import write_pages

__all__ = ["write_pages"]
