"""What a run costs, told before it starts: seconds, memory and disk of every job.

The rates are in `resources/costs.yaml`, with where they were measured. A job costs a sum of amounts
(million tokens, models, ...) times rates; the amounts follow from the configuration and from the
sources' expected sizes. They are estimates: the quickstart's sum is within a third of what was
measured (tests/pipeline/test_costs.py), a paper run's rests on more extrapolation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from socialbias.pipeline.amounts import Amounts, Sizes
from socialbias.pipeline.declarations import EVIDENCE_RULES, Step
from socialbias.pipeline.jobs import Jobs, jobs_of, step_of
from socialbias.pipeline.plan import Plan
from socialbias.sources.registry import Source
from socialbias.yaml_files import read_yaml

COSTS = Path("resources/costs.yaml")
MB_BESIDE_GPU = 2500  # of a process that has one


class Cost(NamedTuple):
    """What a job is expected to need.

    Attributes:
        cpu: Seconds of one core, if it has no GPU; on `Costs.cores` it takes that much less.
        gpu: Seconds that it holds a GPU, if it has one; 0 for a job that uses none.
        mb: Megabytes of memory, without a GPU.
        gpu_mb: Megabytes of memory, not the card's, of a job that has a GPU.
        disk: Megabytes that it leaves.
    """

    cpu: float
    gpu: float
    mb: float
    gpu_mb: float
    disk: float


class Asked(NamedTuple):
    """What a job asks of an executor: megabytes and minutes."""

    mem_mb: int
    runtime: int


@dataclass(frozen=True)
class Costs(Sizes):
    """Costs of a run's jobs, beside what is known of its sources."""

    _known: dict[str, Cost] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, plan: Plan, registry: Mapping[str, Source]) -> Costs:
        """The costs of a plan at the project's rates."""
        return cls(plan, registry, read_yaml(plan.root / COSTS))

    @cached_property
    def jobs(self) -> Jobs:
        """By job, those that it waits for."""
        return jobs_of(self.plan, self.registry)

    def cost(self, job: str) -> Cost:
        """What a job is expected to need; `jobs.jobs_of` says how it is called."""
        if job not in self._known:
            self._known[job] = self._cost(job)
        return self._known[job]

    def _cost(self, job: str) -> Cost:
        entry, amounts = self._entry(job), Amounts(self, job)

        def total(kind: str) -> float:
            return sum(getattr(amounts, name) * x for name, x in entry.get(kind, {}).items())

        cpu, mb, disk = total("seconds"), total("mb"), total("disk")
        if "model" not in entry:
            return Cost(cpu, 0, mb, mb, disk)
        model, tokens = amounts.model, getattr(amounts, f"{entry['model']}_tokens")
        on_core, on_gpu = model.seconds(tokens)
        beside = max(mb, MB_BESIDE_GPU) + 4.5 * model.all
        on_cores = mb + total("cores_mb") + model.mb(tokens)
        return Cost(cpu + on_core, cpu + on_gpu, on_cores, beside, disk)

    def _entry(self, job: str) -> Mapping[str, Any]:
        """The rates of a job: those of the first pattern that fits.

        Raises:
            LookupError: no pattern does.
        """
        for pattern, entry in self.rates["jobs"].items():
            if fnmatchcase(job, pattern):
                return entry
        raise LookupError(f"{self.plan.root / COSTS}: no entry fits the job {job}")

    def asked(self, job: str, gpus: bool = False, cores: int = 1) -> Asked:
        """What a job asks of an executor, the first time that it is tried.

        Args:
            job: Its name.
            gpus: Whether jobs that run a model have a GPU.
            cores: How many it has, if it has no GPU.
        """
        asked, cost = self.rates["asked"], self.cost(job)
        on_gpu = gpus and cost.gpu
        seconds, mb = (cost.gpu, cost.gpu_mb) if on_gpu else (cost.cpu / cores, cost.mb)
        step = step_of(self.plan, job) or Step(mem_mb=100, runtime=1)
        least = asked["short_minutes" if self.is_short(job) else "least_minutes"]
        mb = _up(max(mb * asked["times"], step.mem_mb) + asked["snakemake_mb"], asked["mb"])
        minutes = _up(seconds * asked["times"] / 60, least)
        return Asked(mb, max(minutes, step.runtime))

    def is_short(self, job: str) -> bool:
        """Whether a job is too short for a job of a cluster's own."""
        if job.partition("/")[0] not in (*EVIDENCE_RULES, "values"):
            return False
        cost = self.cost(job)
        return not cost.gpu and cost.cpu <= self.rates["short"]

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
