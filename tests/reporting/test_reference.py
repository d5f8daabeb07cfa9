"""The reference run: its export from a run written by hand, its readers, and the committed one."""

import hashlib
import io
import json
import math
import re
import zipfile
from dataclasses import MISSING, fields, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import socialbias
from socialbias.commands.maintenance import reference
from socialbias.commands.maintenance.generate import with_reference
from socialbias.commands.result import Result
from socialbias.commands.subjects import open_subject
from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.files import paths
from socialbias.files.reference import EXAMPLE, RECORD, TABLES, reference_run
from socialbias.measures.passport import FIELDS, passports
from socialbias.reporting.page.shown import COLUMN_NUMBERS
from socialbias.reporting.record import read_record, write_record
from socialbias.reporting.values import write_csv, write_values
from tests.paths import REPOSITORY
from tests.records import value, values_table
from tests.worlds.runs import RUN_RECORD

WORDS = b"she he"
KNOWN = {"fidelity": "substitute", "unit": "u"}
# The table has the first interval; the second number has none, and the third is missing.
PASSPORT = [
    value("weat", "split-half", 0.9, interval=(0.8, 0.95), n=16, n_unit="words", sources="news",
          note="validation_reliability: weat, split-half", **KNOWN),
    value("weat", "power", 0.125, n=1000, n_unit="worlds", sources="planted;news",
          weak="few worlds", note="validation_recovery: weat, alarms", **KNOWN),
    value("weat", "false-alarms", 0.05, sources="planted", note="elsewhere", **KNOWN),
    value("weat", "alpha", math.nan, note="it has no items"),
    value("null", "rank", 0.5, sources="news", note="elsewhere", **KNOWN),
]  # fmt: skip
PAIR = "career-Caliskan_et_al_2017 | family-Caliskan_et_al_2017"
TABLE = [value(PAIR, "coherence", 0.25, interval=(0, 0.5), n=4, n_unit="rows", **KNOWN)]
COLUMNS = {"x": {}, "y": {"counted": 1, "verdict": "agrees"}}
VERDICTS = dict.fromkeys(reference.VERDICTS, "") | {"printed": ".25", "verdict": "equal"}


@pytest.fixture
def run(tmp_path, monkeypatch) -> Path:
    """A finished run of two artefacts and one source, in the current folder."""
    monkeypatch.chdir(tmp_path)
    folder, data = Path("results/made-up"), Path("data/news")
    data.mkdir(parents=True)
    (data / "words.txt").write_bytes(WORDS)
    manifest = {"source": "news", "title": "News, 1990", "licence": "MIT"}
    manifest["files"] = [{"path": "words.txt"}]
    (data / "manifest.json").write_text(json.dumps(manifest))
    shown = []
    for place, records in {"bad_seeds/table4": TABLE, "validation/passport": PASSPORT}.items():
        paper, artefact = place.split("/")
        values = values_table(artefact, records, 7)
        write_values(values, folder / f"{place}.values.csv")
        columns = pd.DataFrame(
            [{"column": name} | dict.fromkeys(COLUMN_NUMBERS, 0) | {"verdict": ""} | COLUMNS[name]
             for name in (COLUMNS if artefact == "table4" else ())],
            columns=["column", *sorted(COLUMN_NUMBERS), "verdict"],
        )  # fmt: skip
        write_csv(columns, folder / f"{place}.columns.csv")
        shown.append(values[["row", "column"]].assign(paper=paper, artefact=artefact, **VERDICTS))
    pd.concat(shown).to_parquet(folder / "all.parquet")
    claim = {"id": "c", "verdict": "holds", "kind": "general", "agrees_on": "", "fidelity": "exact"}
    for name in ("claims", "findings"):
        write_csv(pd.DataFrame([claim]), folder / f"{name}.csv")
    rows = np.array([[1.004, -2], [0.5, 0.126]], np.float32)
    WordVectors(("king", "queen"), rows).save(folder / reference.TRAINED)
    record = replace(
        RUN_RECORD,
        config={"seed": 7, "bad_seeds": {"bootstraps": 2}},
        inputs={"glove": {"manifest": str(data / "manifest.json"), "fidelity": "substitute"}},
        code={"bad_seeds_table4": "0123"},
    )
    write_record(record, folder)
    (folder / reference.PICTURE).write_bytes(b"a picture")
    return folder


@pytest.fixture
def exported(run, tmp_path, monkeypatch) -> Path:
    """The run as the reference run of the library."""
    folder = tmp_path / "reference"
    monkeypatch.setattr(paths, "reference_folder", lambda: folder)
    reference.write_reference(run, folder)
    return folder


@pytest.fixture
def without(tmp_path, monkeypatch):
    """A library without a reference run."""
    monkeypatch.setattr(paths, "reference_folder", lambda: tmp_path / "nothing")


