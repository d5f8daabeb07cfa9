# Recovery: every measure held against planted associations, a test of validity with a known truth.
# Nothing is fetched for it.


# The curves are drawn from their evidence.
ruleorder: trustworthy_recovery_draw > draw


rule trustworthy_recovery_corpus:
    output:
        documents=f"{RUN}/corpora/planted/documents/documents.json",
        report=f"{RUN}/corpora/planted/prepared/report.json",
        truth=f"{RUN}/corpora/planted/truth.csv",
    log:
        f"logs/{CONFIG.run}/trustworthy_recovery_corpus.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_recovery_corpus.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=30,
    params:
        settings={
            "tokens": CONFIG.trustworthy.recovery.tokens,
            "seed": CONFIG.seed,
        },
        code=code("trustworthy/recovery_corpus.py"),
    message:
        "writing a corpus with planted associations"
    script:
        "../../scripts/trustworthy/recovery_corpus.py"


rule trustworthy_recovery_text:
    input:
        report=rules.trustworthy_recovery_corpus.output.report,
    output:
        evidence=f"{RUN}/trustworthy/evidence/recovery_text.parquet",
        replicated=f"{RUN}/trustworthy/evidence/recovery_replicated.parquet",
    log:
        f"logs/{CONFIG.run}/trustworthy_recovery_text.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_recovery_text.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=60,
    params:
        settings={
            "replicates": CONFIG.trustworthy.recovery.replicates,
            "replicate_tokens": CONFIG.trustworthy.recovery.replicate_tokens,
            "level": CONFIG.intervals.level,
            "seed": CONFIG.seed,
        },
        code=code("trustworthy/recovery_text.py"),
    message:
        "the text measure on planted corpora"
    script:
        "../../scripts/trustworthy/recovery_text.py"


rule trustworthy_recovery_word2vec:
    input:
        report=rules.trustworthy_recovery_corpus.output.report,
    output:
        evidence=f"{RUN}/trustworthy/evidence/recovery_word2vec.parquet",
    log:
        f"logs/{CONFIG.run}/trustworthy_recovery_word2vec.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_recovery_word2vec.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=60,
    params:
        settings={
            "options": {name: getattr(CONFIG.bad_seeds, name) for name in TRAINING},
            "divisions": CONFIG.trustworthy.word_list_draws,
            "seed": CONFIG.seed,
        },
        code=code("trustworthy/recovery_word2vec.py"),
    message:
        "measures on vectors of the planted corpus"
    script:
        "../../scripts/trustworthy/recovery_word2vec.py"


rule trustworthy_recovery_bert:
    input:
        report=rules.trustworthy_recovery_corpus.output.report,
    output:
        evidence=f"{RUN}/trustworthy/evidence/recovery_bert.parquet",
        model=directory(f"{RUN}/models/planted/bert"),
    log:
        f"logs/{CONFIG.run}/trustworthy_recovery_bert.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_recovery_bert.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=120,
    params:
        settings={
            "epochs": CONFIG.trustworthy.recovery.bert_epochs,
            "sentences": CONFIG.trustworthy.recovery.sentences,
            "level": CONFIG.intervals.level,
            "divisions": CONFIG.trustworthy.word_list_draws,
            "seed": CONFIG.seed,
        },
        code=code("trustworthy/recovery_bert.py"),
    message:
        "a small BERT of the planted corpus: reduction and probe"
    script:
        "../../scripts/trustworthy/recovery_bert.py"


rule trustworthy_recovery_gpt2:
    input:
        report=rules.trustworthy_recovery_corpus.output.report,
    output:
        evidence=f"{RUN}/trustworthy/evidence/recovery_gpt2.parquet",
        model=directory(f"{RUN}/models/planted/gpt2"),
        samples=f"{RUN}/models/planted/samples.jsonl",
    log:
        f"logs/{CONFIG.run}/trustworthy_recovery_gpt2.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_recovery_gpt2.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=120,
    params:
        settings={
            "epochs": CONFIG.trustworthy.recovery.gpt2_epochs,
            "sentences": CONFIG.trustworthy.recovery.sentences,
            "level": CONFIG.intervals.level,
            "samples": CONFIG.trustworthy.recovery.samples,
            "seed": CONFIG.seed,
        },
        code=code("trustworthy/recovery_gpt2.py"),
    message:
        "a small GPT-2 of the planted corpus: probe and samples"
    script:
        "../../scripts/trustworthy/recovery_gpt2.py"


rule trustworthy_recovery_values:
    input:
        evidence=[
            rules.trustworthy_recovery_text.output.evidence,
            rules.trustworthy_recovery_word2vec.output.evidence,
            rules.trustworthy_recovery_bert.output.evidence,
            rules.trustworthy_recovery_gpt2.output.evidence,
        ],
        replicated=rules.trustworthy_recovery_text.output.replicated,
        manifest="resources/manifest.csv",
    output:
        values=f"{RUN}/trustworthy/recovery.values.csv",
        evidence=f"{RUN}/trustworthy/evidence/recovery.parquet",
    log:
        f"logs/{CONFIG.run}/trustworthy_recovery_values.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_recovery_values.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings={
            "bootstraps": CONFIG.intervals.replicates,
            "level": CONFIG.intervals.level,
            "seed": CONFIG.seed,
            "missing": {},
        },
        code=code("trustworthy/recovery_values.py"),
    message:
        "values of recovery"
    script:
        "../../scripts/trustworthy/recovery_values.py"


rule trustworthy_recovery_draw:
    input:
        evidence=rules.trustworthy_recovery_values.output.evidence,
        values=rules.trustworthy_recovery_values.output.values,
        published="resources/published/trustworthy_recovery.csv",
        catalogue="resources/artefacts.yaml",
    output:
        multiext(f"{RUN}/trustworthy/recovery", ".csv", ".tex", ".html", ".pdf", ".svg"),
        picture=report(
            f"{RUN}/trustworthy/recovery.png",
            caption="../report/artefact.rst",
            category="trustworthy",
            labels={"artefact": "recovery"},
        ),
    log:
        f"logs/{CONFIG.run}/trustworthy_recovery_draw.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_recovery_draw.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings=drawing("trustworthy_recovery"),
        code=code("trustworthy/recovery_draw.py"),
    message:
        "drawing the recovery curves"
    script:
        "../../scripts/trustworthy/recovery_draw.py"
