# Trustworthy Social Bias Measurement (Bommasani and Liang 2022).


# The specification curve is drawn from its evidence, everything else from values alone.
ruleorder: trustworthy_multiverse_draw > draw


# By values column (or row), what is missing and how to get it.
TABLE3_MISSING = missing(
    {
        "text-human": UNLABELLED,
    }
    | dict.fromkeys(variants("text-automated"), ["corpus_wikipedia"])
    | dict.fromkeys(variants("cr-reduction") + variants("cr-probe"), ["bert", "corpus_wikipedia"])
    | dict.fromkeys(variants("emb-word2vec"), ["word2vec"])
    | dict.fromkeys(variants("emb-glove"), ["glove"])
)
TABLE5_MISSING = missing(
    dict.fromkeys(variants("diachronic-gender"), ["decades", "census_gender"])
    | {"diachronic-race": ["decades", "census_race"]}
    | dict.fromkeys(variants("contemporary-gender"), ["census_gender", "word2vec"])
    | {"contemporary-race": ["census_race", "word2vec_surnames"]}
)
# Of GPT-2's roles, those that the run does not fill by itself.
GPT2_NEEDS = {
    "L1": ["corpus_webtext"],
    "L2": ["corpus_webtext"] + ["gpt2"] * (not TRAINS_GPT2),
    "L3": ["corpus_samples"] * (not WRITES_SAMPLES),
}
GPT2_NEEDS |= dict.fromkeys(["one-hot", "random"], GPT2_NEEDS["L2"])
TABLE6_MISSING = missing(
    {
        f"{observed};{reference}@{setting}": GPT2_NEEDS[observed] + GPT2_NEEDS.get(reference, [])
        for setting in ("mixed", "one", "one-soft")
        for observed, reference in (
            ("L2", "L1"),
            ("L3", "L2"),
            ("L3", "L1"),
            ("one-hot", "L1"),
            ("random", "L1"),
            ("L1", "uniform"),
            ("L2", "uniform"),
            ("L3", "uniform"),
        )
    }
)
READS_BERT = ["bert", "corpus_wikipedia"]
FROM_TEXT_MISSING = {
    "table6": TABLE6_MISSING,
    "probes": missing(
        {
            f"{model}{kind}": needs
            for model, needs in (("bert", READS_BERT), ("gpt2", GPT2_NEEDS["L2"]))
            for kind in ("", " random", " one-hot", " shuffled", " control", " majority")
        }
    ),
    "professions": missing(
        {
            "text-automated": ["corpus_wikipedia"],
            "emb-word2vec": ["word2vec"],
            "emb-glove": ["glove"],
            "cr-reduction": READS_BERT,
            "cr-probe": READS_BERT,
        }
        | {level: GPT2_NEEDS[level] for level in ("L1", "L2", "L3")}
    ),
    "decodings": missing(dict.fromkeys(["mean", "size", "pooled"], ["gpt2_decodings"])),
}
TABLE7_MISSING = missing(
    {"glove gn-glove gender": ["gn_glove", "gn_glove_baseline"]}
    | {"word2vec hard-bolukbasi gender": ["word2vec", "bolukbasi_lists"]}
    | {
        f"word2vec {how}-manzini {group}": ["word2vec"]
        for how in ("hard", "soft")
        for group in ("gender", "race", "religion")
    }
)
TABLE8_MISSING = missing(
    {
        "text-automated wikipedia": ["corpus_wikipedia"],
        "cr-reduction bert": ["bert", "corpus_wikipedia"],
        "cr-probe bert": ["bert", "corpus_wikipedia"],
        "emb word2vec": ["word2vec"],
        "emb glove": ["glove"],
    }
)
WEAT_MISSING = missing(
    dict.fromkeys(["effect-size", "effect-size-population", "p-value"], ["word2vec", "weat_lists"])
)
PLACEBO_MISSING = missing(
    dict.fromkeys(
        [f"contemporary-gender@{kind}" for kind in ("observed", "partial", "random-lists")],
        ["word2vec", "census_gender"],
    )
    | dict.fromkeys(
        [f"contemporary-race@{kind}" for kind in ("observed", "partial", "random-lists")],
        ["word2vec_surnames", "census_race"],
    )
    | {
        f"diachronic-{group}@{kind}": ["decades", f"census_{group}"]
        for group in ("gender", "race")
        for kind in ("observed", "differences", "blocks", "random-lists")
    }
)
MULTIVERSE_MISSING = missing(
    {
        f"contemporary-{group}@{kind}": [vectors, f"census_{group}"]
        for group, vectors in (("gender", "word2vec"), ("race", "word2vec_surnames"))
        for kind in ("median", "positive", "significant")
    }
)


