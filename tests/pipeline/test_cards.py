"""Which GPUs a run uses, and which of them a job takes."""

import os
import threading
from types import SimpleNamespace

import pytest

from socialbias.errors import UserError
from socialbias.pipeline import gpus
from socialbias.pipeline.gpus import Devices, card_for, cards_here, decide, devices_of


def machine(root, nvidia=(), dxg=False):
    """A machine's devices: NVIDIA's by name."""
    (root / "dev").mkdir()
    for name in nvidia:
        (root / "dev" / name).touch()
    if dxg:
        (root / "dev/dxg").touch()
        (root / "usr/lib/wsl/lib").mkdir(parents=True)
        (root / "usr/lib/wsl/lib/libcuda.so.1").touch()
    return root


@pytest.mark.parametrize(
    ("there", "build", "environment", "found"),
    [
        ({"nvidia": ["nvidia0", "nvidia1", "nvidiactl"]}, "cuda", {}, ["0", "1"]),
        ({"nvidia": ["nvidia12"]}, "cuda", {}, ["0"]),  # CUDA counts from 0
        ({"nvidia": ["nvidia0"]}, "cuda", {"CUDA_VISIBLE_DEVICES": "-1"}, []),
        ({"nvidia": ["nvidia0"]}, "cuda", {"CUDA_VISIBLE_DEVICES": "3, GPU-a"}, ["3", "GPU-a"]),
        ({"nvidia": ["nvidiactl", "nvidia-uvm"]}, "cuda", {}, []),  # a driver without a card
        ({"nvidia": ["nvidia0"]}, "", {}, []),  # PyTorch built for CPUs
        ({"dxg": True}, "cuda", {}, ["0"]),
        ({}, "cuda", {}, []),
    ],
)
def test_cards_are_those_that_pytorch_can_use_and_nobody_hides(
    tmp_path, there, build, environment, found
):
    assert cards_here(environment, build, machine(tmp_path, **there)) == found


ONE, TWO = ("0",), ("0", "1")
# The device of the configuration, `--resources`, whether jobs run here, the cards here; what is
# decided; what Snakemake counts.
CASES = [
    ("auto", {}, True, (), Devices(0), {"mem_mb": 64}),
    ("auto", {}, True, TWO, Devices(1, TWO), {"gpu": 2, "mem_mb": 64}),
    ("auto", {"gpu": 0}, True, TWO, Devices(0), {"mem_mb": 64}),
    ("auto", {"gpu": 1}, True, TWO, Devices(1, TWO), {"mem_mb": 64}),
    ("cuda", {}, True, (), Devices(1), {"gpu": 1, "mem_mb": 64}),
    ("cuda", {}, True, ONE, Devices(1, ONE), {"gpu": 1, "mem_mb": 64}),
    ("cpu", {}, True, TWO, Devices(0), {"mem_mb": 64}),
    ("mps", {"mem": "9GB"}, True, (), Devices(0), {}),
    # A cluster: cards of the login node are none of its nodes'.
    ("auto", {"short": 2}, False, TWO, Devices(0), {}),
    ("auto", {"gpu": 4}, False, TWO, Devices(1), {}),
    ("cuda", {}, False, ONE, Devices(1), {}),
]


@pytest.mark.parametrize(("device", "given", "is_local", "here", "devices", "limits"), CASES)
def test_the_first_process_decides_and_tells_all_others(
    device, given, is_local, here, devices, limits
):
    resources = {name: SimpleNamespace(value=value) for name, value in given.items()}
    decided = decide(device, resources, is_local, here)
    assert decided == devices
    assert gpus.limits_here(decided, resources, is_local, 64) == limits
    for of_node in ({}, {"CUDA_VISIBLE_DEVICES": "0"}):
        assert devices_of(of_node | decided.as_variables()) == decided


def test_what_cannot_be_decided_is_one_line():
    with pytest.raises(UserError, match="SOCIALBIAS_GPUS and SOCIALBIAS_CARDS did not reach"):
        devices_of({})
    with pytest.raises(UserError, match=r"contextual\.device is cuda, but `--resources gpu=0`"):
        decide("cuda", {"gpu": 0}, True, ONE)


