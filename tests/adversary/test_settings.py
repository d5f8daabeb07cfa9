"""Configurations that cannot be meant: one line when a run is planned."""

import json

from tests.adversary.given import text
from tests.adversary.table import cases, check
from tests.reliability import fault


def subject(kind: str, path: str, **more) -> str:
    return json.dumps({"subjects": {"mine": {"kind": kind, "path": path} | more}})


@fault(
    "an overlay that is not YAML, not UTF-8, nested deeply, with unknown keys, roles of the wrong "
    "kind, numbers that are none or names that no disk takes, as `make plan` reads it",
    "one line: the file, the line or the key, and what it should be",
)
@cases(
    "o.yaml",
    "plan --configfile o.yaml",
    ("not closed", "run: [1\n", "o.yaml: "),
    ("bytes", b"\xff\xfe\x00", "byte 0 is not UTF-8"),
    ("D UTF-16", "run: mine\n".encode("utf-16"), "byte 0 is not UTF-8"),
    ("Latin-1", "run: é\n".encode("latin-1"), "byte 5 is not UTF-8"),
    ("a list", "- a\n", "must be keys with values"),
    ("a key twice", "seed: 1\nseed: 2\n", "the key 'seed' appears twice"),
    ("D nested lists", "a: " + "[" * 2000 + "]" * 2000, "nested more than 100 deep"),
    ("lists not closed", "[" * 5000, "nested more than 100 deep"),
    ("nested keys", "a: " + "{b: " * 100_000, "nested more than 100 deep"),
    ("a date that is none", "a: 2022-13-45\n", "month must be in 1..12"),
    ("a key that is a list", "? [a]\n: 1\n", "unhashable"),
    ("octal", "seed: 012\n", "to YAML 012 is 10"),
    ("sexagesimal", "seed: 1:30\n", "to YAML 1:30 is 90"),
    ("code", "run: !!python/object/apply:os.system [id]\n", "o.yaml: "),
    ("two documents", "run: a\n---\nrun: b\n", "o.yaml: "),
    ("tabs", "figures:\n\tstyle: 1\n", "o.yaml: "),
    ("an empty run", "run: ''\n", "run: "),
    ("a run of a number", "run: 5\n", "run: "),
    ("infinity", "intervals: {level: .inf}\n", "intervals.level: "),
    ("95 %", "intervals: {level: 95}\n", "intervals.level: "),
    ("a truth value", "seed: true\n", "seed: should be a number, got True"),
    ("half a seed", "seed: 0.5\n", "seed: should be a valid integer"),
    ("a word for a list", "inputs: {glove: glove-6b-50d}\n", "inputs.glove: should be"),
    ("a subject that is not there", subject("vectors", "none.vec"), "none.vec"),
    ("a subject of another kind", {"o.yaml": subject("model", "v.vec"), "v.vec": text()}, "v.vec"),
    ("a name of our own", json.dumps({"subjects": {"packages": {"kind": "vectors", "path": "x"}}}),
     "is a name of this project's own"),
    ("a subject of 300 letters", subject("vectors", "a" * 300), "File name too long"),
    ("an option of none", {"o.yaml": subject("vectors", "v.vec", options={"a": 1}), "v.vec": text()},
     "options: vectors take none"),
    ("data of 300 letters", f"data: {'a' * 300}\n", "File name too long"),
    ("a mirror that is not there", "mirror: none\n", "not there"),
    ("not there", {}, "none.yaml: ", "plan --configfile none.yaml"),
)  # fmt: skip
def test_overlays(here, line):
    check(here, line)
