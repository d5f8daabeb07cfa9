"""Words in their sentences, represented by a model: reduced to one vector each, and for probes."""

import json
from pathlib import Path

import numpy as np

from socialbias.contextual.models import load_model, model_folder
from socialbias.contextual.reduction import reduce_words
from socialbias.contextual.threads import one_thread
from socialbias.corpora.prepared import Corpus
from socialbias.corpora.shards import INDEX
from socialbias.papers.trustworthy.inputs import census_words
from socialbias.papers.trustworthy.representations import Features, Limits, choose, sentences
from socialbias.pipeline.job import job_of
from socialbias.scripting import logged
from socialbias.seeding import generator
from socialbias.sources.atomic_write import write_text
from socialbias.word_lists import read_word_lists

KINDS = {"bert": "encoder", "gpt2": "causal"}
LIMITS = ("shortest", "longest", "documents", "windows", "last_window", "per_word", "per_target")

with logged(snakemake) as say, one_thread():
    settings, inputs = snakemake.params.settings, dict(snakemake.input.items())
    lists = read_word_lists(Path(inputs["word_lists"]))
    corpus = Corpus.load(Path(inputs["prepared"]).parent)
    job = job_of(inputs, {}, say)
    choice = choose(
        corpus,
        lists["table3_targets"],
        census_words(job),
        {variant: lists["gender"][variant] for variant in settings["word_lists"]},
        Limits(**{key: settings[key] for key in LIMITS}),
        generator(settings["seed"], "represent", settings["model"]),
        for_probe_alone=settings["for_probe_alone"],
        probed_professions=settings["probed_professions"],
    )
    model = load_model(
        model_folder(Path(inputs["model"])),
        KINDS[settings["model"]],
        device=settings["runs"]["device"],
        dtype=settings["runs"]["dtype"],
        seed=settings["seed"] if settings["random"] else None,
    )
    features = Features(choice)
    read = sentences(
        corpus, Path(inputs["documents"]) / INDEX, choice, as_tokens=settings["as_tokens"]
    )
    reduced = reduce_words(
        model,
        read,
        choice.words,
        layer=settings["layer"],
        tokens_per_batch=settings["runs"]["tokens_per_batch"],
        draws=settings["draws"],
        seed=settings["seed"],
        log=say,
        callback=features.add,
    )
    info = Path(snakemake.output.info)
    reduced.save(info.parent)
    np.save(info.parent / "features.npy", features.vectors)
    choice.examples.to_parquet(info.parent / "examples.parquet")
    write_text(info, json.dumps({"documents": corpus.size, "layer": settings["layer"]}) + "\n")
    say(f"{len(choice.words)} words, {len(choice.examples):,} examples for the probe")
