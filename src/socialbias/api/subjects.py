"""What is measured: vectors, a corpus or a model, from a path or as an object in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from socialbias.embeddings.readers import read_word_vectors
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.sources.sniffing import kind_of, sniffed

PICKLED = "gensim-keyedvectors-pickle"  # as gensim 3 wrote it


@dataclass(frozen=True)
class Subject:
    """What is measured.

    Attributes:
        kind: `vectors`, `corpus` or `model`.
        name: For titles and messages.
        format: Of its files; `in memory` for an object.
        paths: Its files.
        path: What was named: one of them, or their folder.
        held: The vectors, where they are in memory.
    """

    kind: str
    name: str
    format: str
    paths: tuple[Path, ...] = ()
    path: Path | None = None
    held: WordVectors | None = None

    @property
    def folder(self) -> Path:
        """The folder that the names of its files are relative to."""
        return self.path if self.path.is_dir() else self.path.parent

    def vectors(self, words: Sequence[str]) -> WordVectors:
        """The vectors of those words that have one.

        Raises:
            UserError: none has, or a file cannot be read.
        """
        if self.held is not None:
            found = self.held.only(words)
            finite = np.isfinite(found.matrix).all(axis=1)
            if not finite.all():
                bad = found.words[int(finite.argmin())]
                raise UserError(f"{self.name}: the vector of {bad!r} is not finite")
            return found
        files = [{"path": path.name} for path in self.paths]
        manifest = {"source": self.name, "format": self.format, "files": files}
        try:
            return read_word_vectors(self.folder, manifest, words)
        except UserError as error:
            if self.format != PICKLED or self.name not in str(error):
                raise
            hint = "give the object itself, or a file of its save_word2vec_format"
            raise UserError(f"{error}; of gensim 4 {hint}") from None

    def provenance(self) -> dict:
        """Name, format and files with sizes and checksums; of an object, a checksum of it all."""
        about = {"role": self.kind, "name": self.name, "format": self.format}
        if self.held is not None:
            digest = hashlib.sha256("\n".join(self.held.words).encode())
            digest.update(np.ascontiguousarray(self.held.matrix).tobytes())
            return about | {"words": len(self.held.words), "sha256": digest.hexdigest()}
        return about | {"files": [_told(path, self.folder) for path in self.paths]}


def file_provenance(path: Path, role: str) -> dict:
    """Name and checksum of a file that is no subject."""
    return {"role": role, "name": path.name, "files": [_told(path, path.parent)]}


def _told(path: Path, folder: Path) -> dict:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    name = str(path.relative_to(folder))
    return {"name": name, "bytes": path.stat().st_size, "sha256": digest}


def open_subject(given: object) -> Subject:
    """What is measured, by its path or as an object.

    Args:
        given: A path to vectors, a corpus or a model (`socialbias.sources.sniffing`),
            `WordVectors`, gensim's vectors or a model that has them, or vectors by word.

    Raises:
        UserError: it is none of these, or of an unknown format.
    """
    if isinstance(given, Subject):
        return given
    if isinstance(given, str | Path):
        return _of_path(Path(given).expanduser())
    held = _held(given)
    return Subject("vectors", type(given).__name__, "in memory", held=held)


def _of_path(path: Path) -> Subject:
    if not path.exists() and len(path.parts) == 2 and not path.suffix:
        hint = f"hf download {path} --local-dir FOLDER"
        raise UserError(f"{path}: no such folder; a model of the hub is downloaded first: {hint}")
    kind = kind_of(path)
    if path.is_dir() and kind != "vectors":
        paths = sorted(p for p in path.rglob("*") if p.is_file() and p.name[0] != ".")
        gguf = not (path / "config.json").is_file()
        format_ = "plain-text" if kind == "corpus" else "gguf" if gguf else "hf-model"
        return Subject(kind, path.name, format_, tuple(paths), path)
    format_, paths = sniffed(path, kind)
    return Subject(kind, path.name, format_, tuple(paths), path)


def _held(given: object) -> WordVectors:
    """Vectors in memory."""
    if isinstance(given, WordVectors):
        return given
    given = getattr(given, "wv", given)
    if hasattr(given, "index_to_key") and hasattr(given, "vectors"):  # gensim's KeyedVectors
        return WordVectors(tuple(given.index_to_key), np.asarray(given.vectors))
    if isinstance(given, Mapping) and given:
        widths = {np.shape(vector) for vector in given.values()}
        if len(widths) != 1 or len(next(iter(widths))) != 1:
            raise UserError("vectors by word: they should be equally long lists of numbers")
        matrix = np.array(list(given.values()), np.float32)
        return WordVectors(tuple(map(str, given)), matrix)
    kinds = "a path, gensim's vectors, WordVectors, or vectors by word"
    raise UserError(f"subject: {kinds}; not {type(given).__name__}")
