"""Bias in texts: how often a target occurs in a context with one group and no other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from socialbias.commands.result import Result
from socialbias.commands.settings import Question
from socialbias.commands.subjects import Subject
from socialbias.corpora.documents import DOUBTFUL, Document, ReadReport
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.readers import READERS, options_of
from socialbias.corpora.streams import SKIPPED, lines
from socialbias.embeddings.words.languages import ENGLISH, lower, primary
from socialbias.embeddings.words.lists import WordLists, list_meant
from socialbias.errors import UserError
from socialbias.files.text import composed
from socialbias.measurement.estimates import Row, rank_among_words
from socialbias.measurement.instruments import OF_TEXTS
from socialbias.measurement.known_words import guessed, shared_words, some
from socialbias.measurement.random_words import (
    AS_GIVEN,
    IN_TEXTS,
    Baseline,
    choose_baseline,
    in_common,
)
from socialbias.measurement.reliability import fields
from socialbias.measurement.spelling import meant, tokenised
from socialbias.measurement.summaries import rank_among, summarise
from socialbias.measurement.texts import (
    EVERY,
    FEWEST_CONTEXTS,
    GroupShares,
    Reference,
    TextBias,
    contexts_with_groups,
    in_as_many_contexts,
    window_of,
)
from socialbias.measurement.topics import NO_TOPICS, RANDOM
from socialbias.measures.placebo import MIN_WORDS
from socialbias.measures.registry import Measure
from socialbias.stats.seeding import generator

FEWEST_DOCUMENTS = 30  # with fewer, intervals are unreliable
# The readers' message, unless it is about the separator of columns.
NO_TEXT = re.compile("no (column|key) 'text'(?!.* between them$)")
# By a column: what reads a file with it.
COMPARED = {"decision": "`compare --decisions`", "stereotype": "`compare --items`"}
LOOKED_AT = 1000  # lines searched for paragraphs
BASE = "base rate, the share of each group in all contexts with words of one group only"


def read(
    subject: Subject, text_key: str | None, by: str | None, report: ReadReport
) -> Iterator[Document]:
    """Yield the documents of a corpus, and count what was read in the report.

    The key or column of the text is that of JSON lines and tables, `text` if it is None. Plain text
    is split into documents by `line`, `paragraph` or `file`; None for files of a folder, paragraphs
    of a text with blank lines, else lines.
    """
    path = subject.path
    known, options = options_of(subject.format), {}
    for option, name, value in (("text", "text-key", text_key), ("unit", "by", by)):
        if value is not None and option not in known:
            problem = f"{name} cannot be used with the format {subject.format}"
            raise UserError(f"{subject.name}: {problem}")
        if value is not None:
            options[option] = value
    if "unit" in known and by is None:
        options["unit"] = "file"
        if not path.is_dir():
            looked_at = islice(lines(path, ReadReport()), LOOKED_AT)
            blank = [not line.strip() for _, line in looked_at]
            options["unit"] = "paragraph" if any(blank[1:-1]) else "line"
    documents = iter(READERS[subject.format](path, report, **options))
    try:
        first = next(documents, None)
    except UserError as error:
        if text_key is None and NO_TEXT.search(str(error)):
            columns = str(error).partition("its columns are ")[2].partition(";")[0].split(", ")
            for column, option in COMPARED.items():
                if column in columns:
                    raise UserError(
                        f"{subject.name}: no text; {option} reads such a file"
                    ) from None
            hint = "name the key or column of the text with --text-key"
            raise UserError(f"{error}; {hint}") from None
        raise
    if first is None:
        raise UserError(f"{subject.name}: there is no text in it")
    for document in chain([first], documents):
        text = composed(document.text)
        yield document if text is document.text else replace(document, text=text)


def measure_corpora(
    subjects: Sequence[Subject], questions: Sequence[Question]
) -> list[list[tuple[Result, dict]]]:
    """Compute the bias of each target in corpora, and the mean over targets with 20 contexts.

    The questions differ in groups and reference only, and each corpus is scanned once; the same
    random words are beside all corpora. Words of groups count in lower case, and only whole; the
    targets are one word each. Return, for each corpus and question, the result without title and
    provenance, and what was read.
    """
    question = questions[0]
    for name in (q.measure.name for q in questions if q.measure.name not in OF_TEXTS):
        raise UserError(f"measure: {name} is for vectors; for a corpus use directed or divdist")
    how = question.read_with("text_key", "by")
    with ExitStack() as stack:
        corpora = [
            stack.enter_context(prepare_corpus(each, **how, language=question.text_language))
            for each in subjects
        ]
        others = share_baseline(corpora, questions)
        scans = [
            Scan(corpus, subject.name, *questions, others=others)
            for corpus, subject in zip(corpora, subjects, strict=True)
        ]
        return [[scan.result(q.targets, q.measure, q) for q in questions] for scan in scans]


def share_baseline(corpora: Sequence[Corpus], questions: Sequence[Question]) -> Baseline:
    """Return words that are in all corpora, and in no group, as frequent as the targets."""
    question, words = questions[0], [corpus.words for corpus in corpora]
    counted = [
        dict(zip(w, c.counts.tolist(), strict=True)) for w, c in zip(words, corpora, strict=True)
    ]
    targets, language = question.targets.all, question.text_language
    often = [t for t in targets if min(n.get(t.lower(), 0) for n in counted) >= FEWEST_CONTEXTS]
    own = [word for each in questions for word in each.groups.all]
    spellings = [*own, *(lower(word, language) for word in (*own, *targets))]
    how = {"number": IN_TEXTS, "by_frequency": True, "like": often, "spellings": spellings}
    return choose_baseline(in_common(words, by_frequency=True), *question.compared_with, **how)


@contextmanager
def prepare_corpus(
    subject: Subject,
    text_key: str | None,
    by: str | None,
    language: str | None = "",
    seen: Callable[[Document], Document] | None = None,
) -> Iterator[Corpus]:
    """Prepare a corpus as ids, on disk as long as it is used.

    English, the default, is tokenised by spaCy, other languages by `spelling.tokenised`. `seen` is
    called with each document in order, and returns what is prepared of it.
    """
    report = ReadReport()
    with TemporaryDirectory() as folder:
        documents, kind = read(subject, text_key, by, report), "spacy"
        if seen is not None:
            documents = map(seen, documents)
        if language and primary(language) != ENGLISH:
            documents, kind = tokenised(documents, language), "whitespace"
        prepare(documents, Path(folder), tokenizer=kind, read=report)
        corpus = Corpus.load(Path(folder))
        if corpus.size < 2:
            hint = "split the text with --by paragraph or --by line"
            raise UserError(f"{subject.name}: an interval needs at least two documents; {hint}")
        yield corpus


class Scan:
    """The contexts of targets with groups, counted once for the results of any targets.

    The numbers are those of a scan for these targets alone, but baseline words are as frequent as
    all targets together.
    """

    def __init__(
        self,
        corpus: Corpus,
        name: str,
        question: Question,
        *more: Question,
        others: Baseline | None = None,
    ):
        """Read the corpus for a question, and more with other groups.

        The name is for messages. Without `others`, they are drawn (`share_baseline`).
        """
        targets, language = question.targets, question.text_language
        self.question, self.corpus, self.name, self._groups = question, corpus, name, []
        for groups in (asked.groups for asked in (question, *more)):
            if groups not in self._groups:
                self._groups.append(groups)
        self.window = question.options.get("window") or window_of(corpus)
        self.others = share_baseline([corpus], [question, *more]) if others is None else others
        names = list(dict.fromkeys([*targets.all, *self.others.words]))
        tables = contexts_with_groups(corpus, self._groups, names, self.window, language)
        if not any((owners < len(targets.all)).any() for _, owners, _ in tables):
            words = guessed(targets.all, meant(targets.all, corpus.words, targets))
            hint = f": {', '.join(words[:5])}" if words[:5] != targets.all[:5] else ""
            hint += list_meant(targets.all)
            raise UserError(f"{name}: no target word occurs near a group word{hint}")
        level = question.resampling.level
        self._shares = [GroupShares(*table, [*names, EVERY], level) for table in tables]

    def shares(self, question: Question) -> GroupShares:
        """Return the groups' shares in contexts of all targets and baseline words of a question."""
        return self._shares[self._groups.index(question.groups)]

    def result(
        self, targets: WordLists, chosen: Measure, question: Question | None = None
    ) -> tuple[Result, dict]:
        """Compute the result for some of the targets, as `measure_corpora`.

        Groups and reference are those of a question, by default of the first.
        """
        question = question or self.question
        groups, shares = question.groups, self.shares(question)
        small = partial(lower, language=question.text_language)
        first: dict[str, str] = {}  # such as nurse and Nurse, which are one word in a corpus
        for word in targets.all:
            first.setdefault(small(word), word)
        own = shares.only(list(first.values()))
        if not own.names:
            which = f" of {', '.join(groups.words)}" * (len(self._groups) > 1)
            raise UserError(f"{self.name}: no target word occurs near a group word{which}")
        every = shares.only([EVERY])  # contexts of the groups, without any target
        reference = Reference.of(question.reference, list(groups.words), every)
        bias = TextBias(own, chosen, reference)
        others = self.others, TextBias(shares.only(self.others.words), chosen, reference)
        result = summarise_corpus(shares, bias, others, replace(question, targets=targets))
        notes = _lost(self.corpus.report["read"])
        if again := [word for word in targets.all if word not in first.values()]:
            notes.append(f"other spellings of an earlier target: {some(again)}")
        in_groups = {name: map(small, words) for name, words in groups.words.items()}
        notes += shared_words(in_groups, [map(small, targets.all)])
        if (size := self.corpus.size) < FEWEST_DOCUMENTS:
            unreliable = f"intervals over fewer than {FEWEST_DOCUMENTS} are unreliable"
            notes.insert(0, f"only {size} documents: {unreliable}")
        if rare := [row for row in result.rows if row.n < FEWEST_CONTEXTS]:
            notes.append(_too_rare(sorted(rare, key=lambda row: -row.n)))
        notes += result.notes
        base = {}
        if every.names:
            base = dict(zip(groups.words, every.shares.share[0].tolist(), strict=True))
            shares = ", ".join(f"{name} {share:.3f}" for name, share in base.items())
            notes.append(f"{BASE}: {shares}")
        missing, known = dict(result.missing), {*self.corpus.words}
        for name, words in groups.words.items():
            if lost := [word for word in dict.fromkeys(words) if small(word) not in known]:
                missing[name] = lost
        hints = meant([*chain(*missing.values())], self.corpus.words, targets, groups)
        result = replace(result, missing=missing, meant=hints, notes=tuple(notes))
        read = {"documents": size, "tokens": len(self.corpus.tokens)}
        return result, read | {"sentences of a context": self.window, "base rate": base}


