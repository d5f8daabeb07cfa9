# Word vectors: the words that artefacts ask for, taken out of each source in one reading. A word set
# (`WORD_SETS` in pipeline/inputs.py) is a folder of what `WordVectors.save` writes.
rule align_embedding:
    input:
        unpack(JOB_INPUTS.vectors_inputs),
    output:
        folder=directory(f"{RUN}/embeddings/{{source}}"),
    log:
        f"logs/{CONFIG.run}/align_embedding/{{source}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/align_embedding/{{source}}.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=JOB_RESOURCES("align_embedding", "mem_mb"),
        runtime=JOB_RESOURCES("align_embedding", "runtime"),
    params:
        settings=JOB_INPUTS.vectors_settings,
        code=lambda w: code("align.py"),
    message:
        "reading the word vectors of {wildcards.source}"
    script:
        "../../scripts/align.py"


rule align_decades:
    input:
        unpack(lambda w: JOB_INPUTS.sources("decades", "census_gender", "census_race")),
        word_lists=PLAN.file("word_lists/trustworthy"),
    output:
        folder=directory(f"{RUN}/embeddings/decades"),
    log:
        f"logs/{CONFIG.run}/align_decades.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/align_decades.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=JOB_RESOURCES("align_decades", "mem_mb"),
        runtime=JOB_RESOURCES("align_decades", "runtime"),
    params:
        settings={
            "decades": list(range(1900, 2000, 10)),
            "leading": CONFIG.trustworthy.vocabulary,
        },
        code=lambda w: code("align_decades.py"),
    message:
        "reading the vectors of each decade"
    script:
        "../../scripts/align_decades.py"
