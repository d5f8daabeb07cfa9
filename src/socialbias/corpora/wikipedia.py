"""Wikipedia in four published forms.

Every reader is a generator of `Document` and takes the path first and a `ReadReport` second. It
reads gzip, bzip2 and zip (with `member`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import BinaryIO
from xml.etree import ElementTree

from socialbias.corpora.documents import Document, ReadReport, reader
from socialbias.corpora.streams import (
    DAMAGED,
    LineBuffer,
    OddLines,
    Source,
    json_lines,
    lines,
    open_bytes,
    replace_surrogates,
    text_field,
)
from socialbias.errors import UserError

MAX_HEADING = 1000
HEADING = re.compile(r" ?((?:= )+)(\S.*?)((?: =)+) ?")
MARK = re.compile(r" @([-,.])@ ")
LATERAL = re.compile(r'"?(wikipedia-\d+)"?,')
CLOSED = re.compile(r'(?<!")"(?:"")*$')  # doubled marks do not end a quotation
# Expat's codes for a truncated file: no element, unclosed token, partial character, unclosed CDATA
ENDS_EARLY = (3, 5, 6, 20)


@reader
def wikitext(
    path: Source,
    report: ReadReport,
    *,
    join_marks: bool = False,
    keep_headings: bool = False,
    cut: bool = False,
    member: str | None = None,
) -> Iterator[Document]:
    """WikiText-2 and WikiText-103, tokenised or raw (Merity et al. 2016).

    An article begins at a heading of level 1, ` = Title = `. A line is a heading only if the lines
    before and after it are blank and it has as many `=` before as after: lines of table legends
    look similar (` = Goals ; A = `). `<unk>` is kept.

    Args:
        path: A `.tokens` or `.raw` file, or a zip and its `member`.
        report: Where to count.
        join_marks: Undo the marks ` @-@ `, ` @,@ ` and ` @.@ `, which the raw files have too.
        keep_headings: Keep titles and section headings as lines, without their `=`.
        cut: The file is known to be truncated.
        member: Which file of a zip.

    Yields:
        Articles; `id` is the number in the file, `metadata` has `title`.

    Raises:
        UserError: the file does not begin with an article's heading, or cannot be read.
    """
    numbered = lines(path, report, cut=cut, member=member)
    if join_marks:
        numbered = ((number, MARK.sub(r"\1", line)) for number, line in numbered)
    return wikitext_articles(path, numbered, keep_headings)


def wikitext_articles(
    path: Source, numbered: Iterable[tuple[int, str]], keep_headings: bool = False
) -> Iterator[Document]:
    """The articles in numbered lines of WikiText without line ends; see `wikitext`."""
    title, n, body = None, 0, LineBuffer(path)
    for before, number, line, after in _with_neighbours(numbered):
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
        if level == 0 or keep_headings:
            body.add(words if level else line.strip(" "), number)
    if title is not None:
        yield Document(str(n), body.take(), {"title": title})


def _with_neighbours(numbered: Iterable[tuple[int, str]]) -> Iterator[tuple[str, int, str, str]]:
    """The line before, the number of a line, the line, and the one after; "" beyond the ends."""
    before, number, line = "", 0, None
    for next_number, after in numbered:
        if line is not None:
            yield before, number, line, after
            before = line
        number, line = next_number, after
    if line is not None:
        yield before, number, line, ""


def heading(line: str) -> tuple[int, str]:
    """Level and words of WikiText's ` = = T = = `; level 0 if it is not a heading."""
    if "=" not in line[:2] or len(line) > MAX_HEADING:
        return 0, ""
    match = HEADING.fullmatch(line)
    if match is None or match[1].count("=") != match[3].count("="):
        return 0, ""
    return match[1].count("="), match[2]


