"""Language models from local folders: Hugging Face's layout or one GGUF file.

Nothing is downloaded and nothing in a folder is executed: no custom code, weights from safetensors
or, if there are only pickles, by torch's weights-only loader.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import torch
import transformers
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForImageTextToText,
    AutoModelForMaskedLM,
    AutoModelForNextSentencePrediction,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
    MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    MODEL_FOR_NEXT_SENTENCE_PREDICTION_MAPPING_NAMES,
)

from socialbias.errors import UserError
from socialbias.files.atomic_write import folder_aside, locked
from socialbias.models.loaded_models import LOADED
from socialbias.models.onednn import use_onednn
from socialbias.models.pieces import PERMUTED, Kind
from socialbias.models.safe_loading import (
    UNUSABLE,
    in_one_line,
    loader_options,
)
from socialbias.models.tokenizers import load_tokenizer
from socialbias.sources.manifest import read_manifest
from socialbias.sources.sniffing import not_one_model
from socialbias.stats.seeding import generator

Result = TypeVar("Result")
CLASSES = {
    "encoder": AutoModel,
    "masked": AutoModelForMaskedLM,
    "causal": AutoModelForCausalLM,
    "next-sentence": AutoModelForNextSentencePrediction,
}
AUTO, TF32 = "auto", "tf32"
# TF32 is float32 of which a card's products of matrices see 10 instead of 23 bits.
DTYPES = {"float32": torch.float32, TF32: torch.float32, "bfloat16": torch.bfloat16}
TENSOR_CORES = (8, 0)  # the first cards that multiply in TF32 and bfloat16
DEVICES = ("cuda", "mps", "cpu")
MIN_PIECES = 8  # pieces that a model must be able to read at a time
DEEPEST = 2000  # layers; a configuration with more is damaged, and would take all memory
# Layers in a checkpoint, and what older releases kept in them beside weights.
NUMBERED = re.compile(r"(.*?\.)\d+\.(?!.*(?:inv_freq|attn\.bias|masked_bias|position_ids)$)")
# Error messages of devices that are out of memory: cuBLAS, MPS for one large array, CPUs, others.
OUT_OF_MEMORY = ("CUBLAS_STATUS_ALLOC_FAILED", "Invalid buffer size", "can't allocate memory")
OUT_OF_MEMORY += ("not enough memory", "out of memory")
NEXT_SENTENCE = MODEL_FOR_NEXT_SENTENCE_PREDICTION_MAPPING_NAMES


class NoHead(UserError):
    """A model was saved without the head that it was to be loaded with: it has vectors alone."""


@dataclass(frozen=True)
class Model:
    """A model and its tokenizer, ready to run."""

    name: str  # the folder's name, for messages
    kind: Kind  # `encoder` (no head), `masked`, `causal` or `next-sentence`
    network: PreTrainedModel  # in evaluation mode, on its device
    tokenizer: PreTrainedTokenizerFast  # a fast one, which maps pieces to characters
    device: torch.device  # the network's device
    limit: int | None  # maximum pieces of a text, including special ones; None for no limit

    @property
    def body(self) -> PreTrainedModel:
        """The network without its head."""
        return self.network.base_model

    @property
    def layers(self) -> int:
        """The number of blocks; layer 0 is the embeddings, the last layer has this number."""
        return self.network.config.get_text_config().num_hidden_layers

    @property
    def width(self) -> int:
        """The width of the blocks; OPT-350m is narrower before the first and after the last."""
        return self.network.config.get_text_config().hidden_size


def model_folder(manifest: Path) -> Path:
    """Return the folder for `load_model`, of a fetched source or of a model trained by the run."""
    if manifest.is_dir():
        return manifest
    folder, source = read_manifest(manifest)
    paths = [folder / file["path"] for file in source["files"]]
    models = [p for p in paths if p.name == "config.json" or p.suffix == ".gguf"]
    if not models:
        raise UserError(
            f"{source['source']}: not a model folder (format {source['format']}): it needs a "
            "config.json or a .gguf file"
        )
    return models[0].parent


def load_model(
    folder: Path,
    kind: Kind,
    *,
    device: str = "auto",
    dtype: str = "float32",
    seed: int | None = None,
) -> Model:
    """Load a model from its folder."""
    if dtype not in (AUTO, *DTYPES):
        raise UserError(f"dtype {dtype!r}: must be {', '.join([AUTO, *DTYPES])}")
    torch_device = _device(device)
    if dtype == AUTO:
        is_fast = getattr(torch.cpu, "_is_amx_tile_supported", lambda: False)()
        if torch_device.type == "cuda":
            is_fast = torch.cuda.get_device_capability(torch_device) >= TENSOR_CORES
        dtype = "bfloat16" if is_fast and torch_device.type != "mps" else "float32"
    if torch_device.type == "cuda":
        _prepare_card(dtype)
    folder, gguf = _place(folder)
    with _quiet():
        config = _config(folder, gguf)
        _check_kind(folder, config, kind)
        tokenizer = load_tokenizer(folder, config, gguf)
        if seed is None:
            network = _trained(folder, config, kind, DTYPES[dtype], gguf)
        else:
            network = _untrained(folder, config, kind, DTYPES[dtype], seed)
    advice = "use a smaller one, dtype bfloat16, or another device"
    with enough_memory(f"{folder}: the model does not fit on {torch_device}: {advice}"):
        network = network.eval().to(torch_device)
    if torch_device.type == "cpu":
        use_onednn(network)
    model = Model(folder.name, kind, network, tokenizer, torch_device, _limit(network, tokenizer))
    _check_runs(folder, model)
    if (run := {"model": folder.name, **ran_on(model)}) not in LOADED:
        LOADED.append(run)
    return model


def tokenizer_of(folder: Path) -> PreTrainedTokenizerFast:
    """Return the tokenizer of a model's folder, which is checked as `load_model` does."""
    folder, gguf = _place(folder)
    with _quiet():
        return load_tokenizer(folder, _config(folder, gguf), gguf)


