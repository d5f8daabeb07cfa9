"""Reading YAML, by the parser in C where there is one: it takes a tenth of the time."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from socialbias.errors import UserError

SURPRISING = re.compile(r"[-+]?0[0-7_]+")
DEEPEST = 100  # lists and mappings in each other: thousands crash the parser in C
MERGE = "tag:yaml.org,2002:merge"  # `<<`, which may stand beside what it brings


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Refuses what YAML would read as something else than it looks like.

    That is a mapping that has a key twice, of which YAML would keep the last, and numbers that YAML
    takes for octal (`012` is 10) or for hours and minutes (`1:30` is 90).
    """

    depth = 0

    def descend_resolver(self, parent, index):
        """Do nothing before each node: the parsers look here for what we do not use."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise yaml.YAMLError(f"nested more than {DEEPEST} deep")

    def ascend_resolver(self):
        """Do nothing behind each node."""
        self.depth -= 1

    def construct_mapping(self, node, deep=False):
        """Return a mapping as a dict."""
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != MERGE:
                if key.value in seen:
                    line = key.start_mark.line + 1
                    raise yaml.YAMLError(f"line {line}: the key {key.value!r} appears twice")
                seen.add(key.value)
        return super().construct_mapping(node, deep)

    def plain_number(self, node):
        """Return a number that is what it looks like."""
        kind = node.tag.rpartition(":")[2]
        number = getattr(yaml.SafeLoader, f"construct_yaml_{kind}")(self, node)
        if ":" in node.value or SURPRISING.fullmatch(node.value):
            line = node.start_mark.line + 1
            advice = "write the number, or put it into quotes"
            raise yaml.YAMLError(f"line {line}: to YAML {node.value} is {number}: {advice}")
        return number


for _kind in ("int", "float"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _Loader.plain_number)


def read_yaml(path: Path):
    """Return what a YAML file contains."""
    try:
        return parse_yaml(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: byte {error.start} is not UTF-8: save it as UTF-8") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path}: {' '.join(str(error).split())}") from None


def parse_yaml(text: str):
    """Return what YAML text contains."""
    try:
        return yaml.load(text, Loader=_Loader)
    except (ValueError, TypeError, OverflowError) as error:  # a date that is none, a list as a key
        raise yaml.YAMLError(str(error)[:200]) from None
