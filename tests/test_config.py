from itertools import chain

import pytest
import yaml

from socialbias.config import Config, Inputs
from socialbias.config.checks import REMOVED_KEYS, load_config, without_removed
from socialbias.errors import UserError
from socialbias.pipeline.folder import RUNS
from socialbias.sources.registry import load_registry
from tests.paths import REPOSITORY

ARTEFACTS = ["trustworthy_table3", "trustworthy_table5"]
SOURCES = sorted(set(chain.from_iterable(Inputs().model_dump().values())))


def load(raw):
    return load_config(raw, SOURCES, ARTEFACTS)


def problems(raw):
    with pytest.raises(UserError) as caught:
        load(raw)
    return str(caught.value).splitlines()


def test_an_empty_configuration_is_the_defaults():
    assert load({}) == Config()


FILES = ["config.yaml", *(f"config.{profile}.yaml" for profile in RUNS)]


@pytest.mark.parametrize("name", [*FILES, "tests/rehearsal/config.yaml"])
def test_the_files_of_this_project_are_valid(name):
    raw = yaml.safe_load((REPOSITORY / name).read_text("utf-8"))
    sources = list(load_registry(REPOSITORY / "resources/sources.yaml"))
    assert load_config(raw, sources, ["trustworthy_table5"])


def test_a_removed_key_is_refused_by_name_and_left_out_of_an_old_run(monkeypatch):
    monkeypatch.setitem(REMOVED_KEYS, "trustworthy.old", "use census_year")
    monkeypatch.setitem(REMOVED_KEYS, "extinct", "leave it out")
    monkeypatch.setitem(REMOVED_KEYS, "locators.ftp", "use https")
    raw = {"seed": 1, "trustworthy": {"old": 2, "census_year": 1990}, "extinct": {"a": {"b": 3}}}
    raw["locators"] = ["https", "ftp"]
    assert problems(raw) == [
        "config: locators.ftp: no longer exists: use https",
        "config: trustworthy.old: no longer exists: use census_year",
        "config: extinct: no longer exists: leave it out",
    ]
    kept = {"seed": 1, "trustworthy": {"census_year": 1990}, "locators": ["https"]}
    assert without_removed(raw) == kept


BROKEN = [  # a configuration as YAML, and how its one problem begins
    (f"run: {'a' * 300}", "run: String should have at most 100"),
    ("sed: 1", "sed: unknown key; did you mean 'seed'?"),
    (
        "figures: {style: {widht: 7}}",
        "figures.style.widht: unknown key; did you mean 'width'?",
    ),
    ("intervals: {xyz: 1}", "intervals.xyz: unknown key; one of: "),
    (
        "inputs: {glove: [glove-6b-300d, glove-6b-300]}",
        "inputs.glove[1]: no source is called 'glove-6b-300'; did you mean 'glove-6b-300d'?",
    ),
    ("figures: 3", "figures: should be a section with the keys style, overrides"),
    (
        "trustworthy: {small_gpt2: {width: 66}}",
        "trustworthy.small_gpt2.width: should be a multiple of 4, got 66",
    ),
    ("seed: -1", "seed: should be greater than or equal to 0, got -1"),
    ("intervals: {level: 1.0}", "intervals.level: should be less than 1"),
    ("locators: [pypi, ftp]", "locators.1: should be 'https', "),
    ('run: "a\\nb"', "run: "),
    ("figures: {style: {colours: [red]}}", "figures.style.colours: "),
    (
        "figures: {overrides: {trustworthy_table6: {width: 7}}}",
        "figures.overrides.trustworthy_table6: no artefact is called 'trustworthy_table6'; "
        "did you mean 'trustworthy_table",
    ),
    (
        "figures: {overrides: {trustworthy_table5: {hight: 7}}}",
        "figures.overrides.trustworthy_table5.hight: unknown key; ",
    ),
]


@pytest.mark.parametrize(("text", "line"), BROKEN)
def test_each_problem_is_one_line_with_the_path_of_its_key(text, line):
    [found] = problems(yaml.safe_load(text))
    assert found.startswith(f"config: {line}")


def test_all_problems_are_listed_at_once():
    raw = {"sed": 1, "intervals": {"replicates": 1, "level": 2}, "inputs": {"glov": []}}
    lines = problems(raw)
    assert len(lines) == 4
    paths = ("sed", "intervals.replicates", "intervals.level", "inputs.glov")
    assert {line.split(": ")[1] for line in lines} == set(paths)


def test_strings_from_the_command_line_become_numbers():
    overrides = {"trustworthy_table5": {"width": "7"}}
    figures = {"style": {"dpi": "300"}, "overrides": overrides}
    config = load({"seed": "4", "intervals": {"level": "0.9"}, "figures": figures})
    assert (config.seed, config.intervals.level, config.figures.style.dpi) == (4, 0.9, 300)
    assert config.style_of("trustworthy_table5")["width"] == 7


def test_style_of_one_artefact_is_the_common_style_with_its_exceptions():
    figures = {"style": {"dpi": 300}, "overrides": {"trustworthy_table5": {"width": 7}}}
    config = load({"figures": figures})
    common = {"dpi": 300, "font_size": 8.0}
    assert config.style_of("trustworthy_table5").items() >= (common | {"width": 7}).items()
    assert config.style_of("trustworthy_table3").items() >= (common | {"width": 6.9}).items()


def test_a_configuration_cannot_be_changed_later():
    with pytest.raises(ValueError, match="frozen"):
        Config().seed = 1


def test_models_that_play_no_role_are_those_that_stereoset_is_asked_about():
    subjects = {
        "mine": {"path": "folder", "kind": "model"},
        "played": {"hub": "someone/model", "kind": "model"},
        "vectors": {"path": "a.vec", "kind": "vectors"},
        "another": {"source": "gpt2", "kind": "model"},
    }
    raw = {"subjects": subjects, "inputs": {"bert": ["played", "bert-base-uncased"]}}
    assert load(raw).own_models == ["mine", "another"]
    raw["subjects"]["mine"] = None  # an overlay leaves it out
    assert load(raw).own_models == ["another"]
    assert Config().own_models == []
