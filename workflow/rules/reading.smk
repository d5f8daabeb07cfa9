# For reading, and for a user's own seeds: nothing else depends on these.
SHOWN = CONFIG.trustworthy.shown_text


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


# The sentences behind the numbers.
rule trustworthy_contexts:
    input:
        **PLAN.beside(f"prepared/{SHOWN}"),
        report=PLAN.file(f"prepared/{SHOWN}"),
        documents=PLAN.file(f"documents/{SHOWN}"),
        word_lists=PLAN.file("word_lists/trustworthy"),
    output:
        page=f"{RUN}/trustworthy/contexts.html",
        table=f"{RUN}/trustworthy/contexts.csv",
    log:
        f"logs/{CONFIG.run}/trustworthy_contexts.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_contexts.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        settings={
            "targets": CONFIG.trustworthy.shown_targets,
            "word_list": CONFIG.trustworthy.word_lists[0],
            "contexts": JOB_INPUTS.contexts_settings(),
            "sentences": CONFIG.trustworthy.shown_sentences,
            "at_most": CONFIG.trustworthy.shown_contexts,
            "seed": CONFIG.seed,
        },
        code=lambda w: code("contexts.py"),
    message:
        "showing contexts of professions"
    script:
        "../../scripts/contexts.py"


rule seed_audit:
    input:
        unpack(lambda w: or_exit(JOB_INPUTS.seed_audit_inputs)),
    output:
        text=f"{RUN}/bad_seeds/seed_audit.txt",
        words=f"{RUN}/bad_seeds/seed_audit.words.csv",
        sets=f"{RUN}/bad_seeds/seed_audit.sets.csv",
    log:
        f"logs/{CONFIG.run}/seed_audit.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/seed_audit.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        settings=lambda w: JOB_INPUTS.seed_audit_settings(),
        code=lambda w: code("seed_audit.py"),
    message:
        f"auditing {CONFIG.bad_seeds.word_list} in {CONFIG.bad_seeds.audited_in}"
    script:
        "../../scripts/seed_audit.py"
