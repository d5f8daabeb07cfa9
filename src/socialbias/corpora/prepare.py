"""Tokenise a corpus in one pass: ids, document and sentence boundaries, vocabulary, counts.

Only a block of text, the vocabulary and its counts are in memory, whatever the corpus's size.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from socialbias.corpora.documents import Document, ReadReport
from socialbias.corpora.npy import blocks_of, save_array, save_blocks
from socialbias.corpora.tokens import (
    DOCUMENT,
    KINDS,
    LOWER,
    MARKS,
    Ids,
    Kind,
    Lower,
    Tokeniser,
)
from socialbias.errors import UserError
from socialbias.files.atomic_write import Log, write_text
from socialbias.system.processes import in_processes
from socialbias.system.progress import Pace

BLOCK = 1 << 21  # characters encoded at a time: in more of them, less is new
OTHER, PUNCTUATION, TERMINAL = 0, 1, 2
ASCII_TERMINALS = frozenset("!.?")  # of those that end a sentence
ARRAYS = {"tokens": "<u4", "documents": "<i8", "sentences": "<i8"}


def prepare(documents: Iterable[Document], folder: Path, **options) -> dict:
    """Write a corpus as integers, in this process."""
    return prepare_parts([(document.text for document in documents)], folder, **options)


def prepare_parts(
    parts: Sequence[Iterable[str]],
    folder: Path,
    *,
    cores: int = 1,
    tokenizer: Kind = "spacy",
    lower: Lower = "before",
    read: ReadReport | None = None,
    provenance: dict | None = None,
    log: Log | None = None,
) -> dict:
    """Write a corpus as integers, in as many processes as there are cores; see `prepared`.

    Sentences are those of spaCy's rule-based sentencizer within lines: a sentence ends before the
    first token that is not punctuation after one of `. ! ? ...`, and at every line end.
    """
    settings = {"tokenizer": tokenizer, "lower": lower}
    for name, value, known in (("tokenizer", tokenizer, KINDS), ("lower", lower, LOWER)):
        if value not in known:
            raise UserError(f"{name} must be one of {', '.join(known)}, not {value!r}")
    folder.mkdir(parents=True, exist_ok=True)
    for old in (folder / "report.json", *folder.glob("*.npy.part")):
        old.unlink(missing_ok=True)

    def done(number: int) -> _Part:
        say = log if number == 0 else None
        preparer = _Preparer(folder, number, Tokeniser(tokenizer, lower), say)
        for text in parts[number]:
            preparer.add(text)
        return preparer.finish(last=number == len(parts) - 1)

    words, totals = _joined(folder, in_processes(done, range(len(parts)), cores))
    report = (provenance or {}) | settings | {"versions": f"spaCy {version('spacy')}"}
    report |= asdict(totals) | {"vocabulary": len(words)}
    report["read"] = read.as_dict() if read else {}
    write_text(folder / "report.json", json.dumps(report, indent=2) + "\n")
    return report


@dataclass
class _Counts:
    """Counts of a prepared corpus."""

    documents: int = 0  # Documents
    sentences: int = 0  # Sentences
    tokens: int = 0  # Tokens


@dataclass(frozen=True)
class _Part:
    """A part of a corpus whose ids are in files."""

    words: list[str]  # by id
    counts: _Counts


def _file(folder: Path, name: str, number: int) -> Path:
    """Return the file of an array of a part of a corpus."""
    return folder / f"{name}.{number}.npy.part"


class _Preparer:
    """Collects texts into blocks, encodes them, and writes the files of a part of a corpus."""

    def __init__(self, folder: Path, number: int, tokeniser: Tokeniser, log: Log | None):
        self.report = _Counts()
        self._tokeniser, self._pace = tokeniser, Pace(log) if log else None
        self._files = {name: _file(folder, name, number).open("wb") for name in ARRAYS}
        self._add("documents", [0] if number == 0 else [])
        self._splitter = Splitter()
        self._texts: list[str] = []
        self._size = 0  # characters of these
        self._characters = 0

    def add(self, text: str) -> None:
        """Add a document."""
        self._texts.append(text)
        self._size += len(text)
        if self._size > BLOCK:
            self._flush()

    def _add(self, name: str, values: ArrayLike) -> None:
        np.asarray(values, ARRAYS[name]).tofile(self._files[name])

    def _flush(self) -> None:
        ids = self._tokeniser.encode(self._texts)
        self._characters += self._size
        self._texts, self._size = [], 0
        starts = self._splitter.starts(ids, self._tokeniser.words.texts)
        real = ids > DOCUMENT
        before = self.report.tokens + np.cumsum(real) - real  # tokens before each position
        self._add("sentences", before[starts])
        ends = before[ids == DOCUMENT]
        self.report.documents += len(ends)
        self._add("documents", ends)
        self._add("tokens", ids[real] - len(MARKS))
        self.report.sentences += int(starts.sum())
        self.report.tokens += int(real.sum())
        if self._pace is not None and self._pace.due():
            rate = self._characters / 1e6 / self._pace.seconds
            self._pace.log(f"{self.report.tokens:,} tokens, {rate:.1f} million characters/s")

    def finish(self, *, last: bool) -> _Part:
        """Write the rest."""
        self._flush()
        self._add("sentences", [self.report.tokens] if last else [])
        for file in self._files.values():
            file.close()
        return _Part(self._tokeniser.words.texts[len(MARKS) :], self.report)


def _joined(folder: Path, parts: list[_Part]) -> tuple[list[str], _Counts]:
    """Write the whole corpus; words in their final order, and the sums of the parts."""
    added = ("documents", "sentences", "tokens")
    totals = _Counts(**{name: sum(getattr(part.counts, name) for part in parts) for name in added})
    if not totals.documents:
        raise UserError(f"{folder}: the corpus has no document with text")
    ids: dict[str, int] = {}
    numbers = [
        np.fromiter((ids.setdefault(word, len(ids)) for word in part.words), np.int64)
        for part in parts
    ]
    words, counts = list(ids), np.zeros(len(ids), np.int64)
    for i, rows in enumerate(numbers):
        for block in blocks_of(_file(folder, "tokens", i), ARRAYS["tokens"]):
            counts[rows] += np.bincount(block, minlength=len(rows))
    alphabetical = np.array(sorted(range(len(words)), key=words.__getitem__), np.int64)
    order = alphabetical[np.argsort(-counts[alphabetical], kind="stable")]
    final = np.empty(len(order), np.uint32)
    final[order] = np.arange(len(order))
    before = np.cumsum([0, *(part.counts.tokens for part in parts)])

    def blocks(name: str) -> Iterator[NDArray]:
        """Yield an array's numbers in the whole corpus, and remove the parts' files."""
        for i, rows in enumerate(numbers):
            mapping = final[rows]
            for block in blocks_of(_file(folder, name, i), ARRAYS[name]):
                yield mapping[block] if name == "tokens" else block + before[i]
            _file(folder, name, i).unlink()

    for name, dtype in ARRAYS.items():
        sizes = (_file(folder, name, i).stat().st_size for i in range(len(parts)))
        length = sum(sizes) // np.dtype(dtype).itemsize
        save_blocks(folder / f"{name}.npy", blocks(name), length, dtype)
    words, counts = [words[i] for i in order], counts[order]
    write_text(folder / "vocabulary.txt", "".join(f"{word}\n" for word in words))
    save_array(folder / "counts.npy", counts, np.int64)
    return words, totals


class Splitter:
    """Finds sentence starts in the ids of whole documents."""

    def __init__(self):
        self._kinds = np.array([OTHER, OTHER], np.int8)  # of the two marks

    def starts(self, ids: Ids, words: list[str]) -> NDArray[np.bool_]:
        """Return where a sentence starts."""
        new = [self._kind(word) for word in words[len(self._kinds) :]]
        self._kinds = np.append(self._kinds, np.array(new, np.int8))
        kinds, mark = self._kinds[ids], ids <= DOCUMENT
        starts = np.concatenate([[True], mark])[: len(ids)]  # of lines
        anchors = np.flatnonzero(kinds == OTHER)  # words, and the marks
        seen = np.concatenate([[0], np.cumsum(kinds == TERMINAL)[anchors]])
        starts[anchors[np.diff(seen) > 0]] = True
        return starts & ~mark

    def _kind(self, word: str) -> int:
        if word.isalnum():
            return OTHER  # the most common case, checked first
        if word in (ASCII_TERMINALS if word.isascii() else _terminals()):
            return TERMINAL
        punctuation = all(unicodedata.category(character)[0] == "P" for character in word)
        return PUNCTUATION if punctuation else OTHER  # as spaCy defines it


@cache
def _terminals() -> frozenset[str]:
    """Return the characters behind which spaCy's sentencizer ends a sentence."""
    from spacy.pipeline import Sentencizer

    return frozenset(Sentencizer.default_punct_chars)
