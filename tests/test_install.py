"""`envs/install.py`, which installs the locks, with fakes of uv and Python which note calls."""

import importlib.util
import re
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.paths import REPOSITORY

SCRIPT = REPOSITORY / "envs" / "install.py"
SPEC = importlib.util.spec_from_file_location("install", SCRIPT)
install = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(install)


def options(*lines: str) -> dict[str, str]:
    return install.pip_options("\n".join(lines), lambda key: f"what counts of {key}\n")


ONE = "global.index-url='https://one'"
TWO = "install.index-url='https://two'"
THREE = ":env:.index-url='https://three'"
IGNORED = (":env:.index-url=''", "download.no-index='1'", "WARNING: something", "")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([ONE], {"index-url": "https://one"}),
        ([TWO, ONE], {"index-url": "https://two"}),
        ([THREE, ONE, TWO], {"index-url": "https://three"}),
        ([ONE, *IGNORED], {"index-url": "https://one"}),
        (["global.find_links='/wheels'"], {"find-links": "/wheels"}),
        (["global.FIND_LINKS='/wheels'"], {"find-links": "/wheels"}),
        # Of a key in several files pip itself says which one counts.
        ([ONE, ONE], {"index-url": "what counts of global.index-url"}),
    ],
)
def test_options_of_pip(lines, expected):
    assert options(*lines) == expected


def test_each_option_has_its_variable(monkeypatch):
    monkeypatch.setenv("HOME", "/home/somebody")
    arguments, environment = install.uv_settings(
        {
            "index-url": "https://user:secret@one/simple",
            "find-links": "/wheels ~/wheels",
            "trusted-host": "one two:8080",
            "default-timeout": "180",
            "proxy": "http://proxy:3128",
            "cert": "/with a blank/ca.crt",
            "client-cert": "/client.pem",
            "quiet": "1",
        }
    )
    assert arguments == []
    assert environment == {
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_DEFAULT_INDEX": "https://user:secret@one/simple",
        "UV_FIND_LINKS": "/wheels,/home/somebody/wheels",
        "UV_INSECURE_HOST": "one two:8080",
        "UV_HTTP_TIMEOUT": "180",
        "ALL_PROXY": "http://proxy:3128",
        "SSL_CERT_FILE": "/with a blank/ca.crt",
        "SSL_CLIENT_CERT": "/client.pem",
    }


@pytest.mark.parametrize(
    ("came", "offered", "reason"),
    [
        ("2.13.0+cpu", "", ""),
        ("2.13.0", "Available versions: 2.14.1+cpu, 2.13.0, 12.13.0+cpu", ""),
        ("2.13.0", "2.14.1, 2.13.0+cpu, 2.13.0", "uv installed torch 2.13.0, not 2.13.0+cpu"),
        ("2.14.1+cpu", "", "uv installed torch 2.14.1+cpu, not 2.13.0"),
        ("2.13.0.1", "", "uv installed torch 2.13.0.1, not 2.13.0"),
        ("", "", "uv installed torch (none), not 2.13.0"),
    ],
)
def test_torch_is_what_pip_would_have_installed(came, offered, reason):
    assert install.wrong_torch("2.13.0", came, lambda: offered) == reason


# A Python that knows what `install.py` asks of it. What is to fail has no file to read.
PYTHON = """#!/bin/sh
echo "python $*" >> calls
case "$*" in
  *"pip config list") cat config ;;
  *"pip index versions torch") cat offered ;;
  *"pip list --format=freeze") cat freeze ;;
  *" install "*"uv>="*) cp uv .venv/bin/uv ;;
  *" install "*) cp by-pip torch ;;
  *" uninstall "*) rm torch ;;
  "-c "*) cat torch ;;
  *) exit 1 ;;
esac 2>> errors
"""
UV = """#!/bin/sh
echo "uv $* $UV_INDEX" >> calls
cp by-uv torch 2>> errors
"""


BY_PIP = [
    "--no-compile --no-deps --requirement requirements.lock",
    "--no-compile --requirement torch.txt",
]


