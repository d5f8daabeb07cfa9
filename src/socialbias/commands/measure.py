"""`measure`: from vectors, corpora or models, and words, to biases with their uncertainty."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Unpack

import numpy as np

from socialbias.commands.compare_embeddings import Spaces, open_spaces, place_targets
from socialbias.commands.measure_subject import measure_questions, provenance_of, title_of
from socialbias.commands.result import Result, table_facts
from socialbias.commands.settings import Options, Question, Words, make_question, with_options
from socialbias.commands.subjects import Subject, open_subject
from socialbias.commands.table import Column, Table
from socialbias.embeddings.words.lists import lists
from socialbias.errors import UserError, naming_extras
from socialbias.measurement.cells import judge_cells
from socialbias.measurement.estimates import Row
from socialbias.measures.registry import MEASURES

SHARES_APART = (
    "the second subject minus the first; its interval is made from those of both (Newcombe 1998)"
)
POSITIONS_APART = (
    "the second subject minus the first, in standard deviations of the same random words; its "
    "interval allows for other group words and random words"
)
NO_MEASURE = "without --measure, positions are compared"


@naming_extras()
@with_options(Options)
def measure(
    subject: object,
    groups: Words | Sequence[Words] = "gender",
    targets: Words | Iterable[str] = "professions",
    measure: str | None = None,
    *,
    over: str | None = None,
    stratify: str | None = None,
    **options: Unpack[Options],
) -> Result | Table:
    """Measure the bias of targets between groups, in vectors, a corpus or a model.

    Args:
        subject: A path (vectors, a corpus or a model), a model on the Hugging Face Hub, or vectors
            in memory (`open_subject`); or a list of them, for a table.
        groups: The name of packaged lists (`socialbias.lists()`), a file, or words by group; or a
            list of them, for a table. Each subject is read once for all of them.
        targets: The name of a packaged list, a file, words, or words with commas between them.
        measure: A key of `measures.registry.MEASURES`; None for `directed` of two groups, else
            `divdist`, and for positions on the group axis in several sets of vectors.
        over: For the trend in one corpus, the key or column of the date; with `:decade` or
            `:month`, periods are not years.
        stratify: With `over`, the key or column of strata, such as outlets: only changes within a
            stratum are trends.
        options: See `help(socialbias.commands.settings.Options)`.

    Returns:
        The bias of each target, their mean, and the values of baseline words; or a table, if
        subjects or groups are a list, or with `over`.

    Raises:
        UserError: one line with what is wrong, where, and what to do.
    """
    several = isinstance(groups, list | tuple)
    for name, each in (("subject", subject), ("groups", groups)):
        if isinstance(each, list | tuple) and not each:
            raise UserError(f"{name}: the list is empty")
    chosen = "directed" if over and measure is None else measure
    if over is None and stratify is not None:
        raise UserError("stratify: has no effect without over")
    subjects = subject if isinstance(subject, list) else [subject]
    opened = [open_subject(each) for each in subjects]
    texts = opened[0].kind == "corpus"
    questions = [
        make_question(each, targets, chosen, options, texts)
        for each in (groups if several else [groups])
    ]
    if over is not None:
        return _over_time(opened, questions, over, stratify)
    if several or isinstance(subject, list):
        check_kinds(opened)
        for each in opened:
            questions[0].check_options(each)
        if questions[0].measure.name == "weat":
            raise UserError("measure: weat is one number of two sets of targets, and has no table")
        if len(opened) > 1 and opened[0].kind != "corpus" and measure is None:
            return make_table(
                opened, questions, *by_position(open_spaces(opened, questions), questions)
            )
        return make_table(opened, questions, *by_measure(opened, questions))
    [one], [question] = opened, questions
    question.check_options(one)
    [(result, facts)] = measure_questions(one, [question])
    title = title_of(MEASURES[result.measure], result.n, question.groups, one)
    return replace(result, title=title, provenance=provenance_of([(one, facts)], [question]))


def _over_time(
    subjects: Sequence[Subject], questions: Sequence[Question], over: str, stratify: str | None
) -> Table:
    """Return the table of a corpus over time."""
    if len(subjects) > 1:
        advice = "put them into one, and name the column that tells them apart with stratify"
        raise UserError(f"over: takes one corpus, not {len(subjects)}: {advice}")
    from socialbias.commands.over_time import results_over_time

    questions[0].check_options(subjects[0])
    by_name = dict(zip(names_of(questions), questions, strict=True))
    sets, shown, read, calendar = results_over_time(subjects[0], by_name, over, stratify)
    heads, change = ["all periods", f"change per {calendar.per}"], {"change": calendar.change}
    table = make_table(subjects, questions, sets, [[read]], change, heads)
    own = {"title": f"{table.title} over time", "notes": (*calendar.notes, *table.notes)}
    return replace(table, **own, **shown)


def make_table(
    subjects: Sequence[Subject],
    questions: Sequence[Question],
    sets: Sequence[Sequence[Result]],
    read: Sequence[Sequence[dict]],
    apart: Mapping[str, str],
    heads: Sequence[str] | None = None,
) -> Table:
    """Return a table of subjects by sets of groups, in which alone the questions differ.

    `sets` has by set of groups the results of each subject and of the difference, if there is one,
    `read` by subject what was read for each question, and `apart` a fact on the differences.
    `heads` are over the columns of a set; by default the subjects.
    """
    labels, names = labels_of(subjects), names_of(questions)
    results = [result for each in sets for result in each[: len(labels)]]
    n = len({row.target for result in results for row in result.rows})
    facts = [facts_of[0] for facts_of in read]
    provenance = provenance_of(list(zip(subjects, facts, strict=True)), questions)
    if heads is None:
        heads = [*labels, *[f"{labels[-1]} - {labels[0]}"] * (len(sets[0]) - len(labels))]
    flat = [result for each in sets for result in each]
    cells = [(each.rows, np.array([*each.random_words.values()])) for each in flat]
    rows, few = judge_cells(cells, questions[0].resampling.level)
    places = zip(product(names, heads), flat, rows, strict=True)
    columns = tuple(Column(*place, tuple(own), each.unit) for place, each, own in places)
    return Table(
        title=f"bias of {n} target{'s' * (n != 1)} in {' and '.join(labels)}",
        columns=columns,
        results=tuple(results),
        level=questions[0].resampling.level,
        facts=(*table_facts(results, names, labels, provenance), *apart.items()),
        notes=(*few, *notes_of(results, names, labels)),
        provenance=provenance,
    )


def check_kinds(subjects: Sequence[Subject]) -> None:
    """Raise UserError for corpora beside other subjects, which have no number in common."""
    kinds = {subject.kind == "corpus" for subject in subjects}
    if len(kinds) > 1:
        named = " and ".join(f"{side.name} ({side.kind})" for side in subjects)
        raise UserError(f"{named}: name corpora alone, or vectors and models alone")


def labels_of(subjects: Sequence[Subject]) -> list[str]:
    """Return distinct names: of the file, or its path if two have the same, or with a number."""
    names, paths = [each.name for each in subjects], [str(each.path) for each in subjects]
    if len({*names}) == len(names):
        return names
    if len({*paths}) == len(names):
        return paths
    return [f"{name} ({i})" for i, name in enumerate(names, 1)]


def names_of(questions: Sequence[Question]) -> list[str]:
    """Return a distinct name of each set: that of the list or file, or those of the groups."""
    names = []
    for groups in (question.groups for question in questions):
        known = groups.name if groups.name in lists() else Path(groups.name).stem
        names.append(", ".join(groups.words) if groups.name == "given" else known)
    if twice := [each for each in names if names.count(each) > 1]:
        raise UserError(f"groups: two sets are called {twice[0]!r}: rename or omit one")
    return names


def by_measure(
    subjects: Sequence[Subject], questions: Sequence[Question]
) -> tuple[list[list[Result]], list[list[dict]], dict[str, str]]:
    """Return what `make_table` takes: results by set of groups, what was read, and a fact."""
    texts = subjects[0].kind == "corpus"
    if texts:
        from socialbias.commands.measure_corpus import measure_corpora

        sides = measure_corpora(subjects, questions)
    else:
        sides = [measure_questions(subject, questions) for subject in subjects]
    read = [[facts for _, facts in side] for side in sides]
    sets = [[result for result, _ in results] for results in zip(*sides, strict=True)]
    if len(subjects) != 2:
        return sets, read, {}
    if texts:
        sets = [[*results, _apart(results)] for results in sets]
        return sets, read, {"difference": SHARES_APART}
    which = questions[0].measure.name
    none = f"none: {which} has no common scale in two sets of vectors; {NO_MEASURE}"
    return sets, read, {"difference": none}


def by_position(
    opened: Spaces, questions: Sequence[Question]
) -> tuple[list[list[Result]], list[list[dict]], dict[str, str]]:
    """Return the same for positions on the group axis in vectors or models."""
    sets = [place_targets(opened, question) for question in questions]
    apart = {"difference": POSITIONS_APART} if len(opened.sides) == 2 else {}
    return sets, [[facts] for facts in opened.read], apart


def _apart(results: Sequence[Result]) -> Result:
    """Return the difference of two texts, for targets with enough contexts in both.

    The interval of Newcombe 1998 (method 10) adds up the distances of both numbers from the ends of
    their intervals in squares. The documents of the two texts are independent.
    """
    first, second = ({row.target: row for row in r.rows if not row.note} for r in results)
    rows = []
    for target, a in first.items():
        if (b := second.get(target)) is not None:
            low = math.hypot(b.value - b.low, a.high - a.value)
            high = math.hypot(b.high - b.value, a.value - a.low)
            value = b.value - a.value
            rows.append(Row(target, value, value - low, value + high, n=min(a.n, b.n)))
    one, other = (result.random_words for result in results)
    random = {word: other[word] - one[word] for word in one if word in other}
    return replace(results[1], rows=tuple(rows), random_words=random, notes=())


def notes_of(
    results: Sequence[Result], names: Sequence[str], labels: Sequence[str]
) -> Iterator[str]:
    """Yield the notes of all results; with set and subject, if only some have a note."""
    places = [(name, label) for name in names for label in labels]
    by_note: dict[str, list[tuple[str, str]]] = {}
    for place, result in zip(places, results, strict=True):
        for note in result.notes:
            by_note.setdefault(note, []).append(place)
    for note, where in by_note.items():
        subjects = dict.fromkeys(label for _, label in where)
        sets = dict.fromkeys(name for name, _ in where)
        parts = [", ".join(subjects)] * (len(subjects) < len(labels))
        parts += [", ".join(sets)] * (len(sets) < len(names))
        yield ": ".join([", ".join(parts), note]) if parts else note
