"""The reference run's results in few, small files: `results/reference`, which git has.

    python -m socialbias.commands.maintenance.reference results/reference-run
    python -m socialbias.commands.maintenance.reference --check

The first writes them, from that run; the second says whether they are out of date.

The same run makes the same bytes. `files.reference` reads them, also from an installed wheel.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

import socialbias
from socialbias.commands.maintenance.kinds import judged, reference_values
from socialbias.config.checks import read_config
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.lists import lists
from socialbias.errors import UserError
from socialbias.files import paths
from socialbias.files.atomic_write import aside, write_text
from socialbias.files.reference import EXAMPLE, RECORD, TABLES, reference_run
from socialbias.pipeline.artefact_code import artefact_digests
from socialbias.pipeline.folder import FILES
from socialbias.pipeline.setup import merged, plan_of, raw_setup
from socialbias.reporting import kinds, summary
from socialbias.reporting.compare import BY_CHANCE
from socialbias.reporting.page.shown import COLUMN_NUMBERS
from socialbias.reporting.record import RunRecord, read_record
from socialbias.reporting.values import KEY, read_csv, read_values, write_csv
from socialbias.sources.checksums import sha256_of
from socialbias.sources.manifest import parsed, size_and_checksum

ARTEFACT = ["paper", "artefact"]
VERDICTS = ["printed", "kind", "counted", "verdict", *BY_CHANCE, "column_verdict", "finding"]
CONFIGS = ("config.yaml", "config.reference.yaml")
TRAINED = Path("corpora/wikitext/models/0")  # the vectors of which the first travel as an example
PICTURE = Path("overview.svg")  # that README shows
AGAIN = "run `make reference` again"


def write_reference(run: Path, folder: Path) -> dict[str, Any]:
    """Write the tables of a finished run, example vectors, and what the run was."""
    record = read_record(run)
    if not record.code:
        raise UserError(f"{run}: run.json does not say which code made the numbers: {AGAIN}")
    numbers, columns = _numbers_and_columns(run)
    tables = {
        "numbers": numbers,
        "columns": columns,
        "claims": read_csv(run / "claims.csv"),
        "findings": read_csv(run / "findings.csv"),
        "inputs": pd.DataFrame(_inputs(record)),
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RECORD).unlink(missing_ok=True)  # without it there is no reference run
    files = {name: folder / f"{name}.csv" for name in TABLES}
    for name, path in files.items():
        write_csv(tables[name], path)
    files["picture"] = folder / PICTURE.name
    shutil.copyfile(run / PICTURE, files["picture"])
    files["example"] = folder / EXAMPLE
    vectors = WordVectors.load(run / TRAINED)
    listed = {word for each in lists().values() for word in each.all}
    frequent = vectors.words[:5000]
    words = [*frequent, *(word for word in vectors.words[5000:] if word in listed)]
    lines = [f"{len(words)} {vectors.matrix.shape[1]}"]
    for word in words:
        row = vectors.matrix[vectors.index[word]]
        lines.append(word + "".join(f" {number:.2f}" for number in row))
    text = "".join(f"{line}\n" for line in lines)
    with aside(files["example"]) as part:
        part.write_bytes(gzip.compress(text.encode(), mtime=0))
    kept = ("run", "version", "written", "seed", "command", "machine", "config", "code")
    content = {name: getattr(record, name) for name in kept}
    content["files"] = {path.name: sha256_of(path) for path in files.values()}
    write_text(folder / RECORD, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return content


def _numbers_and_columns(run: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return all values of a run with their verdicts, and the verdicts on columns."""
    shown = pd.read_parquet(run / "all.parquet", columns=[*ARTEFACT, *KEY, *VERDICTS])
    values, columns = [], []
    for paper, artefact in shown[ARTEFACT].drop_duplicates().itertuples(index=False):
        place = {"paper": paper, "artefact": artefact}
        stem = run / paper / artefact
        values.append(read_values(Path(f"{stem}.values.csv")).drop(columns="seed").assign(**place))
        columns.append(read_csv(Path(f"{stem}.columns.csv"), COLUMN_NUMBERS).assign(**place))
    numbers = pd.concat(values).merge(shown, "left", [*ARTEFACT, *KEY], validate="1:1")
    tables = numbers, pd.concat(columns)
    return tuple(table[[*ARTEFACT, *table.columns.drop(ARTEFACT)]] for table in tables)


