# Planted corpora: text in which the associations are known, and what models learn from it. Nothing is
# fetched for them.
rule planted_corpus:
    output:
        multiext(
            f"{RUN}/corpora/planted/prepared/",
            "tokens.npy",
            "sentences.npy",
            "counts.npy",
            "vocabulary.txt",
        ),
        truth=f"{RUN}/corpora/planted/truth.csv",
        documents=directory(f"{RUN}/corpora/planted/documents"),
        report=f"{RUN}/corpora/planted/prepared/report.json",
        offsets=f"{RUN}/corpora/planted/prepared/documents.npy",
    log:
        f"logs/{CONFIG.run}/planted_corpus.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/planted_corpus.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=JOB_RESOURCES("planted_corpus", "mem_mb"),
        runtime=JOB_RESOURCES("planted_corpus", "runtime"),
    params:
        settings={"tokens": CONFIG.trustworthy.recovery.tokens, "seed": CONFIG.seed},
        code=lambda w: code("planted_corpus.py"),
    message:
        "writing a corpus with planted associations"
    script:
        "../../scripts/planted_corpus.py"


rule planted_bert:
    input:
        report=rules.planted_corpus.output.report,
        prepared=JOB_INPUTS.prepared_files("planted"),
    output:
        evidence=f"{RUN}/validation/planted/bert.parquet",
        probe=f"{RUN}/validation/planted/bert_probe.parquet",
        model=directory(f"{RUN}/models/planted/bert"),
    log:
        f"logs/{CONFIG.run}/planted_bert.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/planted_bert.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=JOB_RESOURCES("planted_bert", "mem_mb"),
        runtime=JOB_RESOURCES("planted_bert", "runtime"),
    params:
        settings={
            "epochs": CONFIG.trustworthy.recovery.bert_epochs,
            "sentences": CONFIG.trustworthy.recovery.sentences,
            "level": CONFIG.intervals.level,
            "divisions": CONFIG.trustworthy.word_list_draws,
            "replicates": CONFIG.trustworthy.probe_seeds,
            "seed": CONFIG.seed,
        },
        code=lambda w: code("planted_bert.py"),
    message:
        "a small BERT of the planted corpus: reduction and probe"
    script:
        "../../scripts/planted_bert.py"


rule planted_gpt2:
    input:
        report=rules.planted_corpus.output.report,
        prepared=JOB_INPUTS.prepared_files("planted"),
    output:
        evidence=f"{RUN}/validation/planted/gpt2.parquet",
        probe=f"{RUN}/validation/planted/gpt2_probe.parquet",
        counts=f"{RUN}/validation/planted/gpt2_samples.parquet",
        model=directory(f"{RUN}/models/planted/gpt2"),
        samples=f"{RUN}/models/planted/samples.jsonl",
    log:
        f"logs/{CONFIG.run}/planted_gpt2.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/planted_gpt2.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=JOB_RESOURCES("planted_gpt2", "mem_mb"),
        runtime=JOB_RESOURCES("planted_gpt2", "runtime"),
    params:
        settings={
            "epochs": CONFIG.trustworthy.recovery.gpt2_epochs,
            "sentences": CONFIG.trustworthy.recovery.sentences,
            "level": CONFIG.intervals.level,
            "samples": CONFIG.trustworthy.recovery.samples,
            "replicates": CONFIG.trustworthy.probe_seeds,
            "seed": CONFIG.seed,
        },
        code=lambda w: code("planted_gpt2.py"),
    message:
        "a small GPT-2 of the planted corpus: probe and samples"
    script:
        "../../scripts/planted_gpt2.py"
