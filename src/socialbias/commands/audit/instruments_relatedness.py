"""Relatedness: whether vectors know anything, tested before a bias is measured with them.

As in the workflow (`embeddings.intrinsic`), cosines of pairs of words are compared with judgements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from socialbias.commands.audit.benchmarks import Benchmarks
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
from socialbias.errors import UserError
from socialbias.stats.reliability import detectable
from socialbias.stats.similarity import Array

RELATED = "relatedness, "
SHUFFLED = "shuffled labels: judgements exchanged between pairs"
JUDGED = dict(zip(RELATEDNESS, ("MEN", "WordSim-353"), strict=True))
Judgement = tuple[str, str, float]  # two words, and how related people find them


def words_of(benchmarks: Benchmarks) -> list[str]:
    """Return the words of the judgements; none if these are missing."""
    try:
        judged = _judged(benchmarks)
    except (UserError, ModuleNotFoundError):
        return []
    return [word for pairs in judged.values() for pair in pairs for word in pair[:2]]


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
    controls = placebo(SHUFFLED, null, "random orders")
    if random is not None:
        controls += (twin(_related_result(known, len(pairs), random, resampling)[0]),)
    paper = "a check of this project, not of a paper"
    yield Entry(f"{RELATED}{name}", paper, result, controls)


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
