"""The jobs of a run and what each waits for, known before Snakemake plans anything.

A job is named as its benchmark is: the rule and what tells its jobs apart, such as
`train_vectors/nyt_0`, or the rule alone where it has one job.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from socialbias.pipeline.chains import LINK, links_of
from socialbias.pipeline.declarations import EVIDENCE_RULES, Step
from socialbias.pipeline.inputs import READS, UNORDERED, WITH_MOST_FREQUENT, WORD_SETS
from socialbias.pipeline.plan import Plan
from socialbias.sources.registry import Source

Jobs = dict[str, tuple[str, ...]]  # by job, those that it waits for
PAGE, COMPLETE, AUDIT = "page", "complete", "print_audit"
SHARD, PART = "represent_shard", "evidence_part"  # rules of jobs that do a part of another's work


class Sizes(Protocol):
    """What is known of a run: its plan, its sources, and into how many parts a job is divided."""

    plan: Plan
    registry: Mapping[str, Source]

    def parts(self, job: str) -> int:
        """The number of jobs in which a job's work is done."""


def jobs_of(sizes: Sizes) -> Jobs:
    """Every job of the target `all`, with those that it waits for.

    Args:
        sizes: What the run reads and makes, and how much there is of it.

    Returns:
        Jobs by name, each after all that it waits for.
    """
    found: Jobs = {AUDIT: ()}
    plan, graph = sizes.plan, _Graph(sizes, found)
    for target in plan.declarations.artefacts:
        graph.add(graph.figure(target) if plan.has_numbers(target) else graph.values(target))
    bound = [b.role for b in plan.bindings.values() if b.source]
    sources = [job for role in bound for job in graph.makers(role)]
    for job in sources:
        graph.add(job)
    made = [job for job in found if job.startswith(("values/", "figure/"))]
    found[PAGE] = (*dict.fromkeys([AUDIT, *made, *sources]),)
    found[COMPLETE] = tuple(job for job in found if job.startswith("values/"))
    return found


