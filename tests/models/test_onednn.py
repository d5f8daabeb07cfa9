"""oneDNN's products beside torch's own."""

import copy

import pytest
import torch
from torch import nn
from transformers.pytorch_utils import Conv1D

from socialbias.models.onednn import use_onednn

LAYERS = {
    "linear": lambda: nn.Linear(24, 10),
    "linear without bias": lambda: nn.Linear(24, 10, bias=False),
    "gpt2": lambda: Conv1D(10, 24),
}


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("shape", [(24,), (1, 24), (3, 24), (2, 50, 24)])
def test_the_same_numbers_and_gradients(layer, shape):
    torch.manual_seed(1)
    plain = LAYERS[layer]()
    fast = copy.deepcopy(plain)
    use_onednn(nn.Sequential(fast))
    x = torch.randn(*shape)
    with torch.no_grad():
        torch.testing.assert_close(fast(x), plain(x), atol=1e-6, rtol=1e-5)
    assert fast.state_dict().keys() == plain.state_dict().keys()
    for module in (plain, fast):
        module(x).square().sum().backward()
    torch.testing.assert_close(fast.weight.grad, plain.weight.grad)
