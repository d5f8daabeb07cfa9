"""Every source that the paper run binds, small: `python -m tests.rehearsal.generate FOLDER`.

Names of files, and of members of archives, are the registry's. A source without a generator is an
error with its name.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import yaml

from socialbias.config import Config
from socialbias.errors import UserError
from socialbias.files.paths import resources
from socialbias.files.yaml_files import read_yaml
from socialbias.sources.checksums import UNKNOWN, sha256_of
from socialbias.sources.registry import Source, load_registry
from tests.paths import REPOSITORY
from tests.rehearsal import corpora, lists, models, suites, tagger, vectors
from tests.rehearsal.texts import Counts, Words

RUNS = ("paper", "workstation")
MANY = 1000  # records of which one less is tolerated
Generator = Callable[[Source, Path, Words], Counts]


def with_words(generate: Callable) -> Generator:
    """A generator of vectors, with words that no list of the project has."""

    def generated(source: Source, folder: Path, words: Words) -> Counts:
        return generate(source, folder, words, extra=["gal", "guy", *suites.stereoset_words()])

    return generated


GENERATORS: dict[str, Generator] = {
    "googlenews-300": with_words(vectors.word2vec),
    "glove-6b-300d": with_words(vectors.glove_zip),
    "gn-glove": with_words(vectors.glove_text),
    "gn-glove-baseline": with_words(vectors.glove_text),
    "histwords-coha-word-sgns": with_words(vectors.histwords),
    "nyt-articles-2016": corpora.nyt,
    "bbc-news": corpora.bbc_news,
    "movie-reviews": corpora.film_reviews,
    "wikitext-103-raw-v1": corpora.wikitext_zip,
    "wikitext-103-raw-parquet": corpora.wikitext_parquet,
    "goodreads-romance": corpora.goodreads,
    "goodreads-history-biography": corpora.goodreads,
    "wikipedia-lateral-2015": corpora.lateral,
    "gpt2-output-webtext": corpora.gpt2_outputs,
    "gpt2-output-medium-345m": corpora.gpt2_outputs,
    "imdb-parquet": corpora.imdb,
    "weat-bias-bench": lists.weat,
    "bolukbasi-word-lists": lists.bolukbasi,
    "bad-seeds-acl2021": lists.gathered_seeds,
    "bad-seeds-latest": lists.gathered_seeds,
    "garg-census-gender": lists.census,
    "garg-census-race": lists.census,
    "word-analogies": lists.analogies,
    "word-similarity": lists.similarity,
    "stereoset-dev": suites.stereoset,
    "stereoset-dev-crlf": suites.stereoset,
    "stereoset-test": suites.stereoset,
    "stereoset-test-crlf": suites.stereoset,
    "stereoset-predictions": suites.predictions,
    "crows-pairs": suites.crows_pairs,
    "crows-pairs-crlf": suites.crows_pairs,
    "semeval2018-voc": suites.semeval,
    "conll2003": suites.conll2003,
    "conll2003-dev": suites.conll2003,
    "gfm-templates": suites.gfm_templates,
    "gfm-terms": suites.gfm_terms,
    "gfm-wikidata-names": suites.names,
    "gfm-names": suites.name_lists,
    "bert-base-uncased": models.bert,
    "bert-base-cased": models.bert,
    "bert-large-cased": models.bert,
    "roberta-base": models.roberta,
    "roberta-large": models.roberta,
    "xlnet-base-cased": models.xlnet,
    "xlnet-large-cased": models.xlnet,
    "gpt2": models.gpt2,
    "gpt2-medium": models.gpt2,
    "gpt2-large": models.gpt2,
    "spacy-en-core-web-sm-3.8.0": tagger.wheel,
}


def config_of(run: str) -> Config:
    """The configuration of a run of this project, `paper` or one with a file of its own."""
    overlay = REPOSITORY / f"config.{run}.yaml"
    return Config.model_validate({} if run == "paper" else read_yaml(overlay))


def bound_sources() -> list[str]:
    """The sources that the rehearsed runs may bind, each once."""
    inputs = [names for run in RUNS for names in config_of(run).inputs.model_dump().values()]
    return list(dict.fromkeys(name for names in inputs for name in names))


def generate(folder: Path) -> dict[str, Counts]:
    """Write every source to `folder / id`.

    Returns:
        By source, the counts of what was written.

    Raises:
        UserError: a source has no generator, or a generator has not written its files.
    """
    registry = load_registry(resources() / "sources.yaml")
    bound = bound_sources()
    if missing := [name for name in bound if name not in GENERATORS]:
        raise UserError(f"the rehearsal has no generator of {', '.join(missing)}")
    words, counts = Words(), {}
    for name in bound:
        target = folder / name
        target.mkdir(parents=True)
        counts[name] = GENERATORS[name](registry[name], target, words)
        unwritten = [f.name for f in registry[name].files if not (target / f.name).is_file()]
        if unwritten:
            raise UserError(f"{name}: its generator has not written {', '.join(unwritten)}")
    return counts


def write_registry(folder: Path, counts: Mapping[str, Counts], path: Path) -> None:
    """The registry, with sizes, checksums and counts of the generated files where it has its own.

    What upstream publishes no checksum of has none here: its first download is trusted. Where it
    has many texts, one more is expected.

    Raises:
        KeyError: a generator does not say how much it has written of what the registry expects.
    """
    entries = yaml.safe_load(Path(resources(), "sources.yaml").read_text("utf-8"))
    for entry in entries:
        if entry["id"] not in counts:
            continue
        for file in entry["files"]:
            written = folder / entry["id"] / file["name"]
            if "bytes" in file:
                file["bytes"] = written.stat().st_size
            if file["sha256"] != UNKNOWN:
                file["sha256"] = sha256_of(written)
            if expected := file.get("expect"):
                written = counts[entry["id"]][file["name"]]
                file["expect"] = {
                    what: {"at_least": written[what]}
                    if isinstance(number, dict)
                    else written[what] + (what == "documents" and written[what] >= MANY)
                    for what, number in expected.items()
                }
    path.write_text(yaml.safe_dump(entries, sort_keys=False, allow_unicode=True), "utf-8")


if __name__ == "__main__":
    print(json.dumps(generate(Path(sys.argv[1])), indent=2))
