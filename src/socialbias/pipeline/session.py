"""What a run prints and checks around its jobs, from what Snakemake knows of it.

Snakemake has no public way to some of it: which jobs are left, and which have finished.
"""

from __future__ import annotations

import atexit
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from socialbias.pipeline import cards
from socialbias.pipeline.costs import Costs
from socialbias.pipeline.failures import processes_killed, reasons
from socialbias.pipeline.job_reads import JobReads
from socialbias.pipeline.messages import (
    MADE,
    Progress,
    Target,
    ending,
    frozen_line,
    inputs_line,
    unknown_target,
)
from socialbias.pipeline.plan_lines import CORES, question
from socialbias.pipeline.requests import job_name


@dataclass
class Session:
    """One run of Snakemake, in the process that a person starts.

    Attributes:
        workflow: Snakemake's.
        costs: The plan of the run, and what its jobs are expected to need.
        frozen: Sections of the configuration whose encoders stay untrained without a GPU.
        started: When it began, on the clock `time.monotonic`.
        killed: Processes of this machine that were killed for memory before it began.
    """

    workflow: Any
    costs: Costs
    frozen: Sequence[str] = ()
    started: float = field(default_factory=time.monotonic)
    killed: int = field(default_factory=processes_killed)
    progress: Progress | None = None

    def first_lines(self) -> list[str]:
        """Lines on the inputs of the run, and on what it leaves out."""
        plan = self.costs.plan
        kinds = [MADE if b.role in plan.made else b.fidelity for b in plan.bindings.values()]
        frozen = [frozen_line(self.frozen)] if self.frozen else []
        return [inputs_line(plan.config.run, kinds), *frozen]

    def show_nearest_target(self) -> None:
        """Print the nearest targets to one that is misspelt; nothing if all are known."""
        rules = list(self.workflow.rules)
        if not self.workflow.dag_settings:  # nothing was to be made
            return
        names = [rule.name for rule in rules if not rule.has_wildcards()] + ["default"]
        reads = JobReads(self.costs)
        files = [file for name in self._artefacts for file in reads.artefact_files(name)]

        def made(path: str) -> bool:
            return Path(path).exists() or any(rule.is_producer(path) for rule in rules)

        if line := unknown_target(self._targets, names, files, made):
            print(line, file=sys.stderr)

    def start(self) -> None:
        """Begin to print how far the run is, if it is not planned to take longer than allowed.

        Raises:
            SystemExit: it is; the message is the question whether to run it.
        """
        jobs, settings = self._jobs_left(), self.workflow.resource_settings
        cores = settings.cores or CORES * (settings.nodes or 1)  # a cluster has nodes: jobs at once
        at_once = cards.cards_at_once(self.workflow.global_resources, settings.nodes)
        left = {name for name, _ in jobs.values()}
        if long := question(self.costs, cores, at_once if self.costs.card else 0, left, sys.argv):
            sys.exit(long)
        dag = self.workflow.dag
        self.progress = Progress(
            dict(jobs.values()),
            lambda: [name for job, (name, _) in jobs.items() if dag.finished(job)],
            settings.cores or settings.nodes or 1,
            lambda line: print(line, file=sys.stderr, flush=True),
            {name: job.threads for job, (name, _) in jobs.items()},
        )
        self.progress.start()

    def succeed(self) -> None:
        """Print the results and where they are, after Snakemake's own last lines."""
        targets, run = self._requested(), self.costs.plan.run
        claims = run / "claims.csv" if targets[0].name == "the page" else None
        self._end(ending(targets, claims, time.monotonic() - self.started))

    def fail(self, log: str) -> None:
        """Print why jobs failed, likewise.

        Args:
            log: Snakemake's log of the run.
        """
        self._end(reasons(log, processes_killed() > self.killed))

    def _end(self, lines: Sequence[str]) -> None:
        if self.progress:
            self.progress.stop()
        atexit.register(print, *lines, sep="\n", file=sys.stderr)

    def _jobs_left(self) -> dict[Any, tuple[str, float]]:
        """By job that has to be done, its name and the seconds of one core that it is to take."""
        jobs = {}
        for job in self.workflow.dag.needrun_jobs():
            name = job_name(job.rule.name, job.wildcards_dict.values())
            jobs[job] = (name, self.costs.cost(name).cpu if name in self.costs.jobs else 0.0)
        return jobs

    @property
    def _artefacts(self) -> dict:
        return self.costs.plan.declarations.artefacts

    @property
    def _targets(self) -> list[str]:
        return [str(target) for target in self.workflow.dag_settings.targets]

    def _requested(self) -> list[Target]:
        """What a person asked for, and where it is."""
        result, run, rules = [], self.costs.plan.run, {r.name: r for r in self.workflow.rules}
        papers = {declared.paper for declared in self._artefacts.values()}
        for target in self._targets or ["all"]:
            of_paper = [name for name, a in self._artefacts.items() if a.paper == target]
            if target in ("all", "default", "page"):
                result.append(Target("the page", self._stems(self._artefacts), f"{run}/index.html"))
            elif target in self._artefacts:
                [stem] = self._stems([target])
                result.append(Target(target, (stem,), f"{stem}.html"))
            elif target in papers:
                result.append(Target(target, self._stems(of_paper), f"{run}/{target}/"))
            else:
                files = [str(f) for f in rules[target].output] if target in rules else [target]
                result.append(Target(target, (), ", ".join(files[:2])))
        return result

    def _stems(self, targets: Sequence[str] | dict) -> tuple[Path, ...]:
        """Path and name of artefacts without the kinds of their files."""
        chosen = [self._artefacts[name] for name in targets]
        return tuple(self.costs.plan.run / a.paper / a.artefact for a in chosen)
