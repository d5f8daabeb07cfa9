"""What is measured: vectors, a corpus or a model, from a path or as an object in memory."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

import numpy as np

from socialbias.embeddings.readers import read_word_vectors, words_in_order
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.sources import hub
from socialbias.sources.sniffing import FORMATS, kind_of, sniffed


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
        hub: Of a model on the Hugging Face hub, its `repository`, the `revision` that was asked
            for, and the `commit` that this was; empty for others.
    """

    kind: str
    name: str
    format: str
    paths: tuple[Path, ...] = ()
    path: Path | None = None
    held: WordVectors | None = None
    hub: Mapping[str, str] = field(default_factory=dict)

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
        return read_word_vectors(self.folder, self._manifest, words)

    @property
    def _manifest(self) -> dict:
        files = [{"path": path.name} for path in self.paths]
        return {"source": self.name, "format": self.format, "files": files}

    def vocabulary(self) -> Iterator[str]:
        """The words of vectors in their order, which mostly is by frequency, read as taken."""
        if self.held is not None:
            yield from self.held.words
        elif self.kind == "vectors":
            yield from words_in_order(self.folder, self._manifest)

    def provenance(self) -> dict:
        """Name, format and files with sizes and checksums; of an object, a checksum of it all."""
        about = {"role": self.kind, "name": self.name, "format": self.format, **self.hub}
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


def open_subject(given: object, *, on_hub: bool = True, offline: bool = False) -> Subject:
    """What is measured, by its path, by its name on the Hugging Face hub, or as an object.

    Args:
        given: A path to vectors, a corpus or a model (`socialbias.sources.sniffing`), a model on
            the hub (`owner/name`, `owner/name@revision`, or either after `hf://`), `WordVectors`,
            gensim's vectors or a model that has them, or vectors by word.
        on_hub: Whether it may be a model on the hub.
        offline: Whether nothing is downloaded from there.

    Raises:
        UserError: it is none of these, or of an unknown format, or cannot be downloaded.
    """
    if isinstance(given, Subject):
        return given
    if given == "":  # as a path it would be this folder
        raise UserError("subject: name vectors, a corpus or a model, not ''")
    if on_hub and isinstance(given, str) and (name := hub_name(given)):
        return _of_hub(name, offline)
    if isinstance(given, str | Path):
        return _of_path(Path(given).expanduser())
    held = _held(given)
    return Subject("vectors", type(given).__name__, "in memory", held=held)


def hub_name(given: str) -> hub.Name | None:
    """The name of a model on the hub; None for what is, or can only be, a path.

    Raises:
        UserError: it may be either, since there is a folder of the owner's name.
    """
    name, path = hub.named(given), Path(given).expanduser()
    if name is None or name.sure:
        return name
    ends = [end for known in FORMATS.values() for end in known]
    if path.exists() or given.endswith(tuple(ends)):
        return None
    if len(path.parts) > 1 and path.parent.is_dir():
        hint = f"for the model of this name on the Hugging Face hub write {hub.SCHEME}{name}"
        raise UserError(f"{path}: no such file or folder{hub.mistyped(path)}; {hint}")
    return name


def _of_hub(name: hub.Name, offline: bool) -> Subject:
    here, hint = f"{name}: no such file or folder here", hub.mistyped(Path(str(name)))
    try:
        if not offline:
            taken = name if name.sure else f"{here}, so taken for the model of this name"
            place = f"on the Hugging Face hub, kept in {hub.cache()}"
            print(f"{taken} {place}{'' if name.sure else hint}", file=sys.stderr)
        folder = hub.snapshot(name, offline=offline)
    except UserError as error:
        if name.sure:
            raise
        reason = str(error).removeprefix(f"{name}: ")
        raise UserError(f"{here}, and {reason}{hint}") from None
    paths = sorted(p for p in folder.iterdir() if any(fnmatch(p.name, end) for end in hub.ALLOWED))
    about = {"source": "Hugging Face hub", "repository": name.model}
    about |= {"revision": name.revision or "main", "commit": folder.name}
    return Subject("model", str(name), "hf-model", tuple(paths), folder, hub=about)


def _of_path(path: Path) -> Subject:
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
