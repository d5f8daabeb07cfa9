"""Readers for published word vector formats.

Every reader takes the requested words and streams the file, so that a file of three million words
is never in memory as a whole. It reads to the last byte, which has to be where the first line says.
A byte order mark is no part of a word. A word that occurs twice keeps its first vector, except
where HistWords' spelling variants collide (see `read_histwords`). A word that is not UTF-8 equals
none that is requested.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from socialbias.embeddings.files import (
    BOM,
    MAX_DIMENSIONS,
    as_vectors,
    one_line_errors,
    opened,
)
from socialbias.embeddings.keyed_vectors import BESIDE, read_keyed_vectors
from socialbias.embeddings.static_models import static_vectors, static_words
from socialbias.embeddings.vectors import NO_NPY, WordVectors, usable
from socialbias.errors import UserError

CHUNK = 1 << 22  # bytes read at a time; far more than one word and its vector
MAX_LINE = 1 << 22  # bytes; more means that the file is in another format
FEW = 4  # numbers that may be 0, 1, 2, ... without being names of columns
MAX_WORD = 1000  # bytes; more means that it is no word
MOST_LOOKED_AT = 200_000  # words that may show how a vocabulary is written
LETTERS = re.compile(r"[^\W_]+")
MOST_WORDS = 10**9  # that a header may state
PLAIN = "separate them by blanks, tabs or commas, and write decimals with a point"
AGAIN = "fetch or save it again"
QUOTED = re.compile(rb'"((?:[^"]|"")*)"')
SPARSE = re.compile(rb"\d+:[-+.\deE]+")
UTF_16 = (b"\xff\xfe", b"\xfe\xff")

Vectors = Iterator[tuple[str, NDArray[np.float32]]]


def read_word_vectors(folder: Path, manifest: dict, words: Iterable[str]) -> WordVectors:
    """Return the requested words that a fetched source has, in alphabetical order.

    The `format` of the source's manifest selects the reader. A word whose vector has (almost) no
    length is missing. It is a UserError if the format is unknown, a file is not of that format or
    is truncated, the vectors are not such as words have, or the source has none of the words.
    """
    paths, words = _paths(folder, manifest), set(words)
    by_word: dict[str, NDArray[np.float32]] = {}
    for word, vector in READERS[manifest["format"]](paths, words):
        by_word.setdefault(word, vector)
    if not by_word:
        hint = _spelling(paths, manifest["format"], words)
        raise UserError(f"{manifest['source']}: it has none of the requested words; {hint}")
    return usable(as_vectors(by_word, paths[0]), paths[0])


def _spelling(paths: list[Path], form: str, words: set[str]) -> str:
    """Return how a source without any requested word writes one of them, or its first words."""
    first = []
    for word in islice(WORDS[form](paths), MOST_LOOKED_AT):
        if words.intersection(LETTERS.findall(word.removeprefix("\u0120").lower())):
            return f"it writes {word[:40]!r}: write your words like that"
        first.append(word[:40])
    return f"it begins with {', '.join(map(repr, first[:3]))}"


def leading_words(folder: Path, manifest: dict, limit: int) -> list[str]:
    """Return the first distinct words of a fetched source: the most frequent ones in most formats.

    Errors are those of `read_word_vectors`.
    """
    return list(islice(dict.fromkeys(words_in_order(folder, manifest)), limit)) if limit else []


def words_in_order(folder: Path, manifest: dict) -> Iterable[str]:
    """Return the words of a fetched source as they come, read no further than they are taken."""
    return WORDS[manifest["format"]](_paths(folder, manifest))


def _paths(folder: Path, manifest: dict) -> list[Path]:
    """Return the files of one embedding of a source, if there is a reader of its format."""
    if manifest["format"] not in READERS:
        raise UserError(f"{manifest['source']}: no reader for the format {manifest['format']!r}")
    names = [entry["path"] for entry in manifest["files"]]
    besides = {f"{name}{BESIDE}" for name in names}  # of a pickle, which finds it by itself
    names = [name for name in names if name not in besides]
    if len(names) not in FILES.get(manifest["format"], (1,)):
        listed = ", ".join(names[:8])
        raise UserError(f"{manifest['source']}: not the files of one embedding: {listed}")
    return [folder / name for name in names]


def word2vec_binary(paths: list[Path], words: set[str]) -> Vectors:
    """Mikolov's binary format: `n d`, then each word, a space, d little-endian float32.

    Some writers put a newline after each vector and some do not; both are supported. A file whose
    name ends in `.gz` or `.bz2` is decompressed.
    """
    missing = {word.encode() for word in words}
    for word, buffer, start, end in _binary_entries(paths[0]):
        if word in missing:
            missing.discard(word)
            yield word.decode(), np.frombuffer(buffer[start:end], "<f4")


def _binary_entries(path: Path) -> Iterator[tuple[bytes, bytes, int, int]]:
    """Yield each word and where its vector is, uncopied: most words are not requested."""
    with opened(path) as file:
        n, d = sizes(file, path)
        width, buffer, start = 4 * d, b"", 0
        for i in range(n):
            space = buffer.find(b" ", start)
            if space < 0 or space + width >= len(buffer):
                buffer, start = buffer[start:] + file.read(CHUNK + width), 0
                space = buffer.find(b" ")
                if space < 0 or space + width >= len(buffer):
                    raise UserError(f"{path}: truncated after {i} of {n} words: fetch it again")
            word = buffer[start:space].lstrip(b"\n")
            start = space + 1 + width
            yield word, buffer, space + 1, start
        if (buffer[start:] + file.read(MAX_WORD)).strip(b"\n"):
            raise UserError(
                f"{path}: continues after the {n} words (of {d} 32-bit numbers) that line 1 "
                "states: save it again"
            )


def _parquet_column(path: Path) -> list[str]:
    """Return the words of a parquet file, which is its only column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with one_line_errors(path):
            table = pq.read_table(path)
    except pa.ArrowException as error:
        problem = f"damaged or not parquet ({str(error)[:60]}): fetch it again"
        raise UserError(f"{path}: {problem}") from None
    words = table.column(0).to_pylist() if table.num_columns else [None]
    if not all(isinstance(word, str) for word in words):
        raise UserError(f"{path}: not a column of words")
    return words


