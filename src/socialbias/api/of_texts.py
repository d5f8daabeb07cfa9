"""Bias in texts: how often a target occurs in a context with one group and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from scipy.sparse import hstack

from socialbias.api.estimate import Row
from socialbias.api.instruments import OF_TEXTS
from socialbias.api.numbers import percentiles, uncertain
from socialbias.api.placebos import AS_GIVEN, IN_TEXTS, UNKNOWN, numbers_beside, others_of
from socialbias.api.question import Question
from socialbias.api.result import Result, guessed
from socialbias.api.spelling import meant, tokenised
from socialbias.api.subjects import Subject
from socialbias.corpora.contexts import contexts_of, match_blocks, word_presence
from socialbias.corpora.documents import DOUBTFUL, Document, ReadReport
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.readers import READERS, options_of
from socialbias.corpora.streams import SKIPPED
from socialbias.embeddings.files import open_text
from socialbias.errors import UserError
from socialbias.measures.registry import Measure
from socialbias.measures.similarity import Array
from socialbias.measures.text import counts_with_words, exclusive
from socialbias.papers.reliability import fields, of_halves, sums_by_halves
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
FEWEST_CONTEXTS = 20  # with a group, for a target to count in the mean
FEWEST_DOCUMENTS = 30  # with fewer, intervals are unreliable
# The readers' message, unless it is about the separator of columns.
NO_TEXT = re.compile("no (column|key) 'text'(?!.* between them$)")
LOOKED_AT = 1000  # lines searched for paragraphs


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
    return _some(READERS[subject.format](path, report, **options), subject.name, text_key)


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
    with open_text(path) as file:
        blank = [not line.strip() for line in islice(file, LOOKED_AT)]
    return "paragraph" if any(blank[1:-1]) else "line"


def texts_result(subject: Subject, question: Question) -> tuple[Result, dict]:
    """Compute the bias of each target in a corpus, and the mean over targets with 20 contexts.

    Args:
        subject: A corpus.
        question: Words of groups count in lower case, and only whole; the targets are one word
            each; the measure is `directed` or `divdist`.

    Returns:
        The result without title and provenance, and what was read.

    Raises:
        UserError: as `read`; or another measure, fewer than two documents, or no context.
    """
    if question.measure.name not in OF_TEXTS:
        name = question.measure.name
        raise UserError(f"measure: {name} is for vectors; for a corpus use directed or divdist")
    how = question.read_with("text_key", "by")
    with prepared(subject, **how, language=question.text_language or None) as corpus:
        return Scan(corpus, subject.name, question).result(question.targets, question.measure)


@contextmanager
def prepared(
    subject: Subject, text_key: str | None, by: str | None, language: str | None = None
) -> Iterator[Corpus]:
    """Prepare a corpus as ids, on disk as long as it is used.

    English, the default, is tokenised by spaCy, other languages by `spelling.tokenised`.

    Raises:
        UserError: as `read`; or it has fewer than two documents.
    """
    report = ReadReport()
    with TemporaryDirectory() as folder:
        documents, kind = read(subject, text_key, by, report), "spacy"
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

    def __init__(self, corpus: Corpus, name: str, question: Question):
        """Read the corpus.

        Raises:
            UserError: no target word occurs near a group word.
        """
        groups, targets, language = question.groups, question.targets, question.text_language
        self.seed, window = question.resampling.seed, question.options.get("window")
        self.corpus, self.name, self.groups = corpus, name, list(groups.words)
        self.window = window or _window(corpus)
        counted = dict(zip(corpus.words, corpus.counts.tolist(), strict=True))
        often = [t for t in targets.all if counted.get(t.lower(), 0) >= FEWEST_CONTEXTS]
        self._others = [
            replace(others, words=[word for word in others.words if word in counted])
            for others in others_of(
                corpus.words, question, number=IN_TEXTS, by_frequency=True, like=often,
                spellings=[lower(word, language) for word in (*groups.all, *targets.all)],
            )
        ]  # fmt: skip
        more = [word for others in self._others for word in others.words]
        names = list(dict.fromkeys([*targets.all, *more]))
        counts, owners, documents = _counted(corpus, groups, names, self.window, language)
        if not (owners < len(targets.all)).any():
            words = guessed(targets.all, meant(targets.all, corpus.words, targets))
            hint = f": {', '.join(words[:5])}" if words[:5] != targets.all[:5] else ""
            hint += list_meant(targets.all)
            raise UserError(f"{name}: no target word occurs near a group word{hint}")
        level = question.resampling.level
        self._counts = _Counts(counts, owners, documents, [*names, EVERY], level)

    def result(self, targets: WordLists, instrument: Measure) -> tuple[Result, dict]:
        """Compute the result for some of the targets, as `texts_result`.

        Raises:
            UserError: none of them occurs near a group word.
        """
        numbers, size = self._counts.only(targets.all), self.corpus.size
        if not numbers.names:
            raise UserError(f"{self.name}: no target word occurs near a group word")
        others = [(o.name, self._counts.only(list(o.words))) for o in self._others]
        result = numbers.result(self.groups, instrument, self.seed, others)
        notes = _lost(self.corpus.report["read"])
        if size < FEWEST_DOCUMENTS:
            unreliable = f"intervals over fewer than {FEWEST_DOCUMENTS} are unreliable"
            notes.insert(0, f"only {size} documents: {unreliable}")
        every, base = self._counts.only([EVERY]), {}  # contexts of the groups, without any target
        rate = []
        if every.names:
            base = dict(zip(self.groups, every.shares.share[0].tolist(), strict=True))
            shares = ", ".join(f"{name} {share:.3f}" for name, share in base.items())
            what = "base rate, the share of each group in all contexts with words of one group only"
            rate.append(f"{what}: {shares}")
        hints = meant(numbers.missing, self.corpus.words, targets)
        result = replace(result, notes=(*notes, *result.notes, *rate), meant=hints)
        read = {"documents": size, "tokens": len(self.corpus.tokens)}
        return result, read | {"sentences of a context": self.window, "base rate": base}


def _lost(read: dict) -> list[str]:
    """Return notes on what could not be read, from the counts of the reader."""
    lost = [f"{n:,} {note}" for note, n in read.get("notes", {}).items() if note.endswith(SKIPPED)]
    lost += [f"{read[key]:,} {what}" for key, what in DOUBTFUL.items() if read.get(key)]
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
    corpus: Corpus, groups: WordLists, targets: Sequence[str], window: int, language: str
) -> tuple[Array, Array, Array]:
    """Count contexts with each group (r, k); return also the target and document of each row.

    The last target is `EVERY`, the words of all groups.
    """
    k, size, tables = len(groups.words), corpus.size, []
    words, lists = {target: [target] for target in targets}, groups.words
    if language:  # English words are lower-cased where they are matched
        words = {name: [lower(name, language)] for name in words}
        lists = {name: [lower(word, language) for word in group] for name, group in lists.items()}
    words[EVERY] = list(dict.fromkeys(word for group in lists.values() for word in group))
    for block in match_blocks(corpus, words, lists):
        contexts = contexts_of(block, window)
        labels = exclusive(contexts.masks, k)
        kept = labels >= 0
        keys = contexts.targets[kept] * size + contexts.documents[kept]
        pairs, pair = np.unique(keys, return_inverse=True)
        table = np.bincount(pair * k + labels[kept], minlength=len(pairs) * k).reshape(-1, k)
        tables.append((table, *np.divmod(pairs, size)))
    return tuple(map(np.concatenate, zip(*tables, strict=True)))


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


def _bias(shares: Array, instrument: Measure) -> Array:
    """Return the bias of distributions over k groups, from (..., k) to (...)."""
    k = shares.shape[-1]
    if instrument.name == "directed":
        return shares[..., 0] - 1 / k
    flat = instrument.divdist.divergence(shares.reshape(-1, k), np.full(k, 1 / k))
    return flat.reshape(shares.shape[:-1])


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
        self._rows, self.level, self.k = (counts, at, documents), level, counts.shape[1]
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
        counts, at, documents = self._rows
        kept_rows = number[at] >= 0
        part = copy(self)
        part.names = [self.names[i] for i in kept]
        part.missing = [name for name in names if name not in place]
        part._rows = counts[kept_rows], number[at[kept_rows]], documents[kept_rows]
        part.shares = ClusteredShares(*(column[kept] for column in vars(self.shares).values()))
        part.errors = self.errors[:, kept]
        return part

    def _influence(self, group: int) -> Array:
        counts, at, documents = self._rows
        order = [group, *(g for g in range(self.k) if g != group)]
        return influence_of_counts(counts[:, order], at, documents, len(self.names))

    def result(
        self,
        groups: list[str],
        instrument: Measure,
        seed: int,
        others: Sequence[tuple[str, _Counts]] = (),
    ) -> Result:
        """The rows and their mean.

        Args:
            groups: The names of the groups.
            instrument: The measure.
            seed: Random seed.
            others: What they are and counts, of the words beside the targets.
        """
        values, samples = _bias(self.shares.share, instrument), self._samples(instrument)
        often = np.flatnonzero(self.shares.n >= FEWEST_CONTEXTS)
        notes = []
        if not len(often):
            notes.append(f"no target has {FEWEST_CONTEXTS} contexts, so no mean is given")
        kinds, none = [], np.empty((len(samples), 0))
        for name, other in others:
            enough = other.shares.n >= FEWEST_CONTEXTS
            numbers = _bias(other.shares.share[enough], instrument)
            if len(often) and len(numbers) >= AS_GIVEN:
                drawn = other._samples(instrument)[:, enough]
                apart = self._apart(values, samples, often, numbers, drawn)
                kinds.append((name, numbers, apart))
            elif name == others[0][0] and len(often):
                notes.append(f"only {len(numbers)} {name}: too few to compare the targets with")
        alone = UNKNOWN
        if len(often) == 1:
            value, draws = values[often[0]], samples[:, often[0]]
            bounds = (instrument.low, instrument.high)
            alone = Difference(**vars(uncertain(value, draws, self.level, bounds)))
        elif len(often):
            alone = self._apart(values, samples, often, none[0], none)
        rare = 1 - self.level if len(often) > 1 else 1.0  # of one target only documents vary
        overall = numbers_beside(values[often], alone, kinds, instrument, seed, rare)
        places = percentiles(values, kinds[0][1]) if kinds else None
        counted = f"{len(often)} target" + "s" * (len(often) != 1)
        reliable = of_halves(
            *self._halves(instrument)[..., often],
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
            rows=tuple(self._targets(values, samples, groups, instrument, places)),
            notes=tuple(notes),
            draws=samples,
        )

    def _targets(
        self,
        values: Array,
        samples: Array,
        groups: list[str],
        instrument: Measure,
        places: Array | None,
    ) -> Iterator[Row]:
        """Yield the row of each target; without an interval if it occurs in one document."""
        low, high = self._intervals(instrument, samples)
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
                groups[int(self.shares.share[i].argmax())],
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
            return Difference(**vars(uncertain(value, means, self.level)))
        both = own.var(axis=0).sum() / len(often) ** 2
        both += drawn.var(axis=0).sum() / len(others) ** 2 if len(others) else 0.0
        more = max(float(means.var() - SURPLUS * both), 0.0)
        return mean_difference(values[often], others, [], self.level, more)

    def _samples(self, instrument: Measure) -> Array:
        """Return resampled biases (draws, t); for shares, with the ends of Wilson's intervals."""
        if instrument.name == "directed":
            share, effective = self.shares.share[:, 0], self.shares.effective[:, 0]
            freedom, errors = np.maximum(self.shares.clusters - 1, 1), self.errors[:, :, 0]
            return joint_share_draws(share, effective, freedom, errors, self.names) - 1 / self.k
        drawn = np.clip(self.shares.share + self.errors, 0, None)
        return _bias(drawn / drawn.sum(axis=-1, keepdims=True), instrument)

    def _intervals(self, instrument: Measure, samples: Array) -> tuple[Array, Array]:
        """Return Wilson's intervals over documents for shares, percentiles for divergences."""
        if instrument.name == "directed":
            return self.shares.low[:, 0] - 1 / self.k, self.shares.high[:, 0] - 1 / self.k
        return percentile(samples, self.level)

    def _halves(self, instrument: Measure) -> Array:
        """Return biases (2, HALVES, t) in halves of the documents; 0 without a context."""
        totals = sums_by_halves(*self._rows, len(self.names))
        sides, some = np.zeros(totals.shape[:-1]), totals.sum(axis=-1) > 0
        sides[some] = _bias(totals[some] / totals[some].sum(axis=-1, keepdims=True), instrument)
        return sides
