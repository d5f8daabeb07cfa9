"""Loading models: what can be used, and what is refused in one line."""

from __future__ import annotations

import json
import pickle
import shutil
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep

import pytest
import torch
from transformers import BertConfig, T5Config

from socialbias.errors import UserError
from socialbias.models import loading
from socialbias.models.loading import Model, load_model, model_folder, ran_on
from tests import tiny_models
from tests.worlds.models import folder_of, full


@pytest.fixture(scope="module")
def bert() -> Path:
    return folder_of("bert", "masked")


@pytest.fixture(scope="module")
def gpt2() -> Path:
    return folder_of("gpt2", "causal")


@pytest.fixture
def copy(bert, tmp_path) -> Path:
    """A model's folder to be spoilt."""
    return Path(shutil.copytree(bert, tmp_path / "copy"))


def weights(model: Model) -> torch.Tensor:
    return torch.cat([p.detach().float().flatten() for p in model.network.parameters()])


def changed(folder: Path, file: str = "config.json", **keys) -> None:
    """Give a file of a model other keys."""
    path = folder / file
    path.write_text(json.dumps(json.loads(path.read_text()) | keys))


def shortened(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:1000])


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(*arguments):
        raise AssertionError("something asked the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def test_kinds(bert, gpt2):
    encoder = load_model(bert, "encoder", device="cpu")
    assert (encoder.layers, encoder.width, encoder.limit) == (3, 16, 24)
    assert encoder.body is encoder.network
    assert not encoder.network.training
    masked = load_model(bert, "masked", device="cpu")
    assert masked.network.get_output_embeddings() is not None
    assert type(masked.body) is type(encoder.network)
    assert load_model(gpt2, "causal", device="cpu").limit == 24


def test_limits_of_positions_behind_the_padding_and_of_the_tokenizer(copy):
    assert load_model(folder_of("roberta"), "encoder", device="cpu").limit == tiny_models.LIMIT
    changed(copy, "tokenizer_config.json", model_max_length=10)
    assert load_model(copy, "encoder", device="cpu").limit == 10


@pytest.mark.parametrize(("fast", "dtype"), [(True, "bfloat16"), (False, "float32")])
def test_auto_takes_bfloat16_where_it_is_fast(bert, monkeypatch, fast, dtype):
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: fast)
    model = load_model(bert, "encoder", device="cpu", dtype="auto")
    assert ran_on(model)["dtype"] == dtype


def test_random_weights(bert):
    trained = load_model(bert, "encoder", device="cpu")
    state = torch.get_rng_state()
    first = load_model(bert, "encoder", device="cpu", seed=1)
    assert torch.equal(torch.get_rng_state(), state), "others' randomness is left alone"
    assert torch.equal(weights(first), weights(load_model(bert, "encoder", device="cpu", seed=1)))
    rounded = load_model(bert, "encoder", device="cpu", seed=1, dtype="bfloat16")
    assert torch.equal(weights(first).bfloat16(), weights(rounded))
    other = load_model(bert, "encoder", device="cpu", seed=2)
    assert not torch.equal(weights(first), weights(other))
    assert weights(first).shape == weights(trained).shape
    assert not torch.equal(weights(first), weights(trained))


def test_random_weights_need_no_file_of_weights(copy):
    (copy / "model.safetensors").unlink()
    load_model(copy, "masked", device="cpu", seed=1)
    with pytest.raises(UserError, match=r"model\.safetensors"):
        load_model(copy, "masked", device="cpu")


