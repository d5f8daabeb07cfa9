"""What an audit asks of vectors and of seed words before a bias that is measured with them.

Whether the vectors know anything, by judgements of relatedness and by analogies, as the workflow
asks of the vectors that it trains (`embeddings.intrinsic`); and whether the packaged sets of seed
words are opposites in them (Antoniak and Mimno 2021, sections 6 and 8).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from socialbias.api.estimate import Row
from socialbias.api.lists import WordLists, lists
from socialbias.api.measuring import LEVEL
from socialbias.api.result import Result
from socialbias.auditing.benchmarks import Benchmarks
from socialbias.auditing.entries import TWIN, Absent, Entry, failed, placebo, twin
from socialbias.auditing.rulers import ruler
from socialbias.embeddings.intrinsic import (
    FLOOR,
    MIN_KNOWN,
    RELATEDNESS,
    nearest_words,
    read_analogies,
    read_similarity,
)
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.measures.coherence import coherences, weat_direction
from socialbias.measures.pca_bias import explained_variances, shuffles
from socialbias.measures.similarity import Array, unit_rows
from socialbias.seeding import generator
from socialbias.stats.draws import widened
from socialbias.stats.matching import matched_lists
from socialbias.stats.reliability import detectable

SETS = ("gender", "gender-bolukbasi", "gender-kinship", "class")  # packaged, of two groups
DRAWS, PLACEBOS = 200, 100  # each ranks the whole vocabulary
QUESTIONS = 2000  # of each file of analogies
FEWEST = 3  # seed words of each set
RELATED = "relatedness, "
JUDGED = dict(zip(RELATEDNESS, ("MEN", "WordSim-353"), strict=True))
SEEDS = "Antoniak and Mimno 2021"
Found = Iterator[Entry | Absent]


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

    As `embeddings.intrinsic.weakness`: the better of the judgements is below the floor.

    Args:
        found: Of `relatedness`.
    """
    entries_ = [each for each in found if isinstance(each, Entry)]
    scores = {e.instrument.removeprefix(RELATED): e.result.value for e in entries_}
    if not scores or max(scores.values()) >= FLOOR:
        return ""
    said = " and ".join(f"{score:.2f} on {name}" for name, score in scores.items())
    return f"the vectors know too little: {said}, below {FLOOR}"


def relatedness(
    vectors: WordVectors, benchmarks: Benchmarks, seed: int, random: WordVectors | None = None
) -> Found:
    """How cosines order pairs of words, against people's judgements.

    Args:
        vectors: Of the words of `words_of`.
        benchmarks: Where the judgements are.
        seed: Of resamples.
        random: The twin's, if it is a model.
    """
    try:
        judged = _judged(benchmarks)
    except Exception as error:
        yield failed("relatedness", error)
        return
    for name, pairs in judged.items():
        try:
            yield _related(name, pairs, vectors, seed, random)
        except Exception as error:  # one instrument that fails takes no other down
            yield failed(f"{RELATED}{name}", error)


def entries(
    vectors: WordVectors,
    benchmarks: Benchmarks,
    seed: int,
    counts: Mapping[str, int] | None = None,
) -> Found:
    """Analogies, and the packaged seed sets.

    Args:
        vectors: A vocabulary, the most frequent words first.
        benchmarks: Where the analogies are.
        seed: Of resamples and placebos.
        counts: How often words occur, of a corpus.
    """
    try:
        yield from _analogies(vectors, benchmarks, seed)
    except Exception as error:
        yield failed("analogies", error)
    unit = unit_rows(np.asarray(vectors.matrix))
    for name in SETS:
        try:
            yield from _seeds(lists()[name], vectors, unit, seed, counts or {})
        except Exception as error:
            yield failed(f"seeds, {name}", error)


def _judged(benchmarks: Benchmarks) -> dict[str, list[tuple[str, str, float]]]:
    folder, manifest = benchmarks("similarity")
    paths = [folder / entry["path"] for entry in manifest["files"]]
    chosen = sorted(path for path in paths if path.stem in JUDGED)
    return {JUDGED[path.stem]: read_similarity(path) for path in chosen}


