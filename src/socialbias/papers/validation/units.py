"""The words of the validity matrix: what is measured, and by which words a trait is measured."""

from __future__ import annotations

from collections.abc import Container, Iterable

from socialbias.measures.datasets import census
from socialbias.measures.datasets.gfm import read_countries
from socialbias.measures.datasets.stereoset import read_items
from socialbias.measures.datasets.weat import read_tests
from socialbias.papers.stereoset.items import SPLITS
from socialbias.pipeline.job import Job
from socialbias.sources.manifest import only_file, read_manifest

PROFESSIONS, NATIONALITIES = UNITS = ("professions", "nationalities")
GENDER, VALENCE = TRAITS = ("gender", "valence")
COUNTRIES = "terms/identity_terms/countries.csv"
LISTS = "appendix"  # of gender words
PLEASANT = "weat1"  # the test whose attributes are pleasant and unpleasant words
Poles = tuple[list[str], list[str]]


def professions(job: Job) -> list[str]:
    """Single-word professions of the census and of StereoSet, in lower case."""
    words: set[str] = set()
    if "census_gender" in job:
        words |= census.professions(*read_manifest(job.path("census_gender")))
    for role in SPLITS.values():
        if role in job:
            items = read_items(only_file(*read_manifest(job.path(role))))
            targets = items.loc[items["bias_type"] == "profession", "target"]
            words |= {target.strip().lower() for target in targets}
    return sorted(word for word in words if " " not in word)


def nationalities(job: Job) -> dict[str, float]:
    """Nationality adjectives of one word as they are written, with GDP at purchasing power.

    NaN where there is no GDP; {} without the role `fairness_countries`.
    """
    if "fairness_countries" not in job:
        return {}
    folder, _ = read_manifest(job.path("fairness_countries"))
    table = read_countries(folder / COUNTRIES).drop_duplicates("adjective")
    single = table[(table["adjective"] != "") & ~table["adjective"].str.contains(" ")]
    return dict(zip(single["adjective"], single["gdp_ppp"], strict=True))


def terms(job: Job) -> dict[str, list[str]]:
    """Return the words of each unit."""
    return {PROFESSIONS: professions(job), NATIONALITIES: list(nationalities(job))}


def traits(job: Job) -> dict[str, Poles]:
    """Return by trait, the words of its positive and of its negative pole, in lower case.

    Gender: the words of Bommasani and Liang's appendix, 20 a gender: the eight of their code are
    too few to be reliable. Valence: WEAT's pleasant and unpleasant words, where the lists are
    available.
    """
    lists = job.word_lists("trustworthy")["gender"][LISTS]
    poles = {GENDER: (list(lists["female"]), list(lists["male"]))}
    if "weat_lists" in job:
        errata = job.errata.get("weat_lists", {})
        tests = read_tests(*read_manifest(job.path("weat_lists")), errata)
        [test] = [test for test in tests if test.name == PLEASANT]
        first, second = ([word.lower() for word in words] for words in test.attributes)
        poles[VALENCE] = (first, second)
    return poles


def forms(job: Job) -> set[str]:
    """Professions and nationalities as vectors may have them: as written and in lower case."""
    words = {word for listed in terms(job).values() for word in listed}
    return words | {word.lower() for word in words}


def looked_up(words: Iterable[str], known: Container[str]) -> dict[str, str]:
    """Return the form of each word that is known: as it is written, else in lower case."""
    return {
        word: word if word in known else word.lower()
        for word in words
        if word in known or word.lower() in known
    }
