"""Reading published pickles without running them.

Some data is published only as a pickle, a format that can name any function and call it. This
reader takes lists, tuples, dictionaries, strings, numbers, booleans and None, and refuses
everything else before anything is built: it first walks through the operations of the file, on a
stack that holds nothing but how deep each value is nested, and hands the bytes to `pickle` only
if every operation is one of the harmless ones and the file keeps within the limits below.
"""

from __future__ import annotations

import io
import pickle
import pickletools
from collections.abc import Iterator
from pathlib import Path

from socialbias.errors import UserError

MOST_BYTES = 64 << 20  # HistWords' vocabularies have about 2 MB
MOST_OPERATIONS = 8_000_000
DEEPEST = 32  # containers within containers
WIDEST_INTEGER = 64  # bits

INTEGERS = {"INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4"}
STRINGS = {"STRING", "BINSTRING", "SHORT_BINSTRING"}  # of Python 2
STRINGS |= {"UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"}
SCALARS = INTEGERS | STRINGS | {"NONE", "NEWTRUE", "NEWFALSE", "FLOAT", "BINFLOAT"}
EMPTY = {"EMPTY_LIST", "EMPTY_DICT", "EMPTY_TUPLE"}
COLLECT = {"LIST", "DICT", "TUPLE"}  # everything down to the mark
TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
EXTEND = {"APPEND": 1, "SETITEM": 2, "APPENDS": None, "SETITEMS": None}  # None: down to the mark
PUT = {"PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"}
GET = {"GET", "BINGET", "LONG_BINGET"}
MARK = -1


def read_pickle(path: Path) -> object:
    """Read a pickle that holds nothing but plain data.

    Args:
        path: The file, of any protocol, written by Python 2 or 3.

    Returns:
        Nested lists, tuples and dictionaries of strings, numbers, booleans and None. The byte
        strings of Python 2 are decoded as UTF-8, or as Latin-1 where they are not UTF-8.

    Raises:
        UserError: the file asks for anything else (a function, a class), is broken, uses one
            container in two places, or is beyond the limits of this module. Nothing of it was run.
    """
    with path.open("rb") as file:
        return loads(file.read(MOST_BYTES + 1), str(path))


def loads(data: bytes, name: str) -> object:
    """As `read_pickle`, for bytes; `name` is what an error calls them."""
    if len(data) > MOST_BYTES:
        raise UserError(f"{name}: a pickle of more than {MOST_BYTES >> 20} MiB is not read")
    try:
        _check(data, name)
        return _text(_Plain(io.BytesIO(data), encoding="bytes").load(), {})
    except UserError:
        raise
    except Exception as error:  # a broken pickle can raise nearly anything
        raise UserError(f"{name}: not a whole pickle ({ascii(str(error))[:80]})") from None


class _Plain(pickle.Unpickler):
    """The second lock: what the walk let through cannot name anything either."""

    def find_class(self, module: str, name: str) -> object:
        raise pickle.UnpicklingError(f"asks for {module}.{name}")

    def persistent_load(self, pid: object) -> object:
        raise pickle.UnpicklingError("asks for something outside the file")


