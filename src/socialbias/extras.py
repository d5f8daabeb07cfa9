"""One clear line where a module of this library needs a package that is not installed."""

from __future__ import annotations

import re
import sys
from importlib.abc import MetaPathFinder

DISTRIBUTIONS = {"yaml": "pyyaml"}  # by the name that is imported, where it is not the same
# Modules that take more than the package that they miss first.
OF_MODELS = ("socialbias.api.of_items", "socialbias.api.of_models")
# Rooms of the pipeline, for which it takes `workflow`, even if `text` has the package too.
PIPELINE = ("config", "generate", "papers", "pipeline", "reporting", "sources")


class MissingExtra(MetaPathFinder):
    """Says which extra brings a package when a module of this library imports it in vain.

    It stands behind all other finders, so it is asked for nothing that is installed, and it keeps
    silent about what others import: to them a package is absent or not, as before.
    """

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        """Finds nothing.

        Raises:
            ModuleNotFoundError: it is this library that needs the package, and an extra has it.
        """
        importer = _importer()
        if importer.startswith("socialbias."):
            extras = _extras_with(fullname)
            if extras:
                extra = _extra_of(importer, extras)
                line = f"{importer} needs {fullname}: pip install 'socialbias[{extra}]'"
                raise ModuleNotFoundError(line, name=fullname)


def for_people(error: ModuleNotFoundError) -> str:
    """Its line without the module that needs the package, which is nobody's concern."""
    return re.sub(r"^socialbias[\w.]* needs ", "this needs ", str(error))


def _extra_of(importer: str, extras: list[str]) -> str:
    """The extra that a module takes, of those that have the package."""
    room = importer.split(".")[1]
    if room == "auditing":
        return "all"
    return "models,text" if importer in OF_MODELS else extras[-1 if room in PIPELINE else 0]


def _importer() -> str:
    """The module whose import is being served; "" for a script or a prompt."""
    frame = sys._getframe(2)
    while frame and frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    spec = frame and frame.f_globals.get("__spec__")
    return spec.name if spec else ""


def _extras_with(name: str) -> list[str]:
    """The extras of this library that have the package, in the order of `pyproject.toml`."""
    from importlib.metadata import PackageNotFoundError, requires  # slow, and seldom needed

    try:
        requirements = requires("socialbias") or []
    except PackageNotFoundError:  # used from a folder, without being installed
        return []
    pattern = rf"{re.escape(DISTRIBUTIONS.get(name, name))}\b(?!-).*extra == .(\w+)"
    return [match[1] for line in requirements if (match := re.match(pattern, line))]
