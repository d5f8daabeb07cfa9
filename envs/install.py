"""Installs a lock into .venv: with uv where it can be had, else with pip.

    python3 envs/install.py envs/requirements.lock --torch envs/torch.txt --editable .

uv is many times faster but reads none of pip's configuration, so pip's indexes, links, proxy and
certificates are passed on. Both check the checksums of the lock; torch has none. This runs before
anything is installed: the standard library is enough.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

OLDEST = (3, 11, 4)
TOO_NEW = (3, 14)  # gensim has no wheels for it
UV = "uv>=0.5"  # older ones do not know UV_INDEX and UV_DEFAULT_INDEX
# By option of pip, the variable that says it to uv, and what stands between several values.
VARIABLES = {
    "index-url": ("UV_DEFAULT_INDEX", ""),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "timeout": ("UV_HTTP_TIMEOUT", ""),
    "default-timeout": ("UV_HTTP_TIMEOUT", ""),
    "proxy": ("ALL_PROXY", ""),
    "cert": ("SSL_CERT_FILE", ""),
    "client-cert": ("SSL_CLIENT_CERT", ""),
}
TRUE = ("y", "yes", "t", "true", "on", "1")


def pip_options(listing: str, get: Callable[[str], str]) -> dict[str, str]:
    """Return the options that pip's files and the environment give to `pip install`.

    Args:
        listing: What `pip config list` prints.
        get: `pip config get`, asked for a key that stands in several files: newer versions of pip
            list it once for each, without saying which one counts.

    Returns:
        By long name without dashes; empty ones are left out, as pip does.
    """
    lines = re.findall(r"^((global|install|:env:)\.([\w-]+))=(.+)$", listing, re.MULTILINE)
    times = Counter(key for key, *_ in lines)
    options = {}
    for section in ("global", "install", ":env:"):  # the last one counts
        for key, place, name, value in lines:
            text = get(key) if times[key] > 1 else ast.literal_eval(value)
            if place == section and text.strip():
                options[name.lower().replace("_", "-")] = text.strip()
    return options


def uv_settings(options: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return the arguments and the environment variables that say pip's options to uv.

    Addresses may hold passwords: other users of a machine see arguments, but not the environment.
    """
    # pip takes the best version of all indexes, uv by itself the best of the first that has any.
    environment = {"UV_INDEX_STRATEGY": "unsafe-best-match"}
    for name, (variable, separator) in VARIABLES.items():
        if name in options:
            values = options[name].split() if separator else [options[name]]
            environment[variable] = separator.join(map(os.path.expanduser, values))
    no_index = options.get("no-index", "").lower() in TRUE
    return ["--no-index"] * no_index, environment


def wrong_torch(locked: str, came: str, offered: Callable[[], str]) -> str:
    """Return why the torch that came is not the one that pip would have installed; "" where it is.

    Args:
        locked: The version in `torch.txt`. It names no build: of several, pip takes one with a
            label (`2.13.0+cpu`) before the one without, which on Linux is the build for CUDA.
        came: The version that is installed.
        offered: What `pip index versions torch` prints; asked only where it matters.
    """
    version, _, build = came.partition("+")
    if version != locked:
        return f"uv installed torch {came or '(none)'}, not {locked}"
    if not build and (found := re.search(rf"(?<!\S){re.escape(locked)}\+[\w.]+", offered())):
        return f"uv installed torch {came}, not {found[0]}"
    return ""


class Venv:
    """A virtual environment, made where there is none."""

    def __init__(self, folder: Path) -> None:
        self.python = folder / "bin/python"
        self.uv = folder / "bin/uv"
        if not self.python.exists():
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)

    def ask(self, *arguments: str) -> str:
        """Return what Python prints; "" where it fails."""
        command = [self.python, *arguments]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        return "" if result.returncode else result.stdout

    def ask_pip(self, *arguments: str) -> str:
        """Return what pip prints; "" where it fails."""
        return self.ask("-m", "pip", *arguments)

    def pip(self, *arguments: str) -> bool:
        """Return whether pip does it."""
        command = [self.python, "-m", "pip", "--disable-pip-version-check", *quietly(), *arguments]
        return subprocess.run(command, check=False).returncode == 0

    def pip_install(self, *wanted: list[str]) -> bool:
        """Return whether pip installs one after the other.

        As with uv, bytecode is left to the first import: what a run imports is a quarter of it.
        """
        return all(self.pip("install", "--no-compile", *arguments) for arguments in wanted)

    def uv_install(self, *wanted: list[str]) -> str:
        """Install one after the other; why that cannot be done, else ""."""
        if not self.uv.exists() and not self.pip("install", "--only-binary=:all:", UV):
            return "uv cannot be had"
        options = pip_options(
            self.ask_pip("config", "list"), lambda key: self.ask_pip("config", "get", key)
        )
        settings, environment = uv_settings(options)
        install = [self.uv, "pip", "install", "--python", self.python, *quietly(), *settings]
        for arguments in wanted:
            command = [*install, *arguments]
            if subprocess.run(command, env=os.environ | environment, check=False).returncode:
                return "uv failed"
        return ""

    def remove_wrong_torch(self, pin: str) -> str:
        """Remove a torch that pip would not have installed, and say why; "" where it is right.

        Args:
            pin: What `torch.txt` holds, such as `torch==2.13.0`.
        """
        came = self.ask("-c", "from importlib.metadata import version; print(version('torch'))")
        locked = pin.strip().partition("==")[2]
        reason = wrong_torch(
            locked, came.strip(), lambda: self.ask_pip("index", "versions", "torch")
        )
        if reason:
            pattern = r"^(torch|triton|nvidia-[\w-]+)==.*"
            names = re.findall(pattern, self.ask_pip("list", "--format=freeze"), re.MULTILINE)
            self.pip("uninstall", "--yes", *names)
        return reason


def quietly() -> list[str]:
    """Bars of progress are for terminals."""
    return [] if sys.stderr.isatty() else ["--quiet"]


def main(arguments: list[str]) -> int:
    """Install a lock; 1 where neither uv nor pip can."""
    parser = argparse.ArgumentParser(description="Installs a lock into .venv.")
    parser.add_argument("lock", type=Path)
    parser.add_argument("--torch", type=Path, help="a file with torch's version alone")
    parser.add_argument("--editable", metavar="FOLDER", help="a project to install beside it")
    options = parser.parse_args(arguments)
    if not OLDEST <= sys.version_info < TOO_NEW:
        sys.exit(f"Python 3.11.4 to 3.13 is needed, this is {sys.version.split()[0]}")
    wanted = [["--no-deps", "--requirement", str(options.lock)]]
    if options.torch:  # after what it depends on, which is in the lock
        wanted.append(["--requirement", str(options.torch)])
    if options.editable:
        wanted.append(["--no-deps", "--no-build-isolation", "--editable", options.editable])
    venv = Venv(Path(".venv"))
    reason = venv.uv_install(*wanted)
    if options.torch and not reason:
        reason = venv.remove_wrong_torch(options.torch.read_text("utf-8"))
    if not reason:
        return 0
    print(f"{reason}: installing with pip instead, which takes longer", file=sys.stderr)
    return 0 if venv.pip_install(*wanted) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
