# Fetching. These rules carry only a source's id and checksums, so that editing the code that
# fetches does not fetch again.
rule fetch:
    output:
        manifest=f"{CONFIG.data}/{{source}}/manifest.json",
    log:
        "logs/fetch/{source}.log",
    benchmark:
        "benchmarks/fetch/{source}.tsv"
    localrule: True
    conda:
        "../../envs/socialbias.yaml"
    threads: 1
    resources:
        mem_mb=JOB_RESOURCES("fetch", "mem_mb"),
        runtime=JOB_RESOURCES("fetch", "runtime"),
    params:
        settings=lambda wildcards: {
            "source": wildcards.source,
            "sha256": [f.sha256 for f in REGISTRY[wildcards.source].files],
            "own": identity_of(REGISTRY[wildcards.source]),
            **JOB_INPUTS.source_settings(wildcards),
        },
    message:
        "fetching {wildcards.source}"
    script:
        "../../scripts/fetch.py"
