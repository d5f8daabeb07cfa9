"""What a file or folder of a user's own is: its kind and format, by its name and first lines."""

from __future__ import annotations

import glob
import os
import re
from itertools import takewhile
from pathlib import Path

from socialbias.embeddings.files import BOM, one_line_errors, opened
from socialbias.embeddings.keyed_vectors import BESIDE
from socialbias.embeddings.readers import UTF_16, are_sizes
from socialbias.embeddings.static_models import static_model
from socialbias.errors import UserError, mistyped
from socialbias.files.paths import check_file, exists, expanded

PICKLED = "gensim-keyedvectors-pickle"
AS_TEXT = "save its vectors as text, a word and its numbers a line"
# How files begin that are not read: what they are, and what to do.
REFUSED = {
    b"\xba\x16\x4f\x2f": ("a fastText model", "take the .vec that is published with it, or write "
    "one: gensim.models.fasttext.load_facebook_vectors('my.bin').save_word2vec_format('my.vec')"),
    b"\x89HDF": ("HDF5", AS_TEXT),
    b"SQLite": ("a database of SQLite", AS_TEXT),
    b"%PDF": ("a PDF", "save its text as .txt"),
    b"\xd0\xcf\x11\xe0": ("a file of Word or Excel", "save its text as .txt, or its table as .csv"),
}  # fmt: skip
# The kind and format of a file by its suffix, where its content does not decide.
NAMED = {
    ".bin": ("vectors", "word2vec-binary"),
    ".vec": ("vectors", "glove-text"),
    ".npy": ("vectors", "npy-text"),
    ".kv": ("vectors", PICKLED),
    ".txt": ("corpus", "plain-text"),
    ".jsonl": ("corpus", "jsonl"),
    ".json": ("corpus", "json"),
    ".csv": ("corpus", "csv"),
    ".tsv": ("corpus", "tsv"),
    ".parquet": ("corpus", "parquet-text"),
    ".gguf": ("model", "gguf"),
}
MATRIX = {"vectors.npy", "vocabulary.txt"}  # in a folder
BY_NAME = (".npy", ".kv", ".jsonl", ".json", ".parquet", ".gguf")  # the content is not looked at
KINDS = {"vectors": "word vectors", "corpus": "a corpus", "model": "a model"}
LOOKED_AT_FILES = 20  # of a folder, for vectors among its texts
LOOKED_AT = 1 << 16  # bytes that show what a file has
BETWEEN = re.compile(rb"[\s,;]+")  # numbers, or the parts of a number with a decimal comma
# Also with its index, in sparse vectors, and in brackets.
NUMBER = re.compile(
    rb"[\"\[(]*(?:\d+:)?(?:[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf))[\])\"]*"
)


def check_not_read(output: Path, *inputs: str | Path | None) -> None:
    """Raise UserError if a file to write is one of these, beside it and read with it, or in it."""
    place = Path(os.path.realpath(output)).parents  # also of links in a circle
    for path in (expanded(name) for name in inputs if name and exists(expanded(name))):
        if path.is_dir() and path.resolve() in place:
            raise UserError(f"{output}: is in {path}, which this command reads; write it elsewhere")
        if exists(output) and any(map(output.samefile, [path, *_beside(path)])):
            raise UserError(f"{output}: is read by this command; name another file")


def _beside(path: Path) -> list[Path]:
    """Return the files of vectors in several files, whose names begin alike."""
    if path.suffix not in (".npy", ".kv"):
        return []
    alike = path.parent.glob(f"{glob.escape(path.stem)}.*")
    return [each for each in (*alike, path.with_name("vocabulary.txt")) if each.exists()]


def sniffed(path: Path, kind: str) -> tuple[str, list[Path]]:
    """Return the format and files of what should be `vectors`, a `corpus` file or a `model`."""
    if path.is_dir() and kind == "corpus":
        raise UserError(f"{path}: not a file")
    found, format_, files = recognised(path)
    if found != kind:
        raise UserError(f"{path}: it is {KINDS[found]}, not {KINDS[kind]}")
    return format_, files


def recognised(path: Path) -> tuple[str, str, list[Path]]:
    """Return kind (`vectors`, `corpus` or `model`), format and files of what is at a path.

    How a file begins decides. Its name decides between what begins alike. What is none of them, or
    cannot be read, is a UserError.
    """
    check_file(path)
    if not path.exists():
        raise UserError(f"{path}: no such file or folder{mistyped(path)}")
    if path.is_dir():
        return _of_folder(path)
    suffix = Path(path.name.removesuffix(".gz")).suffix
    kind, format_ = NAMED.get(suffix, ("", ""))
    with one_line_errors(path), path.open("rb") if suffix in BY_NAME else opened(path) as file:
        start = file.read(LOOKED_AT)
    for begin, (what, advice) in REFUSED.items():
        if start.startswith(begin):
            raise UserError(f"{path}: it looks like {what}: {advice}")
    if suffix not in BY_NAME and re.match(rb"\x80[\2-\5]", start):
        if b"gensim" not in start:
            raise UserError(f"{path}: it looks like a pickle, which may run code: {AS_TEXT}")
        kind, format_ = "vectors", PICKLED
    elif suffix not in BY_NAME:
        if found := _format_of_vectors(start, kind == "corpus" and suffix != ".txt"):
            kind, format_ = "vectors", found
        elif suffix == ".zip":
            raise UserError(f"{path}: a zip without word vectors: unpack it, and name what to read")
    if not kind:
        listed = ", ".join(NAMED)
        raise UserError(f"{path}: not a known kind of file: its name should end in {listed}")
    if format_ == "gguf" and not start:
        raise UserError(f"{path}: it is empty: fetch it again")
    if format_ == "npy-text":
        return kind, format_, [path, _vocabulary(path)]
    beside = path.with_name(path.name + BESIDE)
    return kind, format_, [path, beside] if format_ == PICKLED and beside.is_file() else [path]


