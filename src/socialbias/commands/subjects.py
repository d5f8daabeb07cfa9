"""What is measured: vectors, a corpus or a model, from a path or as an object in memory."""

from __future__ import annotations

import hashlib
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from socialbias.embeddings.readers import read_word_vectors, words_in_order
from socialbias.embeddings.static_models import static_model
from socialbias.embeddings.vectors import WordVectors, usable
from socialbias.errors import UserError, missing_package, mistyped
from socialbias.files.paths import expanded
from socialbias.files.reference import example_vectors
from socialbias.files.text import shown
from socialbias.sources import hub
from socialbias.sources.checksums import sha256_of
from socialbias.sources.sniffing import NAMED, recognised

if TYPE_CHECKING:  # an installation without `requests` reads files
    from socialbias.models.served.scorer import ServedScorer

ADDRESS = re.compile(r"https?:/")
NO_ADDRESS = (
    "an address cannot be measured: a served model scores items, in compare --items and in audit; "
    "download a file and name it, or name a model of the Hugging Face Hub as owner/name"
)
EXAMPLE = "example"
SERVED = "served"


@dataclass(frozen=True)
class Subject:
    """What is measured."""

    kind: str  # `vectors`, `corpus` or `model`
    name: str  # for titles and messages
    format: str  # of its files; `in memory` for an object
    paths: tuple[Path, ...] = ()  # its files
    path: Path | None = None  # what was named: one of them, or their folder
    loaded: WordVectors | None = None  # the vectors, if they are in memory
    # Of a model on the hub, its `repository`, the `revision` asked for, and the `commit` it was.
    hub: Mapping[str, str] = field(default_factory=dict)
    server: ServedScorer | None = None  # such a model has no path, and gives decisions alone

    @property
    def is_served(self) -> bool:
        """Whether it is, or was when it was audited, behind an address."""
        return self.format == SERVED

    @property
    def folder(self) -> Path:
        """The folder that the names of its files are relative to."""
        return self.path if self.path.is_dir() else self.path.parent

    def vectors(self, words: Sequence[str]) -> WordVectors:
        """Return the vectors of the words that have one."""
        if self.loaded is not None:
            return usable(self.loaded.only(words), self.name)
        return read_word_vectors(self.folder, self._manifest, words)

    @property
    def _manifest(self) -> dict:
        files = [{"path": str(path.relative_to(self.folder))} for path in self.paths]
        return {"source": self.name, "format": self.format, "files": files}

    def vocabulary(self) -> Iterator[str]:
        """Yield the words of vectors in their order, which is mostly by frequency."""
        if self.loaded is not None:
            yield from self.loaded.words
        elif self.kind == "vectors":
            yield from words_in_order(self.folder, self._manifest)

    def check_text_options(self, text_key: str | None, by: str | None) -> None:
        """Raise UserError for options of a corpus on another subject."""
        if self.kind != "corpus" and (text_key or by):
            problem = "text-key and by are only for a corpus"
            raise UserError(f"{problem}, but {self.name} is {self.kind}")

    def provenance(self) -> dict:
        """Return name, format and files with sizes and checksums; of an object, its checksum."""
        entry = {"role": self.kind, "name": self.name, "format": self.format, **self.hub}
        if self.server is not None:
            return entry | self.server.provenance()
        if self.loaded is not None:
            digest = hashlib.sha256("\n".join(self.loaded.words).encode())
            digest.update(np.ascontiguousarray(self.loaded.matrix).tobytes())
            return entry | {"words": len(self.loaded.words), "sha256": digest.hexdigest()}
        return entry | {"files": [_checksum(path, self.folder) for path in self.paths]}


def file_provenance(path: Path, role: str) -> dict:
    """Return the name and checksum of a file that is not a subject."""
    return {"role": role, "name": shown(path.name), "files": [_checksum(path, path.parent)]}


def _checksum(path: Path, folder: Path) -> dict:
    name = shown(path.relative_to(folder))
    return {"name": name, "bytes": path.stat().st_size, "sha256": sha256_of(path)}