def _related(
    name: str,
    pairs: Sequence[tuple[str, str, float]],
    vectors: WordVectors,
    seed: int,
    random: WordVectors | None,
) -> Entry:
    from socialbias.stats.correlation import paired_spearman

    known = [pair for pair in pairs if {*pair[:2]} <= vectors.index.keys()]
    if len(known) < MIN_KNOWN:
        raise UserError(f"{len(known)} of {len(pairs)} pairs have vectors, fewer than {MIN_KNOWN}")
    first, second, judged = zip(*known, strict=True)

    def of(space: WordVectors) -> tuple[Result, Array]:
        cosines = (unit_rows(space.rows(first)) * unit_rows(space.rows(second))).sum(axis=1)
        names = [f"{a} {b}" for a, b in zip(first, second, strict=True)]
        found = paired_spearman(cosines, judged, names, LEVEL, seed)
        result = _result(
            title=f"cosines of {len(known)} pairs of words against judgements of relatedness",
            measure="relatedness",
            statistic="Spearman's rho",
            value=found.value,
            low=found.low,
            high=found.high,
            null=0.0,
            unit="rank correlation",
            direction=f"below {FLOOR} on both sets the vectors are too weak for a verdict",
            n=len(known),
            n_of=len(pairs),
            n_unit="pairs",
            resampled="pairs",
            detectable=detectable(found.draws),
            p_value=found.p_value,
            test="Spearman's, two-sided",
        )
        return result, found.null

    result, null = of(vectors)
    controls = [*placebo("shuffled labels: pairs exchange their judgements", null, "orders")]
    if random is not None:
        controls.append(twin(TWIN, of(random)[0]))
    paper = "the workflow's own gate, on no paper's list"
    return Entry(f"{RELATED}{name}", paper, result, tuple(controls))


def _analogies(vectors: WordVectors, benchmarks: Benchmarks, seed: int) -> Found:
    from socialbias.stats.clustered import clustered_shares

    folder, manifest = benchmarks("analogies")
    for path in sorted(folder / entry["path"] for entry in manifest["files"]):
        name, questions = f"analogies, {path.stem}", read_analogies(path)
        known = [each for each in questions if {*each} <= vectors.index.keys()]
        if len(known) < MIN_KNOWN:
            reason = f"{len(known)} of {len(questions)} questions have vectors for all four words"
            yield Absent(name, f"{reason}, fewer than {MIN_KNOWN}")
            continue
        rng = generator(seed, "audit", "analogies", path.stem)
        asked = np.array([[vectors.index[word] for word in each] for each in known])
        asked = asked[np.sort(rng.permutation(len(asked))[:QUESTIONS])]
        answers = np.concatenate(list(nearest_words(vectors.matrix, asked[:, :3])))
        right = answers == asked[:, 3]
        # Questions with the same second pair stand or fall together.
        pair = np.unique(asked[:, 2:], axis=0, return_inverse=True)[1].ravel()
        share = clustered_shares((~right).astype(int), np.zeros(len(right), int), pair, 1, 2, LEVEL)
        dealt = [(answers == rng.permutation(asked[:, 3])).mean() for _ in range(PLACEBOS)]
        result = _result(
            title=f"a is to b as c is to d, among {len(vectors.words):,} words",
            measure="analogies",
            statistic="share of questions answered",
            value=float(share.share[0, 0]),
            low=float(share.low[0, 0]),
            high=float(share.high[0, 0]),
            null=1 / len(vectors.words),
            unit="share",
            direction="1: the nearest word to b - a + c is always d",
            n=len(asked),
            n_of=len(questions),
            n_unit="questions",
            resampled=f"the {pair.max() + 1} pairs c, d",
            citation="Mikolov, Chen, Corrado and Dean 2013",
        )
        controls = placebo("shuffled labels: questions exchange their answers", dealt, "orders")
        yield Entry(name, "Mikolov et al. 2013; the workflow's checks", result, controls)


def _seeds(
    sets: WordLists,
    vectors: WordVectors,
    unit: Array,
    seed: int,
    counts: Mapping[str, int],
) -> Found:
    """Coherence of two sets and, of pairs, the variance that one component explains."""
    (first, second), names = sets.words.values(), list(sets.words)
    known = [vectors.known(words) for words in (first, second)]
    if min(map(len, known)) < FEWEST:
        told = " and ".join(f"{len(w)} words of {n}" for n, w in zip(names, known, strict=True))
        yield Absent(f"seeds, {sets.name}", f"{told} have vectors, fewer than {FEWEST}")
        return
    rows, notes = audited(sets, vectors, counts)
    yield _coherence(sets, known, vectors, unit, seed, rows, notes)
    if sets.pairs:
        both = [list(words) for words in vectors.known_pairs(first, second)]
        if len(both[0]) >= FEWEST:
            yield _explained(sets, both, vectors, seed)


def audited(
    sets: WordLists, vectors: WordVectors, counts: Mapping[str, int]
) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """What `audit_seeds` says of packaged sets: a row for each word, and a line for each set."""
    from socialbias.papers.bad_seeds.inputs import Corpus
    from socialbias.papers.bad_seeds.seed_audit import audit_sets, audit_words
    from socialbias.papers.inputs import Input

    corpus = Input(Corpus((vectors,), counts), "audited", "own")
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
    table = audit_sets(words, corpus, {}, LEVEL).to_dict("records")
    return tuple(rows), tuple(
        f"{each['set']}: {each['warnings']}" for each in table if each["warnings"]
    )


