"""What each job of a run costs, estimated before it starts: time, memory, the card's too, and disk.

The rates are in `resources/costs.yaml`, with where they were measured. A job costs a sum of amounts
(million tokens, models, ...) times rates; the amounts follow from the configuration and from the
sources' expected sizes. They are estimates: the quickstart's sum is within a third of what was
measured (tests/pipeline/test_costs.py), that of a paper run extrapolates further.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from socialbias.files.yaml_files import read_yaml
from socialbias.pipeline.amounts import HOUR, Amounts, Sizes, Tokens
from socialbias.pipeline.declarations import EVIDENCE_RULES, Step
from socialbias.pipeline.jobs import Jobs, jobs_of, step_of, whole_of
from socialbias.pipeline.plan import Plan
from socialbias.pipeline.planned_card import Card, card_of
from socialbias.sources.registry import Source

COSTS = Path("resources/costs.yaml")
MB_BESIDE_CARD = 2500  # of a process that has one


class Cost(NamedTuple):
    """What a job is expected to need.

    Attributes:
        seconds: Of time, with the cores or the card that it takes.
        cores: Cores that it takes; one beside a card.
        mb: Megabytes of memory.
        card_mb: Megabytes of the card's memory; 0 for a job that takes no card.
        disk: Megabytes that it leaves.
    """

    seconds: float
    cores: int
    mb: float
    card_mb: float
    disk: float

    @property
    def cpu(self) -> float:
        """Seconds of one core."""
        return self.seconds * self.cores


class Request(NamedTuple):
    """What a job requests of an executor: megabytes and minutes."""

    mem_mb: int
    runtime: int


@dataclass(frozen=True)
class Costs(Sizes):
    """Costs of a run's jobs on a kind of machine, beside what is known of its sources.

    Attributes:
        card: The card that jobs with a model take; None without one.
    """

    card: Card | None = None
    _known: dict[str, Cost] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, plan: Plan, registry: Mapping[str, Source], on_card: bool = False) -> Costs:
        """The costs of a plan at the project's rates, with or without a card.

        Raises:
            UserError: `planning.card` is not a file of `make verify-gpu`.
        """
        rates, config = read_yaml(plan.root / COSTS), plan.config.decided(on_card)
        plan = plan if config == plan.config else replace(plan, config=config)
        card = card_of(config.planning, rates["machine"]) if on_card else None
        return cls(plan, registry, rates, card)

    def parts(self, job: str) -> int:
        """The number of jobs in which a job's work is done; 1 for a job without parts.

        These are shards of a text that is represented, jobs of some items of StereoSet, and a chain
        of jobs that train a classifier. The number depends on the configuration and the sources
        alone, never on the machine or its card: sums of shards are rounded once more, so that
        another number changes their last digits.
        """
        amounts = Amounts(self, job)
        if amounts.rule == "represent":
            done = amounts.model.on_core(amounts.done) / HOUR
            each: float = self.plan.config.trustworthy.hours_per_shard
        elif amounts.step and amounts.step.chain:
            done = amounts.training_seconds / HOUR
            each = self.plan.config.stereoset.next_sentence.hours_per_job
        elif amounts.step and amounts.step.items_per_part:
            done, each = amounts.of("items"), amounts.step.items_per_part
        else:
            return 1
        return max(1, math.ceil(done / each))

    @cached_property
    def jobs(self) -> Jobs:
        """By job, those that it waits for."""
        return jobs_of(self.plan, self.registry, self.parts)

    def cost(self, job: str) -> Cost:
        """What a job is expected to need; `jobs.jobs_of` says how it is called."""
        if job not in self._known:
            self._known[job] = self._cost(job)
        return self._known[job]

    def _cost(self, job: str) -> Cost:
        whole = whole_of(self.plan, job)
        entry, amounts, cores = self.entry(whole), Amounts(self, whole), self.cores(whole)
        seconds, mb, disk, model_mb = (
            amounts.total(entry.get(kind, {})) for kind in ("seconds", "mb", "disk", "model_mb")
        )
        disk *= job == whole
        tokens = self._tokens(job)
        if tokens is None:
            return Cost(seconds / cores, cores, mb, 0, disk)
        model = amounts.model
        if self.card is None:
            mb += model_mb + model.mb(tokens)
            return Cost((seconds + model.on_core(tokens)) / cores, cores, mb, 0, disk)
        options = self.plan.config.contextual
        # Representations and samples have the precision that is asked for, scores float32.
        dtype = options.dtype if amounts.rule in ("represent", "write_samples") else "float32"
        seconds += model.on_card(tokens, self.card, dtype)
        card_mb = model_mb + model.card_mb(tokens, options.tokens_per_batch)
        return Cost(seconds, 1, max(mb, MB_BESIDE_CARD) + 4.5 * model.all, card_mb, disk)

    def _tokens(self, job: str) -> Tokens | None:
        """What a job has a model do; None for a job that runs none, such as one that adds parts."""
        whole = whole_of(self.plan, job)
        done, parts = Amounts(self, whole).done, self.parts(whole)
        step = step_of(self.plan, whole)
        if not any(done[:2]) or (job == whole and parts > 1 and not (step and step.chain)):
            return None
        trained = done.trained / parts
        if step and step.chain:  # each of its jobs looks at all that is held out
            return done._replace(trained=trained)
        return Tokens(done.run / parts, trained, done.texts / parts, done.length)

    def request(self, job: str, attempt: int = 1, threads: int | None = None) -> Request:
        """What a job requests of an executor: more after a failure, and time within the limit.

        Args:
            job: Its name.
            attempt: How often it is tried with this.
            threads: Cores that it has, where they are fewer than it can use.
        """
        factors, cost = self.rates["requested"], self.cost(job)
        step = step_of(self.plan, job) or Step(mem_mb=100, runtime=1)
        least = factors["short_minutes" if self.is_short(job) else "least_minutes"]
        mb = max(cost.mb * factors["times"], step.mem_mb) + factors["snakemake_mb"]
        seconds = cost.cpu / min(threads or cost.cores, cost.cores)
        minutes = max(_up(seconds * factors["times"] / 60, least), step.runtime)
        most = max(1, int(self.plan.config.planning.job_hours * 60))
        return Request(attempt * _up(mb, factors["mb"]), min(attempt * minutes, most))

    def too_long(self) -> list[str]:
        """The jobs that are expected to take longer than a job may, the longest first."""
        most = self.plan.config.planning.job_hours * HOUR
        names = [job for job in self.jobs if self.cost(job).seconds > most]
        return sorted(names, key=lambda job: -self.cost(job).seconds)

    def is_short(self, job: str) -> bool:
        """Whether a job is too short for a job of a cluster's own."""
        if job.partition("/")[0] not in (*EVIDENCE_RULES, "values"):
            return False
        return self._tokens(job) is None and self.cost(job).cpu <= self.rates["short"]

    @cached_property
    def groups(self) -> dict[str, str]:
        """By short job, the group with which it shares a job of a cluster.

        Those of a group come after equally many longer jobs, so that no group waits for itself.
        """
        before: dict[str, int] = {}
        for job, waits in self.jobs.items():
            before[job] = max((before[w] + (not self.is_short(w)) for w in waits), default=0)
        return {job: f"short{n}" for job, n in before.items() if self.is_short(job)}


def _up(value: float, step: int) -> int:
    return math.ceil(value / step) * step
