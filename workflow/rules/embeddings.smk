# Word vectors: the words that artefacts ask for, taken out of each source: those of the word lists
# alone, of the word lists and the professions of the labour statistics or the WEATs, or with them
# the most frequent words of the whole vocabulary; and these with the seeds of Bad Seeds.
rule align_embedding:
    input:
        unpack(wanted_words),
    output:
        info=f"{RUN}/embeddings/{{role}}/{{words}}/info.json",
        vectors=f"{RUN}/embeddings/{{role}}/{{words}}/vectors.npy",
        vocabulary=f"{RUN}/embeddings/{{role}}/{{words}}/vocabulary.txt",
    log:
        f"logs/{CONFIG.run}/align_embedding/{{role}}_{{words}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/align_embedding/{{role}}_{{words}}.tsv"
    wildcard_constraints:
        role="word2vec|glove|word2vec_names|word2vec_surnames|gn_glove|gn_glove_baseline",
        words="lists|professions|weat|vocabulary|seeds",
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=30,
    params:
        settings=lambda wildcards: {
            "fidelity": BINDINGS[wildcards.role].fidelity,
            "leading": CONFIG.trustworthy.vocabulary
            * (wildcards.words in ("vocabulary", "seeds")),
        },
        code=code("embeddings/align.py"),
    message:
        "reading the {wildcards.role} vectors of the words in the {wildcards.words}"
    script:
        "../../scripts/embeddings/align.py"


rule align_decades:
    input:
        unpack(lambda wildcards: {"vectors": manifest_of("decades")}),
        **role_inputs("census_gender", "census_race"),
        word_lists="resources/word_lists/trustworthy.yaml",
    output:
        info=f"{RUN}/embeddings/decades/info.json",
    log:
        f"logs/{CONFIG.run}/align_decades.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/align_decades.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        settings={
            "fidelity": BINDINGS["decades"].fidelity,
            "decades": list(range(1900, 2000, 10)),
            "leading": CONFIG.trustworthy.vocabulary,
        },
        code=code("embeddings/align_decades.py"),
    message:
        "reading the vectors of each decade"
    script:
        "../../scripts/embeddings/align_decades.py"
