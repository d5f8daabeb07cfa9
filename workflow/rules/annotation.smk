# Labels given by people: contexts to hand out, completed files to read, and what is made of them.
GROUPS = ["female", "male"]
ANNOTATED = "wikipedia"  # the corpus of which people label contexts
TO_LABEL = f"{RUN}/trustworthy/annotation"
NOT_LABELLED = (
    f"human annotations: run `{COMMAND} annotation_sample`, copy {TO_LABEL} and follow its instructions.md, and "
    "name the folder of completed files in trustworthy: {annotations: {folder: ...}}"
)
UNLABELLED = [] if CONFIG.trustworthy.annotations.folder else [NOT_LABELLED]
TABLE4_MISSING = missing(
    dict.fromkeys([*variants("spearman_rho"), *variants("pearson_r2")], UNLABELLED)
)
AGREEMENT_MISSING = missing(
    dict.fromkeys(["value", *variants("exclusive"), *variants("any-mention")], UNLABELLED)
)


# Writes what people are handed out; nothing else depends on it, since the sample that completed
# files belong to comes back with them.
rule annotation_sample:
    input:
        report=f"{RUN}/corpora/{ANNOTATED}/prepared/report.json",
        documents=f"{RUN}/corpora/{ANNOTATED}/documents/documents.json",
        word_lists="resources/word_lists/trustworthy.yaml",
    output:
        multiext(
            f"{TO_LABEL}/",
            "everyone.csv",
            "one.csv",
            "everyone.tasks.json",
            "one.tasks.json",
            "labelling.xml",
            "instructions.md",
        ),
        sample=f"{TO_LABEL}/sample.json",
    log:
        f"logs/{CONFIG.run}/annotation_sample.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/annotation_sample.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        settings={
            "word_list": CONFIG.trustworthy.word_lists[0],
            "sentences": 5,
            "shortest": CONFIG.trustworthy.shortest,
            "longest": CONFIG.trustworthy.longest,
            "contexts": CONFIG.trustworthy.annotations.contexts,
            "shared": CONFIG.trustworthy.annotations.shared,
            "seed": CONFIG.seed,
        },
        code=code("annotation/sample.py"),
    message:
        "drawing contexts for people to label"
    script:
        "../../scripts/annotation/sample.py"


rule annotation_ingest:
    input:
        **annotation_inputs(),
        word_lists="resources/word_lists/trustworthy.yaml",
    output:
        labels=f"{RUN}/trustworthy/evidence/agreement.parquet",
        contexts=f"{RUN}/trustworthy/evidence/table4.parquet",
    log:
        f"logs/{CONFIG.run}/annotation_ingest.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/annotation_ingest.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings={
            "word_lists": CONFIG.trustworthy.word_lists,
        },
        code=code("annotation/ingest.py"),
    message:
        "reading completed annotations"
    script:
        "../../scripts/annotation/ingest.py"


rule trustworthy_table4_values:
    input:
        evidence=rules.annotation_ingest.output.contexts,
        manifest="resources/manifest.csv",
    output:
        values=f"{RUN}/trustworthy/table4.values.csv",
    log:
        f"logs/{CONFIG.run}/trustworthy_table4_values.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_table4_values.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings={
            "groups": GROUPS,
            "targets": 8,
            "replicates": CONFIG.intervals.replicates,
            "level": CONFIG.intervals.level,
            "seed": CONFIG.seed,
            "missing": TABLE4_MISSING,
        },
        code=code("trustworthy/table4_values.py"),
    message:
        "values of Table 4"
    script:
        "../../scripts/trustworthy/table4_values.py"


rule trustworthy_agreement_values:
    input:
        labels=rules.annotation_ingest.output.labels,
        contexts=rules.annotation_ingest.output.contexts,
        manifest="resources/manifest.csv",
    output:
        values=f"{RUN}/trustworthy/agreement.values.csv",
    log:
        f"logs/{CONFIG.run}/trustworthy_agreement_values.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_agreement_values.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings={
            "groups": GROUPS,
            "replicates": CONFIG.intervals.replicates,
            "level": CONFIG.intervals.level,
            "seed": CONFIG.seed,
            "missing": AGREEMENT_MISSING,
        },
        code=code("trustworthy/agreement_values.py"),
    message:
        "values of the agreement of annotators"
    script:
        "../../scripts/trustworthy/agreement_values.py"
