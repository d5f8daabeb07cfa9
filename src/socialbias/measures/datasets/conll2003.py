"""CoNLL-2003: sentences with named entities, by document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.text import read_text

DOCUMENT = "-DOCSTART-"


@dataclass(frozen=True)
class Sentence:
    """One sentence.

    Attributes:
        document: Number of its document in the file, from 1; 0 before the first document line.
        line: Line of its first token.
        tokens: The words.
        pos: Part-of-speech tags.
        chunks: Chunk tags.
        entities: Entity tags, IOB2: `B-` begins an entity, `I-` continues it, `O` is outside.
    """

    document: int
    line: int
    tokens: tuple[str, ...]
    pos: tuple[str, ...]
    chunks: tuple[str, ...]
    entities: tuple[str, ...]


def read_sentences(path: Path) -> Iterator[Sentence]:
    """Read a file of CoNLL-2003 (Tjong Kim Sang and De Meulder 2003), sentence by sentence.

    Args:
        path: `train.txt` and the like: word, part of speech, chunk and entity, separated by one
            space; a blank line ends a sentence, `-DOCSTART-` begins a document.

    Yields:
        Sentences, without document lines.

    Raises:
        UserError: a line does not have four fields or has an unknown tag, or an entity begins with
            `I-`: the file is IOB1, the encoding of the official `eng.*` files.
    """
    document, first, rows = 0, 0, []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        line = line.rstrip("\r")
        fields = line.split(" ")
        if not line.strip() or fields[0] == DOCUMENT:
            if rows:
                yield _sentence(path, document, first, rows)
            rows = []
            document += fields[0] == DOCUMENT
            continue
        if len(fields) != 4 or "" in fields:
            raise UserError(f"{path}, line {number}: {len(fields)} fields instead of 4")
        if fields[3] != "O" and fields[3][:2] not in ("B-", "I-"):
            raise UserError(f"{path}, line {number}: {fields[3]!r} is not an entity tag")
        first = number if not rows else first
        rows.append(fields)
    if rows:
        yield _sentence(path, document, first, rows)


def _sentence(path: Path, document: int, first: int, rows: list[list[str]]) -> Sentence:
    tokens, pos, chunks, entities = (tuple(column) for column in zip(*rows, strict=True))
    previous = "O"
    for i, tag in enumerate(entities):
        if tag.startswith("I-") and previous[2:] != tag[2:]:
            raise UserError(
                f"{path}, line {first + i}: {tag} begins an entity: the file is IOB1, not IOB2"
            )
        previous = tag
    return Sentence(document, first, tokens, pos, chunks, entities)
