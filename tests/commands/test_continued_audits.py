"""An audit that is stopped keeps what it has, and the same command continues it."""

import json
import math
from functools import partial

import pytest
from click.testing import CliRunner

from socialbias.commands.audit import run
from socialbias.commands.audit.benchmarks import Benchmarks
from socialbias.commands.audit.results import Entry, Step, placebo
from socialbias.commands.cli import cli
from socialbias.commands.result import Result
from socialbias.errors import UserError
from socialbias.measurement.estimates import Row

TITLES = ("relatedness", "seeds, gender", "seeds, class", "WEAT 1 to 10")
NAMES = ["relatedness", "seeds-gender", "seeds-class", "weat-1-to-10"]
ONE = 1.0005e-7 + 1 / 3  # six digits are kept


@pytest.fixture
def steps(monkeypatch):
    """The titles of the steps that are run; what stands in `broken` is raised by its step."""
    done, broken = [], {}

    def measure(title):
        if title in broken:
            raise broken[title]
        done.append(title)
        result = Result(
            title=title, measure="m", statistic="mean", value=ONE, low=-ONE, high=math.nan,
            level=0.95, null=0.0, unit="u", direction="d", n=3, n_of=4, n_unit="words",
            resampled="words", citation="c", rows=(Row("nurse", *[math.nan] * 3, n=2),),
            notes=("a note",), missing={"targets": ["pilot"]},
        )  # fmt: skip
        yield Entry(title, "a paper", result, placebo("others", [0.1, ONE], "lists"))

    monkeypatch.setattr(
        run, "_steps", lambda job: [Step(title, partial(measure, title)) for title in TITLES]
    )
    return done, broken


@pytest.fixture
def audit(hand, tmp_path):
    def audited(*options, out="out"):
        told = CliRunner().invoke(cli, ["audit", str(hand), "-o", str(tmp_path / out), *options])
        path = tmp_path / out / "audit.json"
        return told, json.loads(path.read_text()) if path.exists() else None

    return audited


def instruments(data):
    return [entry["instrument"] for entry in data["entries"]]


def test_a_stopped_audit_keeps_what_it_has_and_is_continued(steps, audit, tmp_path):
    done, broken = steps
    _, whole = audit(out="undisturbed")
    done.clear()
    broken["seeds, class"] = KeyboardInterrupt()
    told, kept = audit()
    assert isinstance(told.exception, SystemExit)
    assert instruments(kept) == list(TITLES[:2])
    assert kept["left"] == NAMES[2:]
    page = (tmp_path / "out" / "index.html").read_text()
    assert "Not complete: seeds-class, weat-1-to-10 were not run" in page
    broken.clear()
    told, data = audit()
    assert (told.exit_code, done) == (0, list(TITLES))  # each once
    assert "continuing the audit in" in told.stderr
    assert data == whole
    pages = [(tmp_path / out / "index.html").read_text() for out in ("out", "undisturbed")]
    assert pages[0] == pages[1]


def test_chosen_instruments_are_run_and_the_others_kept(steps, audit):
    told, data = audit("--only", "seeds, wea")
    assert (told.exit_code, steps[0]) == (0, list(TITLES[1:]))
    assert data["left"] == NAMES[:1]
    told, data = audit("--only", "relatedness,weat")
    assert steps[0] == [*TITLES[1:], TITLES[0]]  # the second finds weat done
    assert instruments(data) == list(TITLES)
    told, _ = audit("--only", "wet")
    line = "Error: only: no instrument is called 'wet'; did you mean 'weat'"
    assert told.stderr.splitlines()[-1].startswith(line)
    assert told.exit_code == 1


def test_an_instrument_without_a_result_is_tried_again_last(steps, audit):
    done, broken = steps
    broken["relatedness"] = UserError("its benchmark is missing")
    _, data = audit("--only", "relatedness,seeds-gender")
    assert data["absent"][0]["reason"] == "its benchmark is missing"
    broken.clear()
    _, data = audit()
    assert done == [TITLES[1], *TITLES[2:], TITLES[0]]
    assert (instruments(data), data["absent"]) == (list(TITLES), [])


@pytest.mark.parametrize("change", ["seed", "subject", "code"])
def test_an_audit_that_was_made_otherwise_is_kept(
    steps, audit, hand, tmp_path, monkeypatch, change
):
    _, before = audit()
    steps[0].clear()
    if change == "subject":
        hand.write_text(hand.read_text().replace("nurse 3 1", "nurse 3 2"))
    elif change == "code":
        monkeypatch.setattr(run, "code_digest", lambda: "another")
    told, data = audit(*(["--seed", "7"] if change == "seed" else []))
    line = f"Error: {tmp_path / 'out' / 'audit.json'}: was made with another {change}: name another"
    assert told.stderr.startswith(line)
    assert (told.exit_code, steps[0], data) == (1, [], before)


def test_an_audit_without_a_number_leaves_nothing(steps, audit, tmp_path):
    steps[1][TITLES[-1]] = UserError("no")
    assert audit("--only", "weat")[0].exit_code == 1
    assert not (tmp_path / "out").exists()


def test_a_folder_of_others_is_not_written_to(steps, audit, tmp_path):
    (tmp_path / "out" / "items").mkdir(parents=True)
    assert audit()[0].exit_code == 0  # answers of an audit that was stopped before its first number
    for name in ("mine/notes.txt", "texts/items/a.txt", "rows/items/a.parquet"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
        out = name.partition("/")[0]
        told, data = audit(out=out)
        assert told.stderr.endswith(f"{out}: already exists: name a new or empty folder\n")
        assert data is None


def test_a_folder_may_be_named_like_a_file_that_was_audited(steps, audit, tmp_path):
    assert "name one folder" in audit(out="audit-a.txt")[0].stderr
    (tmp_path / "audit-a.txt").mkdir()
    assert audit(out="audit-a.txt")[0].exit_code == 0


def test_another_benchmark_is_no_continuation(steps, audit, monkeypatch):
    """The file of an earlier audit names what was read; what is read now may be another."""
    read = [{"role": "similarity", "name": "first", "source": "", "licence": "", "files": []}]

    def fetched(self, role):
        self.read.append(dict(read[0]))
        return None, {}

    monkeypatch.setattr(Benchmarks, "_fetch", fetched)
    plain = run._steps

    def reading(job):
        job.benchmarks("similarity")
        return plain(job)

    monkeypatch.setattr(run, "_steps", reading)
    audit()
    assert "continuing" in audit()[0].stderr
    read[0]["name"] = "second"
    assert "its benchmarks have changed: name another folder" in audit()[0].stderr