def _lost(read: dict) -> list[str]:
    """Return notes on what could not be read, from the counts of the reader."""
    lost = [f"{n:,} {note}" for note, n in read.get("notes", {}).items() if note.endswith(SKIPPED)]
    known = read | {"split": 0}  # these words are whole by now
    lost += [f"{known[key]:,} {what}" for key, what in DOUBTFUL.items() if known.get(key)]
    if bad := read.get("bad_bytes"):
        problem = "characters are not UTF-8, so words with them are not found"
        lost.append(f"{bad:,} {problem}: save the file as UTF-8")
    return lost


def _too_rare(rare: Sequence[Row]) -> str:
    """Return a note on targets with too few contexts, the most frequent first, and what helps."""
    named = some([f"{row.target} ({row.n})" for row in rare])
    times = FEWEST_CONTEXTS / max(rare[0].n, 1)
    helps = f"about {times:.2g} times as many documents, or longer contexts (--window)"
    return f"too rare, with fewer than {FEWEST_CONTEXTS} contexts: {named}. What helps: {helps}"


def summarise_corpus(
    shares: GroupShares,
    bias: TextBias,
    others: tuple[Baseline, TextBias],
    question: Question,
) -> Result:
    """Return the result of the targets among other words: which these are, and their biases.

    `shares` are those of targets and other words.
    """
    often, counts, measure, (baseline, null) = bias.often, bias.counts, bias.measure, others
    groups, seed, notes, beside = list(question.groups.words), question.resampling.seed, [], []
    values = {counts.names[i]: float(bias.values[i]) for i in often}
    numbers = summarise(values, measure, seed, counts.level, bias.samples[:, often])
    if len(often) == 1:
        low, high = bias.intervals()[:, often[0]].tolist()
        numbers |= {"low": max(low, measure.low), "high": min(high, measure.high)}
    counted = f"{len(often)} target" + "s" * (len(often) != 1)
    numbers["statistic"] += f" ({counted} with {FEWEST_CONTEXTS} contexts or more)"
    chosen, among = null.often, baseline.name
    if baseline.drawn and len(chosen) >= 2 * MIN_WORDS and len(often):
        contexts = null.counts.shares.n[chosen], counts.shares.n[often]
        rng = generator(seed, "contexts", len(chosen))
        chosen = chosen[in_as_many_contexts(*contexts, rng)]
    words = {null.counts.names[i]: float(null.values[i]) for i in chosen}
    if not len(often):
        notes.append(f"no target has {FEWEST_CONTEXTS} contexts, so no mean is given")
    elif len(words) < AS_GIVEN:
        notes.append(f"only {len(words)} {among}: too few to compare the targets with")
    else:
        profiles, sets = shares.only([*values, *words]).profiles(), question.targets.words.values()
        both = np.split(profiles, [len(values)])
        numbers |= rank_among(words, among, values, both, measure, [*sets], question.against, seed)
        notes += [NO_TOPICS] * (numbers["answers"][0].among == RANDOM)
        known = np.where(counts.shares.n >= FEWEST_CONTEXTS, bias.values, np.nan)
        beside = rank_among_words(known, np.array([*words.values()]), measure.signed)
    return Result(
        measure=measure.name,
        **numbers,
        level=counts.level,
        unit=measure.unit,
        direction=measure.way(groups),
        n=len(counts.names),
        n_of=len(counts.names) + len(counts.missing),
        n_unit="targets",
        missing={"targets": counts.missing} if counts.missing else {},
        resampled="documents" + (" and targets" if len(often) > 1 else ""),
        rows_resampled="documents",
        **fields(bias.reliability()),
        reliability_of="ranking of the targets by random halves of the documents",
        citation=measure.citation,
        rows=tuple(bias.rows(groups, beside)),
        notes=tuple(notes),
        draws=bias.samples,
    )
