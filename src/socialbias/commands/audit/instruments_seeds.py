"""The instruments that test vectors and seed words before a bias is measured with them.

Relatedness and analogies test whether the vectors know anything, as in the workflow
(`embeddings.intrinsic`). Coherence and explained variance test whether the packaged sets of seed
words are opposites (Antoniak and Mimno 2021, sections 6 and 8).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from socialbias.commands.audit.benchmarks import Benchmarks, ruler
from socialbias.commands.audit.results import (
    CORRELATION,
    Absent,
    Entry,
    Outcomes,
    Step,
    attempted,
    ends,
    failed,
    placebo,
    twin,
)
from socialbias.commands.result import Result
from socialbias.commands.settings import Resampling
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
from socialbias.embeddings.words.lists import WordLists, lists
from socialbias.errors import UserError
from socialbias.measurement.estimates import Row
from socialbias.measures.coherence import coherences, weat_direction
from socialbias.measures.pca_bias import explained_variances, shuffles
from socialbias.stats.jackknife import jackknifed
from socialbias.stats.reliability import detectable
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array, unit_rows

SETS = ("gender", "gender-bolukbasi", "gender-kinship", "class")  # packaged, of two groups
ORDERS = 200  # random orders of a control
QUESTIONS = 2000  # at most, of each file of analogies
MIN_SEEDS = 3  # seed words of each set
RELATED = "relatedness, "
JUDGED = dict(zip(RELATEDNESS, ("MEN", "WordSim-353"), strict=True))
SEEDS = "Antoniak and Mimno 2021"
Judgement = tuple[str, str, float]  # two words, and how related people find them


def words_of(benchmarks: Benchmarks) -> list[str]:
    """Return all words to look up besides a vocabulary, without those of missing benchmarks."""
    words = [word for name in SETS for word in lists()[name].all]
    try:
        judged = _judged(benchmarks)
    except (UserError, ModuleNotFoundError):
        return words
    return words + [word for pairs in judged.values() for pair in pairs for word in pair[:2]]


def weakness(outcomes: Sequence[Entry | Absent]) -> str:
    """Return why the vectors know too little for a verdict; "" if they know enough, or untested."""
    entries = [outcome for outcome in outcomes if isinstance(outcome, Entry)]
    return too_weak({e.instrument.removeprefix(RELATED): e.result.value for e in entries})


def with_caution(
    vectors: WordVectors,
    benchmarks: Benchmarks,
    resampling: Resampling,
    steps: Iterable[Step],
    random: WordVectors | None = None,
) -> Outcomes:
    """Yield the relatedness, and what steps give, with a caution if the vectors know too little."""
    related = list(relatedness(vectors, benchmarks, resampling, random))
    yield from related
    weak = weakness(related)
    for step in steps:
        yield from step.outcomes(weak)


def relatedness(
    vectors: WordVectors,
    benchmarks: Benchmarks,
    resampling: Resampling,
    random: WordVectors | None = None,
) -> Outcomes:
    """Yield how well cosines of word pairs agree with people's judgements."""
    try:
        judged = _judged(benchmarks)
    except Exception as error:
        yield failed("relatedness", error)
        return
    for name, pairs in judged.items():
        yield from attempted(RELATED + name, _related, name, pairs, vectors, resampling, random)


def steps(
    vectors: WordVectors,
    benchmarks: Benchmarks,
    resampling: Resampling,
    counts: Mapping[str, int] | None = None,
) -> Iterator[Step]:
    """Yield the steps for analogies and for the packaged seed sets."""
    yield Step("analogies", partial(_analogies, vectors, benchmarks, resampling))
    unit = unit_rows(np.asarray(vectors.matrix))
    for name in SETS:
        known = (lists()[name], vectors, unit, resampling, counts or {})
        yield Step(f"seeds, {name}", partial(_seeds, *known))


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
) -> Outcomes:
    known = known_pairs(vectors, pairs)
    if len(known) < MIN_KNOWN:
        raise UserError(
            f"only {len(known)} of {len(pairs)} pairs have vectors; {MIN_KNOWN} are needed"
        )
    result, null = _related_result(known, len(pairs), vectors, resampling)
    controls = [
        *placebo("shuffled labels: judgements exchanged between pairs", null, "random orders")
    ]
    if random is not None:
        controls.append(twin(_related_result(known, len(pairs), random, resampling)[0]))
    paper = "a check of this project, not of a paper"
    yield Entry(f"{RELATED}{name}", paper, result, tuple(controls))


