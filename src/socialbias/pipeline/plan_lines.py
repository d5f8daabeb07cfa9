"""Lines printed before a run starts: its cost, and what will be missing."""

from __future__ import annotations

import heapq
import math
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from socialbias.config import paper_value
from socialbias.pipeline.amounts import HOUR
from socialbias.pipeline.costs import Cost, Costs
from socialbias.pipeline.messages import spent
from socialbias.pipeline.plan import NO_INPUT, Plan
from socialbias.sources.binding import Binding

GB = 1000
FETCH = "fetch/"
# Names of the parts of a run, by pattern of jobs; the first pattern that fits counts.
PRICED = "train_*/stereoset_next_sentence_*"  # train_classifier, train_part
STAGES = {
    "fetch/*": "downloads (time not included)",
    "align*": "reading word vectors",
    "prepare_corpus/*": "reading texts",
    "read_samples": "reading texts",
    "tag_corpus/*": "tagging parts of speech",
    "train_vectors/*": "training word vectors",
    "train_gpt2": "a small GPT-2 and what it writes",
    "write_samples": "a small GPT-2 and what it writes",
    "planted_*": "planted corpus and models",
    "choose_sentences/*": "words as BERT and GPT-2 represent them",
    "represent_shard/*": "words as BERT and GPT-2 represent them",
    "represent/*": "words as BERT and GPT-2 represent them",
    "scores/*": "StereoSet: scores of models",
    "evidence_part/stereoset_scores_*": "StereoSet: scores of models",
    "train_classifier/stereoset_sentiment": "StereoSet: sentiment (A.2)",
    PRICED: "StereoSet: next sentence (A.5)",
    "values/*": "values, figures and the page",
    "figure/*": "values, figures and the page",
    "*/trustworthy_*": "evidence of trustworthy",
    "*/bad_seeds_*": "evidence of bad_seeds",
    "*/stereoset_*": "other evidence of stereoset",
    "train_recogniser/*": "evidence of fairness",
    "*/fairness_*": "evidence of fairness",
    "*/validation_*": "evidence of validation",
    "*": "values, figures and the page",
}
CORES = 16  # of a node
CONFIG_FLAGS = ("--config", "-C")


def cost_lines(alone: Costs, on_card: Costs) -> list[str]:
    """What a run costs, in lines: by stage and in all, wall times, and what does not fit.

    Args:
        alone: The costs without a card.
        on_card: Those where jobs with a model take a card.
    """
    lines = ["estimated cost, from measured rates (resources/costs.yaml):"]
    head = ["", "jobs", "CPU", "longest", "GB memory", "on a GPU", "longest", "GB GPU", "GB disk"]
    by_stage: list[dict[str, list[Cost]]] = [{}, {}]
    for costs, stages in zip((alone, on_card), by_stage, strict=True):
        for job in costs.jobs:
            stages.setdefault(stage_of(job), []).append(costs.cost(job))
    names = [name for name in dict.fromkeys(STAGES.values()) if name in by_stage[0]]
    rows = [_row(name, *(stages[name] for stages in by_stage)) for name in names]
    rows.append(_row("in all", *([*map(costs.cost, costs.jobs)] for costs in (alone, on_card))))
    lines += aligned([head, *rows], right=True)
    sources = (job.split("/")[1] for job in alone.jobs if job.startswith(FETCH))
    fetched, own = sum(map(alone.download, sources)), alone.rates["machine"]["snakemake"]
    results = sum(alone.cost(job).disk for job in alone.jobs) / GB
    lines.append(
        f"disk: {fetched:.1f} GB of sources and {results:.1f} GB of results; Snakemake's own time: "
        f"{spent(own['start'] + own['job'] * len(alone.jobs))}"
    )
    lines += _walls(alone, on_card)
    return lines + _too_much(alone, on_card) + _trainings(on_card)


def stage_of(job: str) -> str:
    """What a reader calls the part of the run that a job belongs to."""
    return next(name for pattern, name in STAGES.items() if fnmatchcase(job, pattern))


def most_memory(costs: Costs, cores: int) -> float:
    """Megabytes that jobs have at most that run at once, on that many cores."""
    of_core = []  # what each core of each job has
    for cost in map(costs.cost, costs.jobs):
        n = min(cost.cores, cores)
        of_core += [cost.mb / n] * n
    return sum(sorted(of_core, reverse=True)[:cores])


def _row(name: str, costs: list[Cost], on_card: list[Cost]) -> list[str]:
    """Time, longest job and memory without a card; those with a card, and its memory."""
    cards = [cost for cost in on_card if cost.card_mb]
    return [
        name,
        str(len(costs)),
        spent(sum(c.cpu for c in costs)),
        spent(max(c.seconds for c in costs)),
        f"{max(c.mb for c in costs) / GB:.1f}",
        spent(sum(c.seconds for c in cards)) if cards else "-",
        spent(max(c.seconds for c in cards)) if cards else "-",
        f"{max(c.card_mb for c in cards) / GB:.1f}" if cards else "-",
        f"{sum(c.disk for c in costs) / GB:.1f}",
    ]


