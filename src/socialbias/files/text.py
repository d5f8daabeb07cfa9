"""Small text files, read whole."""

from __future__ import annotations

from pathlib import Path

from socialbias.errors import UserError


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
