"""A run as an RO-Crate 1.1 and Process Run Crate 0.5: `ro-crate-metadata.json`.

Every file of the run, and every file that it read, is there with its size and sha256. A file that
was read lies outside the crate, and is named by its checksum (RFC 6920, `ni:`): where it can be had
is in `contentUrl`. It is part of a source, which has its licence, its fidelity, and what it stands
in for.
"""

from __future__ import annotations

import base64
import json
import mimetypes
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from socialbias.files.atomic_write import write_text
from socialbias.files.yaml_files import read_yaml
from socialbias.reporting.exports.contents import NAME, Entity, files_in, files_of
from socialbias.reporting.exports.licences import URL, parsed
from socialbias.reporting.exports.record import SCOPE, RunRecord
from socialbias.sources.checksums import sha256_of
from socialbias.sources.manifest import parsed as read_manifest
from socialbias.sources.manifest import size_and_checksum
from socialbias.sources.registry import Source
from socialbias.sources.verified import known_checksums

CRATE, PROCESS = "https://w3id.org/ro/crate/1.1", "https://w3id.org/ro/wfrun/process/0.5"
# The context of 1.1 is older than these two terms of schema.org.
ADDED = {name: f"http://schema.org/{name}" for name in ("sha256", "usageInfo")}
CONTEXT = [f"{CRATE}/context", ADDED]
ERROR_RATES = (
    "Error rates: the column `detectable` of each values.csv is the smallest difference that a "
    "sample of that size shows with 80 % power; false alarms and power of each measure, measured "
    "on data with a known bias, are in validation/passport.values.csv."
)
SOFTWARE, ACTION = "#socialbias", "#run"
TYPES = {
    ".parquet": "application/vnd.apache.parquet",
    ".jsonl": "application/jsonl",
    ".yaml": "application/yaml",
    ".md": "text/markdown",
    ".npz": "application/octet-stream",
}


def write_crate(
    folder: Path, record: RunRecord, registry: Mapping[str, Source], citation: Path
) -> Path:
    """Describe a finished run as an RO-Crate.

    Args:
        folder: Of the run: the crate's root.
        record: What the run was.
        registry: The sources by id.
        citation: `CITATION.cff`, for authors and licence.

    Returns:
        The file that was written.
    """
    cited = read_yaml(citation)
    inputs = list(_inputs(record, registry))
    outputs = list(_outputs(folder))
    verdicts = list(_verdicts(folder))
    people = [_author(author, number) for number, author in enumerate(cited["authors"])]
    licence = _licence_entities(cited["license"])
    graph = [
        *_described(record, cited["title"], licence, people, inputs, outputs, verdicts),
        _action(record, people, inputs, outputs),
        _software(record, cited, licence, people),
        *people,
        *licence,
        *verdicts,
        *inputs,
        *outputs,
    ]
    unique = {entity["@id"]: entity for entity in reversed(graph)}
    ordered = [unique[name] for name in dict.fromkeys(entity["@id"] for entity in graph)]
    text = json.dumps({"@context": CONTEXT, "@graph": ordered}, indent=1, ensure_ascii=False)
    write_text(folder / NAME, text + "\n")
    return folder / NAME


def _described(
    record: RunRecord,
    title: str,
    licence: list[Entity],
    people: list[Entity],
    inputs: list[Entity],
    outputs: list[Entity],
    verdicts: list[Entity],
) -> list[Entity]:
    """The metadata file, the crate's root, and the profile that the root conforms to."""
    metadata = {
        "@id": NAME,
        "@type": "CreativeWork",
        "about": _to("./"),
        "conformsTo": _to(CRATE),
    }
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"socialbias: run {record.run}",
        "description": f"Measures of social bias, recomputed beside the numbers of four papers: "
        f"run {record.run}, seed {record.seed}. {title}.",
        "datePublished": record.written,
        "license": _refs(licence),
        "author": _refs(people),
        "publisher": _refs(people),
        "conformsTo": _to(PROCESS),
        "hasPart": _refs([*outputs, *files_in(inputs)]),
        "mentions": _to(ACTION),
        "additionalProperty": _refs(verdicts),
        "usageInfo": f"{SCOPE} {ERROR_RATES}",
    }
    profile = {
        "@id": PROCESS,
        "@type": "CreativeWork",
        "name": "Process Run Crate",
        "version": "0.5",
    }
    return [metadata, root, profile]


def _action(
    record: RunRecord, people: list[Entity], inputs: list[Entity], outputs: list[Entity]
) -> Entity:
    """The run: what made the outputs of the inputs."""
    return {
        "@id": ACTION,
        "@type": "CreateAction",
        "name": f"The run {record.run}",
        "description": f"{record.command} (seed {record.seed}), on {record.machine}, by "
        f"{record.version}. The merged configuration is in run.json.",
        "endTime": record.written,
        "instrument": _to(SOFTWARE),
        "agent": _refs(people),
        "actionStatus": "http://schema.org/CompletedActionStatus",
        "object": _refs(files_in(inputs)),
        "result": _refs(outputs),
    }


def _software(
    record: RunRecord, about: Mapping[str, Any], licence: list[Entity], people: list[Entity]
) -> Entity:
    """This software, as `CITATION.cff` describes it."""
    return {
        "@id": SOFTWARE,
        "@type": "SoftwareApplication",
        "name": "socialbias",
        "description": about["title"],
        **({"url": about["repository-code"]} if "repository-code" in about else {}),
        "softwareVersion": record.version,
        "license": _refs(licence),
        "author": _refs(people),
    }


