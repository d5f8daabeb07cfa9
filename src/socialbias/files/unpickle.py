"""Reading published pickles without executing them.

A pickle can name any function and call it. This reader first walks through the opcodes of the file:
only those of plain data are allowed, and sizes, nesting and repeated containers are bounded. Then
an unpickler reads it that resolves no name but those of the classes that the caller admits, and
makes records of their objects: what the file says about them, without any of their code.
"""

from __future__ import annotations

import codecs
import io
import pickle
import pickletools
from collections.abc import Collection, Iterator

from socialbias.errors import UserError

MAX_BYTES = 64 << 20  # HistWords' vocabularies have about 2 MB
MAX_OPCODES = 8_000_000
MAX_DEPTH = 32  # nested containers
MAX_INTEGER_BITS = 64
MARK = -1
PUT = {"PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"}
GET = {"GET", "BINGET", "LONG_BINGET"}
ADD = {"APPEND", "APPENDS", "SETITEM", "SETITEMS", "BUILD"}  # to the value below their items
PLAIN = PUT | GET | {
    "PROTO", "FRAME", "MARK", "STOP", "NONE", "NEWTRUE", "NEWFALSE", "FLOAT", "BINFLOAT",
    "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4",
    "STRING", "BINSTRING", "SHORT_BINSTRING",  # Python 2
    "UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8",
    "EMPTY_LIST", "LIST", "APPEND", "APPENDS", "EMPTY_DICT", "DICT", "SETITEM", "SETITEMS",
    "EMPTY_TUPLE", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3",
}  # fmt: skip
OBJECTS = PLAIN | {
    "GLOBAL", "STACK_GLOBAL", "REDUCE", "NEWOBJ", "BUILD",
    "FROZENSET", "SHORT_BINBYTES", "BINBYTES", "BINBYTES8",
}  # fmt: skip
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
    or exceeds the limits of this module is a UserError; nothing was executed.
    """
    if len(data) > MAX_BYTES:
        raise UserError(f"{name}: pickles of more than {MAX_BYTES >> 20} MiB are not read")
    try:
        _check(data, name, objects=bool(admitted))
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
        asked = _asked("GLOBAL", f"{module} {name}")
        raise UserError(f"{self.name}: asks for {asked}: refused, not run")


def _check(data: bytes, name: str, *, objects: bool) -> None:
    """Walk through the opcodes; raise unless all are allowed and within the limits.

    The stack holds how deep each value is nested: 0 for a string or number, 1 for a list of them.
    What is nested may be used only once, so that hashing it takes no longer than reading it. A
    record counts as 0 (its hash is its identity), as do lists and dictionaries beside records,
    which cannot be hashed.
    """
    allowed = OBJECTS if objects else PLAIN
    nested = {"tuple", "frozenset"} if objects else {"tuple", "list", "dict"}
    stack: list[int] = []
    memo: dict[int, int] = {}
    last = before_last = ""  # strings: the name that STACK_GLOBAL would look up
    for count, (opcode, argument, position) in enumerate(_opcodes(data)):
        problem = ""
        if opcode.name not in allowed:
            argument = f"{before_last} {last}" if opcode.name == "STACK_GLOBAL" else argument
            problem = f"asks for {_asked(opcode.name, argument)}: refused, not run"
        elif count > MAX_OPCODES:
            problem = f"a pickle of more than {MAX_OPCODES} opcodes"
        elif isinstance(argument, int) and argument.bit_length() > MAX_INTEGER_BITS:
            problem = f"an integer of more than {MAX_INTEGER_BITS} bits"
        elif opcode.name in PUT:
            slot = len(memo) if argument is None else argument
            if not 0 <= slot <= len(memo) + 1:  # a huge slot would allocate a huge table
                problem = f"slot {slot} of the memo is out of order"
            memo[slot] = stack[-1]
        elif opcode.name in GET:
            problem = "one container is used twice: not plain data" if memo[argument] else ""
            stack.append(0)
        else:
            _step(opcode, stack, nested)
            if stack and stack[-1] > MAX_DEPTH:
                problem = f"nested deeper than {MAX_DEPTH}"
        if problem:
            raise UserError(f"{name}, byte {position}: {problem}")
        if isinstance(argument, str):
            before_last, last = last, argument
    if stack:
        raise ValueError("it stops in the middle")


def _step(opcode: pickletools.OpcodeInfo, stack: list[int], nested: Collection[str]) -> None:
    """Take the values of an opcode from the stack, and add what it makes of them."""
    taken, items = opcode.stack_before, []
    if pickletools.markobject in taken:  # and everything above it
        while (depth := stack.pop()) != MARK:
            items.append(depth)
        taken = taken[: taken.index(pickletools.markobject)]
    items += [stack.pop() for _ in taken]
    if MARK in items:
        raise ValueError("a mark where a value should be")
    for made in opcode.stack_after:
        depth = items.pop() if opcode.name in ADD else MARK if made.name == "mark" else 0
        stack.append(max(depth, 1 + max(items, default=0)) if made.name in nested else depth)


def _opcodes(data: bytes) -> Iterator[tuple[pickletools.OpcodeInfo, object, int]]:
    """Yield each opcode with its argument and position.

    `pickletools.genops` requires a STRING to be ASCII, but Python 2 wrote any bytes there.
    """
    file, opcode = io.BytesIO(data), None
    while opcode is None or opcode.name != "STOP":
        position = file.tell()
        opcode = pickletools.code2op[file.read(1).decode("latin-1")]
        if opcode.name == "STRING":
            yield opcode, file.readline().decode("latin-1"), position
        else:
            yield opcode, opcode.arg and opcode.arg.reader(file), position


def _asked(opcode: str, argument: object) -> str:
    """Return what an opcode asks for, in words that are safe to print."""
    if opcode in ("GLOBAL", "STACK_GLOBAL", "INST"):
        return ascii(str(argument).replace(" ", "."))[1:-1][:80]
    return f"the opcode {opcode}" + ("" if argument is None else f" {ascii(argument)[:40]}")
