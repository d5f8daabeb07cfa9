"""What may be wrong with sources of the registry that are each valid."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from socialbias.sources.registry import Source, SourceFile

SHA1 = re.compile(r"[0-9a-f]{40}")
# What a locator of each kind must look like.
FORMS = {
    "https": re.compile(r"https://[^/\s]+/\S+"),
    "http": re.compile(r"http://[^/\s]+/\S+"),
    "hf": re.compile(r"hf://(datasets/)?[\w.-]+/[\w.-]+(@(?P<revision>[^/]+))?/.+"),
    "pypi": re.compile(r"pypi://[\w.-]+==[^/]+/.+"),
    "npm": re.compile(r"npm://(@[\w.-]+/)?[\w.-]+@[^/]+/.+"),
    "manual": re.compile(r"manual://"),
}
GITHUB_FILE = re.compile(
    r"https?://(?:raw\.githubusercontent\.com/[^/]+/[^/]+"
    r"|github\.com/[^/]+/[^/]+/(?:raw|blob))/(?P<commit>[^/]+)/"
)
HUB_FILE = re.compile(r"https?://huggingface\.co/.+?/(?:resolve|raw)/(?P<revision>[^/]+)/")


def problems(sources: Mapping[str, Source]) -> list[str]:
    """What is wrong with sources that are each valid, one line per problem."""
    lines = [
        f"{source.id}: {file.name}: {problem}"
        for source in sources.values()
        for file in source.files
        for problem in _file_problems(file, source)
    ]
    return lines + list(_duplicates(sources))


def _file_problems(file: SourceFile, source: Source) -> Iterator[str]:
    for locator in file.locators:
        if problem := _locator_problem(locator, file.sha256 != "unknown"):
            yield problem
        elif _is_mutable(locator) and file.sha256 == "unknown" and source.status != "dead":
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