def _prepare_card(dtype: str) -> None:
    """Set the precision of products, and operations that give the same bytes each time.

    Where a card has only others, as for gradients of attention, torch warns and takes those.
    """
    torch.backends.cuda.matmul.allow_tf32 = dtype == TF32
    torch.backends.cudnn.allow_tf32 = dtype == TF32
    torch.backends.cudnn.benchmark = False
    # cuDNN's attention plans anew for each shape of a batch, so bfloat16 takes four times as long.
    torch.backends.cuda.enable_cudnn_sdp(False)
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # else its sums are of any order
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = (
        False  # it takes up to a fifth of the time
    )


def ran_on(model: Model) -> dict[str, str]:
    """Return what a model runs on, for people to see: `device` (the card's name) and `dtype`."""
    cuda = model.device.type == "cuda"
    device = torch.cuda.get_device_name(model.device) if cuda else model.device.type
    dtype = str(model.network.dtype).removeprefix("torch.")
    if cuda and dtype == "float32" and torch.backends.cuda.matmul.allow_tf32:
        dtype = TF32
    return {"device": device, "dtype": dtype}


def scoring_kind(folder: Path) -> Kind:
    """Return whether a folder's model is `masked` or `causal`, from its configuration."""
    with _quiet():
        return "masked" if is_bidirectional(_config(*_place(folder))) else "causal"


def unpacked(folder: Path, log: Callable[[str], None]) -> Path:
    """Return a folder that loads quickly: a GGUF model's is kept beside it, as float32."""
    if _gguf(folder) is None:
        return folder
    kept = folder / "unpacked"
    with locked(folder / ".unpacked.lock", log):  # several jobs may ask for it at once
        if not kept.exists():
            log(f"{folder.name}: unpacking the GGUF file, once")
            with folder_aside(kept) as part:
                save_model(load_model(folder, "causal", device="cpu"), part)
    return kept


def save_model(model: Model, folder: Path) -> None:
    """Write a model in a form that `load_model` reads; a GGUF model then loads quickly.

    A GGUF file is dequantised whenever it is loaded, which is slow. transformers does not save such
    a model until its quantisation settings are removed.
    """
    network = model.network
    network.hf_quantizer = None
    if hasattr(network.config, "quantization_config"):
        del network.config.quantization_config
    with _quiet():
        network.save_pretrained(folder)
        model.tokenizer.save_pretrained(folder)


def out_of_memory(error: RuntimeError) -> bool:
    """Return whether an error means that a device, of any kind, is out of memory."""
    text = str(error)
    return isinstance(error, torch.OutOfMemoryError) or any(x in text for x in OUT_OF_MEMORY)


@contextmanager
def enough_memory(problem: str) -> Iterator[None]:
    """Raise UserError with the problem where memory runs out."""
    try:
        yield
    except RuntimeError as error:
        if not out_of_memory(error):
            raise
        raise UserError(problem) from None