class _Graph:
    """Looks up what makes an input, and adds it with all that it waits for."""

    def __init__(self, sizes: Sizes, found: Jobs) -> None:
        self.sizes, self.plan, self.found = sizes, sizes.plan, found

    def values(self, target: str) -> str:
        declared = self.plan.declarations.artefacts[target]
        return f"values/{declared.paper}_{declared.artefact}"

    def figure(self, target: str) -> str:
        return self.values(target).replace("values/", "figure/", 1)

    def add(self, job: str) -> None:
        """A job, after those that it waits for."""
        if job in self.found:
            return
        waits = tuple(dict.fromkeys(self._waits(job)))
        for other in waits:
            self.add(other)
        self.found[job] = waits

    def makers(self, name: str) -> list[str]:
        """The jobs that make an available input."""
        plan, (kind, _, rest) = self.plan, name.partition("/")
        if name in plan.bindings:
            if name == "gpt2" and plan.trains_gpt2:
                return ["train_gpt2"]
            source = plan.bindings[name].source
            return [f"fetch/{source}"] if source else []
        if kind == "vectors":
            _, _, role = rest.partition("/")
            return [f"align_embedding/{plan.bindings[role].source}" if role else "align_decades"]
        if kind in ("prepared", "documents"):
            return [self._prepared(rest)]
        if kind == "tags":
            return [f"tag_corpus/{rest}"]
        if kind == "corpus":
            tags = [f"tag_corpus/{rest}"] if plan.bindings["tagger"].source else []
            return [self._prepared(rest), *self._models(rest), *tags]
        if kind == "checks":
            return self._models(rest)
        if kind == "representation":
            return [f"represent/{rest.replace('/', '_')}"]
        if kind == "recogniser":
            return [f"train_recogniser/{rest}"]
        if kind == "annotations":
            return ["annotation_ingest"]
        if kind == "planted":
            return [f"planted_{rest.split('_')[0]}"]
        if kind == "evidence":
            return [f"{plan.step(rest).made_by}/{rest.replace('/', '_', 1)}"]
        if kind in ("values", "draws"):
            return [f"values/{rest.replace('/', '_', 1)}"]
        return []

    def _prepared(self, corpus: str) -> str:
        corpus = self.plan.shared_corpus(corpus)
        written = corpus == "samples" and self.plan.writes_samples
        return "read_samples" if written else f"prepare_corpus/{corpus}"

    def _models(self, corpus: str) -> list[str]:
        replicates = range(self.plan.config.bad_seeds.bootstraps)
        return [f"train_vectors/{corpus}_{replicate}" for replicate in replicates]

    def _waits(self, job: str) -> Iterable[str]:
        """The jobs that a job waits for."""
        rule, _, rest = job.partition("/")
        parts = self.sizes.parts(job)
        if rule in EVIDENCE_RULES and parts > 1:
            yield from (f"{PART}/{rest}_{i}" for i in range(parts))
        elif rule in (*EVIDENCE_RULES, PART, LINK, "values", "figure"):
            yield from self._of_step(rule, rest)
        elif rule == "align_embedding":
            yield f"fetch/{rest}"
            yield from self._of(self._words_of(rest))
        elif rule == "align_decades":
            yield from self._of(["decades", "census_gender", "census_race"])
        elif rule == "prepare_corpus":
            yield from self._of([f"corpus_{rest}"])
        elif rule == "tag_corpus":
            yield from [self._prepared(rest), *self._of(["tagger"])]
        elif rule == "train_vectors":
            corpus = rest.rpartition("_")[0]
            yield from [self._prepared(corpus), *self._of(["analogies", "similarity"])]
        elif rule == "represent":
            model = rest.split("_")[0]
            if parts > 1:
                yield f"choose_sentences/{rest}"
                yield from (f"{SHARD}/{rest}_{i}" for i in range(parts))
            else:
                yield from self._of([model, f"prepared/{READS[model]}", "census_gender"])
        elif rule == "choose_sentences":
            yield from self._of([f"prepared/{READS[rest.split('_')[0]]}", "census_gender"])
        elif rule == SHARD:
            model, weights, _ = rest.split("_")
            yield f"choose_sentences/{model}_{weights}"
            yield from self._of([model])
        elif rule == "train_recogniser":
            yield from self._of(["fairness_encoder", "conll2003"])
        elif rule == "train_gpt2":
            yield from self._of(["prepared/webtext", "census_gender"])
        elif rule == "write_samples":
            yield from self._of(["gpt2"])
        elif rule == "read_samples":
            yield "write_samples"
        elif rule in ("planted_bert", "planted_gpt2"):
            yield "planted_corpus"

    def _of_step(self, rule: str, name: str) -> Iterable[str]:
        """The jobs that evidence, values or a figure wait for."""
        step = step_of(self.plan, f"{rule}/{name}")
        yield from self._of(step.reads)
        if rule in EVIDENCE_RULES and (number := links_of(self.plan, step)) > 1:
            yield f"{LINK}/{name}_{number - 2}"
        if rule == LINK and not name.endswith("_0"):
            whole, _, number = name.rpartition("_")
            yield f"{LINK}/{whole}_{int(number) - 1}"
        if rule == "figure":
            yield f"values/{name}"
        if rule == "values":
            trained = self.plan.trained(self.plan.declarations.artefacts[name])
            yield from self._of([f"checks/{corpus}" for corpus in trained])

    def _of(self, names: Iterable[str]) -> list[str]:
        available = [name for name in names if self.plan.available(name)]
        return [job for name in available for job in self.makers(name)]

    def _words_of(self, source: str) -> list[str]:
        """The roles whose sources say which words to take from some vectors."""
        words = self.plan.word_sets()[source]
        roles = [role for name in words for role in WORD_SETS[name][0]]
        unordered = self.sizes.registry[source].format in UNORDERED
        return roles + ["glove"] * (unordered and bool({*words} & {*WITH_MOST_FREQUENT}))


def whole_of(plan: Plan, job: str) -> str:
    """The job of whose work a job does a part; any other job itself."""
    rule, _, name = job.partition("/")
    if rule not in (SHARD, PART, LINK):
        return job
    name = name.rpartition("_")[0]
    return f"represent/{name}" if rule == SHARD else f"{_evidence(plan)[name].made_by}/{name}"


def step_of(plan: Plan, job: str) -> Step | None:
    """What is declared of a job that makes evidence, values or a figure; None for other jobs."""
    rule, _, name = whole_of(plan, job).partition("/")
    if rule in EVIDENCE_RULES:
        return _evidence(plan)[name]
    if rule in ("values", "figure"):
        return getattr(plan.declarations.artefacts[name], rule)
    return None


def _evidence(plan: Plan) -> dict[str, Step]:
    return {"_".join(key): step for key, step in plan.declarations.evidence.items()}
