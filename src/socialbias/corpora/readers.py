"""Readers of news, reviews and generated text, and the table of all readers.

Every reader is a generator of `Document`, takes the path first and a `ReadReport` second, and
reads gzip, bzip2 and zip (with `member`) as it goes. `cut=True` says that the file is known to be
the beginning of a longer one; without it, a file that breaks off is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from socialbias.corpora.documents import Document, ReadReport, counted
from socialbias.corpora.own import (
    csv_documents,
    json_documents,
    plain_text,
)
from socialbias.corpora.packaged import imdb_json, imdb_parquet, imdb_tar, text_archive
from socialbias.corpora.parquet import parquet_text
from socialbias.corpora.streams import Gathered, Source, lines
from socialbias.corpora.wikipedia import (
    gensim_wiki,
    lateral_wikipedia,
    wikipedia_xml,
    wikitext,
)
from socialbias.errors import UserError

NYT_URL = re.compile(r"URL: (\S+)")
DATED = re.compile(r"^(?:https?://[^/]+)?/(.*?)/?(\d{4})/(\d\d)/(\d\d)/(?:([^/]+)/)?")
SAMPLE = re.compile(r"={40} SAMPLE (\d+) ={40}")
END_OF_TEXT = "<|endoftext|>"
IN_PARTS = ("gensim-wikipedia", "parquet-text")  # formats whose files may be the parts of one
SENTENCE_FIELDS = 3


def read_documents(
    folder: Path,
    manifest: dict,
    report: ReadReport | None = None,
    *,
    file: str | None = None,
    **options,
) -> Iterator[Document]:
    """Read a fetched corpus.

    Args:
        folder: The folder in which the source's files lie.
        manifest: The source's manifest; its `format` says how to read.
        report: Where to count.
        file: Which of the source's files, where it has several that are not the parts of one.
        options: What the reader of that format takes.

    Returns:
        An iterator of `Document`.

    Raises:
        UserError: the format is unknown, a file is not of that format, or there are several.
    """
    if manifest["format"] not in READERS:
        raise UserError(f"{manifest['source']}: no reader for the format {manifest['format']!r}")
    names = [entry["path"] for entry in manifest["files"] if file in (None, entry["path"])]
    paths = [folder / name for name in names]
    if len(paths) != 1 and (manifest["format"] not in IN_PARTS or not paths):
        told = ", ".join(entry["path"] for entry in manifest["files"][:8])
        raise UserError(f"{manifest['source']}: say which file: {told}")
    reader = READERS[manifest["format"]]
    return reader(paths[0] if len(paths) == 1 else paths, report, **options)


def nyt_text(
    path: Source,
    report: ReadReport | None = None,
    *,
    cut: bool = False,
    member: str | None = None,
) -> Iterator[Document]:
    """New York Times articles as on Kaggle: a line `URL: ...`, then paragraphs, one a line.

    Args:
        path: `nytimes_news_articles.txt`.
        report: Where to count.
        cut: The compressed file is the beginning of a longer one.
        member: Which file of a zip.

    Yields:
        Articles, the last one too; `id` is the URL, `metadata` has `url`, `date` (`2016-06-30`,
        "" where the URL has none) and `section`: the folder behind the date, or the one before it
        where there is one (`aponline`, `interactive`).

    Raises:
        UserError: text stands before the first `URL:`, or the file cannot be read.
    """
    report = report or ReadReport()
    return counted(_nyt(path, lines(path, report, cut=cut, member=member)), report)


def _nyt(path: Source, numbered: Iterable[tuple[int, str]]) -> Iterator[Document]:
    url, body = None, Gathered(path)
    for number, line in numbered:
        match = NYT_URL.fullmatch(line.strip())
        if match:
            if url is not None:
                yield Document(url, body.take(), _about(url))
            url = match[1]
        elif url is not None and line.strip():
            body.add(line.strip(), number)
        elif line.strip():
            raise UserError(f"{path}, line {number}: should be `URL: ...`, not {line[:40]!r}")
    if url is not None:
        yield Document(url, body.take(), _about(url))


def _about(url: str) -> dict:
    """What a URL of the New York Times tells."""
    match = DATED.match(url)
    if match is None:
        return {"url": url, "date": "", "section": ""}
    before, year, month, day, after = match.groups()
    section = before.split("/")[0] or after or ""
    return {"url": url, "date": f"{year}-{month}-{day}", "section": section}


def goodreads(
    path: Source,
    report: ReadReport | None = None,
    *,
    cut: bool = False,
    member: str | None = None,
) -> Iterator[Document]:
    """Goodreads reviews of the UCSD Book Graph: JSON lines, mostly gzipped.

    Yields:
        Reviews; `id` is `review_id`, `metadata` has every other key but the text (`book_id` and
        `user_id` are strings, `rating` is 0 to 5). The text is as it stands: its line breaks are
        surrounded by blanks.

    Raises:
        UserError: a line is not such a record, or the file cannot be read.
    """
    keys = {"text": "review_text", "name": "review_id"}
    return json_documents(path, report, **keys, cut=cut, member=member)


def goodreads_sentences(
    path: Source,
    report: ReadReport | None = None,
    *,
    cut: bool = False,
    member: str | None = None,
) -> Iterator[Document]:
    """Single sentences of Goodreads reviews: sentence, part and number of the review, by tabs.

    Yields:
        Sentences; `id` is the line number, `metadata` has `part` (`train`) and `review`, which
        several sentences share. They are lower-cased, and come without their books.

    Raises:
        UserError: a line has not three fields, or the file cannot be read.
    """
    report = report or ReadReport()
    return counted(_sentences(path, lines(path, report, cut=cut, member=member)), report)


def _sentences(path: Source, numbered: Iterable[tuple[int, str]]) -> Iterator[Document]:
    for number, line in numbered:
        fields = line.split("\t")
        if len(fields) != SENTENCE_FIELDS:
            raise UserError(
                f"{path}, line {number}: should be sentence, part and review, by tabs: it begins "
                f"{line[:40]!r}"
            )
        yield Document(str(number), fields[0], {"part": fields[1], "review": fields[2]})


def gpt2_jsonl(
    path: Source,
    report: ReadReport | None = None,
    *,
    cut: bool = False,
    member: str | None = None,
) -> Iterator[Document]:
    """The GPT-2 output dataset: JSON lines with `id`, `ended`, `length` and `text`.

    Yields:
        Texts; `id` is the record's, or its line number where it has none (some copies), `metadata`
        has the other keys. `ended` False means cut at 1,024 tokens, `length` counts them.

    Raises:
        UserError: a line is not JSON with a `text`, such as an error page saved as data.
    """
    return json_documents(path, report, name="id", numbered=True, cut=cut, member=member)


def gpt2_samples(
    path: Source,
    report: ReadReport | None = None,
    *,
    split_texts: bool = False,
    cut: bool = False,
    member: str | None = None,
) -> Iterator[Document]:
    """Samples of the gpt-2 repository, each below a line `======== SAMPLE n ========`.

    Args:
        path: The file.
        report: Where to count.
        split_texts: Make a document of each piece of a sample between its `<|endoftext|>` marks,
            which are removed: what follows one is another text.
        cut: The compressed file is the beginning of a longer one.
        member: Which file of a zip.

    Yields:
        Samples as they stand (a conditional one begins with a blank); `id` is the number of the
        sample, with `.2` for its second piece, `metadata` has `sample` (int).

    Raises:
        UserError: text stands before the first sample, or the file cannot be read.
    """
    report = report or ReadReport()
    samples = _samples(path, lines(path, report, cut=cut, member=member))
    return counted(_pieces(samples) if split_texts else samples, report)


def _samples(path: Source, numbered: Iterable[tuple[int, str]]) -> Iterator[Document]:
    sample, body = None, Gathered(path)
    for number, line in numbered:
        match = SAMPLE.fullmatch(line)
        if match:
            if sample is not None:
                yield Document(sample, body.take(), {"sample": int(sample)})
            sample = match[1]
        elif sample is not None:
            body.add(line, number)
        elif line.strip():
            raise UserError(f"{path}, line {number}: no `SAMPLE n` line before this: {line[:40]!r}")
    if sample is not None:
        yield Document(sample, body.take(), {"sample": int(sample)})


def _pieces(samples: Iterable[Document]) -> Iterator[Document]:
    for sample in samples:
        for i, piece in enumerate(sample.text.split(END_OF_TEXT), 1):
            yield Document(f"{sample.id}.{i}", piece, sample.metadata)


READERS: dict[str, Callable[..., Iterator[Document]]] = {
    "wikitext": wikitext,
    "lateral-wikipedia": lateral_wikipedia,
    "wikipedia-xml": wikipedia_xml,
    "gensim-wikipedia": gensim_wiki,
    "nyt-text": nyt_text,
    "goodreads": goodreads,
    "goodreads-sentences": goodreads_sentences,
    "gpt2-jsonl": gpt2_jsonl,
    "gpt2-samples": gpt2_samples,
    "plain-text": plain_text,
    "jsonl": json_documents,
    "csv": csv_documents,
    "parquet-text": parquet_text,
    "text-archive": text_archive,
    "nyt-obituaries": text_archive,
    "imdb-tar": imdb_tar,
    "imdb-parquet": imdb_parquet,
    "imdb-json": imdb_json,
}
