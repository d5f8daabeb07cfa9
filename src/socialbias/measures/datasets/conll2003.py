"""CoNLL-2003: sentences with named entities, by document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from socialbias.files.text import read_text

DOCUMENT = "-DOCSTART-"


@dataclass(frozen=True)
class Sentence:
    """One sentence.

    Attributes:
        document: Number of its document in the file, from 1; 0 before the first document line.
        tokens: The words.
        entities: Entity tags, IOB2: `B-` begins an entity, `I-` continues it, `O` is outside.
    """

    document: int
    tokens: tuple[str, ...]
    entities: tuple[str, ...]


def read_sentences(path: Path) -> Iterator[Sentence]:
    """Read a file of CoNLL-2003 (Tjong Kim Sang and De Meulder 2003), sentence by sentence.

    Args:
        path: `train.txt` and the like: word, part of speech, chunk and entity, separated by one
            space; a blank line ends a sentence, `-DOCSTART-` begins a document.

    Yields:
        Sentences, without document lines.
    """
    document, tokens, entities = 0, [], []
    for line in [*read_text(path).split("\n"), ""]:  # the last sentence ends, too
        fields = line.rstrip("\r").split(" ")
        if line.strip() and fields[0] != DOCUMENT:
            tokens.append(fields[0])
            entities.append(fields[-1])
            continue
        if tokens:
            yield Sentence(document, tuple(tokens), tuple(entities))
        tokens, entities = [], []
        document += fields[0] == DOCUMENT
