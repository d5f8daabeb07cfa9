"""`measure`: from vectors, a corpus or a model, and words, to a bias with its uncertainty."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Unpack

from socialbias import __version__
from socialbias.api.of_vectors import vectors_result
from socialbias.api.placebos import POOL, Others, others_of
from socialbias.api.question import Options, Question, Words, question
from socialbias.api.result import Result
from socialbias.api.spelling import all_spellings, respelt
from socialbias.api.subjects import Subject, open_subject
from socialbias.errors import UserError, naming_extras
from socialbias.measures.placebo import DRAWN
from socialbias.measures.registry import Measure
from socialbias.words.lists import WordLists


@naming_extras()
def measure(
    subject: object,
    groups: Words = "gender",
    targets: Words | Iterable[str] = "professions",
    measure: str | None = None,
    **options: Unpack[Options],
) -> Result:
    """How far each target leans to one of the groups, in vectors, a corpus or a model.

    Args:
        subject: A path (vectors, a corpus or a model), a model on the Hugging Face hub, or vectors
            in memory (`open_subject`).
        groups: The name of packaged lists (`socialbias.lists()`), a file, or words by group.
        targets: The name of a packaged list, a file, words, or words with commas between them.
        measure: A key of `measures.registry.MEASURES`; None for `directed` of two groups, else
            `divdist`.
        options: See `Options`.

    Returns:
        The bias of each target, their mean, and what placebo words give.

    Raises:
        UserError: one line that says what is wrong, where, and what to do.
    """
    opened = open_subject(subject)
    asked = question(groups, targets, measure, options)
    asked.check_options(opened)
    result, facts = measured(opened, asked)
    title = title_of(asked.measure, result.n, asked.groups, opened)
    return replace(result, title=title, provenance=provenance_of([(opened, facts)], asked))


def measured(subject: Subject, asked: Question) -> tuple[Result, dict]:
    """The result without title and provenance, and what was read of the subject."""
    if subject.kind == "corpus":
        from socialbias.api.of_texts import texts_result

        return texts_result(subject, asked)
    others: list[Others] = []

    def beside(known: Iterable[str], number: int = DRAWN) -> list[str]:
        others.extend(placebo_words(known, asked, number))
        return [word for each in others for word in each.words]

    vectors, resampled, facts = looked_up(subject, asked, beside)
    found = vectors_result(vectors, asked, resampled, subject.vocabulary(), others)
    return found, facts


def placebo_words(vocabulary: Iterable[str], asked: Question, number: int = DRAWN) -> list[Others]:
    """The words that the targets are compared with, so many of them random."""
    weat = asked.measure.name == "weat"
    return others_of(
        vocabulary,
        asked,
        number=POOL if weat and number >= DRAWN else number,
        persons=not weat,
        spellings=all_spellings(asked.spelling_rules),
    )


def looked_up(subject: Subject, asked: Question, beside: Callable[..., list[str]]):
    """The vectors of the words, resampled ones or None, and what was read of the subject.

    Args:
        subject: Vectors or a model.
        asked: Its words are looked up in the spellings of their language.
        beside: From the words that the subject knows to further ones, looked up as they are.
    """
    if subject.kind == "vectors":
        languages, known = asked.spelling_rules, list(subject.vocabulary())
        languages |= {word: "" for word in beside(known) if word not in languages}
        vectors, changed = respelt(subject.vectors(all_spellings(languages)), languages)
        in_lower_case = {"words in lower case": changed} if changed else {}
        return vectors, None, {"dimensions": vectors.matrix.shape[1]} | in_lower_case
    from socialbias.api.of_models import model_vectors

    texts = None
    if "texts" in asked.options:
        texts = open_subject(asked.options["texts"], on_hub=False)
        if texts.kind != "corpus":
            raise UserError(f"texts: {texts.name} is no corpus but {texts.kind}")
    words = list(dict.fromkeys([*asked.targets.all, *asked.groups.all]))
    how = asked.read_with("layer", "text_key", "by")
    return model_vectors(
        subject, words, seed=asked.resampling.seed, texts=texts, beside=beside, **how
    )


def title_of(chosen: Measure, n: int, groups: WordLists, subject: Subject) -> str:
    """What was measured, in words."""
    *most, last = groups.words
    between = f"{', '.join(most)} and {last}"
    what = "word" if chosen.name == "weat" else "target"
    what += "s" * (n != 1)
    return f"{chosen.name} bias of {n} {what} between {between} in {subject.name}"


def provenance_of(read: list[tuple[Subject, dict]], asked: Question) -> list[dict]:
    """Of subjects, texts, word lists, and this library."""
    entries = [subject.provenance() | facts for subject, facts in read]
    if "texts" in asked.options:
        texts = open_subject(asked.options["texts"], on_hub=False)
        entries.append(texts.provenance() | {"role": "texts"})
    words = (asked.groups, asked.targets, asked.placebo)
    entries += [each.provenance() for each in words if each is not None]
    return [*entries, software(asked.resampling.seed)]


def software(seed: int) -> dict:
    """This library and the seed."""
    return {"role": "software", "name": "socialbias", "version": __version__, "seed": seed}
