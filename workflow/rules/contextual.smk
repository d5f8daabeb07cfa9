# Contextual models: what represents words in their sentences, and the small GPT-2 that a run trains
# and lets write where it is given none.
TRAINED_GPT2 = JOB_INPUTS.trained_gpt2
SAMPLES = f"{RUN}/contextual/gpt2/samples.jsonl"
WRITTEN_ON = PLAN.written_on
# What of the settings of the small GPT-2 is about what it writes; the others are how it is trained.
WRITING = {"samples", "tokens", "batch"}


if PLAN.trains_gpt2:

    rule train_gpt2:
        input:
            **JOB_INPUTS.sources("census_gender"),
            **PLAN.beside("prepared/webtext"),
            report=PLAN.file("prepared/webtext"),
            word_lists=PLAN.file("word_lists/trustworthy"),
        output:
            model=directory(TRAINED_GPT2),
        log:
            f"logs/{CONFIG.run}/train_gpt2.log",
        benchmark:
            f"benchmarks/{CONFIG.run}/train_gpt2.tsv"
        conda:
            "../../envs/socialbias.yaml"
        threads: 1
        resources:
            mem_mb=JOB_RESOURCES("train_gpt2", "mem_mb"),
            runtime=JOB_RESOURCES("train_gpt2", "runtime"),
        params:
            settings={
                "options": CONFIG.trustworthy.small_gpt2.model_dump(exclude=WRITING),
                "word_lists": CONFIG.trustworthy.word_lists,
                "seed": CONFIG.seed,
            },
            code=lambda w: code("train_gpt2.py"),
        message:
            "training a small GPT-2 on the text of L1"
        script:
            "../../scripts/train_gpt2.py"


if PLAN.writes_samples:

    ruleorder: read_samples > prepare_corpus

    rule write_samples:
        input:
            model=TRAINED_GPT2 if PLAN.trains_gpt2 else PLAN.manifest("gpt2"),
        output:
            samples=SAMPLES,
            info=WRITTEN_ON,
        log:
            f"logs/{CONFIG.run}/write_samples.log",
        benchmark:
            f"benchmarks/{CONFIG.run}/write_samples.tsv"
        conda:
            "../../envs/socialbias.yaml"
        threads: 1
        resources:
            mem_mb=JOB_RESOURCES("write_samples", "mem_mb"),
            runtime=JOB_RESOURCES("write_samples", "runtime"),
            gpu=JOB_RESOURCES("write_samples", "gpu"),
        params:
            settings={
                **CONFIG.trustworthy.small_gpt2.model_dump(include=WRITING),
                "device": CONFIG.contextual.device,
                "dtype": CONFIG.contextual.dtype,
                "seed": CONFIG.seed,
            },
            code=lambda w: code("write_samples.py"),
        message:
            "letting GPT-2 write"
        script:
            "../../scripts/write_samples.py"

    rule read_samples:
        input:
            samples=SAMPLES,
        output:
            multiext(
                f"{RUN}/corpora/samples/prepared/",
                "tokens.npy",
                "sentences.npy",
                "counts.npy",
                "vocabulary.txt",
            ),
            documents=directory(f"{RUN}/corpora/samples/documents"),
            report=f"{RUN}/corpora/samples/prepared/report.json",
            offsets=f"{RUN}/corpora/samples/prepared/documents.npy",
        log:
            f"logs/{CONFIG.run}/read_samples.log",
        benchmark:
            f"benchmarks/{CONFIG.run}/read_samples.tsv"
        conda:
            "../../envs/socialbias.yaml"
        threads: 1
        resources:
            mem_mb=JOB_RESOURCES("read_samples", "mem_mb"),
            runtime=JOB_RESOURCES("read_samples", "runtime"),
        params:
            settings={
                "tokenizer": "spacy",
                "lower": "before",
                "corpus": "samples",
                "source": PLAN.provenance("corpus_samples")[0].source,
                "fidelity": "substitute",
            },
            code=lambda w: code("prepare.py"),
        message:
            "reading what GPT-2 wrote"
        script:
            "../../scripts/prepare.py"


