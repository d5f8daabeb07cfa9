"""A run as an RO-Crate 1.1 and Process Run Crate 0.5: files that it read are named by checksum.

`python -m socialbias.reporting.crate [results/<run>]` describes a finished run, or the last one.
"""

from __future__ import annotations

import base64
import json
import mimetypes
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rocrate.model import ContextEntity, File
from rocrate.rocrate import ROCrate

from socialbias.errors import UserError
from socialbias.files.atomic_write import write_text
from socialbias.files.paths import resources
from socialbias.files.yaml_files import read_yaml
from socialbias.reporting.contents import NAME, files_of
from socialbias.reporting.record import SCOPE, RunRecord, last_run, read_record
from socialbias.sources.checksums import sha256_of
from socialbias.sources.manifest import parsed as read_manifest
from socialbias.sources.manifest import size_and_checksum
from socialbias.sources.registry import Source, load_registry
from socialbias.sources.verified import known_checksums

FACTS = resources().parent
PROCESS = "https://w3id.org/ro/wfrun/process/0.5"
# The context of 1.1 is older than these two terms of schema.org.
ADDED = {name: f"http://schema.org/{name}" for name in ("sha256", "usageInfo")}
ERROR_RATES = (
    "Error rates: `detectable` in each values.csv is the smallest difference that is seen with "
    "80 % power; validation/passport.values.csv has false alarms and power of each measure."
)


class Crate(ROCrate):
    """An RO-Crate with what this run's entities share."""

    def one(self, place: str, kind: str, **about: Any) -> ContextEntity:
        """Add what is no file."""
        return self.add(ContextEntity(self, place, {"@type": kind, **about}))

    def file(self, place: str, size: int, checksum: str, **about: Any) -> File:
        """Add a file by its path in the crate, or by its checksum if it is not in it."""
        kind = mimetypes.guess_type(about["name"])[0] or "application/octet-stream"
        about |= {"contentSize": str(size), "sha256": checksum, "encodingFormat": kind}
        where = "source" if place.startswith("ni:") else "dest_path"
        return self.add_file(**{where: place}, properties=about)


def write_crate(folder: Path, facts: Path = FACTS) -> Path:
    """Describe a finished run; `facts` is the folder of `resources/` and `CITATION.cff`."""
    record, registry = read_record(folder), load_registry(facts / "resources/sources.yaml")
    cited = read_yaml(facts / "CITATION.cff")
    crate = Crate(version="1.1")
    crate.metadata.extra_terms.update(ADDED)
    place = f"https://spdx.org/licenses/{cited['license']}"
    licence = crate.one(place, "CreativeWork", name=cited["license"])
    people = []
    for number, author in enumerate(cited["authors"]):
        names = [author[key] for key in ("given-names", "family-names", "name") if key in author]
        kind = "Organization" if "name" in author else "Person"
        place = author.get("orcid") or f"#author-{number}"
        people.append(crate.one(place, kind, name=" ".join(names)))
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
        "usageInfo": f"{SCOPE} {ERROR_RATES}",
    }
    for name, value in root.items():
        crate.root_dataset[name] = value
    text = json.dumps(crate.metadata.generate(), indent=1, ensure_ascii=False)
    write_text(folder / NAME, text + "\n")
    return folder / NAME


def _add_source(
    crate: Crate, path: Path, roles: list[str], record: RunRecord, registry: Mapping[str, Source]
) -> dict[str, File]:
    """Add a source by its manifest, and return its files by their names in the crate."""
    manifest = read_manifest(path)
    name, source_id = manifest["source"], quote(f"#source-{manifest['source']}", "#")
    stated = manifest["licence"]
    licence = crate.one(quote(f"#licence-{stated}", "#"), "CreativeWork", name=stated)
    source = registry.get(record.subjects.get(name) or name)
    facts = {"fidelity": record.inputs[roles[0]]["fidelity"], "roles": ", ".join(roles)}
    if (original := manifest.get("stands_in_for", "")) in registry:
        facts["stands in for"] = f"{original}: {registry[original].title}"
    places = {f.name: f.locators for f in source.files} if source else {}
    files = {}
    for file in manifest["files"]:
        size, checksum = size_and_checksum(path.parent, file)
        digest = base64.urlsafe_b64encode(bytes.fromhex(checksum)).rstrip(b"=").decode()
        about = {"name": f"{name}/{file['path']}", "isPartOf": {"@id": source_id}}
        about |= {"contentUrl": places[file["path"]]} if file["path"] in places else {}
        place = f"ni:///sha-256;{digest}"
        files[place] = crate.file(place, size, checksum, license=licence, **about)
    about = {"name": manifest["title"], "license": licence, "hasPart": [*files.values()]}
    about |= {"citation": source.citation} if source else {}
    about["additionalProperty"] = [
        crate.one(f"{source_id}-{quote(fact)}", "PropertyValue", name=fact, value=value)
        for fact, value in facts.items()
    ]
    crate.one(source_id, "CreativeWork", **about)
    return files


def main(arguments: list[str]) -> int:
    """Describe the run that is named, or the last one; 1 if that is not possible."""
    try:
        print(f"RO-Crate: {write_crate(Path(arguments[0]) if arguments else last_run())}")
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
