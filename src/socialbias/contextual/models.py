"""Language models from folders: Hugging Face's layout or one GGUF file, never from the network.

Nothing that a folder holds is executed: no code of its own, weights from safetensors or, where
there are only pickles, by torch's reader of plain tensors.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import torch
import transformers
from safetensors import SafetensorError
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoTokenizer,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)
from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

from socialbias.contextual.onednn import by_onednn
from socialbias.errors import UserError
from socialbias.seeding import generator
from socialbias.sources.manifest import read_manifest

Kind = Literal["encoder", "masked", "causal"]
CLASSES = {
    "encoder": AutoModel,
    "masked": AutoModelForMaskedLM,
    "causal": AutoModelForCausalLM,
}
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}
DEVICES = ("cuda", "mps", "cpu")
# What transformers and torch raise for files that they cannot use.
UNUSABLE = (
    OSError,
    ValueError,
    KeyError,
    AttributeError,
    TypeError,
    ImportError,
    RuntimeError,
    SafetensorError,
    pickle.UnpicklingError,
)
# What devices say when their memory is full: cuBLAS, MPS of one large array, CPUs, and most.
FULL = ("CUBLAS_STATUS_ALLOC_FAILED", "Invalid buffer size", "can't allocate memory")
FULL += ("not enough memory", "out of memory")
# Architectures that read in both directions though transformers has no masked form of them.
PERMUTED = ("xlnet",)
# Files that together are a vocabulary, where there is no tokenizer.json.
VOCABULARIES = (("vocab.txt",), ("vocab.json", "merges.txt"))
# What special tokens are usually called, for a folder that does not say it.
USUAL = {
    "unk_token": ("[UNK]", "<unk>"),
    "pad_token": ("[PAD]", "<pad>"),
    "mask_token": ("[MASK]", "<mask>"),
    "cls_token": ("[CLS]", "<s>"),
    "sep_token": ("[SEP]", "</s>"),
    "bos_token": ("<|endoftext|>", "<s>"),
    "eos_token": ("<|endoftext|>", "</s>"),
}


@dataclass(frozen=True)
class Model:
    """A model and its tokenizer, ready to be run.

    Attributes:
        name: The folder's name, for messages.
        kind: `encoder` (no head), `masked` or `causal`.
        network: In evaluation mode, on its device.
        tokenizer: A fast one: it tells the characters that each piece is of.
        device: Where the network is.
        limit: Most pieces of a text, special ones included; None where there is no limit.
    """

    name: str
    kind: Kind
    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerFast
    device: torch.device
    limit: int | None

    @property
    def body(self) -> PreTrainedModel:
        """The network without its head."""
        return self.network.base_model

    @property
    def layers(self) -> int:
        """The number of blocks; layer 0 are the embeddings, the last layer is this number."""
        return self.network.config.num_hidden_layers

    @property
    def width(self) -> int:
        """The width of the blocks; OPT-350m is narrower before the first and behind the last."""
        return self.network.config.hidden_size


def model_folder(manifest: Path) -> Path:
    """The folder that `load_model` takes, of a fetched source or of a model that a run trained.

    Args:
        manifest: The source's `manifest.json`, of format `hf-model` or `gguf`; or the folder of a
            model that was trained.

    Raises:
        UserError: the source is not a model in one of these forms.
    """
    if manifest.is_dir():
        return manifest
    folder, facts = read_manifest(manifest)
    paths = [folder / file["path"] for file in facts["files"]]
    found = [p for p in paths if p.name == "config.json" or p.suffix == ".gguf"]
    if not found:
        raise UserError(
            f"{facts['source']}: not a model's folder (format {facts['format']}): it needs a "
            "config.json or a .gguf file"
        )
    return found[0].parent


def load_model(
    folder: Path,
    kind: Kind,
    *,
    device: str = "auto",
    dtype: str = "float32",
    seed: int | None = None,
) -> Model:
    """Load a model from its folder.

    Args:
        folder: With `config.json`, weights, and `tokenizer.json` or the vocabulary's own files
            (`vocab.txt`, or `vocab.json` and `merges.txt`); or with one `.gguf` file.
        kind: Which head to load: none, that of a masked or that of a causal language model.
        device: `auto` (the first there is of cuda, mps, cpu), or one by name, such as `cuda:1`.
        dtype: `float32` or `bfloat16`.
        seed: None for the folder's weights. A number for random ones in the same architecture,
            as the architecture draws them before training: the control model.

    Raises:
        UserError: in one line, what of the folder cannot be used, and what to do.
    """
    if kind not in get_args(Kind):
        raise UserError(f"kind {kind!r}: write encoder, masked or causal")
    if dtype not in DTYPES:
        raise UserError(f"dtype {dtype!r}: write {' or '.join(DTYPES)}")
    place = _device(device)
    gguf = _gguf(folder)
    with _quiet():
        config = _config(folder, gguf)
        _check_kind(folder, config, kind)
        tokenizer = _tokenizer(folder, config, gguf)
        if seed is None:
            network = _trained(folder, kind, DTYPES[dtype], gguf)
        else:
            network = _untrained(folder, config, kind, DTYPES[dtype], seed)
    try:
        network = network.eval().to(place)
    except RuntimeError as error:
        if not out_of_memory(error):
            raise
        raise UserError(
            f"{folder}: the model does not fit on {place}: take a smaller one, dtype bfloat16, "
            "or another device"
        ) from None
    if place.type == "cpu":
        by_onednn(network)
    return Model(folder.name, kind, network, tokenizer, place, _limit(network, tokenizer))


def save_model(model: Model, folder: Path) -> None:
    """Write a model so that `load_model` reads it; one from GGUF then loads at once.

    A GGUF file is unpacked to full numbers whenever it is loaded, which takes long; transformers
    does not save such a model before it has forgotten where its numbers are from.
    """
    network = model.network
    network.hf_quantizer = None
    if hasattr(network.config, "quantization_config"):
        del network.config.quantization_config
    with _quiet():
        network.save_pretrained(folder)
        model.tokenizer.save_pretrained(folder)


def out_of_memory(error: RuntimeError) -> bool:
    """Whether a device, whichever it is, said that its memory is full."""
    text = str(error)
    return isinstance(error, torch.OutOfMemoryError) or any(said in text for said in FULL)


def release(device: torch.device) -> None:
    """Give back the memory of a device that torch keeps for later."""
    if device.type == "cuda":
        torch.cuda.empty_cache()
    elif device.type == "mps":
        torch.mps.empty_cache()


def _device(name: str) -> torch.device:
    usable = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    usable["cpu"] = True
    if name == "auto":
        return torch.device(next(kind for kind in DEVICES if usable[kind]))
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    if device is None or device.type not in DEVICES:
        raise UserError(f"device {name!r}: write auto, cuda, mps or cpu")
    if not usable[device.type] or (device.index or 0) >= _count(device.type):
        raise UserError(f"device {name!r}: torch finds none here: write auto")
    return device


def _count(kind: str) -> int:
    return torch.cuda.device_count() if kind == "cuda" else 1


def _gguf(folder: Path) -> str | None:
    """The name of the folder's GGUF file, where it is a model of that kind.

    Raises:
        UserError: the folder is none of a model.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder: name one that holds a model")
    if (folder / "config.json").is_file():
        return None
    files = sorted(path.name for path in folder.glob("*.gguf"))
    if len(files) != 1:
        what = f"{len(files)} .gguf files" if files else "no config.json and no .gguf file"
        raise UserError(f"{folder}: no model: {what}: name a folder that holds one model")
    return files[0]


