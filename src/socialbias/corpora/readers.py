"""Readers of news, reviews and generated text, and the table of all readers.

Every reader is a generator of `Document` and takes the path first and a `ReadReport` second. It
reads gzip, bzip2 and zip (with `member`). `cut=True` means that the file is known to be truncated;
otherwise a file that breaks off is an error.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from socialbias.corpora.documents import Document, ReadReport, reader
from socialbias.corpora.packaged import imdb_json, imdb_parquet, text_archive
from socialbias.corpora.parquet import parquet_text
from socialbias.corpora.streams import LineBuffer, OddLines, lines
from socialbias.corpora.user_files import (
    csv_documents,
    json_documents,
    json_texts,
    plain_text,
)
from socialbias.corpora.wikipedia import lateral_wikipedia, wikitext
from socialbias.errors import UserError

NYT_URL = re.compile(r"URL: (\S+)")
DATED = re.compile(r"^(?:https?://[^/]+)?/(.*?)/?(\d{4})/(\d\d)/(\d\d)/(?:([^/]+)/)?")
IN_PARTS = "parquet-text"  # the format whose files may be parts of one


def read_documents(
    folder: Path,
    manifest: dict,
    report: ReadReport | None = None,
    *,
    file: str | None = None,
    **options,
) -> Iterator[Document]:
    """Read a fetched corpus."""
    if manifest["format"] not in READERS:
        raise UserError(f"{manifest['source']}: no reader for the format {manifest['format']!r}")
    names = [entry["path"] for entry in manifest["files"] if file in (None, entry["path"])]
    paths = [folder / name for name in names]
    if len(paths) != 1 and (manifest["format"] != IN_PARTS or not paths):
        names = ", ".join(entry["path"] for entry in manifest["files"][:8])
        raise UserError(f"{manifest['source']}: choose one of its files: {names}")
    read = READERS[manifest["format"]]
    return read(paths[0] if len(paths) == 1 else paths, report, **options)


@reader
def nyt_text(path: Path, report: ReadReport, **options) -> Iterator[Document]:
    """Yield New York Times articles as on Kaggle: a line `URL: ...`, then a paragraph per line."""
    stripped = ((number, line.strip()) for number, line in lines(path, report, **options))
    paragraphs = ((number, line) for number, line in stripped if line)
    for url, body in _sections(path, paragraphs, NYT_URL, "a line `URL: ...`", report):
        date = section = ""
        if match := DATED.match(url):
            before, year, month, day, after = match.groups()
            date, section = f"{year}-{month}-{day}", before.split("/")[0] or after or ""
        yield Document(url, body, {"url": url, "date": date, "section": section})


def _sections(
    path: Path,
    numbered: Iterable[tuple[int, str]],
    heading: re.Pattern[str],
    expected: str,
    report: ReadReport,
) -> Iterator[tuple[str, str]]:
    """Yield the name in each heading, and the text below it."""
    odd, number, name, body = OddLines(report), 0, None, LineBuffer(path)
    for number, line in numbered:
        match = heading.fullmatch(line)
        if match:
            if name is not None:
                yield name, body.take()
            name = match[1]
        elif name is not None:
            body.add(line, number)
        elif line.strip():
            problem = f"{path}, line {number}: should be {expected}, not {line[:40]!r}"
            odd.log(problem, number)
    if name is not None:
        yield name, body.take()
    odd.check(number if name is not None else 0)


def goodreads(path: Path, report: ReadReport | None = None, **options) -> Iterator[Document]:
    """Goodreads reviews of the UCSD Book Graph: JSON lines, usually gzipped."""
    return json_documents(path, report, text="review_text", name="review_id", **options)


def gpt2_jsonl(path: Path, report: ReadReport | None = None, **options) -> Iterator[Document]:
    """Return the GPT-2 output dataset: JSON lines with `id`, `ended`, `length` and `text`."""
    return json_documents(path, report, name="id", numbered=True, **options)


READERS: dict[str, Callable[..., Iterator[Document]]] = {
    "wikitext": wikitext,
    "lateral-wikipedia": lateral_wikipedia,
    "nyt-text": nyt_text,
    "goodreads": goodreads,
    "gpt2-jsonl": gpt2_jsonl,
    "plain-text": plain_text,
    "jsonl": json_documents,
    "json": json_texts,
    "csv": csv_documents,
    "tsv": partial(csv_documents, delimiter="\t"),
    "parquet-text": parquet_text,
    "text-archive": text_archive,
    "imdb-parquet": imdb_parquet,
    "imdb-json": imdb_json,
}


def options_of(format_: str) -> list[str]:
    """Return the options of a format's reader; [] where no reader takes the format."""
    if format_ not in READERS:
        return []
    parameters = inspect.signature(READERS[format_]).parameters.values()
    # Readers that hand their options on take those of `lines`.
    handed_on = any(parameter.kind == parameter.VAR_KEYWORD for parameter in parameters)
    own = [p.name for p in parameters if p.kind == p.KEYWORD_ONLY]
    return own + ["cut", "member"] * handed_on