@reader
def lateral_wikipedia(
    path: Source,
    report: ReadReport,
    *,
    keep_doubled_quotes: bool = False,
    cut: bool = False,
    member: str | None = None,
) -> Iterator[Document]:
    r"""Lateral's Wikipedia articles of at least 20 page views, 2013: `id,"text"`, no header.

    An article begins at a line with an id; its text may be quoted or not, and a quoted one may have
    line breaks. It begins with a space or two and the title; two spaces end the title, and more of
    them separate sections. A line in no quotation that does not begin with an id is counted, and
    kept as text of the article before it.

    Args:
        path: `wikipedia_utf8_filtered_20pageviews.csv` or its `.gz`.
        report: Where to count.
        keep_doubled_quotes: Keep quotation marks doubled (`""`), as in the code of Bommasani and
            Liang 2022 (`fetch_wikipedia`), which uses no CSV parser.
        cut: The file is known to be truncated.
        member: Which file of a zip.

    Yields:
        Articles without their title, as in that code; `id` as in the file (`wikipedia-23886057`),
        `metadata` has `title`, which is "" if no two spaces follow it (noted in the report).

    Raises:
        UserError: too many lines have no id (see `OddLines`), or the file cannot be read.
    """
    odd, number = OddLines(report, "lines that are not `id,text`, kept as text"), 0
    name, quoted, body = "", False, LineBuffer(path)
    for number, line in lines(path, report, cut=cut, member=member):
        record = LATERAL.match(line)
        if record:
            if name:
                yield _article(name, body.take(), report, keep_doubled_quotes)
            name, line = record[1], line[record.end() :]
            quoted = line.startswith('"')
        elif not quoted and line.strip():
            problem = f"{path}, line {number}: not Lateral's `id,text`: it begins {line[:40]!r}"
            odd.add(problem, number)
        body.add(line, number)
        if quoted and CLOSED.search(line) and line != '"':
            quoted = False
        if not name:
            body.take()  # what stands before the first article is in none
    if name:
        yield _article(name, body.take(), report, keep_doubled_quotes)
    odd.check(number if name else 0)


def _article(name: str, text: str, report: ReadReport, keep_doubled: bool) -> Document:
    """An article from its text as it stands in the file, with the title and perhaps quoted."""
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1]
    elif text.startswith('"'):
        report.notes["lines whose quotation does not end"] += 1
    if not keep_doubled:
        text = text.replace('""', '"')
    title, spaces, body = text.lstrip(" ").partition("  ")
    if text.strip() and not spaces:
        report.notes["articles without a title"] += 1
        title, body = "", text
    return Document(name, body.strip(), {"title": title.strip()})


@reader
def wikipedia_xml(
    path: Source,
    report: ReadReport,
    *,
    namespaces: Collection[int] = (0,),
    cut: bool = True,
    member: str | None = None,
) -> Iterator[Document]:
    """MediaWiki's export XML: a dump, or the beginning of one such as enwik8.

    Redirects and pages outside `namespaces` are counted in the report's notes and skipped. Dumps
    from before 2012 do not state a page's namespace: it is inferred from the title, with the names
    listed at the head of the dump. The text is wikitext with its markup.

    Args:
        path: The dump, plain, `.gz` or `.bz2`.
        report: Where to count.
        namespaces: Keys of the namespaces to keep; 0 is articles.
        cut: Count an incomplete page at the end as truncated; False makes it an error.
        member: Which file of a zip.

    Yields:
        Pages; `id` is the page's id, `metadata` has `title` and `namespace` (int).

    Raises:
        UserError: the file is not such a dump, or is damaged before its end.
    """
    try:
        with open_bytes(path, member) as file:
            for page, prefixes in _pages(file, path):
                title = _child(page, "title")
                space = _namespace(page, title, prefixes, path)
                text = _child(_last(page, "revision"), "text")
                if space not in namespaces:
                    report.notes["pages of other namespaces"] += 1
                elif _last(page, "redirect") is not None or text[:9].upper() == "#REDIRECT":
                    report.notes["redirects"] += 1
                else:
                    metadata = {"title": title, "namespace": space}
                    yield Document(_child(page, "id"), text, metadata)
    except ElementTree.ParseError as error:
        if not (cut and error.code in ENDS_EARLY):
            line = error.position[0]
            raise UserError(f"{path}, line {line}: damaged XML ({error}): fetch it again") from None
        report.truncated += 1
    except DAMAGED as error:
        if not (cut and isinstance(error, EOFError)):
            raise UserError(f"{path}: damaged ({error}): fetch it again") from None
        report.truncated += 1


