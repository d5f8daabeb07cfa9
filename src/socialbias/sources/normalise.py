"""Normal form of the source registry, and checks beyond those of the model.

`python -m socialbias.sources.normalise` prints where `resources/sources.yaml` deviates from its
normal form and exits with 1; with `--fix` it rewrites the file first. The normal form is: sorted by
id, keys in the model's order, defaults left out, one blank line between sources, long texts folded.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise, zip_longest
from pathlib import Path

import yaml

from socialbias.errors import UserError
from socialbias.files.yaml_files import parse_yaml
from socialbias.sources.registry import Source, SourceFile, load_registry

REGISTRY = Path("resources/sources.yaml")
WIDTH = 100
FOLD = 88  # PyYAML ends a line after the word that crosses this column
SHA1 = re.compile(r"[0-9a-f]{40}")
# What a locator of each kind must look like.
FORMS = {
    "https": re.compile(r"https://[^/\s]+/\S+"),
    "http": re.compile(r"http://[^/\s]+/\S+"),
    "hf": re.compile(r"hf://(datasets/)?[\w.-]+/[\w.-]+(@(?P<revision>[^/]+))?/.+"),
    "pypi": re.compile(r"pypi://[\w.-]+==[^/]+/.+"),
    "npm": re.compile(r"npm://(@[\w.-]+/)?[\w.-]+@[^/]+/.+"),
    "kaggle": re.compile(r"kaggle://[\w.-]+/[\w.-]+/.+"),
    "manual": re.compile(r"manual://"),
}
GITHUB_FILE = re.compile(
    r"https?://(?:raw\.githubusercontent\.com/[^/]+/[^/]+"
    r"|github\.com/[^/]+/[^/]+/(?:raw|blob))/(?P<commit>[^/]+)/"
)
HUB_FILE = re.compile(r"https?://huggingface\.co/.+?/(?:resolve|raw)/(?P<revision>[^/]+)/")


class _Dumper(yaml.SafeDumper):
    """Indents lists below their key, which the C dumper cannot."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def normal_text(sources: Mapping[str, Source], header: str) -> str:
    """The registry as YAML in its normal form.

    Args:
        sources: All sources by id, in any order.
        header: Comment lines for the top of the file.

    Returns:
        The text of the file; the same sources give the same text.
    """
    return header + "\n".join(_entry(sources[name]) for name in sorted(sources))


def normalise(path: Path) -> bool:
    """Rewrite a registry in its normal form, keeping the comment at its top.

    Returns:
        Whether the file was changed.

    Raises:
        UserError: the file is not a registry; it is left as it is.
    """
    text = path.read_text("utf-8")
    normal = normal_text(_load(path), _header(text))
    if normal != text:
        temporary = path.with_name(f".{path.name}.new")
        temporary.write_text(normal, "utf-8")
        temporary.replace(path)
    return normal != text


def deviations(path: Path) -> list[str]:
    """Where a registry deviates from its normal form, one line each.

    Raises:
        UserError: the file is not a registry.
    """
    text = path.read_text("utf-8")
    sources = _load(path)
    normal = normal_text(sources, _header(text))
    if text == normal:
        return []
    lines = [f"{path}: {b} should come before {a}" for a, b in pairwise(sources) if a > b]
    old, new = _blocks(text), _blocks(normal)
    lines += [
        f"{path}: {name}: {_first_difference(old[name], new[name])}"
        for name in sources
        if name in old and old[name] != new[name]
    ]
    return lines or [f"{path}: the layout between the sources is not in normal form"]


def problems(sources: Mapping[str, Source]) -> list[str]:
    """What is wrong with sources that are each valid, one line per problem."""
    lines = [
        f"{source.id}: {file.name}: {problem}"
        for source in sources.values()
        for file in source.files
        for problem in _file_problems(file, source)
    ]
    return lines + list(_duplicates(sources)) + list(_cycles(sources))


def main(arguments: list[str]) -> int:
    """Check a registry, or fix its form; the exit status is 1 if problems remain."""
    parser = argparse.ArgumentParser(prog="python -m socialbias.sources.normalise")
    parser.add_argument("--fix", action="store_true", help="write the file in its normal form")
    parser.add_argument("path", nargs="?", type=Path, default=REGISTRY, help=str(REGISTRY))
    options = parser.parse_args(arguments)
    try:
        if options.fix and normalise(options.path):
            print(f"{options.path}: rewritten in its normal form")
        lines = deviations(options.path)
        lines += [f"{options.path}: {problem}" for problem in problems(_load(options.path))]
    except UserError as error:
        lines = str(error).splitlines()
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


def _entry(source: Source) -> str:
    """One source as YAML: keys in the model's order, defaults left out."""
    return yaml.dump(
        [_folded(source.model_dump(exclude_defaults=True))],
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=FOLD,
        default_flow_style=False,
    )


class _Folded(str):
    """Text written as a folded block."""


class _Lines(str):
    """Text written line by line."""


