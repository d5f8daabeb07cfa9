# Bad Seeds (Antoniak and Mimno 2021). Its artefacts have rules of one shape and differ in what they
# read, which stands in BAD_SEEDS (common.smk), and in the scripts of their evidence.
rule bad_seeds_evidence:
    input:
        unpack(bad_seeds_inputs),
    output:
        evidence=f"{RUN}/bad_seeds/evidence/{{artefact}}.parquet",
    log:
        f"logs/{CONFIG.run}/bad_seeds_{{artefact}}_evidence.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/bad_seeds_{{artefact}}_evidence.tsv"
    wildcard_constraints:
        artefact="|".join(BAD_SEEDS),
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        # Documents trains models of its own.
        runtime=lambda wildcards: 480 if wildcards.artefact == "documents" else 120,
    params:
        settings=bad_seeds_settings,
        code=lambda wildcards: code(f"bad_seeds/{wildcards.artefact}_evidence.py"),
    message:
        "measuring {wildcards.artefact} of Bad Seeds"
    script:
        "../../scripts/bad_seeds/{wildcards.artefact}_evidence.py"


# The vectors of Google News are read for these: most seeds are none of its most frequent words.
rule seed_words:
    input:
        **role_inputs("gathered_seeds"),
        word_lists="resources/word_lists/bad_seeds.yaml",
    output:
        words=SEED_WORDS,
    log:
        f"logs/{CONFIG.run}/seed_words.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/seed_words.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        settings={
            "about": {
                "gathered_seeds": {
                    "source": BINDINGS["gathered_seeds"].source,
                    "fidelity": BINDINGS["gathered_seeds"].fidelity,
                }
            }
        },
        code=code("bad_seeds/seed_words.py"),
    message:
        "gathering the words of all seed sets"
    script:
        "../../scripts/bad_seeds/seed_words.py"


rule bad_seeds_values:
    input:
        evidence=rules.bad_seeds_evidence.output.evidence,
        manifest="resources/manifest.csv",
    output:
        values=f"{RUN}/bad_seeds/{{artefact}}.values.csv",
    log:
        f"logs/{CONFIG.run}/bad_seeds_{{artefact}}_values.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/bad_seeds_{{artefact}}_values.tsv"
    wildcard_constraints:
        artefact="|".join(BAD_SEEDS),
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=30,
    params:
        settings=lambda wildcards: {
            "level": CONFIG.intervals.level,
            "seed": CONFIG.seed,
            "missing": missing_in_bad_seeds(wildcards),
        },
        code=lambda wildcards: code(
            "bad_seeds/values.py", f"socialbias.papers.bad_seeds.{wildcards.artefact}:values"
        ),
    message:
        "values of {wildcards.artefact} of Bad Seeds"
    script:
        "../../scripts/bad_seeds/values.py"


# Figures are drawn from their evidence; the tables of this paper from values, as everywhere.
ruleorder: bad_seeds_draw > draw


rule bad_seeds_draw:
    input:
        evidence=rules.bad_seeds_evidence.output.evidence,
        values=rules.bad_seeds_values.output.values,
        published="resources/published/bad_seeds_{artefact}.csv",
        catalogue="resources/artefacts.yaml",
        word_lists="resources/word_lists/bad_seeds.yaml",
    output:
        multiext(f"{RUN}/bad_seeds/{{artefact}}", ".csv", ".tex", ".html", ".pdf", ".svg"),
        picture=report(
            f"{RUN}/bad_seeds/{{artefact}}.png",
            caption="../report/artefact.rst",
            category="bad_seeds",
            labels={"artefact": "{artefact}"},
        ),
    log:
        f"logs/{CONFIG.run}/draw/bad_seeds_{{artefact}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/draw/bad_seeds_{{artefact}}.tsv"
    wildcard_constraints:
        artefact=r"figure\d|spread|documents",
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        settings=lambda wildcards: drawing(f"bad_seeds_{wildcards.artefact}"),
        code=code("bad_seeds/draw.py"),
    message:
        "drawing {wildcards.artefact} of Bad Seeds"
    script:
        "../../scripts/bad_seeds/draw.py"


# For a user's own seeds: nothing else depends on it.
rule seed_audit:
    input:
        unpack(seed_audit_inputs),
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
        mem_mb=2000,
        runtime=30,
    params:
        settings=seed_audit_settings,
        code=code("bad_seeds/seed_audit.py"),
    message:
        f"auditing {CONFIG.bad_seeds.word_list} in {CONFIG.bad_seeds.audited_in}"
    script:
        "../../scripts/bad_seeds/seed_audit.py"
