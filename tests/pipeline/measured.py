"""What the jobs of a finished quickstart took: `make costs` keeps it in `quickstart_costs.csv`.

Of each job that a `benchmark:` file tells of: seconds, and the most memory in megabytes. The file
has processor time too, but only up to the last look at the job, which can be half a minute before
its end; on as many free cores as `--cores` names, seconds are the better measure. So run it on a
machine that does nothing else.
"""

import csv
from pathlib import Path

from tests.paths import REPOSITORY

MEASURED = Path(__file__).parent / "quickstart_costs.csv"
RUN = "quickstart"


def read_benchmarks(folder: Path) -> dict[str, tuple[float, float]]:
    """Seconds and megabytes by job, from the folder `benchmarks` of a run."""
    found = {}
    for part in (f"{RUN}", "fetch"):
        base = folder / RUN if part == RUN else folder
        for path in sorted((folder / part).rglob("*.tsv")):
            with path.open(encoding="utf-8") as file:
                *_, last = csv.DictReader(file, delimiter="\t")
            name = path.relative_to(base).with_suffix("").as_posix()
            memory = last["max_rss"]
            found[name] = (float(last["s"]), 0.0 if memory in ("NA", "-") else float(memory))
    return found


def read_measured() -> dict[str, tuple[float, float]]:
    """Seconds and megabytes by job, as kept."""
    with MEASURED.open(encoding="utf-8") as file:
        return {row["job"]: (float(row["s"]), float(row["mb"])) for row in csv.DictReader(file)}


def main() -> None:
    """Keep what the benchmarks of this checkout's last quickstart say."""
    found = read_benchmarks(REPOSITORY / "benchmarks")
    with MEASURED.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["job", "s", "mb"])
        writer.writerows([job, f"{s:.1f}", f"{mb:.0f}"] for job, (s, mb) in sorted(found.items()))
    print(f"{MEASURED.relative_to(REPOSITORY)}: {len(found)} jobs")


if __name__ == "__main__":
    main()
