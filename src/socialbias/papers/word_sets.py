"""The words that vectors are asked for, by word set (`pipeline.inputs.WORD_SETS`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from socialbias.embeddings.readers import leading_words
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.of_papers import all_words
from socialbias.errors import UserError
from socialbias.measures.datasets.census import professions
from socialbias.measures.datasets.stereoset import read_items
from socialbias.measures.datasets.stereoset import words as words_in
from socialbias.measures.datasets.weat import read_tests
from socialbias.papers.bad_seeds.inputs import read_sets, seed_sets, seed_words
from socialbias.papers.stereoset.items import SPLITS
from socialbias.papers.validation import units
from socialbias.pipeline.inputs import ORDERED, UNORDERED, WITH_MOST_FREQUENT, WORD_SETS
from socialbias.pipeline.job import Job
from socialbias.sources.manifest import only_file, read_manifest


def words_of(job: Job, name: str) -> set[str]:
    """Return the words of a word set."""
    if name == "seeds":
        return set(seed_words(job.word_lists("bad_seeds"), seed_sets(read_sets(job))))
    roles, lists = WORD_SETS[name]
    words = set().union(*(all_words(job.word_lists(part)) for part in lists))
    if name == "matrix":
        words |= units.forms(job)
        roles = ("weat_lists",)
    for role in roles:
        if role in job:
            fetched = read_manifest(job.path(role))
            if role == "weat_lists":
                errata = job.errata.get(role, {})
                words = words.union(*(test.words for test in read_tests(*fetched, errata)))
            elif role in SPLITS.values():
                items = read_items(only_file(*fetched))
                texts = {*items["target"], *items["sentence"]}
                words |= {word for text in texts for word in words_in(text)}
            else:
                words |= professions(*fetched)
    return words


def most_frequent(job: Job, limit: int) -> list[str]:
    """Return the most frequent words first, in the order of these vectors or of others."""
    if not limit:
        return []
    sources = [read_manifest(job.path(role)) for role in ("vectors", *ORDERED) if role in job]
    for folder, manifest in sources:
        if manifest["format"] not in UNORDERED:
            return leading_words(folder, manifest, limit)
    problem = "its words are in no order of frequency: name vectors that are in inputs.glove"
    raise UserError(f"{sources[0][1]['source']}: {problem}")


def save_word_sets(
    job: Job,
    names: Sequence[str],
    leading: Sequence[str],
    read: Callable[[set[str]], WordVectors],
    folder: Path,
) -> dict[str, tuple[int, int]]:
    """Read the words of some word sets from vectors once, and save a folder for each."""
    wanted = {name: words_of(job, name) for name in names}
    vectors = read({*leading}.union(*wanted.values()))
    for name, words in wanted.items():
        first = leading if name in WITH_MOST_FREQUENT else []
        own = vectors.only(sorted(words.union(first))).with_first(first)
        own.save(folder / name)
    return {name: (len(vectors.known(words)), len(words)) for name, words in wanted.items()}
