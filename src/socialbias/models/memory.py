"""How much of a card's memory a training takes, from a model's sizes alone.

Pure arithmetic, so that a plan can ask before a model is fetched and without loading PyTorch.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Checkpointing = Literal["auto"] | bool
Dtype = Literal["float32", "tf32", "bfloat16"]
# Bytes of a weight in float32, with its gradient and Adam's two moments; and of its copy in
# bfloat16, which mixed precision keeps for the length of a step.
PER_WEIGHT, PER_WEIGHT_COPY = 16, 2
# Bytes that a layer keeps for its gradients, for each piece and unit of width: measured on layers
# of width 768 and 1,280 (`torch.autograd.graph.saved_tensors_hooks`; tests/models/
# test_memory.py measures again). GPT-2 and XLNet compute their activation function in steps, each
# of which keeps its input.
SAVED = {"float32": 120, "tf32": 120, "bfloat16": 70}
SAVED_FUSED = {"float32": 72, "tf32": 72, "bfloat16": 50}
FUSED = ("bert", "roberta")  # architectures whose activation function is one operation
# For each piece, head and piece that it attends to. At most: some kernels of cards keep none.
PER_ATTENTION = 14
MB = 1_000_000
OTHER_MB = 700  # the driver's context, work space of kernels, gaps (estimated)
# What is left of the 24 GB of the smallest card that all models of StereoSet are to fit on.
CARD_MB = 22_000


class Shape(NamedTuple):
    """A model's sizes."""

    architecture: str  # as `model_type` of its configuration, such as `bert` or `gpt2`
    parameters: float  # number of weights, embeddings included
    layers: int  # number of blocks
    width: int  # of the blocks
    heads: int  # of attention, in a block


def training_mb(shape: Shape, tokens: int, length: int, dtype: Dtype = "float32") -> float:
    """Megabytes (10^6 bytes) of the card that fine-tuning a whole model with Adam takes, at most.

    These are weights, gradients and Adam's moments; what the layers keep for the gradients of the
    `tokens` pieces that are run at once, padding included, from texts of `length` pieces; as much
    as one layer keeps, to work in; and 700 MB. The weights are float32 whatever the `dtype`.
    """
    layers = (shape.layers + 1) * layer_bytes(shape, tokens, length, dtype)
    per_weight = PER_WEIGHT + PER_WEIGHT_COPY * (dtype == "bfloat16")
    return (per_weight * shape.parameters + layers) / MB + OTHER_MB


def checkpoints(
    shape: Shape, tokens: int, length: int, dtype: Dtype, checkpointing: Checkpointing
) -> bool:
    """Return whether layers keep their input alone and are run again for their gradients.

    `auto` does so where the training would otherwise not fit on a card of 24 GB.
    """
    if checkpointing != "auto":
        return checkpointing
    return training_mb(shape, tokens, length, dtype) > CARD_MB


def layer_bytes(shape: Shape, tokens: int, length: int, dtype: Dtype) -> float:
    """Bytes that a layer keeps for its gradients, for the pieces that are run at once."""
    saved = SAVED_FUSED if shape.architecture in FUSED else SAVED
    per_piece = saved[dtype] * shape.width + PER_ATTENTION * shape.heads * length
    return tokens * per_piece
