"""`audit`: run the instruments that fit a subject, and collect their results."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from socialbias.commands.audit.benchmarks import Benchmarks
from socialbias.commands.audit.bundle import (
    SIDES,
    code_digest,
    digest_of,
    earlier_audit,
    read_answers,
    read_head,
    write_answers,
    write_bundle,
    write_head,
)
from socialbias.commands.audit.page import Audit, from_json
from socialbias.commands.audit.results import TWIN, Absent, Entry, Outcomes, Step, attempted, failed
from socialbias.commands.measure_subject import software
from socialbias.commands.settings import DEFAULTS, Resampling
from socialbias.commands.subjects import Subject, open_subject
from socialbias.errors import UserError, naming_extras, nearest
from socialbias.system.progress import FIRST, time_left

if TYPE_CHECKING:  # a light installation has no torch
    from socialbias.commands.audit import instruments_models

ITEMS = 400  # of each task of a model
DATA = Path("data")
Say = Callable[[str], None]


@dataclass(frozen=True)
class _Job:
    """What each kind of audit needs."""

    subject: Subject  # what is audited
    benchmarks: Benchmarks  # where benchmarks are
    resampling: Resampling  # how uncertainty is computed
    # `items`, `text_key`, `by`, `out` and `recorded`, as for `audit`
    options: dict
    say: Say  # called with a line for each step
    sampled: dict[str, None]  # takes what was sampled, in words, each once
    until_end: ExitStack  # what is closed when the audit ends


@naming_extras()
def audit(
    subject: object,
    *,
    n: int = ITEMS,
    data: str | Path = DATA,
    offline: bool = False,
    text_key: str | None = None,
    by: str | None = None,
    seed: int = DEFAULTS.seed,
    out: str | Path | None = None,
    only: Sequence[str] = (),
    recorded: Path | None = None,
    say: Say = lambda line: None,
) -> Audit:
    """Run every instrument that fits a subject, with controls and the papers' numbers.

    If an instrument fails, the others still run; `absent` gives the reason.
    """
    opened = open_subject(subject, offline=offline, served=True)
    options = {"items": n, "text_key": text_key, "by": by}
    opened.check_text_options(text_key, by)
    if opened.kind != "model" and n != ITEMS:
        raise UserError(f"n is only for models, but {opened.name} is {opened.kind}")
    out = None if out is None else Path(out)
    read = opened.provenance()
    made_from = {"subject": digest_of(read), "code": code_digest(), "seed": seed} | options
    benchmarks = Benchmarks(Path(data), offline, say)
    before = earlier_audit(out, made_from, benchmarks) if out else None
    if before is not None:
        say(f"continuing the audit in {out}")
    results = _Results((*before.entries, *before.absent) if before else (), only)

    def so_far() -> Audit:
        audit = Audit(
            opened.name,
            opened.kind,
            results.of(Entry),
            results.of(Absent),
            tuple(job.sampled),
            [read, *benchmarks.read, software(seed)],
            made_from,
            results.left,
        )
        # A continued audit has the digits of the file: one that is not continued shows the same.
        return audit if out is None else from_json(audit.as_dict())

    with ExitStack() as until_end:
        sampled = dict.fromkeys(before.sampled if before else ())
        how = options | {"out": out, "recorded": recorded}
        job = _Job(opened, benchmarks, Resampling(seed), how, say, sampled, until_end)
        for line in results.run(list(_steps(job))):
            say(line)
            if out is not None and (written := so_far()).entries:
                out.mkdir(parents=True, exist_ok=True)
                written.write(out)
                write_bundle(out)
        audit = so_far()
    if not audit.entries:
        reason = audit.absent[0].reason
        raise UserError(f"{opened.name}: no instrument gave a result: {reason}")
    return audit


class _Results:
    """The outcomes of steps, from an earlier audit and from this one."""

    def __init__(self, before: Iterable[Entry | Absent], only: Sequence[str]):
        """Begin with those of an earlier audit; for `only` see `audit`."""
        self._names: list[str] = []
        self._only, self._again = only, set()
        self._outcomes: dict[str, list[Entry | Absent]] = {}
        for outcome in before:
            self._outcomes.setdefault(outcome.step, []).append(outcome)
            if isinstance(outcome, Absent):
                self._again.add(outcome.step)

    def run(self, steps: Sequence[Step]) -> Iterator[str]:
        """Run the steps that are wanted; yield a line after each."""
        self._names = [step.name for step in steps]
        for part in self._only:
            if not any(is_chosen(name, [part]) for name in self._names):
                known = [*self._names, *(name.partition("-")[0] for name in self._names)]
                hint = nearest(part, known) or f"; choose from {', '.join(self._names)}"
                raise UserError(f"only: no instrument is called {part!r}{hint}")
        due = [s for s in steps if s.name not in self._outcomes or s.name in self._again]
        wanted = [step for step in due if is_chosen(step.name, self._only)]
        wanted.sort(key=lambda step: step.name in self._again)  # those that failed before, last
        began = time.monotonic()
        for i, step in enumerate(wanted, start=1):
            outcomes = [replace(outcome, step=step.name) for outcome in step.outcomes()]
            self._outcomes[step.name] = outcomes
            entries = any(isinstance(outcome, Entry) for outcome in outcomes)
            place = f"{i} of {len(wanted)}"
            seconds = time.monotonic() - began
            if seconds > FIRST and i < len(wanted):
                place += f", about {time_left(seconds, i, len(wanted))}"
            yield f"{step.name}: {'done' if entries else 'no result'} ({place})"

    def of(self, kind: type) -> tuple:
        """Return the entries, or what is absent, in the order of the steps."""
        every = chain.from_iterable(self._outcomes.get(name, []) for name in self._names)
        return tuple(outcome for outcome in every if isinstance(outcome, kind))

    @property
    def left(self) -> tuple[str, ...]:
        """The names of steps that were never run."""
        return tuple(name for name in self._names if name not in self._outcomes)


def is_chosen(name: str, only: Sequence[str]) -> bool:
    """Return whether `only` has the name of a step, or how it begins; always if `only` is empty."""
    return not only or any(name.startswith(part) for part in only)


def _steps(job: _Job) -> Iterator[Step]:
    """Yield the steps for the subject."""
    if job.subject.kind == "model":
        yield from _of_model(job)
    elif job.subject.kind == "corpus":
        from socialbias.commands.audit import instruments_texts
        from socialbias.commands.measure_corpus import prepare_corpus

        how = (job.options["text_key"], job.options["by"])
        corpus = job.until_end.enter_context(prepare_corpus(job.subject, *how))
        yield from instruments_texts.steps(corpus, job.subject, job.resampling, job.benchmarks)
    else:
        yield from _of_vectors(job)


def _of_vectors(job: _Job) -> Iterator[Step]:
    from socialbias.commands.audit import instruments_relatedness, instruments_vectors
    from socialbias.commands.audit.seeds import vocabulary

    benchmarks, resampling = job.benchmarks, job.resampling
    vectors, _ = vocabulary(job.subject, instruments_vectors.words_of(benchmarks))
    known = [word for word in job.subject.vocabulary() if word in vectors.index]

    @cache
    def related() -> Sequence[Entry | Absent]:
        return tuple(instruments_relatedness.relatedness(vectors, benchmarks, resampling))

    def with_caution(step: Step) -> Outcomes:
        yield from step.outcomes(instruments_relatedness.weakness(related()))

    yield Step("relatedness", related)
    how = (vectors, job.subject, benchmarks, resampling, "emb")
    for step in instruments_vectors.steps(*how, vocabulary=known):
        yield replace(step, measure=partial(with_caution, step))


def _of_model(job: _Job) -> Iterator[Step]:
    from socialbias.commands.audit import instruments_models

    recorded, out = job.options["recorded"], job.options["out"]
    if job.subject.server:
        folder, head = None, "causal"
        conventions = instruments_models.conventions_of(job.subject.server)
    elif recorded is None:
        job.say(f"{job.subject.name}: reading the model")
        scratch = job.until_end.enter_context(TemporaryDirectory())
        folder = instruments_models.unpacked(job.subject.path, Path(scratch))
        head, conventions = instruments_models.head_of(folder)
    else:
        folder, (head, conventions) = recorded, read_head(recorded)
    how = (job.options["items"], job.resampling, head)
    tasks: dict[str, instruments_models.Task] = {}
    for made in instruments_models.tasks(job.subject, job.benchmarks, *how):
        if isinstance(made, Absent):
            yield Step(made.instrument, partial(tuple, [made]))
        else:
            tasks[made.name] = made
    sides = SIDES[:1] if job.subject.is_served else SIDES  # a server has no twin

    def answers(task: instruments_models.Task, side: str) -> object:
        if recorded is not None:
            return read_answers(folder, task, side)
        if job.subject.server:
            return instruments_models.answers_of_items(job.subject.server, task.items, task.scoring)
        return instruments_models.answers(folder, task.items, task.scoring, side == TWIN)

    def answered(task: instruments_models.Task) -> Outcomes:
        given: list = [None, None]
        for i, side in enumerate(sides):
            try:
                given[i] = answers(task, side)
            except Exception as error:
                given[i] = failed("", error)
        model, random = given
        if task.table is not None:
            left = 0 if isinstance(model, Absent) else int(np.isnan(model).any(axis=1).sum())
            left_out = f", {left} left out: the tokenizer does not tell their candidates apart"
            sampled = f"{task.name}: {len(task.table)} items, scored by {task.scoring}"
            job.sampled[sampled + left_out * bool(left)] = None
        if isinstance(model, Absent):
            yield Absent(task.name, model.reason, model.failed)
            return
        twin = None if isinstance(random, Absent) else random
        outcomes = list(attempted(task.name, task.summarise, model, twin))
        if out is not None and any(isinstance(outcome, Entry) for outcome in outcomes):
            write_head(out, head, conventions)
            for side, numbers in zip(SIDES, (model, twin), strict=True):
                if numbers is not None:
                    write_answers(out, task, side, numbers)
        for outcome in outcomes:
            if isinstance(outcome, Entry) and task.scoring in conventions:
                scored = {"name": job.subject.name, "scoring": conventions[task.scoring]}
                result = replace(outcome.result, provenance=[{"role": "model", **scored}])
                outcome = replace(outcome, result=result)
            yield outcome
        if random is not None and twin is None:
            yield Absent(f"{task.name}: {TWIN}", random.reason, random.failed)

    for name, task in tasks.items():
        yield Step(name, partial(answered, task))