class _AsItComes:
    """A stream whose `read` returns what is available, so that later damage does not affect it."""

    def __init__(self, file: BinaryIO):
        self.read = file.read1


def _pages(file: BinaryIO, path: Source) -> Iterator[tuple[ElementTree.Element, dict[str, int]]]:
    """Each page element, and the namespaces by name; a page is freed when the next is requested."""
    events = ElementTree.iterparse(_AsItComes(file), events=("start", "end"))
    try:
        root = next(events)[1]
    except ElementTree.ParseError:
        raise UserError(f"{path}: not XML: an error page saved as data?") from None
    if _tag(root) != "mediawiki":
        raise UserError(f"{path}: its XML is <{_tag(root)[:40]}>, not a <mediawiki> export")
    prefixes: dict[str, int] = {}
    for event, element in events:
        if event == "start":
            continue
        if _tag(element) == "namespace" and element.text:
            prefixes[element.text] = _key(element.get("key", "0"), path)
        elif _tag(element) == "page":
            yield element, prefixes
            root.clear()


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _last(element: ElementTree.Element | None, tag: str) -> ElementTree.Element | None:
    """The last child with that tag; in a page with several revisions it is the newest."""
    children = [child for child in (() if element is None else element) if _tag(child) == tag]
    return children[-1] if children else None


def _child(element: ElementTree.Element | None, tag: str) -> str:
    """The text of a child, "" if there is none."""
    child = _last(element, tag)
    return "" if child is None else child.text or ""


def _namespace(
    page: ElementTree.Element, title: str, prefixes: dict[str, int], path: Source
) -> int:
    """The page's namespace, as stated or inferred from its title."""
    stated = _child(page, "ns")
    if stated:
        return _key(stated, path, f", page {title[:80]!r}")
    return prefixes.get(title.partition(":")[0], 0) if ":" in title else 0


def _key(text: str, path: Source, where: str = "") -> int:
    """The key of a namespace as a number."""
    try:
        return int(text)
    except ValueError:
        raise UserError(
            f"{path}{where}: a namespace is {text[:40]!r}, not a number: is this a dump?"
        ) from None


@reader
def gensim_wiki(
    path: Source,
    report: ReadReport,
    *,
    keep_headings: bool = False,
    cut: bool = False,
    member: str | None = None,
) -> Iterator[Document]:
    """The JSON lines of gensim's `wiki-english-20171001`: a title, section titles and their texts.

    Args:
        path: The `.gz`, or its parts `.gz_00` to `.gz_03` in order.
        report: Where to count.
        keep_headings: Put each section's title before its text.
        cut: The file is known to be truncated.
        member: Which file of a zip.

    Yields:
        Articles; `id` is the line number, `metadata` has `title`.

    Raises:
        UserError: too many lines are not such records (see `OddLines`), the last one breaks off,
            or the file cannot be read.
    """

    def make(number: int, record: dict, where: str) -> Document:
        titles, texts = record.get("section_titles"), record.get("section_texts")
        if not (_strings(titles) and _strings(texts) and len(titles) == len(texts)):
            raise UserError(
                f"{where}: `section_titles` and `section_texts` must be lists of equal length"
            )
        pairs = zip(titles, texts, strict=True)
        parts = [part for pair in pairs for part in (pair if keep_headings else pair[1:])]
        text = replace_surrogates("\n".join(part.strip() for part in parts), report)
        return Document(str(number), text, {"title": text_field(record, "title", where, report)})

    return json_lines(path, report, make, cut=cut, member=member)


def _strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