def _related_result(
    pairs: Sequence[Judgement], of: int, vectors: WordVectors, resampling: Resampling
) -> tuple[Result, Array]:
    """Correlate cosines of pairs with judgements, and with shuffled judgements."""
    from socialbias.stats.correlation import paired_spearman

    level, cosines = resampling.level, cosines_of(vectors, pairs)
    names = [f"{a} {b}" for a, b, _ in pairs]
    judged = [judgement for *_, judgement in pairs]
    correlation = paired_spearman(cosines, judged, names, level, resampling.seed)
    result = Result(
        level=level,
        citation="the authors of the word lists",
        title=f"cosines of {correlation.n} pairs of words compared with judgements of relatedness",
        measure="relatedness",
        **ends(correlation),
        direction=f"if both sets are below {FLOOR}, read all other values with caution",
        n=correlation.n,
        n_of=of,
        n_unit="pairs",
        resampled="pairs",
        detectable=detectable(correlation.draws),
        p_value=correlation.p_value,
        **CORRELATION,
    )
    return result, correlation.null


def _analogies(vectors: WordVectors, benchmarks: Benchmarks, resampling: Resampling) -> Outcomes:
    from socialbias.stats.clustered import dyadic_share

    folder, manifest = benchmarks("analogies")
    for path in sorted(folder / entry["path"] for entry in manifest["files"]):
        name, questions = f"analogies, {path.stem}", read_analogies(path)
        known = [words for words in questions if {*words} <= vectors.index.keys()]
        if len(known) < MIN_KNOWN:
            reason = (
                f"only {len(known)} of {len(questions)} questions have vectors for all four words"
            )
            yield Absent(name, f"{reason}; {MIN_KNOWN} are needed")
            continue
        rng = generator(resampling.seed, "audit", "analogies", path.stem)
        places = np.array([[vectors.index[word] for word in words] for words in known])
        places = places[np.sort(rng.permutation(len(places))[:QUESTIONS])]
        answers = np.concatenate(list(nearest_words(vectors.matrix, places[:, :3])))
        right = answers == places[:, 3]
        # Questions that share a pair of words, on either side, are not independent.
        both = np.sort(places.reshape(-1, 2), axis=1)
        pair = np.unique(both, axis=0, return_inverse=True)[1].reshape(-1, 2)
        share, low, high = dyadic_share(right, *pair.T, resampling.level)
        dealt = [(answers == rng.permutation(places[:, 3])).mean() for _ in range(ORDERS)]
        result = Result(
            level=resampling.level,
            title=f"a is to b as c is to d, among {len(vectors.words):,} words",
            measure="analogies",
            statistic="share of questions answered correctly",
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
        controls = placebo(
            "shuffled labels: answers exchanged between questions", dealt, "random orders"
        )
        yield Entry(name, "Mikolov et al. 2013; the workflow's checks", result, controls)


def _seeds(
    sets: WordLists,
    vectors: WordVectors,
    unit: Array,
    resampling: Resampling,
    counts: Mapping[str, int],
) -> Outcomes:
    """Yield the coherence of two sets and, for pairs, the variance explained by one component."""
    (first, second), names = sets.words.values(), list(sets.words)
    known = [vectors.known(words) for words in (first, second)]
    if min(map(len, known)) < MIN_SEEDS:
        few = ", ".join(f"{n} {len(w)}" for n, w in zip(names, known, strict=True))
        yield Absent(
            f"seeds, {sets.name}",
            f"too few words have vectors ({few}); {MIN_SEEDS} of each are needed",
        )
        return
    rows, notes = audited(sets, vectors, counts, resampling.level)
    entry = _coherence(sets, known, vectors, unit, resampling)
    yield replace(entry, result=replace(entry.result, rows=rows, notes=notes))
    if sets.pairs:
        both = [list(words) for words in vectors.known_pairs(first, second)]
        if len(both[0]) >= MIN_SEEDS:
            yield _explained(sets, both, vectors, resampling)


def audited(
    sets: WordLists, vectors: WordVectors, counts: Mapping[str, int], level: float
) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """Return what `audit_seeds` gives for packaged sets: a row per word, and a note per set."""
    from socialbias.papers.bad_seeds.inputs import Corpus
    from socialbias.papers.bad_seeds.seed_audit import audit_sets, audit_words

    corpus = Corpus((vectors,), counts)
    words = {name: list(group) for name, group in sets.words.items()}
    rows = []
    for word in audit_words(words, corpus).to_dict("records"):
        apart = word["to_own_set"] - word["to_opposite"]
        note, many = word["warnings"], word["count"]
        if not counts:  # without counts, every word would be called rare
            note = "; ".join(part for part in note.split("; ") if not part.startswith("rare"))
        rows.append(
            Row(
                word["word"], apart, math.nan, math.nan, word["set"],
                n=0 if math.isnan(many) else int(many), note=note,
            )
        )  # fmt: skip
    table = audit_sets(words, corpus, {}, level).to_dict("records")
    return tuple(rows), tuple(
        f"{row['set']}: {row['warnings']}" for row in table if row["warnings"]
    )


def _coherence(
    sets: WordLists,
    known: Sequence[list[str]],
    vectors: WordVectors,
    unit: Array,
    resampling: Resampling,
) -> Entry:
    from socialbias.papers.bad_seeds.seed_audit import directions

    places = [np.array([vectors.index[word] for word in words]) for words in known]
    axis = weat_direction(*(vectors.matrix[at].astype(float) for at in places))
    [value] = coherences(unit, [axis], [places])
    rng = generator(resampling.seed, "seed audit", *sets.words)  # as `audit_seeds` draws them
    [direction] = directions([vectors], [*sets.words.values()], rng)
    result = Result(
        value=float(value),
        low=math.nan,
        high=math.nan,
        null=math.nan,
        level=resampling.level,
        title=f"coherence of {' and '.join(sets.words)} ({sets.name}) "
        f"in {len(vectors.words):,} words",
        measure="coherence",
        statistic="difference of the mean ranks of the two sets along their own axis",
        unit="share of the vocabulary",
        direction="1: the sets are at opposite ends of the vocabulary; 0: they are not separated",
        n=sum(map(len, known)),
        n_of=sum(map(len, sets.words.values())),
        n_unit="seed words",
        missing={
            name: lost
            for name, group in sets.words.items()
            if (lost := [word for word in group if word not in vectors.index])
        },
        resampled="nothing",
        p_value=direction.p_value,
        test=direction.sentence,
        citation=f"{SEEDS}, section 6",
    )
    marks = ruler("bad_seeds_table4", "(.*_.*), .*", ", WikiText")
    of_table = f"{SEEDS}, Table 4"
    why = "the test has random words for controls"
    return Entry(f"seed coherence, {sets.name}", of_table, result, (), marks, no_control=why)


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
    jackknife = jackknifed(value, [[of(np.delete(every, i)) for i in every]], resampling.level)
    jackknife = replace(jackknife, low=max(jackknife.low, 1 / m))  # the smallest possible share
    rng = generator(resampling.seed, "audit", "explained", sets.name)
    dealt = explained_variances(first, second, shuffles(m, m, ORDERS, rng))[:, 0]
    controls = placebo("shuffled labels: partners exchanged at random", dealt, "random orders")
    reached = max((control.high for control in controls), default=math.nan)
    result = Result(
        value=value,
        low=jackknife.low,
        high=jackknife.high,
        detectable=jackknife.detectable(reached),
        null=math.nan,
        level=resampling.level,
        title=f"share of variance of {m} pairs of {sets.name} explained by one component",
        measure="explained-variance",
        statistic="share of the first component",
        unit="share",
        direction=f"1: all pairs differ in one direction; {1 / m:.3f}: the minimum for {m} pairs",
        n=m,
        n_of=len(next(iter(sets.words.values()))),
        n_unit="pairs",
        resampled="pairs, one left out at a time",
        citation="Bolukbasi et al. 2016",
    )
    paper, why = f"{SEEDS}, Figure 3", "the paper only plots it"
    name = f"seed pairs, explained variance, {sets.name}"
    return Entry(name, paper, result, controls, no_ruler=why)
