# The plan of the run, and the helpers that rules share. The only place with functions.
import atexit
import os
import re
import sys
import time
from pathlib import Path

import socialbias
from socialbias.annotation.folder import check_folder, completed_files
from socialbias.annotation.items import SAMPLE
from socialbias.config import paper_sources
from socialbias.config_checks import check_files
from socialbias.corpora.recipes import is_sampled
from socialbias.embeddings.options import TRAINING
from socialbias.errors import UserError
from socialbias.pipeline import cards
from socialbias.pipeline.chains import links_of
from socialbias.pipeline.costs import Costs
from socialbias.pipeline.declarations import Step, for_models, load_declarations
from socialbias.pipeline.digest import code_digest
from socialbias.pipeline.failures import processes_killed, reasons
from socialbias.pipeline.folder import FILES, check_workflow
from socialbias.pipeline.labels import labelled
from socialbias.pipeline.messages import (
    MADE,
    Asked,
    Progress,
    ending,
    frozen_line,
    inputs_line,
    unknown_target,
)
from socialbias.pipeline.inputs import PREPARED, READS, UNORDERED, WITH_MOST_FREQUENT, WORD_SETS
from socialbias.pipeline.parameters import figure_settings, step_settings, values_settings
from socialbias.pipeline.plan import Plan
from socialbias.pipeline.requests import Requests, job_name
from socialbias.pipeline.setup import setup_of
from socialbias.pipeline.told import CORES, question
from socialbias.sources.registry import load_registry
from socialbias.sources.subjects import identity_of
from socialbias.sources.verified import check_folders

# What has `resources`: the checkout that the library is of, or the library itself. Relative where
# the workflow runs in it, so that it can be moved without running anything again.
ROOT = socialbias.resources().parent
ROOT = Path() if ROOT == Path.cwd().resolve() else ROOT
RESOURCES = ROOT / "resources"
# What has these rules and their scripts; where the rules come from a server, what the library has.
HERE = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1]
HERE = HERE if HERE.is_dir() else FILES


def command_of(config):
    """What a person types to make one target of this run, without its name."""
    overlays = [os.path.relpath(path) for path in workflow.config_settings.configfiles]
    parts = ["snakemake --cores 2"]
    if overlays == [f"config.{config.run}.yaml"]:
        parts.append(f"--profile profiles/{config.run}")
    elif overlays:
        parts.append(f"--configfile {' '.join(overlays)}")
    if config.run not in ("quickstart", "workstation", "paper"):
        parts.append(f"--config run={config.run} --")
    return " ".join(parts)


# What the profile says that there is: GPUs, and short jobs that run at once in a job of a cluster.
THERE = workflow.resource_settings.resources
# A cluster is told how many jobs it may have; where none is, jobs run on this machine.
IS_LOCAL = workflow.resource_settings.nodes is None


def decide_devices(device):
    """Decide which GPUs the run uses, for all of its processes: `envvars` passes it on."""
    here = cards.cards_here(os.environ, cards.torch_build()[0])
    decided = cards.decide(device, THERE, IS_LOCAL, here)
    os.environ.update(decided.told())
    limits = cards.limits_here(decided, THERE, IS_LOCAL, cards.memory_here())
    # A limit has no directive, and the command line cannot know this machine.
    for name, most in limits.items():
        workflow.register_resource(name, most)


def make_plan(raw):
    """Sources, the places that they may come from, the plan, and sections left untrained."""
    library = Path(socialbias.__file__).parent
    try:
        check_workflow(HERE)
        # Snakemake has read them, and kept the last of two equal keys.
        check_files(Path(path) for path in workflow.configfiles)
        registry = load_registry(RESOURCES / "sources.yaml")
        declarations = load_declarations(library / "papers")
        setup = setup_of(raw, registry, list(declarations.artefacts))
        declarations = for_models(declarations, setup.config.own_models)
        if workflow.is_main_process:
            decide_devices(setup.config.contextual.device)
        on_card = bool(cards.devices_told(os.environ).gpus)
        config, frozen = setup.config.decided(on_card), [] if on_card else setup.config.undecided
        plan = Plan(config, setup.bindings, declarations, ROOT, command_of(config))
        plan.check(library.parent)
        return setup.registry, setup.places, plan, frozen
    except UserError as error:
        sys.exit(str(error))


