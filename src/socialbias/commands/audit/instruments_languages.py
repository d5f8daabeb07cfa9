"""The instruments for vectors in other languages than English: XWEAT, and occupations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from socialbias.commands.audit.instruments_vectors import GROUPS, MEASURES, TARGETS, OfVectors
from socialbias.commands.audit.results import Outcomes, Step
from socialbias.commands.settings import Resampling
from socialbias.commands.subjects import Subject
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.languages import primary
from socialbias.embeddings.words.lists import WordLists, groups_of, lists, targets_of
from socialbias.errors import UserError
from socialbias.measurement.random_words import NAMES, POOL
from socialbias.measurement.spelling import all_spellings, languages_of, respelt
from socialbias.measures.placebo import draw
from socialbias.measures.registry import bias_by

XWEAT = "Lauscher and Glavaš 2019 (XWEAT)"
TESTS = {  # by number: lists of targets and of groups
    1: ("flowers-insects", "pleasant"),
    2: ("instruments-weapons", "pleasant"),
    7: ("arts-math", "gender"),
    8: ("arts-science", "gender-kinship"),
    9: ("illness", "permanence"),
}
FORMS = "professions-forms"
NO_RULER = "the papers measure only English"


def steps(subject: Subject, language: str, resampling: Resampling) -> Iterator[Step]:
    """Yield a step for each instrument; one whose lists have too few words gives no result."""
    groups, targets = groups_of(GROUPS, language), targets_of(TARGETS, language)
    tag = primary(language)
    tests = [
        (f"XWEAT {number}", groups_of(which, language), targets_of(words, language))
        for number, (words, which) in TESTS.items()
        if f"{words}-{tag}" in lists()
    ]
    if f"{FORMS}-{tag}" in lists():
        tests.append(("forms of occupations", groups, targets_of(FORMS, language)))
    tested = [word_lists for _, *both in tests for word_lists in both]
    languages = languages_of(language, targets, *tested)
    own = all_spellings(languages)
    left_out = [*own, *lists()[NAMES].all]
    drawn = draw(subject.vocabulary(), targets.all, left_out, resampling.seed, POOL).words
    languages |= dict.fromkeys(drawn, "")
    vectors, _ = respelt(subject.vectors([*own, *drawn]), languages)
    audit = OfVectors(vectors, subject, resampling, None, drawn)
    for name in MEASURES:
        words = (vectors, groups, targets)
        title = f"{bias_by(name)}, {targets.name}"
        yield Step(title, partial(_if_enough, *words, audit.bias, name, NO_RULER))
    for name, which, words in tests:
        paper = XWEAT if name.startswith("XWEAT") else "effect size of Caliskan et al. 2017"
        yield Step(name, partial(_if_enough, vectors, which, words, audit.weat, name, paper))


def _if_enough(
    vectors: WordVectors,
    groups: WordLists,
    targets: WordLists,
    measure: Callable[..., Outcomes],
    name: str,
    note: str,
) -> Outcomes:
    """Yield a measurement; raise UserError if less than half of a list has vectors."""
    wanted = groups.words | {part or "targets": words for part, words in targets.words.items()}
    few = [
        f"{part} {len(vectors.known(words))} of {len(set(words))}"
        for part, words in wanted.items()
        if not vectors.covers(words)
    ]
    if few:
        raise UserError(f"too few words have a vector: {', '.join(few)}")
    yield from measure(name, groups, targets, note)