rule trustworthy_table3_evidence:
    input:
        **embedding_inputs("lists", "word2vec", "glove"),
        **reduction_inputs(),
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
            "about": about_texts(),
            "seed": CONFIG.seed,
        },
        code=code("trustworthy/table3_evidence.py"),
    message:
        "measuring the gender bias of the professions of Table 3"
    script:
        "../../scripts/trustworthy/table3_evidence.py"


rule trustworthy_table3_values:
    input:
        **text_inputs("wikipedia"),
        **probe_inputs("bert"),
        evidence=rules.trustworthy_table3_evidence.output.evidence,
        annotations=rules.annotation_ingest.output.contexts,
        word_lists="resources/word_lists/trustworthy.yaml",
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
            "about": about_texts(),
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


rule trustworthy_diachronic_evidence:
    input:
        **decade_inputs(),
        **role_inputs("census_gender", "census_race"),
        word_lists="resources/word_lists/trustworthy.yaml",
    output:
        evidence=f"{RUN}/trustworthy/evidence/diachronic.parquet",
    log:
        f"logs/{CONFIG.run}/trustworthy_diachronic_evidence.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_diachronic_evidence.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings={
            "word_lists": CONFIG.trustworthy.word_lists,
            "fidelity": fidelity("census_gender", "census_race"),
        },
        code=code("trustworthy/diachronic_evidence.py"),
    message:
        "measuring the bias of professions in each decade"
    script:
        "../../scripts/trustworthy/diachronic_evidence.py"


rule trustworthy_table5_values:
    input:
        evidence=rules.trustworthy_table5_evidence.output.evidence,
        diachronic=rules.trustworthy_diachronic_evidence.output.evidence,
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


rule trustworthy_weat_evidence:
    input:
        **embedding_inputs("weat", "word2vec", "word2vec_names"),
        **role_inputs("weat_lists"),
    output:
        evidence=f"{RUN}/trustworthy/evidence/weat.parquet",
    log:
        f"logs/{CONFIG.run}/trustworthy_weat_evidence.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_weat_evidence.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings={
            "lists": BINDINGS["weat_lists"].fidelity,
        },
        code=code("trustworthy/weat_evidence.py"),
    message:
        "measuring WEAT 1 to 10"
    script:
        "../../scripts/trustworthy/weat_evidence.py"


rule trustworthy_weat_values:
    input:
        evidence=rules.trustworthy_weat_evidence.output.evidence,
        manifest="resources/manifest.csv",
    output:
        values=f"{RUN}/trustworthy/weat.values.csv",
    log:
        f"logs/{CONFIG.run}/trustworthy_weat_values.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_weat_values.tsv"
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
            "missing": WEAT_MISSING,
        },
        code=code("trustworthy/weat_values.py"),
    message:
        "values of the weat"
    script:
        "../../scripts/trustworthy/weat_values.py"


rule trustworthy_table7_evidence:
    input:
        **embedding_inputs("vocabulary", "word2vec"),
        **embedding_inputs("lists", "gn_glove", "gn_glove_baseline"),
        **role_inputs("bolukbasi_lists"),
        word_lists=[
            "resources/word_lists/trustworthy.yaml",
            "resources/word_lists/debiasing.yaml",
        ],
    output:
        evidence=f"{RUN}/trustworthy/evidence/table7.parquet",
    log:
        f"logs/{CONFIG.run}/trustworthy_table7_evidence.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_table7_evidence.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        settings={
            "word_list": CONFIG.trustworthy.word_lists[0],
            "level": CONFIG.intervals.level,
            "seed": CONFIG.seed,
        },
        code=code("trustworthy/table7_evidence.py"),
    message:
        "debiasing word2vec, and measuring what is left"
    script:
        "../../scripts/trustworthy/table7_evidence.py"


rule trustworthy_table7_values:
    input:
        evidence=rules.trustworthy_table7_evidence.output.evidence,
        published="resources/published/trustworthy_table7.csv",
        manifest="resources/manifest.csv",
    output:
        values=f"{RUN}/trustworthy/table7.values.csv",
    log:
        f"logs/{CONFIG.run}/trustworthy_table7_values.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_table7_values.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings={
            "seed": CONFIG.seed,
            "missing": TABLE7_MISSING,
        },
        code=code("trustworthy/table7_values.py"),
    message:
        "values of Table 7"
    script:
        "../../scripts/trustworthy/table7_values.py"


