# Every artefact that a paper declares (src/socialbias/papers/<paper>/<artefact>.yaml): its evidence,
# its values with their comparison and tables, and its figure.
#
# Inputs: what the declaration names. Outputs: results/<run>/<paper>/evidence/<name>.parquet,
# results/<run>/<paper>/<artefact>.{values,comparison,columns}.csv, .draws.parquet, .{csv,tex,html}, .{pdf,svg,png}.


# Rules with one body, told apart by what their jobs need: options such as `--set-resources` are of a rule.
for maker in sorted({step.made_by for step in PLAN.declarations.evidence.values()}):

    rule:
        name:
            maker
        input:
            unpack(JOB_INPUTS.evidence_inputs),
        output:
            evidence=f"{RUN}/{{paper}}/evidence/{{evidence}}.parquet",
        log:
            f"logs/{CONFIG.run}/{maker}/{{paper}}_{{evidence}}.log",
        benchmark:
            f"benchmarks/{CONFIG.run}/{maker}/{{paper}}_{{evidence}}.tsv"
        wildcard_constraints:
            evidence=JOB_INPUTS.evidence_names(lambda step, maker=maker: step.made_by == maker),
        group:
            JOB_RESOURCES(maker, "group")
        conda:
            "../../envs/socialbias.yaml"
        threads: JOB_RESOURCES(maker, "cores")
        resources:
            mem_mb=JOB_RESOURCES(maker, "mem_mb"),
            runtime=JOB_RESOURCES(maker, "runtime"),
            short=JOB_RESOURCES(maker, "short"),
            gpu=JOB_RESOURCES(maker, "gpu"),
        params:
            settings=JOB_INPUTS.evidence_settings,
            code=lambda w: code("evidence.py", JOB_INPUTS.step(w).function),
        message:
            "evidence: {wildcards.paper} {wildcards.evidence}"
        script:
            "../../scripts/evidence.py"


# Where there are many items, some of them: what the rule of the evidence puts together.
rule evidence_part:
    input:
        unpack(lambda w: PLAN.inputs_of(JOB_INPUTS.step(w))),
    output:
        evidence=temp(f"{RUN}/{{paper}}/evidence/parts/{{evidence}}/{{part}}.parquet"),
    log:
        f"logs/{CONFIG.run}/evidence_part/{{paper}}_{{evidence}}_{{part}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/evidence_part/{{paper}}_{{evidence}}_{{part}}.tsv"
    wildcard_constraints:
        evidence=JOB_INPUTS.evidence_names(lambda step: step.in_parts),
        part=r"\d+",
    conda:
        "../../envs/socialbias.yaml"
    threads: JOB_RESOURCES("evidence_part", "cores")
    resources:
        mem_mb=JOB_RESOURCES("evidence_part", "mem_mb"),
        runtime=JOB_RESOURCES("evidence_part", "runtime"),
        gpu=JOB_RESOURCES("evidence_part", "gpu"),
    params:
        settings=JOB_INPUTS.evidence_settings,
        code=lambda w: code("evidence.py", JOB_INPUTS.step(w).function),
    message:
        "evidence: {wildcards.paper} {wildcards.evidence}, part {wildcards.part}"
    script:
        "../../scripts/evidence.py"


rule values:
    input:
        unpack(lambda w: PLAN.values_inputs(JOB_INPUTS.declared(w).target)),
        published=lambda w: PLAN.published(JOB_INPUTS.declared(w).target),
    output:
        multiext(f"{RUN}/{{paper}}/{{artefact}}", ".csv", ".tex"),
        table=report(
            f"{RUN}/{{paper}}/{{artefact}}.html",
            caption="../report/table.rst",
            category="{paper}",
            labels={"artefact": "{artefact}", "as": "table"},
        ),
        values=f"{RUN}/{{paper}}/{{artefact}}.values.csv",
        comparison=f"{RUN}/{{paper}}/{{artefact}}.comparison.csv",
        columns=f"{RUN}/{{paper}}/{{artefact}}.columns.csv",
        draws=f"{RUN}/{{paper}}/{{artefact}}.draws.parquet",
    log:
        f"logs/{CONFIG.run}/values/{{paper}}_{{artefact}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/values/{{paper}}_{{artefact}}.tsv"
    group:
        JOB_RESOURCES("values", "group")
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=JOB_RESOURCES("values", "mem_mb"),
        runtime=JOB_RESOURCES("values", "runtime"),
        short=JOB_RESOURCES("values", "short"),
    params:
        settings=lambda w: values_settings(PLAN, JOB_INPUTS.declared(w).target),
        code=lambda w: code("values.py", JOB_INPUTS.declared(w).values.function),
    message:
        "values: {wildcards.paper} {wildcards.artefact}"
    script:
        "../../scripts/values.py"


rule figure:
    input:
        unpack(lambda w: PLAN.inputs_of(JOB_INPUTS.declared(w).figure)),
        values=rules.values.output.values,
        published=lambda w: PLAN.published(JOB_INPUTS.declared(w).target),
    output:
        multiext(f"{RUN}/{{paper}}/{{artefact}}", ".pdf", ".svg", ".caption.txt"),
        png=report(
            f"{RUN}/{{paper}}/{{artefact}}.png",
            caption="../report/figure.rst",
            category="{paper}",
            labels={"artefact": "{artefact}", "as": "figure"},
        ),
    log:
        f"logs/{CONFIG.run}/figure/{{paper}}_{{artefact}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/figure/{{paper}}_{{artefact}}.tsv"
    localrule: True
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=JOB_RESOURCES("figure", "mem_mb"),
        runtime=JOB_RESOURCES("figure", "runtime"),
    params:
        settings=lambda w: figure_settings(PLAN, JOB_INPUTS.declared(w).target),
        code=lambda w: code("figure.py", JOB_INPUTS.declared(w).figure.function),
    message:
        "figure: {wildcards.paper} {wildcards.artefact}"
    script:
        "../../scripts/figure.py"


for target in ARTEFACTS:

    rule:
        name:
            target
        input:
            JOB_INPUTS.artefact_files(target),


for paper in sorted({a.paper for a in ARTEFACTS.values()}):

    rule:
        name:
            paper
        input:
            [
                f
                for name, a in ARTEFACTS.items()
                if a.paper == paper
                for f in JOB_INPUTS.artefact_files(name)
            ],