def _config(folder: Path, gguf: str | None) -> PretrainedConfig:
    try:
        config = AutoConfig.from_pretrained(folder, **_locally(gguf))
    except UNUSABLE as error:
        what = "no architecture that transformers knows" if _unknown(error) else "unusable"
        raise UserError(f"{folder}: config: {what}: {_line(error)}") from None
    if config.is_encoder_decoder:
        raise UserError(
            f"{folder}: {config.model_type} has an encoder and a decoder: take a model that is "
            "one of them"
        )
    return config


def _unknown(error: Exception) -> bool:
    return "does not recognize this architecture" in str(error) or "model_type" in str(error)


def _check_kind(folder: Path, config: PretrainedConfig, kind: Kind) -> None:
    """Transformers would load a bidirectional model as a causal one, which it is not."""
    bidirectional = {*MODEL_FOR_MASKED_LM_MAPPING_NAMES, *PERMUTED}
    as_decoder = getattr(config, "is_decoder", False)
    if kind == "causal" and config.model_type in bidirectional and not as_decoder:
        raise UserError(
            f"{folder}: {config.model_type} reads in both directions: it is no causal model; "
            "load it as masked or encoder"
        )


def _locally(gguf: str | None) -> dict:
    """What every loader is told: nothing from the network, nothing executed."""
    options = {"local_files_only": True, "trust_remote_code": False}
    return options | ({"gguf_file": gguf} if gguf else {})


def _tokenizer(folder: Path, config: PretrainedConfig, gguf: str | None) -> PreTrainedTokenizerFast:
    """The folder's fast tokenizer.

    Raises:
        UserError: there is none, or it is of another model.
    """
    try:
        if gguf is None and (folder / "tokenizer.json").is_file():
            tokenizer = _from_json(folder)
        else:
            tokenizer = AutoTokenizer.from_pretrained(
                folder, **_locally(gguf), **_case(folder, gguf)
            )
    except UNUSABLE as error:
        raise UserError(
            f"{folder}: no fast tokenizer can be made ({_line(error)}): put its tokenizer.json "
            "into the folder"
        ) from None
    _check_vocabulary(folder, config, tokenizer)
    return tokenizer


