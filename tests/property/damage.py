"""Damaged files: what is written somewhere, and then cut, flipped, repeated or replaced."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from socialbias.errors import UserError

few = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
JUNK = [b"\xef\xbb\xbf", b"\xff\xfe", b"\x00", b"\xff", b"\n", b"\r\n", b"\n\n", b" ", b"\t", b'"']
JUNK += [b"'", b",", b"{", b"}", b"[", b"]", b"1e999", b"nan", b"-1", b"9" * 400, b"<html>", b"..."]


def damaged(data: bytes) -> st.SearchStrategy[bytes]:
    """A valid file with up to three wounds, or any bytes at all."""
    place = st.integers(0, len(data))
    wound = st.tuples(
        place, st.integers(0, 8), st.sampled_from([*JUNK, b""]) | st.binary(max_size=8)
    )
    wounded = st.lists(wound, max_size=3).map(lambda wounds: _wounded(data, wounds))
    return wounded | place.map(lambda end: data[:end]) | st.binary(max_size=64)


def _wounded(data: bytes, wounds: list[tuple[int, int, bytes]]) -> bytes:
    """The data with some bytes after each place replaced by others."""
    for place, gone, junk in wounds:
        data = data[:place] + junk + data[place + gone :]
    return data


def reads_or_says_why(
    path: Path, data: bytes, read: Callable[[Path], object], *names: str
) -> object | None:
    """What a file with these bytes gives; None where it is refused, by a line that names it.

    `names` are other names of which the line may have one, such as a file that belongs to it.
    """
    path.write_bytes(data)
    try:
        return read(path)
    except UserError as error:
        said = str(error)
        assert any(name in said for name in (path.name, *names)), said
        assert max(map(len, said.splitlines())) < 1000, said
        return None