def text_vectors(paths: list[Path], words: set[str]) -> Vectors:
    r"""Yield a word and its numbers per line: the text formats of GloVe, word2vec and tables.

    The first line may be a header: `n d` (word2vec; GN-GloVe's `vectors300.txt` has none), or names
    of columns. Lines end at `\n` only and are split from the right: words may contain spaces and
    U+0085. A zip has one member, or one with 300 dimensions (`glove.6B.300d.txt`), which the papers
    use. It is a UserError if a line has fewer numbers than the first one, that of a requested word
    has more, or the file has more than one word more or less than its header states: fastText's
    published files are off by one.
    """
    path = paths[0]
    heads = {word.encode().partition(b" ")[0] for word in words}
    requested = {word.encode() for word in words}
    for number, (line, d) in enumerate(_text_entries(path), 1):
        head = line[: line.find(b" ")]
        if number > 1 and head not in heads and line.count(b" ") >= d:
            continue
        word, *numbers = line.rstrip(b" \r\n").rsplit(b" ", d)
        more = word.removeprefix(head).split()
        fits = len(numbers) == d and _is_number(numbers[-1])
        if not fits or (more and all(map(_is_number, more))):
            advice = AGAIN if more or number > 1 else PLAIN
            raise UserError(f"{path}, entry {number}: not {d} numbers after the word: {advice}")
        if word in requested:
            try:
                with np.errstate(over="ignore"):  # what is too large is refused later
                    vector = np.array(numbers, dtype=np.float32)
            except ValueError:
                problem = f"not {d} numbers after the word: {PLAIN}"
                raise UserError(f"{path}, entry {number}: {problem}") from None
            yield word.decode(), vector


def _text_words(paths: list[Path]) -> Iterator[str]:
    for line, d in _text_entries(paths[0]):
        # Most words have no blank in them, and most lines none at their end.
        word = line[: line.find(b" ")] if line.count(b" ") == d else b""
        word = word or line.rstrip(b" \r\n").rsplit(b" ", d)[0]
        yield word.decode("utf-8", "replace")


