"""The named lists that are packaged: put together from `resources/lists.yaml` and the word lists.

`socialbias.commands.maintenance.generate` writes them to `resources/lists.json`, which
`socialbias.embeddings.words.lists` reads.
"""

from __future__ import annotations

from pathlib import Path

from socialbias.embeddings.words.of_papers import read_word_lists
from socialbias.files.yaml_files import read_yaml

TOLD = ("kind", "about", "language", "source", "licence")


def named_lists(resources: Path) -> dict[str, dict]:
    """Return every list by name: `TOLD`, `script`, `gender`, `pairs` and its `words`."""
    files = {p.stem: read_word_lists(p) for p in sorted((resources / "word_lists").glob("*.yaml"))}
    languages = read_yaml(resources / "languages.yaml")
    entries = read_yaml(resources / "lists.yaml")
    named = {}
    for template, entry in entries.items():
        if "languages" not in entry:
            named[template] = _named(entry, files, languages)
        for tag in entry.get("languages", ()):
            words = [key.format(language=tag) for key in entry["words"]]
            of_language = entry | {"language": tag, "words": words}
            named[template.format(language=tag)] = _named(of_language, files, languages)
    return named


def _named(entry: dict, files: dict[str, dict], languages: dict[str, dict]) -> dict:
    about = {key: entry[key] for key in TOLD}
    language = languages[entry["language"]]
    about |= {"script": language["script"], "gender": entry.get("forms", language["gender"])}
    about["pairs"] = entry.get("pairs", False)
    if "sets" in entry:
        seeds = {each["id"]: each["words"] for each in files["bad_seeds"]["sets"]}
        return about | {"words": {name: seeds[key] for name, key in entry["sets"].items()}}
    words = files
    for key in entry["words"]:
        words = words[key]
    if entry.get("flat", False):
        words = list(dict.fromkeys(word for row in words for word in row))
    if "groups" in entry:  # tuples with a word of each group
        columns = zip(*words, strict=True)
        columns = (column if about["pairs"] else dict.fromkeys(column) for column in columns)
        words = {name: list(c) for name, c in zip(entry["groups"], columns, strict=True)}
    return about | {"words": words}
