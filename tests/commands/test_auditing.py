"""Audits: what is measured, beside what, and what happens where an instrument fails."""

import csv
import json
from itertools import pairwise

import pytest
from click.testing import CliRunner

import socialbias
from socialbias.commands.audit import instruments_models, instruments_vectors, run, verify
from socialbias.commands.audit.benchmarks import Benchmarks
from socialbias.commands.audit.results import TWIN, TWIN_APART
from socialbias.commands.cli import cli
from socialbias.errors import UserError
from socialbias.files.paths import resources
from tests import tiny_audit
from tests.models.served.stub import START, Pairs, serving

pytestmark = pytest.mark.usefixtures("few_halves", "few_draws")


@pytest.fixture(scope="module")
def random_model(tmp_path_factory):
    """A model that is its own twin."""
    return tiny_audit.random_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def audited(random_model, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "Benchmarks", tiny_audit.Made)
        return run.audit(random_model, n=8, data=tmp_path_factory.mktemp("data"))


def test_a_model_with_random_weights_is_its_own_twin(audited):
    by_name = {entry.instrument: entry for entry in audited.entries}
    within = by_name["StereoSet, within a sentence, ss"]
    assert (within.result.n, within.result.n_of) == (4, 4)
    assert within.result.n_unit == "terms, in 8 items"
    assert {"CrowS-Pairs", "StereoSet, between sentences, lms"} <= set(by_name)
    assert "directed bias, professions" in by_name
    for entry in audited.entries:
        controls = {control.name: control for control in entry.controls}
        assert controls[TWIN].value == pytest.approx(entry.result.value, abs=1e-5)
        if TWIN_APART in controls:
            apart = controls[TWIN_APART]
            assert apart.value == 0
            assert -100 <= apart.low < 0 < apart.high <= 100  # of few terms
    absent = {each.instrument: each for each in audited.absent}
    assert "not at hand" in absent["employment"].reason
    assert not any(each.failed for each in audited.absent)
    assert "8 items" in audited.sampled[0]


def test_a_model_behind_an_address_is_audited_by_its_items(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "Benchmarks", tiny_audit.Made)
    (tmp_path / "data").mkdir()
    model = Pairs()
    with serving(model) as stub:
        how = {"n": 8, "data": tmp_path / "data"}
        audit = run.audit(stub.address, **how, out=tmp_path / "out")
    by_name = {entry.instrument: entry for entry in audit.entries}
    assert {"StereoSet, within a sentence, ss", "StereoSet, between sentences, lms"} <= set(by_name)
    # Pairs of sentences differ in their first word only.
    [*she, _], [*he, _] = (
        pairwise([START, *model.tokens(f"{who} is old")]) for who in ("she", "he")
    )
    preferred = sum(model.logs[two] for two in she) > sum(model.logs[two] for two in he)
    assert by_name["CrowS-Pairs"].result.value == 100 * preferred
    absent = {each.instrument: each.reason for each in audit.absent}
    assert "no weights" in absent[TWIN]
    assert "no vectors" in absent["representations"]
    # The server is gone; the audit has its scores.
    assert verify.verify(tmp_path / "out", data=tmp_path / "data").problems == []
    assert not any(each.failed for each in audit.absent)


def test_the_ruler_has_the_printed_digits(audited):
    ruler = next(
        e.printed for e in audited.entries if e.instrument == "StereoSet, within a sentence, ss"
    )
    lines = (resources() / "published" / "stereoset_table6.csv").read_text().splitlines()
    printed = {
        line["row"].removeprefix("intra "): line["value"]
        for line in csv.DictReader(lines)
        if line["row"].startswith("intra") and line["column"] == "ss" and line["value"]
    }
    assert {mark.subject: mark.value for mark in ruler} == printed
    assert all(mark.place == "Nadeem et al. 2021, Table 6" for mark in ruler)