REGISTRY, PLACES, PLAN, FROZEN = make_plan(config)
CONFIG, BINDINGS, ARTEFACTS = PLAN.config, PLAN.bindings, PLAN.declarations.artefacts
RUN = PLAN.run
GPUS = cards.devices_told(os.environ).gpus
COSTS = Costs.of(PLAN, REGISTRY, bool(GPUS))
REQUESTS = Requests(COSTS, has_groups="short" in THERE)
mem_mb, minutes, cores, gpus = REQUESTS.mem_mb, REQUESTS.minutes, REQUESTS.cores, REQUESTS.gpus
grouped, is_short = REQUESTS.grouped, REQUESTS.is_short


def code(script, *functions):
    """The digest of a script and of all that it reaches, as a parameter of its rule.

    `functions` are those that the script looks up, as `package.module:name`.
    """
    library = Path(socialbias.__file__).parents[1]
    return code_digest(library, HERE / "scripts" / script, *functions)


def evidence_step(wildcards):
    """What a paper declares of its evidence."""
    return PLAN.declarations.evidence[wildcards.paper, wildcards.evidence]


def evidence_names(chosen):
    """A pattern of the names of the evidence whose declared steps are chosen."""
    steps = PLAN.declarations.evidence.items()
    return "|".join(sorted({re.escape(name) for (_, name), step in steps if chosen(step)}))


def evidence_parts(wildcards):
    """In how many jobs it is made."""
    return COSTS.parts(job_name(evidence_step(wildcards).made_by, wildcards[:2]))


def evidence_inputs(wildcards):
    """What its job reads: what is declared, or the parts that other jobs have made of that.

    A long training goes on from the checkpoint of the jobs that have begun it.
    """
    step = evidence_step(wildcards)
    number, folder = evidence_parts(wildcards), f"{RUN}/{wildcards.paper}/evidence/parts"
    if number > 1:
        return {"parts": [f"{folder}/{wildcards.evidence}/{i}.parquet" for i in range(number)]}
    return PLAN.inputs_of(step) | begun_by(wildcards, links_of(PLAN, step) - 2)


def part_settings(wildcards):
    """What a job of one part reads beside its inputs."""
    share = [int(wildcards.part), evidence_parts(wildcards)]
    return settings_of(evidence_step(wildcards)) | {"share": share}


def link_inputs(wildcards):
    """What is declared of the evidence, and what the job before this one has trained."""
    begun = begun_by(wildcards, int(wildcards.part) - 1)
    return PLAN.inputs_of(evidence_step(wildcards)) | begun


def begun_by(wildcards, part):
    """The checkpoint of a job of a chain, as a named input; nothing before the first."""
    folder = f"{RUN}/{wildcards.paper}/evidence/training/{wildcards.evidence}"
    return {"begun": f"{folder}/{part}.pt"} if part >= 0 else {}


def link_settings(wildcards):
    """What a job of a chain reads beside its inputs."""
    step = evidence_step(wildcards)
    share = [int(wildcards.part), links_of(PLAN, step)]
    return settings_of(step) | {"function": step.chain, "share": share}


def declared(wildcards):
    """What a paper declares of an artefact."""
    return ARTEFACTS[f"{wildcards.paper}_{wildcards.artefact}"]


def settings_of(step):
    """What the job of a declared step reads beside its inputs."""
    return step_settings(PLAN, step)


def artefact_files(target):
    """Everything that makes up one artefact; a picture only where there is a number to draw."""
    kinds = ["values.csv", "comparison.csv", "columns.csv", "csv", "tex", "html"]
    if PLAN.has_numbers(target):
        kinds += ["pdf", "svg", "png"]
    return [f"{RUN}/{ARTEFACTS[target].paper}/{ARTEFACTS[target].artefact}.{k}" for k in kinds]


def every(kind, targets=None):
    """One file of this kind for each artefact, such as `values.csv`."""
    chosen = [ARTEFACTS[target] for target in (ARTEFACTS if targets is None else targets)]
    return [f"{RUN}/{a.paper}/{a.artefact}.{kind}" for a in chosen]


