"""What jobs ask Snakemake and a cluster for: the same in each process of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from socialbias.pipeline.costs import Costs


def job_name(rule: str, wildcards: Iterable[str]) -> str:
    """The name of a job in the plan of costs: that of its benchmark."""
    rest = "_".join(wildcards)
    return f"{rule}/{rest}" if rest else rule


@dataclass(frozen=True)
class Requests:
    """What jobs of rules ask for: functions as Snakemake calls them.

    They follow from the configuration and from what the first process has decided, and from
    nothing that differs between the machines of a run.

    Attributes:
        costs: What jobs are expected to need, with or without a GPU, as the run has decided.
        has_groups: Whether short jobs share a job of a cluster; see profiles/slurm.
    """

    costs: Costs
    has_groups: bool = False

    def mem_mb(self, rule: str) -> Callable:
        """Megabytes; after a failure, which may be for want of memory, more."""
        return lambda wildcards, attempt: (
            self.costs.request(job_name(rule, wildcards), attempt).mem_mb
        )

    def minutes(self, rule: str) -> Callable:
        """Minutes on the cores that a job has; likewise, but no more than a job may take."""
        return lambda wildcards, attempt, threads=None: (
            self.costs.request(job_name(rule, wildcards), attempt, threads).runtime
        )

    def grouped(self, rule: str) -> Callable | None:
        """The group of a short job, where there are groups."""
        if not self.has_groups:
            return None
        return lambda wildcards: self.costs.groups.get(job_name(rule, wildcards))

    def is_short(self, rule: str) -> Callable:
        """1 for a job that shares a job of a cluster with others, otherwise 0."""
        return lambda wildcards: int(job_name(rule, wildcards) in self.costs.groups)

    def cores(self, rule: str) -> Callable:
        """How many cores a job can use; one beside a GPU."""
        return lambda wildcards: self.costs.cost(job_name(rule, wildcards)).cores

    def gpus(self, rule: str) -> Callable:
        """How many GPUs a job takes: one if it runs a model and the run has any."""
        return lambda wildcards: int(self.costs.cost(job_name(rule, wildcards)).card_mb > 0)
