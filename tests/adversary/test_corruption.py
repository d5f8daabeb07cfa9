"""Valid files, damaged at random: the number that the damaged bytes say, or one line."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import pandas as pd
import pytest

from tests.adversary import given, naive
from tests.adversary.damage import DAMAGES, LOSSLESS
from tests.adversary.table import Ended, check_refused, run
from tests.adversary.test_vectors import HEAD, MATRIX, NAMES
from tests.reliability import fault
from tests.worlds.bytes import npy

WORDS = "--groups g.txt --targets nurse,pilot,teacher -o -.json"
GROUPED = "measure good.vec --groups {} --targets nurse,pilot,teacher -o -.json"
TABLE = "set,word\n" + "".join(f"{g},{w}\n" for g, ws in given.GROUPS.items() for w in ws)
TEXTS = pd.DataFrame({"text": given.SENTENCES, "stars": 5}).to_csv(index=False)
ALL = tuple(LOSSLESS)
UNPACKED = ("mark", "ends", "end", "order")


class Kind(NamedTuple):
    """A kind of file.

    Attributes:
        file: Its name.
        data: What is valid.
        command: What reads it.
        read: The independent reader.
        lossless: Names of the changes that lose nothing of it.
    """

    file: str
    data: str | bytes
    command: str
    read: Callable[[bytes], float | None]
    lossless: tuple[str, ...] = ()


KINDS = {
    "text vectors": Kind("v.vec", given.text(), f"measure v.vec {WORDS}", naive.text_vectors, ALL),
    "vectors with sizes": Kind(
        "v.txt", HEAD + given.text(), f"measure v.txt {WORDS}", naive.text_vectors, ALL
    ),
    "binary vectors": Kind(
        "v.bin", given.binary(), f"measure v.bin {WORDS}", naive.binary_vectors, ("mark", "packed")
    ),
    "a matrix": Kind("m.npy", npy(MATRIX), f"measure m.npy {WORDS}", naive.matrix),
    "decisions": Kind(
        "d.csv", given.decisions([x / 2 for x in given.SECOND]),
        "compare --decisions first.csv d.csv -o -.json", naive.decisions, UNPACKED
    ),
    "numbers": Kind(
        "o.csv", given.PRINTED, "reproduce verdict printed.csv o.csv", naive.equal_numbers, UNPACKED
    ),
    "groups": Kind("w.txt", given.GROUP_FILE, GROUPED.format("w.txt"), naive.groups, UNPACKED[:3]),
    "groups in a table": Kind(
        "w.csv", TABLE, GROUPED.format("w.csv"), naive.groups_of_table, UNPACKED[:3]
    ),
    "a text": Kind("c.txt", given.LINES, f"measure c.txt {WORDS}", naive.plain_text, ALL),
    "JSON lines": Kind("c.jsonl", given.jsonl(), f"measure c.jsonl {WORDS}", naive.json_lines, ALL),
    "a table of texts": Kind("c.csv", TEXTS, f"measure c.csv {WORDS}", naive.csv_texts, ALL),
}  # fmt: skip
# What a reader that checks nothing raises on what it cannot read.
UNREADABLE = (ValueError, KeyError, IndexError, TypeError, EOFError, OSError, UnicodeError)
UNREADABLE += (ZeroDivisionError, OverflowError, SyntaxError, MemoryError)


def number_of(ended: Ended) -> float | None:
    """The number that a command gave; None where it says that there is none."""
    if ended.out.startswith("{"):
        return json.loads(ended.out)["value"]
    count = ended.out.split(" equal")[0]
    return float(count) if count.isdigit() else 0.0


def said(kind: Kind, data: bytes) -> float | None:
    """What the independent reader gets."""
    try:
        return kind.read(data)
    except UNREADABLE:
        return None


def outcome(here, kind: Kind, data: bytes) -> str:
    """What comes of some bytes: `refused`, `equal`, or a fault."""
    (here / kind.file).write_bytes(data)
    ended = run(kind.command)
    if ended.status in (1, 2):
        try:
            check_refused(ended, "")
        except AssertionError:
            return "traceback" if "bug in" in ended.err else "unclear"
        return "refused"
    got, expected = number_of(ended), said(kind, data)
    if got is None or (expected is not None and math.isnan(expected)):
        return "no number"
    if expected is None or not math.isclose(got, expected, abs_tol=2e-5):
        return "silent"
    return "equal"


def corruptions(here, name: str, seed: int, many: int) -> Counter:
    """Damage a kind of file so many times; failed ones are kept beside, to be looked at."""
    kind, rng, counts = KINDS[name], random.Random(f"{name} {seed}"), Counter()
    valid = kind.data if isinstance(kind.data, bytes) else kind.data.encode()
    (here / "m.txt").write_text(NAMES)
    for i in range(many):
        data = valid
        for damage in rng.choices(DAMAGES, k=rng.choice([1, 1, 2])):
            data = damage(rng, data) if data else data
        counts[came := outcome(here, kind, data)] += 1
        if came in ("silent", "traceback", "unclear"):
            (here / f"{came}-{i}-{kind.file}").write_bytes(data)
    return counts


@fault(
    "any of eleven kinds of files with bytes flipped, cut off, removed, doubled, exchanged, encoded "
    "otherwise or put into another order, at random",
    "the number that an independent reader gets from the damaged bytes, or one line",
)
@pytest.mark.parametrize("name", KINDS)
def test_damage(here, name):
    counts = corruptions(here, name, 0, 12)
    assert counts.keys() <= {"refused", "equal", "no number"}, (here, counts)


@pytest.mark.long
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("seed", range(1, 11))
def test_much_damage(here, name, seed, record_property):
    counts = corruptions(here, name, seed, 91)
    print(name, dict(counts))
    assert counts.keys() <= {"refused", "equal", "no number"}, (here, counts)


@fault("the same with other line ends, or compressed", "the same number")
@pytest.mark.parametrize(
    ("name", "change"), [(name, change) for name in KINDS for change in KINDS[name].lossless]
)
def test_changes_that_lose_nothing(here, name, change):
    kind = KINDS[name]
    valid = kind.data if isinstance(kind.data, bytes) else kind.data.encode()
    (here / kind.file).write_bytes(LOSSLESS[change](random.Random(29), valid))
    assert number_of(run(kind.command)) == pytest.approx(said(kind, valid), abs=2e-5)
