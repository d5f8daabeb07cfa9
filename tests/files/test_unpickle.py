import os
import pickle
import struct
import tracemalloc
from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from socialbias.errors import UserError
from socialbias.files import unpickle
from socialbias.files.unpickle import loads

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
PLAIN = {
    "words": ["the", "naïve", "", "the", "日本"],
    "numbers": [0, -1, 255, 65_536, 2**31, -(2**63), 1.5, True, False, None],
    "pair": ("a", 1),
    3: ((1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), [], {}),
}


def refused(data, match):
    """The message of the one clear error."""
    with pytest.raises(UserError, match=match) as caught:
        loads(data, "demo.pkl")
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 250
    assert message.startswith("demo.pkl")
    return message


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_plain_data_comes_back_as_it_was(protocol):
    assert loads(pickle.dumps(PLAIN, protocol), "demo") == PLAIN


# What Python 2's cPickle writes, by hand. Protocol 0 with `unicode` is what HistWords has: the memo
# starts at 1, and a word of one letter is not in it.
PYTHON_2 = {
    "unicode, protocol 0": b"(lp1\nVthe\np2\naVa\naVcaf\xe9\np3\naVna\\u00efve\np4\na.",
    "str, protocol 0": b"(lp1\nS'the'\np2\naS'a'\naS'caf\\xc3\\xa9'\np3\naS'na\\xefve'\np4\na.",
    "str, protocol 1": b"]q\x01(U\x03theq\x02U\x01aU\x05caf\xc3\xa9q\x03U\x05na\xefveq\x04e.",
    "str, protocol 2": b"\x80\x02]q\x01(U\x03theU\x01aT\x05\x00\x00\x00caf\xc3\xa9U\x05na\xefvee.",
}


@pytest.mark.parametrize("data", PYTHON_2.values(), ids=PYTHON_2)
def test_python_2_strings_are_utf_8_or_else_latin_1(data):
    assert loads(data, "demo") == ["the", "a", "café", "naïve"]


class Runs:
    """An object whose pickle asks to run something."""

    def __init__(self, *call):
        self.call = call

    def __reduce__(self):
        return self.call


class Plain:
    """An object that would be built by `copyreg` or `__newobj__` and given a state."""

    def __init__(self):
        self.state = 1


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("place", ["alone", "in a list", "in a dictionary", "behind plain data"])
@pytest.mark.parametrize("how", [os.system, eval, exec], ids=lambda f: f.__name__)
def test_a_call_is_refused_by_name_and_not_made(tmp_path, protocol, place, how):
    target = tmp_path / "it-ran"
    code = f"touch {target}" if how is os.system else f"open({str(target)!r}, 'w')"
    bomb = Runs(how, (code,))
    holder = {
        "alone": bomb,
        "in a list": [[bomb]],
        "in a dictionary": {"a": {"b": bomb}},
        "behind plain data": [list(range(100)), "words", bomb],
    }[place]
    refused(pickle.dumps(holder, protocol), rf"asks for \w+\.{how.__name__}: refused, not run")
    assert not target.exists()


HOSTILE = {
    "inst": (b"(S'touch it-ran'\nios\nsystem\n.", r"asks for os\.system"),
    "obj": (b"(cos\nsystem\nS'touch it-ran'\no.", r"asks for os\.system"),
    "global alone": (b"cos\nsystem\n.", r"asks for os\.system"),
    "global of a module's attribute": (b"\x80\x04\x8c\x02os\x8c\x06system\x93.", r"os\.system"),
    "names from the memo": (
        b"\x80\x04\x8c\x02os\x94\x8c\x06system\x940h\x00h\x01\x93.",
        "asks for",
    ),
    "reduce of a string": (b"S'a'\n)R.", "asks for the opcode REDUCE"),
    "build": (b"}}b.", "asks for the opcode BUILD"),
    "newobj": (b"S'a'\n)\x81.", "asks for the opcode NEWOBJ"),
    "newobj_ex": (b"\x80\x04S'a'\n)}\x92.", "asks for the opcode NEWOBJ_EX"),
    "persistent id": (b"Pfile:///etc/passwd\n.", "asks for the opcode PERSID"),
    "binary persistent id": (b"S'a'\nQ.", "asks for the opcode BINPERSID"),
    "extension 1": (b"\x82\x01.", "asks for the opcode EXT1"),
    "extension 2": (b"\x83\x01\x00.", "asks for the opcode EXT2"),
    "extension 4": (b"\x84\x01\x00\x00\x00.", "asks for the opcode EXT4"),
    "a set": (pickle.dumps({1}, 4), "asks for the opcode EMPTY_SET"),
    "a set, protocol 0": (pickle.dumps({1}, 0), "asks for .*set"),
    "bytes": (pickle.dumps(b"a", 4), "asks for the opcode SHORT_BINBYTES"),
    "bytes, protocol 2": (pickle.dumps(b"a", 2), r"asks for _codecs\.encode"),
    "a bytearray": (pickle.dumps(bytearray(b"a"), 5), "asks for the opcode BYTEARRAY8"),
    "a buffer of outside": (b"\x80\x05\x97.", "asks for the opcode NEXT_BUFFER"),
    "an ordered dictionary": (pickle.dumps(OrderedDict(a=1)), r"asks for collections\.OrderedDict"),
    "a class": (pickle.dumps(Plain()), "asks for .*Plain"),
    "an array": (pickle.dumps(np.ones(2)), "asks for numpy"),
    "dup": (b"]2.", "asks for the opcode DUP"),
    "a terminal's escape": (b"c\x1b[2J\nx\n.", r"asks for \\x1b\[2J\.x"),
}