def _from_json(folder: Path) -> PreTrainedTokenizerFast:
    """The tokenizer as the file has it: a class chosen by the model's type would build it anew."""
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder, **_locally(None))
    said = [folder / name for name in ("tokenizer_config.json", "special_tokens_map.json")]
    if not any(path.is_file() for path in said):
        vocabulary = tokenizer.get_vocab()
        for role, names in USUAL.items():
            known = [name for name in names if name in vocabulary]
            if known:
                setattr(tokenizer, role, known[0])
    return tokenizer


def _case(folder: Path, gguf: str | None) -> dict:
    """Whether BERT's vocabulary is of lower-case words, where the folder does not say it.

    Transformers takes that for granted, and would lose the case of a cased model.
    """
    path = folder / "vocab.txt"
    if gguf or not path.is_file() or "do_lower_case" in _json(folder / "tokenizer_config.json"):
        return {}
    words = [word for word in _lines(path) if not word.startswith(("[", "<"))]
    return {"do_lower_case": all(word == word.lower() for word in words)}


def _check_vocabulary(
    folder: Path, config: PretrainedConfig, tokenizer: PreTrainedTokenizerFast
) -> None:
    """A tokenizer that has not found its vocabulary is a valid one of a few tokens."""
    expected = 0
    if not (folder / "tokenizer.json").is_file():
        for names in VOCABULARIES:
            path = folder / names[0]
            if all((folder / name).is_file() for name in names):
                # The tokenizers library takes blanks, of any kind, from the ends of words.
                words = (
                    {word.rstrip() for word in _lines(path)}
                    if path.suffix == ".txt"
                    else _json(path)
                )
                expected = len(words)
    size, room = len(tokenizer), config.vocab_size
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise UserError(
            f"{folder}: its tokenizer does not tell where in a text a piece is: put a "
            "tokenizer.json into the folder"
        )
    # Models have a few more rows than words, for the sake of round numbers; not twice as many.
    if size < expected or size > room or 2 * size < room:
        raise UserError(
            f"{folder}: the tokenizer has {size:,} pieces and the model {room:,}: they do not "
            "belong together: put the model's own tokenizer.json into the folder"
        )


def _trained(folder: Path, kind: Kind, dtype: torch.dtype, gguf: str | None) -> PreTrainedModel:
    """The network with the folder's weights, all of which must be there."""
    try:
        network, info = CLASSES[kind].from_pretrained(
            folder,
            **_locally(gguf),
            dtype=dtype,
            weights_only=True,
            output_loading_info=True,
        )
    except UNUSABLE as error:
        if isinstance(error, RuntimeError) and out_of_memory(error):
            raise UserError(f"{folder}: the model does not fit into memory") from None
        raise UserError(f"{folder}: weights: {_line(error)}") from None
    # A pooler stands behind the last layer, and nothing here reads it.
    missing = sorted(name for name in info["missing_keys"] if "pooler" not in name)
    if missing:
        advice = "fetch it again" if kind == "encoder" else "load it as encoder, or fetch it again"
        raise UserError(
            f"{folder}: {len(missing)} weights of a model of kind {kind} are missing, such as "
            f"{missing[0]}: {advice}"
        )
    return network


def _untrained(
    folder: Path, config: PretrainedConfig, kind: Kind, dtype: torch.dtype, seed: int
) -> PreTrainedModel:
    """The network with weights as drawn before training."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(generator(seed, "model", "random weights").integers(2**31)))
        try:
            return CLASSES[kind].from_config(config, dtype=dtype, trust_remote_code=False)
        except UNUSABLE as error:
            raise UserError(f"{folder}: config: unusable: {_line(error)}") from None


def _limit(network: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> int | None:
    """Most pieces that the model and its tokenizer allow."""
    limits = [tokenizer.model_max_length] if tokenizer.model_max_length < 1 << 30 else []
    positions = getattr(network.config, "max_position_embeddings", None)
    if positions and positions > 0:
        # RoBERTa and its kin count positions from behind the padding's number.
        unused = [
            module.padding_idx + 1
            for name, module in network.named_modules()
            if name.endswith("position_embeddings") and getattr(module, "padding_idx", None)
        ]
        limits.append(positions - max(unused, default=0))
    return min(limits, default=None)


def _lines(path: Path) -> list[str]:
    """The lines of a vocabulary, in which characters stand that `splitlines` takes for ends."""
    return path.read_text("utf-8").removesuffix("\n").split("\n")


def _json(path: Path) -> dict:
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}


def _line(error: Exception) -> str:
    """An error in one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:200].rstrip(".") if lines else type(error).__name__


@contextmanager
def _quiet() -> Iterator[None]:
    """Without transformers' bars and reports; what matters is checked here."""
    log = transformers.logging
    verbosity, bars = log.get_verbosity(), log.is_progress_bar_enabled()
    log.set_verbosity_error()
    log.disable_progress_bar()
    try:
        yield
    finally:
        log.set_verbosity(verbosity)
        if bars:
            log.enable_progress_bar()
