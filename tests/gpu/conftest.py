"""`make verify-gpu`: whether a device computes what a CPU computes in float64, and how fast.

    python3 -m pytest -c tests/gpu/pytest.ini tests/gpu [--device cuda:1] [--out FILE]

This needs a checkout and a Python that has torch, transformers, scipy and pytest. The results go to
a file that `make plan` reads.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import pytest
import torch
import transformers

from socialbias.errors import UserError
from socialbias.files.atomic_write import write_text
from socialbias.models.loading import TENSOR_CORES, load_model, ran_on
from socialbias.models.threads import one_thread
from socialbias.pipeline.gpus import driver
from tests.gpu import made_up
from tests.gpu.test_device import Setting

OUT = "results/verify-gpu.json"
FOLDER, STARTED = TemporaryDirectory(), perf_counter()
MACHINE, FLOPS, RATES, STEPS, CHECKS = {}, {}, {}, {}, []


def pytest_addoption(parser):
    parser.addoption("--device", default="auto", help="auto (default), cuda, cuda:1, mps or cpu")
    parser.addoption("--out", default=OUT, help=f"JSON file (default: {OUT})")


def pytest_sessionstart(session):
    work = Path(FOLDER.name)
    transformers.utils.logging.disable_progress_bar()
    made_up.small(work)
    try:
        model = load_model(work / "bert", "encoder", device=session.config.option.device)
    except UserError as error:
        raise pytest.UsageError(f"make verify-gpu: {error}") from None
    cuda = model.device.type == "cuda"
    properties = torch.cuda.get_device_properties(model.device) if cuda else None
    MACHINE.update(
        card=properties and properties.name,
        driver=properties and driver(),
        memory_mb=properties and round(properties.total_memory / 1e6),
        torch=torch.__version__,
        cuda=torch.version.cuda,
        transformers=transformers.__version__,
        device=ran_on(model)["device"],
    )
    print(", ".join(f"{name} {value}" for name, value in MACHINE.items() if value))
    session.config.setting = Setting(str(model.device), work)


@pytest.fixture
def setting(request, record_property):
    """What a check runs on, in its dtype, with one thread."""
    parameters = getattr(request.node, "callspec", None)
    known = parameters.params if parameters else {}
    dtype, whole = known.get("dtype", "float32"), request.config.setting
    device = torch.device(whole.device)
    cuda = device.type == "cuda" and torch.cuda.get_device_capability(device) >= TENSOR_CORES
    if dtype != "float32" and not cuda and (device.type, dtype) != ("cpu", "bfloat16"):
        pytest.skip(f"this device has no units for {dtype}")
    name = known.get("name", request.node.originalname.removeprefix("test_").replace("_", " "))
    record_property("check", {"name": name, "dtype": dtype})
    with one_thread():
        yield replace(whole, dtype=dtype)


def pytest_runtest_logreport(report):
    facts = dict(report.user_properties)
    if report.when != "call" or report.skipped:
        return
    FLOPS.update(facts.get("flops", {}))
    RATES.update(facts.get("rates", {}))
    STEPS.update(facts.get("step", {}))
    if "rates" not in facts:
        problems = [] if report.passed else [report.longrepr.reprcrash.message.splitlines()[0]]
        outcome = {"passed": report.passed, "problems": problems}
        CHECKS.append(facts["check"] | outcome | {"seconds": round(report.duration, 1)})


def pytest_terminal_summary(terminalreporter, config):
    if not CHECKS and not FLOPS:  # nothing was run
        return
    for dtype, flops in FLOPS.items():
        terminalreporter.line(f"product of matrices, {dtype}: {flops / 1e12:.3g} TFLOP/s")
    for name, rate in RATES.items():
        memory = f", at most {rate['peak_mb']:,.0f} MB" if rate["peak_mb"] else ""
        speed = f"{rate['tokens']:,.0f} tokens/s, {rate['flops'] / 1e12:.3g} TFLOP/s"
        terminalreporter.line(f"{name}: {speed}{memory}")
    for name, step in STEPS.items():
        terminalreporter.line(f"{name}: {step['seconds']:.2f} s, {step['peak_mb'] / 1e3:.1f} GB")
    seconds, out = round(perf_counter() - STARTED), Path(config.option.out)
    passed = sum(check["passed"] for check in CHECKS)
    report = MACHINE | {
        "flops": FLOPS,
        "rates": RATES,
        "steps": STEPS,
        "checks": CHECKS,
        "seconds": seconds,
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    write_text(out, json.dumps(report, indent=2) + "\n")
    terminalreporter.line(f"{passed} of {len(CHECKS)} checks passed, {seconds} s: {out}")
