"""Products of matrices on a CPU by oneDNN.

In float32 torch takes MKL for them, which on AMD's processors reaches less than half of the speed
(on one core of an EPYC 103 against 225 billion operations a second); nothing that can be set
changes that. Both are part of torch, and their results differ by rounding.
"""

from __future__ import annotations

import platform
from types import MethodType

import torch
from torch import Tensor, nn
from transformers.pytorch_utils import Conv1D

FEWEST = 8  # rows from which a matrix that is stored the other way round is worth it


def by_onednn(network: nn.Module) -> None:
    """Let a network's linear layers use oneDNN, where torch has it and they do not learn.

    Args:
        network: On a CPU; weights and what is saved stay as they are.
    """
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return
    if not hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        return
    for module in network.modules():
        if type(module) is nn.Linear and module.weight.dtype == torch.float32:
            module.forward = MethodType(_linear, module)
        elif type(module) is Conv1D and module.weight.dtype == torch.float32:
            module.forward = MethodType(_conv1d, module)


def _linear(self: nn.Linear, x: Tensor) -> Tensor:
    if _learns(self, x):
        return nn.Linear.forward(self, x)
    return _product(x, self.weight, self.bias)


def _conv1d(self: Conv1D, x: Tensor) -> Tensor:
    """GPT-2's linear layer, whose matrix is stored the other way round."""
    if _learns(self, x) or x.numel() < FEWEST * x.shape[-1]:
        return Conv1D.forward(self, x)
    return _product(x, self.weight.t(), self.bias)


def _product(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")


def _learns(module: nn.Module, x: Tensor) -> bool:
    """Whether gradients are wanted, which this product has none of."""
    return torch.is_grad_enabled() and (module.weight.requires_grad or x.requires_grad)
