"""`audit`: run the instruments that fit a subject, and collect their results."""

from __future__ import annotations

import math
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from socialbias.commands.arguments import checked
from socialbias.commands.audit.benchmarks import Benchmarks
from socialbias.commands.audit.bundle import (
    SIDES,
    begin,
    check_out,
    code_digest,
    digest_of,
    earlier_audit,
    publish,
    read_answers,
    read_head,
    write_answers,
    write_bundle,
    write_head,
)
from socialbias.commands.audit.page import FILE, Audit, from_json
from socialbias.commands.audit.results import (
    TWIN,
    Absent,
    Entry,
    Outcomes,
    Step,
    attempted,
    failed,
    name_of,
)
from socialbias.commands.measure_subject import software
from socialbias.commands.settings import DEFAULTS, Resampling
from socialbias.commands.subjects import Subject, open_subject
from socialbias.embeddings.words.languages import ENGLISH, checked_tag, primary
from socialbias.embeddings.words.lists import lists
from socialbias.errors import UserError, naming_extras, nearest
from socialbias.reporting.plain_values import plain
from socialbias.system.progress import FIRST, time_left

if TYPE_CHECKING:  # a light installation has no torch
    from socialbias.commands.audit import instruments_models

ITEMS = 400  # of each task of a model
DATA = Path("data")
# Without this line each new process would run the calling script once more.
ENDED = (
    "a process of the audit ended unexpectedly: memory ran out, or the calling script has no "
    '`if __name__ == "__main__":`; cores=1 starts no processes'
)
Say = Callable[[str], None]


@dataclass(frozen=True)
class _Job:
    """What each kind of audit needs."""

    subject: Subject  # what is audited
    benchmarks: Benchmarks  # where benchmarks are
    resampling: Resampling  # how uncertainty is computed
    # `items`, `cores`, `text_key`, `by`, `language`, `scoring` and `recorded`, as for `audit`;
    # `out` is a temporary folder, of which the user's is a copy.
    options: dict
    say: Say  # called with a line for each step
    sampled: dict[str, None]  # takes what was sampled, in words, each once
    results: _Results  # what is known already, and which steps are to be run
    until_end: ExitStack  # what is closed when the audit ends


@naming_extras()
@checked
def audit(
    subject: object,
    *,
    n: int = ITEMS,
    cores: int = 1,
    data: str | Path = DATA,
    offline: bool = False,
    text_key: str | None = None,
    by: str | None = None,
    language: str | None = None,
    scoring: str = "corrected",
    seed: int = DEFAULTS.seed,
    out: str | Path | None = None,
    only: Sequence[str] = (),
    time_limit: float = math.inf,
    recorded: Path | None = None,
    say: Say | None = None,
) -> Audit:
    """Run every instrument that fits a subject, with controls and the papers' numbers.

    If an instrument fails, the others still run; `absent` gives the reason.
    """
    say = say or (lambda line: None)
    opened = open_subject(subject, offline=offline, served=True)
    options = {"items": n, "text_key": text_key, "by": by, "language": language, "scoring": scoring}
    _check_options(opened, options)
    if out is not None:
        check_out(Path(out), opened.path, Path(data))
    started, read = time.monotonic(), opened.provenance()
    made_from = {"subject": digest_of(read), "code": code_digest(), "seed": seed} | options
    fresh = partial(Benchmarks, Path(data), offline, say)
    before, benchmarks = _continued(out, made_from, fresh, say)
    replaces = out is not None and not before.made_from and (Path(out) / FILE).exists()
    results = _Results(before, only)

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
        sampled = dict.fromkeys(before.sampled)
        made = None if out is None else Path(until_end.enter_context(TemporaryDirectory()))
        if before.made_from:
            begin(Path(out), made)
        how = options | {"cores": cores, "out": made, "recorded": recorded}
        job = _Job(opened, benchmarks, Resampling(seed), how, say, sampled, results, until_end)
        for line in results.run(list(_steps(job)), started + 60 * time_limit):
            say(line)
            # Another audit in the folder is kept until this one has a result.
            if made is not None and ((written := so_far()).entries or not replaces):
                written.write(made)
                write_bundle(made, written)
                publish(made, Path(out))
        audit = so_far()
    if not audit.entries:
        reason = audit.absent[0].reason
        raise UserError(f"{opened.name}: no instrument gave a result: {reason}")
    return audit


