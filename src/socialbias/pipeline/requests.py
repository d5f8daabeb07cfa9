"""What each job of a run needs and requests, by the table `resources/requests.yaml`.

It follows from the configuration, the sources, and whether the run has GPUs, and is the same in all
processes of a run.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, Self, get_args

from socialbias.config import kind_of, paper_value
from socialbias.config.sections import Size
from socialbias.corpora.recipes import part_of
from socialbias.errors import UserError
from socialbias.files.yaml_files import read_yaml
from socialbias.pipeline.declarations import EVIDENCE_RULES, Cores
from socialbias.pipeline.inputs import READS
from socialbias.pipeline.plan import SUBJECT, Plan
from socialbias.sources.registry import Source
from socialbias.sources.subjects import FILE_LOCATOR

Registry = Mapping[str, Source]
TABLE = Path("resources/requests.yaml")
MEASURED = Path("results/verify-gpu.json")  # where `make verify-gpu` writes
CORES = {  # that jobs of rules without declared steps can use
    "tag_corpus": Cores(of="bad_seeds.tagged_words", each=1_000_000),
    "train_recogniser": Cores(most=8),
}
BYTES_PER_TOKEN = 5.1
UNKNOWN_MODEL_GB = 0.44  # as much as BERT base
TRAINED_GPT2_GB = 0.0035  # of the small GPT-2 that a run trains


def job_name(rule: str, wildcards: Iterable[str]) -> str:
    """Return the name of a job: that of its benchmark."""
    rest = "_".join(wildcards)
    return f"{rule}/{rest}" if rest else rule


class Need(NamedTuple):
    """What a job is expected to need: seconds of one core, or of its GPU, and megabytes."""

    seconds: float = 0
    mb: float = 0
    cores: int = 1
    gpu: int = 0
    runs_model: bool = False

    @property
    def wall(self) -> float:
        """Seconds with all cores that it can use."""
        return self.seconds / self.cores


class Request(NamedTuple):
    """What a job requests of Snakemake and a cluster; `runtime` is in minutes."""

    mem_mb: int
    runtime: int
    cores: int
    gpu: int
    short: int
    group: str | None


@dataclass(frozen=True)
class Requests:
    """What the jobs of a run need and request."""

    plan: Plan
    registry: Registry
    table: Mapping[str, Any]
    gpu_factor: float | None = None  # seconds on its GPUs for one of the table's; None without
    has_groups: bool = False  # whether short jobs share a job of a cluster (profiles/slurm)
    _needs: dict[str, Need] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, plan: Plan, registry: Registry, has_gpu: bool, has_groups: bool = False) -> Self:
        """Return the requests of a run by the project's table."""
        table = read_yaml(plan.root / TABLE)
        return cls(plan, registry, table, gpu_factor(table) if has_gpu else None, has_groups)

    def __call__(self, rule: str, what: str) -> Callable:
        """Return one field of the requests of a rule's jobs, as a function that Snakemake calls."""
        return lambda wildcards, attempt=1, threads=None: getattr(
            self.request(job_name(rule, wildcards), attempt, threads), what
        )

    def request(self, job: str, attempt: int = 1, threads: int | None = None) -> Request:
        """Return what a job requests: more at each attempt, up to the limit of time."""
        factors, need, is_short = self.table["requested"], self.need(job), self.is_short(job)
        mb = need.mb * factors["times"] + factors["snakemake_mb"]
        seconds = need.seconds / min(threads or need.cores, need.cores)
        least = factors["short_minutes" if is_short else "minutes"]
        minutes = _up(seconds * factors["times"] / 60, least)
        most = max(1, int(self.plan.config.planning.job_hours * 60))
        group = f"short{self._longer_before(job)}" if is_short and self.has_groups else None
        mem_mb, runtime = attempt * _up(mb, factors["mb"]), min(attempt * minutes, most)
        return Request(mem_mb, runtime, need.cores, need.gpu, int(is_short), group)

    def is_short(self, job: str) -> bool:
        """Return whether a job is too short for a job of a cluster's own."""
        need, of_many = self.need(job), job.partition("/")[0] in (*EVIDENCE_RULES, "values")
        return of_many and not need.runs_model and need.seconds <= self.table["short"]

    def _longer_before(self, job: str) -> int:
        """Return how many longer jobs come before one: its group, so that none waits for itself."""
        step = self.plan.step_of(job)
        makers = [self.plan.maker(name) for name in step.reads if self.plan.available(name)]
        before = [self._longer_before(x) + (not self.is_short(x)) for x in makers if x]
        return max(before, default=0) + self.plan.collects(job)

    def need(self, job: str) -> Need:
        """Return what a job is expected to need; nothing if the table has no entry of it."""
        if job not in self._needs:
            self._needs[job] = self._need(job)
        return self._needs[job]

    def _need(self, job: str) -> Need:
        whole, step = self.plan.whole_of(job), self.plan.step_of(job)
        collects, keys = self.plan.collects(job), step.settings if step else ()
        sections = [self.plan.setting(key.removesuffix(".fine_tune")) for key in keys]
        # Whether it trains a whole encoder.
        is_tuned = any(isinstance(x, Mapping) and x.get("fine_tune") is True for x in sections)
        name = whole + (" collected" if collects else " tuned" if is_tuned else "")
        if (entry := _first(self.table["jobs"], name)) is None:
            return Need()
        amount, parts = self._amount(whole, entry[0]), 1 if collects else self.plan.parts(whole)
        seconds, mb, *on_gpu = (self.number(cell, amount) for cell in entry[1:])
        cores = step.cores if step else CORES.get(whole.partition("/")[0])
        number = self.plan.cores_of(cores) if cores else 1
        if not on_gpu:
            return Need(seconds / parts, mb, number)
        has_gpu, gb = self.gpu_factor is not None, self._model_gb(whole)
        mb = max(mb, has_gpu * self.table["beside_gpu_mb"])
        mb += _first(self.table["model_mb"], "*" if has_gpu else name) * gb
        if has_gpu:
            return Need(on_gpu[0] * self.gpu_factor / parts, mb, 1, 1, True)
        return Need(seconds / parts, mb, number, 0, True)

    def number(self, cell: str | float, amount: float = 0) -> float:
        """Return a cell of the table in a run of this size: `a + b` is a, and b for each unit."""
        place = get_args(Size).index(self.plan.config.planning.size)
        by_size = [part.split("/") for part in str(cell).split(" + ")]
        base, *each = (float(numbers[place % len(numbers)]) for numbers in by_size)
        return base + sum(each) * amount

    def _amount(self, job: str, grows_with: str) -> float:
        """Return the units of what a job grows with, such as `text * model`."""
        names, _, most = grows_with.partition(" <= ")
        sizes: dict[str, Callable] = {"text": self._text, "model": self._model_gb}
        sizes["source"] = lambda job: self.gigabytes(job.partition("/")[2])
        units = (sizes[x](job) if x in sizes else self._setting(x) for x in names.split(" * ") if x)
        return min(math.prod(units), self._setting(most) / 1e6 or math.inf if most else math.inf)

    def _setting(self, key: str) -> float:
        """Return a number of the configuration; of 0, which is all, the paper's if it says one."""
        section, _, name = key.rpartition(".")
        fields = type(attrgetter(section)(self.plan.config)).model_fields
        return self.plan.setting(key) or paper_value(fields[name]) or 0

    def _text(self, job: str) -> float:
        """Million tokens of all texts that a job reads."""
        rule, _, name = job.partition("/")
        step = self.plan.step_of(job)
        inputs = [x.partition("/") for x in (step.reads if step else ()) if self.plan.available(x)]
        corpora = {x for kind, _, x in inputs if kind in ("corpus", "prepared", "documents")}
        if rule in ("represent", "choose_sentences"):
            corpora = {READS[name.partition("_")[0]]}
        elif rule in ("prepare_corpus", "tag_corpus", "train_vectors", "train_gpt2"):
            corpora = {name.rpartition("_")[0] if rule == "train_vectors" else name or "webtext"}
        return sum(map(self._tokens, corpora))

    def _tokens(self, corpus: str) -> float:
        source = self.plan.bindings[f"corpus_{corpus}"].source
        if not source:  # what the run writes itself
            return 0
        counted = self.table["tokens"].get(self.plan.registered(corpus))
        tokens = counted or 1000 * self.gigabytes(source) / BYTES_PER_TOKEN
        return tokens / 2 if part_of(corpus.replace("_", "-"), source) else tokens

    def _model_gb(self, job: str) -> float:
        """Gigabytes of the model that a job runs."""
        rule, _, name = job.partition("/")
        step = self.plan.step_of(job)
        needs = (x for x in (step.needs if step else ()) if SUBJECT in x or kind_of(x) == "model")
        role = next(needs, "fairness_encoder")  # of recognisers
        if rule in ("represent", "write_samples"):
            role = name.partition("_")[0] or "gpt2"
        if role == "gpt2" and self.plan.trains_gpt2:
            return TRAINED_GPT2_GB
        source = self.plan.bindings[role].source
        own = self.plan.config.subjects.get(source)
        known = self.table["model_gb"].get(own.source if own else source)
        return known or self.gigabytes(source) or UNKNOWN_MODEL_GB

    def gigabytes(self, source: str) -> float:
        """Gigabytes of a source's files, as far as they are known or estimated."""
        known = 0
        for file in self.registry[source].files:
            here = [Path(x.removeprefix(FILE_LOCATOR)) for x in file.locators if FILE_LOCATOR in x]
            known += file.bytes or sum(path.stat().st_size for path in here if path.is_file())
        return max(known / 1e9, self.table["gb"].get(source, 0))


def gpu_factor(table: Mapping[str, Any]) -> float:
    """Seconds on the GPU that `make verify-gpu` measured for one of the table's; 1 without any."""
    try:
        measured = json.loads(MEASURED.read_text("utf-8"))
        if measured["card"] is None:  # only a CPU was verified
            return 1.0
        model = measured.get("rates", {}).get("extraction, BERT-base, float32", {})
        return table["gpu_flops"] / float(model.get("flops") or measured["flops"]["float32"])
    except FileNotFoundError:
        return 1.0
    except (OSError, ArithmeticError, ValueError, TypeError, AttributeError, LookupError) as error:
        problem = f"{MEASURED}: not a file of `make verify-gpu` ({error!r})"
        raise UserError(
            f"{problem}: run it again, or remove it to plan with assumed speed"
        ) from None


def _first(patterns: Mapping[str, Any], name: str) -> Any:
    """Return the value of the first pattern that fits; None if none does."""
    return next((value for key, value in patterns.items() if fnmatchcase(name, key)), None)


def _up(value: float, step: int) -> int:
    return math.ceil(value / step) * step
