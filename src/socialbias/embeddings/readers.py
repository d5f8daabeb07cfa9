"""Reading word vectors in the formats in which they are published.

Every reader takes the words that are wanted and streams: a file of three million words is never
in memory as a whole. A word that stands twice keeps its first vector, except where HistWords'
spelling variants fall together (see `read_histwords`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from socialbias.embeddings.files import WIDEST, as_vectors, open_binary, open_text, told
from socialbias.embeddings.histwords import histwords
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError

CHUNK = 1 << 22  # bytes read at a time; far more than one word and its vector
LONGEST_LINE = 1 << 22  # bytes; more means that the file is of another format

Vectors = Iterator[tuple[str, NDArray[np.float32]]]


def read_word_vectors(
    folder: Path, manifest: dict, wanted: Iterable[str], *, file: str | None = None, **options
) -> WordVectors:
    """Read the wanted words from a fetched source.

    Args:
        folder: The folder in which the source's files lie.
        manifest: The source's manifest; its `format` says how to read.
        wanted: The words to look for.
        file: Which of the source's files, where each of them is an embedding.
        options: What the reader of that format takes: `member` for text in a zip, `year` and the
            options of `read_histwords` for HistWords.

    Returns:
        The wanted words that the source has, in alphabetical order.

    Raises:
        UserError: the format is unknown, a file is not of that format or breaks off, a vector is
            not finite, or none of the words is there.
    """
    paths = _paths(folder, manifest, file, READERS)
    found: dict[str, NDArray[np.float32]] = {}
    for word, vector in READERS[manifest["format"]](paths, set(wanted), **options):
        found.setdefault(word, vector)
    if not found:
        raise UserError(f"{manifest['source']}: none of the wanted words is in it")
    return as_vectors(found, paths[0])


def leading_words(
    folder: Path, manifest: dict, limit: int, *, file: str | None = None, **options
) -> list[str]:
    """The first words of a fetched source: the most frequent, as the formats order them.

    Args:
        folder: The folder in which the source's files lie.
        manifest: The source's manifest; its `format` says how to read.
        limit: Words at most.
        file: Which of the source's files, where each of them is an embedding.
        options: What the reader of that format takes.

    Returns:
        Distinct words in the order of the file.

    Raises:
        UserError: as `read_word_vectors`; or the format has no order by frequency.
    """
    paths = _paths(folder, manifest, file, WORDS)
    words = WORDS[manifest["format"]](paths, **options)
    return list(islice(dict.fromkeys(words), limit)) if limit else []


def _paths(folder: Path, manifest: dict, file: str | None, readers: dict) -> list[Path]:
    """The files of one embedding of a source that one of these readers can read."""
    if manifest["format"] not in readers:
        raise UserError(f"{manifest['source']}: no reader for the format {manifest['format']!r}")
    names = [entry["path"] for entry in manifest["files"] if file in (None, entry["path"])]
    if len(names) != FILES.get(manifest["format"], 1):
        told = ", ".join(entry["path"] for entry in manifest["files"][:8])
        raise UserError(f"{manifest['source']}: say which file: {told}")
    return [folder / name for name in names]


def word2vec_binary(paths: list[Path], wanted: set[str]) -> Vectors:
    """Mikolov's binary format: `n d`, then each word, a space, d little-endian float32.

    Some writers put a newline behind each vector and some do not; both are read. A name that ends
    in `.gz` or `.bz2` is decompressed on the way. Reading stops once every wanted word is found.
    """
    missing = {word.encode() for word in wanted}
    for word, buffer, start, end in _binary_entries(paths[0]):
        if word in missing:
            missing.discard(word)
            yield word.decode(), np.frombuffer(buffer[start:end], "<f4")
            if not missing:
                return


def _binary_entries(path: Path) -> Iterator[tuple[bytes, bytes, int, int]]:
    """Each word, and where the bytes of its vector lie: most are not wanted, so none is copied."""
    with open_binary(path) as file:
        n, d = _header(file, path)
        width, buffer, start = 4 * d, b"", 0
        for i in range(n):
            space = buffer.find(b" ", start)
            if space < 0 or space + width >= len(buffer):
                buffer, start = buffer[start:] + file.read(CHUNK + width), 0
                space = buffer.find(b" ")
                if space < 0 or space + width >= len(buffer):
                    raise UserError(f"{path}: ends after {i} of {n} words: fetch it again")
            word = buffer[start:space].lstrip(b"\n")
            start = space + 1 + width
            yield word, buffer, space + 1, start


def _binary_words(paths: list[Path]) -> Iterator[str]:
    for word, *_ in _binary_entries(paths[0]):
        yield word.decode("utf-8", "replace")


def _text_words(paths: list[Path], *, member: str | None = None) -> Iterator[str]:
    with open_text(paths[0], member) as file:
        lines = _lines(file, paths[0])
        first = next(lines, b"")
        n, d = _shape_of_text(first, paths[0])
        for line in lines if n is not None else chain([first], lines):
            yield line.rstrip(b" \r\n").rsplit(b" ", d)[0].decode("utf-8", "replace")


def _parquet_words(paths: list[Path]) -> Iterator[str]:
    yield from _parquet_column(paths[1])


def _parquet_column(path: Path) -> list[str]:
    """The words of a parquet file: its only column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with told(path):
            table = pq.read_table(path)
    except pa.ArrowException as error:
        what = f"broken or not parquet ({str(error)[:60]}): fetch it again"
        raise UserError(f"{path}: {what}") from None
    words = table.column(0).to_pylist() if table.num_columns else [None]
    if not all(isinstance(word, str) for word in words):
        raise UserError(f"{path}: not a column of words")
    return words