class _Results:
    """The outcomes of steps, from an earlier audit and from this one."""

    def __init__(self, before: Audit, only: Sequence[str]):
        """Begin with those of an earlier audit; for `only` see `audit`."""
        self._names: list[str] = []
        self._only, self._again = only, {absent.step for absent in before.absent}
        self._outcomes: dict[str, list[Entry | Absent]] = {}
        for outcome in (*before.entries, *before.absent):
            self._outcomes.setdefault(outcome.step, []).append(outcome)

    def wanted(self, name: str) -> bool:
        """Return whether a step is to be run."""
        return is_chosen(name, self._only) and (name not in self._outcomes or name in self._again)

    def run(self, steps: Sequence[Step], until: float) -> Iterator[str]:
        """Run the steps that are wanted; yield a line after each."""
        self._names = [step.name for step in steps]
        for part in self._only:
            if not any(is_chosen(name, [part]) for name in self._names):
                known = [*self._names, *(name.partition("-")[0] for name in self._names)]
                hint = nearest(part, known) or f"; choose from {', '.join(self._names)}"
                raise UserError(f"only: no instrument is called {part!r}{hint}")
        wanted = [step for step in steps if self.wanted(step.name)]
        wanted.sort(key=lambda step: step.name in self._again)  # those that failed before, last
        began = time.monotonic()
        for i, step in enumerate(wanted, start=1):
            if i > 1 and time.monotonic() > until:
                return
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


def _continued(
    out: str | Path | None, made_from: dict, fresh: Callable[[], Benchmarks], say: Say
) -> tuple[Audit, Benchmarks]:
    """Return what an earlier audit in the folder has measured, with the benchmarks that it read."""
    before, why = (None, "") if out is None else earlier_audit(Path(out), made_from)
    if before is not None:
        benchmarks, read = fresh(), before.provenance[1:-1]
        for entry in read:
            with suppress(UserError):
                benchmarks(entry["role"])
        if plain(benchmarks.read) == read:
            say(f"continuing the audit in {out}")
            return before, benchmarks
        why = "its benchmarks have changed"
    if why:
        say(f"starting a new audit: {why}")
    return Audit("", "", (), ()), fresh()


def is_chosen(name: str, only: Sequence[str]) -> bool:
    """Return whether `only` has the name of a step, or how it begins; always if `only` is empty."""
    return not only or any(name.startswith(part) for part in only)


def _check_options(opened: Subject, options: dict) -> None:
    """Raise UserError for an option that has no effect on this subject."""
    opened.check_text_options(options["text_key"], options["by"])
    is_model, language = opened.kind == "model", options["language"]
    for name, option, default in (("n", "items", ITEMS), ("scoring", "scoring", "corrected")):
        if not is_model and options[option] != default:
            raise UserError(f"{name} is only for models, but {opened.name} is {opened.kind}")
    if _is_foreign(language) and is_model:
        hint = f"socialbias measure {opened.name} --language {language} measures its words"
        raise UserError(f"language: the tasks for models are in English; {hint}")


def _is_foreign(language: str | None) -> bool:
    """Return whether a language is not English; raise UserError if it has no packaged lists."""
    if language is None:
        return False
    known = dict.fromkeys(word_lists.language for word_lists in lists().values())
    if primary(checked_tag(language)) not in known:
        hint = f"choose from {', '.join(known)}, or use your own lists with socialbias measure"
        raise UserError(f"language: there are no packaged lists in {language}; {hint}")
    return primary(language) != ENGLISH


def _steps(job: _Job) -> Iterator[Step]:
    """Yield the steps for the subject."""
    subject, language = job.subject, job.options["language"]
    if subject.kind == "model":
        yield from _of_model(job)
    elif subject.kind == "corpus":
        from socialbias.commands.audit import instruments_texts
        from socialbias.commands.measure_corpus import prepare_corpus

        how = (job.options["text_key"], job.options["by"], language)
        corpus = job.until_end.enter_context(prepare_corpus(subject, *how))
        yield from instruments_texts.steps(
            corpus, subject, job.resampling, job.benchmarks, language
        )
    elif _is_foreign(language):
        from socialbias.commands.audit import instruments_vectors

        yield from instruments_vectors.steps_in(subject, language, job.resampling)
    else:
        yield from _of_vectors(job)