def _walls(alone: Costs, on_card: Costs) -> list[str]:
    """Wall times on one machine and on nodes of a cluster, each with one GPU or none."""
    lines, takes_card = [], any(on_card.cost(job).card_mb for job in on_card.jobs)
    for name, cores, cards in (
        *((f"{n} cores", n, 1) for n in (2, 8, CORES)),
        *((f"{n} nodes of {CORES} cores", n * CORES, n) for n in (4, 16)),
    ):
        a_card = "one GPU" if cards == 1 else "a GPU each"
        with_card = f", with {a_card} {spent(wall(on_card, cores, cards))}" * takes_card
        memory = f"; memory up to {most_memory(alone, cores) / GB:.0f} GB" * (cards == 1)
        lines.append(f"wall on {name}: {spent(wall(alone, cores))}{with_card}{memory}")
    return [*lines, "not included: downloads and the queues of a cluster"]


def _too_much(alone: Costs, on_card: Costs) -> list[str]:
    """Jobs that need more time than a job may take, or more memory than the card has."""
    lines = []
    limit = alone.plan.config.planning.job_hours
    for costs, where in ((alone, "without a GPU"), (on_card, "on the GPU")):
        if names := [f"{job} ({spent(costs.cost(job).seconds)})" for job in costs.too_long()]:
            lines.append(
                f"over the time limit of a job {where} ({limit:g} h, planning.job_hours): "
                f"{_some(names)}: use a partition with a higher limit, or leave the model out"
            )
    card, of_card = on_card.card, {job: on_card.cost(job).card_mb for job in on_card.jobs}
    most, large = max(of_card.values(), default=0), [j for j in of_card if of_card[j] > card.mb]
    if most:
        rate = f"{card.rate('float32') / 1e12:.3g} TFLOP/s in float32"
        needs = f"jobs need up to {most / GB:.1f} of its {card.mb / GB:.1f} GB"
        names = [f"{job} ({of_card[job] / GB:.1f} GB)" for job in large]
        needs += f": too much for {_some(names)}" * bool(names)
        lines.append(f"GPU: {card.name}, {rate}; {needs}")
    return lines


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def wall(costs: Costs, cores: int, cards: int = 0, only: Collection[str] | None = None) -> float:
    """Seconds until all jobs are done, of which those run at once that there are cores for.

    Of those that can run, the one before the longest way goes first; one that needs more cores than
    are free lets others go before it, as Snakemake does. Memory is not looked at.

    Args:
        costs: The jobs, and whether they take cards.
        cores: How many there are; a job takes as many as it can use.
        cards: How many there are, of those that jobs take.
        only: The jobs that have to be done still; None for all.
    """
    jobs = [job for job in costs.jobs if only is None or job in only]
    waits = {job: [w for w in costs.jobs[job] if only is None or w in only] for job in jobs}
    followers: dict[str, list[str]] = {job: [] for job in jobs}
    for job, others in waits.items():
        for other in others:
            followers[other].append(job)
    has = {job: min(costs.cost(job).cores, cores) for job in jobs}
    # The time of fetching is the network's.
    takes = {j: 0.0 if j.startswith(FETCH) else costs.cost(j).cpu / n for j, n in has.items()}
    on_card = {job: int(costs.cost(job).card_mb > 0) for job in jobs}
    rest: dict[str, float] = {}  # by job, the longest way from its start to the end
    for job in reversed(jobs):
        after = max((rest[f] for f in followers[job]), default=0)
        rest[job] = after + takes[job]
    left = {job: len(others) for job, others in waits.items()}
    ready = sorted((job for job, n in left.items() if not n), key=lambda job: -rest[job])
    running: list[tuple[float, str]] = []
    now, free = 0.0, cores
    while ready or running:
        for job in list(ready):
            if has[job] > free or on_card[job] > cards:
                continue
            free, cards = free - has[job], cards - on_card[job]
            ready.remove(job)
            heapq.heappush(running, (now + takes[job], job))
        now, job = heapq.heappop(running)
        free, cards = free + has[job], cards + on_card[job]
        for follower in followers[job]:
            left[follower] -= 1
            if not left[follower]:
                ready.append(follower)
        ready.sort(key=lambda job: -rest[job])
    return now


