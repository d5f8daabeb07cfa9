"""The jobs of a run and what each waits for, known before Snakemake plans anything.

A job is named as its benchmark is: the rule and what distinguishes its jobs, such as
`train_vectors/nyt_0`, or the rule alone where it has one job.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from socialbias.pipeline.declarations import EVIDENCE_RULES, Step
from socialbias.pipeline.inputs import ORDERED, READS, UNORDERED, WITH_MOST_FREQUENT, WORD_SETS
from socialbias.pipeline.plan import Plan
from socialbias.sources.registry import Source

Registry = Mapping[str, Source]
Jobs = dict[str, tuple[str, ...]]  # by job, those that it waits for
PAGE, COMPLETE, AUDIT = "page", "complete", "print_audit"
# Rules of jobs that do a part of another's work; `LINK` makes all jobs of a chain but the last.
SHARD, PART, LINK = "represent_shard", "evidence_part", "train_part"
# By kind of input, the job that makes it, of what follows the kind in the input's name.
MAKERS: dict[str, Callable[[Plan, str], str]] = {
    "prepared": lambda plan, corpus: _prepared(plan, corpus),
    "documents": lambda plan, corpus: _prepared(plan, corpus),
    "tags": lambda plan, corpus: f"tag_corpus/{corpus}",
    "vectors": lambda plan, rest: _vectors(plan, rest),
    "representation": lambda plan, rest: f"represent/{rest.replace('/', '_')}",
    "recogniser": lambda plan, head: f"train_recogniser/{head}",
    "annotations": lambda plan, table: "annotation_ingest",
    "planted": lambda plan, file: f"planted_{file.partition('_')[0]}",
    "evidence": lambda plan, rest: f"{plan.step(rest).made_by}/{rest.replace('/', '_', 1)}",
    "values": lambda plan, rest: f"values/{rest.replace('/', '_', 1)}",
    "draws": lambda plan, rest: f"values/{rest.replace('/', '_', 1)}",
}
# By rule, the inputs of its jobs, whose names have `_`: `{first}` is what is before the last one,
# `{model}` what is before the first one.
INPUTS = {
    "align_decades": ("decades", "census_gender", "census_race"),
    "prepare_corpus": ("corpus_{name}",),
    "tag_corpus": ("prepared/{name}", "tagger"),
    "train_vectors": ("prepared/{first}", "analogies", "similarity"),
    "train_recogniser": ("fairness_encoder", "conll2003"),
    "train_gpt2": ("prepared/webtext", "census_gender"),
    "write_samples": ("gpt2",),
    "represent": ("{model}", "prepared/{text}", "census_gender"),
    "choose_sentences": ("prepared/{text}", "census_gender"),
    SHARD: ("{model}",),
}
# By rule, jobs that its jobs wait for.
AFTER = {
    "align_embedding": ("fetch/{name}",),
    SHARD: ("choose_sentences/{first}",),
    "figure": ("values/{name}",),
    "read_samples": ("write_samples",),
    "planted_bert": ("planted_corpus",),
    "planted_gpt2": ("planted_corpus",),
}


def jobs_of(plan: Plan, registry: Registry, parts: Callable[[str], int]) -> Jobs:
    """Every job of the target `all`, with those that it waits for.

    Args:
        plan: What the run reads and makes.
        registry: The sources by id.
        parts: The number of jobs in which a job's work is done.

    Returns:
        Jobs by name, each after all that it waits for.
    """
    jobs = Jobs({AUDIT: ()})

    def add(job: str) -> None:
        if job not in jobs:
            waits = tuple(dict.fromkeys(_waits(plan, registry, job, parts(whole_of(plan, job)))))
            for other in waits:
                add(other)
            jobs[job] = waits

    for target, declared in plan.declarations.artefacts.items():
        rule = "figure" if plan.is_drawn(target) else "values"
        add(f"{rule}/{declared.paper}_{declared.artefact}")
    sources = [job for role in plan.bindings if plan.bound(role) for job in makers(plan, role)]
    for job in sources:
        add(job)
    made = [job for job in jobs if job.startswith(("values/", "figure/"))]
    jobs[PAGE] = (*dict.fromkeys([AUDIT, *made, *sources]),)
    jobs[COMPLETE] = tuple(job for job in jobs if job.startswith("values/"))
    return jobs


def makers(plan: Plan, name: str) -> list[str]:
    """The jobs that make an available input."""
    kind, _, rest = name.partition("/")
    if name in plan.bindings:
        source = plan.bindings[name].source
        trained = name == "gpt2" and plan.trains_gpt2
        return ["train_gpt2"] if trained else [f"fetch/{source}"] * bool(source)
    if kind in ("checks", "corpus"):
        models = [f"train_vectors/{rest}_{i}" for i in range(plan.config.bad_seeds.bootstraps)]
        tags = [f"tag_corpus/{rest}"] * plan.bound("tagger")
        return models if kind == "checks" else [_prepared(plan, rest), *models, *tags]
    return [MAKERS[kind](plan, rest)] if kind in MAKERS else []


def _prepared(plan: Plan, corpus: str) -> str:
    corpus = plan.shared_corpus(corpus)
    written = corpus == "samples" and plan.writes_samples
    return "read_samples" if written else f"prepare_corpus/{corpus}"


def _vectors(plan: Plan, rest: str) -> str:
    _, _, role = rest.partition("/")
    return f"align_embedding/{plan.bindings[role].source}" if role else "align_decades"


def _waits(plan: Plan, registry: Registry, job: str, parts: int) -> Iterable[str]:
    """The jobs that a job waits for."""
    (rule, _, name), whole, step = job.partition("/"), whole_of(plan, job), step_of(plan, job)
    chain, (first, _, last) = bool(step and step.chain), name.rpartition("_")
    if job == whole and parts > 1 and not chain:
        part = SHARD if rule == "represent" else PART
        yield from [f"choose_sentences/{name}"] * (part == SHARD)
        yield from (f"{part}/{name}_{i}" for i in range(parts))
        return
    yield from (x.format(name=name, first=first) for x in AFTER.get(rule, ()))
    model = name.partition("_")[0]
    fields = {"name": name, "first": first, "model": model, "text": READS.get(model)}
    inputs = step.reads if step else [x.format(**fields) for x in INPUTS.get(rule, ())]
    if rule == "align_embedding":
        inputs = word_roles(plan, registry, name)
    if rule == "values":
        trained = plan.trained(plan.declarations.artefacts[name])
        inputs = [*inputs, *(f"checks/{corpus}" for corpus in trained)]
    yield from (maker for x in inputs if plan.available(x) for maker in makers(plan, x))
    before = int(last) - 1 if rule == LINK else parts - 2
    if chain and before >= 0:
        yield f"{LINK}/{whole.partition('/')[2]}_{before}"


def word_roles(plan: Plan, registry: Registry, source: str) -> list[str]:
    """The roles whose sources say which words to take from some vectors."""
    words = plan.word_sets()[source]
    roles = dict.fromkeys(role for name in words for role in WORD_SETS[name][0])
    if registry[source].format in UNORDERED and {*words} & {*WITH_MOST_FREQUENT}:
        roles |= dict.fromkeys(ORDERED)
    return list(roles)


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
