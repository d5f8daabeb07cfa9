"""What a run prints and checks around its jobs, from what Snakemake knows of it.

Snakemake has no public way to some of it, such as which jobs are left.
"""

from __future__ import annotations

import atexit
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from socialbias.config import paper_sources
from socialbias.pipeline import gpus
from socialbias.pipeline.failures import processes_killed, reasons
from socialbias.pipeline.job_reads import JobReads
from socialbias.pipeline.messages import (
    MADE,
    Target,
    ending,
    inputs_line,
    replaced,
    spent,
    unknown_target,
)
from socialbias.pipeline.plan_lines import (
    CORES,
    FETCH,
    cost_lines,
    least_time,
    price_lines,
    question,
)
from socialbias.pipeline.preview import fetched, render
from socialbias.pipeline.requests import Requests, job_name
from socialbias.sources.binding import Places, bind
from socialbias.sources.unavailable import read_unavailable


@dataclass
class Session:
    """One run of Snakemake, in the process that a person starts."""

    workflow: Any  # Snakemake's
    requests: Requests
    places: Places
    frozen: Sequence[str] = ()  # sections whose encoders stay untrained without a GPU
    started: float = field(default_factory=time.monotonic)
    killed: int = field(default_factory=processes_killed)  # for memory, before the run began

    def first_lines(self) -> list[str]:
        """Lines on the inputs of the run, and on what it leaves out."""
        plan = self.requests.plan
        kinds = [MADE if b.role in plan.made else b.fidelity for b in plan.bindings.values()]
        lines = [inputs_line(plan.config.run, kinds)]
        if self.frozen:
            lines.append(
                f"no GPU: the encoders of {', '.join(self.frozen)} stay frozen, and only "
                "classifiers on them are trained (`fine_tune: true` there trains whole encoders; "
                "`make plan` shows how long that takes)"
            )
        return lines + self._left_out()

    def _left_out(self) -> list[str]:
        """Return a line on the roles whose source could not be fetched before this run."""
        plan = self.requests.plan
        inputs = plan.config.inputs.model_dump()
        if roles := replaced(self.places.unavailable, inputs, plan.bindings):
            instead = "; ".join(roles.values())
            return [f"not fetched: {instead} (`make doctor LOOK=--look` asks the hosts again)"]
        return []

    def show_nearest_target(self) -> None:
        """Print the nearest targets to one that is misspelt; nothing if all are known."""
        rules = list(self.workflow.rules)
        if not self.workflow.dag_settings:  # nothing was to be made
            return
        names = [rule.name for rule in rules if not rule.has_wildcards()] + ["default"]
        targets = [str(target) for target in self.workflow.dag_settings.targets]
        if {*names}.issuperset(targets):
            return
        reads = JobReads(self.requests.plan, self.requests.registry)
        files = [file for name in self._artefacts for file in reads.artefact_files(name)]

        def made(path: str) -> bool:
            return Path(path).exists() or any(rule.is_producer(path) for rule in rules)

        if line := unknown_target(targets, names, files, made):
            print(line, file=sys.stderr)

    def check_hours(self) -> None:
        """Stop a run that is planned to take longer than allowed."""
        jobs, settings = self._jobs_left(), self.workflow.resource_settings
        needs = {name: self.requests.need(name) for name in jobs.values()}
        cores = settings.cores or CORES * (settings.nodes or 1)  # a cluster has nodes: jobs at once
        given = int(gpus.count_of("gpu", self.workflow.global_resources))
        cards = (given or settings.nodes or 1) * any(need.gpu for need in needs.values())
        seconds = least_time(needs, self._waits(jobs), cores, cards)
        limit = self.requests.plan.config.planning.run_hours
        if long := question(seconds, limit, cores, cards):
            sys.exit(long)

    def show_plan(self) -> None:
        """Print what a dry run would fetch and cost; nothing after any other run."""
        if not self.workflow.dryrun or not (jobs := self._jobs_left()):
            return
        waits, requests = self._waits(jobs), self.requests
        sources = [name.removeprefix(FETCH) for name in waits if name.startswith(FETCH)]
        rows = fetched(requests.plan.bindings, requests.registry, self.places, sources)
        made = [target for target in self._artefacts if f"values/{target}" in waits]
        costs = [*price_lines(requests, waits, made), *cost_lines(requests, waits)]
        print(*self.first_lines(), render(rows), *costs, sep="\n")

    def succeed(self) -> None:
        """Print the results and where they are, after Snakemake's own last lines."""
        seconds, settings = time.monotonic() - self.started, self.workflow.dag_settings
        if rules := sorted({*settings.until, *settings.omit_from}):
            self._end([f"done up to {', '.join(rules)}: {spent(seconds)}", *self._left_out()])
            return
        targets, run = self._requested(), self.requests.plan.run
        claims = run / "claims.csv" if targets[0].name == "the page" else None
        self._end([*ending(targets, claims, seconds), *self._left_out()])

    def fail(self, log: str) -> None:
        """Print why jobs failed by Snakemake's log of the run, likewise."""
        lines = reasons(log, processes_killed() > self.killed)
        self._end([*lines, *self._how_to_go_on()])

    def _how_to_go_on(self) -> list[str]:
        """Return how the run goes on without sources that could not be fetched."""
        inputs, plan = self.requests.plan.config.inputs.model_dump(), self.requests.plan
        failed = read_unavailable(self.places.data).keys() - {*self.places.unavailable}
        unavailable = tuple(sorted({*self.places.unavailable, *failed}))
        places = replace(self.places, unavailable=unavailable)
        bindings = plan.bindings | bind(inputs, self.requests.registry, places, paper_sources())
        roles = replaced(sorted(failed), inputs, bindings)
        if not roles:
            return []
        lines = [
            f"run the same command again to go on without {', '.join(sorted(failed))}: "
            f"{'; '.join(roles.values())} (`make doctor LOOK=--look` before asks the hosts again)"
        ]
        if empty := [f"{role}: []" for role in roles if not bindings[role].source]:
            lines.append(
                "or, to leave out for good what has no input, add this value to `--config`: "
                f"'inputs={{{', '.join(empty)}}}'"
            )
        return lines

    def _end(self, lines: Sequence[str]) -> None:
        atexit.register(print, *lines, sep="\n", file=sys.stderr)

    def _jobs_left(self) -> dict[Any, str]:
        """Return by job that has to be done, its name; targets only ask for others."""
        jobs = [
            job for job in self.workflow.dag.needrun_jobs(exclude_finished=False) if job.rule.output
        ]
        return {job: job_name(job.rule.name, job.wildcards_dict.values()) for job in jobs}

    def _waits(self, jobs: Mapping[Any, str]) -> dict[str, list[str]]:
        """Return by job those that it waits for and that have to be done too."""
        before = self.workflow.dag.dependencies
        return {name: [jobs[x] for x in before[job] if x in jobs] for job, name in jobs.items()}

    @property
    def _artefacts(self) -> dict:
        return self.requests.plan.declarations.artefacts

    def _requested(self) -> list[Target]:
        """Return what a person asked for, and where it is."""
        result, run, rules = [], self.requests.plan.run, {r.name: r for r in self.workflow.rules}
        papers = {declared.paper for declared in self._artefacts.values()}
        for target in map(str, self.workflow.dag_settings.targets or ["all"]):
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
        return tuple(self.requests.plan.run / a.paper / a.artefact for a in chosen)