def _text_entries(path: Path) -> Iterator[tuple[bytes, int]]:
    """Yield each line with blanks between its fields, and how many numbers it should have."""
    with opened(path) as file:
        lines = (line for line in _lines(file, path) if not line.isspace())
        first, second = next(lines, b""), next(lines, b"")
        mark, n, number = _separator(second or first), None, 0
        fields = second.split(mark, 2)
        if mark != b" " and fields[0].isdigit() and not _is_number(fields[1]):  # numbered rows
            lines = (line.partition(mark)[2] for line in chain([first, second], lines))
            first, second = next(lines), next(lines)
        if are_sizes(sizes := first.split()):
            # Python refuses to read thousands of digits.
            n, d = _checked_sizes(*(int(size[:20]) for size in sizes), path)
            start = [second]
        else:
            start = [second] if second and _has_names(first, mark) else [first, second]
            d = _dimensions(_spaced(start[0], mark), path)
        for line in chain(filter(None, start), lines):
            number += 1
            yield _spaced(line, mark), d
    if n is not None and abs(number - n) > 1:
        problem = "truncated" if number < n else "goes on"
        raise UserError(f"{path}: {problem} after {min(number, n)} of {n} words: {AGAIN}")


def _lines(file: BinaryIO, path: Path) -> Iterator[bytes]:
    """Lines with their ends, without a byte order mark."""
    mark = BOM
    while line := file.readline(MAX_LINE):
        if mark and line.startswith(UTF_16):
            raise UserError(f"{path}: the file is UTF-16: save it as UTF-8")
        if len(line) == MAX_LINE:
            raise UserError(f"{path}: not a text file of word vectors: a line exceeds 4 MiB")
        yield line.removeprefix(mark)
        mark = b""


def are_sizes(fields: list[bytes]) -> bool:
    """Return whether the fields of a first line can be the numbers of words and of dimensions."""
    return len(fields) == 2 and all(field.removeprefix(b"-").isdigit() for field in fields)


def _separator(line: bytes) -> bytes:
    """Return what is between the fields of a line: in a table a tab, comma or semicolon."""
    if b"\t" in line:
        return b"\t"
    for mark in (b",", b";"):
        numbers = [field.strip(b'" \r\n') for field in line.split(mark)[1:]]
        if len(numbers) > 1 and all(map(_is_number, numbers[-2:])):
            return mark
    return b" "


def _spaced(line: bytes, mark: bytes) -> bytes:
    """Return a line of a table, in which words may be quoted, with blanks between its fields."""
    if mark == b" ":
        return line
    quoted = QUOTED.match(line)
    word = quoted[1].replace(b'""', b'"') if quoted else line.partition(mark)[0]
    numbers = line[quoted.end() if quoted else len(word) :].replace(mark, b" ")
    return b" ".join([word, *numbers.replace(b'"', b"").split()])


def _has_names(first: bytes, mark: bytes) -> bool:
    """Return whether a first line names columns, if only by their numbers."""
    word, *names = _spaced(first, mark).rstrip().split(b" ")
    numbers = [[b"%d" % i for i in range(k, k + len(names))] for k in (0, 1)]
    named = word.lower() in (b"", b"index", b"word", b"token") or len(names) > FEW
    return bool(names) and (not any(map(_is_number, names)) or (named and names in numbers))


def _dimensions(line: bytes, path: Path) -> int:
    """Return how many numbers follow the word of the first entry."""
    word, *fields = line.rstrip(b" \r\n").split(b" ")
    problem = ""
    if not line.strip():
        problem = "there are no words in it, or its first line is empty"
    elif not 0 < len(fields) < MAX_DIMENSIONS or not _is_number(fields[-1]):
        problem = f"each line must be a word and its numbers: {PLAIN}"
        if b":" in line and SPARSE.fullmatch(fields[-1]):
            problem = "its vectors are sparse (index:number): write all numbers of each word"
    elif b"." in word and all(map(_is_number, [word, *fields])):
        problem = "it has numbers alone: put each word before its numbers, and a blank between"
    if problem:
        raise UserError(f"{path}: not a text file of word vectors: {problem}")
    return len(list(takewhile(_is_number, reversed(fields))))


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _is_vocabulary(path: Path) -> bool:
    return path.suffix != ".npy"


