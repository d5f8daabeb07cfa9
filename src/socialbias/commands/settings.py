"""The settings of a measurement: words, measure, how to read the subject, and resampling."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan, nan
from pathlib import Path
from typing import TypedDict

from socialbias.commands.subjects import Subject
from socialbias.embeddings.words.languages import ENGLISH
from socialbias.embeddings.words.lists import Lists, WordLists, groups_of, targets_of
from socialbias.errors import UserError
from socialbias.files.paths import check_file
from socialbias.files.tables import read_number, read_table
from socialbias.measurement.instruments import OPTIONS, instrument
from socialbias.measurement.spelling import languages_of
from socialbias.measurement.summaries import FEWEST_PAIRS
from socialbias.measures.registry import Measure

Words = str | Path | Lists | WordLists
# By kind of subject, the options that have no effect on it.
NO_EFFECT = {
    "vectors": ("layer", "window", "reference", "text_key", "by"),
    "corpus": ("layer", "association", "normalize"),
    "model": ("window", "reference", "text_key", "by"),
}


@dataclass(frozen=True)
class Resampling:
    """Settings of resampling; the defaults are those of the configuration."""

    seed: int = 20221222
    level: float = 0.95  # coverage of intervals
    replicates: int = 2000  # resamples of the targets of a WEAT

    def __post_init__(self):
        if not 0 < self.level < 1:
            raise UserError(f"level: must be between 0 and 1, not {self.level}")
        if self.seed < 0:
            raise UserError(f"seed: must be a whole number of at least 0, not {self.seed!r}")


DEFAULTS = Resampling()


class Options(TypedDict, total=False):
    """Options of `measure` and `compare`; one that is None has its default.

    Attributes:
        baseline: Words that the targets are compared with, in any form that targets take (default:
            random words of the same vectors, texts or model).
        against: A number for each target, such as the share of women: a CSV file with the columns
            `word,number`, or numbers by word.
        association: Of `directed` and `divdist` in vectors: `cosine` or `inner-product`.
        normalize: Of the same: `sum`, `clipped-sum` or `softmax`.
        divergence: Of `divdist`: `l1`, `l2`, `linf`, `kl` or `js`.
        text_key: Key or column of the text in a corpus (default: `text`).
        by: How to split plain text into documents: `line`, `paragraph` or `file` (default:
            detected).
        window: Sentences per context in a corpus (default: 3, or 1 in short documents).
        reference: Shares of the groups without bias in a corpus: `uniform` (default), `corpus` for
            the base rate of the corpus, a CSV file with the columns `group,share`, or shares by
            group.
        layer: Layer of a model, 0 for its input embeddings (default: that in which words look least
            alike).
        language: BCP 47 tag of the subject's language: packaged lists are taken in it, words that
            have no vector as they are written are looked up in lower case by its rule, and texts
            are lower-cased by it (default: the very lists that are named).
        seed: Random seed.
        level: Coverage of intervals.
    """

    baseline: Words | Iterable[str] | None
    against: str | Path | Mapping[str, float] | None
    association: str | None
    normalize: str | None
    divergence: str | None
    text_key: str | None
    by: str | None
    window: int | None
    reference: str | Path | Mapping[str, float] | None
    layer: int | None
    language: str | None
    seed: int | None
    level: float | None


def with_options(options: type) -> Callable[[Callable], Callable]:
    """Show options by name in completion and `help` of a function; a decorator."""

    def shown(function: Callable) -> Callable:
        signature = inspect.signature(function)
        named = {name: each for name, each in signature.parameters.items() if name != "options"}
        for name, annotation in options.__annotations__.items():
            kind, kept = inspect.Parameter.KEYWORD_ONLY, annotation.__forward_arg__
            named[name] = inspect.Parameter(name, kind, default=None, annotation=kept)
        function.__signature__ = signature.replace(parameters=named.values())
        return function

    return shown


@dataclass(frozen=True)
class Question:
    """The settings of a measurement, for any subject."""

    groups: WordLists
    targets: WordLists
    measure: Measure
    resampling: Resampling = DEFAULTS
    options: Mapping[str, object] = field(default_factory=dict)  # those that are not None
    baseline: WordLists | None = None  # words that targets are compared with; None for random ones
    reference: str | Mapping[str, float] = "uniform"  # shares by group without bias, or `corpus`
    against: Mapping[str, float] = field(default_factory=dict)  # a number for each target
    named: bool = True  # whether the measure was asked for by name

    @property
    def compared_with(self) -> tuple[WordLists, WordLists, WordLists | None, int]:
        """What `random_words.choose_baseline` takes of it."""
        return self.groups, self.targets, self.baseline, self.resampling.seed

    def read_with(self, *names: str) -> dict[str, object]:
        """Return the values of some options, None for those that were not given."""
        return {name: self.options.get(name) for name in names}

    @property
    def spelling_rules(self) -> dict[str, str]:
        """The language whose rule looks a word up, by word."""
        return languages_of(self.options.get("language"), self.targets, self.groups)

    @property
    def text_language(self) -> str:
        """The language whose rule lower-cases texts; "" for English without a tag."""
        own = self.groups.language if self.groups.language != ENGLISH else ""
        return self.options.get("language") or own

    def check_options(self, subject: Subject) -> None:
        """Raise UserError for an option that has no effect on this subject."""
        for name in NO_EFFECT[subject.kind]:
            if name in self.options:
                raise no_effect(name.replace("_", "-"), subject)


def no_effect(option: str, subject: Subject) -> UserError:
    """Return the error for an option that has no effect on a subject."""
    kind = subject.kind if subject.kind == "vectors" else f"a {subject.kind}"
    return UserError(f"{option}: has no effect on {kind} ({subject.name})")


def merge_groups(questions: Sequence[Question]) -> Question:
    """Return one question with the groups of several, which differ in groups only."""
    if len(questions) == 1:
        return questions[0]
    sets = [question.groups for question in questions]
    words = {f"{i} {name}": ws for i, some in enumerate(sets) for name, ws in some.words.items()}
    [language, *more] = {some.language for some in sets}
    merged = WordLists("groups", "groups", words, language="" if more else language)
    return replace(questions[0], groups=merged)


def make_question(
    groups: Words,
    targets: Words | Iterable[str],
    measure: str | None,
    options: Options,
    texts: bool = False,
) -> Question:
    """Return the settings of a measurement, with lists and measure looked up by name.

    Without a measure, that of `texts` is of shares, and of anything else of positions.
    """
    if unknown := options.keys() - Options.__annotations__:
        raise TypeError(f"{min(unknown)!r} is not an option: {', '.join(Options.__annotations__)}")
    options = {name: value for name, value in options.items() if value is not None}
    resampling = Resampling(**{n: options[n] for n in ("seed", "level") if n in options})
    for name, numbers in (("window", range(1, 6)), ("layer", range(1000))):
        if (number := options.get(name, 1)) not in numbers:
            ends = f"from {numbers[0]} to {numbers[-1]}"
            raise UserError(f"{name}: must be a whole number {ends}, not {number!r}")
    language, baseline = options.get("language"), None
    lists, words = groups_of(groups, language), targets_of(targets, language)
    of_measure = {name: options.get(name) for name in OPTIONS}
    of_texts = "directed" if len(lists.words) == 2 else "divdist"
    name = of_texts if measure is None and texts else measure
    chosen_measure = instrument(name, len(lists.words), **of_measure)
    if "baseline" in options:
        baseline = replace(targets_of(options["baseline"], language), kind="baseline")
    reference = _reference(options.get("reference", "uniform"), lists)
    against = _against(options.get("against", {}), words)
    resolved = (baseline, reference, against, measure is not None)
    return Question(lists, words, chosen_measure, resampling, options, *resolved)


def _numbers(given: str | Path | Mapping[str, float], columns: tuple[str, str]) -> dict[str, float]:
    """Return numbers by name: those given, or of a CSV file with two columns."""
    if isinstance(given, Mapping):
        return {name: float(number) for name, number in given.items()}
    check_file(Path(given))
    numbers: dict[str, float] = {}
    for place, row in read_table(Path(given), columns):
        name = row[columns[0]]
        if name in numbers:
            raise UserError(f"{place}: the {columns[0]} {name} appears twice")
        numbers[name] = read_number(row[columns[1]], place)
    return numbers


def _against(given: str | Path | Mapping[str, float], targets: WordLists) -> dict[str, float]:
    """Return the number of each target that has one."""
    if not given:
        return {}
    numbers = _numbers(given, ("word", "number"))
    known = {word: numbers[word] for word in targets.all if not isnan(numbers.get(word, nan))}
    if len(known) < FEWEST_PAIRS or len({*known.values()}) < 2:
        problem = f"only {len(known)} targets have a number there, or all the same"
        raise UserError(f"against: {problem}; {FEWEST_PAIRS} are needed")
    return known


def _reference(given: str | Path | Mapping[str, float], groups: WordLists) -> str | dict:
    """Return `uniform`, `corpus` or the share of each group, of which the sum is 1."""
    if given in ("uniform", "corpus"):
        return given
    if not isinstance(given, Mapping) and not Path(given).is_file():
        problem = f"not {str(given)!r} (there is no such file)"
        raise UserError(f"reference: must be uniform, corpus or a file, {problem}")
    shares = _numbers(given, ("group", "share"))
    if {*shares} != {*groups.words} or not all(0 < share < 1 for share in shares.values()):
        known = ", ".join(groups.words)
        raise UserError(f"reference: each of {known} needs a share between 0 and 1, and no other")
    total = sum(shares.values())
    if abs(total - 1) > 0.005:
        raise UserError(f"reference: the shares must add up to 1, not {total:.3f}")
    return {group: shares[group] / total for group in groups.words}
