"""What a file or folder of a user's own is: its kind and format, by its name and first lines."""

from __future__ import annotations

import glob
import re
from itertools import islice, takewhile
from pathlib import Path

from socialbias.embeddings.files import BOM, open_text
from socialbias.embeddings.keyed_vectors import BESIDE
from socialbias.errors import UserError, mistyped
from socialbias.files.paths import check_file, exists, expanded

PICKLED = "gensim-keyedvectors-pickle"
# Formats of texts by suffix, each also compressed.
TEXTS = {".txt": "plain-text", ".jsonl": "jsonl", ".json": "json", ".csv": "csv", ".tsv": "tsv"}
# The format of a file by kind and suffix.
FORMATS = {
    "vectors": {
        ".bin": "word2vec-binary",
        ".bin.gz": "word2vec-binary",
        ".vec": "text",
        ".txt": "text",
        ".vec.gz": "text",
        ".txt.gz": "text",
        ".npy": "npy-text",
        ".kv": PICKLED,
    },
    "corpus": {f"{end}{gz}": name for end, name in TEXTS.items() for gz in ("", ".gz")}
    | {".parquet": "parquet-text"},
    "model": {".gguf": "gguf"},
}
# The required files of a folder, and its format, by kind.
FOLDERS = {
    "vectors": ({"vectors.npy", "vocabulary.txt"}, "npy-text"),
    "model": ({"config.json"}, "hf-model"),
}
LOOKED_AT = 100  # lines that show whether a text is one of vectors
BETWEEN = re.compile(rb"[\s,;]+")  # numbers, or the parts of a number with a decimal comma
NUMBER = re.compile(rb"[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?|[-+]?(?:nan|inf)")
FEWEST_NUMBERS = 2  # behind the first word of a line, for it to be one of word vectors


def check_not_read(output: Path, *inputs: str | Path | None) -> None:
    """Raise UserError if a file to write is one of these, beside it and read with it, or in it."""
    if not exists(output):
        return
    place = output.resolve().parents
    for path in (expanded(name) for name in inputs if name and exists(expanded(name))):
        in_folder = path.is_dir() and output.is_file() and path.resolve() in place
        if in_folder or any(map(output.samefile, [path, *_beside(path)])):
            raise UserError(f"{output}: is read by this command; name another file")


def _beside(path: Path) -> list[Path]:
    """Return the files of vectors in several files, whose names begin alike."""
    if path.suffix not in (".npy", ".kv"):
        return []
    alike = path.parent.glob(f"{glob.escape(path.stem)}.*")
    return [each for each in (*alike, path.with_name("vocabulary.txt")) if each.exists()]


def sniffed(path: Path, kind: str) -> tuple[str, list[Path]]:
    """Return the format of a file or folder of `vectors`, `corpus` or `model`, and its files."""
    if not path.exists():
        raise UserError(f"{path}: no such file or folder{mistyped(path)}")
    if path.is_dir():
        needed, format_ = FOLDERS.get(kind, (set(), ""))
        files = sorted(p for p in path.rglob("*") if p.is_file() and p.name[0] != ".")
        if not needed or not needed <= {p.name for p in files}:
            problem = f"a folder of {kind} needs {', '.join(sorted(needed))}"
            raise UserError(f"{path}: {problem if needed else 'not a file'}")
        if kind == "vectors":
            files = [path / name for name in sorted(needed)]
        return format_, files
    check_file(path)
    known = FORMATS[kind]
    ends = _suffixes(path, kind)
    if not ends:
        raise UserError(f"{path}: {kind} end in {', '.join(known)}")
    format_ = known[ends[-1]]
    if format_ == "gguf" and not path.stat().st_size:
        raise UserError(f"{path}: it is empty: fetch it again")
    if format_ == "npy-text":
        return format_, [path, _vocabulary(path)]
    if format_ == PICKLED:
        beside = path.with_name(path.name + BESIDE)
        return format_, [path, *([beside] if beside.is_file() else [])]
    return (_text_format(path) if format_ == "text" else format_), [path]


def kind_of(path: Path) -> str:
    """Return `vectors`, `corpus` or `model`; what is none of them is a UserError.

    A text is one of word vectors if most of its first lines are mostly numbers.
    """
    check_file(path)
    if not path.exists():
        raise UserError(f"{path}: no such file or folder{mistyped(path)}")
    if path.is_dir():
        if problem := not_one_model(path):
            raise UserError(f"{path}: {problem}")
        names = {p.name for p in path.iterdir() if p.name[0] != "."}
        for kind, (needed, _) in FOLDERS.items():
            if needed <= names:
                return kind
        if any(name.endswith(".gguf") for name in names):
            return "model"
        if any(name.endswith((".txt", ".txt.gz")) for name in names):
            return "corpus"
        held = "vectors.npy and vocabulary.txt, a config.json, a .gguf, or texts (*.txt); "
        held += "name any other file itself"
        raise UserError(f"{path}: not a known kind of folder: it should contain {held}")
    kinds = [kind for kind in FORMATS if _suffixes(path, kind)]
    if not kinds:
        ends = dict.fromkeys(end for known in FORMATS.values() for end in known)
        listed = ", ".join(ends)
        raise UserError(f"{path}: not a known kind of file: its name should end in {listed}")
    if kinds == ["vectors", "corpus"]:
        return "vectors" if _has_vectors(path) else "corpus"
    return kinds[0]


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


def _suffixes(path: Path, kind: str) -> list[str]:
    """Return the known ends of a file's name, the longest last."""
    return [end for end in sorted(FORMATS[kind], key=len) if path.name.endswith(end)]


def _vocabulary(path: Path) -> Path:
    """Return the file of the words that belong to a matrix."""
    names = (f"{path.stem}.txt", f"{path.stem}.vocab", "vocabulary.txt")
    for name in names:
        if path.with_name(name).is_file():
            return path.with_name(name)
    raise UserError(f"{path}: its words, one a line, should be beside it in {' or '.join(names)}")


def _text_format(path: Path) -> str:
    """Return the format of a text of word vectors; word2vec's begins with its two sizes."""
    with open_text(path) as file:
        first = file.readline(1 << 20).removeprefix(BOM).split()
    if not first:
        raise UserError(f"{path}: its first line is empty: not a text of word vectors")
    return "word2vec-text" if _are_sizes(first) else "glove-text"


def _has_vectors(path: Path) -> bool:
    """Return whether most of the first lines are mostly numbers, however written."""
    with open_text(path) as file:
        start = b"".join(islice(iter(lambda: file.readline(1 << 20), b""), LOOKED_AT))
    lines = [BETWEEN.split(line) for line in start.removeprefix(BOM).split(b"\n") if line.strip()]
    lines = lines[_are_sizes(lines[0]) if len(lines) > 1 else 0 :]
    return 2 * sum(map(_is_vector, lines)) > len(lines)


def _are_sizes(fields: list[bytes]) -> bool:
    return len(fields) == 2 and all(field.removeprefix(b"-").isdigit() for field in fields)


def _is_vector(fields: list[bytes]) -> bool:
    fields = [field for field in fields if field]
    numbers = list(takewhile(NUMBER.fullmatch, reversed(fields[1:])))
    return len(numbers) >= max(FEWEST_NUMBERS, len(fields) / 2)
