"""Reading published pickles without executing them.

A pickle can name any function and call it. This reader knows only the opcodes of plain data, and
only the names of the classes that the caller admits. It makes records of their objects: what the
file says about them, without any of their code.
"""

from __future__ import annotations

import codecs
import io
import pickle
import pickletools
from collections.abc import Callable, Collection
from typing import NoReturn

from socialbias.errors import UserError

MAX_BYTES = 64 << 20  # HistWords' vocabularies have about 2 MB
PLAIN = {
    "PROTO", "FRAME", "MARK", "STOP", "NONE", "NEWTRUE", "NEWFALSE", "FLOAT", "BINFLOAT",
    "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4",
    "STRING", "BINSTRING", "SHORT_BINSTRING",  # Python 2
    "UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8",
    "EMPTY_LIST", "LIST", "APPEND", "APPENDS", "EMPTY_DICT", "DICT", "SETITEM", "SETITEMS",
    "EMPTY_TUPLE", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3",
    "PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE", "GET", "BINGET", "LONG_BINGET",
    "GLOBAL", "STACK_GLOBAL", "INST", "OBJ",  # refused by the name that they ask for
}  # fmt: skip
OBJECTS = PLAIN | {
    "REDUCE", "NEWOBJ", "BUILD", "FROZENSET", "SHORT_BINBYTES", "BINBYTES", "BINBYTES8"
}  # fmt: skip
codecs.register_error("or-latin-1", lambda e: (e.object[e.start : e.end].decode("latin-1"), e.end))


class _Dict(dict):
    """A dictionary whose keys are hashed as fast as they are read: tuples could be nested."""

    def __setitem__(self, key: object, value: object) -> None:
        if isinstance(key, tuple | frozenset):
            raise TypeError("a key that is a tuple or a set")
        super().__setitem__(key, value)


def _load_dict(reader: _Reader) -> None:
    items = reader.pop_mark()
    reader.append(_Dict())
    for key, value in zip(items[::2], items[1::2], strict=True):
        reader.stack[-1][key] = value


def _load_set(reader: _Reader) -> None:
    """Read a set of what can be a key."""
    made = _Dict()
    for item in reader.pop_mark():
        made[item] = None
    reader.append(frozenset(made))


STEPS = {
    pickle.EMPTY_DICT[0]: lambda reader: reader.append(_Dict()),
    pickle.DICT[0]: _load_dict,
    pickle.FROZENSET[0]: _load_set,
}


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
    strings of Python 2 are bytes, and one list, dictionary or record may be in several places: do
    not walk through them blindly. Without, there is plain data alone, and strings of Python 2 are
    decoded as UTF-8, with any other byte as Latin-1. A file that asks for anything else, is broken
    or too long is a UserError; nothing was executed.
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
    """Python's own reader (that in C takes all opcodes, and memory for what a file only claims)."""

    def __init__(self, data: bytes, name: str, admitted: Collection[str]) -> None:
        encoding = "bytes" if admitted else "utf-8"
        super().__init__(io.BytesIO(data), encoding=encoding, errors="or-latin-1")
        self.name = name
        self.kinds = {of: type("Record", (Record,), {"of": of}) for of in admitted}
        steps = self.dispatch | STEPS
        allowed = OBJECTS if admitted else PLAIN
        self.dispatch = {
            ord(code): steps[ord(code)] if opcode.name in allowed else _refusing(opcode.name)
            for code, opcode in pickletools.code2op.items()
        }

    def find_class(self, module: str, name: str) -> object:
        if kind := self.kinds.get(f"{module}.{name}"):
            return kind
        self.refuse(f"{module}.{name}".replace(" ", "."))

    def refuse(self, asked: str) -> NoReturn:
        raise UserError(f"{self.name}: asks for {ascii(asked)[1:-1][:80]}: refused, not run")


def _refusing(opcode: str) -> Callable[[_Reader], NoReturn]:
    return lambda reader: reader.refuse(f"the opcode {opcode}")
