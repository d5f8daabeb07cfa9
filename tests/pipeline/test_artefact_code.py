"""The digest of an artefact's code: of everything behind its numbers, and of nothing else."""

import shutil
from pathlib import Path

import pytest

import socialbias
from socialbias.config import Config
from socialbias.pipeline.artefact_code import FACTS, SCRIPTS, artefact_digests
from socialbias.pipeline.inputs import KINDS
from socialbias.pipeline.plan import Plan
from socialbias.sources.binding import bind, places_of
from tests.declared import DECLARATIONS
from tests.paths import REPOSITORY

LIBRARY = Path(socialbias.__file__).parents[1]
OF_CELLS = {"seeds", "printed_seeds", "stand_in", "unreleased", "option"}  # kinds without a file
# Scripts that make no number of an artefact.
OTHERS = {"fetch.py", "figure.py", "page.py", "complete.py", "print_audit.py"}
ARTEFACTS = ("bad_seeds_figure2", "trustworthy_probes", "bad_seeds_table1", "trustworthy_weat")


@pytest.fixture(scope="module")
def digests():
    """Digests of the artefacts, of one folder of code or another."""
    config = Config()
    roles = config.inputs.model_dump()
    bound = bind({role: [] for role in roles}, {}, places_of(config, {}), {})
    declared = DECLARATIONS._replace(artefacts={n: DECLARATIONS.artefacts[n] for n in ARTEFACTS})
    plan = Plan(config, bound, declared, REPOSITORY)
    return lambda root: artefact_digests(plan, root / "src", root / "scripts")


def test_every_kind_of_input_and_every_script_is_known():
    assert {name.partition("/")[0] for name in SCRIPTS} | {*FACTS} | OF_CELLS == KINDS.keys()
    known = {script for scripts in SCRIPTS.values() for script in scripts} | OTHERS
    assert known == {path.name for path in (REPOSITORY / "scripts").glob("*.py")}


def test_an_edit_counts_for_the_artefacts_behind_which_it_is(digests, tmp_path):
    before = digests(REPOSITORY)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(LIBRARY, tmp_path / "src", ignore=ignored)
    shutil.copytree(REPOSITORY / "scripts", tmp_path / "scripts", ignore=ignored)
    measure = tmp_path / "src/socialbias/papers/bad_seeds/figure2.py"
    measure.write_text(measure.read_text("utf-8") + "\nprint()\n", "utf-8")
    script = tmp_path / "scripts/represent.py"
    script.write_text(script.read_text("utf-8") + "\nprint()\n", "utf-8")
    after = digests(tmp_path)
    changed = {target for target in before if before[target] != after[target]}
    # One has its own code, the other evidence of represented words.
    assert changed == {"bad_seeds_figure2", "trustworthy_probes"}