def _trainings(costs: Costs) -> list[str]:
    """GPU time of the trainings of appendix A.5, as configured and at the paper's size."""
    section = costs.plan.config.stereoset.next_sentence
    jobs = [job for job in costs.jobs if fnmatchcase(job, PRICED)]
    if not jobs or not section.fine_tune:
        return []
    examples = paper_value(type(section).model_fields["train"])
    config = costs.plan.config
    next_sentence = section.model_copy(update={"train": examples})
    stereoset = config.stereoset.model_copy(update={"next_sentence": next_sentence})
    plan = replace(costs.plan, config=config.model_copy(update={"stereoset": stereoset}))
    ours, paper = (
        spent(sum(of.cost(job).seconds for job in of.jobs if fnmatchcase(job, PRICED)))
        for of in (costs, replace(costs, plan=plan))
    )
    size = f"{section.train:,}" if section.train else "all"
    return [
        f"StereoSet's next-sentence classifiers (A.5), {len(jobs)} jobs on a GPU: {ours} with "
        f"{size} examples, as configured; {paper} with {examples:,}, as in the paper"
    ]


def question(
    costs: Costs, cores: int, cards: int, left: Collection[str], typed: Sequence[str]
) -> str:
    """The question whether to start a run that is planned to be long; "" for any other run.

    Args:
        costs: The jobs, and whether they take cards.
        cores: How many the run has.
        cards: How many cards it has.
        left: The jobs that have to be done still.
        typed: The words of the command.
    """
    seconds, limit = wall(costs, cores, cards, left), costs.plan.config.planning.run_hours
    if seconds <= limit * HOUR:
        return ""
    machine = f"{cores} cores and {cards} GPUs" if cards else f"{cores} cores without a GPU"
    option = f"planning={{run_hours: {math.ceil(seconds / HOUR)}}}"
    return (
        f"This run is planned to take {spent(seconds)} on {machine}, which is more than {limit:g} "
        "h (planning.run_hours). Nothing was started. `make plan` shows the time of each part. To "
        f"run it anyway:\n  {_with_option(typed, option)}"
    )


def _with_option(typed: Sequence[str], option: str) -> str:
    """A command of Snakemake with one more value of its last `--config`, the one that counts."""
    end = typed.index("--") if "--" in typed else len(typed)
    words: list[str] = []
    given: list[str] = []
    into = words
    for word in typed[1:end]:
        flag, _, value = word.partition("=")
        if flag in CONFIG_FLAGS:
            given = [value] * bool(value)
            into = words if value else given
        else:
            into = words if word.startswith("-") else into
            into.append(word)
    return shlex.join(["snakemake", *words, "--config", *given, option, *typed[end:]])


# What is missing.


def gain_lines(plan: Plan, sources: Mapping[str, str]) -> list[str]:
    """Lines on what one more source would give: cells filled, and cells that become exact.

    Args:
        plan: What the run reads and makes.
        sources: By role, the source that the paper used.
    """
    before = _ranks(plan)
    lines, better = [], {}
    for role, binding in plan.bindings.items():
        if role not in sources or binding.fidelity == "exact":
            continue
        better[role] = Binding(role, sources[role], "", "exact", "")
        filled, exact = _gained(before, _with(plan, {role: better[role]}))
        if filled or exact:
            lines.append(f"  {role} ({sources[role]}): {_counted(filled, exact)}")
    if not better:
        return []
    filled, exact = _gained(before, _with(plan, better))
    empty = sum(rank == 0 for rank in before.values())
    head = f"cells: {len(before):,} ({empty:,} stay empty); one more input would give"
    return [head, *lines, f"  all missing inputs and substitutes: {_counted(filled, exact)}"]


def _with(plan: Plan, bindings: Mapping[str, Binding]) -> Plan:
    return replace(plan, bindings={**plan.bindings, **bindings})


def _ranks(plan: Plan) -> dict[tuple[str, str, str], int]:
    """By cell, 0 if it stays empty, 2 if it uses only the paper's own inputs, otherwise 1."""
    known: dict[tuple, int] = {}
    ranks = {}
    for target, declared in plan.declarations.artefacts.items():
        for cell in declared.cells():
            variant = cell.column.partition("@")[2]
            listed = declared.variants[variant].listed_in if variant else ""
            key = (*cell[2:], listed, variant)
            if key not in known:
                empty = bool(plan.reason(declared, cell))
                known[key] = 0 if empty else 1 + (plan.fidelity(cell) == "exact")
            ranks[target, cell.row, cell.column] = known[key]
    return ranks


def _gained(before: Mapping[tuple, int], plan: Plan) -> tuple[int, int]:
    after = _ranks(plan)
    filled = sum(rank == 0 < after[cell] for cell, rank in before.items())
    exact = sum(rank < after[cell] == 2 for cell, rank in before.items())
    return filled, exact


def _counted(filled: int, exact: int) -> str:
    parts = [f"{filled:,} more cells"] * bool(filled) + [f"{exact:,} become exact"] * bool(exact)
    return ", ".join(parts) or NO_INPUT


def aligned(rows: Sequence[Sequence[str]], *, right: bool = False) -> list[str]:
    """Rows of text in columns, to the left, or all but the first to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        first, *others = zip(row, widths, strict=True)
        cells = [cell.rjust(w) if right else cell.ljust(w) for cell, w in others]
        lines.append("  ".join(["", first[0].ljust(first[1]), *cells]).rstrip())
    return lines
