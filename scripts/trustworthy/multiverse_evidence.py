"""Evidence for the multiverse: Table 5's headline correlation under every defensible setting."""

from pathlib import Path

from socialbias.papers.trustworthy.inputs import read_embeddings, read_employment
from socialbias.papers.validation import multiverse
from socialbias.scripting import logged
from socialbias.word_lists import read_word_lists

with logged(snakemake.log[0]):
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(snakemake.input.word_lists))
    found = read_embeddings(inputs)
    roles = {"gender": ("word2vec", "glove"), "race": ("word2vec_surnames", "glove")}
    names = {"word2vec_surnames": "word2vec"}
    groups = {
        "gender": {
            "code lists": list(lists["gender"]["released-code"].values()),
            "appendix lists": list(lists["gender"]["appendix"].values()),
        },
        "race": {"printed lists": list(lists["race"].values())},
    }
    evidence = multiverse.evidence(
        {s: {names.get(r, r): found[r] for r in of if r in found} for s, of in roles.items()},
        read_employment(inputs, settings["census_year"], settings["fidelity"]),
        groups,
        settings["replicates"],
        settings["level"],
        settings["seed"],
    )
    evidence.to_parquet(snakemake.output.evidence)
