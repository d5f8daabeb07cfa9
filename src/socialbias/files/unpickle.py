"""Reading published pickles without executing them.

A pickle can name any function and call it. This reader resolves no name but those of the classes
that the caller admits, and makes records of their objects: what the file says about them, without
any of their code. So nothing but plain data comes out, and nothing of the file runs.
"""

from __future__ import annotations

import codecs
import io
import pickle
from collections.abc import Collection

from socialbias.errors import UserError

MAX_BYTES = 64 << 20  # HistWords' vocabularies have about 2 MB
codecs.register_error("or-latin-1", lambda e: (e.object[e.start : e.end].decode("latin-1"), e.end))


class Record:
    """An object of the class, or from the function, `of` as the file describes it.

    It has the `arguments` of the call, the `state` (None if the file gives none), and the `items`
    of a kind of dictionary.
    """

    of = ""

    def __new__(cls, *arguments: object) -> Record:
        """Return a record of a call with these arguments; an unpickler may skip `__init__`."""
        self = super().__new__(cls)
        self.arguments, self.state, self.items = arguments, None, {}
        return self

    def __setitem__(self, key: object, value: object) -> None:
        self.items[key] = value

    def __setstate__(self, state: object) -> None:
        self.state = state


def loads(data: bytes, name: str, admitted: Collection[str] = ()) -> object:
    """Read a pickle of any protocol, written by Python 2 or 3; `name` is for error messages.

    With classes or functions that are `admitted`, such as `numpy.dtype`, each object is a `Record`,
    strings of Python 2 are bytes, and one list, dictionary or record may be in several places: do
    not walk through them blindly. Without, there is plain data alone, and strings of Python 2 are
    decoded as UTF-8, with any other byte as Latin-1. A file that asks for anything else, is broken
    or has more than `MAX_BYTES` is a UserError; nothing was executed.
    """
    if len(data) > MAX_BYTES:
        raise UserError(f"{name}: pickles of more than {MAX_BYTES >> 20} MiB are not read")
    try:
        return _RecordUnpickler(data, name, admitted).load()
    except UserError:
        raise
    except Exception as error:  # a broken pickle can raise nearly anything
        raise UserError(f"{name}: not a complete pickle ({ascii(str(error))[:80]})") from None


class _RecordUnpickler(pickle.Unpickler):
    """Resolves no name but those admitted, and each of those as a kind of record."""

    def __init__(self, data: bytes, name: str, admitted: Collection[str]) -> None:
        encoding = "bytes" if admitted else "utf-8"
        super().__init__(io.BytesIO(data), encoding=encoding, errors="or-latin-1")
        self.name = name
        self.kinds = {of: type("Record", (Record,), {"of": of}) for of in admitted}

    def find_class(self, module: str, name: str) -> object:
        if kind := self.kinds.get(f"{module}.{name}"):
            return kind
        asked = ascii(f"{module}.{name}")[1:-1][:80]  # safe to print
        raise UserError(f"{self.name}: asks for {asked}: refused, not run")