def _of_vectors(job: _Job) -> Iterator[Step]:
    from socialbias.commands.audit import instruments_seeds, instruments_vectors
    from socialbias.commands.audit.seeds import vocabulary

    benchmarks, resampling = job.benchmarks, job.resampling
    vectors, many = vocabulary(job.subject, instruments_vectors.words_of(benchmarks))
    known = [word for word in job.subject.vocabulary() if word in vectors.index]
    job.sampled[f"coherence among the first {many:,} words"] = None

    @cache
    def related() -> Sequence[Entry | Absent]:
        return tuple(instruments_seeds.relatedness(vectors, benchmarks, resampling))

    def with_caution(step: Step) -> Outcomes:
        yield from step.outcomes(instruments_seeds.weakness(related()))

    yield Step("relatedness", related)
    for step in chain(
        instruments_seeds.steps(vectors, resampling),
        instruments_vectors.steps(
            vectors, job.subject, benchmarks, resampling, "emb", vocabulary=known
        ),
    ):
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
    if out is not None:
        write_head(out, head, conventions)
    how = (job.options["items"], job.resampling, head, job.options["scoring"])
    tasks: dict[str, instruments_models.Task] = {}
    for made in instruments_models.tasks(job.subject, job.benchmarks, *how):
        if isinstance(made, Absent):
            yield Step(made.instrument, partial(tuple, [made]))
        else:
            tasks[made.name] = made
    answers = _answers(job, folder, tasks)

    def answered(task: instruments_models.Task) -> Outcomes:
        model, *others = map(_result_of, answers[task.name])
        random = others[0] if others else None  # a server has no twin
        if task.table is not None:
            left = 0 if isinstance(model, Absent) else int(np.isnan(model).any(axis=1).sum())
            left_out = f", {left} left out: the tokenizer does not tell their candidates apart"
            sampled = f"{task.name}: {len(task.table)} items, scored by {task.scoring}"
            job.sampled[sampled + left_out * bool(left)] = None
        if isinstance(model, Absent):
            yield Absent(task.name, model.reason, model.failed)
            return
        twin = None if isinstance(random, Absent) else random
        for side, numbers in zip(SIDES, (model, twin), strict=True):
            if out is not None and numbers is not None:
                write_answers(out, task, side, numbers)
        for outcome in attempted(task.name, task.summarise, model, twin):
            if isinstance(outcome, Entry) and task.scoring in conventions:
                scored = {"name": job.subject.name, "scoring": conventions[task.scoring]}
                result = replace(outcome.result, provenance=[{"role": "model", **scored}])
                outcome = replace(outcome, result=result)
            yield outcome
        if random is not None and twin is None:
            yield Absent(f"{task.name}: {TWIN}", random.reason, random.failed)

    for name, task in tasks.items():
        yield Step(name, partial(answered, task))


def _answers(
    job: _Job, folder: Path | None, tasks: Mapping[str, instruments_models.Task]
) -> dict[str, list[Callable]]:
    """Return by task what gives the answers of the model and of its twin, when it is called.

    `folder` has the model, or its recorded answers.
    """
    from socialbias.commands.audit import instruments_models

    recorded, server = job.options["recorded"] is not None, job.subject.server

    def call(task: instruments_models.Task, side: str) -> Callable:
        if recorded:
            return partial(read_answers, folder, task, side)
        if server:
            return partial(instruments_models.answers_of_items, server, task.items, task.scoring)
        return partial(instruments_models.answers, folder, task.items, task.scoring, side == TWIN)

    sides = SIDES[:1] if job.subject.is_served else SIDES
    calls = {
        name: [call(task, side) for side in sides]
        for name, task in tasks.items()
        if job.results.wanted(name_of(name))
    }
    if job.options["cores"] == 1 or recorded or server or not calls:
        return calls
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # for the processes started below
    try:
        # An interrupt ends the processes at once and without a traceback.
        ended = {"initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_DFL)}
        pool = ProcessPoolExecutor(job.options["cores"], get_context("spawn"), **ended)
    except OSError as error:  # its semaphores lie in memory
        reason = f"cores: no processes can be started ({error.strerror} in /dev/shm)"
        raise UserError(f"{reason}: use one core, or enlarge it") from None
    job.until_end.callback(pool.shutdown, cancel_futures=True)
    return {name: [pool.submit(call).result for call in pair] for name, pair in calls.items()}


def _result_of(call: Callable) -> object:
    try:
        return call()
    except BrokenProcessPool as error:
        raise UserError(ENDED) from error
    except Exception as error:
        return failed("", error)