def within_memory(
    model: Model, compute: Callable[[], Result], texts: int, pieces: int, advice: str
) -> Result | None:
    """Return what a batch gives; None if memory is too small for it: a smaller one may fit."""
    try:
        return compute()
    except RuntimeError as error:
        if not out_of_memory(error):
            raise
    # Not in the handler: an exception being handled keeps the tensors of its frames alive.
    if texts == 1:
        raise UserError(
            f"{model.name}: a text of {pieces:,} pieces does not fit into the memory of "
            f"{model.device}: {advice}"
        )
    empty_cache(model.device)
    return None


def empty_cache(device: torch.device) -> None:
    """Release the device memory that torch caches."""
    if device.type == "cuda":
        torch.cuda.empty_cache()
    elif device.type == "mps":
        torch.mps.empty_cache()


def is_bidirectional(config: PretrainedConfig) -> bool:
    """Return whether a model of this configuration sees the whole text from any position."""
    known = {*MODEL_FOR_MASKED_LM_MAPPING_NAMES, *PERMUTED}
    return config.model_type in known and not getattr(config, "is_decoder", False)


def _device(name: str) -> torch.device:
    available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    available["cpu"] = True
    if name == "auto":
        return torch.device(next(kind for kind in DEVICES if available[kind]))
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    if device is None or device.type not in DEVICES:
        raise UserError(f"device {name!r}: must be auto, cuda, mps or cpu")
    number = torch.cuda.device_count() if device.type == "cuda" else 1
    if not available[device.type] or (device.index or 0) >= number:
        raise UserError(f"device {name!r} is not available: use auto")
    return device


def _place(path: Path) -> tuple[Path, str | None]:
    """Return the folder of a model, and the name of its GGUF file as `_gguf` gives it."""
    if path.suffix == ".gguf" and path.is_file():
        return path.parent, path.name
    if problem := not_one_model(path):
        raise UserError(f"{path}: {problem}")
    return path, _gguf(path)


def _gguf(folder: Path) -> str | None:
    """Return the name of the folder's GGUF file; None if the folder is in Hugging Face's layout."""
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder: name one with a model")
    if (folder / "config.json").is_file():
        return None
    files = sorted(path.name for path in folder.glob("*.gguf"))
    if len(files) != 1:
        problem = f"{len(files)} .gguf files" if files else "no config.json and no .gguf file"
        raise UserError(f"{folder}: {problem}: name a folder with one model")
    return files[0]


def _config(folder: Path, gguf: str | None) -> PretrainedConfig:
    where = folder / gguf if gguf else folder
    try:
        config = AutoConfig.from_pretrained(folder, **loader_options(gguf))
        text = config.get_text_config()
    except UNUSABLE as error:
        signs = ("does not recognize this architecture", "model_type")
        unknown = any(sign in str(error) for sign in signs)
        problem = "unknown architecture" if unknown else "unusable"
        raise UserError(f"{where}: config: {problem}: {in_one_line(error)}") from None
    if config.is_encoder_decoder or text.is_encoder_decoder:
        raise UserError(
            f"{folder}: {config.model_type} has both an encoder and a decoder: use a model with "
            "only one of them"
        )
    if not getattr(text, "vocab_size", None):
        raise UserError(f"{folder}: {config.model_type} reads no words: name a language model")
    layers = getattr(text, "num_hidden_layers", 1)
    if not 1 <= layers <= DEEPEST:
        raise UserError(f"{where}: config: has {layers:,} layers: fetch the model again")
    return config


def _check_kind(folder: Path, config: PretrainedConfig, kind: Kind) -> None:
    """Refuse a bidirectional model as causal, as which transformers would load it."""
    if kind == "causal" and is_bidirectional(config):
        raise UserError(
            f"{folder}: {config.model_type} is bidirectional, not a causal model: name a causal "
            "one, such as a GPT-2"
        )
    if kind == "causal" and config.model_type not in (
        *MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        *MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
    ):
        raise UserError(
            f"{folder}: {config.model_type} predicts no words: name a masked or causal language "
            "model"
        )
    if kind == "next-sentence" and config.model_type not in NEXT_SENTENCE:
        raise UserError(
            f"{folder}: {config.model_type} has no head for next sentences: use a BERT that was "
            "trained with one"
        )


def _class(config: PretrainedConfig, kind: Kind) -> type:
    if kind == "masked" and config.model_type in PERMUTED:
        kind = "causal"
    if kind == "causal" and config.model_type not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return AutoModelForImageTextToText
    return CLASSES[kind]


