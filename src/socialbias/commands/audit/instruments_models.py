"""The instruments for a language model, with its twin of random weights as a control."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from socialbias.commands.audit import (
    instruments_relatedness,
    instruments_vectors,
)
from socialbias.commands.audit.benchmarks import Benchmarks, printed_numbers
from socialbias.commands.audit.results import (
    TWIN,
    TWIN_APART,
    Absent,
    Control,
    Entry,
    Outcomes,
    PrintedNumber,
    attempted,
    numbers_of,
    placebo,
)
from socialbias.commands.measure_model import MIN_RANDOM_WORDS, in_templates, least_alike
from socialbias.commands.result import Result
from socialbias.commands.settings import Resampling
from socialbias.commands.subjects import Subject
from socialbias.embeddings.static_models import whole_words
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.measurement.estimates import Row
from socialbias.measurement.reliability import fields
from socialbias.measures.datasets.crows_pairs import read_pairs
from socialbias.measures.datasets.stereoset import TASKS, read_items
from socialbias.measures.placebo import draw
from socialbias.measures.stereoset import CANDIDATES
from socialbias.models.loading import load_model, save_model, scoring_kind
from socialbias.models.scoring import score, tells_apart
from socialbias.models.scoring_methods import CORRECTED, SCORINGS, scoring_of, stated
from socialbias.models.threads import one_thread
from socialbias.models.token_scores import TokenScorer
from socialbias.papers.stereoset.items import (
    DEVELOPMENT,
    PSEUDO,
    candidates,
    sampled,
    scored,
    with_texts,
)
from socialbias.papers.stereoset.model_tables import CROWS, cells, share_of_pairs
from socialbias.papers.stereoset.model_tables import as_crows_pairs as as_pairs
from socialbias.papers.stereoset.scores import SCHEMES, as_items
from socialbias.reporting.write_artefact import with_detectable
from socialbias.stats.decisions import reliability_of_terms
from socialbias.stats.draws import DRAWS
from socialbias.stats.paired import compare
from socialbias.stats.seeding import generator
from socialbias.stats.similarity import Array

if TYPE_CHECKING:
    from socialbias.models.served.scorer import ServedScorer

TWIN_SEED = 1
NOT_OF_SERVERS = {
    "representations": "a server gives no vectors: name the model's folder",
    TWIN: "a server has no weights that random ones could replace",
}
# Scores (n, k) of items, or words and their vectors.
Answers = Array | tuple[tuple[str, ...], Array]
NADEEM = "Nadeem, Bethke and Reddy 2021"
NANGIA = "Nangia, Vania, Bhalerao and Bowman 2020"


@dataclass(frozen=True)
class Task:
    """Items of one kind, or words, for a model, and what makes entries of its answers."""

    name: str  # name of the instrument
    items: tuple  # items to score, or words to represent
    # Turns the answers of the model and of its twin into entries.
    summarise: Callable[..., Outcomes]
    scoring: str = ""  # how items are scored; "" for words
    table: pd.DataFrame | None = None  # one row per item; None for words


def unpacked(folder: Path, scratch: Path) -> Path:
    """Return a folder from which the model loads quickly; a GGUF file is unpacked to `scratch`."""
    if (folder / "config.json").is_file():
        return folder
    with one_thread():
        save_model(load_model(folder, "causal", device="cpu"), scratch)
    return scratch


def answers(folder: Path, items: tuple, scoring: str, random: bool) -> Answers:
    """Return the answers of a model to items; of words, random words are added."""
    seed = TWIN_SEED if random else None
    kind = scoring_kind(folder)
    with one_thread():
        if scoring:
            scorer = TokenScorer(load_model(folder, kind, seed=seed))
            return answers_of_items(scorer, items, scoring)
        model = load_model(folder, "encoder" if kind == "masked" else kind, seed=seed)
        words = list(items)
        if not random:  # random words
            words += draw(
                whole_words(model.tokenizer.get_vocab()), [], words, TWIN_SEED, MIN_RANDOM_WORDS
            ).words
        layer, _ = least_alike(model)
        return tuple(words), in_templates(model, words, layer).mean(axis=0)


def answers_of_items(scorer: TokenScorer | ServedScorer, items: tuple, scoring: str) -> Array:
    """Return the scores of items, (n, k); NaN where a tokenizer does not tell them apart."""
    values = score(scorer, items, [scoring])[scoring].values
    return np.where(tells_apart(scorer, items)[:, None], values, np.nan)


def head_of(folder: Path) -> tuple[str, dict]:
    """Return how a model scores words, as `scoring_kind`, and its conventions by scoring.

    The weights in the folder decide: otherwise a missing head would be initialised at random.
    Without a head that scores words, both are empty.
    """
    kind = scoring_kind(folder)
    try:
        with one_thread():
            scorer = TokenScorer(load_model(folder, kind, device="cpu"))
    except UserError:
        return "", {}
    return kind, conventions_of(scorer)


def conventions_of(scorer: TokenScorer | ServedScorer) -> dict[str, dict[str, str]]:
    """Return the conventions of a model by scoring; none where it cannot begin a text."""
    own = [name for name, known in SCORINGS.items() if known.kind == scorer.model.kind]
    try:
        return {name: stated(scorer, name) for name in own}
    except UserError:  # as each instrument then says
        return {}


def tasks(
    subject: Subject,
    benchmarks: Benchmarks,
    items: int,
    resampling: Resampling,
    head: str,
) -> Iterator[Task | Absent]:
    """Yield the tasks for a model."""
    sample = (benchmarks, items, resampling)
    if head:
        yield from attempted("StereoSet", _stereoset, head, *sample)
        yield from attempted("CrowS-Pairs", _crows, head, *sample)
    else:
        yield Absent("StereoSet, CrowS-Pairs", "the model has no head that scores words")
    if subject.is_served:
        yield from starmap(Absent, NOT_OF_SERVERS.items())
        return
    words = tuple(instruments_vectors.words_of(benchmarks))

    def summarise(model, random) -> Outcomes:
        vectors, other = WordVectors(*model), WordVectors(*random) if random else None
        drawn = [word for word in vectors.words if word not in set(words)]
        steps = instruments_vectors.steps(
            vectors, subject, benchmarks, resampling, "cr-reduction", other, drawn
        )
        yield from instruments_relatedness.with_caution(
            vectors, benchmarks, resampling, steps, other
        )

    yield Task("representations", words, summarise)


# StereoSet and CrowS-Pairs: which of two sentences is preferred.


def _told(
    table: pd.DataFrame, model: Array, random: Array | None
) -> tuple[pd.DataFrame, Array, Array | None]:
    """Return the items whose candidates a tokenizer tells apart, and their scores."""
    told = ~np.isnan(model).any(axis=1)
    if not told.any():
        raise UserError("the model's tokenizer tells the candidates of no item apart")
    random = None if random is None else random[told]
    return table[told].reset_index(drop=True), model[told], random


def _stereoset(
    kind: str, benchmarks: Benchmarks, items: int, resampling: Resampling
) -> Iterator[Task]:
    released = read_items(benchmarks.only_file("stereoset_dev"))
    table = with_texts(candidates({DEVELOPMENT: released}))
    for name, task in zip(("within a sentence", "between sentences"), TASKS, strict=True):
        of_task = table[table["task"] == task]
        chosen = sampled(of_task, items, resampling.seed).reset_index(drop=True)
        title = f"StereoSet, {name}"
        in_gap = task == TASKS[0]
        scoring = scoring_of(CORRECTED, kind) if in_gap else SCHEMES[kind, task][PSEUDO]
        known = (title, task, chosen, of_task["target"].nunique(), resampling)
        summarise = partial(_of_stereoset, *known)
        yield Task(title, tuple(as_items(chosen)), summarise, scoring, chosen)


def _of_stereoset(
    title: str,
    task: str,
    table: pd.DataFrame,
    of: int,
    resampling: Resampling,
    model: Array,
    random: Array | None,
) -> Iterator[Entry]:
    table, model, random = _told(table, model, random)
    scores = {"model": scored(table, model, "model", "")}
    if random is not None:
        scores[TWIN] = scored(table, random, TWIN, "")
    # As in the papers' tables, ties of this control are left out.
    lengths = scored(table, table[list(CANDIDATES)].map(len), "longer", "")
    numbers = {name: _stereoset_numbers(part, resampling) for name, part in scores.items()}
    numbers["the longer candidate"] = _stereoset_numbers(lengths, resampling)
    by_domain = {
        domain: (_stereoset_numbers(part, resampling), len(part))
        for domain, part in scores["model"].groupby("domain")
    }
    short, table_number = ("intra", 6) if task == TASKS[0] else ("inter", 7)
    for what in ("ss", "lms"):
        yield _entry(
            f"{title}, {what}",
            f"{NADEEM}, section 5.2",
            what,
            {name: of_side[what] for name, of_side in numbers.items() if what in of_side},
            {domain: (each[what], n) for domain, (each, n) in by_domain.items()},
            {name: _decisions(part, what) for name, part in scores.items()},
            ranked=table["target"],
            terms=table["target"],
            resampling=resampling,
            printed=printed_numbers(f"stereoset_table{table_number}", f"{short} (.*), {what}"),
            title=f"{title}: {what}",
            statistic="mean over terms",
            n_of=of,
            n_unit=f"terms, in {len(table):,} items",
            resampled="terms, with all their items",
            reliability_of="ranking of the terms by random halves of the items of each",
            citation=NADEEM,
        )


def _stereoset_numbers(scores: pd.DataFrame, resampling: Resampling) -> dict[str, dict]:
    """Return the cells of Tables 4 to 7 for some scores, by the name of the number."""
    records = cells(resampling, scores, "", "")
    return {record["column"].removesuffix("@"): with_detectable(record) for record in records}


def _crows(kind: str, benchmarks: Benchmarks, items: int, resampling: Resampling) -> Iterator[Task]:
    table = as_pairs(read_pairs(benchmarks.only_file("crows_pairs")))
    chosen = sampled(table, items, resampling.seed)
    scoring = SCHEMES[kind, CROWS][PSEUDO]
    summarise = partial(_of_crows, chosen, len(table), resampling)
    yield Task("CrowS-Pairs", tuple(as_items(chosen)), summarise, scoring, chosen)


def _of_crows(
    table: pd.DataFrame, of: int, resampling: Resampling, model: Array, random: Array | None
) -> Iterator[Entry]:
    table, model, random = _told(table, model, random)
    sides = {"model": model, TWIN: random}
    sides["the longer sentence"] = table[list(CANDIDATES[:2])].map(len).to_numpy(float)
    scores = {}
    for name, side in sides.items():
        if side is not None:
            scores[name] = table.assign(**dict(zip(CANDIDATES[:2], side[:, :2].T, strict=True)))
    untied = {
        name: part[part["stereotype"] != part["anti-stereotype"]] for name, part in scores.items()
    }
    numbers = {
        name: with_detectable(share_of_pairs(resampling, part, name, "all"))
        for name, part in untied.items()
        if len(part)
    }
    yield _entry(
        "CrowS-Pairs",
        f"{NANGIA}, section 4",
        "ss",
        numbers,
        {
            kind: (with_detectable(share_of_pairs(resampling, part, "model", kind)), len(part))
            for kind, part in untied["model"].groupby("domain")
        },
        {name: _decisions(scores[name], "ss") for name in ("model", TWIN) if name in numbers},
        ranked=table["domain"],
        terms=table["item"],
        resampling=resampling,
        title="CrowS-Pairs: preference for the more stereotypical sentence",
        statistic="share of pairs",
        n_of=of,
        n_unit="pairs",
        resampled="pairs",
        reliability_of="ranking of the kinds of bias by random halves of the pairs of each",
        citation=NANGIA,
    )


def _decisions(scores: pd.DataFrame, what: str) -> Array:
    """Return the decision on each item, (n,); the scores are their means."""
    stereotype, other = scores["stereotype"], scores["anti-stereotype"]
    if what == "ss":
        return (stereotype > other).to_numpy(float)
    preferred = scores[list(CANDIDATES[:2])].gt(scores["unrelated"], axis=0)
    return preferred.mean(axis=1).to_numpy()


def _entry(
    name: str,
    paper: str,
    what: str,
    numbers: Mapping[str, Mapping],
    by_kind: Mapping[str, tuple[Mapping, int]],
    decided: Mapping[str, Array],
    *,
    ranked: Sequence[str],
    terms: Sequence[str],
    resampling: Resampling,
    printed: tuple[PrintedNumber, ...] = (),
    **known,
) -> Entry:
    """Return a share in percent, with the shares of its controls.

    `numbers` and `decided` are of the model and of its controls, by name. `ranked` is what the
    reliability is of, and `terms` what is resampled, for each decision.
    """
    direction = {
        "ss": "above 50: the stereotype is preferred more often (50 does not mean no bias)",
        "lms": "100: a meaningful candidate always beats a meaningless one; 50: chance",
    }[what]
    if len(set(ranked)) < len(ranked):  # otherwise no halves
        known |= fields(reliability_of_terms(decided["model"], ranked, resampling.level))
    result = Result(
        measure=what,
        **numbers_of(numbers["model"]),
        level=resampling.level,
        null=50.0,
        unit="percent",
        direction=direction,
        n=numbers["model"]["n"],
        rows=tuple(
            Row(kind, each["value"], each["ci_low"], each["ci_high"], n=n)
            for kind, (each, n) in by_kind.items()
        ),
        **known,
    )
    controls = [
        Control(other, record["value"], record["ci_low"], record["ci_high"], "as for the value")
        for other, record in numbers.items()
        if other != "model"
    ]
    controls += _apart(decided, terms, resampling)
    controls += _swapped(decided["model"], terms, resampling) if what == "ss" else ()
    return Entry(name, paper, result, tuple(controls), printed)


def _apart(
    decisions: Mapping[str, Array], terms: Sequence[str], resampling: Resampling
) -> list[Control]:
    """Return the difference between the model and its twin, paired by item."""
    if TWIN not in decisions:
        return []
    sides = decisions["model"], decisions[TWIN]
    paired = compare(*sides, list(terms), resampling.seed, resampling.level)
    numbers = (part[0] for part in (paired.difference, paired.low, paired.high))
    numbers = (100 * float(np.clip(x, -1, 1)) for x in numbers)  # shares differ by 1 at most
    return [Control(TWIN_APART, *numbers, "paired by item")]


def _swapped(decisions: Array, terms: Sequence[str], resampling: Resampling) -> tuple[Control, ...]:
    """Return the score with stereotype and anti-stereotype exchanged in a random half."""
    rng = generator(resampling.seed, "audit", "swapped", len(decisions))
    names, at = np.unique(np.asarray(terms, str), return_inverse=True)
    sizes, scores = np.bincount(at), []
    for _ in range(DRAWS):
        swapped = np.where(rng.random(len(decisions)) < 0.5, decisions, 1 - decisions)
        scores.append(100 * (np.bincount(at, swapped, len(names)) / sizes).mean())
    return placebo(
        "shuffled labels: stereotype and anti-stereotype exchanged", scores, "random orders"
    )