def role_inputs(*roles):
    """Named inputs: the manifests of the sources that these roles are bound to."""
    return {role: PLAN.manifest(role) for role in roles if BINDINGS[role].source}


def expectations(source):
    """How much the files of a source are to have; nothing where the registry does not say."""
    expected = {file.name: file.expect for file in REGISTRY[source].files if file.expect}
    short = {"accept_short": True} if source in CONFIG.accept_short else {}
    return {"expect": expected} | short if expected else {}


def word_list(name):
    """A file of word lists."""
    return f"{RESOURCES}/word_lists/{name}.yaml"


def wanted_words(wildcards):
    """The source of some vectors, and what says which words to take from it."""
    asked = [WORD_SETS[words] for words in PLAN.word_sets()[wildcards.source]]
    roles = dict.fromkeys(role for roles, _ in asked for role in roles)
    lists = dict.fromkeys(name for _, names in asked for name in names)
    files = {f"word_lists/{name}": word_list(name) for name in lists}
    if most_frequent(wildcards.source) and REGISTRY[wildcards.source].format in UNORDERED:
        roles["glove"] = None
    return {
        "vectors": f"{CONFIG.data}/{wildcards.source}/manifest.json",
        **files,
        **role_inputs(*roles),
    }


def most_frequent(source):
    """How many of the most frequent words some vectors are asked for."""
    needed = set(PLAN.word_sets()[source]) & set(WITH_MOST_FREQUENT)
    return CONFIG.trustworthy.vocabulary if needed else 0


def align_settings(wildcards):
    """Which word sets are taken from a source, and how many of its most frequent words."""
    words = PLAN.word_sets()[wildcards.source]
    seeds = "gathered_seeds"
    sources = [[b.source, b.fidelity] for b in [BINDINGS[seeds]] if b.source and "seeds" in words]
    leading = most_frequent(wildcards.source)
    roles = [role for name in words for role in WORD_SETS[name][0]]
    settings = {
        "words": words,
        "leading": leading,
        "provenance": {seeds: sources} if sources else {},
    }
    return settings | PLAN.errata_of(roles)


def corpus_settings(wildcards):
    """How the bound source of a corpus is read."""
    name = wildcards.corpus.replace("_", "-")
    settings = PLAN.recipe_of(wildcards.corpus)
    settings |= {"corpus": name, "fidelity": BINDINGS[f"corpus_{wildcards.corpus}"].fidelity}
    return settings | ({"seed": CONFIG.seed} if is_sampled(settings) else {})


def prepared_files(corpus):
    """What lies beside the report of a prepared corpus, and is read with it."""
    return [f"{RUN}/corpora/{corpus}/prepared/{name}" for name in PREPARED]


def chosen_from(wildcards):
    """The text whose sentences a model reads."""
    text = READS[wildcards.model]
    return {
        "prepared": PLAN.file(f"prepared/{text}"),
        **PLAN.beside(f"prepared/{text}"),
        "word_lists": word_list("trustworthy"),
        **role_inputs("census_gender"),
    }


def represented_from(wildcards):
    """The model, and the text that it reads."""
    text = READS[wildcards.model]
    trained = wildcards.model == "gpt2" and PLAN.trains_gpt2
    return {
        "model": TRAINED_GPT2 if trained else PLAN.manifest(wildcards.model),
        "prepared": PLAN.file(f"prepared/{text}"),
        "documents": PLAN.file(f"documents/{text}"),
        **PLAN.beside(f"prepared/{text}"),
    }


def represent_inputs(wildcards):
    """What a model makes of a text in one job, or the shards that make it up."""
    number = COSTS.parts(job_name("represent", wildcards))
    if number == 1:
        return chosen_from(wildcards) | represented_from(wildcards)
    folder = f"{RUN}/contextual/{wildcards.model}/{wildcards.weights}"
    text = f"prepared/{READS[wildcards.model]}"
    return {
        "prepared": PLAN.file(text),
        **PLAN.beside(text),
        **{name: f"{folder}/chosen/{file}" for name, file in CHOSEN.items()},
        "shards": [f"{folder}/shards/{i}.npz" for i in range(number)],
    }


