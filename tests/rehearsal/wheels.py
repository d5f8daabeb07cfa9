"""Packages as an index serves them."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Mapping


def wheel(name: str, version: str, members: Mapping[str, bytes]) -> bytes:
    """A wheel with these files."""
    about = f"{name.replace('-', '_')}-{version}.dist-info"
    said = {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/RECORD": b"",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for member, content in {**members, **said}.items():
            file.writestr(zipfile.ZipInfo(member), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def archive(top: str, members: Mapping[str, bytes]) -> bytes:
    """A source archive with these files below one folder."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as packed:
        for member, content in members.items():
            entry = tarfile.TarInfo(f"{top}/{member}")
            entry.size = len(content)
            packed.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()
