"""Reading published pickles without executing them.

Some data is published only as a pickle, a format that can name any function and call it. This
reader accepts lists, tuples, dictionaries, strings, numbers, booleans and None, and refuses
everything else before anything is built: it first walks through the opcodes of the file, with a
stack that holds only the nesting depth of each value, and passes the bytes to `pickle` only if
every opcode is harmless and the file is within the limits below.

Where a format needs objects, `load_records` takes those of the classes that its caller names, as
records: what the file says about them, without any of their code.
"""

from __future__ import annotations

import io
import pickle
import pickletools
from collections.abc import Collection, Iterator

from socialbias.errors import UserError

MAX_BYTES = 64 << 20  # HistWords' vocabularies have about 2 MB
MAX_OPCODES = 8_000_000
MAX_DEPTH = 32  # nested containers
MAX_INTEGER_BITS = 64

INTEGERS = {"INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4"}
STRINGS = {"STRING", "BINSTRING", "SHORT_BINSTRING"}  # Python 2
STRINGS |= {"UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"}
BYTES = {"SHORT_BINBYTES", "BINBYTES", "BINBYTES8"}
SCALARS = INTEGERS | STRINGS | {"NONE", "NEWTRUE", "NEWFALSE", "FLOAT", "BINFLOAT"}
EMPTY = {"EMPTY_LIST", "EMPTY_DICT", "EMPTY_TUPLE"}
COLLECT = {"LIST", "DICT", "TUPLE"}  # everything down to the mark
FROZEN = "FROZENSET"  # the same, of what can be hashed
TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
EXTEND = {"APPEND": 1, "SETITEM": 2, "APPENDS": None, "SETITEMS": None}  # None: down to the mark
PUT = {"PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"}
GET = {"GET", "BINGET", "LONG_BINGET"}
MAKE = {"REDUCE": 2, "NEWOBJ": 2, "BUILD": 2}  # a record, of a class and its arguments or state
NAME = {"GLOBAL": 0, "STACK_GLOBAL": 2}  # a class, for `find_class` to admit or refuse
MARK = -1


class Record:
    """An object of an admitted class as the file describes it; none of its code is run.

    Attributes:
        of: The class or function, such as `numpy.dtype`.
        arguments: What it was to be called with.
        state: What was to be its state; None if the file gives none.
        items: What it was to hold, of a kind of dictionary.
    """

    of = ""

    def __new__(cls, *arguments: object) -> Record:
        """A record of a call with these arguments; an unpickler may skip `__init__`."""
        self = super().__new__(cls)
        self.arguments, self.state, self.items = arguments, None, {}
        return self

    def __setitem__(self, key: object, value: object) -> None:
        self.items[key] = value

    def __setstate__(self, state: object) -> None:
        self.state = state


def loads(data: bytes, name: str) -> object:
    """Read a pickle that holds nothing but plain data.

    Args:
        data: The pickle, of any protocol, written by Python 2 or 3.
        name: Used in error messages.

    Returns:
        Nested lists, tuples and dictionaries of strings, numbers, booleans and None. Python 2 byte
        strings are decoded as UTF-8, or as Latin-1 if they are not UTF-8.

    Raises:
        UserError: the file asks for anything else (a function, a class), is broken, uses one
            container twice, or exceeds the limits of this module. Nothing was executed.
    """
    return _decoded(load_records(data, name, ()), {})