def shard_settings(wildcards):
    """What a job of one shard reads beside its inputs."""
    number = COSTS.parts(job_name("represent", wildcards[:2]))
    part = {"shard": int(wildcards.shard), "shards": number}
    return represent_settings(wildcards) | part


def represent_settings(wildcards):
    """Which words and sentences are represented, by which layer, and how."""
    model, options = wildcards.model, CONFIG.trustworthy
    # Of the encoder alone is the reduction read; all others are there for the probe.
    reduces = f"{model}/{wildcards.weights}" == "bert/given"
    return {
        "model": model,
        "random": wildcards.weights == "random",
        "layer": getattr(options, f"{model}_probe").layer,
        # The model that a run trains knows lower-case words alone.
        "as_tokens": model == "gpt2" and PLAN.trains_gpt2,
        "word_lists": options.word_lists,
        "shortest": options.shortest,
        "longest": options.longest,
        "documents": options.represented_documents,
        "windows": options.represented_windows,
        "last_window": options.last_window,
        "per_word": options.sentences_per_word,
        "per_target": options.sentences_per_target,
        "for_probe_alone": not reduces,
        "probed_professions": options.probed_professions,
        "draws": options.represented_draws if reduces else 0,
        "runs": CONFIG.contextual.model_dump(exclude={"training"}),
        "seed": CONFIG.seed,
    }


def scored_models():
    """By row of StereoSet's tables, the source of the model: the bound one, else the paper's."""
    prefix, own = "scores_", paper_sources()
    steps = {
        name.removeprefix(prefix): step.needs[0]
        for (paper, name), step in PLAN.declarations.evidence.items()
        if paper == "stereoset" and name.startswith(prefix)
    }
    return {row: BINDINGS[role].source or own[role] for row, role in steps.items()}


def contexts_settings():
    """Which sentences make the contexts that are shown: those that the shown text is counted in."""
    options = CONFIG.trustworthy
    settings = {key: getattr(options, key) for key in ("shortest", "longest")}
    of_table6 = options.shown_text != "wikipedia"
    settings["windows"] = options.windows_table6 if of_table6 else options.windows
    return settings | {"keep_last": options.last_window}


def annotation_inputs():
    """Named inputs: the sample that people have labelled, and their files."""
    folder = Path(CONFIG.trustworthy.annotations.folder)
    try:
        check_folder(folder, Path("results"))
    except UserError as error:
        sys.exit(str(error))
    return {
        "sample": str(folder / SAMPLE),
        "files": [str(path) for path in completed_files(folder)],
    }


def seed_audit_inputs(wildcards):
    """A user's list of seeds, and the corpus that it is measured in."""
    if CONFIG.bad_seeds.word_list is None:
        sys.exit("seed_audit: name your file of seed sets: --config 'bad_seeds={word_list: FILE}'")
    corpus = f"corpus/{CONFIG.bad_seeds.audited_in}"
    if missing := PLAN.missing(corpus):
        sys.exit(f"seed_audit: no corpus to measure the seeds in: {'; '.join(missing)}")
    seeds = {"seeds": CONFIG.bad_seeds.word_list, "word_lists/bad_seeds": word_list("bad_seeds")}
    return seeds | PLAN.files(corpus) | role_inputs("gathered_seeds")


def audit_settings():
    """Provenance of the corpus and of the gathered seeds, the coverage of intervals, the seed."""
    step = Step(inputs=[f"corpus/{CONFIG.bad_seeds.audited_in}", "gathered_seeds"])
    step = step.model_copy(update={"settings": ["intervals.level"]})
    return PLAN.settings_of(step) | {"seed": CONFIG.seed}


def show_bindings():
    """What a run rests on and what it leaves out, for a person to see before anything is fetched."""
    kinds = [MADE if b.role in PLAN.made else b.fidelity for b in BINDINGS.values()]
    print(inputs_line(CONFIG.run, kinds), file=sys.stderr)
    if FROZEN:
        print(frozen_line(FROZEN), file=sys.stderr)


