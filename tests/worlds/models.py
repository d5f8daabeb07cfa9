"""Tiny models that are written and loaded once a process, and trainings that are killed."""

import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from socialbias.models.loading import Model, load_model
from tests import tiny_models

FOLDER = TemporaryDirectory()


@cache
def folder_of(name: str, head: str = "") -> Path:
    """The folder of a tiny model, which tests leave as it is."""
    return tiny_models.write(Path(FOLDER.name) / f"{name}-{head}", name, head)


@cache
def loaded(name: str) -> Model:
    """A tiny encoder, which tests leave as it is."""
    return load_model(folder_of(name), "encoder", device="cpu")


def copied(name: str, target: Path) -> Path:
    """A model's folder to be spoilt."""
    return Path(shutil.copytree(folder_of(name), target))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def full(*arguments, **options) -> None:
    """What a device says whose memory is full."""
    raise torch.OutOfMemoryError("CUDA out of memory")


def check_continues_where_it_is_killed(run: Callable, folder: Path, step: int) -> None:
    """A training dies with a checkpoint half written, goes on, and ends in the same bytes.

    `run` trains into a folder, with a log.
    """
    whole, said = run(folder / "whole"), []
    arguments = (run, folder / "killed", step)
    process = multiprocessing.get_context("fork").Process(target=_die, args=arguments)
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    assert not (folder / "killed").exists()
    assert run(folder / "killed", log=said.append) == whole
    assert any("continues" in line for line in said) == (step > 2)
    assert contents(folder / "killed") == contents(folder / "whole")
    assert sorted(path.name for path in folder.iterdir()) == ["killed", "whole"]


def _die(run: Callable, out: Path, step: int) -> None:
    write = torch.save

    def torn(state, path):
        if state["step"] < step:
            write(state, path)
            return
        path.write_bytes(b"half of it")
        os.kill(os.getpid(), signal.SIGKILL)

    torch.save = torn
    run(out)
