"""What a person is told of a run before it starts: its costs, and what it will lack."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase

from socialbias.config import paper_value
from socialbias.pipeline.costs import Cost, Costs
from socialbias.pipeline.plan import NO_INPUT, Plan
from socialbias.sources.binding import Binding

MINUTE, HOUR, GB = 60, 3600, 1000
# What a reader calls the parts of a run: by pattern of jobs, the first that fits.
PRICED = "train_*/stereoset_next_sentence_*"  # train_classifier, train_part
STAGES = {
    "fetch/*": "fetching (its time is the network's)",
    "align*": "word vectors, read",
    "prepare_corpus/*": "texts, read",
    "read_samples": "texts, read",
    "tag_corpus/*": "parts of speech",
    "train_vectors/*": "word vectors, trained",
    "train_gpt2": "a small GPT-2 and what it writes",
    "write_samples": "a small GPT-2 and what it writes",
    "planted_*": "planted corpus and models",
    "choose_sentences/*": "words as BERT and GPT-2 represent them",
    "represent_shard/*": "words as BERT and GPT-2 represent them",
    "represent/*": "words as BERT and GPT-2 represent them",
    "scores/*": "StereoSet: scores of models",
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
TRAININGS = (PRICED, "train_classifier/stereoset_sentiment")
LARGE = "scores/stereoset_scores_*-large"


def costs_told(costs: Costs, cores: Iterable[int] = (2, 8, 16)) -> list[str]:
    """Costs of a run, in lines: by stage and in all, its wall time, and StereoSet's trainings."""
    found = {job: costs.cost(job) for job in costs.jobs}
    stages: dict[str, list[Cost]] = {name: [] for name in STAGES.values()}
    for job, cost in found.items():
        stages[stage_of(job)].append(cost)
    lines = ["what it costs, estimated from measured rates (resources/costs.yaml):"]
    head = ["", "jobs", "CPU", "longest", "or GPU", "beside it", "GB memory", "GB disk"]
    rows = [_row(name, some) for name, some in stages.items() if some]
    rows.append(_row("in all", list(found.values())))
    lines += aligned([head, *rows])
    lines.append(f"{_disk(costs, found)}; Snakemake's own time: {spent(_own(costs))}")
    lines += _walls(costs, cores)
    return lines + _trainings(costs)


def stage_of(job: str) -> str:
    """What a reader calls the part of the run that a job belongs to."""
    return next(name for pattern, name in STAGES.items() if fnmatchcase(job, pattern))


def most_memory(costs: Costs, cores: int) -> float:
    """Megabytes that jobs have at most that run at once, on that many cores."""
    of_core = []  # what each core of each job has
    for job in costs.jobs:
        n = min(costs.cores(job), cores)
        of_core += [costs.cost(job).mb / n] * n
    return sum(sorted(of_core, reverse=True)[:cores])


def _row(name: str, costs: list[Cost]) -> list[str]:
    """Time without a GPU and of the longest job; with one, of the card and of all other jobs."""
    on_gpu = [c.gpu for c in costs if c.gpu]
    return [
        name,
        str(len(costs)),
        spent(sum(c.cpu for c in costs)),
        spent(max(c.cpu for c in costs)),
        spent(sum(on_gpu)) if on_gpu else "-",
        spent(sum(c.cpu for c in costs if not c.gpu)) if on_gpu else "-",
        f"{max(c.mb for c in costs) / GB:.1f}",
        f"{sum(c.disk for c in costs) / GB:.1f}",
    ]


def spent(seconds: float) -> str:
    """A time with as many digits as an estimate has."""
    unit, size = next(
        x for x in (("h", HOUR), ("min", MINUTE), ("s", 1)) if seconds >= x[1] or x[1] == 1
    )
    value = seconds / size
    return f"{value:,.0f} {unit}" if value >= 10 or unit == "s" else f"{value:.1f} {unit}"


def _disk(costs: Costs, found: Mapping[str, Cost]) -> str:
    fetched = sum(costs.download(job.split("/")[1]) for job in found if job.startswith("fetch/"))
    results = sum(cost.disk for cost in found.values()) / GB
    return f"disk: {fetched:.1f} GB of sources and {results:.1f} GB of results"


