# Contextual models: what represents words in their sentences, the probes on that, and the small
# GPT-2 that a run trains and lets write where it is given none.
SAMPLES = f"{RUN}/contextual/gpt2/samples.jsonl"
# What of the settings of the small GPT-2 is about what it writes; the others are how it is trained.
WRITING = {"samples", "tokens", "batch"}


if TRAINS_GPT2:

    rule train_gpt2:
        input:
            **role_inputs("census_gender"),
            report=f"{RUN}/corpora/webtext/prepared/report.json",
            word_lists="resources/word_lists/trustworthy.yaml",
        output:
            report=TRAINED_GPT2,
        log:
            f"logs/{CONFIG.run}/train_gpt2.log",
        benchmark:
            f"benchmarks/{CONFIG.run}/train_gpt2.tsv"
        conda:
            "../../envs/socialbias.yaml"
        threads: 1
        resources:
            mem_mb=3000,
            runtime=240,
        params:
            settings={
                "options": CONFIG.trustworthy.small_gpt2.model_dump(exclude=WRITING),
                "word_lists": CONFIG.trustworthy.word_lists,
                "seed": CONFIG.seed,
            },
            code=code("contextual/train_gpt2.py"),
        message:
            "training a small GPT-2 on the text of L1"
        script:
            "../../scripts/contextual/train_gpt2.py"


if WRITES_SAMPLES:

    ruleorder: read_samples > read_corpus

    rule write_samples:
        input:
            model=model_path("gpt2"),
        output:
            samples=SAMPLES,
        log:
            f"logs/{CONFIG.run}/write_samples.log",
        benchmark:
            f"benchmarks/{CONFIG.run}/write_samples.tsv"
        conda:
            "../../envs/socialbias.yaml"
        threads: 1
        resources:
            mem_mb=4000,
            runtime=480,
            gpu=GPUS,
        params:
            settings={
                **CONFIG.trustworthy.small_gpt2.model_dump(include=WRITING),
                "device": CONFIG.contextual.device,
                "dtype": CONFIG.contextual.dtype,
                "seed": CONFIG.seed,
            },
            code=code("contextual/write_samples.py"),
        message:
            "letting GPT-2 write"
        script:
            "../../scripts/contextual/write_samples.py"

    rule read_samples:
        input:
            samples=SAMPLES,
        output:
            documents=f"{RUN}/corpora/samples/documents/documents.json",
        log:
            f"logs/{CONFIG.run}/read_samples.log",
        benchmark:
            f"benchmarks/{CONFIG.run}/read_samples.tsv"
        conda:
            "../../envs/socialbias.yaml"
        threads: 1
        resources:
            mem_mb=1000,
            runtime=60,
        params:
            settings={"about": about_text("samples")},
            code=code("contextual/read_samples.py"),
        message:
            "reading what GPT-2 wrote"
        script:
            "../../scripts/contextual/read_samples.py"


# Weights: those of the model, or random ones in the same architecture, which is a control.
rule represent:
    input:
        unpack(represent_inputs),
        **role_inputs("census_gender"),
        word_lists="resources/word_lists/trustworthy.yaml",
    output:
        multiext(
            f"{RUN}/contextual/{{model}}/{{weights}}/",
            "vectors.npy",
            "vocabulary.txt",
            "counts.npy",
            "resampled.npy",
            "report.json",
            "features.npy",
            "examples.parquet",
        ),
        info=f"{RUN}/contextual/{{model}}/{{weights}}/info.json",
    log:
        f"logs/{CONFIG.run}/represent/{{model}}_{{weights}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/represent/{{model}}_{{weights}}.tsv"
    wildcard_constraints:
        weights="given|random",
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=6000,
        runtime=720,
        gpu=GPUS,
    params:
        settings=represent_settings,
        code=code("contextual/represent.py"),
    message:
        "representing words in their sentences by {wildcards.model}, {wildcards.weights} weights"
    script:
        "../../scripts/contextual/represent.py"


rule probe:
    input:
        given=f"{RUN}/contextual/{{model}}/given/info.json",
        random=f"{RUN}/contextual/{{model}}/random/info.json",
    output:
        evidence=f"{RUN}/trustworthy/evidence/probe_{{model}}.parquet",
    log:
        f"logs/{CONFIG.run}/probe_{{model}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/probe_{{model}}.tsv"
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=120,
    params:
        settings=lambda wildcards: {
            "options": probe_options(wildcards.model),
            "replicates": CONFIG.trustworthy.probe_seeds,
            "seed": CONFIG.seed,
        },
        code=code("contextual/probe.py"),
    message:
        "training probes on {wildcards.model}, and their controls"
    script:
        "../../scripts/contextual/probe.py"
