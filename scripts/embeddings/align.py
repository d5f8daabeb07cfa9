"""Take the words that are asked for out of one source of word vectors."""

import json
from pathlib import Path

from socialbias.census import professions
from socialbias.embeddings.readers import read_word_vectors
from socialbias.scripting import logged
from socialbias.sources.manifest import read_manifest
from socialbias.word_lists import all_words, read_word_lists

with logged(snakemake.log[0]) as say:
    folder, manifest = read_manifest(Path(snakemake.input.vectors))
    wanted = all_words(read_word_lists(Path(snakemake.input.word_lists)))
    inputs = dict(snakemake.input.items())
    for role in inputs.keys() & {"census_gender", "census_race"}:
        wanted |= professions(*read_manifest(Path(inputs[role])))
    vectors = read_word_vectors(folder, manifest, wanted)
    info = {"source": manifest["source"], "fidelity": snakemake.params.settings["fidelity"]}
    info |= {"words": len(vectors.words), "wanted": len(wanted)}
    say(f"{info['words']} of {len(wanted)} words found in {info['source']}")
    vectors.save(Path(snakemake.output.vectors).parent)
    Path(snakemake.output.info).write_text(json.dumps(info, indent=2) + "\n", "utf-8")
