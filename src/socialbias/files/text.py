"""Small text files, read whole, and the normal form of words and names."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

from socialbias.errors import UserError

# Soft hyphens, characters without width, marks of direction and of variants, but no joiner behind a
# letter that is not European: it is spelling in Persian or Hindi.
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
    "(?<![^\0-\u058f\u200c\u200d][\u200c\u200d])"
)
# Control characters, among them those that steer a terminal, and ends of lines.
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
STEERING = re.compile(f"{CONTROL.pattern[:-1]}\u202a-\u202e\u2066-\u2069]")  # and the direction
SURROGATE = re.compile("[\ud800-\udfff]")  # in words of a command line that are not UTF-8
LONE = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # halves of characters that are in no name


def composed(text: str) -> str:
    """Text without invisible characters, with composed letters."""
    return text if text.isascii() else unicodedata.normalize("NFC", INVISIBLE.sub("", text))


def plain(text: str) -> str:
    """Text as `composed`, without blanks at its ends."""
    return composed(text).strip()


def shown(name: str | Path) -> str:
    """Return a name of unknown origin in UTF-8, without what steers a terminal."""
    name = LONE.sub("?", os.fspath(name))
    return STEERING.sub("?", name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))


def printable(text: str, longest: int) -> str:
    """Text of unknown origin in one line, cut off, without what steers a terminal."""
    text = shown(" ".join(text.split()))
    return text if len(text) <= longest else f"{text[: longest - 4]} ..."


def read_text(path: Path) -> str:
    """Return the text of a file, without a byte order mark; line ends are kept."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: byte {error.start} is not UTF-8") from None


def readable_size(known: int, unknown: int = 0) -> str:
    """Return a size in bytes for people, with the number of files of unknown size."""
    text = f"{known} B"
    for unit, factor in (("kB", 10**3), ("MB", 10**6), ("GB", 10**9)):
        if known >= factor:
            text = f"{known / factor:.1f} {unit}"
    if not unknown:
        return text
    files = f"{unknown} file{'s' * (unknown > 1)} of unknown size"
    return f"{text} and {files}" if known else files