def _coherence(
    sets: WordLists,
    known: Sequence[list[str]],
    vectors: WordVectors,
    unit: Array,
    seed: int,
    rows: tuple[Row, ...],
    notes: tuple[str, ...],
) -> Entry:
    places = [np.array([vectors.index[word] for word in words]) for words in known]
    sizes = [len(words) for words in known]

    def of(pairs: Sequence[tuple[Array, Array]]) -> Array:
        spaces = [[vectors.matrix[each].astype(float) for each in pair] for pair in pairs]
        return coherences(unit, [weat_direction(*pair) for pair in spaces], pairs)

    rng = generator(seed, "audit", "coherence", sets.name)
    drawn = [tuple(each[rng.integers(n, size=n)] for each, n in zip(places, sizes, strict=True))
             for _ in range(DRAWS)]  # fmt: skip
    value = float(of([tuple(places)])[0])
    low, high, draws = _interval(of(drawn), value, sizes)
    words = np.flatnonzero([word.isalpha() for word in vectors.words])
    ranks = np.searchsorted(words, np.unique(np.concatenate(places)))
    lists_ = matched_lists(np.minimum(ranks, len(words) - 1), len(words), PLACEBOS, rng)
    cut = round(lists_.shape[1] * sizes[0] / sum(sizes))
    random = of([(words[row[:cut]], words[row[cut:]]) for row in lists_])
    said = "placebo lists: words of about the same rank"
    named = f"{' and '.join(sets.words)} ({sets.name})"
    result = _result(
        title=f"coherence of {named} in {len(vectors.words):,} words",
        measure="coherence",
        statistic="difference of the mean ranks of the two sets along their own axis",
        value=value,
        low=low,
        high=high,
        null=math.nan,
        unit="share of the vocabulary",
        direction="1: the sets are the two ends of the vocabulary, 0: they lie together",
        n=sum(sizes),
        n_of=sum(map(len, sets.words.values())),
        n_unit="seed words",
        missing={
            name: [word for word in group if word not in vectors.index]
            for name, group in sets.words.items()
            if not {*group} <= vectors.index.keys()
        },
        resampled="seed words of each set",
        detectable=detectable(draws),
        citation=f"{SEEDS}, section 6",
        rows=rows,
        notes=notes,
    )
    marks = ruler(
        "bad_seeds_table4", lambda row, column: f"{row}, WikiText" if "_" in row else None
    )
    controls = placebo(said, random, f"{PLACEBOS} random lists")
    return Entry(f"seed coherence, {sets.name}", f"{SEEDS}, Table 4", result, controls, marks)


def _explained(
    sets: WordLists, pairs: Sequence[list[str]], vectors: WordVectors, seed: int
) -> Entry:
    first, second = (vectors.rows(words) for words in pairs)
    m = len(first)
    rng = generator(seed, "audit", "explained", sets.name)
    value = float(explained_variances(first, second, np.arange(m)[None])[0, 0])
    drawn = []
    for chosen in rng.integers(m, size=(DRAWS, m)):
        found = explained_variances(first[chosen], second[chosen], np.arange(m)[None])
        drawn.append(found[0, 0])
    low, high, draws = _interval(np.array(drawn), value, [m])
    dealt = explained_variances(first, second, shuffles(m, m, PLACEBOS, rng))[:, 0]
    result = _result(
        title=f"variance of {m} pairs of {sets.name} that one component explains",
        measure="explained-variance",
        statistic="share of the first component",
        value=value,
        low=low,
        high=high,
        null=math.nan,
        unit="share",
        direction=f"1: all pairs differ in one direction; at least {1 / m:.3f} for {m} pairs",
        n=m,
        n_of=len(next(iter(sets.words.values()))),
        n_unit="pairs",
        resampled="pairs",
        detectable=detectable(draws),
        citation="Bolukbasi et al. 2016",
    )
    controls = placebo("shuffled labels: partners exchanged at random", dealt, "orders")
    paper, why = f"{SEEDS}, Figure 3", "the paper draws it, and prints no number"
    name = f"seed pairs, explained variance, {sets.name}"
    return Entry(name, paper, result, controls, no_ruler=why)


def _interval(draws: Array, value: float, units: Sequence[int]) -> tuple[float, float, Array]:
    """The ends of an interval within 0 and 1, and its draws.

    A sample repeats words, which moves its numbers: only their spread is taken.
    """
    spread = widened(draws - np.nanmean(draws) + value, value, *units)
    if np.isnan(spread).all():
        return math.nan, math.nan, spread
    ends = np.nanquantile(spread, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    low, high = np.clip(ends, 0, 1).tolist()
    return low, high, spread


def _result(**known) -> Result:
    """A result of which nothing is known about reliability."""
    empty = {"missing": {}, "detectable": math.nan, "p_value": math.nan, "test": ""}
    empty |= {"reliability": math.nan, "reliability_low": math.nan, "reliability_high": math.nan}
    empty |= {"reliability_of": "", "citation": "the word lists' own", "provenance": []}
    return Result(**(empty | {"level": LEVEL} | known))
