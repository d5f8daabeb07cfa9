"""Models whose files lie about themselves: one line each, and never advice to trust them."""

import json
import struct

import pytest

from socialbias import measure
from socialbias.errors import UserError
from socialbias.models.loading import load_model, scoring_kind
from tests import tiny_models
from tests.reliability import fault
from tests.worlds.models import copied

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


@pytest.fixture
def copy(tmp_path):
    return copied("bert", tmp_path / "copy")


@fault("a configuration whose sizes are 0, negative or beyond all memory", "one line")
@pytest.mark.parametrize("size", [-8, 0, 10**12])
def test_sizes_that_are_none(copy, size):
    path = copy / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"hidden_size": size}))
    with pytest.raises(UserError, match="copy: ") as caught:
        load_model(copy, "encoder", device="cpu")
    assert "\n" not in str(caught.value)


@fault("a tokenizer.json with a regular expression that is none, or that backtracks", "one line")
@pytest.mark.parametrize(
    ("pattern", "message"),
    [("((", "cannot make a fast tokenizer"), ("(a+)+$", "tokenizer fails on a text.*backtracks")],
)
def test_regular_expressions_of_a_tokenizer(copy, pattern, message):
    path = copy / "tokenizer.json"
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated"}
    changes = {"pre_tokenizer": split | {"invert": False}}
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(UserError, match=message):
        measure(str(copy), targets=["nurse", f"{'a' * 40}b"])


def test_a_model_that_reads_two_pieces_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(tiny_models, "LIMIT", 2)
    folder = tiny_models.write(tmp_path / "gpt2", "gpt2")
    with pytest.raises(UserError, match="reads 2 pieces at a time"):
        load_model(folder, "encoder", device="cpu")


def test_a_gguf_file_that_is_named_is_read_whatever_stands_beside_it(tmp_path):
    (tmp_path / "whole.gguf").write_bytes(gguf())
    (tmp_path / "damaged.gguf").write_bytes(b"none")
    with pytest.raises(UserError, match=r"2 \.gguf files: name a folder with one model"):
        scoring_kind(tmp_path)
    with pytest.raises(UserError, match=r"damaged\.gguf does not start with the GGUF magic"):
        scoring_kind(tmp_path / "damaged.gguf")
    assert scoring_kind(tmp_path / "whole.gguf") == "causal"
