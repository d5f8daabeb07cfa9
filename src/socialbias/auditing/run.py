"""`audit`: run the instruments that fit a subject, and collect their results."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from socialbias.api.measured import software
from socialbias.api.question import DEFAULTS, Resampling
from socialbias.api.subjects import Subject, open_subject
from socialbias.auditing.benchmarks import Benchmarks
from socialbias.auditing.entries import TWIN, Absent, Outcomes, attempted, failed, gated
from socialbias.auditing.page import Audit
from socialbias.errors import UserError, naming_extras
from socialbias.words.languages import ENGLISH, checked_tag, primary
from socialbias.words.lists import lists

ITEMS, QUICK = 400, 100  # of each task of a model
DATA = Path("data")
# Without this line each new process would run the calling script once more.
ENDED = (
    "a process of the audit ended unexpectedly: memory ran out, or the calling script has no "
    '`if __name__ == "__main__":`; cores=1 starts no processes'
)
Say = Callable[[str], None]


@naming_extras()
def audit(
    subject: object,
    *,
    items: int = ITEMS,
    cores: int = 1,
    data: str | Path = DATA,
    offline: bool = False,
    text_key: str | None = None,
    by: str | None = None,
    language: str | None = None,
    seed: int = DEFAULTS.seed,
    say: Say | None = None,
) -> Audit:
    """Run every instrument that fits a subject, with controls and the papers' numbers.

    If an instrument fails, the others still run; `absent` gives the reason.

    Args:
        subject: Vectors, a corpus or a model, as for `measure`.
        items: Number of items per task of a model, sampled evenly over terms (0 = all).
        cores: Number of processes that run a model.
        data: Folder with benchmarks; missing ones are fetched to it.
        offline: Fetch nothing.
        text_key: As for `measure`.
        by: As for `measure`.
        language: BCP 47 tag of vectors or a corpus; XWEAT's lists are used for other languages
            than English.
        seed: Random seed.
        say: Called with a line for each step.

    Raises:
        UserError: the subject cannot be read, or nothing could be measured.
    """
    opened, say = open_subject(subject, offline=offline), say or (lambda line: None)
    foreign = language is not None and _packaged(language) != ENGLISH
    _check_options(opened, items, text_key, by, language if foreign else None)
    started, used = time.monotonic(), _cpu()
    benchmarks = Benchmarks(Path(data), offline, say)
    sampled: list[str] = []
    resampling = Resampling(seed)
    if opened.kind == "model":
        outcomes = _of_model(opened, benchmarks, items, cores, resampling, say, sampled)
    elif opened.kind == "corpus":
        from socialbias.auditing import of_texts

        how = {"text_key": text_key, "by": by, "language": language}
        outcomes = of_texts.entries(opened, resampling, benchmarks, **how)
    elif foreign:
        from socialbias.auditing import of_languages

        outcomes = of_languages.entries(opened, language, resampling)
    else:
        outcomes = _of_vectors(opened, benchmarks, resampling, sampled)
    entries, absent = [], []
    for outcome in outcomes:
        without = isinstance(outcome, Absent)
        say(f"{outcome.instrument}: {'no result' if without else 'done'}")
        (absent if without else entries).append(outcome)
    if not entries:
        raise UserError(f"{opened.name}: no instrument gave a result: {absent[0].reason}")
    return Audit(
        opened.name,
        opened.kind,
        tuple(entries),
        tuple(absent),
        tuple(sampled),
        [opened.provenance(), *benchmarks.read, software(seed)],
        time.monotonic() - started,
        _cpu() - used,
    )


def _check_options(
    opened: Subject, items: int, text_key: str | None, by: str | None, foreign: str | None
) -> None:
    """Raise UserError for an option that has no effect on this subject."""
    opened.check_text_options(text_key, by)
    if opened.kind != "model" and items != ITEMS:
        raise UserError(f"items and quick are only for models, but {opened.name} is {opened.kind}")
    if foreign and opened.kind == "model":
        hint = f"socialbias measure {opened.name} --language {foreign} measures its words"
        raise UserError(f"language: the tasks for models are in English; {hint}")


def _packaged(language: str) -> str:
    """Return the language of a tag, for which there are packaged lists."""
    known = dict.fromkeys(word_lists.language for word_lists in lists().values())
    if primary(checked_tag(language)) not in known:
        hint = f"choose from {', '.join(known)}, or use your own lists with socialbias measure"
        raise UserError(f"language: there are no packaged lists in {language}; {hint}")
    return primary(language)


def _cpu() -> float:
    """Return the CPU-seconds of this process and of its finished children."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, kinds))


def _of_vectors(
    subject: Subject, benchmarks: Benchmarks, resampling: Resampling, sampled: list[str]
) -> Outcomes:
    from socialbias.auditing import of_seeds, of_vectors
    from socialbias.auditing.seeds import vocabulary

    words = [*of_vectors.words_of(benchmarks), *of_seeds.words_of(benchmarks)]
    vectors, many = vocabulary(subject, words)
    known = [word for word in subject.vocabulary() if word in vectors.index]
    related = list(of_seeds.relatedness(vectors, benchmarks, resampling))
    yield from related
    weak = of_seeds.weakness(related)
    sampled.append(f"analogies and coherence among the first {many:,} words")
    outcomes = chain(
        of_seeds.entries(vectors, benchmarks, resampling),
        of_vectors.entries(vectors, subject, benchmarks, resampling, "emb", vocabulary=known),
    )
    yield from (gated(outcome, weak) for outcome in outcomes)


def _of_model(
    subject: Subject,
    benchmarks: Benchmarks,
    items: int,
    cores: int,
    resampling: Resampling,
    say: Say,
    sampled: list[str],
) -> Outcomes:
    from socialbias.auditing import of_models

    with TemporaryDirectory() as scratch:
        say(f"{subject.name}: reading the model")
        folder = of_models.unpacked(subject.path, Path(scratch))
        scores = of_models.has_head(folder)
        tasks = []
        for made in of_models.tasks(subject, benchmarks, items, resampling, scores):
            if isinstance(made, Absent):
                yield made
            else:
                tasks.append(made)
        calls = [
            partial(of_models.answers, folder, task.items, task.scoring, random)
            for task in tasks
            for random in (False, True)
        ]
        answers = _called(calls, cores)
        for task in tasks:
            model, random = next(answers), next(answers)
            if task.table is not None:
                sampled.append(f"{task.name}: {len(task.table)} items")
            if isinstance(model, Absent):
                yield Absent(task.name, model.reason, model.failed)
                continue
            twin = None if isinstance(random, Absent) else random
            yield from attempted(task.name, task.summarise, model, twin)
            if twin is None:
                yield Absent(f"{task.name}: {TWIN}", random.reason, random.failed)


def _called(calls: Sequence[Callable], cores: int) -> Iterator[object]:
    """Yield the result of each call, in order, or why it failed."""
    if cores == 1:
        yield from (_result_of(call) for call in calls)
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # for the processes started below
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        for future in [pool.submit(call) for call in calls]:
            try:
                yield _result_of(future.result)
            except BrokenProcessPool as error:
                raise UserError(ENDED) from error


def _result_of(call: Callable) -> object:
    try:
        return call()
    except BrokenProcessPool:
        raise
    except Exception as error:
        return failed("", error)