def test_the_folder_of_a_source(bert, copy):
    files = [{"path": name} for name in ("model.safetensors", "config.json")]
    manifest = {"source": "tiny", "format": "hf-model", "files": files}
    (copy / "manifest.json").write_text(json.dumps(manifest))
    assert model_folder(copy / "manifest.json") == copy
    manifest = {"source": "parts", "format": "hf-model-zip-parts", "files": [{"path": "a.zip"}]}
    (copy / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(UserError, match="parts: not a model folder"):
        model_folder(copy / "manifest.json")


# Tokenizers


def bert_words(folder: Path, words: list[str]) -> Path:
    """A folder that has a configuration and a vocabulary, and no more."""
    folder.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    (folder / "vocab.txt").write_text("".join(f"{w}\n" for w in words), "utf-8")
    BertConfig(vocab_size=len(words), **tiny_models.SMALL).save_pretrained(folder)
    return folder


@pytest.mark.parametrize(
    ("words", "pieces"),
    [
        (["nurse", "n", "##urse"], ["nurse"]),
        (["Nurse", "nurse", "n"], ["Nurse"]),  # transformers alone would lower-case it
    ],
)
def test_only_a_vocabulary_of_wordpiece(tmp_path, words, pieces):
    model = load_model(bert_words(tmp_path / "a", words), "encoder", device="cpu", seed=1)
    assert model.tokenizer.tokenize("Nurse") == pieces


def test_what_the_folder_says_of_case_counts(tmp_path):
    folder = bert_words(tmp_path / "a", ["Nurse", "nurse"])
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": true}')
    model = load_model(folder, "encoder", device="cpu", seed=1)
    assert model.tokenizer.tokenize("Nurse") == ["nurse"]


@pytest.mark.parametrize("config", ["", '{"model_max_length": 24}'])
def test_tokenizer_json_alone_knows_its_special_pieces(copy, config):
    (copy / "tokenizer_config.json").unlink()
    (copy / "special_tokens_map.json").unlink(missing_ok=True)
    if config:  # as in BERT's own folder
        (copy / "tokenizer_config.json").write_text(config)
    tokenizer = load_model(copy, "masked", device="cpu").tokenizer
    assert (tokenizer.mask_token, tokenizer.pad_token_id) == ("[MASK]", 0)
    assert tokenizer.bos_token is None


# What is refused


def code_of_its_own(folder: Path) -> None:
    (folder / "mine.py").write_text("raise SystemExit('executed')")
    config = {"model_type": "mine", "auto_map": {"AutoConfig": "mine.C", "AutoModel": "mine.M"}}
    (folder / "config.json").write_text(json.dumps(config))


def both_halves(folder: Path) -> None:
    T5Config(vocab_size=99, d_model=16, num_layers=1).save_pretrained(folder)


def sentencepiece_file(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").unlink()
    (folder / "spiece.model").write_bytes(b"\x0a\x05\x0a\x03abc")
    _, config = tiny_models.architecture("xlnet")
    config.save_pretrained(folder)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "config.json").unlink(), "no config.json and no .gguf file"),
        (lambda folder: changed(folder, model_type="nobody-knows"), "unknown architecture"),
        (lambda folder: (folder / "config.json").write_text("{"), "config: unusable"),
        (code_of_its_own, "config: "),
        (both_halves, "an encoder and a decoder"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "tokenizer"),
        (sentencepiece_file, "tokenizer.json"),
        (lambda folder: changed(folder, vocab_size=30522), "do not belong together"),
        (shortened, "weights: "),
        (lambda folder: changed(folder, intermediate_size=48), "weights: "),
        (lambda folder: changed(folder, num_hidden_layers=4), "are missing"),
    ],
)
def test_refused_in_one_line(copy, spoil, message):
    spoil(copy)
    with pytest.raises(UserError, match=message) as caught:
        load_model(copy, "encoder", device="cpu")
    text = str(caught.value)
    assert text.startswith(str(copy))
    assert "\n" not in text
    assert len(text) < len(str(copy)) + 320


def test_heads_that_a_model_has_not(bert, gpt2, tmp_path):
    headless = tiny_models.write(tmp_path, "bert")
    with pytest.raises(UserError, match=r"kind masked are missing.* take a model that has one"):
        load_model(headless, "masked", device="cpu")
    xlnet = tiny_models.write(tmp_path / "xlnet", "xlnet", "causal")
    for folder in (bert, xlnet):
        with pytest.raises(UserError, match="is bidirectional"):
            load_model(folder, "causal", device="cpu")
    with pytest.raises(UserError, match="config"):
        load_model(gpt2, "masked", device="cpu", seed=1)
    with pytest.raises(UserError, match="weights"):
        load_model(gpt2, "masked", device="cpu")


@pytest.mark.parametrize(
    ("folder", "kind", "options", "message"),
    [
        (None, "encoder", {"dtype": "int8"}, "must be auto, float32, tf32, bfloat16"),
        (None, "encoder", {"device": "abacus"}, "must be auto, cuda, mps or cpu"),
        (None, "encoder", {"device": "cuda:99"}, "is not available"),
        (Path("nowhere"), "encoder", {}, "no such folder"),
    ],
)
def test_arguments(bert, monkeypatch, folder, kind, options, message):
    with pytest.raises(UserError, match=message):
        load_model(folder or bert, kind, **{"device": "cpu"} | options)
    monkeypatch.setattr(torch.nn.Module, "to", full)
    with pytest.raises(UserError, match="does not fit on cpu"):
        load_model(bert, "encoder", device="cpu")


class Bomb:
    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


def test_weights_as_a_pickle(copy, tmp_path):
    """Plain tensors are read, anything else is refused and not executed."""
    model = load_model(copy, "encoder", device="cpu")
    (copy / "model.safetensors").unlink()
    torch.save(model.network.state_dict(), copy / "pytorch_model.bin")
    assert torch.equal(weights(load_model(copy, "encoder", device="cpu")), weights(model))
    fuse = tmp_path / "executed"
    torch.save({"embeddings.word_embeddings.weight": Bomb(fuse)}, copy / "pytorch_model.bin")
    with pytest.raises(UserError, match="weights: "):
        load_model(copy, "encoder", device="cpu")
    (copy / "pytorch_model.bin").write_bytes(pickle.dumps(Bomb(fuse), 2))
    with pytest.raises(UserError, match="weights: "):
        load_model(copy, "encoder", device="cpu")
    assert not fuse.exists()


def test_a_model_is_unpacked_once_though_two_jobs_ask_at_once(tmp_path, monkeypatch):
    (tmp_path / "model.gguf").touch()
    saved = []

    def save(model, folder):
        saved.append(folder)
        folder.mkdir(exist_ok=True)
        sleep(0.2)  # long enough for the other to come

    monkeypatch.setattr(loading, "load_model", lambda *_, **__: None)
    monkeypatch.setattr(loading, "save_model", save)
    with ThreadPoolExecutor(2) as pool:
        folders = list(pool.map(lambda _: loading.unpacked(tmp_path, print), range(2)))
    assert folders == [tmp_path / "unpacked"] * 2
    assert len(saved) == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.gguf", "unpacked"]