def show_nearest_target():
    """The nearest targets to one that is misspelt, after Snakemake has said that it has no rule."""
    if not workflow.dag_settings:  # nothing was to be made
        return
    names = [r.name for r in workflow.rules if not r.has_wildcards()] + ["default"]
    files = [file for name in ARTEFACTS for file in artefact_files(name)]
    made = lambda path: Path(path).exists() or any(r.is_producer(path) for r in workflow.rules)
    targets = [str(target) for target in workflow.dag_settings.targets]
    if said := unknown_target(targets, names, files, made):
        print(said, file=sys.stderr)


def asked_for():
    """What a person asked for, and where it lies."""
    found = []
    papers = {declared.paper for declared in ARTEFACTS.values()}
    for target in [str(name) for name in workflow.dag_settings.targets] or ["all"]:
        of_paper = [name for name, a in ARTEFACTS.items() if a.paper == target]
        if target in ("all", "default", "page"):
            found.append(Asked("the page", stems_of(ARTEFACTS), f"{RUN}/index.html"))
        elif target in ARTEFACTS:
            [stem] = stems_of([target])
            found.append(Asked(target, (stem,), f"{stem}.html"))
        elif target in papers:
            found.append(Asked(target, stems_of(of_paper), f"{RUN}/{target}/"))
        else:
            makers = {r.name: r for r in workflow.rules}
            files = [str(file) for file in makers[target].output] if target in makers else [target]
            found.append(Asked(target, (), ", ".join(files[:2])))
    return found


def stems_of(targets):
    """Path and name of artefacts without the kinds of their files."""
    return tuple(RUN / ARTEFACTS[name].paper / ARTEFACTS[name].artefact for name in targets)


def planned_jobs():
    """By job that this run has to do, the seconds of one core that it is expected to take."""
    found = {}
    for job in workflow.dag.needrun_jobs():
        name = job_name(job.rule.name, job.wildcards_dict.values())
        found[job] = (name, COSTS.cost(name).cpu if name in COSTS.jobs else 0.0)
    return found


def stop_if_long():
    """End before the first job where all that are left are planned to take longer than is allowed."""
    settings, left = workflow.resource_settings, {name for name, _ in planned_jobs().values()}
    cores = settings.cores or CORES * (settings.nodes or 1)  # a cluster has nodes: jobs at once
    at_once = cards.cards_at_once(workflow.global_resources, settings.nodes)
    if asked := question(COSTS, cores, at_once if COSTS.card else 0, left, sys.argv):
        sys.exit(asked)


def show_progress():
    """Now and then a line on how far the run is."""
    jobs, settings = planned_jobs(), workflow.resource_settings
    return Progress(
        dict(jobs.values()),
        lambda: [name for job, (name, _) in jobs.items() if workflow.dag.finished(job)],
        settings.cores or settings.nodes or 1,  # a cluster has nodes: jobs at once
        lambda line: print(line, file=sys.stderr, flush=True),
        {name: job.threads for job, (name, _) in jobs.items()},
    )


if workflow.is_main_process:
    show_bindings()
    atexit.register(show_nearest_target)  # Snakemake learns its targets after reading this
    try:
        check_folders(RUN)
    except UserError as error:
        sys.exit(str(error))


STARTED, KILLED = time.monotonic(), processes_killed()
PROGRESS = []  # the one that has begun


onstart:
    stop_if_long()
    PROGRESS.append(show_progress())
    PROGRESS[0].start()


# Snakemake still has a few lines to say after each of these; ours stand last.
onsuccess:
    PROGRESS[0].stop()
    asked = asked_for()
    claims = RUN / "claims.csv" if asked[0].name == "the page" else None
    lines = ending(asked, claims, time.monotonic() - STARTED)
    atexit.register(print, *lines, sep="\n", file=sys.stderr)


onerror:
    PROGRESS[0].stop()
    lacked = processes_killed() > KILLED
    atexit.register(print, *reasons(log, lacked), sep="\n", file=sys.stderr)


envvars:
    *cards.DECIDED,


wildcard_constraints:
    corpus="|".join(role.removeprefix("corpus_") for role in BINDINGS if role.startswith("corpus_")),
    model="|".join(READS),
    paper="|".join(
        sorted(
            {paper for paper, _ in PLAN.declarations.evidence}
            | {a.paper for a in ARTEFACTS.values()}
        )
    ),
    artefact="|".join(sorted({a.artefact for a in ARTEFACTS.values()})),
    source="|".join(REGISTRY),
