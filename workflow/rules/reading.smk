# For reading: nothing else depends on this.


# What the correlations over professions are of.
rule trustworthy_every_profession:
    input:
        unpack(lambda w: PLAN.inputs_of(ARTEFACTS["trustworthy_professions"].values)),
    output:
        table=f"{RUN}/trustworthy/every_profession.csv",
    log:
        f"logs/{CONFIG.run}/trustworthy_every_profession.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_every_profession.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        settings=lambda w: PLAN.settings_of(ARTEFACTS["trustworthy_professions"].values)
        | {"missing": "; ".join(PLAN.missing("census_gender"))},
        code=lambda w: code("every_profession.py"),
    message:
        "the bias of every profession"
    script:
        "../../scripts/every_profession.py"