def text_vectors(paths: list[Path], wanted: set[str], *, member: str | None = None) -> Vectors:
    r"""A word and its numbers a line: the text formats of GloVe and of word2vec.

    The first line may be a header `n d` (word2vec; GN-GloVe's `vectors300.txt` has none). Lines
    end at `\n` only and are split from the right: words may hold spaces and U+0085.

    Args:
        paths: One file: text, `.gz`, `.bz2`, or a zip.
        wanted: The words to look for.
        member: Which file of a zip. Default: the only one, or the one of 300 dimensions
            (`glove.6B.300d.txt`), which is what the papers use.

    Yields:
        Word and vector, in the order of the file.

    Raises:
        UserError: a wanted word's line has not as many numbers as the first line, or the file
            holds fewer words than its header says.
    """
    path = paths[0]
    heads = {word.encode().partition(b" ")[0] for word in wanted}
    targets = {word.encode() for word in wanted}
    with open_text(path, member) as file:
        lines = _lines(file, path)
        first = next(lines, b"")
        n, d = _shape_of_text(first, path)
        number = 0
        for number, line in enumerate(lines if n is not None else chain([first], lines), 1):
            if line[: line.find(b" ")] not in heads:
                continue
            word, *numbers = line.rstrip(b" \r\n").rsplit(b" ", d)
            if word in targets or len(numbers) != d:
                yield word.decode(), _parsed(numbers, d, f"{path}, entry {number}")
        if n is not None and number < n:
            raise UserError(f"{path}: ends after {number} of {n} words: fetch it again")


def _lines(file: BinaryIO, path: Path) -> Iterator[bytes]:
    while line := file.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE:
            raise UserError(f"{path}: not a text of word vectors: a line is longer than 4 MiB")
        yield line


def _shape_of_text(first: bytes, path: Path) -> tuple[int | None, int]:
    """Number of words, None without a header, and of dimensions."""
    fields = first.rstrip(b" \r\n").split(b" ")
    if len(fields) == 2 and all(field.isdigit() for field in fields):
        return int(fields[0]), int(fields[1])
    if len(fields) < 2 or len(fields) > WIDEST or not _is_number(fields[-1]):
        raise UserError(
            f"{path}: not a text of word vectors: line 1 should be a word and its numbers"
        )
    width = 0
    while width < len(fields) - 1 and _is_number(fields[-1 - width]):
        width += 1
    return None, width


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _parsed(numbers: list[bytes], d: int, where: str) -> NDArray[np.float32]:
    if len(numbers) == d:
        try:
            return np.array(numbers, dtype=np.float32)
        except ValueError:
            pass
    raise UserError(f"{where}: not {d} numbers behind the word: fetch it again")


def npy_parquet(paths: list[Path], wanted: set[str]) -> Vectors:
    """A matrix in `.npy` beside a parquet file whose only column is the words in its order."""
    yield from _rows(paths[0], _parquet_column(paths[1]), wanted)


def npy_text(paths: list[Path], wanted: set[str]) -> Vectors:
    r"""A matrix in `.npy` beside a text of its words, one a line (ended by `\n`), in its order."""
    matrix, words = sorted(paths, key=lambda path: path.suffix != ".npy")
    try:
        with told(words):
            text = words.read_bytes().decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise UserError(f"{words}: byte {error.start} is not UTF-8") from None
    yield from _rows(matrix, text.removesuffix("\n").split("\n"), wanted)


def _rows(path: Path, words: list[str], wanted: set[str]) -> Vectors:
    """The rows of a matrix whose words are wanted."""
    try:
        with told(path):
            matrix = np.lib.format.open_memmap(path, mode="r")  # refuses pickles
    except ValueError as error:
        raise UserError(f"{path}: not a .npy matrix of numbers ({str(error)[:60]})") from None
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiu":
        what = f"{matrix.dtype} of shape {matrix.shape}"
        raise UserError(f"{path}: not a .npy matrix of numbers ({what})")
    if len(words) != len(matrix):
        raise UserError(f"{path}: {len(matrix)} vectors for {len(words)} words")
    for i, word in enumerate(words):
        if word in wanted:
            yield word, np.array(matrix[i], dtype=np.float32)


def _header(file: BinaryIO, path: Path) -> tuple[int, int]:
    """The two numbers of the first line."""
    try:
        n, d = map(int, file.readline(64).split())
    except ValueError:
        n, d = 0, 0
    if n <= 0 or not 0 < d <= WIDEST:
        raise UserError(f"{path}: not word2vec's binary format: no `n d` in line 1")
    return n, d


FILES = {"npy-parquet": 2, "npy-text": 2}  # how many files make one embedding, where not one
# By format, the words in the order of the file.
WORDS = {
    "word2vec-binary": _binary_words,
    "word2vec-text": _text_words,
    "glove-text": _text_words,
    "npy-parquet": _parquet_words,
}
READERS = {
    "word2vec-binary": word2vec_binary,
    "word2vec-text": text_vectors,
    "glove-text": text_vectors,
    "npy-parquet": npy_parquet,
    "npy-text": npy_text,
    "histwords": histwords,
}
