# The plan of the run, what its jobs read and ask for, and what a run prints. The only place with
# functions, which need Snakemake or this folder; all others are the library's.
import atexit
import os
import sys
from pathlib import Path

import socialbias
from socialbias.config.checks import check_files
from socialbias.embeddings.options import TRAINING
from socialbias.errors import UserError
from socialbias.pipeline import gpus
from socialbias.pipeline.artefact_code import artefact_digests
from socialbias.pipeline.declarations import for_models, load_declarations
from socialbias.pipeline.digest import code_digest
from socialbias.pipeline.folder import FILES, check_workflow
from socialbias.pipeline.inputs import READS
from socialbias.pipeline.job_reads import CHOSEN, JobReads
from socialbias.pipeline.labels import figure_settings, labelled, values_settings
from socialbias.pipeline.plan import Plan
from socialbias.pipeline.requests import Requests
from socialbias.pipeline.session import Session
from socialbias.pipeline.setup import command_of, setup_of
from socialbias.sources.registry import load_registry
from socialbias.sources.subjects import identity_of
from socialbias.sources.unavailable import VARIABLE
from socialbias.sources.verified import check_folders

# What has `resources`: the checkout that the library is of, or the library itself. Relative where
# the workflow runs in it, so that it can be moved without running anything again.
ROOT = socialbias.resources().parent
ROOT = Path() if ROOT == Path.cwd().resolve() else ROOT
RESOURCES = ROOT / "resources"
# What has these rules and their scripts; where the rules come from a server, what the library has.
WORKFLOW_ROOT = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1]
WORKFLOW_ROOT = WORKFLOW_ROOT if WORKFLOW_ROOT.is_dir() else FILES
LIBRARY = Path(socialbias.__file__).parents[1]
# What the profile says that there is: GPUs, and short jobs that run at once in a job of a cluster.
CLI_RESOURCES = workflow.resource_settings.resources


def decide_devices(device):
    """Decide which GPUs the run uses, for all of its processes: `envvars` passes it on."""
    # A cluster is told how many jobs it may have; where none is, jobs run on this machine.
    is_local = workflow.resource_settings.nodes is None
    here = gpus.cards_here(os.environ, gpus.cuda_build())
    decided = gpus.decide(device, CLI_RESOURCES, is_local, here)
    os.environ.update(decided.as_variables())
    # A limit has no directive, and the command line cannot know this machine.
    for name, most in gpus.limits_here(
        decided, CLI_RESOURCES, is_local, gpus.memory_here()
    ).items():
        workflow.register_resource(name, most)


def or_exit(function, *arguments):
    """What a function returns; an error that a user can put right ends the run with its line."""
    try:
        return function(*arguments)
    except UserError as error:
        sys.exit(str(error))


def plan_requests(raw):
    """The plan of the run with what its jobs request, where sources are looked for, and the
    sections whose encoders are left untrained."""
    check_workflow(WORKFLOW_ROOT)
    # Snakemake has read them, and kept the last of two equal keys.
    check_files(Path(path) for path in workflow.configfiles)
    if workflow.is_main_process:  # the other processes know what this one knows
        os.environ.pop(VARIABLE, None)
    registry = load_registry(RESOURCES / "sources.yaml")
    declarations = load_declarations(LIBRARY / "socialbias/papers")
    setup = setup_of(raw, registry, list(declarations.artefacts))
    declarations = for_models(declarations, setup.config.own_models)
    if workflow.is_main_process:
        decide_devices(setup.config.contextual.device)
        os.environ[VARIABLE] = ",".join(setup.places.unavailable)
    on_card = bool(gpus.devices_of(os.environ).gpus)
    config, frozen = setup.config.decided(on_card), [] if on_card else setup.config.undecided
    command = command_of(config, workflow.config_settings.configfiles)
    plan = Plan(config, setup.bindings, declarations, ROOT, command)
    if workflow.is_main_process:
        plan.check(LIBRARY)
    requests = Requests.of(plan, setup.registry, on_card, has_groups="short" in CLI_RESOURCES)
    return requests, setup.places, frozen


JOB_RESOURCES, PLACES, UNTRAINED_SECTIONS = or_exit(plan_requests, config)
PLAN, REGISTRY = JOB_RESOURCES.plan, JOB_RESOURCES.registry
CONFIG, BINDINGS, ARTEFACTS = PLAN.config, PLAN.bindings, PLAN.declarations.artefacts
RUN = PLAN.run
JOB_INPUTS = JobReads(PLAN, REGISTRY)


def code(script, *functions):
    """The digest of a script and of all that it reaches, as a parameter of its rule.

    `functions` are those that the script looks up, as `package.module:name`.
    """
    return code_digest(LIBRARY, WORKFLOW_ROOT / "scripts" / script, *functions)


SESSION = Session(workflow, JOB_RESOURCES, PLACES, UNTRAINED_SECTIONS)
if workflow.is_main_process:
    print(*SESSION.first_lines(), sep="\n", file=sys.stderr)
    # Snakemake learns its targets, and what they take, after reading this.
    atexit.register(SESSION.show_nearest_target)
    atexit.register(SESSION.show_plan)
    or_exit(check_folders, RUN)


onstart:
    SESSION.check_hours()


onsuccess:
    SESSION.succeed()


onerror:
    SESSION.fail(log)


envvars:
    *gpus.DECIDED,
    VARIABLE,


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
