"""A StereoSet small enough to work out by hand: three items of two terms in two domains."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from socialbias.reporting.values import read_published
from tests.paths import PUBLISHED

GOLD = ("stereotype", "anti-stereotype", "unrelated")
S, A, U, R = (*GOLD, "related")


def item(number, split, task, target, domain, context, sentences, labels, attributes=("", "", "")):
    """Three rows, in the order of GOLD; `labels` are of the stereotype, five.

    The anti-stereotype and the unrelated sentence have five labels that all agree.
    """
    given = [labels, (A,) * 5, (U,) * 5]
    return [
        {
            "split": split,
            "task": task,
            "item": f"i{number}",
            "target": target,
            "domain": domain,
            "context": context,
            "id": f"i{number}{kind[0]}",
            "sentence": sentence,
            "gold": kind,
            "labels": list(votes),
            "annotators": [f"{task[:5]}{place}" for place in range(5)],
            "attribute": attribute,
        }
        for kind, sentence, votes, attribute in zip(GOLD, sentences, given, attributes, strict=True)
    ]


ITEMS = pd.DataFrame(
    [
        # Four words each.
        *item(
            1, "development", "intrasentence", "she", "gender", "She is very BLANK.",
            ["She is very kind.", "She is very rude.", "She is very blue."],
            [S, S, S, S, S], ("kind", "rude", "blue"),
        ),
        # Three words, three and six: four on average, and with the context six.
        *item(
            2, "test", "intersentence", "Peru", "race", "Peru.  Yes!",
            ["It is poor.", "It is rich.", "Fish do swim in cold water."],
            [S, S, S, A, R],
        ),
        # Two words each, and with the context three.
        *item(
            3, "test", "intersentence", "Peru", "race", "Peru!",
            ["Poor people.", "Rich people.", "Blue trees."],
            [S, S, S, R, R],
        ),
    ]
)  # fmt: skip
SENTENCES = ITEMS


def cells(records):
    return {(record["row"], record["column"]): record for record in records}


def numbers(records):
    return {cell: record["value"] for cell, record in cells(records).items()}


def printed(artefact):
    return read_published(PUBLISHED / f"stereoset_{artefact}.csv")


def write_corpus(folder: Path, **counts: int) -> Path:
    """A prepared corpus of one sentence with these words; the path of its report."""
    folder.mkdir()
    (folder / "vocabulary.txt").write_text("".join(f"{word}\n" for word in counts))
    size = sum(counts.values())
    tokens = np.repeat(np.arange(len(counts), dtype=np.uint32), list(counts.values()))
    arrays = {"tokens": tokens, "documents": [0, size], "sentences": [0, size]}
    for name, array in (arrays | {"counts": list(counts.values())}).items():
        np.save(folder / f"{name}.npy", np.asarray(array))
    (folder / "report.json").write_text(json.dumps({"source": "wiki"}))
    return folder / "report.json"
