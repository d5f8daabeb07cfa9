"""Take the words that are asked for out of vectors by decade."""

import json
from pathlib import Path

from socialbias.embeddings.histwords import leading_words, read_histwords
from socialbias.embeddings.words.of_papers import all_words, read_word_lists
from socialbias.files.atomic_write import write_text
from socialbias.measures.datasets.census import professions
from socialbias.pipeline.scripting import logged
from socialbias.sources.manifest import read_manifest

with logged(snakemake) as say:
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    folder, manifest = read_manifest(Path(inputs["decades"]))
    archive = folder / manifest["files"][0]["path"]
    wanted = all_words(read_word_lists(Path(inputs["word_lists"])))
    for role in inputs.keys() & {"census_gender", "census_race"}:
        wanted |= professions(*read_manifest(Path(inputs[role])))
    target, years = Path(snakemake.output.folder), settings["decades"]
    leading = leading_words(archive, years[-1], settings["leading"])
    for decade in read_histwords(archive, wanted.union(leading), years):
        say(f"{decade.year}: {len(decade.vectors.words)} words, {len(decade.absent)} of them zero")
        decade.vectors.with_first(leading).save(target / str(decade.year))
    write_text(target / "info.json", json.dumps({"source": manifest["source"], "years": years}))
