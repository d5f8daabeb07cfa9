"""`measure`: from vectors, a corpus or a model, and words, to a bias with its uncertainty."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from socialbias import __version__
from socialbias.api.instruments import instrument
from socialbias.api.of_vectors import vectors_result
from socialbias.api.placebos import POOL, Others, others_of
from socialbias.api.result import Result
from socialbias.api.spelling import all_spellings, languages_of, respelt
from socialbias.api.subjects import Subject, open_subject
from socialbias.errors import UserError, naming_extras
from socialbias.measures.placebo import DRAWN
from socialbias.measures.registry import Measure
from socialbias.words.languages import ENGLISH
from socialbias.words.lists import Lists, WordLists, groups_of, targets_of

SEED = 20221222  # the configuration's default, so that the same vectors give the same numbers
LEVEL = 0.95
OF_MODELS = ("layer", "texts")
OF_CORPORA = ("window",)
OF_VECTORS = ("association", "normalize")


@naming_extras()
def measure(
    subject: object,
    groups: str | Path | Lists | WordLists = "gender",
    targets: str | Path | Lists | WordLists | Iterable[str] = "professions",
    measure: str | None = None,
    *,
    association: str | None = None,
    normalize: str | None = None,
    divergence: str | None = None,
    text_key: str | None = None,
    by: str | None = None,
    window: int | None = None,
    layer: int | None = None,
    texts: object = None,
    language: str | None = None,
    placebo: str | Path | Lists | WordLists | Iterable[str] | None = None,
    seed: int = SEED,
    level: float = LEVEL,
) -> Result:
    """How far each target leans to one of the groups, in vectors, a corpus or a model.

    Args:
        subject: A path (vectors, a corpus or a model), a model on the Hugging Face hub, or vectors
            in memory (`open_subject`).
        groups: The name of packaged lists (`socialbias.lists()`), a file, or words by group.
        targets: The name of a packaged list, a file, words, or words with commas between them.
        measure: A key of `measures.registry.MEASURES`; None for `directed` of two groups, else
            `divdist`.
        association: Of `directed` and `divdist` in vectors: `cosine` or `inner-product`.
        normalize: Of the same: `sum`, `clipped-sum` or `softmax`.
        divergence: Of `divdist`: `l1`, `l2`, `linf`, `kl` or `js`.
        text_key: The key or column of the text in a corpus; None for `text`.
        by: What a document of a plain text is: `line`, `paragraph` or `file`; None to see by
            itself.
        window: Sentences of a context in a corpus; None for three, or one in short documents.
        layer: Of a model, from 0, the embeddings; None for the last.
        texts: A corpus in whose sentences a model reads the words; None for each by itself.
        language: BCP 47 tag of the subject's language: packaged lists are taken in it, words that
            have no vector as they are written are looked up in lower case by its rule, and texts
            are lower-cased by it. None for the very lists that are named.
        placebo: Words that the targets are compared with, in any form that targets take; None for
            random words of the same vectors, texts or model.
        seed: Random seed.
        level: Coverage of intervals.

    Returns:
        The bias of each target, their mean, and what placebo words give.

    Raises:
        UserError: one line that says what is wrong, where, and what to do.
    """
    opened = open_subject(subject)
    options = {"association": association, "normalize": normalize, "divergence": divergence}
    how = {"text_key": text_key, "by": by, "window": window, "layer": layer, "texts": texts}
    asked = question(groups, targets, measure, options, how, language, seed, level)
    if placebo is not None:
        asked = replace(asked, placebo=replace(targets_of(placebo, language), kind="placebo"))
    check_options(opened, how | options)
    result, about = measured(opened, asked)
    return replace(
        result,
        title=title_of(asked.instrument, result.n, asked.groups, opened),
        provenance=provenance_of([(opened, about)], asked),
    )


@dataclass(frozen=True)
class Question:
    """What is asked of a subject, whatever it is.

    Attributes:
        groups: The words of each group.
        targets: Whose bias it is.
        instrument: The measure.
        how: How the subject is read, by option of `measure`; None for what is not given.
        seed: From which all randomness derives.
        level: Coverage of intervals.
        placebo: Words that targets are compared with; None for random ones.
    """

    groups: WordLists
    targets: WordLists
    instrument: Measure
    how: Mapping[str, object]
    seed: int
    level: float
    placebo: WordLists | None = None


def question(
    groups: str | Path | Lists | WordLists,
    targets: str | Path | Lists | WordLists | Iterable[str],
    measure: str | None,
    options: Mapping[str, str | None],
    how: Mapping[str, object],
    language: str | None,
    seed: int,
    level: float,
) -> Question:
    """The lists and the measure that are meant: `options` are the measure's, the rest as above.

    Raises:
        UserError: there are no such lists, or no such measure, or the level is not one.
    """
    check_level(level)
    lists, words = groups_of(groups, language), targets_of(targets, language)
    chosen = instrument(measure, len(lists.words), **options)
    return Question(lists, words, chosen, {**how, "language": language}, seed, level)


def check_level(level: float) -> None:
    """UserError for a level that is no coverage of an interval."""
    if not 0 < level < 1:
        raise UserError(f"level: must be between 0 and 1, not {level}")


def check_options(subject: Subject, how: dict) -> None:
    """UserError for an option that is of no effect on this subject."""
    wrong = {
        "vectors": [*OF_MODELS, *OF_CORPORA, "text_key", "by"],
        "corpus": [*OF_MODELS, *OF_VECTORS],
        "model": [*OF_CORPORA, *([] if how["texts"] is not None else ["text_key", "by"])],
    }[subject.kind]
    for name in wrong:
        if how[name] is not None:
            option, kind = name.replace("_", "-"), subject.kind
            what = kind if kind == "vectors" else f"a {kind}"
            raise UserError(f"{option}: has no effect on {what} ({subject.name})")


def measured(subject: Subject, asked: Question) -> tuple[Result, dict]:
    """The result without title and provenance, and what was read of the subject."""
    lists = (asked.groups, asked.targets, asked.instrument)
    how = {"seed": asked.seed, "level": asked.level}
    if subject.kind == "corpus":
        from socialbias.api.of_texts import texts_result

        how |= {key: asked.how[key] for key in ("text_key", "by", "window")}
        own = asked.groups.language if asked.groups.language != ENGLISH else None
        how["language"] = asked.how["language"] or own or None
        how["placebo"] = asked.placebo
        return texts_result(subject, *lists, **how)
    others: list[Others] = []

    def beside(known: Iterable[str], number: int = DRAWN) -> list[str]:
        others.extend(placebo_words(known, asked, number))
        return [word for each in others for word in each.words]

    vectors, resampled, about = looked_up(subject, asked, beside)
    how |= {"resampled": resampled, "vocabulary": subject.vocabulary(), "others": others}
    return vectors_result(vectors, *lists, **how), about


def placebo_words(vocabulary: Iterable[str], asked: Question, number: int = DRAWN) -> list[Others]:
    """The words that the targets are set beside, so many of them random."""
    weat = asked.instrument.name == "weat"
    return others_of(
        vocabulary,
        asked.groups,
        asked.targets,
        asked.placebo,
        asked.seed,
        number=POOL if weat and number >= DRAWN else number,
        persons=not weat,
        spellings=all_spellings(spelling_rules(asked)),
    )


def spelling_rules(asked: Question) -> dict[str, str]:
    """By word of the lists the language by whose rule it is looked up."""
    return languages_of(asked.how["language"], asked.targets, asked.groups)


def looked_up(subject: Subject, asked: Question, beside: Callable[..., list[str]] | None = None):
    """The vectors of the words, resampled ones or None, and what was read of the subject.

    Args:
        subject: Vectors or a model.
        asked: Its words are looked up in the spellings of their language.
        beside: From the words that the subject knows to further ones, looked up as they are.
    """
    how = asked.how
    if subject.kind == "vectors":
        languages = spelling_rules(asked)
        if beside is not None:
            known = list(subject.vocabulary())
            languages |= {word: "" for word in beside(known) if word not in languages}
        vectors, changed = respelt(subject.vectors(all_spellings(languages)), languages)
        about = {"words in lower case": changed} if changed else {}
        return vectors, None, {"dimensions": vectors.matrix.shape[1]} | about
    from socialbias.api.of_models import model_vectors

    texts = None if how["texts"] is None else open_subject(how["texts"], on_hub=False)
    if texts is not None and texts.kind != "corpus":
        raise UserError(f"texts: {texts.name} is no corpus but {texts.kind}")
    words = list(dict.fromkeys([*asked.targets.all, *asked.groups.all]))
    options = {key: how[key] for key in ("layer", "text_key", "by")}
    return model_vectors(subject, words, seed=asked.seed, texts=texts, beside=beside, **options)


def title_of(chosen: Measure, n: int, groups: WordLists, subject: Subject) -> str:
    """What was measured, in words."""
    *most, last = groups.words
    between = f"{', '.join(most)} and {last}"
    what = "word" if chosen.name == "weat" else "target"
    what += "s" * (n != 1)
    return f"{chosen.name} bias of {n} {what} between {between} in {subject.name}"


def provenance_of(read: list[tuple[Subject, dict]], asked: Question) -> list[dict]:
    """Of subjects, texts, word lists, and this library."""
    found = [subject.provenance() | about for subject, about in read]
    if asked.how["texts"] is not None:
        texts = open_subject(asked.how["texts"], on_hub=False)
        found.append(texts.provenance() | {"role": "texts"})
    words = (asked.groups, asked.targets, asked.placebo)
    found += [each.provenance() for each in words if each is not None]
    return [*found, software(asked.seed)]


def software(seed: int) -> dict:
    """This library and the seed."""
    return {"role": "software", "name": "socialbias", "version": __version__, "seed": seed}
