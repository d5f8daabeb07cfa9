"""One subject measured with one or several sets of groups: what `measure` and `compare` share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from socialbias import __version__
from socialbias.commands.measure_vectors import measure_words
from socialbias.commands.result import Result
from socialbias.commands.settings import Question, merge_groups
from socialbias.commands.subjects import Subject
from socialbias.embeddings.words.lists import WordLists
from socialbias.measurement.random_words import FOR_WEAT, POOL, Baseline, choose_baseline
from socialbias.measurement.spelling import all_spellings, respelt
from socialbias.measures.placebo import MIN_WORDS
from socialbias.measures.registry import Measure, bias_by
from socialbias.reporting.methods_paragraph import listed


def measure_questions(subject: Subject, questions: Sequence[Question]) -> list[tuple[Result, dict]]:
    """Return, for each question, the result without title and provenance, and what was read.

    The questions differ in groups, and of a corpus in the reference. The subject is read once.
    """
    if subject.kind == "corpus":
        from socialbias.commands.measure_corpus import measure_corpora

        return measure_corpora([subject], questions)[0]
    others, question = [], merge_groups(questions)

    def beside(known: Iterable[str], number: int | None = None) -> list[str]:
        others.append(draw_baseline(known, question, number))
        return others[-1].words

    vectors, in_templates, facts = look_up_words(subject, question, beside)
    random = by_pieces(subject, others, question) if subject.kind == "model" else others[0]
    return [
        (measure_words(vectors, asked, in_templates, subject.vocabulary(), random), facts)
        for asked in questions
    ]


def by_pieces(subject: Subject, others: Sequence[Baseline], question: Question) -> Baseline:
    """Return the random words of a model, whose kinds say whether a word has several pieces.

    Without enough random words of several pieces, all words are of one kind.
    """
    from socialbias.models.loading import tokenizer_of
    from socialbias.models.tokenizers import pieces

    random = [word for each in others for word in each.words]
    counts = pieces(tokenizer_of(subject.path), [*random, *question.targets.all])
    several = sum(counts[word] > 1 for word in random)
    kinds = {word: min(n, 2) for word, n in counts.items()} if several >= MIN_WORDS else {}
    return replace(others[0], words=random, kinds=kinds)


def draw_baseline(
    vocabulary: Iterable[str], question: Question, number: int | None = None
) -> Baseline:
    """Return the words that the targets are compared with, `number` of them random."""
    return choose_baseline(
        vocabulary,
        *question.compared_with,
        number=number or (FOR_WEAT if question.measure.name == "weat" else POOL),
        spellings=all_spellings(question.spelling_rules),
        by_target=question.measure.name == "weat",
    )


def look_up_words(subject: Subject, question: Question, beside: Callable[..., list[str]]):
    """Return the vectors of the words, those in each template or None, and what was read.

    The words of a question are looked up in the spellings of their language. `beside` maps the
    words of the subject to baseline words, which are looked up as written.
    """
    if subject.kind == "vectors":
        languages = question.spelling_rules
        drawn = beside(subject.vocabulary())
        languages |= {word: "" for word in drawn if word not in languages}
        vectors, changed = respelt(subject.vectors(all_spellings(languages)), languages)
        in_lower_case = {"words in lower case": changed} if changed else {}
        return vectors, None, {"dimensions": vectors.matrix.shape[1]} | in_lower_case
    from socialbias.commands.measure_model import model_vectors

    words = list(dict.fromkeys([*question.targets.all, *question.groups.all]))
    return model_vectors(subject, words, question.options.get("layer"), beside)


def title_of(chosen: Measure, n: int, groups: WordLists, subject: Subject) -> str:
    """Return the title of a result."""
    what = f"{'word' if chosen.name == 'weat' else 'target'}{'s' * (n != 1)}"
    between = listed([*groups.words])
    return f"{bias_by(chosen.name)} of {n} {what} between {between} in {subject.name}"


def provenance_of(read: list[tuple[Subject, dict]], questions: Sequence[Question]) -> list[dict]:
    """Return the provenance of subjects, word lists, and this library."""
    entries, question = [subject.provenance() | facts for subject, facts in read], questions[0]
    words = (*(each.groups for each in questions), question.targets, question.baseline)
    entries += [word_lists.provenance() for word_lists in words if word_lists is not None]
    return [*entries, software(question.resampling.seed)]


def software(seed: int) -> dict:
    """Return the provenance of this library, with the seed."""
    return {"role": "software", "name": "socialbias", "version": __version__, "seed": seed}
