"""Which GPUs a run uses: decided once, in its first process, and passed to all others.

A run has several processes: the one that a person starts, on a cluster one more in each job, and
the jobs themselves. Each sees other cards: those of a login node, those of a node, none. So the
first one decides, and what it decides reaches the others in two environment variables, which
Snakemake passes to jobs (`envvars:` in `workflow/rules/common.smk`).
"""

from __future__ import annotations

import fcntl
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from socialbias.errors import UserError

# What the first process decides: whether jobs that run a model ask for a GPU, and the cards that
# they share; none where a cluster hands them out.
ASKS, SHARED = "SOCIALBIAS_GPUS", "SOCIALBIAS_CARDS"
DECIDED = (ASKS, SHARED)
CUDA = "CUDA_VISIBLE_DEVICES"  # what hides cards from PyTorch
NONE = "-1"  # all are hidden: a build for ROCm takes an empty variable for one that is not set
WAIT = 1.0  # seconds until the next look for a free card
MEMORY = ("mem", "mem_mb", "mem_mib")


class Devices(NamedTuple):
    """What a run has decided."""

    gpus: int  # how many GPUs each job that runs a model asks for: 0 or 1
    # The cards of this machine that its jobs share, as CUDA_VISIBLE_DEVICES names them; none where
    # a cluster hands them out.
    shared: tuple[str, ...] = ()

    def as_variables(self) -> dict[str, str]:
        """Return what the other processes of the run read, by environment variable."""
        return {ASKS: str(self.gpus), SHARED: ",".join(self.shared)}


def devices_of(environment: Mapping[str, str]) -> Devices:
    """Return what the first process of the run has decided."""
    if missing := [name for name in DECIDED if name not in environment]:
        raise UserError(
            f"{' and '.join(missing)} did not reach this job: let the cluster pass on the "
            "environment of the command that starts the run"
        )
    return Devices(int(environment[ASKS]), _listed(environment[SHARED]))


def decide(
    device: str, given: Mapping[str, object], is_local: bool, cards: Iterable[str]
) -> Devices:
    """Decide whether jobs that run a model ask for a GPU."""
    shared = tuple(cards) if is_local else ()
    if device not in ("auto", "cuda"):
        return Devices(0)
    if "gpu" not in given:
        return Devices(int(device == "cuda" or bool(shared)), shared)
    if count_of("gpu", given):
        return Devices(1, shared)
    if device == "cuda":
        raise UserError(
            "contextual.device is cuda, but `--resources gpu=0` allows no GPU: change one of them"
        )
    return Devices(0)


def limits_here(
    devices: Devices, given: Mapping[str, object], is_local: bool, memory: int
) -> dict[str, int]:
    """Return what Snakemake is to count beside cores, where jobs run on this machine."""
    if not is_local:
        return {}
    gpu = {"gpu": len(devices.shared) or 1} if devices.gpus and "gpu" not in given else {}
    return gpu | ({} if any(name in given for name in MEMORY) else {"mem_mb": memory})


def count_of(name: str, resources: Mapping[str, object]) -> float:
    """Return how many of a resource Snakemake was given; 0 where it was given none, or 0."""
    given = resources.get(name)
    return getattr(given, "value", given) or 0


def cuda_build(package: Path | None = None) -> str:
    """Return the CUDA that the installed PyTorch is built for, read without loading it; "" if none.

    A build for ROCm has none either: its cards are used if `--resources` names their number.
    """
    if package is None:
        spec = find_spec("torch")
        if spec is None or spec.origin is None:
            return ""
        package = Path(spec.origin).parent
    with suppress(OSError):
        text = (package / "version.py").read_text("utf-8")
        if found := re.search(r"^cuda\b[^=]*= *['\"](.+)['\"]", text, re.MULTILINE):
            return found[1]
    return ""


def cards_here(environment: Mapping[str, str], cuda: str, root: Path = Path("/")) -> list[str]:
    """Return the GPUs that PyTorch would use, as CUDA_VISIBLE_DEVICES names them."""
    if not cuda:
        return []
    if environment.get(CUDA) is not None:
        return list(_listed(environment[CUDA]))
    devices = [path for path in (root / "dev").glob("nvidia*") if path.name[6:].isdigit()]
    # The Windows Subsystem for Linux has one device for all cards.
    windows = (root / "dev/dxg").exists() and (root / "usr/lib/wsl/lib/libcuda.so.1").exists()
    return [str(n) for n in range(sum(map(_opens, devices)) or int(windows))]


