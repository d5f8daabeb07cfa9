"""Matrix products on a CPU by oneDNN.

For float32 torch uses MKL, which on AMD processors reaches less than half the speed (103 instead of
225 GFLOP/s on one core of an EPYC), and there is no setting to change it. Both are part of torch,
and their results differ by rounding.
"""

from __future__ import annotations

import platform
from types import MethodType

import torch
from torch import Tensor, nn
from transformers.pytorch_utils import Conv1D

MIN_ROWS = 8  # with fewer, a transposed matrix is not worth it


def use_onednn(network: nn.Module) -> None:
    """Make a network's linear layers use oneDNN for inference, where torch supports it."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return
    if not hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        return
    for module in network.modules():
        if type(module) is nn.Linear and module.weight.dtype == torch.float32:
            module.forward = MethodType(_linear, module)
        elif type(module) is Conv1D and module.weight.dtype == torch.float32:
            module.forward = MethodType(_conv1d, module)


def without_onednn(network: nn.Module) -> nn.Module:
    """Return the network with its layers' own products, which exist for every dtype."""
    for module in network.modules():
        module.__dict__.pop("forward", None)
    return network


def _linear(self: nn.Linear, x: Tensor) -> Tensor:
    if _needs_gradient(self, x):
        return nn.Linear.forward(self, x)
    return _product(x, self.weight, self.bias)


def _conv1d(self: Conv1D, x: Tensor) -> Tensor:
    """GPT-2's linear layer, whose matrix is stored transposed."""
    if _needs_gradient(self, x) or x.numel() < MIN_ROWS * x.shape[-1]:
        return Conv1D.forward(self, x)
    return _product(x, self.weight.t(), self.bias)


def _product(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")


def _needs_gradient(module: nn.Module, x: Tensor) -> bool:
    """Return whether a gradient is needed, which this product does not support."""
    return torch.is_grad_enabled() and (module.weight.requires_grad or x.requires_grad)
