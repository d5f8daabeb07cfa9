# `snakemake` in this folder: the workflow, with config.yaml, which has every key.
configfile: "config.yaml"


include: "workflow/Snakefile"


# What an included file would make by default is not made by default here.
rule default:
    default_target: True
    input:
        rules.all.input,
