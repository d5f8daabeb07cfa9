"""Evidence for WEAT 1 to 10: the association of each target word with the two attributes."""

from pathlib import Path

from socialbias.datasets.weat import read_tests
from socialbias.papers.trustworthy import weat
from socialbias.papers.trustworthy.inputs import read_embeddings
from socialbias.scripting import logged
from socialbias.sources.manifest import read_manifest

with logged(snakemake.log[0]):
    inputs = dict(snakemake.input.items())
    vectors = read_embeddings(inputs)
    tests = []
    if vectors and "weat_lists" in inputs:
        tests = read_tests(*read_manifest(Path(inputs["weat_lists"])))
    sets = {t.name: dict(zip("xyab", (*t.targets, *t.attributes), strict=True)) for t in tests}
    evidence = weat.evidence(list(vectors.values()), sets, snakemake.params.settings["lists"])
    evidence.to_parquet(snakemake.output.evidence)
