"""A file to read."""

import json

import pytest


@pytest.fixture
def put(tmp_path):
    """Write a file; anything but text and bytes as JSON."""

    def of(data, name="file.txt"):
        path = tmp_path / name
        if not isinstance(data, str | bytes):
            data = json.dumps(data)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return of
