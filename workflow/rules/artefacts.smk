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
            unpack(READ.evidence_inputs),
        output:
            evidence=f"{RUN}/{{paper}}/evidence/{{evidence}}.parquet",
        log:
            f"logs/{CONFIG.run}/{maker}/{{paper}}_{{evidence}}.log",
        benchmark:
            f"benchmarks/{CONFIG.run}/{maker}/{{paper}}_{{evidence}}.tsv"
        wildcard_constraints:
            evidence=READ.evidence_names(lambda step, maker=maker: step.made_by == maker),
        group:
            ASK(maker, "group")
        conda:
            "../../envs/socialbias.yaml"
        threads: ASK(maker, "cores")
        resources:
            mem_mb=ASK(maker, "mem_mb"),
            runtime=ASK(maker, "runtime"),
            short=ASK(maker, "short"),
            gpu=ASK(maker, "gpu"),
        params:
            settings=READ.evidence_settings,
            code=lambda w: code("evidence.py", READ.step(w).function),
        message:
            "evidence: {wildcards.paper} {wildcards.evidence}"
        script:
            "../../scripts/evidence.py"


# Where there are many items, some of them: what the rule of the evidence puts together.
rule evidence_part:
    input:
        unpack(lambda w: PLAN.inputs_of(READ.step(w))),
    output:
        evidence=temp(f"{RUN}/{{paper}}/evidence/parts/{{evidence}}/{{part}}.parquet"),
    log:
        f"logs/{CONFIG.run}/evidence_part/{{paper}}_{{evidence}}_{{part}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/evidence_part/{{paper}}_{{evidence}}_{{part}}.tsv"
    wildcard_constraints:
        evidence=READ.evidence_names(lambda step: step.in_parts),
        part=r"\d+",
    conda:
        "../../envs/socialbias.yaml"
    threads: ASK("evidence_part", "cores")
    resources:
        mem_mb=ASK("evidence_part", "mem_mb"),
        runtime=ASK("evidence_part", "runtime"),
        gpu=ASK("evidence_part", "gpu"),
    params:
        settings=READ.evidence_settings,
        code=lambda w: code("evidence.py", READ.step(w).function),
    message:
        "evidence: {wildcards.paper} {wildcards.evidence}, part {wildcards.part}"
    script:
        "../../scripts/evidence.py"


rule values:
    input:
        unpack(lambda w: PLAN.values_inputs(READ.declared(w).target)),
        published=lambda w: PLAN.published(READ.declared(w).target),
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
        ASK("values", "group")
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=ASK("values", "mem_mb"),
        runtime=ASK("values", "runtime"),
        short=ASK("values", "short"),
    params:
        settings=lambda w: values_settings(PLAN, READ.declared(w).target),
        code=lambda w: code("values.py", READ.declared(w).values.function),
    message:
        "values: {wildcards.paper} {wildcards.artefact}"
    script:
        "../../scripts/values.py"


rule figure:
    input:
        unpack(lambda w: PLAN.inputs_of(READ.declared(w).figure)),
        values=rules.values.output.values,
        published=lambda w: PLAN.published(READ.declared(w).target),
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
        mem_mb=ASK("figure", "mem_mb"),
        runtime=ASK("figure", "runtime"),
    params:
        settings=lambda w: figure_settings(PLAN, READ.declared(w).target),
        code=lambda w: code("figure.py", READ.declared(w).figure.function),
    message:
        "figure: {wildcards.paper} {wildcards.artefact}"
    script:
        "../../scripts/figure.py"


for target in ARTEFACTS:

    rule:
        name:
            target
        input:
            READ.artefact_files(target),


for paper in sorted({a.paper for a in ARTEFACTS.values()}):

    rule:
        name:
            paper
        input:
            [
                f
                for name, a in ARTEFACTS.items()
                if a.paper == paper
                for f in READ.artefact_files(name)
            ],
