import os
import pickle
import struct
from collections import OrderedDict

import numpy as np
import pytest

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
    "reduce of a string": (b"S'a'\n)R.", "not a complete pickle"),
    "newobj": (b"S'a'\n)\x81.", "not a complete pickle"),
    "persistent id": (b"Pfile:///etc/passwd\n.", "not a complete pickle"),
    "extension": (b"\x82\x01.", "not a complete pickle"),
    "a buffer of outside": (b"\x80\x05\x97.", "not a complete pickle"),
    "an ordered dictionary": (pickle.dumps(OrderedDict(a=1)), r"asks for collections\.OrderedDict"),
    "a class": (pickle.dumps(Plain()), "asks for .*Plain"),
    "an array": (pickle.dumps(np.ones(2)), "asks for numpy"),
    "a terminal's escape": (b"c\x1b[2J\nx\n.", r"asks for \\x1b\[2J\.x"),
    "claims 1 TB of text": (b"\x80\x04\x8d" + struct.pack("<Q", 1 << 40) + b"abc.", "complete"),
    "claims 1 TB of bytes": (b"\x80\x05\x96" + struct.pack("<Q", 1 << 40) + b"abc.", "'150'"),
    "deep in a key": (b"}" + b")" + b"\x85" * 1_000_000 + b"Ns.", "a key that is a tuple"),
    "deep in a set": (b"(" + b")" + b"\x85" * 1_000_000 + b"\x91.", "a key that is a tuple"),
    "a set": (pickle.dumps({1}, 4), "complete"),
    "marks only": (b"(" * 100_000 + b".", "complete"),
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


def test_what_is_too_long_is_not_read(monkeypatch):
    monkeypatch.setattr(unpickle, "MAX_BYTES", 100)
    refused(pickle.dumps(list(range(300))), "of more than 0 MiB are not read")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_cut_of_a_pickle_is_one_clear_error(protocol):
    data = pickle.dumps(PLAIN, protocol)
    for end in range(len(data)):
        refused(data[:end], "demo.pkl")
