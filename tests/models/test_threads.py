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
from socialbias.models.threads import threads

for number in map(int, sys.argv[2:]):
    with threads(number):
        torch.manual_seed(1)
        layers = nn.Linear(256, 512), nn.GELU(), nn.LayerNorm(512), nn.Linear(512, 64)
        network = nn.Sequential(*layers)
        network(torch.randn(1024, 256)).pow(2).sum().backward()
    grads = b"".join(p.grad.numpy().tobytes() for p in network.parameters())
    print(hashlib.sha256(grads).hexdigest())
"""


def gradients(cores: int, *threads: int, **variables: str) -> list[str]:
    """Digests of gradients by number of threads, from a process that may use so many cores."""
    command = [sys.executable, "-c", STEP, *map(str, (cores, *threads))]
    environment = os.environ | variables
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    ).stdout.split()


@pytest.mark.long  # two processes that import torch
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores cannot be withheld here")
def test_the_same_bytes_on_any_number_of_cores():
    eight, one = gradients(10**6, 8, 1)
    assert gradients(1, 8, OMP_NUM_THREADS="1") == [eight]
    assert one != eight  # so that eight threads were used
