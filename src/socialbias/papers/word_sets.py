"""The words that vectors are asked for, by word set (`pipeline.plan.WORD_SETS`)."""

from __future__ import annotations

from socialbias.datasets.census import professions
from socialbias.datasets.weat import read_tests
from socialbias.papers.bad_seeds.inputs import read_sets, seed_sets
from socialbias.papers.bad_seeds.wanted import seed_words
from socialbias.pipeline.job import Job
from socialbias.pipeline.plan import WORD_SETS
from socialbias.sources.manifest import read_manifest
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
    for role in roles:
        if role in job:
            fetched = read_manifest(job.path(role))
            if role == "weat_lists":
                words = words.union(*(test.words for test in read_tests(*fetched)))
            else:
                words |= professions(*fetched)
    return words