@pytest.mark.parametrize(("data", "match"), HOSTILE.values(), ids=HOSTILE)
def test_everything_but_plain_data_is_refused(tmp_path, monkeypatch, data, match):
    monkeypatch.chdir(tmp_path)
    message = refused(data, match)
    assert message.isprintable()
    assert not list(tmp_path.iterdir())


class Names(dict):
    """A kind of dictionary, as `munch.Munch` is."""


def test_records_may_share_lists_and_hold_items():
    admitted = [f"{__name__}.Names"]
    names = ["Ada"]
    found = loads(pickle.dumps(Names(en=names, de=names), 2), "demo", admitted)
    assert found.items == {"en": ["Ada"], "de": ["Ada"]}


def test_a_long_string_in_many_places_stays_one_string():
    text = b"x" * 100_000
    data = b"](T" + struct.pack("<i", len(text)) + text + b"q\x00" + b"h\x00" * 10_000 + b"e."
    got = loads(data, "demo")
    assert len(got) == 10_001
    assert len({id(item) for item in got}) == 1


BOMBS = {
    "claims 1 TB of text": (b"\x80\x04\x8d" + struct.pack("<Q", 1 << 40) + b"abc.", "complete"),
    "claims 2 GB of text": (b"T" + struct.pack("<i", 2**31 - 1) + b"abc.", "complete"),
    "claims a negative length": (b"T" + struct.pack("<i", -1) + b"abc.", "complete"),
    "claims 2 GB of integer": (b"\x8b" + struct.pack("<i", 2**31 - 1) + b"\x01.", "complete"),
    "a negative slot": (b"Np-1\n.", "complete"),
    "an integer of 100,000 digits": (b"L" + b"9" * 100_000 + b"L\n.", "complete"),
    "deep in a key": (b"}" + b")" + b"\x85" * 100_000 + b"Ns.", "a key that is a tuple"),
    "deep in a set": (b"(" + b")" + b"\x85" * 100_000 + b"\x91.", "asks for the opcode FROZENSET"),
    "marks only": (b"(" * 100_000 + b".", "complete"),
}


@pytest.mark.parametrize(("data", "match"), BOMBS.values(), ids=BOMBS)
def test_what_a_file_claims_takes_no_memory(data, match):
    tracemalloc.start()
    try:
        refused(data, match)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_what_is_too_long_is_not_read(monkeypatch):
    monkeypatch.setattr(unpickle, "MAX_BYTES", 100)
    refused(pickle.dumps(list(range(300))), "of more than 0 MiB are not read")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_cut_of_a_pickle_is_one_clear_error(protocol):
    data = pickle.dumps(PLAIN, protocol)
    for end in range(len(data)):
        refused(data[:end], "demo.pkl")


OPERATIONS = [bytes([i]) for i in b"]}()at\x85\x86NK\x00q0123uesSVI'\n.h2"]


@given(st.binary(max_size=60) | st.lists(st.sampled_from(OPERATIONS)).map(b"".join))
@example(b"](KIKsa.")
def test_any_bytes_give_plain_data_or_one_clear_error(data):
    try:
        got = loads(data, "demo.pkl")
    except UserError as error:
        assert str(error).startswith("demo.pkl")  # noqa: PT017
    else:
        assert isinstance(got, list | tuple | dict | str | int | float | None)