def _check(data: bytes, name: str) -> None:
    """Walk through the operations; raise unless all are harmless and within the limits.

    The stack holds depths: 0 for a string or number, 1 for a list of them, and so on. A container
    may be used once only, so what is built is a tree no larger than the file and no deeper than
    what is seen here: hashing, freeing and walking it are bounded.
    """
    stack: list[int] = []
    memo: dict[int, int] = {}
    strings: list[str] = []  # the last two: what STACK_GLOBAL would ask for
    for count, (operation, argument, position) in enumerate(_operations(data)):
        if count > MOST_OPERATIONS:
            raise UserError(f"{name}: a pickle of more than {MOST_OPERATIONS} operations")
        where = f"{name}, byte {position}"
        if operation in SCALARS:
            stack.append(0)
            if operation in INTEGERS and argument.bit_length() > WIDEST_INTEGER:
                raise UserError(f"{where}: an integer of more than {WIDEST_INTEGER} bits")
            if operation in STRINGS:
                strings = [*strings[-1:], argument]
        elif operation in EMPTY:
            stack.append(1)
        elif operation == "MARK":
            stack.append(MARK)
        elif operation in COLLECT:
            stack.append(1 + max(_above_mark(stack), default=0))
        elif operation in TUPLES:
            stack.append(1 + max(_pop(stack, TUPLES[operation])))
        elif operation in EXTEND:
            number = EXTEND[operation]
            items = _above_mark(stack) if number is None else _pop(stack, number)
            stack.append(max(_pop(stack, 1)[0], 1 + max(items, default=0)))
        elif operation in PUT:
            slot = len(memo) if argument is None else argument
            if not 0 <= slot <= len(memo) + 1:  # a huge slot would claim a huge table
                raise UserError(f"{where}: slot {slot} of the memo is out of order")
            memo[slot] = stack[-1]
        elif operation in GET:
            if memo[argument] != 0:
                raise UserError(f"{where}: one container stands in two places: not plain data")
            stack.append(0)
        elif operation == "STOP":
            if len(stack) != 1:
                raise ValueError("it stops in the middle")
            return
        elif operation not in ("PROTO", "FRAME"):
            raise UserError(f"{where}: {_asks_for(operation, argument, strings)}: refused, not run")
        if stack and stack[-1] > DEEPEST:
            raise UserError(f"{where}: nested deeper than {DEEPEST}")


def _operations(data: bytes) -> Iterator[tuple[str, object, int]]:
    """Name, argument and place of each operation, as `pickletools.genops` gives them.

    Except for STRING, whose argument `genops` insists on as ASCII: Python 2 wrote any bytes there.
    """
    if not data:
        raise ValueError("the file is empty")
    file = io.BytesIO(data)
    while code := file.read(1):
        position = file.tell() - 1
        operation = pickletools.code2op.get(code.decode("latin-1"))
        if operation is None:
            raise ValueError(f"byte {position} is no operation")
        argument = None
        if operation.name == "STRING":
            argument = file.readline().decode("latin-1")
        elif operation.arg is not None:
            argument = operation.arg.reader(file)
        yield operation.name, argument, position
    raise ValueError("it ends too early")


def _above_mark(stack: list[int]) -> list[int]:
    """Take everything down to the last mark off the stack, and the mark."""
    items = []
    while (depth := stack.pop()) != MARK:
        items.append(depth)
    return items


def _pop(stack: list[int], number: int) -> list[int]:
    """Take values off the stack; a mark or nothing there means that the pickle is broken."""
    items = [stack.pop() for _ in range(number)]
    if MARK in items:
        raise ValueError("a mark where a value should be")
    return items


def _asks_for(operation: str, argument: object, strings: list[str]) -> str:
    """What a forbidden operation asks for, in words that are safe to print."""
    if operation == "STACK_GLOBAL":
        argument = " ".join(strings)
    if operation in ("GLOBAL", "STACK_GLOBAL", "INST"):
        return f"asks for {ascii(str(argument).replace(' ', '.'))[1:-1][:80]}"
    told = "" if argument is None else f" {ascii(argument)[:40]}"
    return f"asks for the operation {operation}{told}"


def _text(value: object, decoded: dict[int, str]) -> object:
    """The same data with the byte strings of Python 2 as text.

    A string that stands in many places is decoded once: `decoded` holds it by its identity.
    """
    if isinstance(value, bytes):
        if id(value) not in decoded:
            decoded[id(value)] = _decode(value)
        return decoded[id(value)]
    if isinstance(value, list):
        value[:] = [_text(item, decoded) for item in value]
        return value
    if isinstance(value, tuple):
        return tuple(_text(item, decoded) for item in value)
    if isinstance(value, dict):
        return {_text(key, decoded): _text(item, decoded) for key, item in value.items()}
    return value


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