def _own(costs: Costs) -> float:
    rates = costs.rates["machine"]["snakemake"]
    return rates["start"] + rates["job"] * len(costs.jobs)


def _walls(costs: Costs, cores: Iterable[int]) -> list[str]:
    """Wall times: the work spread over cores, and no less than the longest way through it."""
    has_models = any(costs.cost(job).gpu for job in costs.jobs)
    lines = []
    for n in cores:
        most = most_memory(costs, n) / GB
        lines.append(f"wall on {n} cores: {spent(wall(costs, on_cores, n))}")
        if has_models:
            lines[-1] += f", with one GPU {spent(wall(costs, on_gpu, n, gpus=1))}"
            lines[-1] += f", without it or StereoSet's trainings {spent(wall(costs, untrained, n))}"
        if any(fnmatchcase(job, LARGE) for job in costs.jobs):
            lines[-1] += f", nor its large models {spent(wall(costs, without_large, n))}"
        lines[-1] += f"; memory up to {most:.0f} GB"
    ways = spent(critical_path(costs, on_cores)), spent(critical_path(costs, on_gpu, gpus=1))
    lines.append(f"with as many cores as there is use for: {ways[0]}, with as many GPUs {ways[1]}")
    lines.append("queues of a cluster and downloads come on top")
    return lines


Seconds = Callable[[str, Cost], float]


def on_cores(job: str, cost: Cost) -> float:
    """Seconds of a job without a GPU, on one core."""
    return cost.cpu


def on_gpu(job: str, cost: Cost) -> float:
    """Seconds of a job on a GPU, if it takes one."""
    return cost.gpu or cost.cpu


def untrained(job: str, cost: Cost) -> float:
    """The same, in a run without StereoSet's trainings."""
    return 0 if any(fnmatchcase(job, pattern) for pattern in TRAININGS) else cost.cpu


def without_large(job: str, cost: Cost) -> float:
    """The same, in a run that does not score StereoSet's large models either."""
    return 0 if fnmatchcase(job, LARGE) else untrained(job, cost)


def critical_path(costs: Costs, seconds: Seconds, gpus: int | None = None) -> float:
    """Seconds of the longest way through the jobs, without fetching; arguments as of `wall`."""
    ends: dict[str, float] = {}
    for job, waits in costs.jobs.items():
        took = _spread(costs, job, seconds, gpus)[0]
        ends[job] = max((ends[w] for w in waits), default=0) + took
    return max(ends.values(), default=0)


def _spread(
    costs: Costs, job: str, seconds: Seconds, gpus: int | None, cores: int | None = None
) -> tuple[float, int]:
    """Seconds that a job takes, and the cores that it has: with a GPU one."""
    if job.startswith("fetch/"):
        return 0.0, 1
    n = 1 if _takes_card(costs, job, gpus) else min(costs.cores(job), cores or math.inf)
    return seconds(job, costs.cost(job)) / n, n


def _takes_card(costs: Costs, job: str, gpus: int | None) -> bool:
    return gpus is not None and costs.cost(job).gpu > 0


def wall(costs: Costs, seconds: Seconds, cores: int, gpus: int | None = None) -> float:
    """Seconds until all jobs are done, of which those run at once that there are cores for.

    Of those that can run, the one before the longest way goes first; one that needs more cores than
    are free lets others go before it, as Snakemake does. Memory is not looked at.

    Args:
        costs: The jobs.
        seconds: What of a cost a job takes on one core.
        cores: How many there are; a job takes as many as it can use.
        gpus: How many there are, of which each job that can take one does; None for jobs that
            take none.
    """
    followers: dict[str, list[str]] = {job: [] for job in costs.jobs}
    waits = {job: len(others) for job, others in costs.jobs.items()}
    for job, others in costs.jobs.items():
        for other in others:
            followers[other].append(job)
    spread = {job: _spread(costs, job, seconds, gpus, cores) for job in costs.jobs}
    rest: dict[str, float] = {}  # by job, the longest way from its start to the end
    for job in reversed(list(costs.jobs)):
        after = max((rest[f] for f in followers[job]), default=0)
        rest[job] = after + spread[job][0]
    ready = sorted((job for job, n in waits.items() if not n), key=lambda job: -rest[job])
    running: list[tuple[float, str]] = []
    now, free, cards = 0.0, cores, gpus
    while ready or running:
        for job in list(ready):
            took, n = spread[job]
            on_card = _takes_card(costs, job, gpus)
            if n > free or (on_card and not cards):
                continue
            free, cards = free - n, cards - 1 if on_card else cards
            ready.remove(job)
            heapq.heappush(running, (now + took, job))
        now, job = heapq.heappop(running)
        free += spread[job][1]
        cards = cards + 1 if _takes_card(costs, job, gpus) else cards
        for follower in followers[job]:
            waits[follower] -= 1
            if not waits[follower]:
                ready.append(follower)
        ready.sort(key=lambda job: -rest[job])
    return now


