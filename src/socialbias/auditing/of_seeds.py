"""What an audit asks of vectors and of seed words before a bias that is measured with them.

Whether the vectors know anything, by judgements of relatedness and by analogies, as the workflow
asks of the vectors that it trains (`embeddings.intrinsic`); and whether the packaged sets of seed
words are opposites in them (Antoniak and Mimno 2021, sections 6 and 8).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from socialbias.api.estimate import Row
from socialbias.api.question import Resampling
from socialbias.api.result import Result
from socialbias.auditing.benchmarks import Benchmarks
from socialbias.auditing.entries import Absent, Control, Entry, failed, placebo, twin
from socialbias.auditing.rulers import ruler
from socialbias.embeddings.intrinsic import (
    FLOOR,
    MIN_KNOWN,
    RELATEDNESS,
    cosines_of,
    known_pairs,
    nearest_words,
    read_analogies,
    read_similarity,
    too_weak,
)
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.measures.coherence import coherences, weat_direction
from socialbias.measures.pca_bias import explained_variances, shuffles
from socialbias.measures.similarity import Array, unit_rows
from socialbias.stats.jackknife import Jackknifed, jackknifed
from socialbias.stats.reliability import detectable
from socialbias.stats.seeding import generator
from socialbias.words.lists import WordLists, lists

if TYPE_CHECKING:
    pass

SETS = ("gender", "gender-bolukbasi", "gender-kinship", "class")  # packaged, of two groups
PLACEBOS = 200  # each ranks the whole vocabulary
QUESTIONS = 2000  # of each file of analogies
FEWEST = 3  # seed words of each set
RELATED = "relatedness, "
JUDGED = dict(zip(RELATEDNESS, ("MEN", "WordSim-353"), strict=True))
SEEDS = "Antoniak and Mimno 2021"
LISTS = "the word lists' own"  # citation of what has no other
Found = Iterator[Entry | Absent]
Judgement = tuple[str, str, float]  # two words, and how related people find them


def words_of(benchmarks: Benchmarks) -> list[str]:
    """All words that are looked up, besides a vocabulary; none of what cannot be had."""
    words = [word for name in SETS for word in lists()[name].all]
    try:
        judged = _judged(benchmarks)
    except (UserError, ModuleNotFoundError):
        return words
    return words + [word for pairs in judged.values() for pair in pairs for word in pair[:2]]


def weakness(found: Sequence[Entry | Absent]) -> str:
    """Why the vectors know too little for a verdict; "" where they know enough, or none can tell.

    Args:
        found: Of `relatedness`.
    """
    scores = {
        each.instrument.removeprefix(RELATED): each.result.value
        for each in found
        if isinstance(each, Entry)
    }
    return too_weak(scores)


def relatedness(
    vectors: WordVectors,
    benchmarks: Benchmarks,
    resampling: Resampling,
    random: WordVectors | None = None,
) -> Found:
    """How cosines order pairs of words, against people's judgements.

    Args:
        vectors: Of the words of `words_of`.
        benchmarks: Where the judgements are.
        resampling: How uncertainty is computed.
        random: The twin's, if it is a model.
    """
    try:
        judged = _judged(benchmarks)
    except Exception as error:
        yield failed("relatedness", error)
        return
    for name, pairs in judged.items():
        try:
            yield _related(name, pairs, vectors, resampling, random)
        except Exception as error:  # one instrument that fails takes no other down
            yield failed(f"{RELATED}{name}", error)


def entries(
    vectors: WordVectors,
    benchmarks: Benchmarks,
    resampling: Resampling,
    counts: Mapping[str, int] | None = None,
) -> Found:
    """Analogies, and the packaged seed sets.

    Args:
        vectors: A vocabulary, the most frequent words first.
        benchmarks: Where the analogies are.
        resampling: How uncertainty is computed.
        counts: How often words occur, of a corpus.
    """
    try:
        yield from _analogies(vectors, benchmarks, resampling)
    except Exception as error:
        yield failed("analogies", error)
    unit = unit_rows(np.asarray(vectors.matrix))
    for name in SETS:
        try:
            yield from _seeds(lists()[name], vectors, unit, resampling, counts or {})
        except Exception as error:
            yield failed(f"seeds, {name}", error)


def _judged(benchmarks: Benchmarks) -> dict[str, list[Judgement]]:
    folder, manifest = benchmarks("similarity")
    paths = [folder / entry["path"] for entry in manifest["files"]]
    chosen = sorted(path for path in paths if path.stem in JUDGED)
    return {JUDGED[path.stem]: read_similarity(path) for path in chosen}


def _related(
    name: str,
    pairs: Sequence[Judgement],
    vectors: WordVectors,
    resampling: Resampling,
    random: WordVectors | None,
) -> Entry:
    known = known_pairs(vectors, pairs)
    if len(known) < MIN_KNOWN:
        raise UserError(f"{len(known)} of {len(pairs)} pairs have vectors, fewer than {MIN_KNOWN}")
    result, null = _related_result(known, len(pairs), vectors, resampling)
    controls = [*placebo("shuffled labels: pairs exchange their judgements", null, "orders")]
    if random is not None:
        controls.append(twin(_related_result(known, len(pairs), random, resampling)[0]))
    paper = "the workflow's own gate, on no paper's list"
    return Entry(f"{RELATED}{name}", paper, result, tuple(controls))


def _related_result(
    pairs: Sequence[Judgement], of: int, vectors: WordVectors, resampling: Resampling
) -> tuple[Result, Array]:
    """Cosines of pairs against judgements, and the same with judgements shuffled."""
    from socialbias.stats.correlation import paired_spearman

    level, cosines = resampling.level, cosines_of(vectors, pairs)
    names = [f"{a} {b}" for a, b, _ in pairs]
    judged = [judgement for *_, judgement in pairs]
    found = paired_spearman(cosines, judged, names, level, resampling.seed)
    result = Result(
        level=level,
        citation=LISTS,
        title=f"cosines of {found.n} pairs of words against judgements of relatedness",
        measure="relatedness",
        statistic="Spearman's rho",
        value=found.value,
        low=found.low,
        high=found.high,
        null=0.0,
        unit="rank correlation",
        direction=f"below {FLOOR} on both sets: read what is measured in the vectors with caution",
        n=found.n,
        n_of=of,
        n_unit="pairs",
        resampled="pairs",
        detectable=detectable(found.draws),
        p_value=found.p_value,
        test="Spearman's, two-sided",
    )
    return result, found.null


def _analogies(vectors: WordVectors, benchmarks: Benchmarks, resampling: Resampling) -> Found:
    from socialbias.stats.clustered import dyadic_share

    folder, manifest = benchmarks("analogies")
    for path in sorted(folder / entry["path"] for entry in manifest["files"]):
        name, questions = f"analogies, {path.stem}", read_analogies(path)
        known = [each for each in questions if {*each} <= vectors.index.keys()]
        if len(known) < MIN_KNOWN:
            reason = f"{len(known)} of {len(questions)} questions have vectors for all four words"
            yield Absent(name, f"{reason}, fewer than {MIN_KNOWN}")
            continue
        rng = generator(resampling.seed, "audit", "analogies", path.stem)
        places = np.array([[vectors.index[word] for word in each] for each in known])
        places = places[np.sort(rng.permutation(len(places))[:QUESTIONS])]
        answers = np.concatenate(list(nearest_words(vectors.matrix, places[:, :3])))
        right = answers == places[:, 3]
        # Questions with a pair in common stand or fall together, on whichever side it is.
        both = np.sort(places.reshape(-1, 2), axis=1)
        pair = np.unique(both, axis=0, return_inverse=True)[1].reshape(-1, 2)
        share, low, high = dyadic_share(right, *pair.T, resampling.level)
        dealt = [(answers == rng.permutation(places[:, 3])).mean() for _ in range(PLACEBOS)]
        result = Result(
            level=resampling.level,
            title=f"a is to b as c is to d, among {len(vectors.words):,} words",
            measure="analogies",
            statistic="share of questions answered",
            value=share,
            low=low,
            high=high,
            null=1 / len(vectors.words),
            unit="share",
            direction="1: the nearest word to b - a + c is always d",
            n=len(places),
            n_of=len(questions),
            n_unit="questions",
            resampled=f"the {pair.max() + 1} pairs of words",
            citation="Mikolov, Chen, Corrado and Dean 2013",
        )
        controls = placebo("shuffled labels: questions exchange their answers", dealt, "orders")
        yield Entry(name, "Mikolov et al. 2013; the workflow's checks", result, controls)


def _seeds(
    sets: WordLists,
    vectors: WordVectors,
    unit: Array,
    resampling: Resampling,
    counts: Mapping[str, int],
) -> Found:
    """Coherence of two sets and, of pairs, the variance that one component explains."""
    (first, second), names = sets.words.values(), list(sets.words)
    known = [vectors.known(words) for words in (first, second)]
    if min(map(len, known)) < FEWEST:
        few = " and ".join(f"{len(w)} words of {n}" for n, w in zip(names, known, strict=True))
        yield Absent(f"seeds, {sets.name}", f"{few} have vectors, fewer than {FEWEST}")
        return
    rows, notes = audited(sets, vectors, counts, resampling.level)
    entry = _coherence(sets, known, vectors, unit, resampling)
    yield replace(entry, result=replace(entry.result, rows=rows, notes=notes))
    if sets.pairs:
        both = [list(words) for words in vectors.known_pairs(first, second)]
        if len(both[0]) >= FEWEST:
            yield _explained(sets, both, vectors, resampling)


def audited(
    sets: WordLists, vectors: WordVectors, counts: Mapping[str, int], level: float
) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """What `audit_seeds` says of packaged sets: a row for each word, and a line for each set."""
    from socialbias.papers.bad_seeds.inputs import Corpus
    from socialbias.papers.bad_seeds.seed_audit import audit_sets, audit_words

    corpus = Corpus((vectors,), counts)
    words = {name: list(group) for name, group in sets.words.items()}
    rows = []
    for word in audit_words(words, corpus).to_dict("records"):
        apart = word["to_own_set"] - word["to_opposite"]
        note, many = word["warnings"], word["count"]
        if not counts:  # of vectors nothing is known to be rare
            note = "; ".join(each for each in note.split("; ") if not each.startswith("rare"))
        rows.append(
            Row(
                word["word"], apart, math.nan, math.nan, word["set"],
                n=0 if math.isnan(many) else int(many), note=note,
            )
        )  # fmt: skip
    table = audit_sets(words, corpus, {}, level).to_dict("records")
    return tuple(rows), tuple(
        f"{each['set']}: {each['warnings']}" for each in table if each["warnings"]
    )


def _coherence(
    sets: WordLists,
    known: Sequence[list[str]],
    vectors: WordVectors,
    unit: Array,
    resampling: Resampling,
) -> Entry:
    from socialbias.papers.bad_seeds.seed_audit import random_coherences

    places = [np.array([vectors.index[word] for word in words]) for words in known]

    def of(pairs: Sequence[Sequence[Array]]) -> Array:
        spaces = [[vectors.matrix[each].astype(float) for each in pair] for pair in pairs]
        return coherences(unit, [weat_direction(*pair) for pair in spaces], pairs)

    first, second = places
    fewer = [(np.delete(first, i), second) for i in range(len(first))]
    fewer += [(first, np.delete(second, i)) for i in range(len(second))]
    value, *without = of([places, *fewer])
    found = jackknifed(value, np.split(without, [len(first)]), resampling.level)
    rng = generator(resampling.seed, "seed audit", *sets.words)  # as `audit_seeds` draws them
    random = random_coherences([vectors], [*sets.words.values()], rng)
    name = "placebo lists: words of about the same rank"
    controls = placebo(name, random, f"{len(random)} random lists")
    result = _seed_result(
        float(value),
        found,
        controls,
        resampling,
        title=f"coherence of {' and '.join(sets.words)} ({sets.name}) "
        f"in {len(vectors.words):,} words",
        measure="coherence",
        statistic="difference of the mean ranks of the two sets along their own axis",
        unit="share of the vocabulary",
        direction="1: the sets are the two ends of the vocabulary, 0: they lie together",
        n=sum(map(len, known)),
        n_of=sum(map(len, sets.words.values())),
        n_unit="seed words",
        missing={
            name: lost
            for name, group in sets.words.items()
            if (lost := [word for word in group if word not in vectors.index])
        },
        resampled="seed words of each set, one left out at a time",
        citation=f"{SEEDS}, section 6",
    )
    marks = ruler(
        "bad_seeds_table4", lambda row, column: f"{row}, WikiText" if "_" in row else None
    )
    return Entry(f"seed coherence, {sets.name}", f"{SEEDS}, Table 4", result, controls, marks)


def _explained(
    sets: WordLists, pairs: Sequence[list[str]], vectors: WordVectors, resampling: Resampling
) -> Entry:
    first, second = (vectors.rows(words) for words in pairs)
    m = len(first)

    def of(kept: Array) -> float:
        return float(
            explained_variances(first[kept], second[kept], np.arange(len(kept))[None])[0, 0]
        )

    value, every = of(np.arange(m)), np.arange(m)
    found = jackknifed(value, [[of(np.delete(every, i)) for i in every]], resampling.level)
    found = replace(found, low=max(found.low, 1 / m))  # less cannot be
    rng = generator(resampling.seed, "audit", "explained", sets.name)
    dealt = explained_variances(first, second, shuffles(m, m, PLACEBOS, rng))[:, 0]
    controls = placebo("shuffled labels: partners exchanged at random", dealt, "orders")
    result = _seed_result(
        value,
        found,
        controls,
        resampling,
        title=f"variance of {m} pairs of {sets.name} that one component explains",
        measure="explained-variance",
        statistic="share of the first component",
        unit="share",
        direction=f"1: all pairs differ in one direction; at least {1 / m:.3f} for {m} pairs",
        n=m,
        n_of=len(next(iter(sets.words.values()))),
        n_unit="pairs",
        resampled="pairs, one left out at a time",
        citation="Bolukbasi et al. 2016",
    )
    paper, why = f"{SEEDS}, Figure 3", "the paper draws it, and prints no number"
    name = f"seed pairs, explained variance, {sets.name}"
    return Entry(name, paper, result, controls, no_ruler=why)


def _seed_result(
    value: float,
    found: Jackknifed,
    controls: Sequence[Control],
    resampling: Resampling,
    **known,
) -> Result:
    """A result that is judged beside random ones: what they reach is what must be exceeded."""
    bar = max((control.high for control in controls), default=math.nan)
    ends = {"low": found.low, "high": found.high, "detectable": found.detectable(bar)}
    return Result(value=value, null=math.nan, level=resampling.level, **ends, **known)
