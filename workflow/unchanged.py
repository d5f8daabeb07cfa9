"""Whether anything has changed since a run finished, in a tenth of a second.

Snakemake needs some seconds to find out that there is nothing to do. `make` asks here first: the
run's results, the code, the configuration and what was fetched, file by file, by size and time of
change. Where anything differs, or nothing was recorded, Snakemake decides.

    python workflow/unchanged.py results/quickstart           # succeeds where nothing has changed
    python workflow/unchanged.py --record results/quickstart  # after a run has finished
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

READ = ("Snakefile", "config.yaml", "config.quickstart.yaml", "profiles", "workflow", "scripts")
READ += ("src", "resources", "envs", "data")
STAMP = Path(".snakemake/unchanged")
CONFIGS = [name for name in READ if name.endswith(".yaml") and Path(name).is_file()]
# Keys that name a file or folder.
OUTSIDE = re.compile(r"\b(mirror|manual|folder|word_list|path): *(?!null\b)\S")
# The last is made from a run and read by none (`make crate`).
IGNORED = ("__pycache__", ".snakemake_timestamp", "ro-crate-metadata.json")


def fingerprint(results: Path) -> str:
    """Return a digest of each file that a run reads or has written, and of its variables."""
    digest = hashlib.sha256(sys.version.encode())
    for name in sorted(name for name in os.environ if name.startswith("SOCIALBIAS_")):
        digest.update(f"{name}={os.environ[name]}\0".encode())
    for folder in (*map(Path, READ), results):
        for path, stat in sorted(_files(folder)):
            digest.update(f"{path}\0{stat.st_size}\0{stat.st_ctime_ns}\0".encode())
    return digest.hexdigest()


def _files(path: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield a file, or every file below a folder, with its size and time of change."""
    if path.is_file():
        yield str(path), path.stat()
    elif path.is_dir():
        for entry in os.scandir(path):
            if entry.name in IGNORED:
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _files(Path(entry.path))
            else:
                yield entry.path, entry.stat()  # of what a link leads to: a file of the user's own


def main(arguments: list[str]) -> int:
    """Record, or compare; 1 where something has changed."""
    record = arguments[:1] == ["--record"]
    results = Path(arguments[-1])
    now = fingerprint(results)
    if record:
        STAMP.parent.mkdir(exist_ok=True)
        STAMP.write_text(now, "utf-8")
        return 0
    # What lies outside, Snakemake looks at: a mirror, files that the configuration names, and a
    # library that is installed without a checkout.
    texts = [re.sub(r"#.*", "", Path(name).read_text("utf-8")) for name in CONFIGS]
    named = any(OUTSIDE.search(text) for text in texts)
    if named or os.environ.get("SOCIALBIAS_MIRROR") or not Path("src").is_dir():
        return 1
    if not STAMP.is_file() or STAMP.read_text("utf-8") != now:
        return 1
    print(f"nothing has changed since the run finished: {results / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