def _inputs(record: RunRecord, registry: Mapping[str, Source]) -> Iterator[Entity]:
    """Sources, their licences, what is said of them, and their files."""
    roles: dict[str, list[str]] = {}
    for role, bound in record.inputs.items():
        roles.setdefault(bound["manifest"], []).append(role)
    for manifest_path, played in roles.items():
        path = Path(manifest_path)
        manifest = read_manifest(path)
        name = manifest["source"]
        source = registry.get(record.subjects.get(name) or name)
        fidelity = record.inputs[played[0]]["fidelity"]
        facts = {"fidelity": fidelity, "roles": ", ".join(played)}
        original = manifest.get("stands_in_for", "")
        if original and original in registry:
            facts["stands in for"] = f"{original}: {registry[original].title}"
        properties = [_property(f"source-{name}", key, value) for key, value in facts.items()]
        licences = _licence_entities(manifest["licence"])
        files = [_input_file(path.parent, file, source, name) for file in manifest["files"]]
        yield {
            "@id": f"#source-{name}",
            "@type": "CreativeWork",
            "name": manifest["title"],
            "identifier": name,
            "license": _refs(licences),
            "usageInfo": manifest["licence"],
            **({"citation": source.citation} if source else {}),
            "additionalProperty": _refs(properties),
            "hasPart": _refs(files),
        }
        yield from properties
        yield from licences
        for file in files:
            yield file | {"license": _refs(licences)}


def _input_file(folder: Path, file: Mapping, source: Source | None, name: str) -> Entity:
    """A file that the run read."""
    path = folder / file["path"]
    size, checksum = size_and_checksum(folder, file)
    digest = base64.urlsafe_b64encode(bytes.fromhex(checksum)).rstrip(b"=").decode()
    known = {f.name: f.locators for f in source.files} if source else {}
    return {
        "@id": f"ni:///sha-256;{digest}",
        "@type": "File",
        "name": f"{name}/{file['path']}",
        "description": f"Read by the run and not part of the crate: {file['path']} of {name}.",
        **_sized(path, size, checksum),
        "isPartOf": _to(f"#source-{name}"),
        **({"contentUrl": _single(known[file["path"]])} if file["path"] in known else {}),
    }


def _outputs(folder: Path) -> Iterator[Entity]:
    """Every file of the run."""
    known = known_checksums(folder)
    for path in files_of(folder):
        name = path.relative_to(folder).as_posix()
        if name == NAME:
            continue
        yield {
            "@id": quote(name),
            "@type": "File",
            "name": name,
            **_sized(path, path.stat().st_size, known.get(path) or sha256_of(path)),
        }


def _sized(path: Path, size: int, checksum: str) -> Entity:
    """What is said of every file."""
    kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0]
    return {
        "contentSize": str(size),
        "sha256": checksum,
        "encodingFormat": kind or "application/octet-stream",
    }


def _verdicts(folder: Path) -> Iterator[Entity]:
    """How many numbers, and how many claims, have each verdict."""
    numbers = pd.read_parquet(folder / "all.parquet", columns=["verdict"])["verdict"]
    claims = pd.read_csv(folder / "claims.csv", dtype=str)
    claims = claims["verdict"][claims["kind"].isna()]
    for what, verdicts in (("numbers", numbers), ("claims", claims)):
        for verdict, count in verdicts.value_counts().sort_index().items():
            yield _property("verdict", f"{what}: {verdict}", int(count))


def _property(of: str, name: str, value: object) -> Entity:
    return {
        "@id": f"#{_slug(f'{of}-{name}')}",
        "@type": "PropertyValue",
        "propertyID": name,
        "name": name,
        "value": value,
    }


def _licence_entities(stated: str) -> list[Entity]:
    """The SPDX licences of a statement; and the statement itself where they do not say all."""
    licence = parsed(stated)
    entities = [
        {"@id": f"{URL}{name}", "@type": "CreativeWork", "name": name, "identifier": name}
        for name in licence.ids
    ]
    if not licence.covered:
        terms = {"name": stated, "description": f"As its owners state it: {stated}."}
        entities.append({"@id": f"#licence-{_slug(stated)}", "@type": "CreativeWork", **terms})
    return entities


def _author(author: Mapping[str, str], number: int) -> Entity:
    """An author of `CITATION.cff`: a person, or an organization where there is one name."""
    names = [author.get("given-names", ""), author.get("family-names", "")]
    if any(names):
        name = " ".join(filter(None, names))
        return {"@id": author.get("orcid") or f"#author-{number}", "@type": "Person", "name": name}
    return {"@id": f"#author-{number}", "@type": "Organization", "name": author["name"]}


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")


def _to(name: str) -> dict[str, str]:
    return {"@id": name}


def _refs(entities: Iterable[Entity]) -> list[dict[str, str]] | dict[str, str]:
    """References to entities, each once; a single one by itself."""
    return _single([_to(name) for name in dict.fromkeys(entity["@id"] for entity in entities)])


def _single(values: list) -> Any:
    """The one value of a list that has one, as JSON-LD in an RO-Crate writes it."""
    return values[0] if len(values) == 1 else values
