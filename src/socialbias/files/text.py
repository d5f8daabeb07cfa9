"""Small text files, read whole, and the normal form of words and names."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from socialbias.errors import UserError

INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))  # removed wherever they stand
# Control characters, among them those that steer a terminal, and ends of lines.
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def plain(text: str) -> str:
    """Text without invisible characters and blanks at its ends, with composed letters."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.translate(INVISIBLE))
    return text.strip()


def printable(text: str, longest: int) -> str:
    """Text of unknown origin in one line, cut off, without what steers a terminal."""
    text = CONTROL.sub("?", " ".join(text.split()))
    return text if len(text) <= longest else f"{text[: longest - 4]} ..."


def read_text(path: Path) -> str:
    """The text of a file, without a byte order mark; line ends are kept.

    Raises:
        UserError: the file is missing, cannot be read or is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: byte {error.start} is not UTF-8") from None
