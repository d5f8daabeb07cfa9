"""What plays each role in six kinds of run, as a table that is kept by hand.

`quickstart-gpt2` is a quickstart that trains its small GPT-2, which is left to a key.

All cells' fidelity and reasons follow from it and from the declarations.
"""

import csv
import os
from pathlib import Path

import pytest
import yaml

from socialbias.config import Config, paper_sources
from socialbias.pipeline.declarations import Declarations
from socialbias.pipeline.plan import Plan
from socialbias.pipeline.preview import MADE
from socialbias.sources import binding
from socialbias.sources.registry import load_registry
from tests.paths import REPOSITORY as ROOT

GOLDEN = list(csv.DictReader((Path(__file__).parent / "bindings.csv").open()))
MIRROR = os.environ.get("SOCIALBIAS_MIRROR", "")


KINDS = ["quickstart", "quickstart-mirror", "quickstart-gpt2"]
KINDS += ["reference", "workstation", "light", "paper"]


@pytest.mark.parametrize("kind", KINDS)
def test_each_role_has_the_fidelity_of_the_golden_table(kind, tmp_path, monkeypatch):
    if kind.endswith("mirror") and not MIRROR:
        pytest.skip("SOCIALBIAS_MIRROR is not set: there is no mirror to bind to")
    monkeypatch.setattr(binding, "client_installed", lambda kind: True)
    raw = {"data": str(tmp_path)}
    if kind != "paper":
        name = f"config.{kind.partition('-')[0]}.yaml"
        raw |= yaml.safe_load((ROOT / name).read_text("utf-8"))
    if kind.endswith("gpt2"):
        raw["trustworthy"] |= {"train_gpt2": True}
    config = Config.model_validate(raw)
    environ = {"SOCIALBIAS_MIRROR": MIRROR} if kind.endswith("mirror") else {}
    bound = binding.bind(
        config.inputs.model_dump(),
        load_registry(ROOT / "resources/sources.yaml"),
        binding.places_of(config, environ),
        paper_sources(),
    )
    made = Plan(config, bound, Declarations({}, {}, {}), ROOT).made
    found = {role: MADE if role in made else binding.fidelity for role, binding in bound.items()}
    assert found == {row["role"]: row[kind] for row in GOLDEN}


@pytest.mark.parametrize(("run", "sources"), [("workstation", 25), ("light", 15)])
def test_a_run_that_asks_nobody_for_an_account_or_a_licence(run, sources, tmp_path):
    raw = yaml.safe_load((ROOT / f"config.{run}.yaml").read_text("utf-8")) | {"data": str(tmp_path)}
    config = Config.model_validate(raw)
    registry = load_registry(ROOT / "resources/sources.yaml")
    bound = binding.bind(config.inputs.model_dump(), registry, binding.places_of(config, {}))
    named = {found.source for found in bound.values() if found.source}
    assert len(named) > sources
    for source in (registry[name] for name in named):
        kind = source.files[0].locators[0].split(":")[0]
        gated = source.status == "gated" or "agreement" in source.licence
        assert (gated, kind in ("https", "http", "hf", "pypi")) == (False, True), source.id
