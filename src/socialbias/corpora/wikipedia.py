"""Wikipedia as WikiText and as Lateral published it.

Every reader is a generator of `Document` and takes the path first and a `ReadReport` second. It
reads gzip, bzip2 and zip (with `member`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from pathlib import Path

from socialbias.corpora.documents import Document, ReadReport, reader
from socialbias.corpora.streams import LineBuffer, OddLines, Source, lines
from socialbias.errors import UserError

MAX_HEADING = 1000
HEADING = re.compile(r" ?((?:= )+)(\S.*?)((?: =)+) ?")
LATERAL = re.compile(r'"?(wikipedia-\d+)"?,')
CLOSED = re.compile(r'(?<!")"(?:"")*$')  # doubled marks do not end a quotation


@reader
def wikitext(path: Path, report: ReadReport, **options) -> Iterator[Document]:
    """WikiText-2 and WikiText-103, tokenised or raw (Merity et al. 2016).

    An article begins at a heading of level 1, ` = Title = `. A line is a heading only if the lines
    before and after it are blank and it has as many `=` before as after: lines of table legends
    look similar (` = Goals ; A = `). `<unk>` is kept.
    """
    return wikitext_articles(path, lines(path, report, **options))


def wikitext_articles(path: Source, numbered: Iterable[tuple[int, str]]) -> Iterator[Document]:
    """Yield the articles in numbered lines of WikiText without line ends; see `wikitext`."""
    title, n, body = None, 0, LineBuffer(path)
    pairs = pairwise(chain([(0, "")], numbered, [(0, "")]))
    for ((_, before), (number, line)), (_, (_, after)) in pairwise(pairs):
        if not line or line.isspace():
            continue
        level, words = (0, "") if before.strip() or after.strip() else heading(line)
        if level == 1:
            if title is not None:
                yield Document(str(n), body.take(), {"title": title})
            title, n = words, n + 1
        if title is None:
            raise UserError(
                f"{path}, line {number}: not WikiText: it should begin with a blank line and a "
                f"heading such as ` = Title = `, not {line[:40]!r}"
            )
        if level == 0:
            body.add(line.strip(" "), number)
    if title is not None:
        yield Document(str(n), body.take(), {"title": title})


def heading(line: str) -> tuple[int, str]:
    """Level and words of WikiText's ` = = T = = `; level 0 if it is not a heading."""
    if "=" not in line[:2] or len(line) > MAX_HEADING:
        return 0, ""
    match = HEADING.fullmatch(line)
    if match is None or match[1].count("=") != match[3].count("="):
        return 0, ""
    return match[1].count("="), match[2]


@reader
def lateral_wikipedia(path: Path, report: ReadReport, **options) -> Iterator[Document]:
    r"""Lateral's Wikipedia articles of at least 20 page views, 2013: `id,"text"`, no header.

    An article begins at a line with an id; its text may be quoted or not, and a quoted one may have
    line breaks. It begins with a space or two and the title; two spaces end the title, and more of
    them separate sections. A line in no quotation that does not begin with an id is counted, and
    kept as text of the article before it.
    """
    odd, number = OddLines(report, "lines that are not `id,text`, kept as text"), 0
    name, quoted, body = "", False, LineBuffer(path)
    for number, line in lines(path, report, **options):
        record = LATERAL.match(line)
        if record:
            if name:
                yield _article(name, body.take(), report)
            name, line = record[1], line[record.end() :]
            quoted = line.startswith('"')
        elif not quoted and line.strip():
            problem = f"{path}, line {number}: not Lateral's `id,text`: it begins {line[:40]!r}"
            odd.log(problem, number)
        body.add(line, number)
        if quoted and CLOSED.search(line) and line != '"':
            quoted = False
        if not name:
            body.take()  # what stands before the first article is in none
    if name:
        yield _article(name, body.take(), report)
    odd.check(number if name else 0)


def _article(name: str, text: str, report: ReadReport) -> Document:
    """Return an article from its text as in the file, with the title and perhaps quoted."""
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1]
    elif text.startswith('"'):
        report.notes["lines whose quotation does not end"] += 1
    text = text.replace('""', '"')
    title, spaces, body = text.lstrip(" ").partition("  ")
    if text.strip() and not spaces:
        report.notes["articles without a title"] += 1
        title, body = "", text
    return Document(name, body.strip(), {"title": title.strip()})
