"""Digests cover what runs: every definition that a job executes, and no other that it can spare."""

import ast
import random
import shutil
import sys
from collections.abc import Iterator
from contextlib import chdir
from functools import cache
from inspect import CO_OPTIMIZED
from pathlib import Path

import pytest
import yaml

import socialbias
from socialbias.config import Config, paper_sources
from socialbias.pipeline.declarations import load_declarations
from socialbias.pipeline.digest import Definition, code_digest, reached
from socialbias.pipeline.job import function_of, job_of
from socialbias.pipeline.plan import Plan
from socialbias.sources.binding import bind, places_of
from socialbias.sources.registry import load_registry

LIBRARY = Path(socialbias.__file__).parents[1]
# Of each kind of step one or more that the small quickstart has run.
STEPS = [
    pytest.param("trustworthy table5 evidence", marks=pytest.mark.long),
    pytest.param("trustworthy table5 values", marks=pytest.mark.long),
    "trustworthy table3 evidence",
    "trustworthy weat evidence",
    "trustworthy weat values",
    pytest.param("validation placebo values", marks=pytest.mark.long),
    "bad_seeds table4 evidence",
    "bad_seeds figure1 values",
]


@pytest.fixture(scope="module")
def plan(finished):
    """The plan of the finished run."""
    raw = yaml.safe_load((finished.path / "config.quickstart.yaml").read_text("utf-8"))
    config = Config.model_validate(raw)
    registry = load_registry(finished.path / "resources/sources.yaml")
    with chdir(finished.path):
        bound = bind(config.inputs.model_dump(), registry, places_of(config, {}), paper_sources())
    return Plan(config, bound, load_declarations(finished.path / "src/socialbias/papers"))


def step_of(plan, name):
    paper, artefact, kind = name.split()
    if kind == "evidence":
        return plan.declarations.evidence[paper, artefact]
    return plan.declarations.artefacts[f"{paper}_{artefact}"].values


def script_of(name):
    return LIBRARY.parent / "scripts" / f"{name.split()[2]}.py"


def executed(function, job):
    """The definitions of the library that a call runs."""
    codes = set()
    sys.settrace(lambda frame, event, _: codes.add(frame.f_code))  # None: no lines are traced
    try:
        result = function(job)
        if isinstance(result, Iterator):  # values, which are yielded
            list(result)
    finally:
        sys.settrace(None)
    functions = [code for code in codes if code.co_flags & CO_OPTIMIZED]  # classes are imported
    own = [code for code in functions if code.co_filename.startswith(str(LIBRARY))]
    return {definition_at(Path(code.co_filename), code.co_firstlineno) for code in own} - {None}


@cache
def parsed(path):
    return ast.parse(path.read_text("utf-8")).body


def definition_at(path, line):
    """The top-level function or class around a line; None for the body of a module."""
    for statement in parsed(path):
        first = min(
            [statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))]
        )
        if first <= line <= statement.end_lineno:
            name = getattr(statement, "name", None)
            return Definition(path, name) if name else None
    return None


@pytest.fixture(scope="module")
def ran(plan, finished, few_halves):
    """What a step runs, by its name."""

    @cache
    def run(name):
        step = step_of(plan, name)
        with chdir(finished.path):
            job = job_of(plan.inputs_of(step), plan.settings_of(step), lambda line: None)
            return executed(function_of(step.function), job)

    return run


@pytest.mark.parametrize("name", STEPS)
def test_everything_that_a_step_executes_is_in_its_digest(plan, ran, name):
    assert len(ran(name)) > 3
    assert ran(name) <= reached(LIBRARY, script_of(name), step_of(plan, name).function)


def with_a_statement_more(folder, definition):
    """A copy of the library in which one definition does something more."""
    shutil.copytree(LIBRARY, folder, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    path = folder / definition.module.relative_to(LIBRARY)
    tree = ast.parse(path.read_text("utf-8"))
    for statement in tree.body:
        if getattr(statement, "name", None) == definition.name:
            statement.body.append(ast.parse("assert True").body[0])
    path.write_text(ast.unparse(tree), "utf-8")
    return folder


@pytest.mark.parametrize("number", [2, pytest.param(12, marks=pytest.mark.long)])
def test_a_change_counts_where_it_runs_and_nowhere_else(plan, ran, tmp_path, number):
    """Changes so many definitions of those that ran, and of those that did not."""
    name = "trustworthy weat evidence"
    step, script = step_of(plan, name), script_of(name)
    own = reached(LIBRARY, script, step.function)
    spared = {
        definition
        for path in {module for module, _ in own if module != script}
        for statement in parsed(path)
        if isinstance(statement, ast.FunctionDef)
        and (definition := Definition(path, statement.name)) not in own
    }
    before = code_digest(LIBRARY, script, step.function)
    draw = random.Random(5)
    for counts, definitions in ((True, ran(name)), (False, spared)):
        for definition in draw.sample(sorted(definitions), number):
            folder = with_a_statement_more(tmp_path / f"{counts} {definition.name}", definition)
            assert (code_digest(folder, script, step.function) != before) == counts, definition
            shutil.rmtree(folder)