# Named entities, for Generalized Fairness Metrics, with a conditional random field.
rule train_recogniser:
    input:
        **JOB_INPUTS.sources("fairness_encoder", "conll2003"),
    output:
        model=directory(f"{RUN}/fairness/recognisers/{{head}}"),
    log:
        f"logs/{CONFIG.run}/train_recogniser/{{head}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/train_recogniser/{{head}}.tsv"
    wildcard_constraints:
        head="crf",
    conda:
        "../../envs/socialbias.yaml"
    # Without a GPU the threads of `recognisers.RECIPE`.
    threads: JOB_RESOURCES("train_recogniser", "cores")
    resources:
        mem_mb=JOB_RESOURCES("train_recogniser", "mem_mb"),
        runtime=JOB_RESOURCES("train_recogniser", "runtime"),
        gpu=JOB_RESOURCES("train_recogniser", "gpu"),
    params:
        settings={
            "device": CONFIG.contextual.device,
            "training": CONFIG.contextual.training.model_dump(),
            "seed": CONFIG.seed,
        },
        code=lambda w: code("train_recogniser.py"),
    message:
        "fine-tuning on named entities: {wildcards.head}"
    script:
        "../../scripts/train_recogniser.py"


# Where the text is long, a model reads it in shards, each a job: the sums over their sentences add
# up. What is chosen is chosen once for all of them.
rule choose_sentences:
    input:
        unpack(JOB_INPUTS.chosen_from),
    output:
        **{
            name: f"{RUN}/contextual/{{model}}/{{weights}}/chosen/{file}"
            for name, file in CHOSEN.items()
        },
    log:
        f"logs/{CONFIG.run}/choose_sentences/{{model}}_{{weights}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/choose_sentences/{{model}}_{{weights}}.tsv"
    wildcard_constraints:
        weights="given|random",
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=JOB_RESOURCES("choose_sentences", "mem_mb"),
        runtime=JOB_RESOURCES("choose_sentences", "runtime"),
    params:
        settings=JOB_INPUTS.represent_settings,
        code=lambda w: code("choose_sentences.py"),
    message:
        "choosing the sentences that {wildcards.model} reads, {wildcards.weights} weights"
    script:
        "../../scripts/choose_sentences.py"


rule represent_shard:
    input:
        unpack(JOB_INPUTS.shard_inputs),
        **rules.choose_sentences.output,
    output:
        shard=temp(f"{RUN}/contextual/{{model}}/{{weights}}/shards/{{shard}}.npz"),
    log:
        f"logs/{CONFIG.run}/represent_shard/{{model}}_{{weights}}_{{shard}}.log",
    benchmark:
        f"benchmarks/{CONFIG.run}/represent_shard/{{model}}_{{weights}}_{{shard}}.tsv"
    wildcard_constraints:
        weights="given|random",
        shard=r"\d+",
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=JOB_RESOURCES("represent_shard", "mem_mb"),
        runtime=JOB_RESOURCES("represent_shard", "runtime"),
        gpu=JOB_RESOURCES("represent_shard", "gpu"),
    params:
        settings=JOB_INPUTS.represent_settings,
        code=lambda w: code("represent_shard.py"),
    message:
        "representing words by {wildcards.model}, {wildcards.weights} weights, shard {wildcards.shard}"
    script:
        "../../scripts/represent_shard.py"


# Weights: those of the model, or random ones in the same architecture, which is a control.
rule represent:
    input:
        unpack(JOB_INPUTS.represent_inputs),
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
        mem_mb=JOB_RESOURCES("represent", "mem_mb"),
        runtime=JOB_RESOURCES("represent", "runtime"),
        gpu=JOB_RESOURCES("represent", "gpu"),
    params:
        settings=JOB_INPUTS.represent_settings,
        code=lambda w: code("represent.py"),
    message:
        "representing words in their sentences by {wildcards.model}, {wildcards.weights} weights"
    script:
        "../../scripts/represent.py"
