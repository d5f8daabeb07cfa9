"""Bias in texts: how often a target occurs in a context with one group and no other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from scipy.sparse import hstack

from socialbias.api.estimate import FEWEST_CONTEXTS, too_rare
from socialbias.api.question import Question
from socialbias.api.result import Result, guessed, shared_words, some
from socialbias.api.spelling import meant, tokenised
from socialbias.api.subjects import Subject
from socialbias.corpora.contexts import (
    LONGEST,
    SHORTEST,
    contexts_of,
    kept_sentences,
    match_blocks,
    word_presence,
)
from socialbias.corpora.documents import DOUBTFUL, Document, ReadReport
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.readers import READERS, options_of
from socialbias.corpora.streams import SKIPPED, lines
from socialbias.errors import UserError
from socialbias.files.text import composed
from socialbias.measurement.estimates import UNKNOWN, Row, numbers_beside, percentiles, uncertain
from socialbias.measurement.instruments import OF_TEXTS
from socialbias.measurement.random_words import AS_GIVEN, IN_TEXTS, Others, in_common, others_of
from socialbias.measurement.reliability import fields, of_halves, sums_by_halves
from socialbias.measures.registry import Measure
from socialbias.measures.similarity import Array
from socialbias.measures.text import counts_with_words, exclusive
from socialbias.stats.clustered import (
    ClusteredShares,
    influence_of_counts,
    joint_draws,
    joint_share_draws,
    shares_of_counts,
)
from socialbias.stats.intervals import percentile
from socialbias.stats.two_way import SURPLUS, Difference, mean_difference
from socialbias.words.languages import ENGLISH, lower, primary
from socialbias.words.lists import WordLists, list_meant

EVERY = " every word of a group"  # as a target, which no word is
WINDOW = 3  # sentences of a context (Bommasani and Liang 2022, section 4.1)
FEWEST_DOCUMENTS = 30  # with fewer, intervals are unreliable
# The readers' message, unless it is about the separator of columns.
NO_TEXT = re.compile("no (column|key) 'text'(?!.* between them$)")
LOOKED_AT = 1000  # lines searched for paragraphs
BASE = "base rate, the share of each group in all contexts with words of one group only"
MEAN_AGAINST = {
    "uniform": "mean bias against equal shares",
    "corpus": "mean bias against it",
}


def read(
    subject: Subject, text_key: str | None, by: str | None, report: ReadReport
) -> Iterator[Document]:
    """Read the documents of a corpus.

    Args:
        subject: A corpus.
        text_key: The key or column of the text, in JSON lines and tables; None for `text`.
        by: How to split plain text into documents: `line`, `paragraph` or `file`; None for files of
            a folder, paragraphs of a text with blank lines, else lines.
        report: Counts what was read.

    Raises:
        UserError: an option does not fit the format, or a file cannot be read.
    """
    path = subject.path
    known, options = options_of(subject.format), {}
    for option, name, value in (("text", "text-key", text_key), ("unit", "by", by)):
        if value is not None:
            if option not in known:
                raise UserError(
                    f"{subject.name}: {name} cannot be used with the format {subject.format}"
                )
            options[option] = value
    if "unit" in known and by is None:
        options["unit"] = "file" if path.is_dir() else _unit(path)
    documents = map(_composed, READERS[subject.format](path, report, **options))
    return _some(documents, subject.name, text_key)


def _composed(document: Document) -> Document:
    text = composed(document.text)
    return document if text is document.text else replace(document, text=text)


def _some(documents: Iterator[Document], name: str, text_key: str | None) -> Iterator[Document]:
    """Yield the documents; raise UserError if there is none."""
    try:
        first = next(documents, None)
    except UserError as error:
        if text_key is None and NO_TEXT.search(str(error)):
            raise UserError(
                f"{error}: name the key or column of the text with --text-key"
            ) from None
        raise
    if first is None:
        raise UserError(f"{name}: there is no text in it")
    yield first
    yield from documents


def _unit(path: Path) -> str:
    blank = [not line.strip() for _, line in islice(lines(path, ReadReport()), LOOKED_AT)]
    return "paragraph" if any(blank[1:-1]) else "line"


def texts_results(
    subjects: Sequence[Subject], questions: Sequence[Question]
) -> list[list[tuple[Result, dict]]]:
    """Compute the bias of each target in corpora, and the mean over targets with 20 contexts.

    Args:
        subjects: Corpora; the same random words are beside all of them.
        questions: They differ in groups and reference only, and the corpus is scanned once. Words
            of groups count in lower case, and only whole; the targets are one word each; the
            measure is `directed` or `divdist`.

    Returns:
        For each corpus and question the result without title and provenance, and what was read.

    Raises:
        UserError: as `read`; or another measure, fewer than two documents, or no context.
    """
    question = questions[0]
    for name in (q.measure.name for q in questions if q.measure.name not in OF_TEXTS):
        raise UserError(f"measure: {name} is for vectors; for a corpus use directed or divdist")
    how = question.read_with("text_key", "by")
    with ExitStack() as stack:
        corpora = [
            stack.enter_context(prepared(each, **how, language=question.text_language or None))
            for each in subjects
        ]
        others = beside_all(corpora, questions)
        scans = [
            Scan(corpus, subject.name, *questions, others=others)
            for corpus, subject in zip(corpora, subjects, strict=True)
        ]
        return [[scan.result(q.targets, q.measure, q) for q in questions] for scan in scans]


def beside_all(corpora: Sequence[Corpus], questions: Sequence[Question]) -> list[Others]:
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
    return others_of(in_common(words, by_frequency=True), *question.compared_with, **how)


@contextmanager
def prepared(
    subject: Subject,
    text_key: str | None,
    by: str | None,
    language: str | None = None,
    seen: Callable[[Document], Document] | None = None,
) -> Iterator[Corpus]:
    """Prepare a corpus as ids, on disk as long as it is used.

    English, the default, is tokenised by spaCy, other languages by `spelling.tokenised`.

    Args:
        subject: A corpus.
        text_key: As for `read`.
        by: As for `read`.
        language: Tag of its language; None for English.
        seen: Called with each document in order; returns what is prepared of it.

    Raises:
        UserError: as `read`; or it has fewer than two documents.
    """
    report = ReadReport()
    with TemporaryDirectory() as folder:
        documents, kind = read(subject, text_key, by, report), "spacy"
        if seen is not None:
            documents = map(seen, documents)
        if language is not None and primary(language) != ENGLISH:
            documents, kind = tokenised(documents, language), "whitespace"
        prepare(documents, Path(folder), tokenizer=kind, read=report)
        corpus = Corpus.load(Path(folder))
        if corpus.size < 2:
            hint = "split the text with --by paragraph or --by line"
            raise UserError(f"{subject.name}: an interval needs at least two documents; {hint}")
        yield corpus


class Scan:
    """The contexts of targets with groups, counted once for the results of any targets.

    The numbers are those of a scan for these targets alone, but placebo words are as frequent as
    all targets together.
    """

    def __init__(
        self,
        corpus: Corpus,
        name: str,
        question: Question,
        *more: Question,
        others: Sequence[Others] | None = None,
    ):
        """Read the corpus.

        Args:
            corpus: The corpus.
            name: Its name, for messages.
            question: Words, seed and options.
            more: The same with other groups, which are counted in the same scan.
            others: Placebo words; None to draw them (`beside_all`).

        Raises:
            UserError: no target word occurs near a group word.
        """
        targets, language = question.targets, question.text_language
        self.question, window = question, question.options.get("window")
        self.corpus, self.name, self._groups = corpus, name, []
        for groups in (asked.groups for asked in (question, *more)):
            if groups not in self._groups:
                self._groups.append(groups)
        self.window = window or _window(corpus)
        self._words = {*corpus.words}
        self.others = beside_all([corpus], [question, *more]) if others is None else others
        names = list(dict.fromkeys([*targets.all, *(w for o in self.others for w in o.words)]))
        tables = _counted(corpus, self._groups, names, self.window, language)
        if not any((owners < len(targets.all)).any() for _, owners, _ in tables):
            words = guessed(targets.all, meant(targets.all, corpus.words, targets))
            hint = f": {', '.join(words[:5])}" if words[:5] != targets.all[:5] else ""
            hint += list_meant(targets.all)
            if not len(kept_sentences(corpus).numbers):
                hint += (
                    f"; no sentence in it has {SHORTEST} to {LONGEST} words, as if it were a list "
                    "of words: name a text"
                )
            raise UserError(f"{name}: no target word occurs near a group word{hint}")
        level = question.resampling.level
        self._counts = [_Counts(*table, [*names, EVERY], level) for table in tables]

    def counts(self, question: Question) -> _Counts:
        """Return the contexts of all targets and placebo words with the groups of a question."""
        return self._counts[self._groups.index(question.groups)]

    def result(
        self, targets: WordLists, instrument: Measure, question: Question | None = None
    ) -> tuple[Result, dict]:
        """Compute the result for some of the targets, as `texts_results`.

        Args:
            targets: Some of the targets.
            instrument: The measure.
            question: Its groups and reference; None for those of the first question.

        Raises:
            UserError: none of them occurs near a group word.
        """
        question = question or self.question
        groups, counts = question.groups, self.counts(question)
        small = partial(lower, language=question.text_language)
        first: dict[str, str] = {}  # such as nurse and Nurse, which are one word in a corpus
        for word in targets.all:
            first.setdefault(small(word), word)
        numbers, size = counts.only(list(first.values())), self.corpus.size
        if not numbers.names:
            which = f" of {', '.join(groups.words)}" * (len(self._groups) > 1)
            raise UserError(f"{self.name}: no target word occurs near a group word{which}")
        every, base = counts.only([EVERY]), {}  # contexts of the groups, without any target
        if every.names:
            base = dict(zip(groups.words, every.shares.share[0].tolist(), strict=True))
        others = [(other.name, counts.only(list(other.words))) for other in self.others]
        seed, names = question.resampling.seed, list(groups.words)
        reference = _reference(question, every)
        result = numbers.result(names, reference.measure(instrument), seed, others, reference)
        notes = _lost(self.corpus.report["read"])
        if again := [word for word in targets.all if word not in first.values()]:
            notes.append(f"other spellings of an earlier target: {some(again)}")
        in_groups = {name: map(small, words) for name, words in groups.words.items()}
        notes += shared_words(in_groups, [map(small, targets.all)])
        if size < FEWEST_DOCUMENTS:
            unreliable = f"intervals over fewer than {FEWEST_DOCUMENTS} are unreliable"
            notes.insert(0, f"only {size} documents: {unreliable}")
        notes_of_base = []
        if base:
            shares = ", ".join(f"{name} {share:.3f}" for name, share in base.items())
            another = "uniform" if reference.name == "corpus" else "corpus"
            mean = numbers.mean(instrument, _shares(another, every))
            also = f"; {MEAN_AGAINST[another]}: {mean:z.3f}"
            notes_of_base = [f"{BASE}: {shares}{also * bool(np.isfinite(mean))}"]
        if rare := too_rare(result.rows, self.window):
            notes.append(rare)
        missing = dict(result.missing)
        for name, words in groups.words.items():
            if lost := [word for word in dict.fromkeys(words) if small(word) not in self._words]:
                missing[name] = lost
        hints = meant([*chain(*missing.values())], self.corpus.words, targets, groups)
        notes += [*result.notes, *notes_of_base]
        result = replace(result, missing=missing, meant=hints, notes=tuple(notes))
        read = {"documents": size, "tokens": len(self.corpus.tokens)}
        return result, read | {"sentences of a context": self.window, "base rate": base}


def _lost(read: dict) -> list[str]:
    """Return notes on what could not be read, from the counts of the reader."""
    lost = [f"{n:,} {note}" for note, n in read.get("notes", {}).items() if note.endswith(SKIPPED)]
    known = read | {"split": 0}  # these words are whole by now
    lost += [f"{known[key]:,} {what}" for key, what in DOUBTFUL.items() if known.get(key)]
    bad = read.get("bad_bytes", 0)
    if bad:
        problem = "characters are not UTF-8, so words with them are not found"
        lost.append(f"{bad:,} {problem}: save the file as UTF-8")
    return lost


def _window(corpus: Corpus) -> int:
    """Return 3 sentences, or 1 if most documents are shorter."""
    sentences = np.diff(np.searchsorted(corpus.sentences, corpus.documents))
    return WINDOW if np.median(sentences) >= WINDOW else 1


def _counted(
    corpus: Corpus,
    sets: Sequence[WordLists],
    targets: Sequence[str],
    window: int,
    language: str,
) -> list[tuple[Array, Array, Array]]:
    """Count contexts with each group (r, k); return also the target and document of each row.

    There is a table for each set of groups. Its last target is `EVERY`, the words of its groups.
    """
    size, n, words = corpus.size, len(targets), {target: [target] for target in targets}
    lists = {(i, name): ws for i, groups in enumerate(sets) for name, ws in groups.words.items()}
    words = {name: [lower(name, language)] for name in words}
    lists = {name: [lower(word, language) for word in group] for name, group in lists.items()}
    for i, groups in enumerate(sets):
        words[f"{EVERY} {i}"] = [word for name in groups.words for word in lists[i, name]]
    tables = [[] for _ in sets]
    for block in match_blocks(corpus, words, lists):
        contexts, first = contexts_of(block, window), 0
        for i, groups in enumerate(sets):
            k = len(groups.words)
            masks = contexts.masks >> np.uint64(first) & np.uint64((1 << k) - 1)
            first += k
            labels = exclusive(masks, k)
            kept = (labels >= 0) & ((contexts.targets < n) | (contexts.targets == n + i))
            owners = np.minimum(contexts.targets[kept], n)  # `EVERY` of this set is the last
            pairs, pair = np.unique(owners * size + contexts.documents[kept], return_inverse=True)
            table = np.bincount(pair * k + labels[kept], minlength=len(pairs) * k).reshape(-1, k)
            tables[i].append((table, *np.divmod(pairs, size)))
    return [tuple(map(np.concatenate, zip(*parts, strict=True))) for parts in tables]


def counts_of_lists(
    corpus: Corpus,
    lists: Sequence[Sequence[Sequence[str]]],
    targets: Sequence[str],
    language: str = "",
) -> Array:
    """Count the contexts of each target with each group, for many lists of groups, in one scan.

    Args:
        corpus: A prepared corpus.
        lists: d lists of k groups of words, in lower case.
        targets: t targets, one word each.
        language: The language by whose rule targets are lower-cased; "" for English.

    Returns:
        (d, t, k) contexts with a word of this group and of no other.
    """
    k = len(lists[0])
    words = sorted({word for groups in lists for group in groups for word in group})
    place = {word: i for i, word in enumerate(words)}
    # Each word has a column for each group, of which a list takes those of its own words.
    chosen = np.zeros((len(lists), k, len(words)), bool)
    for row, groups in zip(chosen, lists, strict=True):
        for in_group, group in zip(row, groups, strict=True):
            in_group[[place[word] for word in group]] = True
    owners, window = np.repeat(np.arange(k), len(words)), _window(corpus)
    counts = np.zeros((len(lists), len(targets), k), np.int64)
    spelt = {t: [lower(t, language) if language else t] for t in targets}
    for block in match_blocks(corpus, spelt, {"words": words}):
        contexts = contexts_of(block, window)
        presence = hstack([word_presence(block, contexts)] * k, "csr")
        flat = chosen.reshape(len(lists), -1)
        with_words = counts_with_words(presence, contexts.targets, len(targets), owners, flat)
        counts += with_words[..., :k]
    return counts


def mean_of_counts(counts: Array, instrument: Measure) -> float:
    """Return the mean bias of targets with 20 contexts or more; NaN without any.

    Args:
        counts: (t, k) contexts of each target with each group.
        instrument: `directed` or `divdist`.
    """
    often = counts[counts.sum(axis=1) >= FEWEST_CONTEXTS]
    if not len(often):
        return np.nan
    return float(_bias(often / often.sum(axis=1, keepdims=True), instrument).mean())


def _bias(shares: Array, instrument: Measure, reference: Array | None = None) -> Array:
    """Return the bias of distributions over k groups, from (..., k) to (...).

    Args:
        shares: The distributions.
        instrument: `directed` or `divdist`.
        reference: The distribution without bias, (k,) or one for each; None for equal shares.
    """
    k = shares.shape[-1]
    reference = np.full(k, 1 / k) if reference is None else reference
    if instrument.name == "directed":
        return shares[..., 0] - reference[..., 0]
    flat = np.broadcast_to(reference, shares.shape).reshape(-1, k)
    return instrument.divdist.divergence(shares.reshape(-1, k), flat).reshape(shares.shape[:-1])


@dataclass(frozen=True)
class Reference:
    """The shares of the groups without bias.

    Attributes:
        name: `uniform`, `corpus` or `file`.
        shares: (k,) the shares.
        draws: The shares in each resample of the documents, (draws, 1, k), if they are estimated;
            else the shares.
    """

    name: str
    shares: Array
    draws: Array

    def measure(self, instrument: Measure) -> Measure:
        """Return a measure with the unit and range that it has with these shares."""
        if self.name == "uniform":
            return instrument
        if instrument.name != "directed":
            own = "the base rates" if self.name == "corpus" else "the reference shares"
            return replace(instrument, unit=instrument.unit.replace("equal shares", own))
        first, own = float(self.shares[0]), "base rate" if self.name == "corpus" else "reference"
        unit = f"share of the first group minus its {own}"
        return replace(instrument, unit=unit, low=-first, high=1 - first)


def _reference(question: Question, every: _Counts) -> Reference:
    """Return the reference of a question, given the counts of all contexts.

    Raises:
        UserError: it is the base rate, and there is no context.
    """
    chosen = question.reference
    if isinstance(chosen, str):
        shares = _shares(chosen, every)
    else:
        shares = np.array([chosen[name] for name in question.groups.words])
    name = chosen if isinstance(chosen, str) else "file"
    return Reference(name, shares, every.drawn() if chosen == "corpus" else shares)


def _shares(reference: str, every: _Counts) -> Array:
    if reference == "uniform":
        return np.full(every.k, 1 / every.k)
    if not every.names:
        raise UserError("reference: no context has a word of one group only: there is no base rate")
    return every.shares.share[0]


class _Counts:
    """Shares of the groups for each target with a context, and their resamples over documents."""

    def __init__(
        self,
        counts: Array,
        owners: Array,
        documents: Array,
        names: list[str],
        level: float,
    ):
        there, at = np.unique(owners, return_inverse=True)
        self.names = [names[i] for i in there]
        self.missing = [name for i, name in enumerate(names) if i not in set(there.tolist())]
        self.rows, self.level, self.k = (counts, at, documents), level, counts.shape[1]
        self.shares = shares_of_counts(counts, at, len(there), level)
        freedom = np.maximum(self.shares.clusters - 1, 1)
        # (draws, t, k), jointly: every group's share has the same multipliers of documents.
        moved = hstack([self._influence(g) for g in range(self.k)], "csr")
        drawn = joint_draws(moved, np.tile(freedom, self.k), "corpus")
        self.errors = drawn.reshape(len(drawn), self.k, len(there)).swapaxes(1, 2)

    def only(self, names: list[str]) -> _Counts:
        """Return the counts of some targets."""
        place = {name: i for i, name in enumerate(self.names)}
        kept = [place[name] for name in names if name in place]
        number = np.full(len(self.names), -1)
        number[kept] = np.arange(len(kept))
        counts, at, documents = self.rows
        kept_rows = number[at] >= 0
        part = copy(self)
        part.names = [self.names[i] for i in kept]
        part.missing = [name for name in names if name not in place]
        part.rows = counts[kept_rows], number[at[kept_rows]], documents[kept_rows]
        part.shares = ClusteredShares(*(column[kept] for column in vars(self.shares).values()))
        part.errors = self.errors[:, kept]
        return part

    def _influence(self, group: int) -> Array:
        counts, at, documents = self.rows
        order = [group, *(g for g in range(self.k) if g != group)]
        return influence_of_counts(counts[:, order], at, documents, len(self.names))

    def result(
        self,
        groups: list[str],
        instrument: Measure,
        seed: int,
        others: Sequence[tuple[str, _Counts]],
        reference: Reference,
    ) -> Result:
        """Return the rows and their mean.

        Args:
            groups: The names of the groups.
            instrument: The measure.
            seed: Random seed.
            others: What they are and counts, of the words beside the targets.
            reference: The shares without bias.
        """
        values = _bias(self.shares.share, instrument, reference.shares)
        samples = self._samples(instrument, reference)
        often = np.flatnonzero(self.shares.n >= FEWEST_CONTEXTS)
        notes = []
        if not len(often):
            notes.append(f"no target has {FEWEST_CONTEXTS} contexts, so no mean is given")
        kinds, none, by_word = [], np.empty((len(samples), 0)), {}
        for name, other in others:
            enough = other.shares.n >= FEWEST_CONTEXTS
            numbers = _bias(other.shares.share[enough], instrument, reference.shares)
            if name == others[0][0]:
                words = [word for word, is_kept in zip(other.names, enough, strict=True) if is_kept]
                by_word = dict(zip(words, numbers.tolist(), strict=True))
            if len(often) and len(numbers) >= AS_GIVEN:
                drawn = other._samples(instrument, reference)[:, enough]
                apart = self._apart(values, samples, often, numbers, drawn)
                kinds.append((name, numbers, apart))
            elif name == others[0][0] and len(often):
                notes.append(f"only {len(numbers)} {name}: too few to compare the targets with")
        alone = UNKNOWN
        if len(often) == 1:
            value, draws = values[often[0]], samples[:, often[0]]
            bounds = (instrument.low, instrument.high)
            alone = uncertain(value, draws, self.level, bounds)
        elif len(often):
            alone = self._apart(values, samples, often, none[0], none)
        rare = 1 - self.level if len(often) > 1 else 1.0  # of one target only documents vary
        overall = numbers_beside(values[often], alone, kinds, instrument, seed, rare)
        places = percentiles(values, kinds[0][1]) if kinds else None
        counted = f"{len(often)} target" + "s" * (len(often) != 1)
        reliable = of_halves(
            *self._halves(instrument, reference.shares)[..., often],
            [self.names[i] for i in often],
            self.level,
            int(self.shares.n.sum()),
        )
        return Result(
            measure=instrument.name,
            statistic=f"mean over {counted} with {FEWEST_CONTEXTS} contexts or more",
            **overall,
            level=self.level,
            unit=instrument.unit,
            direction=instrument.way(groups),
            n=len(self.names),
            n_of=len(self.names) + len(self.missing),
            n_unit="targets",
            missing={"targets": self.missing} if self.missing else {},
            resampled="documents" + (" and targets" if len(often) > 1 else ""),
            **fields(reliable),
            reliability_of="ranking of the targets by random halves of the documents",
            citation=instrument.citation,
            rows=tuple(self._targets(values, samples, groups, instrument, reference, places)),
            notes=tuple(notes),
            draws=samples,
            random_words=by_word if kinds else {},
        )

    def _targets(
        self,
        values: Array,
        samples: Array,
        groups: list[str],
        instrument: Measure,
        reference: Reference,
        places: Array | None,
    ) -> Iterator[Row]:
        """Yield the row of each target; without an interval if it occurs in one document."""
        low, high = self._intervals(instrument, reference, samples)
        low, high = np.fmin(low, values), np.fmax(high, values)  # draws of a magnitude lie above it
        for i, name in enumerate(self.names):
            number = uncertain(values[i], samples[:, i], self.level)
            n, spread = int(self.shares.n[i]), int(self.shares.clusters[i]) > 1
            too_few = f"only {n} contexts; {FEWEST_CONTEXTS} are needed"
            yield Row(
                name,
                number.value,
                float(low[i]) if spread else np.nan,
                float(high[i]) if spread else np.nan,
                groups[int((self.shares.share[i] - reference.shares).argmax())],
                percentile=np.nan if places is None or n < FEWEST_CONTEXTS else float(places[i]),
                detectable=number.detectable if spread else np.nan,
                n=n,
                note="" if n >= FEWEST_CONTEXTS else too_few,
            )

    def _apart(
        self, values: Array, samples: Array, often: Array, others: Array, drawn: Array
    ) -> Difference:
        """Return the mean of frequent targets minus that of other words, with its interval.

        The documents' variance is what resampling them gives the difference, less what it gives to
        each word by itself, which is in the spread of the words, too.
        """
        own = samples[:, often]
        means = own.mean(axis=1) - (drawn.mean(axis=1) if len(others) else 0.0)
        if len(often) < 2:
            value = float(values[often[0]] - others.mean())  # only documents are resampled
            return uncertain(value, means, self.level)
        both = own.var(axis=0).sum() / len(often) ** 2
        both += drawn.var(axis=0).sum() / len(others) ** 2 if len(others) else 0.0
        more = max(float(means.var() - SURPLUS * both), 0.0)
        return mean_difference(values[often], others, [], self.level, more)

    def mean(self, instrument: Measure, reference: Array) -> float:
        """Return the mean bias of targets with enough contexts against a reference (k,)."""
        often = self.shares.n >= FEWEST_CONTEXTS
        biases = _bias(self.shares.share[often], instrument, reference)
        return float(biases.mean()) if len(biases) else np.nan

    def drawn(self) -> Array:
        """Return shares (draws, t, k) in resamples of the documents."""
        drawn = np.clip(self.shares.share + self.errors, 0, None)
        return drawn / drawn.sum(axis=-1, keepdims=True)

    def _samples(self, instrument: Measure, reference: Reference) -> Array:
        """Return resampled biases (draws, t); for shares, with the ends of Wilson's intervals."""
        if instrument.name == "directed":
            share, effective = self.shares.share[:, 0], self.shares.effective[:, 0]
            freedom, errors = np.maximum(self.shares.clusters - 1, 1), self.errors[:, :, 0]
            drawn = joint_share_draws(share, effective, freedom, errors, self.names)
            return drawn - reference.draws[..., 0]
        return _bias(self.drawn(), instrument, reference.draws)

    def _intervals(self, instrument: Measure, reference: Reference, samples: Array) -> Array:
        """Return Wilson's intervals over documents for shares, (2, t).

        They are percentiles for divergences, and if the reference is estimated, too.
        """
        if instrument.name == "directed" and reference.name != "corpus":
            return np.stack([self.shares.low[:, 0], self.shares.high[:, 0]]) - reference.shares[0]
        return percentile(samples, self.level)

    def _halves(self, instrument: Measure, reference: Array) -> Array:
        """Return biases (2, HALVES, t) in halves of the documents; 0 without a context."""
        totals = sums_by_halves(*self.rows, len(self.names))
        sides, some = np.zeros(totals.shape[:-1]), totals.sum(axis=-1) > 0
        shares = totals[some] / totals[some].sum(axis=-1, keepdims=True)
        sides[some] = _bias(shares, instrument, reference)
        return sides