_Dumper.add_representer(
    _Folded, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style=">")
)
_Dumper.add_representer(
    _Lines, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|")
)


def _folded(values: dict) -> dict:
    """The values, each long text marked with its YAML style."""
    result = dict(values)
    for key, value in values.items():
        if isinstance(value, str) and "\n" in value:
            result[key] = _Lines(value)
        elif isinstance(value, str) and " " in value and len(f"  {key}: {value}") > WIDTH:
            result[key] = _Folded(value)
    return result


def _header(text: str) -> str:
    """The comment lines at the top of a file."""
    lines = text.splitlines(keepends=True)
    end = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
    return "".join(lines[:end])


def _blocks(text: str) -> dict[str, list[str]]:
    """The lines of each source of a file, by id; for messages only."""
    blocks = {}
    for block in re.split(r"^(?=- )", text, flags=re.MULTILINE)[1:]:
        match = re.search(r"^[ -] id: *['\"]?([^'\"\s]+)", block, flags=re.MULTILINE)
        if match:
            blocks[match[1]] = block.rstrip("\n").splitlines()
    return blocks


def _first_difference(old: list[str], new: list[str]) -> str:
    for actual, expected in zip_longest(old, new, fillvalue=""):
        if actual != expected:
            return f"{actual.strip()!r} should be {expected.strip()!r}"
    return "wrong blank lines"


def _load(path: Path) -> dict[str, Source]:
    """The registry of a file, which must be a YAML list of mappings that can be rewritten."""
    text = path.read_text("utf-8")
    try:
        entries = parse_yaml(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = f"line {mark.line + 1}: {error.problem}" if mark else str(error).splitlines()[0]
        raise UserError(f"{path}: {reason}") from error
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    if not isinstance(entries, list):
        raise UserError(f"{path}: must be a list of sources")
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict):
            raise UserError(f"{path}: entry {number} is not a source: {str(entry)[:60]!r}")
    body = text[len(_header(text)) :].splitlines()
    if comment := next((line for line in body if line.lstrip().startswith("#")), ""):
        raise UserError(
            f"{path}: move this comment to `notes`, it would be lost here: {comment.strip()}"
        )
    return load_registry(path)


def _file_problems(file: SourceFile, source: Source) -> Iterator[str]:
    checked = file.sha256 != "unknown" or file.md5 or file.git_blob_sha1
    for locator in file.locators:
        if problem := _locator_problem(locator, file.sha256 != "unknown"):
            yield problem
        elif _is_mutable(locator) and not checked and source.status != "dead":
            yield f"no checksum, although the content of {locator} may change"


def _locator_problem(locator: str, sha256_known: bool) -> str:
    """What is wrong with the form of a locator; "" if nothing is."""
    scheme = locator.split("://", 1)[0]
    if scheme not in FORMS or "://" not in locator:
        return f"{locator}: unknown kind of locator; one of {', '.join(FORMS)}"
    match = FORMS[scheme].fullmatch(locator)
    if match is None:
        return f"{locator}: not a valid {scheme}:// locator"
    if (file := GITHUB_FILE.match(locator)) and not SHA1.fullmatch(file["commit"]):
        return f"{locator}: not pinned to a commit (40 hexadecimal digits)"
    if scheme == "hf" and not (sha256_known or SHA1.fullmatch(match["revision"] or "")):
        return f"{locator}: needs a revision (40 hexadecimal digits) or a sha256"
    return ""


def _is_mutable(locator: str) -> bool:
    """Whether a locator follows a branch, so that its content may change."""
    hub = HUB_FILE.match(locator)
    return bool(hub and not SHA1.fullmatch(hub["revision"])) or "/latest/" in locator


def _duplicates(sources: Mapping[str, Source]) -> Iterator[str]:
    places: dict[str, dict[str, str]] = defaultdict(dict)
    contents: dict[tuple, str] = {}
    for source in sources.values():
        for name, count in Counter(file.name for file in source.files).items():
            if count > 1:
                yield f"{source.id}: {name}: listed {count} times"
        for file in source.files:
            place = f"{source.mirror_folder}/{file.name}"
            places[place].setdefault(file.sha256, source.id)
        known = tuple(sorted(f.sha256 for f in source.files if f.sha256 != "unknown"))
        if len(known) == len(source.files):
            other = contents.setdefault((known, source.stands_in_for), source.id)
            if other != source.id:
                yield f"{source.id}: the same files as {other}"
    for place, owners in places.items():
        if len(owners) > 1:
            yield f"{' and '.join(owners.values())}: different files at {place} in a mirror"


def _cycles(sources: Mapping[str, Source]) -> Iterator[str]:
    for source in sources.values():
        chain = [source.id]
        while (following := sources[chain[-1]].stands_in_for) and following not in chain:
            chain.append(following)
        if following == source.id and source.id == min(chain):
            yield f"{source.id}: stands_in_for is circular: {' > '.join([*chain, following])}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
