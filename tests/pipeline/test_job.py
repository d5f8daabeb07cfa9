"""A job: what it reads, and the parts of it that outlive its death."""

import os

import pandas as pd
import pytest

from socialbias.pipeline.job import job_of, parts_of


@pytest.fixture
def counted():
    """A part that says how often it was computed."""
    calls = []

    def compute():
        calls.append(1)
        return pd.DataFrame({"number": [1.5, 2.5], "name": ["a", "b"]})

    return compute, calls


def job(parts):
    return job_of({}, {}, print, parts)


def test_a_part_is_computed_once_and_read_by_the_job_that_is_started_anew(tmp_path, counted):
    compute, calls = counted
    first = job(tmp_path / "parts").part("development-0", compute)
    again = job(tmp_path / "parts").part("development-0", compute)
    assert len(calls) == 1
    pd.testing.assert_frame_equal(first, again)
    job(tmp_path / "parts").part("development-500", compute)
    assert len(calls) == 2
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_part_that_fails_is_not_kept(tmp_path, counted):
    compute, calls = counted

    def fail():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        job(tmp_path / "parts").part("one", fail)
    job(tmp_path / "parts").part("one", compute)
    assert len(calls) == 1


def test_a_job_without_a_folder_keeps_no_parts(counted):
    compute, calls = counted
    for _ in range(2):
        job(None).part("one", compute)
    assert len(calls) == 2


@pytest.fixture
def inputs(tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(name)
    return {"one": str(tmp_path / "a"), "several": [str(tmp_path / "b"), str(tmp_path / "c")]}


def test_parts_of_the_same_job_have_one_folder_and_of_other_settings_code_or_inputs_another(
    tmp_path, inputs
):
    output = tmp_path / "evidence/scores_mine.parquet"
    folder = parts_of(output, inputs, ({"seed": 1}, "code"))
    assert folder == parts_of(output, inputs, ({"seed": 1}, "code"))
    assert folder.parent == tmp_path / "evidence/scores_mine.parts"
    known = {folder, parts_of(output, inputs, ({"seed": 2}, "code"))}
    known.add(parts_of(output, inputs, ({"seed": 1}, "other")))
    (tmp_path / "b").write_text("longer")
    known.add(parts_of(output, inputs, ({"seed": 1}, "code")))
    os.utime(tmp_path / "c", ns=(1, 1))
    known.add(parts_of(output, inputs, ({"seed": 1}, "code")))
    assert len(known) == 5


def test_inputs_are_found_by_name_and_by_what_their_names_begin_with(tmp_path, inputs):
    made = job_of(inputs, {}, print)
    assert made.path("one") == tmp_path / "a"
    assert made.files["several"] == [tmp_path / "b", tmp_path / "c"]
    assert "one" in made
    assert "two" not in made
    assert made.below("sev") == ["eral"]
