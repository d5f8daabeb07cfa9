"""`verify`: derive the numbers of a finished audit, or run, again from its items."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from socialbias.commands.audit import bundle
from socialbias.commands.audit.benchmarks import Benchmarks
from socialbias.commands.audit.page import FILE, PAGE, Audit, read_audit
from socialbias.commands.audit.results import TWIN, Absent
from socialbias.commands.audit.run import DATA, Say, audit
from socialbias.commands.settings import Resampling
from socialbias.commands.subjects import Subject, open_subject
from socialbias.errors import UserError, naming_extras
from socialbias.files.text import printable, read_text
from socialbias.reporting.contents import NAME as CRATE
from socialbias.reporting.contents import described_files, files_of
from socialbias.reporting.record import NAME as RUN
from socialbias.reporting.record import SCOPE
from socialbias.sources.verified import described
from socialbias.stats.seeding import generator

OPTIONS = ("seed", "text_key", "by")
MAX_LINE = 2000  # characters of a line
MAX_DIFFERENCES = 3  # differences of an instrument that are listed
ANSWER_TOLERANCE = 1e-3  # of answers: batches and processors differ in their last digits by less
OTHER_CODE = "the audit was made by another version of this code, so numbers may differ"
AS_RECORDED = (
    "the model's name and its items were taken as recorded: --redo N --subject MODEL scores some "
    "of them again"
)


@dataclass
class Verified:
    """What was verified."""

    name: str  # what the bundle is of
    # What was compared, with how much of it is the same; a line each.
    checks: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # what differs; a line each
    notes: list[str] = field(default_factory=list)  # what to know; a line each

    def add(self, what: str, problems: Iterable[str], same: str) -> None:
        """Add a check: its problems, or what is the same."""
        problems = list(problems)
        self.problems += problems
        differ = f"{len(problems)} difference{'s' * (len(problems) > 1)}"
        self.checks.append(f"{what:<9}{differ if problems else same}")

    def __str__(self) -> str:
        notes = [f"note     {note}" for note in self.notes]
        problems = [printable(line, MAX_LINE) for line in self.problems]  # they quote the bundle
        lines = [*problems, *self.checks, *notes, f"scope    {SCOPE}"]
        answer = "not verified" if self.problems else "verified"
        return "\n".join([*lines, f"{printable(self.name, MAX_LINE)}: {answer}"])


@naming_extras()
def verify(
    folder: str | Path,
    *,
    subject: object = None,
    redo: int = 0,
    data: str | Path = DATA,
    offline: bool = False,
    seed: int | None = None,
    say: Say = lambda line: None,
) -> Verified:
    """Derive the numbers of an audit, or of a run with a crate, again and compare them.

    The bytes of a run are those of one thread: set OMP_NUM_THREADS=1 before Python starts.
    """
    folder = Path(folder)
    if (folder / RUN).is_file():
        if redo or subject is not None:
            hint = "`make same-numbers FROM=sources` makes its items again"
            raise UserError(f"{folder}: is a run, without --subject and --redo: {hint}")
        return _of_run(folder)
    recorded, (before, shown) = bundle.read_bundle(folder), _audit(folder / FILE)
    opened, made = _subject(before, subject), before.made_from
    if redo and not opened.paths:
        raise UserError("redo: needs the model that was audited: name it with --subject")
    result = Verified(f"{folder} ({before.subject})")
    files = recorded.pop("files")
    how = {"data": data, "offline": offline, "say": say}
    with TemporaryDirectory() as again:
        derived = _derived(folder, before, opened, how | {"out": again})
        parts = {path.relative_to(again).as_posix() for path in files_of(Path(again))}
    problems = [*_changed(folder, files, bundle.BUNDLE)]
    problems += [f"{f['path']}: is no part of this audit" for f in files if f["path"] not in parts]
    result.add("files", problems, "as their checksums say")
    result.add("numbers", _differences(before, derived), "derived again, the same byte for byte")
    wrong = [f"{bundle.BUNDLE}: its scope is another"] * (recorded != {"scope": SCOPE})
    result.add("scope", wrong, "as every audit has it")
    written = {FILE: before.to_json(), PAGE: shown}
    wrong = [
        f"{name}: is not what `audit` writes of the numbers in {FILE}"
        for name, text in written.items()
        if not (folder / name).is_file() or read_text(folder / name) != text
    ]
    result.add("page", wrong, "shows these numbers")
    unseen = [a for a in derived.absent if bundle.NOT_DERIVED in a.reason]
    result.notes += [
        f"{a.instrument}: has no answers, so its reason was not checked" for a in unseen
    ]
    if redo:
        seed = secrets.randbits(32) if seed is None else seed
        differ = list(_redone(folder, opened, Benchmarks(Path(data), offline), made, redo, seed))
        result.add("redone", differ, f"{redo} items of each task (sample {seed}), the same")
    elif opened.kind == "model":
        result.notes.append(AS_RECORDED)
    if before.left:
        result.notes.append(f"the audit is not complete: {', '.join(before.left)} were not run")
    if made["code"] != bundle.code_digest():
        result.notes.append(OTHER_CODE)
    return result


def _audit(path: Path) -> tuple[Audit, str]:
    """Return an audit and its page; raise UserError if it has no page, or not what it needs."""
    audit = read_audit(path)
    try:
        needed = {"subject", "seed", "code", *OPTIONS} <= audit.made_from.keys()
        shown = audit.to_html()
    except (KeyError, ValueError, TypeError, AttributeError):
        needed = False
    if not (needed and audit.provenance and isinstance(audit.provenance, list)):
        raise UserError(f"{path}: is damaged, or of another version")
    return audit, shown


def _subject(before: Audit, subject: object) -> Subject:
    """Return what was audited; of a model that is not at hand, its name."""
    if subject is None:
        if before.kind != "model":
            hint = f"name the audited {before.kind} with --subject"
            raise UserError(f"{before.subject}: its numbers come from its own files: {hint}")
        return Subject("model", before.subject, before.provenance[0].get("format", ""))
    opened = open_subject(subject)
    if bundle.digest_of(opened.provenance()) != before.made_from["subject"]:
        raise UserError(f"{opened.name}: is not what was audited: its checksums differ")
    return opened


def _derived(folder: Path, before: Audit, opened: Subject, how: dict) -> Audit:
    """Return the audit that the items give: answers of a model are taken as recorded.

    With `out` in `how`, it has the digits of the file.
    """
    made = before.made_from
    options = {"n": made["items"]} | {name: made[name] for name in OPTIONS}
    only = list(dict.fromkeys(each.step for each in (*before.entries, *before.absent)))
    if opened.kind == "model":
        how |= {"recorded": folder}
    return audit(opened, **options, **how, only=only)


def _changed(folder: Path, files: Iterable[Mapping], own: str) -> Iterator[str]:
    """Yield the files that are not as described, and those that are not described.

    `own` is the file with the descriptions.
    """
    known = {file["path"]: file for file in files}
    for name, file in known.items():
        if not (folder / name).is_file():
            yield f"{name}: is missing"
        elif described(folder / name, folder) != file:
            yield f"{name}: was changed later"
    there = [path.relative_to(folder).as_posix() for path in files_of(folder)]
    added = [name for name in there if name not in known and name != own]
    yield from _first([f"{name}: was added later" for name in added], "files were added later")


def _first(lines: list[str], what: str) -> Iterator[str]:
    """Yield the first lines, and how many more there are."""
    yield from lines[:MAX_DIFFERENCES]
    if len(lines) > MAX_DIFFERENCES:
        yield f"{len(lines) - MAX_DIFFERENCES} more {what}"


def _differences(before: Audit, derived: Audit) -> Iterator[str]:
    """Yield what an audit has that its items do not give, and what is missing in it."""
    subject = before.provenance[0]
    named = (before.subject, before.kind) == (subject["name"], subject["role"])
    if not named or bundle.digest_of(subject) != before.made_from["subject"]:
        yield f"{FILE}: names another subject than the one that was audited"
    names = [each.instrument for each in (*before.entries, *before.absent)]
    if len({*names}) < len(names):
        yield f"{FILE}: has an instrument twice"
    old, new = (_by_instrument(audit, before.left) for audit in (before, derived))
    for name in old | new:
        had, gives = (dict(_flat(each.get(name, {}))) for each in (old, new))
        if "reason" in had and bundle.NOT_DERIVED in gives.get("reason", ""):
            continue
        places = [at for at in gives | had if had.get(at) != gives.get(at)]
        lines = [f"{at}: is {had.get(at)}, but its items give {gives.get(at)}" for at in places]
        yield from _first([f"{name}, {line}" for line in lines], f"of {name} differ")


def _by_instrument(audit: Audit, left: Sequence[str]) -> dict[str, dict]:
    """Return what an audit has of each instrument that was not `left`, and of them all."""
    every = {"left": ", ".join(sorted({*audit.left, *left}))}
    every |= {"sampled": "; ".join(sorted(audit.sampled)), "read": audit.provenance[1:]}
    outcomes = [*(entry.as_dict() for entry in audit.entries), *map(vars, audit.absent)]
    of_steps = {each["instrument"]: each for each in outcomes if each["step"] not in left}
    return {FILE: every} | of_steps


def _flat(value: object, place: str = "") -> Iterator[tuple[str, object]]:
    """Yield the single values of nested ones, each with its place."""
    if isinstance(value, dict | list):
        parts = value.items() if isinstance(value, dict) else enumerate(value, start=1)
        for name, part in parts:
            yield from _flat(part, f"{place}.{name}".lstrip("."))
    else:
        yield place, value


def _redone(
    folder: Path, model: Subject, benchmarks: Benchmarks, made: Mapping, number: int, seed: int
) -> Iterator[str]:
    """Yield the answers in a random sample that a model does not give again."""
    from socialbias.commands.audit import instruments_models

    resampling = Resampling(made["seed"])
    with TemporaryDirectory() as scratch:
        place = instruments_models.unpacked(model.path, Path(scratch))
        how = (made["items"], resampling, instruments_models.head_of(place)[0])
        for task in instruments_models.tasks(model, benchmarks, *how):
            for side in () if isinstance(task, Absent) else bundle.SIDES:
                if not bundle.path_of_answers(folder, task, side).is_file():
                    continue
                recorded = bundle.read_answers(folder, task, side)
                words, numbers = recorded if isinstance(recorded, tuple) else ((), recorded)
                items = words or task.items
                chosen = generator(seed, task.name, side).permutation(len(items))[:number]
                asked = tuple(items[i] for i in chosen)
                again = instruments_models.answers(place, asked, task.scoring, side == TWIN)
                if words:  # further words are represented beside those that are asked for
                    rows = dict(zip(*again, strict=True))
                    again = np.array([rows[word] for word in asked])
                same = np.isclose(
                    again, numbers[chosen], ANSWER_TOLERANCE, ANSWER_TOLERANCE, equal_nan=True
                ).all(axis=1)
                if not same.all():
                    yield f"{task.name}, {side}: {(~same).sum()} of {len(same)} answers differ"


def _of_run(folder: Path) -> Verified:
    """Verify the files of a run by its crate, its numbers by its evidence, its pages by both."""
    from socialbias.commands.maintenance.same_numbers import same_numbers, same_pages

    result = Verified(str(folder))
    result.add("files", _changed(folder, described_files(folder), CRATE), "as the crate says")
    with contextlib.chdir(folder.absolute().parents[1]):  # paths of a run are seen from here
        seen = Path(*folder.absolute().parts[-2:])
        differ = same_numbers(seen)
        pages = list(same_pages(seen))
    lines = [f"{target}: {other.line}" for target, moved in differ.items() for other in moved]
    result.add("numbers", lines, f"{len(differ)} artefacts derived again, the same byte for byte")
    result.add("pages", pages, "pages, claims and exports are those that the values give")
    return result
