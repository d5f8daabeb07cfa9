"""`measure`: from vectors, a corpus or a model, and words, to a bias with its uncertainty."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Unpack

from socialbias import __version__
from socialbias.api.of_vectors import vectors_result
from socialbias.api.placebos import POOL, Others, others_of
from socialbias.api.question import Options, Question, Words, question_of
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
    """Measure the bias of targets between groups, in vectors, a corpus or a model.

    Args:
        subject: A path (vectors, a corpus or a model), a model on the Hugging Face hub, or vectors
            in memory (`open_subject`).
        groups: The name of packaged lists (`socialbias.lists()`), a file, or words by group.
        targets: The name of a packaged list, a file, words, or words with commas between them.
        measure: A key of `measures.registry.MEASURES`; None for `directed` of two groups, else
            `divdist`.
        options: See `Options`.

    Returns:
        The bias of each target, their mean, and the values of placebo words.

    Raises:
        UserError: one line with what is wrong, where, and what to do.
    """
    opened = open_subject(subject)
    question = question_of(groups, targets, measure, options)
    question.check_options(opened)
    result, facts = measured(opened, question)
    title = title_of(question.measure, result.n, question.groups, opened)
    return replace(result, title=title, provenance=provenance_of([(opened, facts)], question))


def measured(subject: Subject, question: Question) -> tuple[Result, dict]:
    """Return the result without title and provenance, and facts on what was read."""
    if subject.kind == "corpus":
        from socialbias.api.of_texts import texts_results

        [result], _ = texts_results(subject, [question])
        return result
    others: list[Others] = []

    def beside(known: Iterable[str], number: int = DRAWN) -> list[str]:
        others.extend(placebo_words(known, question, number))
        return [word for placebos in others for word in placebos.words]

    vectors, resampled, facts = looked_up(subject, question, beside)
    return vectors_result(vectors, question, resampled, subject.vocabulary(), others), facts


def placebo_words(
    vocabulary: Iterable[str], question: Question, number: int = DRAWN
) -> list[Others]:
    """Return the words that the targets are compared with, `number` of them random."""
    weat = question.measure.name == "weat"
    return others_of(
        vocabulary,
        question,
        number=POOL if weat and number >= DRAWN else number,
        persons=not weat,
        spellings=all_spellings(question.spelling_rules),
    )


def looked_up(subject: Subject, question: Question, beside: Callable[..., list[str]]):
    """Return the vectors of the words, resampled ones or None, and facts on what was read.

    Args:
        subject: Vectors or a model.
        question: Its words are looked up in the spellings of their language.
        beside: Maps the words of the subject to placebo words, which are looked up as written.
    """
    if subject.kind == "vectors":
        languages, known = question.spelling_rules, list(subject.vocabulary())
        languages |= {word: "" for word in beside(known) if word not in languages}
        vectors, changed = respelt(subject.vectors(all_spellings(languages)), languages)
        in_lower_case = {"words in lower case": changed} if changed else {}
        return vectors, None, {"dimensions": vectors.matrix.shape[1]} | in_lower_case
    from socialbias.api.of_models import model_vectors

    texts = None
    if "texts" in question.options:
        texts = open_subject(question.options["texts"], on_hub=False)
        if texts.kind != "corpus":
            raise UserError(f"texts: {texts.name} must be a corpus, but is {texts.kind}")
    words = list(dict.fromkeys([*question.targets.all, *question.groups.all]))
    how = question.read_with("layer", "text_key", "by")
    return model_vectors(
        subject, words, seed=question.resampling.seed, texts=texts, beside=beside, **how
    )


def title_of(chosen: Measure, n: int, groups: WordLists, subject: Subject) -> str:
    """Return the title of a result."""
    *most, last = groups.words
    between = f"{', '.join(most)} and {last}"
    what = "word" if chosen.name == "weat" else "target"
    what += "s" * (n != 1)
    return f"{chosen.name} bias of {n} {what} between {between} in {subject.name}"


def provenance_of(read: list[tuple[Subject, dict]], question: Question) -> list[dict]:
    """Return the provenance of subjects, texts, word lists, and this library."""
    entries = [subject.provenance() | facts for subject, facts in read]
    if "texts" in question.options:
        texts = open_subject(question.options["texts"], on_hub=False)
        entries.append(texts.provenance() | {"role": "texts"})
    words = (question.groups, question.targets, question.placebo)
    entries += [word_lists.provenance() for word_lists in words if word_lists is not None]
    return [*entries, software(question.resampling.seed)]


def software(seed: int) -> dict:
    """Return the provenance of this library, with the seed."""
    return {"role": "software", "name": "socialbias", "version": __version__, "seed": seed}
