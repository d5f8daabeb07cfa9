"""The words that vectors are asked for, by word set (`pipeline.inputs.WORD_SETS`)."""

from __future__ import annotations

from socialbias.datasets.census import professions
from socialbias.datasets.stereoset import read_items, words_of_items
from socialbias.datasets.weat import read_tests
from socialbias.embeddings.readers import leading_words
from socialbias.errors import UserError
from socialbias.papers.bad_seeds.inputs import read_sets, seed_sets
from socialbias.papers.bad_seeds.wanted import seed_words
from socialbias.papers.stereoset.items import SPLITS
from socialbias.papers.validation.units import asked
from socialbias.pipeline.inputs import UNORDERED, WORD_SETS
from socialbias.pipeline.job import Job
from socialbias.sources.manifest import only_file, read_manifest
from socialbias.word_lists import all_words


def words_of(job: Job, name: str) -> set[str]:
    """The words of a word set.

    Args:
        job: Its inputs are the word lists of the set, and the manifests of its roles where they
            are available.
        name: Such as `professions`.
    """
    if name == "seeds":
        return set(seed_words(job.word_lists("bad_seeds"), seed_sets(read_sets(job))))
    roles, lists = WORD_SETS[name]
    words = set().union(*(all_words(job.word_lists(part)) for part in lists))
    if name == "matrix":
        words |= asked(job)
        roles = ("weat_lists",)
    for role in roles:
        if role in job:
            fetched = read_manifest(job.path(role))
            if role == "weat_lists":
                errata = job.errata.get(role, {})
                words = words.union(*(test.words for test in read_tests(*fetched, errata)))
            elif role in SPLITS.values():
                words |= words_of_items(read_items(only_file(*fetched)))
            else:
                words |= professions(*fetched)
    return words


def most_frequent(job: Job, limit: int) -> list[str]:
    """The most frequent words, most frequent first, in the order of the vectors or of `glove`.

    Args:
        job: Its inputs `vectors` and, if those are in no order of frequency, `glove` are manifests.
        limit: How many of the words of that order; vectors in another order lack some of them.

    Raises:
        UserError: neither are in an order of frequency.
    """
    if not limit:
        return []
    folder, manifest = read_manifest(job.path("vectors"))
    if manifest["format"] in UNORDERED:
        ordered = read_manifest(job.path("glove")) if "glove" in job else (folder, manifest)
        if ordered[1]["format"] in UNORDERED:
            problem = (
                "its words are in no order of frequency: name vectors that are in inputs.glove"
            )
            raise UserError(f"{manifest['source']}: {problem}")
        folder, manifest = ordered
    return leading_words(folder, manifest, limit)
