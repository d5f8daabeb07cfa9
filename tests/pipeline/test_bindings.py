"""What plays each role in the three kinds of run, as a table that is kept by hand.

All cells' fidelity and reasons follow from it and from the declarations.
"""

import csv
import os
from pathlib import Path

import pytest
import yaml

from socialbias.config import Config, paper_sources
from socialbias.sources import binding
from socialbias.sources.registry import load_registry
from tests.paths import REPOSITORY as ROOT

GOLDEN = list(csv.DictReader((Path(__file__).parent / "bindings.csv").open()))
MIRROR = os.environ.get("SOCIALBIAS_MIRROR", "")


@pytest.mark.parametrize("kind", ["quickstart", "quickstart-mirror", "paper"])
def test_each_role_has_the_fidelity_of_the_golden_table(kind, tmp_path, monkeypatch):
    if kind.endswith("mirror") and not MIRROR:
        pytest.skip("SOCIALBIAS_MIRROR is not set: there is no mirror to bind to")
    monkeypatch.setattr(binding, "client_installed", lambda kind: True)
    raw = {"data": str(tmp_path)}
    if kind.startswith("quickstart"):
        overlay = yaml.safe_load((ROOT / "config.quickstart.yaml").read_text("utf-8"))
        raw |= {key: overlay[key] for key in ("run", "locators", "inputs")}
    config = Config.model_validate(raw)
    environ = {"SOCIALBIAS_MIRROR": MIRROR} if kind.endswith("mirror") else {}
    bound = binding.bind(
        config.inputs.model_dump(),
        load_registry(ROOT / "resources/sources.yaml"),
        binding.places_of(config, environ),
        paper_sources(),
    )
    assert {role: found.fidelity for role, found in bound.items()} == {
        row["role"]: row[kind] for row in GOLDEN
    }