def result(**others) -> Result:
    """A result of WEAT in vectors."""
    needed = [f.name for f in fields(Result) if MISSING is f.default is f.default_factory]
    empty = dict.fromkeys(needed, "")
    numbers = dict.fromkeys(("value", "low", "high", "null", "reliability"), math.nan)
    numbers |= {"level": 0.95, "n": 2, "n_of": 2, "detectable": math.nan, "p_value": math.nan}
    about = {"measure": "weat", "missing": {}, "rows": (), "notes": ()}
    about |= {"provenance": [{"role": "vectors", "name": "v"}]}
    return Result(**empty | numbers | about | others)


def test_every_table_is_read_by_pandas_in_one_line(exported):
    numbers = pd.read_csv(exported / "numbers.csv")
    assert len(numbers) == 6
    first = numbers.iloc[0]
    assert (first["paper"], first["artefact"], first["row"]) == ("bad_seeds", "table4", PAIR)
    assert [*first[["value", "ci_low", "ci_high", "n"]]] == [0.25, 0, 0.5, 4]
    assert (first["verdict"], first["n_unit"]) == ("equal", "rows")
    inputs = pd.read_csv(exported / "inputs.csv").to_dict("records")
    checksum = hashlib.sha256(WORDS).hexdigest()
    assert inputs == [
        {"role": "glove", "source": "news", "title": "News, 1990", "licence": "MIT",
         "fidelity": "substitute", "file": "words.txt", "bytes": 6, "sha256": checksum}
    ]  # fmt: skip
    assert list(pd.read_csv(exported / "columns.csv")["column"]) == ["x", "y"]
    assert list(pd.read_csv(exported / "claims.csv")["verdict"]) == ["holds"]
    table = socialbias.reference()  # with words such as null
    assert list(table["row"])[1:] == ["null", "weat", "weat", "weat", "weat"]
    assert table["value"].isna().sum() == 1
    with pytest.raises(UserError, match="no table is called 'number'; did you mean 'numbers'"):
        socialbias.reference("number")


def test_the_same_run_makes_the_same_bytes(run, exported):
    before = {path.name: path.read_bytes() for path in exported.iterdir()}
    tables = {f"{name}.csv" for name in TABLES}
    assert before.keys() == {RECORD, EXAMPLE, reference.PICTURE.name} | tables
    reference.write_reference(run, exported)
    assert {path.name: path.read_bytes() for path in exported.iterdir()} == before