class Folder:
    """A checkout with a virtual environment of fakes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / ".venv/bin").mkdir(parents=True)
        self.write("requirements.lock", "numpy==2.4.6 --hash=sha256:00\n")
        self.write("torch.txt", "torch==2.13.0\n")
        self.write(".venv/bin/python", PYTHON)
        self.write("uv", UV)
        self.write("config", "global.extra-index-url='file:///simple'\n")
        self.write("by-uv", "2.13.0+cpu\n")
        self.write("by-pip", "2.13.0+cpu\n")
        self.write("freeze", "numpy==2.4.6\n")

    def write(self, name: str, text: str) -> None:
        (self.path / name).write_text(text)
        (self.path / name).chmod(0o755)

    def calls(self) -> list[str]:
        return (self.path / "calls").read_text().splitlines()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Folder(tmp_path)


def run(*arguments: str) -> int:
    return install.main(["requirements.lock", "--torch", "torch.txt", *arguments])


def of_pip(folder: Folder) -> list[str]:
    """What pip was told to install, uv left out."""
    told = [call for call in folder.calls() if call.startswith("python") and " install " in call]
    return [call.split(" install ")[1] for call in told if "uv>=" not in call]


def test_uv_installs_the_lock_torch_and_the_project_from_the_indexes_of_pip(folder, capsys):
    assert run("--editable", ".") == 0
    lock, torch, project = [call for call in folder.calls() if call.startswith("uv")]
    assert lock.endswith("--no-deps --requirement requirements.lock file:///simple")
    assert torch.endswith("--requirement torch.txt file:///simple")
    assert project.endswith("--no-build-isolation --editable . file:///simple")
    assert of_pip(folder) == []
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("gone", "line"), [("uv", "uv cannot be had"), ("by-uv", "uv failed")])
def test_without_uv_pip_installs_and_one_line_says_so(folder, capsys, gone, line):
    (folder.path / gone).unlink()
    assert run("--editable", ".") == 0
    *locked, project = of_pip(folder)
    assert locked == BY_PIP
    assert project.endswith("--editable .")
    assert (folder.path / "torch").read_text() == "2.13.0+cpu\n"
    (said,) = capsys.readouterr().err.splitlines()
    assert said == f"{line}: installing with pip instead, which takes longer"


@pytest.mark.parametrize("name", ["requirements", "requirements-dev", "requirements-docs"])
def test_every_pin_of_a_lock_has_checksums(name):
    lock = (REPOSITORY / f"envs/{name}.lock").read_text()
    entries = lock.replace("\\\n", "").splitlines()
    checked = re.compile(r"[\w.-]+==\S+( +--hash=sha256:[0-9a-f]{64})+")
    assert [entry for entry in entries if not checked.fullmatch(entry)] == []
    assert len(entries) > 15


def test_the_locks_have_no_package_twice_and_torch_is_apart():
    names = ("requirements.lock", "requirements-dev.lock", "requirements-docs.lock", "torch.txt")
    text = "".join((REPOSITORY / "envs" / name).read_text() for name in names)
    packages = re.findall(r"^([\w.-]+)==", text, re.MULTILINE)
    assert len(packages) == len(set(packages))
    assert re.fullmatch(r"torch==[\d.]+\n", (REPOSITORY / "envs/torch.txt").read_text())


def test_what_a_locked_package_requires_is_locked_with_it():
    """A run has `requirements.lock` and torch alone, without what tests need."""
    files = [REPOSITORY / "envs" / name for name in ("requirements.lock", "torch.txt")]
    locked = {
        canonicalize_name(line.partition("==")[0])
        for line in "\n".join(file.read_text() for file in files).splitlines()
        if "==" in line and not line.startswith((" ", "#"))
    }
    for name in sorted(locked - {"torch"}):  # its GPU libraries come with its own index
        for text in requires(name) or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                assert canonicalize_name(requirement.name) in locked, f"{name} requires {text}"
