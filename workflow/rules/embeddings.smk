# Word vectors: the words that artefacts ask for, taken out of each source: those of the word
# lists alone, or of the word lists and the professions of the labour statistics.
rule align_embedding:
    input:
        unpack(wanted_words),
        word_lists="resources/word_lists/trustworthy.yaml",
    output:
        info=f"{RUN}/embeddings/{{role}}/{{words}}/info.json",
        vectors=f"{RUN}/embeddings/{{role}}/{{words}}/vectors.npy",
        vocabulary=f"{RUN}/embeddings/{{role}}/{{words}}/vocabulary.txt",
    log:
        f"logs/{CONFIG.run}/align_embedding/{{role}}_{{words}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/align_embedding/{{role}}_{{words}}.tsv"
    wildcard_constraints:
        role="word2vec|glove|word2vec_surnames",
        words="lists|professions",
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=30,
    params:
        settings=lambda wildcards: {"fidelity": BINDINGS[wildcards.role].fidelity},
        code=code("embeddings/align.py"),
    message:
        "reading the {wildcards.role} vectors of the words in the {wildcards.words}"
    script:
        "../../scripts/embeddings/align.py"
