# Labels given by people: contexts to hand out, and completed files to read.
ANNOTATED = "wikipedia"  # the corpus of which people label contexts
TO_LABEL = f"{RUN}/trustworthy/annotation"


# Writes what people are handed out; nothing else depends on it, since the sample that completed
# files belong to comes back with them.
rule annotation_sample:
    input:
        **PLAN.beside(f"prepared/{ANNOTATED}"),
        report=PLAN.file(f"prepared/{ANNOTATED}"),
        documents=PLAN.file(f"documents/{ANNOTATED}"),
        word_lists=PLAN.file("word_lists/trustworthy"),
    output:
        multiext(
            f"{TO_LABEL}/",
            "everyone.csv",
            "one.csv",
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
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
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
        code=lambda w: code("annotation_sample.py"),
    message:
        "drawing contexts for people to label"
    script:
        "../../scripts/annotation_sample.py"


if CONFIG.trustworthy.annotations.folder:

    rule annotation_ingest:
        input:
            **or_exit(JOB_INPUTS.annotation_inputs),
            word_lists=PLAN.file("word_lists/trustworthy"),
        output:
            labels=f"{RUN}/trustworthy/annotated/labels.parquet",
            contexts=f"{RUN}/trustworthy/annotated/contexts.parquet",
        log:
            f"logs/{CONFIG.run}/annotation_ingest.log",
        benchmark:
            f"benchmarks/{CONFIG.run}/annotation_ingest.tsv"
        conda:
            "../../envs/socialbias.yaml"
        threads: 1
        resources:
            mem_mb=JOB_RESOURCES("annotation_ingest", "mem_mb"),
            runtime=JOB_RESOURCES("annotation_ingest", "runtime"),
        params:
            settings={"word_lists": CONFIG.trustworthy.word_lists},
            code=lambda w: code("annotation_ingest.py"),
        message:
            "reading completed annotations"
        script:
            "../../scripts/annotation_ingest.py"
