"""Language models whose words are unknown or whose files lie: no vector, or one line."""

import json
import pickle
from pathlib import Path

import pytest
import torch
from safetensors.torch import load, save

from tests import tiny_models
from tests.adversary.table import Case, cases, check
from tests.reliability import fault

ASKED = "measure m --groups g.txt --targets {} -o -.json"
BOTH = ASKED.format("nurse,pilot")
NAN = float("nan")


@pytest.fixture(scope="session")
def models(tmp_path_factory) -> dict[str, dict[str, bytes]]:
    """The files of two small models."""
    made = {}
    for name in ("bert", "gpt2"):
        folder = tiny_models.write(tmp_path_factory.mktemp(name), name, seed=2)
        made[name] = {path.name: path.read_bytes() for path in folder.iterdir()}
    return made


@pytest.fixture
def there(here, models):
    """Puts a model into the folder, with some of its files changed."""

    def put(name: str, change) -> Path:
        files = models[name] | {}
        change(files)
        (here / "m").mkdir()
        for file, data in files.items():
            (here / "m" / file).write_bytes(data if isinstance(data, bytes) else data.encode())
        return here

    return put


def same(files: dict) -> None:
    """No change."""


@fault("targets of which a model has only unknown pieces", "they are missing, or a note")
@cases(
    "x",
    "",
    ("plain", {}, (BOTH, ""), BOTH),
    ("A1 another script", {}, "none of them has a vector", ASKED.format("ექთანი,მფრინავი,დურგალი")),
    ("A1 one of another script", {}, (BOTH, "ექთანი"), ASKED.format("nurse,pilot,ექთანი")),
    ("A1 capitals", {}, (BOTH, "other spellings of an earlier target"),
     ASKED.format("nurse,Nurse,pilot")),
    ("half of a group", {"3.txt": "[women]\nshe\n女\n[men]\nhe\nhis\n",
                         "2.txt": "[women]\nshe\n[men]\nhe\nhis\n"},
     (BOTH.replace("g.txt", "2.txt"), "女"), BOTH.replace("g.txt", "3.txt")),
    ("all of a group", {"3.txt": "[women]\n女\n[men]\nhe\nhis\n"}, "none of its words has a vector",
     BOTH.replace("g.txt", "3.txt")),
    ("longer than the model reads", {}, (None, ""), ASKED.format("a" * 60)),
    ("no such layer", {}, "layer", f"{BOTH} --layer 99"),
    ("items without a head", {"i.csv": "item,term,context,stereotype,anti-stereotype\na,b,BLANK,c,d"},
     "it only gives vectors", "compare m m --items i.csv"),
    ("items without a gap", {"i.csv": "item,term,context,stereotype,anti-stereotype\na,b,x,c,d"},
     "no BLANK in the context", "compare m m --items i.csv"),
    ("items twice", {"i.csv": "item,term,context,stereotype,anti-stereotype\n" + "a,b,BLANK,c,d\n" * 2},
     "appears twice", "compare m m --items i.csv"),
    ("--margin of items", {}, "above 0 and below 1", "compare m m --items good.txt --margin 5"),
    ("a model and vectors", {}, "random words have vectors in both", "compare m good.vec"),
)  # fmt: skip
def test_unknown_words(there, line):
    check(there("bert", same), line)


def config(**changed):
    """A configuration with other entries."""

    def change(files: dict) -> None:
        files["config.json"] = json.dumps(json.loads(files["config.json"]) | changed)

    return change


def weights(how):
    """Weights in which `how` changed the tensors by name."""

    def change(files: dict) -> None:
        tensors = load(files["model.safetensors"])
        how(tensors)
        files["model.safetensors"] = save(tensors, {"format": "pt"})

    return change


def file(name: str, data):
    """A file with other bytes; None for none."""

    def change(files: dict) -> None:
        files[name] = data(files[name]) if callable(data) else data
        if files[name] is None:
            del files[name]

    return change


def zeros(tensors: dict) -> None:
    for name, part in tensors.items():
        tensors[name] = torch.zeros_like(part)


def one_nan(tensors: dict) -> None:
    tensors[next(name for name in tensors if "word_embeddings" in name)][3, 1] = NAN


def fewer_rows(tensors: dict) -> None:
    name = next(name for name in tensors if "word_embeddings" in name)
    tensors[name] = tensors[name][:-5].clone()


def outside(name: str):
    """An index of weights that are elsewhere."""

    def change(files: dict) -> None:
        index = {"weight_map": dict.fromkeys(load(files.pop("model.safetensors")), name)}
        files["model.safetensors.index.json"] = json.dumps(index)

    return change


class Harmless:
    def __reduce__(self):
        return print, ("it ran",)


def pickled(files: dict) -> None:
    del files["model.safetensors"]
    files["pytorch_model.bin"] = pickle.dumps({"a": Harmless()})


def code(files: dict) -> None:
    config(model_type="mine", auto_map={"AutoConfig": "code.Mine"})(files)
    files["code.py"] = "print('it ran')"


LIES = [
    ("D n_head is text", "gpt2", config(n_head="2"), "config: unusable"),
    ("D n_positions of 2", "gpt2", config(n_positions=2), "have other sizes"),
    ("A2 D layer_norm_epsilon NaN", "gpt2", config(layer_norm_epsilon=NAN), "not numbers"),
    ("layer_norm_eps NaN", "bert", config(layer_norm_eps=NAN), "not numbers"),
    ("heads that do not divide", "bert", config(num_attention_heads=3), ""),
    ("D three words", "bert", config(vocab_size=3), "they do not belong together"),
    ("an unknown type", "bert", config(model_type="nothing"), ""),
    ("code of its own", "bert", code, "code of its own, which is not run"),
    ("config cut off", "bert", file("config.json", lambda data: data[:20]), "config"),
    ("config nested deeply", "bert", file("config.json", "[" * 100_000), "config"),
    ("A7 weights zero", "bert", weights(zeros), "the same vector for all words"),
    ("a weight NaN", "bert", weights(one_nan), "has values that are not numbers"),
    ("E rows missing", "bert", weights(fewer_rows), "have other sizes"),
    ("no weights", "bert", file("model.safetensors", None), ""),
    ("A11 weights outside", "bert", outside("../g.txt"), "m: weights: "),
    ("a pickle with code", "bert", pickled, "could run code: refused"),
    ("tokenizer cut off", "bert", file("tokenizer.json", lambda data: data[:99]), "tokenizer"),
]  # fmt: skip


@fault(
    "a model with a configuration, weights or a tokenizer that are damaged, lie, hold code, name "
    "other places or give no numbers",
    "one line that names the folder; nothing of it is run and nothing outside of it is read",
)
@pytest.mark.parametrize(
    ("kind", "change", "message"), [x[1:] for x in LIES], ids=[x[0] for x in LIES]
)
def test_models_that_lie(there, capsys, kind, change, message):
    check(there(kind, change), ("", BOTH, Case("", {}, message)))
    assert "it ran" not in capsys.readouterr().out
