"""The instruments that test vectors and seed words before a bias is measured with them.

Relatedness tests whether the vectors know anything, as in the workflow (`embeddings.intrinsic`).
Coherence tests whether the packaged sets of seed words are opposites (Antoniak and Mimno 2021,
sections 6 and 8).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from socialbias.commands.audit.benchmarks import Benchmarks, printed_numbers
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
    read_similarity,
    too_weak,
)
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.lists import WordLists, lists
from socialbias.errors import UserError
from socialbias.measurement.estimates import Row
from socialbias.stats.reliability import detectable
from socialbias.stats.similarity import Array

SETS = ("gender", "gender-bolukbasi", "gender-kinship", "class")  # packaged, of two groups
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
    vectors: WordVectors, resampling: Resampling, counts: Mapping[str, int] | None = None
) -> Iterator[Step]:
    """Yield the steps for the packaged seed sets."""
    for name in SETS:
        known = (lists()[name], vectors, resampling, counts or {})
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


def _seeds(
    sets: WordLists, vectors: WordVectors, resampling: Resampling, counts: Mapping[str, int]
) -> Outcomes:
    """Yield the coherence of two sets, with what `audit --seeds` gives: rows of words, notes."""
    from socialbias.papers.bad_seeds.inputs import Corpus
    from socialbias.papers.bad_seeds.seed_audit import audit_sets, audit_words

    words = {name: list(group) for name, group in sets.words.items()}
    corpus = Corpus((vectors,), counts)
    table = audit_sets(words, corpus, {}, resampling.level, seed=resampling.seed)
    if table["n"].min() < MIN_SEEDS:
        few = ", ".join(f"{name} {n}" for name, n in zip(words, table["n"], strict=True))
        why = f"too few words have vectors ({few}); {MIN_SEEDS} of each are needed"
        yield Absent(f"seeds, {sets.name}", why)
        return
    of_both, rows, missing = table.iloc[0], [], {}
    for word in audit_words(words, corpus).to_dict("records"):
        if not word["in_models"]:
            missing.setdefault(word["set"], []).append(word["word"])
        apart = word["to_own_set"] - word["to_opposite"]
        note, many = word["warnings"], word["count"]
        if not counts:  # without counts, every word would be called rare
            note = "; ".join(part for part in note.split("; ") if not part.startswith("rare"))
        n = 0 if math.isnan(many) else int(many)
        rows.append(Row(word["word"], apart, math.nan, math.nan, word["set"], n=n, note=note))
    result = Result(
        value=float(of_both["coherence"]),
        low=math.nan,
        high=math.nan,
        null=math.nan,
        level=resampling.level,
        title=f"coherence of {' and '.join(words)} ({sets.name}) in {len(vectors.words):,} words",
        measure="coherence",
        statistic="difference of the mean ranks of the two sets along their own axis",
        unit="share of the vocabulary",
        direction="1: the sets are at opposite ends of the vocabulary; 0: they are not separated",
        n=int(table["n"].sum()),
        n_of=int(table["n_of"].sum()),
        n_unit="seed words",
        missing=missing,
        resampled="nothing",
        p_value=float(of_both["direction_p"]),
        test=of_both["direction"],
        citation=f"{SEEDS}, section 6",
        rows=tuple(rows),
        notes=tuple(
            f"{row['set']}: {row['warnings']}"
            for row in table.to_dict("records")
            if row["warnings"]
        ),
    )
    marks = printed_numbers("bad_seeds_table4", "(.*_.*), .*", ", WikiText")
    yield Entry(f"seed coherence, {sets.name}", f"{SEEDS}, Table 4", result, (), marks)