rule trustworthy_table8_evidence:
    input:
        **embedding_inputs("lists", "word2vec", "glove"),
        **reduction_inputs(),
        **probe_inputs("bert"),
        **prepared_inputs("wikipedia"),
        word_lists="resources/word_lists/trustworthy.yaml",
    output:
        evidence=f"{RUN}/trustworthy/evidence/table8.parquet",
    log:
        f"logs/{CONFIG.run}/trustworthy_table8_evidence.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_table8_evidence.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        settings={
            "word_list": CONFIG.trustworthy.word_lists[0],
            "sizes": [3, 5],
            "draws": CONFIG.trustworthy.word_list_draws,
            "contexts": contexts_settings(),
            "about": about_texts(),
            "seed": CONFIG.seed,
        },
        code=code("trustworthy/table8_evidence.py"),
    message:
        "measuring Table 3 with perturbed lists and parameters"
    script:
        "../../scripts/trustworthy/table8_evidence.py"


rule trustworthy_table8_values:
    input:
        evidence=rules.trustworthy_table8_evidence.output.evidence,
        manifest="resources/manifest.csv",
    output:
        values=f"{RUN}/trustworthy/table8.values.csv",
    log:
        f"logs/{CONFIG.run}/trustworthy_table8_values.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_table8_values.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings={
            "level": CONFIG.intervals.level,
            "targets": 8,
            "seed": CONFIG.seed,
            "missing": TABLE8_MISSING,
        },
        code=code("trustworthy/table8_values.py"),
    message:
        "values of Table 8"
    script:
        "../../scripts/trustworthy/table8_values.py"


rule trustworthy_text_evidence:
    input:
        **role_inputs("census_gender"),
        report=f"{RUN}/corpora/{{text}}/prepared/report.json",
        word_lists="resources/word_lists/trustworthy.yaml",
    output:
        evidence=f"{RUN}/trustworthy/evidence/text_{{text}}.parquet",
    log:
        f"logs/{CONFIG.run}/trustworthy_text_evidence/{{text}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_text_evidence/{{text}}.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=120,
    params:
        settings={
            "word_lists": CONFIG.trustworthy.word_lists,
            "contexts": contexts_settings(),
        },
        code=code("trustworthy/text_evidence.py"),
    message:
        "counting which groups professions stand with in {wildcards.text}"
    script:
        "../../scripts/trustworthy/text_evidence.py"


rule trustworthy_decodings_evidence:
    input:
        **role_inputs("gpt2_decodings", "census_gender"),
        word_lists="resources/word_lists/trustworthy.yaml",
    output:
        evidence=f"{RUN}/trustworthy/evidence/decodings.parquet",
    log:
        f"logs/{CONFIG.run}/trustworthy_decodings_evidence.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_decodings_evidence.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        settings={
            "word_list": CONFIG.trustworthy.word_lists[0],
            "contexts": contexts_settings(),
        },
        code=code("trustworthy/decodings_evidence.py"),
    message:
        "counting which groups professions stand with in samples of GPT-2"
    script:
        "../../scripts/trustworthy/decodings_evidence.py"


# What rests on the evidence of text and probes alone differs in what it reads, which stands in
# FROM_TEXT (common.smk), and in its script.
rule trustworthy_values:
    input:
        unpack(lambda wildcards: from_text_inputs(wildcards.artefact)),
        word_lists="resources/word_lists/trustworthy.yaml",
        manifest="resources/manifest.csv",
    output:
        values=f"{RUN}/trustworthy/{{artefact}}.values.csv",
    log:
        f"logs/{CONFIG.run}/trustworthy_values/{{artefact}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_values/{{artefact}}.tsv"
    wildcard_constraints:
        artefact="|".join(FROM_TEXT),
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        settings=lambda wildcards: from_text_settings()
        | {"missing": FROM_TEXT_MISSING[wildcards.artefact]},
        code=lambda wildcards: code(f"trustworthy/{wildcards.artefact}_values.py"),
    message:
        "values of {wildcards.artefact} of Trustworthy"
    script:
        "../../scripts/trustworthy/{wildcards.artefact}_values.py"


# For reading: what the correlations over professions are of.
rule trustworthy_every_profession:
    input:
        **from_text_inputs("professions"),
        word_lists="resources/word_lists/trustworthy.yaml",
    output:
        table=f"{RUN}/trustworthy/every_profession.csv",
    log:
        f"logs/{CONFIG.run}/trustworthy_every_profession.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_every_profession.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        settings=from_text_settings() | {"missing": BINDINGS["census_gender"].missing},
        code=code("trustworthy/every_profession.py"),
    message:
        "the bias of every profession"
    script:
        "../../scripts/trustworthy/every_profession.py"


# For reading: the sentences behind the numbers.
SHOWN = CONFIG.trustworthy.shown_text