def _trained(
    folder: Path, config: PretrainedConfig, kind: Kind, dtype: torch.dtype, gguf: str | None
) -> PreTrainedModel:
    """Return the network with the folder's weights, which must be complete."""
    try:
        network, info = _class(config, kind).from_pretrained(
            folder,
            **loader_options(gguf),
            dtype=dtype,
            weights_only=True,
            output_loading_info=True,
        )
    except UNUSABLE as error:
        if isinstance(error, RuntimeError) and out_of_memory(error):
            raise UserError(f"{folder}: the model does not fit into memory") from None
        raise UserError(f"{folder}: weights: {in_one_line(error)}") from None
    # A pooler comes after the last layer, and only the head for next sentences uses it.
    missing = sorted(info["missing_keys"])
    if kind != "next-sentence":
        missing = [name for name in missing if "pooler" not in name]
    if missing:
        body = f"{network.base_model_prefix}."
        headless = kind != "encoder" and not any(name.startswith(body) for name in missing)
        advice = "fetch it again"
        if headless:
            advice = (
                "it was saved without that head: take a model that has one, or name it in "
                "inputs.bert or inputs.fairness_encoder, for its vectors"
            )
        problem = (
            f"{folder}: {len(missing)} weights of a model of kind {kind} are missing, such as "
            f"{missing[0]}: {advice}"
        )
        raise NoHead(problem) if headless else UserError(problem)
    lists = {found[1] for name, _ in network.named_parameters() if (found := NUMBERED.match(name))}
    for name in sorted(info["unexpected_keys"]):
        if (found := NUMBERED.match(name)) and found[1] in lists:
            raise UserError(
                f"{folder}: the weights have {name}, which config.json has no place for: they do "
                "not belong together, or an adapter is not merged: merge it, or fetch both again"
            )
    odd = [name for name, part in network.named_parameters() if not torch.isfinite(part).all()]
    if odd:
        problem = "has values that are not numbers"
        raise UserError(f"{folder}: weights: {odd[0]} {problem}: fetch it again")
    # transformers makes some of XLNet's weights in float32, whatever it is asked for.
    return network.to(dtype) if config.model_type in PERMUTED else network


def _untrained(
    folder: Path, config: PretrainedConfig, kind: Kind, dtype: torch.dtype, seed: int
) -> PreTrainedModel:
    """Return the network with random weights, as before training."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(generator(seed, "model", "random weights").integers(2**31)))
        try:
            # Drawn in float32: bfloat16 would draw other numbers.
            network = _class(config, kind).from_config(
                config, dtype=torch.float32, trust_remote_code=False
            )
        except UNUSABLE as error:
            raise UserError(f"{folder}: config: unusable: {in_one_line(error)}") from None
    return network.to(dtype)


def _check_runs(folder: Path, model: Model) -> None:
    """Run the model on a few pieces: a configuration can be read and still make no model."""
    if model.limit is not None and model.limit < MIN_PIECES:
        raise UserError(
            f"{folder}: the model reads {model.limit} pieces at a time, and a sentence has more: "
            "use another one"
        )
    try:
        pieces = torch.linspace(0, len(model.tokenizer) - 1, 3).long()[None]
        with torch.inference_mode():
            states = model.body(pieces.to(model.device)).last_hidden_state
    except UNUSABLE as error:
        if isinstance(error, RuntimeError) and out_of_memory(error):
            raise
        raise UserError(f"{folder}: the model cannot be run: {in_one_line(error)}") from None
    if not torch.isfinite(states).all():
        raise UserError(f"{folder}: the model gives values that are not numbers: fetch it again")
    if torch.equal(states, states[:, :1].expand_as(states)):
        raise UserError(f"{folder}: the model gives the same vector for all words: fetch it again")


def _limit(network: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> int | None:
    """Maximum number of pieces that the model and its tokenizer allow."""
    limits = [tokenizer.model_max_length] if tokenizer.model_max_length < 1 << 30 else []
    positions = getattr(network.config.get_text_config(), "max_position_embeddings", None)
    if positions and positions > 0:
        # RoBERTa and related models number positions from the padding index on.
        unused = [
            module.padding_idx + 1
            for name, module in network.named_modules()
            if name.endswith("position_embeddings") and getattr(module, "padding_idx", None)
        ]
        limits.append(positions - max(unused, default=0))
    return min(limits, default=None)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence transformers' progress bars and reports; what matters is checked here."""
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
