"""A fixed number of threads gives the same bytes on any number of cores."""

import os
import subprocess
import sys

import pytest

STEP = """
import hashlib, os, sys
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(sys.argv[1])])
import torch
from torch import nn
from socialbias.contextual.threads import threads

with threads(int(sys.argv[2])):
    torch.manual_seed(1)
    network = nn.Sequential(nn.Linear(256, 512), nn.GELU(), nn.LayerNorm(512), nn.Linear(512, 64))
    network(torch.randn(1024, 256)).pow(2).sum().backward()
    digest = hashlib.sha256(b"".join(p.grad.numpy().tobytes() for p in network.parameters()))
print(digest.hexdigest(), torch.get_num_threads())
"""


def gradients(cores: int, threads: int, **variables: str) -> str:
    """A digest of gradients, from a process of its own that may use so many cores."""
    command = [sys.executable, "-c", STEP, str(cores), str(threads)]
    environment = os.environ | variables
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores cannot be withheld here")
def test_the_same_bytes_on_any_number_of_cores():
    whole = gradients(10**6, 8)
    assert gradients(1, 8, OMP_NUM_THREADS="1").split()[0] == whole.split()[0]
    assert gradients(1, 1).split()[0] != whole.split()[0]  # so that eight threads were used
