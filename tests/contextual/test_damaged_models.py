"""Models whose files lie about themselves: one line each, and never advice to trust them."""

import json
import pickle
import struct

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from socialbias.contextual.models import load_model, scoring_kind
from socialbias.contextual.safe_loading import INSTEAD
from socialbias.errors import UserError
from tests import tiny_models
from tests.property.damage import reads_or_says_why
from tests.reliability import fault

TEXT, ARRAY, U32 = 8, 9, 4


def string(text):
    return struct.pack("<Q", len(text)) + text.encode()


def pair(key, kind, value):
    return string(key) + struct.pack("<I", kind) + value


PAIRS = [
    pair("general.architecture", TEXT, string("llama")),
    pair("llama.block_count", U32, struct.pack("<I", 1)),
    pair("tokenizer.ggml.tokens", ARRAY, struct.pack("<IQ", TEXT, 2) + string("a") + string("b")),
]


def gguf(pairs=PAIRS, count=None, tensors=0):
    head = struct.pack("<4sIQQ", b"GGUF", 3, tensors, len(pairs) if count is None else count)
    return head + b"".join(pairs)


LIES = {
    "a count of a million million keys": gguf(count=10**12),
    "a count of more tensors than there are": gguf(tensors=10**12),
    "a string longer than the file": gguf([string("a")[:-1]], 1),
    "a length beyond all memory": gguf([struct.pack("<Q", 2**62) + b"key"], 1),
    "an array beyond all memory": gguf([pair("a", ARRAY, struct.pack("<IQ", U32, 2**60))], 1),
    "a type that is none": gguf([pair("a", 99, b"")], 1),
    "nothing behind its first bytes": b"GGUF",
    "another format": b"<html></html>",
    "nothing": b"",
}


@fault(
    "a GGUF file whose counts, lengths or types lie, or that breaks off",
    "one line that names the folder; nothing of that size is asked of memory",
)
@pytest.mark.parametrize("lie", LIES)
def test_headers_of_gguf_that_lie(tmp_path, lie):
    (tmp_path / "model.gguf").write_bytes(LIES[lie])
    with pytest.raises(UserError, match=tmp_path.name) as caught:
        load_model(tmp_path, "causal", device="cpu")
    assert "\n" not in str(caught.value)


@fault("a GGUF file whose weights break off", "one line that says so")
def test_a_gguf_that_is_cut_off_is_called_that(tmp_path):
    tensor = string("a") + struct.pack("<IQIQ", 1, 1000, 0, 0)  # of 1,000 numbers, at the beginning
    (tmp_path / "model.gguf").write_bytes(gguf(tensors=1) + tensor + bytes(400))
    with pytest.raises(UserError, match=r"model\.gguf: .*the file breaks off: fetch it again"):
        scoring_kind(tmp_path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_gguf(tmp_path, data):
    whole = gguf()
    place = data.draw(st.integers(0, len(whole)))
    more = data.draw(st.binary(max_size=12))
    (tmp_path / "model.gguf").write_bytes(whole[:place] + more + whole[place + len(more) :])
    file = tmp_path / "model.gguf"
    reads_or_says_why(file, file.read_bytes(), lambda p: scoring_kind(p.parent), tmp_path.name)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tiny_models.write(tmp_path_factory.mktemp("bert"), "bert")


@pytest.fixture
def copy(model, tmp_path):
    for path in model.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def relength(data, header):
    return struct.pack("<Q", header) + data[8:]


def shifted(data, begin, end):
    """The header with other offsets of its first tensor."""
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    first = next(name for name in header if name != "__metadata__")
    header[first]["data_offsets"] = [begin, end]
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data[8 + size :]


@fault(
    "safetensors whose header is longer than the file, points beyond it, or that breaks off",
    "one line that names the folder",
)
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: relength(data, 2**62),
        lambda data: relength(data, 10),
        lambda data: shifted(data, 0, 2**50),
        lambda data: shifted(data, 2**40, 2**40 + 64),
        lambda data: data[:-100],
        lambda data: data[:4],
        lambda data: b"",
    ],
)
def test_headers_of_safetensors_that_lie(copy, damage):
    path = copy / "model.safetensors"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(UserError, match=copy.name) as caught:
        load_model(copy, "encoder", device="cpu")
    assert "\n" not in str(caught.value)


@fault("weights that are not a number", "one line: which of them")
def test_weights_that_are_no_numbers(copy):
    weights = load_file(copy / "model.safetensors")
    name = next(name for name in weights if name.endswith("word_embeddings.weight"))
    weights[name][3, 1] = float("nan")
    save_file(weights, copy / "model.safetensors", {"format": "pt"})
    with pytest.raises(UserError, match=r"word_embeddings\.weight has values that are not numbers"):
        load_model(copy, "encoder", device="cpu")