def _listed(value: str) -> tuple[str, ...]:
    """Return the cards that a variable names: those before the first that there cannot be."""
    names = [name.strip() for name in value.split(",")]
    end = next((i for i, name in enumerate(names) if name in ("", NONE)), len(names))
    return tuple(names[:end])


def _opens(path: Path) -> bool:
    """Return whether this process may use a device: a cluster hides those of other jobs."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def memory_here(root: Path = Path("/")) -> int:
    """Megabytes of memory of this machine, or of the container or job that this process is in."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    with suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            _, controllers, own = line.split(":", 2)
            if controllers and "memory" not in controllers.split(","):
                continue
            # The second version of control groups has one tree for all controllers.
            base = root / "sys/fs/cgroup" / ("memory" if controllers else "")
            name = "memory.limit_in_bytes" if controllers else "memory.max"
            group = base / own.lstrip("/")
            for folder in (group, *group.parents):
                with suppress(OSError, ValueError):  # "max" is no limit
                    limits.append(int((folder / name).read_text()))
    return min(limits) // 1_000_000


# In a job.


@contextmanager
def card_for(
    gpus: int,
    environment: MutableMapping[str, str],
    say: Callable[[str], None],
    check: Callable[[], None] | None = None,
) -> Iterator[None]:
    """Let a job use the GPU that it asked for, and no other, until it ends.

    Must come before CUDA is used. Where jobs share the cards of this machine each takes a free one,
    and waits until there is one; the lock of a card is released however its job ends.
    """
    if not gpus:
        environment[CUDA] = NONE
        yield
        return
    cards = _listed(environment.get(SHARED, ""))
    if not cards:
        (check or check_card)()
        yield
        return
    card, lock = _free(cards, lock_folder(environment), say)
    try:
        environment[CUDA] = card
        (check or check_card)()
        yield
    finally:
        os.close(lock)


def lock_folder(environment: Mapping[str, str]) -> Path:
    """Return where a user's locks of cards are; in a job of Slurm cards are numbered anew."""
    job = environment.get("SLURM_JOB_ID")
    name = f"socialbias-cards-{os.getuid()}" + (f"-{job}" if job else "")
    return Path(tempfile.gettempdir()) / name


def _free(cards: Iterable[str], folder: Path, say: Callable[[str], None]) -> tuple[str, int]:
    """Return a card that no other job has, and its open lock."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    has_said = False
    while True:
        for card in cards:
            lock = os.open(folder / card.replace("/", "_"), os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
            else:
                return card, lock
        if not has_said:
            say("all GPUs are in use by other jobs: waiting for one")
            has_said = True
        time.sleep(WAIT)


def check_card() -> None:
    """Check that PyTorch can use a GPU."""
    import torch  # here: a job without a GPU need not load it

    if not torch.cuda.is_available():
        raise UserError(
            f"this job has a GPU, but PyTorch cannot use it: torch {torch.__version__} is built "
            f"for {built_for()}, and this machine has {driver()}. docs/installing.md lists the "
            "build for each driver; `--resources gpu=0` runs without a GPU"
        )


def built_for() -> str:
    """Return what the installed PyTorch is built for, in words."""
    cuda = cuda_build()
    return f"CUDA {cuda}" if cuda else "CPUs, or for other GPUs than NVIDIA's"


def driver(root: Path = Path("/")) -> str:
    """Return the driver of this machine's GPUs, in words."""
    with suppress(OSError):
        first = (root / "proc/driver/nvidia/version").read_text().splitlines()[0]
        words = first.partition("Module")[2].split()
        return f"NVIDIA driver {next(word for word in words if word[0].isdigit())}"
    return "no NVIDIA driver"


def described() -> list[str]:
    """Lines on the driver, what PyTorch is built for, and each GPU with its memory."""
    cards = cards_here(os.environ, cuda_build())
    lines = [f"GPUs: {len(cards)}; {driver()}; PyTorch is built for {built_for()}"]
    if not cards:
        return lines
    import torch

    if not torch.cuda.is_available():
        hint = "  PyTorch cannot use them: docs/installing.md lists the build for each driver"
        return [*lines, hint]
    for n in range(torch.cuda.device_count()):
        card = torch.cuda.get_device_properties(n)
        lines.append(f"  {n}: {card.name}, {card.total_memory / 1e9:.0f} GB")
    return lines
