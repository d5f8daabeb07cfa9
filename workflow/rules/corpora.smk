# Text: documents from a source and as ids, then parts of speech, and word vectors of bootstrap
# samples of the documents.
rule prepare_corpus:
    input:
        source=lambda w: PLAN.manifest(f"corpus_{w.corpus}"),
    output:
        multiext(
            f"{RUN}/corpora/{{corpus}}/prepared/",
            "tokens.npy",
            "sentences.npy",
            "counts.npy",
            "vocabulary.txt",
        ),
        documents=directory(f"{RUN}/corpora/{{corpus}}/documents"),
        report=f"{RUN}/corpora/{{corpus}}/prepared/report.json",
        offsets=f"{RUN}/corpora/{{corpus}}/prepared/documents.npy",
    log:
        f"logs/{CONFIG.run}/prepare_corpus/{{corpus}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/prepare_corpus/{{corpus}}.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=JOB_RESOURCES("prepare_corpus", "mem_mb"),
        runtime=JOB_RESOURCES("prepare_corpus", "runtime"),
    params:
        settings=lambda w: {"tokenizer": "spacy", "lower": "before"} | JOB_INPUTS.corpus_settings(w),
        code=lambda w: code("prepare.py"),
    message:
        "reading {wildcards.corpus} and turning it into ids"
    script:
        "../../scripts/prepare.py"


rule tag_corpus:
    input:
        documents=rules.prepare_corpus.output.documents,
        offsets=rules.prepare_corpus.output.offsets,
        model=lambda w: PLAN.manifest("tagger"),
    output:
        tags=f"{RUN}/corpora/{{corpus}}/tags.parquet",
    log:
        f"logs/{CONFIG.run}/tag_corpus/{{corpus}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/tag_corpus/{{corpus}}.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: JOB_RESOURCES("tag_corpus", "cores")
    resources:
        mem_mb=JOB_RESOURCES("tag_corpus", "mem_mb"),
        runtime=JOB_RESOURCES("tag_corpus", "runtime"),
    params:
        settings=lambda w: {
            "corpus": w.corpus,
            "words": CONFIG.bad_seeds.tagged_words,
            "lower": "before",
            "seed": CONFIG.seed,
        },
        code=lambda w: code("tag.py"),
    message:
        "tagging the parts of speech of {wildcards.corpus}"
    script:
        "../../scripts/tag.py"


# One process a replicate, with one worker: the same bytes on any number of cores. Each model is
# checked on analogies and judgements of similarity.
rule train_vectors:
    input:
        **JOB_INPUTS.sources("analogies", "similarity"),
        report=rules.prepare_corpus.output.report,
        prepared=JOB_INPUTS.prepared_files("{corpus}"),
    output:
        vectors=f"{RUN}/corpora/{{corpus}}/models/{{replicate}}/vectors.npy",
        vocabulary=f"{RUN}/corpora/{{corpus}}/models/{{replicate}}/vocabulary.txt",
        counts=f"{RUN}/corpora/{{corpus}}/models/{{replicate}}/counts.npy",
        inclusion=f"{RUN}/corpora/{{corpus}}/models/{{replicate}}/inclusion.npy",
        checks=f"{RUN}/corpora/{{corpus}}/models/{{replicate}}/intrinsic.parquet",
    log:
        f"logs/{CONFIG.run}/train_vectors/{{corpus}}_{{replicate}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/train_vectors/{{corpus}}_{{replicate}}.tsv"
    wildcard_constraints:
        replicate=r"\d+",
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=JOB_RESOURCES("train_vectors", "mem_mb"),
        runtime=JOB_RESOURCES("train_vectors", "runtime"),
    params:
        settings=lambda w: {
            "corpus": w.corpus,
            "replicate": int(w.replicate),
            "seed": CONFIG.seed,
            "words": CONFIG.bad_seeds.sample_words,
            "options": {key: getattr(CONFIG.bad_seeds, key) for key in TRAINING},
        },
        code=lambda w: code("train.py"),
    message:
        "training word vectors on {wildcards.corpus}, bootstrap {wildcards.replicate}"
    script:
        "../../scripts/train.py"