def test_an_instrument_that_breaks_takes_no_other_down(random_model, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "Benchmarks", tiny_audit.Made)
    answers, asked = instruments_models.answers, []

    def broken(folder, items, *how):
        asked.append(items)
        if len(asked) == 1:
            raise RuntimeError("out of\nluck")
        return answers(folder, items, *how)

    monkeypatch.setattr(instruments_models, "answers", broken)
    monkeypatch.setattr(instruments_vectors, "steps", lambda *_: [])  # the slow ones
    found = run.audit(random_model, n=2, data=tmp_path)
    [absent] = [each for each in found.absent if each.failed]
    assert (absent.instrument, absent.reason) == (
        "StereoSet, within a sentence",
        "RuntimeError: out of luck",
    )
    assert any(entry.instrument == "CrowS-Pairs" for entry in found.entries)


def test_vectors_are_audited_by_the_command_and_every_number_has_its_companions(
    reviews, tmp_path, monkeypatch
):
    monkeypatch.delenv("SOCIALBIAS_MIRROR", raising=False)
    made, audit = [], run.audit
    monkeypatch.setattr(run, "audit", lambda *a, **how: made.append(audit(*a, **how)) or made[0])
    out = tmp_path / "out"
    arguments = ["audit", reviews, "--data", tmp_path / "none", "--offline", "-o", out]
    told = CliRunner().invoke(cli, list(map(str, arguments)))
    assert told.exit_code == 0, told.output
    page = (out / "index.html").read_text()
    data = json.loads((out / "audit.json").read_text())
    assert len(data["entries"]) == len(made[0].entries) > 5
    assert "src=" not in page  # it needs no other file
    for entry in made[0].entries:
        result = entry.result
        assert result.resampled
        assert result.n > 0
    absent = {each.instrument: each.reason for each in made[0].absent}
    assert "(offline): name a folder that contains it with --data" in absent["employment"]


def of_eight(pairs, folder):
    """The audit's entry on eight professions in sentences of these pairs, 30 of each."""
    lines = [{"text": f"the {who} said that the {what} was here ."} for who, what in pairs * 30]
    path = folder / "texts.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = socialbias.audit(path, data=folder, offline=True)
    return next(e for e in found.entries if e.instrument == "directed bias, professions-eight")


def test_a_corpus_is_audited(tmp_path):
    entry = of_eight(PAIRS, tmp_path)
    biases = {row.target: row.value for row in entry.result.rows}
    assert biases == {"nurse": 0.5, "pilot": -0.5}  # only with women, only with men
    dealt = next(c for c in entry.controls if c.name.startswith("shuffled"))
    assert dealt.low <= 0 <= dealt.high


def test_random_lists_differ_from_each_other(tmp_path):
    men = [("man", "walker"), ("father", "driver")]  # no professions
    entry = of_eight([*PAIRS[:2], ("aunt", "pilot"), *men], tmp_path)
    assert entry.result.value == 0.5
    controls = {control.name.split(":")[0]: control for control in entry.controls}
    for name in ("placebo lists", "shuffled labels"):
        assert controls[name].low < controls[name].high


PAIRS = [("woman", "nurse"), ("mother", "nurse"), ("man", "pilot"), ("father", "pilot")]


def test_what_cannot_be_audited_is_one_line(tmp_path):
    told = CliRunner().invoke(cli, ["audit", str(tmp_path / "none.vec")])
    assert (told.exit_code, told.output.count("\n")) == (1, 1)


def test_what_stands_in_is_of_a_format_that_is_read(tmp_path, monkeypatch):
    """BEC-Pro and others stand in for the census too, but nothing here reads them."""
    asked = []
    monkeypatch.setattr("socialbias.sources.binding.locations", lambda s, _: asked.append(s.id))
    with pytest.raises(UserError, match="name a folder that contains it"):
        Benchmarks(tmp_path)("census_gender")
    assert asked == ["garg-census-gender", "winogender-occupations"]
