"""`audit`: which instruments fit, on how many cores, and what came out."""

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

from socialbias.api.measuring import software
from socialbias.api.question import DEFAULTS, Resampling
from socialbias.api.subjects import Subject, open_subject
from socialbias.auditing.audit import Audit
from socialbias.auditing.benchmarks import Benchmarks
from socialbias.auditing.entries import TWIN, Absent, Entry, failed, gated
from socialbias.errors import UserError, naming_extras
from socialbias.words.languages import ENGLISH, checked_tag, primary
from socialbias.words.lists import lists

ITEMS, QUICK = 400, 100  # of each task of a model
DATA = Path("data")
# In a script without that line each new process would run the script, and the call, once more.
ENDED = (
    "a process of the audit ended at once: memory ran out, or the call stands in a script without "
    '`if __name__ == "__main__":` above it; cores=1 starts no process'
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
    """Every instrument of the papers that fits a subject, with controls and the papers' numbers.

    An instrument that fails takes no other down: `absent` says why.

    Args:
        subject: Vectors, a corpus or a model, as for `measure`.
        items: At most so many of each task of a model, sampled evenly over terms; 0 is all.
        cores: Processes that ask a model at once.
        data: Folder with benchmarks, as the workflow fetches them; what it lacks is fetched there.
        offline: Whether nothing is fetched.
        text_key: As for `measure`.
        by: As for `measure`.
        language: BCP 47 tag of vectors or a corpus: of others than English XWEAT's lists are taken.
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
        found = _of_model(opened, benchmarks, items, cores, resampling, say, sampled)
    elif opened.kind == "corpus":
        from socialbias.auditing import of_texts

        how = {"text_key": text_key, "by": by, "language": language}
        found = of_texts.entries(opened, resampling, benchmarks, **how)
    elif foreign:
        from socialbias.auditing import of_languages

        found = of_languages.entries(opened, language, resampling)
    else:
        found = _of_vectors(opened, benchmarks, resampling, sampled)
    entries, absent = [], []
    for each in found:
        without = isinstance(each, Absent)
        say(f"{each.instrument}: {'no number' if without else 'done'}")
        (absent if without else entries).append(each)
    if not entries:
        raise UserError(f"{opened.name}: no instrument gave a number: {absent[0].reason}")
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
    """UserError for an option that is of no effect on this subject, or cannot be had for it."""
    if opened.kind != "corpus" and (text_key or by):
        raise UserError(f"text-key and by are for a corpus, and {opened.name} is {opened.kind}")
    if opened.kind != "model" and items != ITEMS:
        raise UserError(
            f"items and quick are for a model's tasks, and {opened.name} is {opened.kind}"
        )
    if foreign and opened.kind == "model":
        hint = f"socialbias measure {opened.name} --language {foreign} measures its words"
        raise UserError(f"language: the tasks for models are in English; {hint}")


def _packaged(language: str) -> str:
    """The language alone of a tag, in which there are packaged lists."""
    known = dict.fromkeys(each.language for each in lists().values())
    if primary(checked_tag(language)) not in known:
        hint = f"there are {', '.join(known)}; socialbias measure takes lists of your own"
        raise UserError(f"language: no list is packaged in {language}: {hint}")
    return primary(language)


def _cpu() -> float:
    """CPU-seconds of this process and of those that it waited for."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, kinds))


def _of_vectors(
    subject: Subject, benchmarks: Benchmarks, resampling: Resampling, sampled: list[str]
) -> Iterator[Entry | Absent]:
    from socialbias.auditing import of_seeds, of_vectors
    from socialbias.auditing.seeds import vocabulary

    words = [*of_vectors.words_of(benchmarks), *of_seeds.words_of(benchmarks)]
    vectors, many = vocabulary(subject, words)
    known = [word for word in subject.vocabulary() if word in vectors.index]
    related = list(of_seeds.relatedness(vectors, benchmarks, resampling))
    yield from related
    weak = of_seeds.weakness(related)
    sampled.append(f"analogies and coherence among the first {many:,} words")
    found = chain(
        of_seeds.entries(vectors, benchmarks, resampling),
        of_vectors.entries(vectors, subject, benchmarks, resampling, "emb", vocabulary=known),
    )
    yield from (gated(each, weak) for each in found)


def _of_model(
    subject: Subject,
    benchmarks: Benchmarks,
    items: int,
    cores: int,
    resampling: Resampling,
    say: Say,
    sampled: list[str],
) -> Iterator[Entry | Absent]:
    from socialbias.auditing import of_models

    with TemporaryDirectory() as scratch:
        say(f"{subject.name}: reading the model")
        folder = of_models.kept(subject.path, Path(scratch))
        scores = of_models.has_head(folder)
        tasks = []
        for each in of_models.tasks(subject, benchmarks, items, resampling, scores):
            if isinstance(each, Absent):
                yield each
            else:
                tasks.append(each)
        calls = [
            partial(of_models.answered, folder, each.task, random)
            for each in tasks
            for random in (False, True)
        ]
        answers = _called(calls, cores)
        for each in tasks:
            model, random = next(answers), next(answers)
            if each.table is not None:
                sampled.append(f"{each.task.name}: {len(each.table)} items")
            if isinstance(model, Absent):
                yield Absent(each.task.name, model.reason, model.failed)
                continue
            twin = None if isinstance(random, Absent) else random
            try:
                yield from each.summarise(model, twin)
            except Exception as error:  # one instrument that fails takes no other down
                yield failed(each.task.name, error)
            if twin is None:
                yield Absent(f"{each.task.name}: {TWIN}", random.reason, random.failed)


def _called(calls: Sequence[Callable], cores: int) -> Iterator[object]:
    """What each call gives, in order, or why it gives nothing."""
    if cores == 1:
        yield from (_result_of(call) for call in calls)
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # of the processes that are started now
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