def _npy_words(paths: list[Path]) -> list[str]:
    """Return the words beside a matrix, in order."""
    vocabulary = max(paths, key=_is_vocabulary)
    try:
        with one_line_errors(vocabulary):
            text = vocabulary.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise UserError(f"{vocabulary}: byte {error.start} is not UTF-8") from None
    return text.removesuffix("\n").split("\n")


def gensim_pickle(paths: list[Path], words: set[str]) -> Vectors:
    """Word vectors that gensim pickled (see `keyed_vectors`)."""
    vocabulary, matrix = read_keyed_vectors(paths[0])
    if isinstance(matrix, Path):
        yield from _rows(matrix, vocabulary, words)
        return
    for word, vector in zip(vocabulary, matrix, strict=True):
        if word in words:
            yield word, vector


def _rows(path: Path, vocabulary: list[str], words: set[str]) -> Vectors:
    """Yield the rows of a matrix that belong to requested words."""
    try:
        with one_line_errors(path):
            matrix = np.lib.format.open_memmap(path, mode="r")  # refuses pickles
            rest = path.stat().st_size - matrix.offset - matrix.nbytes
    except NO_NPY as error:
        raise UserError(f"{path}: not a .npy matrix of numbers ({str(error)[:60]})") from None
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiu":
        problem = f"{matrix.dtype} of shape {matrix.shape}"
        raise UserError(f"{path}: not a .npy matrix of numbers ({problem})")
    if len(vocabulary) != len(matrix):
        raise UserError(f"{path}: {len(matrix)} vectors for {len(vocabulary)} words")
    if rest:
        raise UserError(f"{path}: {rest} bytes after its last vector: {AGAIN}")
    for i, word in enumerate(vocabulary):
        if word in words:
            yield word, np.array(matrix[i], dtype=np.float32)


def sizes(file: BinaryIO, path: Path) -> tuple[int, int]:
    """Return the number of words and of dimensions in line 1 of word2vec's binary format."""
    try:
        n, d = map(int, file.readline(64).removeprefix(BOM).split())
    except ValueError:
        problem = "not word2vec's binary format: line 1 is not `n d`"
        raise UserError(f"{path}: {problem}") from None
    return _checked_sizes(n, d, path)


def _checked_sizes(n: int, d: int, path: Path) -> tuple[int, int]:
    """Return the sizes that line 1 states, if word vectors can have them."""
    if not 0 < n <= MOST_WORDS or not 0 < d <= MAX_DIMENSIONS:
        problem = f"line 1 says that it has {n} words of {d} numbers: not sizes of word vectors"
        raise UserError(f"{path}: {problem}: {AGAIN}")
    return n, d


# Numbers of files of one embedding, if not one.
FILES = {"npy-parquet": (2,), "npy-text": (2,), "static-model": (2, 3)}
# The words of a file in order, by format.
WORDS = {
    "word2vec-binary": lambda paths: (
        word.decode("utf-8", "replace") for word, *_ in _binary_entries(paths[0])
    ),
    "word2vec-text": _text_words,
    "glove-text": _text_words,
    "npy-parquet": lambda paths: _parquet_column(paths[1]),
    "npy-text": _npy_words,
    "gensim-keyedvectors-pickle": lambda paths: read_keyed_vectors(paths[0])[0],
    "static-model": static_words,
}
READERS = {
    "word2vec-binary": word2vec_binary,
    "word2vec-text": text_vectors,
    "glove-text": text_vectors,
    # A matrix in `.npy`, and a parquet file or a text file of its words.
    "npy-parquet": lambda paths, words: _rows(paths[0], _parquet_column(paths[1]), words),
    "npy-text": lambda paths, words: _rows(
        min(paths, key=_is_vocabulary), _npy_words(paths), words
    ),
    "gensim-keyedvectors-pickle": gensim_pickle,
    "static-model": static_vectors,
}
