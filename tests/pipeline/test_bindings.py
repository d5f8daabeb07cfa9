"""What plays each role in four kinds of run, as a table that is kept by hand.

The fourth is a quickstart that trains its small GPT-2, which is left to a key.

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


@pytest.mark.parametrize("kind", ["quickstart", "quickstart-mirror", "quickstart-gpt2", "paper"])
def test_each_role_has_the_fidelity_of_the_golden_table(kind, tmp_path, monkeypatch):
    if kind.endswith("mirror") and not MIRROR:
        pytest.skip("SOCIALBIAS_MIRROR is not set: there is no mirror to bind to")
    monkeypatch.setattr(binding, "client_installed", lambda kind: True)
    raw = {"data": str(tmp_path)}
    if kind.startswith("quickstart"):
        overlay = yaml.safe_load((ROOT / "config.quickstart.yaml").read_text("utf-8"))
        raw |= overlay
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
