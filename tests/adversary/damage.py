"""Random damage to bytes, and changes that lose nothing."""

from __future__ import annotations

import bz2
import gzip
import random
from collections.abc import Callable

JUNK = [b"\x00", b"\xff", b"\n", b"\r\n", b" ", b"\t", b'"', b",", b";", b"{", b"}", b"[", b"]"]
JUNK += [b"nan", b"inf", b"-", b"9" * 20, b"e9", b"\xc2\xa0", b"\xe2\x80\xa8", b"\xef\xbb\xbf"]
Change = Callable[[random.Random, bytes], bytes]


def flip(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def cut(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data))]


def remove(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.randint(1, 40) :]


def replace(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + rng.choice(JUNK) + data[at + rng.randint(0, 3) :]


def double(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    end = at + rng.randint(1, 200)
    return data[:end] + data[at:end] + data[end:]


def exchange(rng: random.Random, data: bytes) -> bytes:
    """One character for another, everywhere."""
    old, new = rng.sample([b",", b";", b"\t", b" ", b".", b"\n", b"0", b"i"], 2)
    return data.replace(old, new)


def encode(rng: random.Random, data: bytes) -> bytes:
    text = data.decode("latin-1")
    return text.encode(rng.choice(["utf-16", "utf-16-le", "utf-32", "utf-8"]))


def reorder(rng: random.Random, data: bytes) -> bytes:
    """Some lines, among others."""
    lines = data.split(b"\n")
    lines.insert(rng.randrange(len(lines)), lines.pop(rng.randrange(len(lines))))
    return b"\n".join(lines)


def double_line(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return b"\n".join(lines)


def twice(rng: random.Random, data: bytes) -> bytes:
    return data + data


DAMAGES: list[Change] = [flip, cut, remove, replace, double, exchange, encode]
DAMAGES += [reorder, double_line, twice]


def mark(rng: random.Random, data: bytes) -> bytes:
    return b"\xef\xbb\xbf" + data


def other_ends(rng: random.Random, data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


def no_end(rng: random.Random, data: bytes) -> bytes:
    return data.rstrip(b"\n")


def shuffle(rng: random.Random, data: bytes) -> bytes:
    """All lines but the first."""
    first, *lines = data.rstrip(b"\n").split(b"\n")
    rng.shuffle(lines)
    return b"\n".join([first, *lines, b""])


def compress(rng: random.Random, data: bytes) -> bytes:
    return rng.choice([gzip.compress, bz2.compress])(data)


LOSSLESS: dict[str, Change] = {
    "mark": mark, "ends": other_ends, "end": no_end, "order": shuffle, "packed": compress
}  # fmt: skip
