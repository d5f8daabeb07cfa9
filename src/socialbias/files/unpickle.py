"""Reading published pickles without executing them.

A pickle can name any function and call it. This reader knows only the names of the classes that the
caller admits. It makes records of their objects: what the file says about them, without any of
their code.
"""

from __future__ import annotations

import codecs
import io
import pickle
from collections.abc import Collection

from socialbias.errors import UserError

MAX_BYTES = 64 << 20  # HistWords' vocabularies have about 2 MB
codecs.register_error("or-latin-1", lambda e: (e.object[e.start : e.end].decode("latin-1"), e.end))


class _Dict(dict):
    """A dictionary whose keys are hashed as fast as they are read: tuples could be nested."""

    def __setitem__(self, key: object, value: object) -> None:
        if isinstance(key, tuple | frozenset):
            raise TypeError("a key that is a tuple or a set")
        super().__setitem__(key, value)


class Record:
    """An object of the class, or from the function, `of` as the file describes it.

    It has the `arguments` of the call, the `state` (None if the file gives none), and the `items`
    of a kind of dictionary.
    """

    of = ""

    def __new__(cls, *arguments: object) -> Record:
        """Return a record of a call with these arguments; an unpickler may skip `__init__`."""
        self = super().__new__(cls)
        self.arguments, self.state, self.items = arguments, None, _Dict()
        return self

    def __setitem__(self, key: object, value: object) -> None:
        self.items[key] = value

    def __setstate__(self, state: object) -> None:
        self.state = state


def loads(data: bytes, name: str, admitted: Collection[str] = ()) -> object:
    """Read a pickle of any protocol, written by Python 2 or 3; `name` is for error messages.

    With classes or functions that are `admitted`, such as `numpy.dtype`, each object is a `Record`,
    and strings of Python 2 are bytes. Without, there is plain data alone, and they are decoded as
    UTF-8, with any other byte as Latin-1. A file that asks for anything else, is broken or too long
    is a UserError; nothing was executed.
    """
    if len(data) > MAX_BYTES:
        raise UserError(f"{name}: pickles of more than {MAX_BYTES >> 20} MiB are not read")
    try:
        return _Reader(data, name, admitted).load()
    except UserError:
        raise
    except Exception as error:  # a broken pickle can raise nearly anything
        raise UserError(f"{name}: not a complete pickle ({ascii(str(error))[:80]})") from None


class _Reader(pickle._Unpickler):
    """Python's own reader: that in C crashes where a key is a tuple of tuples, a million deep."""

    def __init__(self, data: bytes, name: str, admitted: Collection[str]) -> None:
        encoding = "bytes" if admitted else "utf-8"
        super().__init__(io.BytesIO(data), encoding=encoding, errors="or-latin-1")
        self.name = name
        self.kinds = {of: type("Record", (Record,), {"of": of}) for of in admitted}

    def find_class(self, module: str, name: str) -> object:
        asked = f"{module}.{name}"
        if asked not in self.kinds:
            raise UserError(f"{self.name}: asks for {ascii(asked)[1:-1][:80]}: refused, not run")
        return self.kinds[asked]

    def load_items(self) -> None:
        made, items = _Dict(), self.pop_mark()
        for key, value in zip(items[::2], items[1::2], strict=True):
            made[key] = value
        self.append(made)

    def load_frozenset(self) -> None:
        made = _Dict()
        for item in self.pop_mark():
            made[item] = None
        self.append(frozenset(made))

    dispatch = pickle._Unpickler.dispatch | {
        pickle.EMPTY_DICT[0]: lambda self: self.append(_Dict()),
        pickle.DICT[0]: load_items,
        pickle.FROZENSET[0]: load_frozenset,
    }
    del dispatch[pickle.EMPTY_SET[0]]
    del dispatch[pickle.BYTEARRAY8[0]]  # it takes all the memory that a file claims