def _of_folder(path: Path) -> tuple[str, str, list[Path]]:
    if problem := not_one_model(path):
        raise UserError(f"{path}: {problem}")
    names = {p.name for p in path.iterdir() if p.name[0] != "."}
    if names >= MATRIX:
        return "vectors", "npy-text", [path / name for name in sorted(MATRIX)]
    if files := static_model(path):
        return "vectors", "static-model", files
    if "config.json" in names or any(name.endswith(".gguf") for name in names):
        files = sorted(p for p in path.rglob("*") if p.is_file() and p.name[0] != ".")
        return "model", "hf-model" if "config.json" in names else "gguf", files
    if any(name.endswith((".txt", ".txt.gz")) for name in names):
        from socialbias.corpora.user_files import text_files

        texts = text_files(path)
        for text in texts[:LOOKED_AT_FILES]:
            if recognised(text)[0] == "vectors":
                advice = "name one file, or keep texts in a folder of their own"
                raise UserError(f"{path}: {text.name} has word vectors, not text: {advice}")
        return "corpus", "plain-text", texts
    held = "vectors.npy and vocabulary.txt, a model (config.json, a .gguf, or a static model's "
    held += "model.safetensors and tokenizer.json), or texts (*.txt); name any other file itself"
    raise UserError(f"{path}: not a known kind of folder: it should contain {held}")


def not_one_model(folder: Path) -> str:
    """Return why a folder with parts of a model is none by itself; "" if it may be one."""
    whole = (folder / "config.json").is_file() or any(folder.glob("*.gguf"))
    if adapters := sorted(path.name for path in folder.glob("adapter_*")):
        advice = "merge it into its base, and name the merged model"
        beside = f" beside weights: {advice}, or remove it if it is merged"
        return f"an adapter ({adapters[0]}){beside if whole else f' alone: {advice}'}"
    if not whole and (points := [path.parent for path in folder.glob("checkpoint-*/config.json")]):
        last = max(points, key=lambda path: (len(path.name), path.name))
        return f"has {len(points)} checkpoints and no model: name one of them, such as {last}"
    return ""


def _vocabulary(path: Path) -> Path:
    """Return the file of the words that belong to a matrix."""
    names = (f"{path.stem}.txt", f"{path.stem}.vocab", "vocabulary.txt")
    for name in names:
        if path.with_name(name).is_file():
            return path.with_name(name)
    raise UserError(f"{path}: its words, one a line, should be beside it in {' or '.join(names)}")


def _format_of_vectors(start: bytes, is_table: bool) -> str:
    """Return the format of word vectors by how they begin: most lines are mostly numbers.

    It is "" for other files. In a table, words differ and stand alone, and no column has texts.
    """
    if start.startswith(UTF_16):  # which the reader refuses
        start = start.decode("utf-16", "ignore").encode()
    first, *lines = start.removeprefix(BOM).split(b"\n")
    lines = lines[:-1] if len(start) == LOOKED_AT else lines  # the last one is cut
    rows = [BETWEEN.split(line.strip()) for line in lines or [first] if line.strip()]
    if is_table and (b"text" in BETWEEN.split(first.replace(b'"', b"").lower().strip())):
        return ""
    if is_table and 2 * len({row[0] for row in rows}) <= len(rows):
        return ""
    if 2 * sum(_is_vector(row, is_table) for row in rows) > len(rows):
        return "word2vec-text" if are_sizes(first.split()) else "glove-text"
    return "word2vec-binary" if are_sizes(first.split()) and b"\0" in start else ""


def _is_vector(fields: list[bytes], in_table: bool) -> bool:
    """Return whether the fields of a line are mostly numbers, behind a word or before it."""
    ends = fields[:0:-1], fields[:-1]
    numbers = max(len(list(takewhile(NUMBER.fullmatch, end))) for end in ends)
    if not in_table:
        return numbers >= max(2, len(fields) / 2)
    is_id = fields[0].isdigit() and numbers == len(fields) - 1  # of a row of scores
    return numbers >= 3 and len(fields) - numbers <= 2 and not is_id
