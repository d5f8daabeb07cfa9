"""lm-evaluation-harness at work, under its own versions of everything; see `bench.peers`."""

import os
import sys
from pathlib import Path
from time import perf_counter

os.environ["HF_HUB_OFFLINE"] = "1"  # both before datasets is imported: nothing is downloaded
os.environ["HF_HOME"] = f"{sys.prefix}/cache"

import lm_eval
from answering import answer, versions_of
from lm_eval.tasks import TaskManager

# The harness's own task, with the pairs of a file in place of those of the hub.
TASK = """include: {own}
tag: []
task: planted_pairs
dataset_path: json
dataset_name: null
dataset_kwargs: {{data_files: {{test: {pairs}}}}}
"""
OWN = Path(lm_eval.__file__).parent / "tasks/crows_pairs/crows_pairs_english.yaml"


def versions():
    """Return what is compared with."""
    return versions_of("lm_eval", "transformers", "torch", "datasets")


def pairs(model: str, path: str, seed: int):
    """CrowS-Pairs' scores of a causal model in a folder, on the pairs of a JSON Lines file."""
    start = perf_counter()
    folder = Path(path).with_suffix("")
    folder.mkdir()
    (folder / "planted_pairs.yaml").write_text(TASK.format(own=OWN, pairs=path), "utf-8")
    result = lm_eval.simple_evaluate(
        model="hf",
        model_args={"pretrained": model, "device": "cpu"},
        tasks=["planted_pairs"],
        task_manager=TaskManager(include_path=str(folder), include_defaults=False),
        batch_size=64,
        random_seed=seed,
    )["results"]["planted_pairs"]
    seconds = perf_counter() - start
    rows = []
    for name in ("pct_stereotype", "likelihood_diff"):
        value, error = result[f"{name},none"], result[f"{name}_stderr,none"]
        low, high = value - 1.96 * error, value + 1.96 * error
        rows.append({"tool": "lm-evaluation-harness", "measure": name, "value": value})
        rows[-1] |= {"low": low, "high": high, "p": None, "seconds": seconds}
    return seconds, rows


if __name__ == "__main__":
    answer({"versions": versions, "pairs": pairs})