rule trustworthy_contexts:
    input:
        **prepared_inputs(SHOWN, shards=True),
        word_lists="resources/word_lists/trustworthy.yaml",
    output:
        page=f"{RUN}/trustworthy/contexts.html",
        table=f"{RUN}/trustworthy/contexts.csv",
    log:
        f"logs/{CONFIG.run}/trustworthy_contexts.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_contexts.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        settings={
            "targets": CONFIG.trustworthy.shown_targets,
            "word_list": CONFIG.trustworthy.word_lists[0],
            "contexts": contexts_settings(),
            "sentences": CONFIG.trustworthy.shown_sentences,
            "at_most": CONFIG.trustworthy.shown_contexts,
            "seed": CONFIG.seed,
            "missing": missing({"contexts": [f"corpus_{SHOWN}"] * (not about_text(SHOWN))}),
        },
        code=code("trustworthy/contexts.py"),
    message:
        "showing contexts of professions"
    script:
        "../../scripts/trustworthy/contexts.py"


rule trustworthy_placebo_evidence:
    input:
        **embedding_inputs("vocabulary", "word2vec", "word2vec_surnames"),
        **decade_inputs(),
        **role_inputs("census_gender", "census_race"),
        word_lists="resources/word_lists/trustworthy.yaml",
    output:
        evidence=f"{RUN}/trustworthy/evidence/placebo.parquet",
    log:
        f"logs/{CONFIG.run}/trustworthy_placebo_evidence.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_placebo_evidence.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        settings={
            "word_list": CONFIG.trustworthy.word_lists[0],
            "census_year": CONFIG.trustworthy.census_year,
            "draws": CONFIG.trustworthy.word_list_draws,
            "fidelity": fidelity("census_gender", "census_race"),
            "seed": CONFIG.seed,
        },
        code=code("trustworthy/placebo_evidence.py"),
    message:
        "measuring Table 5 with random words instead of groups"
    script:
        "../../scripts/trustworthy/placebo_evidence.py"


rule trustworthy_placebo_values:
    input:
        evidence=rules.trustworthy_placebo_evidence.output.evidence,
        manifest="resources/manifest.csv",
    output:
        values=f"{RUN}/trustworthy/placebo.values.csv",
    log:
        f"logs/{CONFIG.run}/trustworthy_placebo_values.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_placebo_values.tsv"
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
            "missing": PLACEBO_MISSING,
        },
        code=code("trustworthy/placebo_values.py"),
    message:
        "values of the placebo"
    script:
        "../../scripts/trustworthy/placebo_values.py"


rule trustworthy_multiverse_evidence:
    input:
        **embedding_inputs("professions", "word2vec", "glove", "word2vec_surnames"),
        **role_inputs("census_gender", "census_race"),
        word_lists="resources/word_lists/trustworthy.yaml",
    output:
        evidence=f"{RUN}/trustworthy/evidence/multiverse.parquet",
    log:
        f"logs/{CONFIG.run}/trustworthy_multiverse_evidence.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_multiverse_evidence.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings={
            "census_year": CONFIG.trustworthy.census_year,
            "fidelity": fidelity("census_gender", "census_race"),
            "replicates": CONFIG.intervals.replicates,
            "level": CONFIG.intervals.level,
            "seed": CONFIG.seed,
        },
        code=code("trustworthy/multiverse_evidence.py"),
    message:
        "measuring Table 5 under every defensible setting"
    script:
        "../../scripts/trustworthy/multiverse_evidence.py"


rule trustworthy_multiverse_values:
    input:
        evidence=rules.trustworthy_multiverse_evidence.output.evidence,
        manifest="resources/manifest.csv",
    output:
        values=f"{RUN}/trustworthy/multiverse.values.csv",
    log:
        f"logs/{CONFIG.run}/trustworthy_multiverse_values.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_multiverse_values.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings={
            "seed": CONFIG.seed,
            "missing": MULTIVERSE_MISSING,
        },
        code=code("trustworthy/multiverse_values.py"),
    message:
        "values of the multiverse"
    script:
        "../../scripts/trustworthy/multiverse_values.py"


rule trustworthy_multiverse_draw:
    input:
        evidence=rules.trustworthy_multiverse_evidence.output.evidence,
        values=rules.trustworthy_multiverse_values.output.values,
        published="resources/published/trustworthy_multiverse.csv",
        catalogue="resources/artefacts.yaml",
    output:
        multiext(f"{RUN}/trustworthy/multiverse", ".csv", ".tex", ".html", ".pdf", ".svg"),
        picture=report(
            f"{RUN}/trustworthy/multiverse.png",
            caption="../report/artefact.rst",
            category="trustworthy",
            labels={"artefact": "multiverse"},
        ),
    log:
        f"logs/{CONFIG.run}/trustworthy_multiverse_draw.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/trustworthy_multiverse_draw.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings=drawing("trustworthy_multiverse"),
        code=code("trustworthy/multiverse_draw.py"),
    message:
        "drawing the specification curve"
    script:
        "../../scripts/trustworthy/multiverse_draw.py"
