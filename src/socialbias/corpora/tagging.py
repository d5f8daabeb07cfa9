"""Part-of-speech tagging: spaCy's tagger on a sample of documents, and each word's usual tag.

The tagger's model is a source like any other. Its folder contains weights and settings; spaCy reads
them, downloads nothing, and loads only the pipes that the tagger needs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import spacy
from numpy.typing import NDArray
from spacy.language import Language

from socialbias.errors import UserError
from socialbias.files.unpack import unpack

PIPES = ("tok2vec", "tagger")
ENTITY_PIPES = ("tok2vec", "ner")
BATCH = 32  # lines; more is slower, as the longest line determines the memory
PART = 250_000  # words; what else is in a batch may change a tag, so that they are the same always
MAX_LINE = 100_000  # characters of a line tagged at a time

# Penn Treebank tags by prefix, longest prefixes first; all others are `other`.
CLASSES = {
    "NNP": "proper noun",
    "NN": "noun",
    "VB": "verb",
    "MD": "verb",
    "JJ": "adjective",
    "RB": "adverb",
    "WRB": "adverb",
    "PRP": "pronoun",
    "WP": "pronoun",
    "CD": "number",
}
COLUMNS = ["word", "tag", "tagged", "total"]


@contextmanager
def tagger(folder: Path, manifest: dict, pipes: tuple[str, ...] = PIPES) -> Iterator[Language]:
    """Provide the tagger of a fetched spaCy model."""
    with TemporaryDirectory() as temporary:
        if not (folder / "config.cfg").is_file():
            unpacked = Path(temporary, "model")
            unpack(folder / manifest["files"][0]["path"], unpacked)
            folder = min((path.parent for path in unpacked.rglob("config.cfg")), default=unpacked)
        source, own = manifest["source"], spacy.__version__
        try:
            meta = json.loads((folder / "meta.json").read_text("utf-8"))
            needed = meta["spacy_version"]
            if not spacy.util.is_compatible_version(own, needed):
                raise UserError(f"{source}: made for spaCy {needed}, not {own}")
            others = [pipe for pipe in meta["pipeline"] if pipe not in pipes]
            nlp = spacy.load(folder, exclude=[*others, "senter"])
        except (OSError, ValueError, KeyError) as error:
            raise UserError(f"{source}: not a model for spaCy {own} ({error})") from None
        if pipes[-1] not in nlp.pipe_names:
            raise UserError(f"{source}: the model has no {pipes[-1]}")
        yield nlp


def sample(lengths: NDArray[np.integer], words: int, rng: np.random.Generator) -> list[int]:
    """Random documents with about a given number of words."""
    if not words:
        return list(range(len(lengths)))
    order = rng.permutation(len(lengths))
    n = int(np.searchsorted(np.cumsum(lengths[order]), words)) + 1
    return sorted(order[:n].tolist())


def count_tags(nlp: Language, texts: Iterable[str], lower: bool = True) -> Counter:
    """Return how often each word has each tag."""
    counts: Counter[tuple[str, str]] = Counter()
    lines = (line for text in texts for line in (text.lower() if lower else text).split("\n"))
    starts = ((line, start) for line in lines for start in range(0, len(line), MAX_LINE))
    pieces = (line[start : start + MAX_LINE].strip() for line, start in starts)
    for doc in nlp.pipe(filter(None, pieces), batch_size=BATCH):
        counts.update((token.lower_, token.tag_) for token in doc if not token.is_space)
    return counts


def parts(lengths: NDArray[np.integer], numbers: Sequence[int]) -> list[list[int]]:
    """Documents in parts of about `PART` words, which are tagged in one go each."""
    ends = np.cumsum(np.asarray(lengths)[numbers])
    places = np.flatnonzero(np.diff(ends // PART)) + 1
    return [part.tolist() for part in np.split(np.asarray(numbers), places) if len(part)]


def usual_tags(counts: Counter) -> pd.DataFrame:
    """Return the most frequent part of speech of each word."""
    if not counts:
        return pd.DataFrame(columns=COLUMNS)
    rows = []
    for (word, tag), n in counts.items():
        classes = (name for start, name in CLASSES.items() if tag.startswith(start))
        rows.append((word, next(classes, "other"), n))
    table = pd.DataFrame(rows, columns=["word", "tag", "tagged"])
    table = table.groupby(["word", "tag"], as_index=False)["tagged"].sum()
    table["total"] = table.groupby("word")["tagged"].transform("sum")
    table = table.sort_values(["word", "tagged", "tag"], ascending=[True, False, True])
    return table.drop_duplicates("word", ignore_index=True)[COLUMNS]
