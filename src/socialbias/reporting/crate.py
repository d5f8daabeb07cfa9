"""A run as an RO-Crate 1.1 and Process Run Crate 0.5: files that it read are named by checksum."""

from __future__ import annotations

import base64
import json
import mimetypes
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd
from rocrate.model import ContextEntity, File
from rocrate.rocrate import ROCrate

from socialbias.files.atomic_write import write_text
from socialbias.reporting.contents import NAME, files_of
from socialbias.reporting.kinds import counted
from socialbias.reporting.record import SCOPE, RunRecord
from socialbias.sources.checksums import sha256_of
from socialbias.sources.manifest import parsed as read_manifest
from socialbias.sources.manifest import size_and_checksum
from socialbias.sources.registry import Source
from socialbias.sources.verified import known_checksums

PROCESS = "https://w3id.org/ro/wfrun/process/0.5"
# The context of 1.1 is older than these two terms of schema.org.
ADDED = {name: f"http://schema.org/{name}" for name in ("sha256", "usageInfo")}
SPDX = ("MIT", "Apache-2.0", "GPL-3.0", "PDDL-1.0", "CC-BY-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0")
ERROR_RATES = (
    "Error rates: `detectable` in each values.csv is the smallest difference that is seen with "
    "80 % power; validation/passport.values.csv has false alarms and power of each measure."
)


class Crate(ROCrate):
    """An RO-Crate with what this run's entities share."""

    def one(self, place: str, kind: str, **about: Any) -> ContextEntity:
        """Add what is no file."""
        return self.add(ContextEntity(self, place, {"@type": kind, **about}))

    def fact(self, of: str, name: str, value: object) -> ContextEntity:
        """Add a named value."""
        return self.one(quote(f"#{of}-{name}", "#"), "PropertyValue", name=name, value=value)

    def licence(self, stated: str) -> ContextEntity:
        """Add a licence: by its SPDX id, or else in the words of its owners."""
        own = quote(f"#licence-{stated}", "#")
        place = f"https://spdx.org/licenses/{stated}" if stated in SPDX else own
        return self.one(place, "CreativeWork", name=stated, description="As its owners state it.")

    def file(self, place: str, size: int, checksum: str, **about: Any) -> File:
        """Add a file by its path in the crate, or by its checksum if it is not in it."""
        kind = mimetypes.guess_type(about["name"])[0] or "application/octet-stream"
        about |= {"contentSize": str(size), "sha256": checksum, "encodingFormat": kind}
        where = "source" if place.startswith("ni:") else "dest_path"
        return self.add_file(**{where: place}, properties=about)


def write_crate(
    folder: Path, record: RunRecord, registry: Mapping[str, Source], cited: Mapping
) -> None:
    """Describe a finished run: its folder, its record, the sources by id and `CITATION.cff`."""
    crate = Crate(version="1.1")
    crate.metadata.extra_terms.update(ADDED)
    licence = crate.licence(cited["license"])
    people = []
    for number, author in enumerate(cited["authors"]):
        names = [author[key] for key in ("given-names", "family-names") if author.get(key)]
        kind, name = ("Person", " ".join(names)) if names else ("Organization", author["name"])
        people.append(crate.one(author.get("orcid") or f"#author-{number}", kind, name=name))
    about = {"name": "socialbias", "softwareVersion": record.version, "author": people}
    about |= {"url": cited["repository-code"]} if "repository-code" in cited else {}
    software = crate.one("#socialbias", "SoftwareApplication", license=licence, **about)
    roles: dict[str, list[str]] = {}
    for role, bound in record.inputs.items():
        roles.setdefault(bound["manifest"], []).append(role)
    inputs: dict[str, File] = {}
    for manifest, played in roles.items():
        inputs |= _add_source(crate, Path(manifest), played, record, registry)
    known = known_checksums(folder)
    outputs = [
        crate.file(name, path.stat().st_size, known.get(path) or sha256_of(path), name=name)
        for path in files_of(folder)
        if (name := path.relative_to(folder).as_posix()) != NAME
    ]
    action = {
        "name": f"The run {record.run}",
        "description": f"{record.command} (seed {record.seed}), on {record.machine}, by "
        f"{record.version}. The merged configuration is in run.json.",
        "endTime": record.written,
        "agent": people,
        "actionStatus": "http://schema.org/CompletedActionStatus",
    }
    root = {
        "name": f"socialbias: run {record.run}",
        "description": f"Measures of social bias, recomputed beside the numbers of four papers: "
        f"run {record.run}, seed {record.seed}. {cited['title']}.",
        "datePublished": record.written,
        "license": licence,
        "author": people,
        "publisher": people,
        "conformsTo": crate.one(PROCESS, "CreativeWork", name="Process Run Crate", version="0.5"),
        "mentions": crate.add_action(software, "#run", [*inputs.values()], outputs, action),
        "additionalProperty": _verdicts(crate, folder),
        "usageInfo": f"{SCOPE} {ERROR_RATES}",
    }
    for name, value in root.items():
        crate.root_dataset[name] = value
    text = json.dumps(crate.metadata.generate(), indent=1, ensure_ascii=False)
    write_text(folder / NAME, text + "\n")


def _add_source(
    crate: Crate, path: Path, roles: list[str], record: RunRecord, registry: Mapping[str, Source]
) -> dict[str, File]:
    """Add a source by its manifest, and return its files by their names in the crate."""
    manifest = read_manifest(path)
    name, licence = manifest["source"], crate.licence(manifest["licence"])
    source = registry.get(record.subjects.get(name) or name)
    facts = {"fidelity": record.inputs[roles[0]]["fidelity"], "roles": ", ".join(roles)}
    if (original := manifest.get("stands_in_for", "")) in registry:
        facts["stands in for"] = f"{original}: {registry[original].title}"
    places = {f.name: f.locators for f in source.files} if source else {}
    files = {}
    for file in manifest["files"]:
        size, checksum = size_and_checksum(path.parent, file)
        digest = base64.urlsafe_b64encode(bytes.fromhex(checksum)).rstrip(b"=").decode()
        about = {"name": f"{name}/{file['path']}", "isPartOf": {"@id": f"#source-{name}"}}
        about |= {"contentUrl": places[file["path"]]} if file["path"] in places else {}
        place = f"ni:///sha-256;{digest}"
        files[place] = crate.file(place, size, checksum, license=licence, **about)
    about = {"name": manifest["title"], "license": licence, "hasPart": [*files.values()]}
    about |= {"citation": source.citation} if source else {}
    about["additionalProperty"] = [crate.fact(f"source-{name}", *fact) for fact in facts.items()]
    crate.one(f"#source-{name}", "CreativeWork", **about)
    return files


def _verdicts(crate: Crate, folder: Path) -> list[ContextEntity]:
    """Add how many printed numbers had each outcome, and how many claims each verdict."""
    columns = ["counted", "verdict", "fidelity"]
    numbers = counted(pd.read_parquet(folder / "all.parquet", columns=columns))
    claims = pd.read_csv(folder / "claims.csv", dtype=str)
    verdicts = [f"numbers: {outcome}" for outcome in numbers["outcome"]]
    verdicts += [f"claims: {verdict}" for verdict in claims["verdict"]]
    return [crate.fact("verdict", *count) for count in sorted(Counter(verdicts).items())]
