# From values to what a reader sees: tables, figures, comparison with print, and the page. Seconds
# each: on a cluster they run beside Snakemake.
localrules:
    draw,
    compare,
    print_audit,
    page,
    complete,


rule draw:
    input:
        values=f"{RUN}/{{paper}}/{{artefact}}.values.csv",
        published="resources/published/{paper}_{artefact}.csv",
        catalogue="resources/artefacts.yaml",
    output:
        multiext(f"{RUN}/{{paper}}/{{artefact}}", ".csv", ".tex", ".html", ".pdf", ".svg"),
        picture=report(
            f"{RUN}/{{paper}}/{{artefact}}.png",
            caption="../report/artefact.rst",
            category="{paper}",
            labels={"artefact": "{artefact}"},
        ),
    log:
        f"logs/{CONFIG.run}/draw/{{paper}}_{{artefact}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/draw/{{paper}}_{{artefact}}.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings=lambda wildcards: drawing(f"{wildcards.paper}_{wildcards.artefact}"),
        code=code("artefacts/draw.py"),
    message:
        "drawing {wildcards.paper} {wildcards.artefact}"
    script:
        "../../scripts/artefacts/draw.py"


rule compare:
    input:
        values=f"{RUN}/{{paper}}/{{artefact}}.values.csv",
        published="resources/published/{paper}_{artefact}.csv",
    output:
        comparison=f"{RUN}/{{paper}}/{{artefact}}.comparison.csv",
        columns=f"{RUN}/{{paper}}/{{artefact}}.columns.csv",
    log:
        f"logs/{CONFIG.run}/compare/{{paper}}_{{artefact}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/compare/{{paper}}_{{artefact}}.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings={"seed": CONFIG.seed},
        code=code("artefacts/compare.py"),
    message:
        "comparing {wildcards.paper} {wildcards.artefact} with print"
    script:
        "../../scripts/artefacts/compare.py"


for name in CATALOGUE:

    rule:
        name:
            name
        input:
            artefact_files(name),


for paper in sorted({a.paper for a in CATALOGUE.values()}):

    rule:
        name:
            paper
        input:
            [f for name, a in CATALOGUE.items() if a.paper == paper for f in artefact_files(name)],


# Needs no source: it reads the printed numbers alone.
rule print_audit:
    input:
        published=sorted(str(path) for path in Path("resources/published").glob("*.csv")),
    output:
        audit=f"{RUN}/print_audit.csv",
    log:
        f"logs/{CONFIG.run}/print_audit.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/print_audit.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings={},
        code=code("artefacts/print_audit.py"),
    message:
        "holding the printed numbers of the papers against each other"
    script:
        "../../scripts/artefacts/print_audit.py"


rule page:
    input:
        **role_inputs(*BINDINGS),
        print_audit=rules.print_audit.output.audit,
        values=every("values.csv"),
        tables=every("html"),
        pictures=every("svg"),
        comparisons=every("comparison.csv"),
        columns=every("columns.csv"),
        catalogue="resources/artefacts.yaml",
        claims="resources/claims.yaml",
        findings="resources/findings.yaml",
        published=[f"resources/published/{name}.csv" for name in CATALOGUE],
    output:
        page=f"{RUN}/index.html",
        claims=f"{RUN}/claims.csv",
        findings=f"{RUN}/findings.csv",
    log:
        f"logs/{CONFIG.run}/page.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/page.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings={
            "run": CONFIG.run,
            "seed": CONFIG.seed,
            "command": COMMAND,
            "fidelity": fidelity(*BINDINGS),
            "missing": {b.role: b.missing for b in BINDINGS.values() if not b.source},
        },
        code=code("artefacts/page.py"),
    message:
        f"writing the page: {RUN}/index.html"
    script:
        "../../scripts/artefacts/page.py"


# An artefact cannot be "there" and empty.
rule complete:
    input:
        values=every("values.csv"),
        manifest="resources/manifest.csv",
    output:
        report=f"{RUN}/complete.txt",
    log:
        f"logs/{CONFIG.run}/complete.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/complete.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings={"kind": KIND},
        code=code("artefacts/complete.py"),
    message:
        "checking every cell against its least fidelity"
    script:
        "../../scripts/artefacts/complete.py"
