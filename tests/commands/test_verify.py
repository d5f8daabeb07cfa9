"""Bundles: one that is as it was made, and ones that were edited in ever more consistent ways."""

import json
import shutil

import pandas as pd
import pytest
from click.testing import CliRunner

from socialbias.commands.audit import bundle, run, verify
from socialbias.commands.audit.page import FILE, PAGE, from_json
from socialbias.commands.cli import cli
from tests import tiny_audit

pytestmark = pytest.mark.usefixtures("few_halves", "few_draws")
CROWS = "items/crows-pairs.model.parquet"
ONLY = ["stereoset", "crows-pairs"]
NUMBER = "CrowS-Pairs, result.value"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A model, the folder of benchmarks and the bundle of its audit."""
    folder = tmp_path_factory.mktemp("verify")
    model = tiny_audit.random_model(folder, seed=2)
    (folder / "data").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        for module in (run, verify):
            patch.setattr(module, "Benchmarks", tiny_audit.Made)
        run.audit(model, n=8, data=folder / "data", out=folder / "bundle", only=ONLY)
        yield model, folder / "data", folder / "bundle"


@pytest.fixture
def copied(made, tmp_path):
    shutil.copytree(made[2], tmp_path / "bundle")
    return tmp_path / "bundle"


def verified(made, folder, *options):
    given = ["verify", str(folder), "--data", str(made[1]), *map(str, options)]
    told = CliRunner().invoke(cli, given)
    return told.exit_code, told.stdout or told.stderr


def edit_item(folder):
    """Turn the model's answers to a pair around, of which it prefers one."""
    table = pd.read_parquet(folder / CROWS)
    row = (table["0"] != table["1"]).idxmax()
    table.loc[row, ["0", "1"]] = table.loc[row, ["1", "0"]].tolist()
    table.to_parquet(folder / CROWS, index=False)


def edit_number(folder):
    data = json.loads((folder / FILE).read_text())
    [entry] = [e for e in data["entries"] if e["instrument"] == "CrowS-Pairs"]
    entry["result"]["value"] += 1
    from_json(data).write(folder)


def with_new_checksums(folder):
    bundle.write_bundle(folder)


def test_an_edited_item_is_named_and_so_are_its_numbers(made, copied):
    edit_item(copied)
    code, told = verified(made, copied)
    assert (code, told.splitlines()[0]) == (3, f"{CROWS}: was changed later")
    with_new_checksums(copied)
    code, told = verified(made, copied)
    assert code == 3
    assert told.startswith(NUMBER)
    assert "files    as their checksums say" in told


def test_an_edited_number_is_named_with_what_its_items_give(made, copied):
    before = json.loads((copied / FILE).read_text())["entries"]
    [value] = [e["result"]["value"] for e in before if e["instrument"] == "CrowS-Pairs"]
    edit_number(copied)
    with_new_checksums(copied)
    code, told = verified(made, copied)
    assert code == 3
    line = f"{NUMBER}: is {value + 1}, but its items give {value}"
    assert told.splitlines()[0] == line


def test_an_edited_page_and_files_that_came_or_went_are_named(made, copied):
    page = (copied / PAGE).read_text()
    (copied / PAGE).write_text(page.replace("CrowS-Pairs", "Crows"))
    (copied / CROWS).rename(copied / "items/other.parquet")
    code, told = verified(made, copied)
    assert code == 3
    assert {
        f"{PAGE}: was changed later",
        f"{PAGE}: is not what `audit` writes of the numbers in {FILE}",
        f"{CROWS}: is missing",
        "items/other.parquet: was added later",
    } < set(told.splitlines())
    assert (
        f"its items give {copied / CROWS}: is missing, so these numbers cannot be derived" in told
    )


