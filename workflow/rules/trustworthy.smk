# Trustworthy Social Bias Measurement (Bommasani and Liang 2022).
NOT_YET = "this version has no rule for it yet"

TABLE3_MISSING = missing(
    {
        "text-human": [f"human annotations: {NOT_YET}"],
        "text-automated": [f"text contexts: {NOT_YET}"],
        "cr-reduction": [f"contextualised representations: {NOT_YET}"],
        "cr-probe": [f"contextualised representations: {NOT_YET}"],
    }
    | dict.fromkeys(variants("emb-word2vec"), ["word2vec"])
    | dict.fromkeys(variants("emb-glove"), ["glove"])
)
TABLE5_MISSING = missing(
    dict.fromkeys(
        [*variants("diachronic-gender"), "diachronic-race"], [f"decade vectors: {NOT_YET}"]
    )
    | dict.fromkeys(variants("contemporary-gender"), ["census_gender", "word2vec"])
    | {"contemporary-race": ["census_race", "word2vec_surnames"]}
)


rule trustworthy_table3_evidence:
    input:
        **embedding_inputs("lists", "word2vec", "glove"),
        word_lists="resources/word_lists/trustworthy.yaml",
    output:
        evidence=f"{RUN}/trustworthy/evidence/table3.parquet",
    log:
        f"logs/{CONFIG.run}/trustworthy_table3_evidence.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_table3_evidence.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings={
            "word_lists": CONFIG.trustworthy.word_lists,
            "draws": CONFIG.trustworthy.word_list_draws,
            "seed": CONFIG.seed,
        },
        code=code("trustworthy/table3_evidence.py"),
    message:
        "measuring the gender bias of the professions of Table 3"
    script:
        "../../scripts/trustworthy/table3_evidence.py"


rule trustworthy_table3_values:
    input:
        evidence=rules.trustworthy_table3_evidence.output.evidence,
        manifest="resources/manifest.csv",
    output:
        values=f"{RUN}/trustworthy/table3.values.csv",
    log:
        f"logs/{CONFIG.run}/trustworthy_table3_values.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_table3_values.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings={
            "level": CONFIG.intervals.level,
            "seed": CONFIG.seed,
            "missing": TABLE3_MISSING,
        },
        code=code("trustworthy/table3_values.py"),
    message:
        "values of Table 3"
    script:
        "../../scripts/trustworthy/table3_values.py"


rule trustworthy_table5_evidence:
    input:
        **embedding_inputs("professions", "word2vec", "glove", "word2vec_surnames"),
        **role_inputs("census_gender", "census_race"),
        word_lists="resources/word_lists/trustworthy.yaml",
    output:
        evidence=f"{RUN}/trustworthy/evidence/table5.parquet",
    log:
        f"logs/{CONFIG.run}/trustworthy_table5_evidence.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_table5_evidence.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings={
            "word_lists": CONFIG.trustworthy.word_lists,
            "census_year": CONFIG.trustworthy.census_year,
            "fidelity": fidelity("census_gender", "census_race"),
        },
        code=code("trustworthy/table5_evidence.py"),
    message:
        "measuring the bias of professions in vectors and in employment"
    script:
        "../../scripts/trustworthy/table5_evidence.py"


rule trustworthy_table5_values:
    input:
        evidence=rules.trustworthy_table5_evidence.output.evidence,
        manifest="resources/manifest.csv",
    output:
        values=f"{RUN}/trustworthy/table5.values.csv",
    log:
        f"logs/{CONFIG.run}/trustworthy_table5_values.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_table5_values.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings={
            "replicates": CONFIG.intervals.replicates,
            "level": CONFIG.intervals.level,
            "seed": CONFIG.seed,
            "missing": TABLE5_MISSING,
        },
        code=code("trustworthy/table5_values.py"),
    message:
        "values of Table 5"
    script:
        "../../scripts/trustworthy/table5_values.py"