def load_records(data: bytes, name: str, admitted: Collection[str]) -> object:
    """Read a pickle of plain data, bytes, frozen sets, and objects of some classes.

    Args:
        data: The pickle.
        name: Used in error messages.
        admitted: Full names of the classes and functions, such as `numpy.dtype`.

    Returns:
        As `loads`, with bytes as they are and each object as a `Record`. The same record may
        stand in several places, and records may hold themselves: do not walk through them blindly.

    Raises:
        UserError: as `loads`, or the file asks for a name that is not admitted.
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
        super().__init__(io.BytesIO(data), encoding="bytes")
        self.name = name
        self.kinds = {of: type("Record", (Record,), {"of": of}) for of in admitted}

    def find_class(self, module: str, name: str) -> object:
        kind = self.kinds.get(f"{module}.{name}")
        if kind is None:
            asks = _forbidden("GLOBAL", f"{module} {name}", [])
            raise UserError(f"{self.name}: {asks}: refused, not run")
        return kind

    def persistent_load(self, pid: object) -> object:
        raise pickle.UnpicklingError("asks for something outside the file")


def _check(data: bytes, name: str, objects: bool = False) -> None:
    """Walk through the opcodes; raise unless all are harmless and within the limits."""
    walk = _Walk(objects)
    for count, (opcode, argument, position) in enumerate(_opcodes(data)):
        if count > MAX_OPCODES:
            raise UserError(f"{name}: a pickle of more than {MAX_OPCODES} opcodes")
        if opcode == "STOP":
            if len(walk.stack) != 1:
                raise ValueError("it stops in the middle")
            return
        if problem := walk.step(opcode, argument):
            raise UserError(f"{name}, byte {position}: {problem}")


class _Walk:
    """What the opcodes so far would have built, as nothing but depths.

    The stack holds depths: 0 for a string or number, 1 for a list of them, and so on. A container
    may be used only once, so the result is a tree no larger than the file and no deeper than
    measured here: hashing, freeing and walking it are bounded. Records, which `objects` lets pass,
    are hashed by what they are, not by what they hold: they count as 0, and may be used again.
    So may, with `objects`, lists and dictionaries: they cannot be hashed at all. Tuples may not.
    """

    def __init__(self, objects: bool) -> None:
        self.stack: list[int] = []
        self._objects = objects
        self._memo: dict[int, int] = {}
        self._unhashable: set[int] = set()  # slots of the memo that hold lists and dictionaries
        self._previous = ""
        self._strings: list[str] = []  # the last two: the name that STACK_GLOBAL would look up

    def step(self, opcode: str, argument: object) -> str:
        """Take one opcode; why it is refused, or "" where it is not."""
        if problem := self._taken(opcode, argument):
            return problem
        self._previous = opcode
        deep = self.stack and self.stack[-1] > MAX_DEPTH
        return f"nested deeper than {MAX_DEPTH}" if deep else ""

    def _taken(self, opcode: str, argument: object) -> str:
        stack, objects = self.stack, self._objects
        if opcode in SCALARS:
            return self._scalar(opcode, argument)
        if opcode in PUT:
            return self._put(len(self._memo) if argument is None else argument)
        if opcode in GET:
            return self._get(argument)
        if opcode in EMPTY:
            stack.append(1)
        elif opcode == "MARK":
            stack.append(MARK)
        elif opcode in COLLECT or (objects and opcode == FROZEN):
            stack.append(1 + max(_pop_to_mark(stack), default=0))
        elif opcode in TUPLES:
            stack.append(1 + max(_pop(stack, TUPLES[opcode])))
        elif opcode in EXTEND:
            number = EXTEND[opcode]
            items = _pop_to_mark(stack) if number is None else _pop(stack, number)
            stack.append(max(_pop(stack, 1)[0], 1 + max(items, default=0)))
        elif objects and opcode in BYTES:
            stack.append(0)
        elif objects and (opcode in MAKE or opcode in NAME):
            _pop(stack, MAKE.get(opcode, NAME.get(opcode)))
            stack.append(0)
        elif opcode not in ("PROTO", "FRAME"):
            return f"{_forbidden(opcode, argument, self._strings)}: refused, not run"
        return ""

    def _scalar(self, opcode: str, argument: object) -> str:
        self.stack.append(0)
        if opcode in INTEGERS and argument.bit_length() > MAX_INTEGER_BITS:
            return f"an integer of more than {MAX_INTEGER_BITS} bits"
        if opcode in STRINGS:
            self._strings = [*self._strings[-1:], argument]
        return ""

    def _put(self, slot: int) -> str:
        if not 0 <= slot <= len(self._memo) + 1:  # a huge slot would allocate a huge table
            return f"slot {slot} of the memo is out of order"
        self._memo[slot] = self.stack[-1]
        if self._previous in ("EMPTY_LIST", "EMPTY_DICT"):
            self._unhashable.add(slot)
        else:
            self._unhashable.discard(slot)
        return ""

    def _get(self, slot: int) -> str:
        if self._memo[slot] != 0 and not (self._objects and slot in self._unhashable):
            return "one container is used twice: not plain data"
        self.stack.append(self._memo[slot])
        return ""


def _opcodes(data: bytes) -> Iterator[tuple[str, object, int]]:
    """Name, argument and position of each opcode, as `pickletools.genops` yields them.

    Except for STRING, whose argument `genops` requires to be ASCII: Python 2 wrote any bytes there.
    """
    if not data:
        raise ValueError("the file is empty")
    file = io.BytesIO(data)
    while code := file.read(1):
        position = file.tell() - 1
        opcode = pickletools.code2op.get(code.decode("latin-1"))
        if opcode is None:
            raise ValueError(f"byte {position} is not an opcode")
        argument = None
        if opcode.name == "STRING":
            argument = file.readline().decode("latin-1")
        elif opcode.arg is not None:
            argument = opcode.arg.reader(file)
        yield opcode.name, argument, position
    raise ValueError("it ends too early")


def _pop_to_mark(stack: list[int]) -> list[int]:
    """Pop everything down to and including the last mark."""
    items = []
    while (depth := stack.pop()) != MARK:
        items.append(depth)
    return items


def _pop(stack: list[int], number: int) -> list[int]:
    """Pop values; a mark or an empty stack means that the pickle is broken."""
    items = [stack.pop() for _ in range(number)]
    if MARK in items:
        raise ValueError("a mark where a value should be")
    return items


def _forbidden(opcode: str, argument: object, strings: list[str]) -> str:
    """What a forbidden opcode asks for, in words that are safe to print."""
    if opcode == "STACK_GLOBAL":
        argument = " ".join(strings)
    if opcode in ("GLOBAL", "STACK_GLOBAL", "INST"):
        return f"asks for {ascii(str(argument).replace(' ', '.'))[1:-1][:80]}"
    shown = "" if argument is None else f" {ascii(argument)[:40]}"
    return f"asks for the opcode {opcode}{shown}"


def _decoded(value: object, cache: dict[int, str]) -> object:
    """The same data with Python 2 byte strings as text.

    A string that occurs many times is decoded once: `cache` holds it by its identity.
    """
    if isinstance(value, bytes):
        if id(value) not in cache:
            cache[id(value)] = _decode(value)
        return cache[id(value)]
    if isinstance(value, list):
        value[:] = [_decoded(item, cache) for item in value]
        return value
    if isinstance(value, tuple):
        return tuple(_decoded(item, cache) for item in value)
    if isinstance(value, dict):
        return {_decoded(key, cache): _decoded(item, cache) for key, item in value.items()}
    return value


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