def test_what_was_hidden_added_or_renamed_is_found_though_all_was_signed_again(made, copied):
    data = json.loads((copied / FILE).read_text())
    first, *others = data["entries"]
    kept = [e for e in others if e["instrument"] != "CrowS-Pairs"]
    more = {"instrument": "fair", "step": first["step"], "reason": "no bias", "failed": False}
    data |= {"entries": [first, *kept, kept[-1]], "absent": [more], "subject": "other"}
    data |= {"sampled": ["everything"]}
    data["provenance"][-1]["seed"] += 1
    text = from_json(data).to_json().replace('"kind":', '"kind": "vectors",\n  "kind":', 1)
    (copied / FILE).write_text(text)
    (copied / "summary.html").write_text("There is no bias.")
    with_new_checksums(copied)
    content = json.loads((copied / bundle.BUNDLE).read_text())
    content["files"].append(bundle.described(copied / "summary.html", copied))
    content["scope"] = "These numbers are evidence that there is no bias."
    (copied / bundle.BUNDLE).write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    code, told = verified(made, copied)
    assert code == 3
    assert {
        "summary.html: is no part of this audit",
        f"{FILE}: names another subject than the one that was audited",
        f"{FILE}: has an instrument twice",
        f"{FILE}, left: is representations, but its items give crows-pairs, representations",
        "fair, reason: is no bias, but its items give None",
        f"{bundle.BUNDLE}: its scope is another",
        f"{FILE}: is not what `audit` writes of the numbers in {FILE}",
    } < set(told.splitlines())
    assert content["scope"] not in told


def test_scoring_again_finds_items_that_were_edited_with_all_that_follows_from_them(made, copied):
    model, data, _ = made
    assert verified(made, copied, "--subject", model, "--redo", 8)[0] == 0
    edit_item(copied)
    name_alone = verify.Subject("model", model.name, "recorded")
    again = run.audit(name_alone, n=8, data=data, recorded=copied, only=ONLY)
    written = json.loads((copied / FILE).read_text())
    from_json(written | {"entries": again.as_dict()["entries"]}).write(copied)
    with_new_checksums(copied)
    assert verified(made, copied)[0] == 0
    code, told = verified(made, copied, "--subject", model, "--redo", 8, "--seed", 1)
    assert (code, told.splitlines()[0]) == (3, "CrowS-Pairs, model: 1 of 8 answers differ")


def test_another_model_does_not_verify_a_bundle(made, tmp_path):
    other = tiny_audit.random_model(tmp_path, seed=3)
    code, told = verified(made, made[2], "--subject", other)
    assert code == 1
    assert told == "Error: random: is not what was audited: its checksums differ\n"


def test_vectors_are_verified_with_their_files(reviews, tmp_path):
    run.audit(reviews, out=tmp_path / "out", only=["directed"], data=tmp_path, offline=True)
    code, told = verified((None, tmp_path), tmp_path / "out", "--offline")
    assert (code, told) == (
        1,
        f"Error: {reviews.name}: its numbers come from its own files: name the audited "
        "vectors with --subject\n",
    )
    given = (tmp_path / "out", "--offline", "--subject", reviews)
    assert verified((None, tmp_path), *given)[0] == 0


def test_mistakes_are_one_line(made, copied, tmp_path):
    for problem, options in {
        f"{tmp_path}: has no bundle.json": (tmp_path,),
        "redo: needs the model": (copied, "--redo", 3),
    }.items():
        code, told = verified(made, *options)
        assert (code, told.count("\n")) == (1, 1)
        assert told.startswith(f"Error: {problem}")
    for name in (bundle.BUNDLE, FILE):
        text = (copied / name).read_text()
        (copied / name).write_text(text[:-9])
        code, told = verified(made, copied)
        assert (code, told.count("\n")) == (1, 1)
        assert f"{copied / name}: is damaged" in told
        (copied / name).write_text(text)


@pytest.mark.parametrize(
    ("file", "changed", "message"),
    [
        (bundle.BUNDLE, {"files": []}, f"has no checksum of {FILE}"),
        (bundle.BUNDLE, {"files": [{"path": FILE}]}, "needs a name and a checksum"),
        (bundle.BUNDLE, {"files": [{"path": "../x", "sha256": ""}]}, "needs a name and a checksum"),
        (bundle.BUNDLE, {"files": None}, "needs a name and a checksum"),
        (FILE, {"made_from": {}}, "is damaged, or of another version"),
        (FILE, {"provenance": None}, "is damaged, or of another version"),
        (FILE, {"kind": "x"}, "is damaged, or of another version"),
        (FILE, {"left": [5]}, "is damaged, or of another version"),
    ],
)
def test_what_is_no_bundle_is_one_line(made, copied, file, changed, message):
    data = json.loads((copied / file).read_text()) | changed
    (copied / file).write_text(json.dumps(data))
    code, told = verified(made, copied)
    assert code == 1
    assert message in told
    assert told.count("\n") == 1
