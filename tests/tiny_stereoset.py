"""A StereoSet of four items, and two tiny models of a user's own that are scored on it."""

import json
import shutil
from pathlib import Path

from tests import tiny_models
from tests.conftest import Checkout
from tests.paths import REPOSITORY

OTHERS = ("glove", "corpus_wikitext", "bert")  # of which Table 6 would read something
GOLD = ("stereotype", "anti-stereotype", "unrelated")
# Short: each letter is a piece, of which the tiny model takes 24.
INTRA = [
    ("man", "The man is BLANK.", ("rude", "kind", "blue")),
    ("nun", "A BLANK nun.", ("shy", "bad", "wet")),
]
INTER = [
    ("man", "A man.", ("He hit.", "He wept.", "Ice.")),
    ("nun", "A nun.", ("A saint.", "Liar.", "Oil.")),
]


def item(name, target, context, sentences):
    labels = [{"label": "related", "human_id": "a"}]
    return {
        "id": name,
        "target": target,
        "bias_type": "gender" if target == "man" else "religion",
        "context": context,
        "sentences": [
            {"id": f"{name}-{gold}", "sentence": text, "gold_label": gold, "labels": labels}
            for gold, text in zip(GOLD, sentences, strict=True)
        ],
    }


def stereoset():
    """Two items of each task."""
    intra = [
        item(
            f"intra {target}", target, context, [context.replace("BLANK", word) for word in filled]
        )
        for target, context, filled in INTRA
    ]
    inter = [item(f"inter {target}", target, context, texts) for target, context, texts in INTER]
    return {"version": "1.0", "data": {"intrasentence": intra, "intersentence": inter}}


def add_stereoset(copy: Checkout, models: Path) -> Checkout:
    """Let a copy have Table 6 alone of StereoSet, and the model `tiny` in its configuration.

    Args:
        copy: A copy of the repository in which little is kept.
        models: A folder, in which a model `other` is written too.
    """
    paper = "src/socialbias/papers/stereoset"
    for name in ("shared", "table6"):
        shutil.copy2(REPOSITORY / paper / f"{name}.yaml", copy.path / paper)
    folder = copy.path / "data/stereoset-dev"
    folder.mkdir()
    (folder / "dev.json").write_text(json.dumps(stereoset()))
    manifest = {"source": "stereoset-dev", "format": "stereoset", "files": [{"path": "dev.json"}]}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    tiny_models.write(models / "tiny", "gpt2", "causal")
    tiny_models.write(models / "other", "bert", "masked")
    # Without texts, vectors and other models nothing else is read.
    bound = {"stereoset_dev": "[stereoset-dev]"} | dict.fromkeys(OTHERS, "[]")
    overlay = copy.path / "config.quickstart.yaml"
    kept = [
        line
        for line in overlay.read_text("utf-8").splitlines(keepends=True)
        if line.split(":")[0].strip() not in bound
    ]
    inputs = "".join(f"  {role}: {sources}\n" for role, sources in bound.items())
    text = "".join(kept).replace("inputs:\n", f"inputs:\n{inputs}", 1)
    text += "stereoset: {intra_items: 100, inter_items: 100, score_jobs: 1}\n"
    overlay.write_text(f"{text}subjects:\n  tiny: {{path: {models}/tiny, kind: model}}\n", "utf-8")
    return copy
