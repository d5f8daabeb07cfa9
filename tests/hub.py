"""The Hugging Face Hub on this machine: what `huggingface_hub` asks for of a few models."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response


class Hub:
    """A server that has the models that were given to it, and no others.

    Attributes:
        asked: Names of files that were downloaded.
    """

    def __init__(self, server: HTTPServer, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.server, self.asked = server, []
        here = server.url_for("").rstrip("/")
        files = here + "/{repo_id}/resolve/{revision}/{filename}"
        for name, value in {
            "ENDPOINT": here,
            "HUGGINGFACE_CO_URL_TEMPLATE": files,
            "HF_HUB_CACHE": str(cache),
            "HF_HUB_OFFLINE": False,
        }.items():
            monkeypatch.setattr(f"huggingface_hub.constants.{name}", value)
        monkeypatch.setenv("NO_PROXY", "*")

    def serve(self, model: str, folder: Path, commit: str, *revisions: str) -> None:
        """Have the files of a folder as a commit of a model; `main` unless revisions are named."""
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        names = [str(path.relative_to(folder)) for path in files]
        for revision in revisions or ("main",):
            about = {"id": model, "sha": commit, "siblings": [{"rfilename": n} for n in names]}
            url = f"/api/models/{model}/revision/{revision}"
            self.server.expect_request(url).respond_with_json(about)
        tree = [
            {"type": "file", "path": name, "size": path.stat().st_size, "oid": _digest(path)[:40]}
            for name, path in zip(names, files, strict=True)
        ]
        self.server.expect_request(f"/api/models/{model}/tree/{commit}").respond_with_json(tree)
        for name, path in zip(names, files, strict=True):
            self._serve_file(f"/{model}/resolve/{commit}/{name}", name, path, commit)

    def refuse(self, model: str, status: int, code: str, revision: str = "main") -> None:
        """Answer for a model as the hub does: RepoNotFound, RevisionNotFound, GatedRepo."""
        url = f"/api/models/{model}/revision/{revision}"
        headers = {"X-Error-Code": code, "X-Error-Message": code}
        self.server.expect_request(url).respond_with_data("", status=status, headers=headers)

    def _serve_file(self, url: str, name: str, path: Path, commit: str) -> None:
        body = path.read_bytes()

        def answer(request) -> Response:
            if request.method == "GET":
                self.asked.append(name)
            return Response(body, headers={"ETag": f'"{_digest(path)}"', "X-Repo-Commit": commit})

        self.server.expect_request(url).respond_with_handler(answer)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
