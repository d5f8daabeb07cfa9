# The print audit, the page, and the check that no cell is missing. Seconds each: on a cluster they run
# beside Snakemake.
# Needs no source: it reads the printed numbers alone.
rule print_audit:
    input:
        published=sorted(str(path) for path in Path(RESOURCES, "published").glob("*.csv")),
    output:
        audit=f"{RUN}/print_audit.csv",
    log:
        f"logs/{CONFIG.run}/print_audit.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/print_audit.tsv"
    localrule: True
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=JOB_RESOURCES("print_audit", "mem_mb"),
        runtime=JOB_RESOURCES("print_audit", "runtime"),
    params:
        settings={},
        code=lambda w: code("print_audit.py"),
    message:
        "holding the printed numbers of the papers against each other"
    script:
        "../../scripts/print_audit.py"


# A page for each paper, and for what belongs to none.
PAGES = sorted({a.paper for a in ARTEFACTS.values()})


rule page:
    input:
        unpack(lambda w: PLAN.inputs_behind()),
        **JOB_INPUTS.sources(*BINDINGS),
        print_audit=rules.print_audit.output.audit,
        values=JOB_INPUTS.every("values.csv"),
        draws=JOB_INPUTS.every("draws.parquet"),
        tables=JOB_INPUTS.every("html"),
        pictures=JOB_INPUTS.every("png", filter(PLAN.is_drawn, ARTEFACTS)),
        captions=JOB_INPUTS.every("caption.txt", filter(PLAN.is_drawn, ARTEFACTS)),
        comparisons=JOB_INPUTS.every("comparison.csv"),
        columns=JOB_INPUTS.every("columns.csv"),
        papers=f"{RESOURCES}/papers.yaml",
        claims=f"{RESOURCES}/claims.yaml",
        findings=f"{RESOURCES}/findings.yaml",
        units=f"{RESOURCES}/units.yaml",
        full_run=f"{RESOURCES}/full_run.yaml",
        published=[path for name in ARTEFACTS for path in PLAN.published(name)],
        models=PLAN.of_models(),
    output:
        page=report(
            f"{RUN}/index.html",
            caption="../report/page.rst",
            category="result",
            labels={"artefact": "all", "as": "page"},
        ),
        claims=f"{RUN}/claims.csv",
        findings=f"{RUN}/findings.csv",
        papers=[f"{RUN}/{paper}.{kind}" for paper in PAGES for kind in ("html", "js")],
        others=[f"{RUN}/{name}.html" for name in ("claims", "inputs", "measures", "report")],
        overview=f"{RUN}/overview.svg",
        behind=directory(f"{RUN}/items"),
        numbers=[f"{RUN}/all.{kind}" for kind in ("csv", "parquet")],
        archive=f"{RUN}/{CONFIG.run}.zip",
        record=f"{RUN}/run.json",
    log:
        f"logs/{CONFIG.run}/page.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/page.tsv"
    localrule: True
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=JOB_RESOURCES("page", "mem_mb"),
        runtime=JOB_RESOURCES("page", "runtime"),
    params:
        settings=lambda w: {
            "code": artefact_digests(PLAN, LIBRARY, WORKFLOW_ROOT / "scripts"),
            "run": {"name": CONFIG.run, "seed": CONFIG.seed, "command": PLAN.command},
            "resources": str(RESOURCES),
            "artefacts": [labelled(PLAN, target) for target in ARTEFACTS],
            "inputs": {
                b.role: {"fidelity": b.fidelity, "original": b.original}
                for b in BINDINGS.values()
                if b.source
            },
            "missing": PLAN.missing_inputs(),
            "behind": {
                paper: PLAN.settings_of(step) for paper, step in PLAN.declarations.behind.items()
            },
        },
        code=lambda w: code(
            "page.py", *(step.function for step in PLAN.declarations.behind.values())
        ),
    message:
        f"writing the page: {RUN}/index.html"
    script:
        "../../scripts/page.py"


# An artefact cannot be "there" and empty.
rule complete:
    input:
        values=JOB_INPUTS.every("values.csv"),
    output:
        report=f"{RUN}/complete.txt",
    log:
        f"logs/{CONFIG.run}/complete.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/complete.tsv"
    localrule: True
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=JOB_RESOURCES("complete", "mem_mb"),
        runtime=JOB_RESOURCES("complete", "runtime"),
    params:
        settings=lambda w: {"cells": {name: PLAN.expected(name) for name in ARTEFACTS}},
        code=lambda w: code("complete.py"),
    message:
        "checking every cell against its inputs"
    script:
        "../../scripts/complete.py"
