# Word vectors: the words that some artefact asks for, taken out of each source once.
rule align_embedding:
    input:
        unpack(lambda wildcards: {"vectors": role_inputs(wildcards.role)[wildcards.role]}),
        **role_inputs("census_gender", "census_race"),
        word_lists="resources/word_lists/trustworthy.yaml",
    output:
        info=f"{RUN}/embeddings/{{role}}/info.json",
        vectors=f"{RUN}/embeddings/{{role}}/vectors.npy",
        vocabulary=f"{RUN}/embeddings/{{role}}/vocabulary.txt",
    params:
        settings={"census_year": CONFIG.trustworthy.census_year},
        code=code("embeddings/align.py"),
    wildcard_constraints:
        role="word2vec|glove",
    log:
        f"logs/{CONFIG.run}/align_embedding/{{role}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/align_embedding/{{role}}.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=30,
    message:
        "reading the {wildcards.role} vectors of the words that are asked for"
    script:
        "../../scripts/embeddings/align.py"