def _trainings(costs: Costs) -> list[str]:
    """The trainings of appendix A.5: as configured, and at the paper's size."""
    section = costs.plan.config.stereoset.next_sentence
    jobs = [job for job in costs.jobs if fnmatchcase(job, PRICED)]
    if not jobs or not section.fine_tune:
        return []
    examples = paper_value(type(section).model_fields["train"])
    at = {"train": examples, "held_out": section.held_out}
    config = costs.plan.config
    next_sentence = section.model_copy(update=at)
    stereoset = config.stereoset.model_copy(update={"next_sentence": next_sentence})
    plan = replace(costs.plan, config=config.model_copy(update={"stereoset": stereoset}), _known={})
    paper = Costs(plan, costs.registry, costs.rates)
    lines = [f"StereoSet's next-sentence classifiers (A.5), {len(jobs)} models, 10 epochs:"]
    size = f"{section.train:,}" if section.train else "all"
    for of, said in (
        (costs, f"{size} examples, as configured"),
        (paper, f"{examples:,}, as in the paper"),
    ):
        gpu, cpu = sum(of.cost(job).gpu for job in jobs), sum(of.cost(job).cpu for job in jobs)
        lines.append(f"  {said}: {spent(gpu)} of a GPU, or {spent(cpu)} of a core")
    return lines


# What is missing.


def gains_told(plan: Plan, sources: Mapping[str, str]) -> list[str]:
    """What one more source would give, in lines: cells filled, and cells that become exact.

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
    told = f"cells: {len(before):,}, of which {empty:,} stay empty; one more input would give"
    return [told, *lines, f"  all that are missing or stand-ins: {_counted(filled, exact)}"]


def _with(plan: Plan, bindings: Mapping[str, Binding]) -> Plan:
    return replace(plan, bindings={**plan.bindings, **bindings}, _known={})


def _ranks(plan: Plan) -> dict[tuple[str, str, str], int]:
    """By cell, 0 if it stays empty, 2 if it rests on the paper's own inputs, otherwise 1."""
    known: dict[tuple, int] = {}
    found = {}
    for target, declared in plan.declarations.artefacts.items():
        for cell in declared.cells():
            variant = cell.column.partition("@")[2]
            listed = declared.variants[variant].listed_in if variant else ""
            key = (*cell[2:], listed, variant)
            if key not in known:
                empty = bool(plan.reason(declared, cell))
                known[key] = 0 if empty else 1 + (plan.fidelity(cell) == "exact")
            found[target, cell.row, cell.column] = known[key]
    return found


def _gained(before: Mapping[tuple, int], plan: Plan) -> tuple[int, int]:
    after = _ranks(plan)
    filled = sum(rank == 0 < after[cell] for cell, rank in before.items())
    exact = sum(rank < after[cell] == 2 for cell, rank in before.items())
    return filled, exact


def _counted(filled: int, exact: int) -> str:
    said = [f"{filled:,} more cells"] * bool(filled) + [f"{exact:,} become exact"] * bool(exact)
    return ", ".join(said) or NO_INPUT


def aligned(rows: list[list[str]]) -> list[str]:
    """Rows of text in columns: the first to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  "
        + "  ".join(
            cell.ljust(w) if not i else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
