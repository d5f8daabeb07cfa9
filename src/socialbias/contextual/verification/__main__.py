"""`python -m socialbias.contextual.verification`: verify a device, and measure it.

Prints a line for each check and rate, and writes both, which `make plan` reads. The exit status is
1 if a check failed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import torch
import transformers

from socialbias.contextual.models import TENSOR_CORES, load_model, ran_on
from socialbias.contextual.threads import one_thread
from socialbias.contextual.verification import rates
from socialbias.contextual.verification.checks import (
    BFLOAT16,
    CHECKS,
    FLOAT32,
    TF32,
    Result,
    Setting,
    run,
)
from socialbias.contextual.verification.rates import Rate
from socialbias.errors import UserError
from socialbias.files.atomic_write import write_text

OUT = Path("results/verify-gpu.json")
GOAL = 1e6  # tokens a second of BERT-base in bfloat16 on an H200
LEAST = {"cuda": 2.0, "mps": 2.0, "cpu": 1.0}  # seconds of what is timed


def main(arguments: list[str] | None = None) -> int:
    """Check, measure, print and write; 1 if a check failed."""
    parser = argparse.ArgumentParser(prog="make verify-gpu", description=__doc__)
    parser.add_argument("--device", default="auto", help="auto (default), cuda, cuda:1, mps or cpu")
    parser.add_argument("--out", type=Path, default=OUT, help=f"JSON file (default: {OUT})")
    parser.add_argument("--only", choices=("checks", "rates"), help="leave out the other")
    options = parser.parse_args(arguments)
    warnings.filterwarnings("ignore", message=".*deterministic")
    started = perf_counter()
    with TemporaryDirectory() as folder:
        setting = Setting.prepared(options.device, Path(folder))
        model = load_model(setting.bert, "encoder", device=options.device)
        device, machine = model.device, card(model.device) | {"device": ran_on(model)["device"]}
        setting = replace(setting, device=str(device))
        print(", ".join(f"{name} {value}" for name, value in machine.items() if value), flush=True)
        dtypes = supported(device)
        if missing := [x for x in (TF32, BFLOAT16) if x not in dtypes]:
            print(f"left out, for this device has no units for it: {' and '.join(missing)}")
        results = [] if options.only == "rates" else checked(setting, dtypes)
        with one_thread():  # a CPU's rates are those of one core
            measured = {} if options.only == "checks" else timed(setting.work, device, dtypes)
    report = machine | measured | {"checks": [as_json(result) for result in results]}
    report["seconds"] = round(perf_counter() - started)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    write_text(options.out, json.dumps(report, indent=2) + "\n")
    failed = [result for result in results if not result.passed]
    passed = f"{len(results) - len(failed)} of {len(results)} checks passed, " if results else ""
    print(f"{passed}{report['seconds']} s: {options.out}")
    return 1 if failed else 0


def card(device: torch.device) -> dict[str, str | int | None]:
    """A device and what drives it; None for what a CPU does not have."""
    properties = torch.cuda.get_device_properties(device) if device.type == "cuda" else None
    return {
        "card": properties and properties.name,
        "driver": properties and driver(),
        "memory_mb": properties and round(properties.total_memory / 1e6),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "transformers": transformers.__version__,
    }


def driver() -> str | None:
    """The version of the driver for NVIDIA's cards; None where its tool is missing."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        completed = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return completed.stdout.splitlines()[0].strip()


def supported(device: torch.device) -> tuple[str, ...]:
    """The dtypes that a device has units for; a CPU has bfloat16, if slowly."""
    if device.type == "cpu":
        return FLOAT32, BFLOAT16
    if device.type == "cuda" and torch.cuda.get_device_capability(device) >= TENSOR_CORES:
        return FLOAT32, TF32, BFLOAT16
    return (FLOAT32,)


def checked(setting: Setting, dtypes: tuple[str, ...]) -> list[Result]:
    """The result of each check in each dtype; prints a line for each."""
    results = []
    for name, check in CHECKS.items():
        for dtype in (dtype for dtype in check.dtypes if dtype in dtypes):
            results.append(run(setting, name, dtype))
            print(line(results[-1]), flush=True)
    return results


def line(result: Result) -> str:
    """A result in a line, and one for each problem."""
    compared = result.comparison
    parts = [f"{result.name}, {result.dtype}"]
    if compared.numbers:
        share = f"{compared.difference:.1%} of what is allowed"
        parts.append(f"{compared.numbers:,} numbers differ by at most {share}")
    if compared.decisions:
        clear = compared.decisions - compared.near_ties
        parts.append(
            f"{clear} clear decisions compared"
            + f", {compared.near_ties} near ties" * bool(compared.near_ties)
        )
    parts += compared.notes
    lines = [
        f"{'passed' if result.passed else 'FAILED'}  {'; '.join(parts)} ({result.seconds:.0f} s)"
    ]
    return "\n".join([*lines, *(f"        {problem}" for problem in compared.problems)])


def as_json(result: Result) -> dict:
    """A result as it is written."""
    facts = {"name": result.name, "dtype": result.dtype, "passed": result.passed}
    return facts | asdict(result.comparison) | {"seconds": round(result.seconds, 1)}


def timed(work: Path, device: torch.device, dtypes: tuple[str, ...]) -> dict:
    """`flops` of a product of matrices by dtype, and `rates`; prints a line for each."""
    least = LEAST[device.type]
    flops = {dtype: rates.product_rate(device, dtype, least / 20) for dtype in dtypes}
    for dtype, rate in flops.items():
        print(f"product of matrices, {dtype}: {rate / 1e12:.3g} TFLOP/s", flush=True)
    written = {}
    for rate in every_rate(work, str(device), dtypes, least):
        written[f"{rate.name}, {rate.dtype}"] = asdict(rate)
        print(rate_line(rate, flops[rate.dtype]), flush=True)
    return {"flops": flops, "rates": written}


def every_rate(work: Path, device: str, dtypes: tuple[str, ...], least: float) -> Iterator[Rate]:
    """Each path at a real shape."""
    for dtype in dtypes:
        yield rates.extraction(work / "extraction", device, dtype, least)
    yield rates.likelihoods(work / "likelihood", device, least)
    yield rates.pseudo_likelihoods(work / "pseudo-likelihood", device, least)
    # A step takes a CPU too long to take it twice.
    for dtype in dtypes if device != "cpu" else (FLOAT32,):
        yield rates.training(work / "training", device, dtype, least)


def rate_line(rate: Rate, peak: float) -> str:
    """A rate in a line, and one of what bounds it."""
    text = f"{rate.name}, {rate.dtype}: {rate.tokens:,.0f} tokens/s"
    text += f", {rate.flops / 1e12:.3g} TFLOP/s, {rate.flops / peak:.0%} of a product of matrices"
    if rate.peak_mb is not None:
        text += f", at most {rate.peak_mb:,.0f} MB"
    if (rate.name, rate.dtype) == (rates.EXTRACTION, BFLOAT16):
        text += f"; the goal on an H200 is {GOAL:,.0f} tokens/s"
    if rate.shares:
        each = ", ".join(f"{name} {share:.0%}" for name, share in rate.shares.items())
        text += f"\n        its time: {each}; bound by: {max(rate.shares, key=rate.shares.get)}"
    return text


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UserError as error:
        sys.exit(f"make verify-gpu: {error}")
