"""A run without StereoSet, as where no package registry can be reached."""

import pytest

from socialbias.config import Config
from socialbias.pipeline.declarations import for_models
from socialbias.pipeline.job import function_of, job_of
from socialbias.pipeline.plan import Plan
from socialbias.reporting.values import draws_table, write_values
from socialbias.sources.binding import Binding
from tests.declared import DECLARATIONS
from tests.paths import REPOSITORY
from tests.records import values_table

MINE = ("mine", "own")
# A user's model is there, and a text and vectors; nothing that it could be asked about is.
BOUND = {"subject/mine": MINE, "corpus_wikitext": ("wiki", "substitute"), "glove": ("g", "subset")}
BOUND |= {"bert": ("minilm", "substitute"), "reviews": ("films", "substitute")}


@pytest.fixture(scope="module")
def plan():
    config = Config()
    bindings = {
        role: Binding(role, BOUND[role][0], "data", BOUND[role][1], "", label=role)
        if role in BOUND
        else Binding(role, None, "", "no input", f"get {role}")
        for role in (*config.inputs.model_dump(), "subject/mine")
    }
    declared = for_models(DECLARATIONS, ["mine"])
    return Plan(config, bindings, declared, REPOSITORY)


def test_no_evidence_is_made_of_nothing(plan):
    names = [name for paper, name in plan.declarations.evidence if paper == "stereoset"]
    assert not any(plan.available(f"evidence/stereoset/{name}") for name in names)


TARGETS = [
    name for name, declared in DECLARATIONS.artefacts.items() if declared.paper == "stereoset"
]


def without_numbers(folder, name):
    """The values of another artefact that has none."""
    path = folder / f"{name.rpartition('/')[2]}.values.csv"
    write_values(values_table(name, [], 1), path)
    draws_table([]).to_parquet(path.with_name(path.name.replace("values.csv", "draws.parquet")))
    return [path]


@pytest.mark.parametrize("target", TARGETS)
def test_every_artefact_has_only_the_cells_that_need_nothing(plan, target, tmp_path):
    step = plan.declarations.artefacts[target].values
    files = plan.inputs_of(step)
    files |= {name: without_numbers(tmp_path, name) for name in files if name.startswith("values/")}
    assert not [name for name in files if name.startswith("evidence/")]
    records = function_of(step.function)(job_of(files, plan.settings_of(step), print))
    result = {(record["row"], record["column"]) for record in records}
    cells = {(row, column): own for row, column, *own in plan.expected(target)}
    assert {fidelity for cell in result for fidelity in cells[cell][:1]} <= {"exact"}
    assert all(
        kind == "no input" or empty
        for cell, (kind, _, empty) in cells.items()
        if cell not in result
    )
