"""Full disks, and files that a job may not touch: where, and how much is free."""

import errno
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from socialbias.corpora.documents import Document, ReadReport
from socialbias.corpora.npy import save_array
from socialbias.corpora.shards import write_shards
from socialbias.embeddings.vectors import WordVectors
from socialbias.files.atomic_write import aside, full_disk, write_text
from socialbias.pipeline.scripting import logged
from socialbias.reporting.values import write_csv
from tests.reliability import fault

NUMBERS = np.random.default_rng(0).random((500, 300))  # 1.2 MB, which no compression makes small


def parquet(folder):
    with aside(folder / "table.parquet") as path:
        pd.DataFrame(NUMBERS, columns=map(str, range(300))).to_parquet(path)


def shards(folder):
    documents = (Document(str(i), "".join(map(str, row))) for i, row in enumerate(NUMBERS))
    write_shards(documents, folder / "documents", ReadReport())


def job(log, *output):
    """A job as Snakemake describes it, without inputs."""
    return SimpleNamespace(log=[str(log)], input=[], output=list(output))


WRITERS = {
    "vectors": lambda folder: WordVectors(("a",) * 500, NUMBERS).save(folder / "professions"),
    "an array": lambda folder: save_array(folder / "tokens.npy", NUMBERS.ravel(), np.float64),
    "a table": lambda folder: write_csv(pd.DataFrame(NUMBERS), folder / "table.csv"),
    "text": lambda folder: write_text(folder / "page.html", "x" * 1_000_000),
    "parquet": parquet,
    "documents": shards,
}


@fault(
    "a disk that is full, in any job and whatever writes: numpy, pyarrow, pandas, text",
    "one line: the folder, and how many bytes are free; the same command goes on once there is "
    "room",
)
@pytest.mark.parametrize("kind", WRITERS)
def test_a_full_disk_names_the_folder_and_how_much(tiny_disk, tmp_path, kind):
    output = str(tiny_disk / "output")
    with pytest.raises(SystemExit) as ended, logged(job(tmp_path / "job.log", output)):
        WRITERS[kind](tiny_disk)
    said = str(ended.value)
    assert said.startswith(str(tiny_disk)), said
    assert re.search(r"the disk is full: [\d,]+ bytes are free in ", said)
    assert (tmp_path / "job.log").read_text().endswith(f"failed: {said}\n")


@fault("a disk that is full where the logs lie", "the reason is said on the terminal")
def test_a_log_that_cannot_be_written(tiny_disk):
    with (
        pytest.raises(SystemExit, match="the disk is full"),
        logged(job(tiny_disk / "a.log")) as say,
    ):
        say("x" * 1_000_000)


def raising(error):
    raise error


NO_ENTRY = PermissionError(errno.EACCES, "Permission denied", "/x/a.csv")


@fault("too little memory, or a file that may not be read", "one line that says so")
@pytest.mark.parametrize(
    ("work", "line"),
    [
        (lambda: np.empty((1 << 40, 1 << 10)), r"^out of memory \(Unable to allocate"),
        (lambda: raising(NO_ENTRY), r"^/x/a\.csv: Permission denied"),
        (lambda: {}["a"], r"^KeyError: 'a' \(full traceback in "),
    ],
)
def test_what_is_no_full_disk_is_told_as_it_is(tmp_path, work, line):
    assert full_disk(NO_ENTRY, tmp_path) is full_disk(ValueError("5 words"), tmp_path) is None
    with pytest.raises(SystemExit, match=line), logged(job(tmp_path / "job.log")):
        work()
