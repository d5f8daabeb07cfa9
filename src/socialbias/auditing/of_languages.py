"""What an audit measures in vectors of another language than English: XWEAT, and occupations."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from socialbias.api.placebos import NAMES, POOL
from socialbias.api.question import Resampling
from socialbias.api.spelling import all_spellings, languages_of, respelt
from socialbias.api.subjects import Subject
from socialbias.auditing.entries import Absent, Entry
from socialbias.auditing.of_vectors import GROUPS, MEASURES, TARGETS, OfVectors
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.measures.placebo import draw
from socialbias.words.languages import primary
from socialbias.words.lists import WordLists, groups_of, lists, targets_of

XWEAT = "Lauscher and Glavaš 2019 (XWEAT)"
TESTS = {  # by number: lists of targets and of groups
    1: ("flowers-insects", "pleasant"),
    2: ("instruments-weapons", "pleasant"),
    7: ("arts-math", "gender"),
    8: ("arts-science", "gender-kinship"),
    9: ("illness", "permanence"),
}
FORMS = "professions-forms"
NO_RULER = "the papers measure English alone"
Found = Iterator[Entry | Absent]


def entries(subject: Subject, language: str, resampling: Resampling) -> Found:
    """The instruments of vectors; those of which a list has too few words are left out.

    Args:
        subject: Vectors.
        language: BCP 47 tag, of a language with packaged lists.
        resampling: How uncertainty is computed.

    Raises:
        UserError: no list is in the language.
    """
    groups, targets, tag = *words_of(language), primary(language)
    tests = [
        (f"XWEAT {number}", groups_of(which, language), targets_of(words, language))
        for number, (words, which) in TESTS.items()
        if f"{words}-{tag}" in lists()
    ]
    if f"{FORMS}-{tag}" in lists():
        tests.append(("forms of occupations", groups, targets_of(FORMS, language)))
    every = [each for _, *both in tests for each in both]
    languages = languages_of(language, targets, *every)
    own = all_spellings(languages)
    left_out = [*own, *lists()[NAMES].all]
    drawn = draw(subject.vocabulary(), targets.all, left_out, resampling.seed, POOL).words
    languages |= dict.fromkeys(drawn, "")
    vectors, _ = respelt(subject.vectors([*own, *drawn]), languages)
    audit = OfVectors(vectors, subject, resampling, None, drawn)
    for name in MEASURES:
        bias = _if_enough(vectors, audit.bias, name, groups, targets, NO_RULER)
        yield from audit.each(f"{name} bias, {targets.name}", bias)
    for name, which, words in tests:
        paper = XWEAT if name.startswith("XWEAT") else "effect size of Caliskan et al. 2017"
        weat = _if_enough(vectors, audit.weat, name, which, words, paper)
        yield from audit.each(name, weat)


def words_of(language: str) -> tuple[WordLists, WordLists]:
    """Words for women and men, and occupations."""
    return groups_of(GROUPS, language), targets_of(TARGETS, language)


def _if_enough(
    vectors: WordVectors,
    measured: Callable[..., Found],
    name: str,
    groups: WordLists,
    targets: WordLists,
    *given: object,
) -> Callable[[], Found]:
    """The measurement, or a UserError with the coverage where it is less than half of a list."""

    def found() -> Found:
        wanted = groups.words | {part or "targets": each for part, each in targets.words.items()}
        few = [
            f"{part} {len(vectors.known(words))} of {len(set(words))}"
            for part, words in wanted.items()
            if not vectors.covers(words)
        ]
        if few:
            raise UserError(f"too few words have a vector: {', '.join(few)}")
        yield from measured(name, groups, targets, *given)

    return found
