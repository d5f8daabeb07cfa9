"""A server that misbehaves, processes that really fetch from it, and a disk that is soon full."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.waiting import PATIENCE, until
from tests.worlds.servers import HASTE, Fetching, Handler, Site

CHILD = Path(__file__).with_name("fetch_child.py")


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """No proxy, no mirror, no cache and no account of whoever runs the tests."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("SOCIALBIAS_MIRROR", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *arguments: None  # a client that is killed resets its connection
    server.site = Site(url=f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server.site
    server.site.go.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def demo(site, tmp_path):
    return Fetching(site, tmp_path)


@dataclass
class Child:
    """A process that fetches, and stops where it is told to."""

    process: subprocess.Popen
    mark: Path
    output: Path

    def wait_for_mark(self):
        self.wait(self.mark.exists)

    def wait_for(self, words):
        self.wait(lambda: words in self.text)

    def wait(self, condition):
        until(lambda: condition() or self.process.poll() is not None)
        assert condition(), self.text

    def kill(self):
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def finish(self):
        return self.process.wait(PATIENCE)

    @property
    def text(self):
        return self.output.read_text()


@pytest.fixture
def start(tmp_path, demo):
    """Start a process that fetches a source, stopped at a phase."""
    children = []

    def of(source, stop="", **places):
        number, at = len(children), demo.at(**places)
        mark, output = tmp_path / f"mark{number}", tmp_path / f"output{number}"
        task = {"stop": stop, "mark": str(mark)}
        task |= {"source": source.model_dump(), "data": str(at.data)}
        task |= {"locators": at.locators, "haste": HASTE | {"read": PATIENCE}}
        with output.open("w") as stream:
            command = [sys.executable, "-u", str(CHILD), json.dumps(task)]
            process = subprocess.Popen(command, stdout=stream, stderr=stream)
        children.append(Child(process, mark, output))
        return children[-1]

    yield of
    for child in children:
        if child.process.poll() is None:
            child.kill()


@pytest.fixture
def tiny_disk(tmp_path):
    """A file system with room for 256 KiB; skipped where none can be mounted."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=256k", "none", str(folder)]
    if os.geteuid() or not mount or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no right to mount a small file system; the patched test covers the rest")
    yield folder
    # Not at once: what was being written when the disk was full may still be open.
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
