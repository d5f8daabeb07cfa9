"""What jobs read beside their inputs, for the plan of tests/pipeline/test_plan.py."""

from dataclasses import replace

from socialbias.pipeline.declarations import Declaration
from socialbias.pipeline.labels import figure_settings, values_settings
from tests.paths import RESOURCES
from tests.pipeline.test_plan import GLOVE, TABLE, W2V, plan_of

STEPS = {
    "values": {"function": "a.b:summarise", "inputs": ["word2vec"], "settings": ["seed"]},
    "figure": {"function": "a.b:draw", "settings": ["intervals.level"]},
}


def small_plan():
    table = Declaration.model_validate(TABLE | STEPS)
    plan = plan_of({"word2vec": W2V, "glove": GLOVE}, {"run": "mine", "seed": 7})
    return replace(plan, declarations=plan.declarations._replace(artefacts={table.target: table}))


def test_the_job_of_values_reads_every_cell_with_why_it_is_empty():
    settings = values_settings(small_plan(), "fairness_table9")
    assert settings["function"] == "a.b:summarise"
    assert settings["seed"] == 7
    assert settings["run"] == "mine"
    assert settings["published"] == str(RESOURCES / "published/fairness_table9.csv")
    assert settings["artefact"]["title"] == "Table 9"
    cell = {"row": "b", "column": "z", "reason": "", "checks": []}
    assert any(cell.items() <= each.items() for each in settings["cells"])
    reasons = {(cell["row"], cell["column"]): cell["reason"] for cell in settings["cells"]}
    assert reasons["a", "x"] == ""
    assert reasons["b", "y"] == "get corpus_nyt; get census_gender"


def test_the_job_of_a_figure_reads_its_style_and_no_cells():
    plan = small_plan()
    settings = figure_settings(plan, "fairness_table9")
    assert settings["function"] == "a.b:draw"
    assert settings["settings"] == {"intervals.level": 0.95}
    assert settings["style"] == plan.config.style_of("fairness_table9")
    assert "cells" not in settings
