# Four papers on measuring social bias, reproduced: the targets are `all` (every artefact, the
# page and the check that nothing is missing), one for each paper such as `trustworthy`, and one
# for each artefact such as `trustworthy_table5`.
from snakemake.utils import min_version

min_version("9.27")


configfile: "config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/sources.smk"
include: "workflow/rules/embeddings.smk"
include: "workflow/rules/corpora.smk"
include: "workflow/rules/contextual.smk"
include: "workflow/rules/annotation.smk"
include: "workflow/rules/validation.smk"
include: "workflow/rules/artefacts.smk"
include: "workflow/rules/reading.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        rules.page.output.page,
        rules.complete.output.report,