def test_the_first_of_its_vectors_are_subjects_of_measure(exported, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    example = open_subject("example")
    assert (example.kind, example.name) == ("vectors", EXAMPLE)
    assert list(example.vocabulary()) == ["king", "queen"]
    rows = example.vectors(["king", "queen"]).matrix
    np.testing.assert_array_equal(rows, np.array([[1, -2], [0.5, 0.13]], np.float32))
    Path("example").mkdir()  # what one has oneself comes first
    Path("example/a.txt").write_text("A text.")
    assert open_subject("example").kind == "corpus"


def test_a_run_that_does_not_say_which_code_made_it_is_refused(run, tmp_path):
    write_record(replace(read_record(run), code={}), run)
    with pytest.raises(UserError, match="does not say which code made the numbers: run `make ref"):
        reference.write_reference(run, tmp_path / "reference")
    assert not (tmp_path / "reference").exists()


def test_without_a_reference_run_there_is_a_line_that_says_so(without, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for read in (socialbias.reference, lambda: open_subject("example")):
        with pytest.raises(UserError, match="comes without a reference run"):
            read()
    assert passports() == {}
    assert reference.sentences() == []
    assert "reference run" not in dict(result().all_facts())
    assert result().passport is None
    assert "passport" not in result().as_dict()
    (wrong,), aged = reference.check()
    assert "there is no reference run: `make reference` makes it" in wrong
    assert aged == []


def test_a_result_has_the_passport_of_its_measure(exported):
    passport = result().passport
    assert (passport.measure, passport.version) == ("weat", "socialbias 9, commit abc")
    assert list(passport.known) == list(FIELDS)
    half, power = passport.known["split-half"], passport.known["power"]
    assert (half.value, half.low, half.high, half.data) == (0.9, 0.8, 0.95, ("News, 1990",))
    assert (power.number, power.size) == ("0.12", "1,000 worlds")
    assert power.measured_on == "planted data; News, 1990 (caution: few worlds)"
    assert passport.known["alpha"].number == "none"
    assert passport.known["slope"].note == "not in the reference run"
    assert "split-half reliability: 0.90 [0.80, 0.95]; u; 16 words; News, 1990; " in str(passport)
    assert replace(power, value=0.001, unit="p-value").number == "0.001"
    plain = json.loads(json.dumps(result().as_dict()))["passport"]
    assert plain["known"]["alpha"]["value"] is None
    assert plain["known"]["power"]["value"] == 0.125
    assert "it describes the measure, not this data" in plain["about"]
    assert result(measure="mac").passport is None


def test_readme_quotes_what_came_of_the_reference_run(exported):
    page = "Before\n<!-- reference run -->\nold\n<!-- end of reference run -->\nAfter\n"
    lines = with_reference(page, 4).splitlines()
    assert (lines[0], lines[-1], "old" in lines) == ("Before", "After", False)
    assert lines[2:4] == [
        "- No number that the papers measured was recomputed on their own inputs.",
        "- Of 1 printed number, 0 could be computed from the papers' own inputs.",
    ]
    assert "1 claim could be tested on the papers' own inputs: 1 holds" in lines[5]


@pytest.mark.parametrize("name", ["numbers.csv", "inputs.csv"])
def test_a_file_that_was_edited_or_is_gone_is_damage(exported, name):
    assert reference.damage(exported) == []
    (exported / name).write_text("edited")
    (line,) = reference.damage(exported)
    assert line.startswith(f"{exported / name}: not the file that")
    (exported / name).unlink()
    assert reference.damage(exported) == [line]


def test_what_has_changed_since_the_run_is_named(exported, monkeypatch):
    digests = {"bad_seeds_table4": "0123", "validation_passport": "4567"}
    monkeypatch.setattr(reference, "artefact_digests", lambda *_: digests)
    assert reference.older(reference_run()) == ["validation_passport"]
    digests["bad_seeds_table4"] = "89ab"
    assert reference.older(reference_run()) == ["bad_seeds_table4", "validation_passport"]
    with_a_key_that_is_gone = {"config": {"no_such_key": 1}, "command": "", "code": {"a": "0"}}
    assert reference.older(with_a_key_that_is_gone) == ["a"]


def test_settings_that_have_changed_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(reference, "FILES", tmp_path)
    (tmp_path / "config.yaml").write_text("seed: 7\nbad_seeds: {bootstraps: 20, epochs: 5}\n")
    (tmp_path / "config.reference.yaml").write_text("bad_seeds: {bootstraps: 3}\n")
    had = {"seed": 7, "bad_seeds": {"bootstraps": 2, "epochs": 5}, "run": "made-up"}
    assert reference.changed_settings({"config": had}) == ["bad_seeds.bootstraps", "run"]


# The committed run.

FOLDER = paths.reference_folder()
committed = pytest.mark.skipif(
    not (FOLDER / RECORD).exists(), reason="no reference run is committed yet"
)
# A number in a page with its place: 0.76<!-- validation_passport: weat, split-half -->
QUOTED = re.compile(r"(-?\d*\.?\d+)<!-- (\w+): (.+?), (\S+) -->")


@committed
def test_the_committed_run_is_whole_and_small_and_gets_into_a_container():
    assert reference.damage(FOLDER) == []
    assert "!results/reference" in (REPOSITORY / ".dockerignore").read_text().splitlines()
    with zipfile.ZipFile(io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        for path in FOLDER.iterdir():
            archive.write(path)
        assert sum(each.compress_size for each in archive.infolist()) < 5e6


@committed
def test_the_committed_run_is_as_new_as_the_code():
    _, aged = reference.check()
    if aged:
        pytest.skip("; ".join(aged))


def wrong_quotes(text: str, numbers: pd.DataFrame) -> list[str]:
    """The quoted numbers of a page that are not the run's, rounded as they are written."""
    targets = numbers["paper"] + "_" + numbers["artefact"]
    values = dict(
        zip(zip(targets, numbers["row"], numbers["column"], strict=True), numbers["value"],
            strict=True)
    )  # fmt: skip
    return [
        f"{written}: {place}"
        for written, *place in QUOTED.findall(text)
        if not math.isclose(
            float(written), values.get(tuple(place), math.nan),
            abs_tol=0.5001 * 10 ** -len(written.partition(".")[2]), rel_tol=0,
        )
    ]  # fmt: skip


def test_a_number_that_is_not_the_run_s_is_found(exported):
    page = "alpha 0.12<!-- validation_passport: weat, power --> and .9<!-- {} -->"
    numbers = socialbias.reference()
    assert wrong_quotes(page.format("validation_passport: weat, split-half"), numbers) == []
    for wrong in ("validation_passport: weat, power", "validation_passport: weat, slope"):
        assert len(wrong_quotes(page.format(wrong), numbers)) == 1


@committed
def test_the_pages_quote_the_committed_run():
    pages = [REPOSITORY / "README.md", *(REPOSITORY / "docs").rglob("*.md")]
    text = "\n".join(page.read_text("utf-8") for page in pages if "_" not in page.parent.name)
    assert wrong_quotes(text, socialbias.reference()) == []
