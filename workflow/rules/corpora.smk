# Text: documents from a source, then ids, then parts of speech, and word vectors of bootstrap
# samples of the documents.
rule read_corpus:
    input:
        source=lambda wildcards: manifest_of(f"corpus_{wildcards.corpus}"),
    output:
        documents=f"{RUN}/corpora/{{corpus}}/documents/documents.json",
    log:
        f"logs/{CONFIG.run}/read_corpus/{{corpus}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/read_corpus/{{corpus}}.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=240,
    params:
        settings=corpus_settings,
        code=code("corpora/documents.py"),
    message:
        "reading the documents of {wildcards.corpus}"
    script:
        "../../scripts/corpora/documents.py"


rule prepare_corpus:
    input:
        documents=rules.read_corpus.output.documents,
    output:
        multiext(
            f"{RUN}/corpora/{{corpus}}/prepared/",
            "tokens.npy",
            "sentences.npy",
            "counts.npy",
            "vocabulary.txt",
        ),
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
        mem_mb=4000,
        runtime=240,
    params:
        settings={"tokenizer": "spacy", "lower": "before"},
        code=code("corpora/prepare.py"),
    message:
        "turning {wildcards.corpus} into ids"
    script:
        "../../scripts/corpora/prepare.py"


rule tag_corpus:
    input:
        documents=rules.read_corpus.output.documents,
        offsets=rules.prepare_corpus.output.offsets,
        model=lambda wildcards: manifest_of("tagger"),
    output:
        tags=f"{RUN}/corpora/{{corpus}}/tags.parquet",
    log:
        f"logs/{CONFIG.run}/tag_corpus/{{corpus}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/tag_corpus/{{corpus}}.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=480,
    params:
        settings=lambda wildcards: {
            "corpus": wildcards.corpus,
            "words": CONFIG.bad_seeds.tagged_words,
            "lower": "before",
            "seed": CONFIG.seed,
        },
        code=code("corpora/tag.py"),
    message:
        "tagging the parts of speech of {wildcards.corpus}"
    script:
        "../../scripts/corpora/tag.py"


# One process a replicate, with one worker: the same bytes on any number of cores.
rule train_vectors:
    input:
        report=rules.prepare_corpus.output.report,
    output:
        vectors=f"{RUN}/corpora/{{corpus}}/models/{{replicate}}/vectors.npy",
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
        mem_mb=3000,
        runtime=720,
    params:
        settings=lambda wildcards: {
            "corpus": wildcards.corpus,
            "replicate": int(wildcards.replicate),
            "seed": CONFIG.seed,
            "words": CONFIG.bad_seeds.sample_words,
            "options": {key: getattr(CONFIG.bad_seeds, key) for key in TRAINING},
        },
        code=code("bad_seeds/train.py"),
    message:
        "training word vectors on {wildcards.corpus}, bootstrap {wildcards.replicate}"
    script:
        "../../scripts/bad_seeds/train.py"


rule check_vectors:
    input:
        **role_inputs("analogies", "similarity"),
        vectors=lambda wildcards: [
            f"{RUN}/corpora/{wildcards.corpus}/models/{replicate}/vectors.npy"
            for replicate in range(CONFIG.bad_seeds.bootstraps)
        ],
    output:
        checks=f"{RUN}/corpora/{{corpus}}/intrinsic.parquet",
    log:
        f"logs/{CONFIG.run}/check_vectors/{{corpus}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/check_vectors/{{corpus}}.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        settings={},
        code=code("bad_seeds/intrinsic.py"),
    message:
        "checking the vectors of {wildcards.corpus} on analogies and similarity"
    script:
        "../../scripts/bad_seeds/intrinsic.py"
