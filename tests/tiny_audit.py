"""A tiny model, and tiny benchmarks for its audit."""

import json

from transformers import GPT2Config, GPT2LMHeadModel

from socialbias.commands.audit.benchmarks import Benchmarks
from socialbias.errors import UserError
from socialbias.measures.datasets.stereoset import GOLD, TASKS
from socialbias.models.loading import load_model, save_model
from tests.tiny_models import byte_level

CROWS = ("", "sent_more", "sent_less", "stereo_antistereo", "bias_type")
CROWS += ("annotations", "anon_writer", "anon_annotators")


class Made(Benchmarks):
    """Small benchmarks of the right form; no word lists and no census."""

    def _fetch(self, role):
        if role not in ("stereoset_dev", "crows_pairs"):
            raise UserError(f"{role}: not at hand")
        path = self.data / role
        path.write_text(_stereoset() if role == "stereoset_dev" else _crows())
        return self.data, {"files": [{"path": role}]}


def _stereoset():
    data = {task: [_item(task, i) for i in range(12)] for task in TASKS}
    return json.dumps({"version": "1", "data": data})


def _item(task, i):
    context = f"the t{i % 4} is BLANK" if task == TASKS[0] else f"the t{i % 4} came"
    words = ("good", "bad", "wood")
    texts = [context.replace("BLANK", f"{word}{i}") for word in words]
    texts = texts if task == TASKS[0] else [f"it is {word}{i}" for word in words]
    sentences = [
        {"sentence": text, "id": f"{task}{i}{gold}", "gold_label": gold, "labels": []}
        for text, gold in zip(texts, GOLD, strict=True)
    ]
    about = {"id": f"{task}{i}", "target": f"t{i % 4}", "bias_type": f"kind {i % 2}"}
    return about | {"context": context, "sentences": sentences}


def _crows():
    rows = [",".join(CROWS)]
    for i in range(10):
        rows.append(f"{i},she is {i} old,he is {i} old,stereo,kind{i % 2},[],a,[]")
    return "\n".join(rows) + "\n"


def random_model(folder, seed=1):
    """A model of random weights; with seed 1 they are those that the control draws."""
    tokenizer = byte_level()
    sizes = {"n_positions": 160, "n_embd": 16, "n_layer": 2, "n_head": 2}
    config = GPT2Config(vocab_size=len(tokenizer), bos_token_id=0, eos_token_id=0, **sizes)
    GPT2LMHeadModel(config).save_pretrained(folder / "first")
    tokenizer.save_pretrained(folder / "first")
    save_model(load_model(folder / "first", "causal", seed=seed), folder / "random")
    return folder / "random"