def _inputs(record: RunRecord) -> Iterator[dict[str, Any]]:
    """Yield a row for each file that a role of the run read."""
    for role, bound in record.inputs.items():
        path = Path(bound["manifest"])
        manifest = parsed(path)
        for file in manifest["files"]:
            size, checksum = size_and_checksum(path.parent, file)
            yield {
                "role": role,
                **{name: manifest[name] for name in ("source", "title", "licence")},
                "fidelity": bound["fidelity"],
                "file": file["path"],
                "bytes": size,
                "sha256": checksum,
            }


def sentences() -> list[str]:
    """Return what came of the reference run, as README quotes it; [] without one."""
    run, folder = reference_run(), paths.reference_folder()
    if not run:
        return []
    numbers, _ = judged(reference_values())
    claims = read_csv(folder / "claims.csv").to_dict("records")
    said = [*filter(None, kinds.agreement(numbers).values()), summary.claims(claims)]
    return [*said, f"The reference run was made on {run['written'][:10]} by {run['version']}."]


def damage(folder: Path) -> list[str]:
    """Files of the reference run that are missing or are not those that it lists."""
    record = folder / RECORD
    files = json.loads(record.read_text("utf-8"))["files"]
    there = {path.name: sha256_of(path) for path in folder.iterdir() if path != record}
    changed = [name for name in sorted(files.keys() | there) if there.get(name) != files.get(name)]
    return [f"{folder / name}: not the file that {record} lists: {AGAIN}" for name in changed]


def older(run: Mapping[str, Any]) -> list[str]:
    """Return targets whose code, word lists or printed numbers changed since the run."""
    try:
        plan = plan_of(raw_setup(run["config"]), run["command"])
    except UserError:
        return [*run["code"]]
    library = Path(socialbias.__file__).parents[1]
    now = artefact_digests(plan, library, FILES / "scripts")
    return [target for target, digest in now.items() if run["code"].get(target) != digest]


def changed_settings(run: Mapping[str, Any]) -> list[str]:
    """Return the keys that the reference run's configuration files now set otherwise."""
    now: dict[str, Any] = {}
    for name in CONFIGS:
        now = merged(now, read_config(FILES / name))
    before, after = (pd.json_normalize(each).iloc[0].to_dict() for each in (run["config"], now))
    return sorted(key for key in before | after if before.get(key) != after.get(key))


def check() -> tuple[list[str], list[str]]:
    """Return lines on what is wrong with the files of the reference run, and on what has aged."""
    run, folder = reference_run(), paths.reference_folder()
    if not run:
        return [f"{folder}: there is no reference run: `make reference` makes it"], []
    changed = {"code of": older(run), "settings": changed_settings(run)}
    aged = [
        f"changed since the reference run ({run['version']}): {what} {', '.join(names)}"
        for what, names in changed.items()
        if names
    ]
    return damage(folder), aged


def main(arguments: list[str]) -> int:
    """Write the reference run's tables, or with `--check` say what is wrong with them."""
    folder = paths.reference_folder()
    try:
        if arguments == ["--check"]:
            wrong, aged = check()
            print(*(wrong + aged or [f"{folder}: as new as the code"]), sep="\n")
            return int(bool(wrong + aged))
        if len(arguments) != 1 or arguments[0].startswith("-"):
            raise UserError("name the folder of the run, such as results/reference-run, or --check")
        run = write_reference(Path(arguments[0]), folder)
    except (UserError, OSError) as error:
        print(f"reference: {error}", file=sys.stderr)
        return 1
    size = sum(path.stat().st_size for path in folder.iterdir())
    print(f"wrote {folder}, {size / 1e6:.1f} MB, made by {run['version']}")
    print("Next: `make generate` puts the results into README; then commit both.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