def open_subject(
    subject: object, *, on_hub: bool = True, offline: bool = False, served: bool = False
) -> Subject:
    """Return what is measured, from a path, a name on the Hugging Face hub, or an object.

    It may be a path to vectors, a corpus or a model (`socialbias.sources.sniffing`), a model on the
    hub (`owner/name`, `owner/name@revision`, or either after `hf://`), `example` (vectors that
    travel with the library, unless there is such a path), `WordVectors`, gensim's vectors or a
    model that has them, vectors by word, or a pair of words and their (n, d) array. With `on_hub`,
    names are looked up on the hub, with `offline` without downloading; with `served`, it may be the
    address of a server, `http(s)://host:port[/v1][#model]`.
    """
    if isinstance(subject, Subject):
        return subject
    if isinstance(subject, str) and ADDRESS.match(subject):
        if served:
            from socialbias.models.served.scorer import ServedScorer
            from socialbias.models.served.server import Server

            scorer = ServedScorer(Server(subject))
            return Subject("model", scorer.model.name, SERVED, server=scorer)
        raise UserError(NO_ADDRESS)
    if isinstance(subject, str) and not subject:  # as a path it would be this folder
        raise UserError("subject: name vectors, a corpus or a model, not ''")
    if isinstance(subject, str) and subject == EXAMPLE and not Path(EXAMPLE).exists():
        return _of_path(example_vectors())
    if on_hub and isinstance(subject, str) and (name := hub_name(subject)):
        return _of_hub(name, offline)
    if isinstance(subject, str | Path):
        return _of_path(expanded(subject))
    loaded = _loaded(subject)
    return Subject("vectors", type(subject).__name__, "in memory", loaded=loaded)


def hub_name(subject: str) -> hub.Name | None:
    """Return the name of a model on the hub; None for what is, or can only be, a path."""
    name, path = hub.named(subject), expanded(subject)
    if name is None or name.sure:
        return name
    if path.is_symlink() and not path.exists():
        raise UserError(f"{path}: a link that leads nowhere")
    if path.exists() or subject.removesuffix(".gz").endswith((*NAMED, ".zip")):
        return None
    if len(path.parts) > 1 and path.parent.is_dir():
        hint = f"for the model of this name on the Hugging Face Hub, write {hub.SCHEME}{name}"
        raise UserError(f"{path}: no such file or folder{mistyped(path)}; {hint}")
    return name


def _of_hub(name: hub.Name, offline: bool) -> Subject:
    no_path = "" if name.sure else f"{name}: no such file or folder{mistyped(Path(str(name)))}; "
    try:
        if not offline:
            model = f"{no_path}using the model {name} on the Hugging Face Hub"
            print(f"{model}, stored in {hub.cache()}", file=sys.stderr)
        folder = hub.snapshot(name, offline=offline)
    except (ModuleNotFoundError, UserError) as error:
        reason = str(error) if isinstance(error, UserError) else missing_package(error)
        raise UserError(f"{no_path}{reason}") from None
    paths = sorted(p for p in folder.iterdir() if any(fnmatch(p.name, end) for end in hub.ALLOWED))
    origin = {"source": "Hugging Face hub", "repository": name.model}
    origin |= {"revision": name.revision or "main", "commit": folder.name}
    if static := static_model(folder):
        return Subject("vectors", str(name), "static-model", tuple(static), folder, hub=origin)
    return Subject("model", str(name), "hf-model", tuple(paths), folder, hub=origin)


def _of_path(path: Path) -> Subject:
    if path.suffix in (".npy", ".kv") and path.is_file() and not path.stat().st_size:
        raise UserError(f"{path}: it is empty")
    kind, format_, paths = recognised(path)
    return Subject(kind, shown(path.name), format_, tuple(paths), path)


def _loaded(vectors: object) -> WordVectors:
    """Return vectors in memory as `WordVectors`."""
    if isinstance(vectors, WordVectors):
        return vectors
    vectors = getattr(vectors, "wv", vectors)
    if hasattr(vectors, "index_to_key") and hasattr(vectors, "vectors"):  # gensim's KeyedVectors
        return WordVectors(tuple(vectors.index_to_key), np.asarray(vectors.vectors))
    if isinstance(vectors, Mapping) and vectors:
        return _from_pair(list(vectors), list(vectors.values()), "vectors by word")
    if isinstance(vectors, tuple) and len(vectors) == 2 and hasattr(vectors[1], "ndim"):
        return _from_pair(list(vectors[0]), vectors[1], "words and array")
    kinds = "a path, gensim's vectors, WordVectors, vectors by word, or words and their array"
    raise UserError(f"subject: must be {kinds}, not {type(vectors).__name__}")


def _from_pair(words: list, rows: Sequence, name: str) -> WordVectors:
    """Return vectors of words and rows, each word once."""
    if len(words) != len(rows):
        raise UserError(f"{name}: {len(words)} words, but {len(rows)} vectors")
    if twice := next((word for word, n in Counter(words).items() if n > 1), None):
        raise UserError(f"{name}: {twice!r} occurs twice")
    try:
        if np.iscomplexobj(rows) or any(np.ma.is_masked(row) for row in rows):
            raise ValueError("complex or masked numbers: leave these words out")
        matrix = np.array(rows, np.float32)
    except (ValueError, TypeError, OverflowError, RuntimeError) as error:  # as numpy or torch says
        raise UserError(f"{name}: {error}") from None
    if matrix.ndim != 2 or not all(isinstance(word, str) for word in words):
        raise UserError(f"{name}: must be words, each with a list of numbers")
    return WordVectors(tuple(words), matrix)