@pytest.fixture
def locks(tmp_path, monkeypatch):
    monkeypatch.setattr(gpus, "lock_folder", lambda environment: tmp_path / "locks")
    monkeypatch.setattr(gpus, "WAIT", 0.01)
    return tmp_path / "locks"


def job(shared, asked=1, said=None):
    """A job's environment while it has its card."""
    environment = {"SOCIALBIAS_CARDS": shared}
    said = [] if said is None else said
    return environment, card_for(asked, environment, said.append, lambda: None)


def test_a_job_sees_no_gpu_unless_it_asks_and_on_a_cluster_that_which_it_was_given(locks):
    environment = {"CUDA_VISIBLE_DEVICES": "0"}
    with card_for(0, environment, print, check=None):
        assert environment["CUDA_VISIBLE_DEVICES"] == "-1"
    environment, taken = job("")
    environment["CUDA_VISIBLE_DEVICES"] = "3"
    with taken:
        assert environment["CUDA_VISIBLE_DEVICES"] == "3"
    assert not locks.exists()


def test_each_job_has_a_card_of_its_own_and_one_more_waits(locks):
    said = []
    (first, one), (second, two), (third, three) = job("2,5"), job("2,5"), job("2,5", said=said)
    with two:
        with one:
            names = {first["CUDA_VISIBLE_DEVICES"], second["CUDA_VISIBLE_DEVICES"]}
            assert names == {"2", "5"}
            waits = threading.Thread(target=three.__enter__)
            waits.start()
            while not said:
                waits.join(0.01)
            assert "CUDA_VISIBLE_DEVICES" not in third
        waits.join()
        assert third["CUDA_VISIBLE_DEVICES"] == first["CUDA_VISIBLE_DEVICES"]
    assert said == ["all GPUs are in use by other jobs: waiting for one"]
    three.__exit__(None, None, None)


def test_in_a_job_of_slurm_cards_are_numbered_anew():
    one, two = (gpus.lock_folder({"SLURM_JOB_ID": job}) for job in ("7", "8"))
    assert len({one, two, gpus.lock_folder({})}) == 3


def test_a_card_that_pytorch_cannot_use_is_one_line_with_driver_and_build(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(gpus, "built_for", lambda: "CUDA 13.0")
    monkeypatch.setattr(gpus, "driver", lambda: "NVIDIA driver 535.104.05")
    with pytest.raises(UserError) as caught, card_for(1, {}, print):
        raise AssertionError("the job must not begin")
    assert f"torch {torch.__version__} is built for CUDA 13.0" in str(caught.value)
    assert "NVIDIA driver 535.104.05" in str(caught.value)
    assert "\n" not in str(caught.value)


NVIDIA = "proc/driver/nvidia/version"


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        (NVIDIA, "NVIDIA x86_64 Kernel Module  535.104.05  Sat\nGCC\n", "NVIDIA driver 535.104.05"),
        (NVIDIA, "Open Kernel Module for x86_64  580.82.07  R\n", "NVIDIA driver 580.82.07"),
        ("dev/null", "", "no NVIDIA driver"),
    ],
)
def test_the_driver_is_named(tmp_path, path, text, said):
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(text)
    assert gpus.driver(tmp_path) == said


@pytest.mark.parametrize(
    ("groups", "limits", "megabytes"),
    [
        ("0::/slurm/job_7/step_0\n", {"slurm/job_7/memory.max": "3000000000\n"}, 3000),
        ("0::/slurm/job_7/step_0\n", {"slurm/job_7/step_0/memory.max": "max\n"}, None),
        ("5:cpu:/a\n4:memory:/b\n0::/\n", {"memory/b/memory.limit_in_bytes": "2000000000"}, 2000),
        # A container sees its own group as the root.
        ("4:memory:/b\n", {"memory/memory.limit_in_bytes": "2000000000"}, 2000),
    ],
)
def test_memory_is_that_of_the_container_or_job_where_it_is_less(
    tmp_path, groups, limits, megabytes
):
    own = tmp_path / "proc/self/cgroup"
    own.parent.mkdir(parents=True)
    own.write_text(groups)
    for name, text in limits.items():
        path = tmp_path / "sys/fs/cgroup" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1_000_000
    assert gpus.memory_here(tmp_path) == (megabytes or whole)
