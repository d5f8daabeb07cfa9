"""Take the words that are asked for out of one source of word vectors."""

import json
from pathlib import Path

from socialbias.datasets.census import professions
from socialbias.datasets.weat import read_tests
from socialbias.embeddings.readers import leading_words, read_word_vectors
from socialbias.scripting import logged
from socialbias.sources.manifest import read_manifest
from socialbias.word_lists import all_words, read_word_lists

with logged(snakemake.log[0]) as say:
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    folder, manifest = read_manifest(Path(inputs["vectors"]))
    wanted = set()
    for path in snakemake.input.word_lists:
        wanted |= all_words(read_word_lists(Path(path)))
    for role in inputs.keys() & {"census_gender", "census_race"}:
        wanted |= professions(*read_manifest(Path(inputs[role])))
    if "weat_lists" in inputs:
        for test in read_tests(*read_manifest(Path(inputs["weat_lists"]))):
            wanted |= test.words
    leading = leading_words(folder, manifest, settings["leading"])
    vectors = read_word_vectors(folder, manifest, wanted.union(leading)).with_first(leading)
    found = len(vectors.known(sorted(wanted)))
    say(f"{found} of {len(wanted)} words found in {manifest['source']}")
    vectors.save(Path(snakemake.output.vectors).parent)
    info = {"source": manifest["source"], "fidelity": settings["fidelity"]}
    info |= {"words": found, "wanted": len(wanted), "leading": len(leading)}
    Path(snakemake.output.info).write_text(json.dumps(info, indent=2) + "\n", "utf-8")
