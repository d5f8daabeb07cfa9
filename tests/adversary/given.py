"""What the cases begin with, and what it says: read by plain loops, with nothing of the library."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

GROUPS = {"women": ["she", "her"], "men": ["he", "his"]}
TARGETS = ["nurse", "pilot", "teacher"]
OTHERS = "the of and to in a is was for on that with as at by from it be this are or an which but"
OTHERS += " not have had were also its one first two other time"
WORDS = [*GROUPS["women"], *GROUPS["men"], *TARGETS, *OTHERS.split(" ")]
BOM = b"\xef\xbb\xbf"
GROUP_FILE = "".join(f"[{name}]\n" + "\n".join(words) + "\n" for name, words in GROUPS.items())
WIDTH = 8
# Written with four decimals, so that every format holds the same numbers.
ROWS = {
    word: [round(float(x), 4) for x in row]
    for word, row in zip(
        WORDS, np.random.default_rng(29).uniform(-0.2, 1, (len(WORDS), WIDTH)), strict=True
    )
}


def text(rows: Mapping[str, Sequence[float]] = ROWS, head: str = "", form: str = "{:.4f}") -> str:
    """Vectors as text, a word and its numbers a line."""
    return head + "".join(f"{w} {' '.join(map(form.format, row))}\n" for w, row in rows.items())


def binary(rows: Mapping[str, Sequence[float]] = ROWS, kind: str = "<f4", head: str = "") -> bytes:
    """Vectors in word2vec's binary format."""
    width = len(next(iter(rows.values())))
    body = b"".join(w.encode() + b" " + np.array(row, kind).tobytes() for w, row in rows.items())
    return (head or f"{len(rows)} {width}\n").encode() + body


def bias(
    rows: Mapping[str, Sequence[float]],
    targets: Iterable[str] = TARGETS,
    groups: Mapping[str, Sequence[str]] = GROUPS,
) -> float | None:
    """Mean over targets of the first group's share of both cosines, less a half.

    Targets with a negative cosine are left out. None where no target or no word of a group is left.
    """
    lists = [[rows[w] for w in dict.fromkeys(words) if w in rows] for words in groups.values()]
    known = [rows[w] for w in targets if w in rows]
    if not all(lists):
        return None
    means = [[sum(xs) / len(words) for xs in zip(*words, strict=True)] for words in lists]
    shares = []
    for row in known:
        first, second = (_cosine(row, mean) for mean in means)
        if first >= 0 and second >= 0:
            shares.append(first / (first + second) - 0.5)
    return sum(shares) / len(shares) if shares else None


def _cosine(a: Sequence[float], b: Sequence[float]) -> float:
    product = sum(x * y for x, y in zip(a, b, strict=True))
    return product / (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5


# Each sentence is of one target and one group, in these numbers; no two are the same.
COUNTS = {"nurse": (30, 10), "pilot": (5, 35), "teacher": (21, 19)}
SENTENCES = [
    f"{pronoun} met the {target} number {target[0]}{side}{i} there."
    for target, counts in COUNTS.items()
    for side, (pronoun, count) in enumerate(zip(("She", "He"), counts, strict=True))
    for i in range(count)
]
LINES = "\n".join(SENTENCES) + "\n"


def jsonl(key: str = "text", lines: Iterable[str] = SENTENCES) -> str:
    """The corpus as JSON lines."""
    return "".join(json.dumps({key: line}) + "\n" for line in lines)


def share(contexts: Iterable[set[str]], least: int = 20) -> float | None:
    """Mean over targets with enough contexts of the share with women, less a half."""
    counts = {target: [0, 0] for target in TARGETS}
    for words in contexts:
        sides = [bool(words & set(group)) for group in GROUPS.values()]
        for target in words & set(TARGETS):
            if sum(sides) == 1:
                counts[target][sides[1]] += 1
    known = [(a, b) for a, b in counts.values() if a + b >= least]
    return sum(a / (a + b) - 0.5 for a, b in known) / len(known) if known else None


# Decisions of two models on 60 items about 12 terms.
ITEMS = [f"i{i}" for i in range(60)]
FIRST = [float(i % 3 == 0) for i in range(60)]
SECOND = [float(i % 2 == 0) for i in range(60)]


def decisions(values: Sequence[float], form: str = "{:g}", between: str = ",") -> str:
    """A table of decisions."""
    rows = [("item", "term", "decision")]
    rows += [(item, f"t{i % 12}", form.format(values[i])) for i, item in enumerate(ITEMS)]
    return "".join(between.join(row) + "\n" for row in rows)


def difference(first: Mapping[str, tuple[str, float]], second: Mapping[str, tuple[str, float]]):
    """Mean over terms of the mean difference of their items, which both tables have."""
    by_term: dict[str, list[float]] = {}
    for item, (term, decision) in first.items():
        if item in second:
            by_term.setdefault(term, []).append(second[item][1] - decision)
    means = [sum(values) / len(values) for values in by_term.values()]
    return sum(means) / len(means) if means else None


def decisions_in(data: str) -> dict[str, tuple[str, float]]:
    """The decisions that a table holds."""
    rows = csv.DictReader(io.StringIO(data))
    return {row["item"]: (row["term"], float(row["decision"])) for row in rows}


MEAN = bias(ROWS)
SHARE = share(set(re.findall("[a-z]+", sentence.lower())) for sentence in SENTENCES)
DIFFERENCE = difference(decisions_in(decisions(FIRST)), decisions_in(decisions(SECOND)))
PRINTED = "row,column,value\n" + "".join(
    f"r{i},{c},{0.1 * i + 0.03 * j:.2f}\n" for i in range(1, 9) for j, c in enumerate("ab")
)
PREDICTIONS = "label,prediction,group\n" + "".join(
    f"{'ny'[i % 2]},{'ny'[i % 3 > 0]},{'ab'[i % 5 > 1]}\n" for i in range(80)
)