@fault(
    "a configuration with which a model loads and cannot be run, or gives no numbers; weights that "
    "are all zero",
    "one line that names the folder",
)
@pytest.mark.parametrize(
    ("kind", "changed", "message"),
    [
        ("gpt2", {"n_head": "2"}, "config: unusable"),
        ("gpt2", {"n_positions": 2}, "weights: they have other sizes than the configuration says"),
        ("gpt2", {"layer_norm_epsilon": float("nan")}, "gives values that are not numbers"),
        ("bert", {"layer_norm_eps": float("nan")}, "gives values that are not numbers"),
    ],
)
def test_configurations_that_make_no_model(tmp_path, kind, changed, message):
    path = tiny_models.write(tmp_path / kind, kind) / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changed))
    with pytest.raises(UserError, match=f"{kind}: .*{message}") as caught:
        load_model(path.parent, "encoder", device="cpu")
    assert "\n" not in str(caught.value)


def test_weights_that_are_all_zero(copy):
    weights = load_file(copy / "model.safetensors")
    zeros = {name: torch.zeros_like(part) for name, part in weights.items()}
    save_file(zeros, copy / "model.safetensors", {"format": "pt"})
    with pytest.raises(UserError, match="the same vector for all words"):
        load_model(copy, "encoder", device="cpu")


def test_a_model_that_reads_two_pieces_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(tiny_models, "LIMIT", 2)
    folder = tiny_models.write(tmp_path / "gpt2", "gpt2")
    with pytest.raises(UserError, match="reads 2 pieces at a time"):
        load_model(folder, "encoder", device="cpu")


@fault("an index of weights that names files outside of the model's folder", "it is refused")
@pytest.mark.parametrize("name", ["../outside.safetensors", "/outside.safetensors", "a/b"])
def test_weights_from_elsewhere(copy, name):
    part = copy / "model.safetensors"
    index = {"weight_map": dict.fromkeys(load_file(part), name)}
    (copy / "model.safetensors.index.json").write_text(json.dumps(index))
    (copy.parent / "outside.safetensors").write_bytes(part.read_bytes())
    part.unlink()
    with pytest.raises(UserError, match=f"names {name}, which is not a file of this folder"):
        load_model(copy, "encoder", device="cpu")


@pytest.mark.parametrize("text", ["[]", "{", '{"weight_map": [1]}', "[" * 100_000])
def test_an_index_that_is_none(copy, text):
    (copy / "model.safetensors.index.json").write_text(text)
    with pytest.raises(UserError, match=r"index\.json: not an index of weights"):
        load_model(copy, "encoder", device="cpu")


@fault("a configuration with sizes of zero", "one line that names the folder")
@pytest.mark.parametrize("key", ["hidden_size", "num_attention_heads", "vocab_size"])
def test_sizes_of_zero(copy, key):
    path = copy / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: 0}))
    with pytest.raises(UserError, match=copy.name):
        load_model(copy, "encoder", device="cpu")


class Harmless:
    def __reduce__(self):
        return print, ("it ran",)


@fault(
    "a pickle that holds more than numbers, or a model with code of its own",
    "it is refused, and no line advises what would run it",
)
def test_no_advice_undoes_a_protection(copy, capsys):
    (copy / "model.safetensors").unlink()
    for write in (torch.save, lambda value, path: path.write_bytes(pickle.dumps(value))):
        write({"a": Harmless()}, copy / "pytorch_model.bin")
        with pytest.raises(UserError, match=r"weights: .*could run code: refused") as caught:
            load_model(copy, "encoder", device="cpu")
        assert "weights_only" not in str(caught.value)
    config = json.loads((copy / "config.json").read_text())
    own = {"model_type": "mine", "auto_map": {"AutoConfig": "code.Mine"}}
    (copy / "config.json").write_text(json.dumps(config | own))
    (copy / "code.py").write_text("print('it ran')")
    with pytest.raises(UserError, match="code of its own, which is not run") as caught:
        load_model(copy, "encoder", device="cpu")
    assert "trust_remote_code" not in str(caught.value)
    assert "it ran" not in capsys.readouterr().out


def test_no_message_of_ours_advises_it():
    assert not any(word in text for text in INSTEAD.values() for word in INSTEAD)


def test_a_gguf_file_that_is_named_is_read_whatever_stands_beside_it(tmp_path):
    (tmp_path / "whole.gguf").write_bytes(gguf())
    (tmp_path / "damaged.gguf").write_bytes(b"none")
    with pytest.raises(UserError, match=r"2 \.gguf files: name a folder with one model"):
        scoring_kind(tmp_path)
    with pytest.raises(UserError, match=r"damaged\.gguf does not start with the GGUF magic"):
        scoring_kind(tmp_path / "damaged.gguf")
    assert scoring_kind(tmp_path / "whole.gguf") == "causal"
