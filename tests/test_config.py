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


@pytest.mark.parametrize("name", ["config.yaml", *(f"config.{profile}.yaml" for profile in RUNS)])
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


BROKEN = {
    "a name too long for a folder": ({"run": "a" * 300}, "run: String should have at most 100"),
    "unknown key": ({"sed": 1}, "sed: unknown key; did you mean 'seed'?"),
    "unknown key below": (
        {"trustworthy": {"census_yeer": 1990}},
        "trustworthy.census_yeer: unknown key; did you mean 'census_year'?",
    ),
    "unknown key two below": (
        {"figures": {"style": {"widht": 7}}},
        "figures.style.widht: unknown key; did you mean 'width'?",
    ),
    "unknown key like no other": (
        {"intervals": {"xyz": 1}},
        "intervals.xyz: unknown key; one of: ",
    ),
    "unknown role": ({"inputs": {"glov": []}}, "inputs.glov: unknown key; did you mean 'glove'?"),
    "unknown source": (
        {"inputs": {"glove": ["glove-6b-300d", "glove-6b-300"]}},
        "inputs.glove[1]: no source is called 'glove-6b-300'; did you mean 'glove-6b-300d'?",
    ),
    "a word for a number": ({"seed": "x"}, "seed: should be a valid integer"),
    "half a year": ({"trustworthy": {"census_year": 1990.5}}, "trustworthy.census_year: "),
    "a number for a section": (
        {"figures": 3},
        "figures: should be a section with the keys style, overrides",
    ),
    "nothing for a section": (
        {"inputs": None},
        "inputs: should be a section with the keys word2vec, ",
    ),
    "a word for a list": ({"locators": "pypi"}, "locators: should be a valid list"),
    "an impossible year": (
        {"trustworthy": {"census_year": 3000}},
        "trustworthy.census_year: should be less than or equal to 2015, got 3000",
    ),
    "a width that heads cannot share": (
        {"trustworthy": {"small_gpt2": {"width": 66}}},
        "trustworthy.small_gpt2.width: should be a multiple of 4, got 66",
    ),
    "a negative seed": ({"seed": -1}, "seed: should be greater than or equal to 0, got -1"),
    "an impossible level": (
        {"intervals": {"level": 1.0}},
        "intervals.level: should be less than 1",
    ),
    "no number": ({"intervals": {"level": float("nan")}}, "intervals.level: "),
    "an unknown locator": (
        {"locators": ["pypi", "ftp"]},
        "locators.1: should be 'https', ",
    ),
    "an unknown list": ({"trustworthy": {"word_lists": ["apendix"]}}, "trustworthy.word_lists.0: "),
    "no list": ({"trustworthy": {"word_lists": []}}, "trustworthy.word_lists: "),
    "a name with a slash": ({"run": "../x"}, "run: "),
    "a name of two lines": ({"run": "a\nb"}, "run: "),
    "too few colours": ({"figures": {"style": {"colours": ["red"]}}}, "figures.style.colours: "),
    "an override of nothing": (
        {"figures": {"overrides": {"trustworthy_table6": {"width": 7}}}},
        "figures.overrides.trustworthy_table6: no artefact is called 'trustworthy_table6'; "
        "did you mean 'trustworthy_table",
    ),
    "an override with an unknown key": (
        {"figures": {"overrides": {"trustworthy_table5": {"hight": 7}}}},
        "figures.overrides.trustworthy_table5.hight: unknown key; ",
    ),
    "an override with an impossible number": (
        {"figures": {"overrides": {"trustworthy_table5": {"dpi": 1}}}},
        "figures.overrides.trustworthy_table5.dpi: should be greater than or equal to 50, got 1",
    ),
    "an override that is no section": (
        {"figures": {"overrides": {"trustworthy_table5": 7}}},
        "figures.overrides.trustworthy_table5: should be a valid dictionary, got 7",
    ),
}


@pytest.mark.parametrize(("raw", "line"), BROKEN.values(), ids=BROKEN)
def test_each_problem_is_one_line_with_the_path_of_its_key(raw, line):
    lines = problems(raw)
    assert len(lines) == 1
    assert lines[0].startswith(f"config: {line}")


def test_all_problems_are_listed_at_once():
    raw = {"sed": 1, "intervals": {"replicates": 1, "level": 2}, "inputs": {"glov": []}}
    lines = problems(raw)
    assert len(lines) == 4
    paths = ("sed", "intervals.replicates", "intervals.level", "inputs.glov")
    assert {line.split(": ")[1] for line in lines} == set(paths)


def test_problems_with_sources_and_overrides_are_listed_at_once():
    overrides = {"trustworthy_tabel5": {"dpi": 1, "width": 99}}
    raw = {"inputs": {"glove": ["a"], "census_race": ["b"]}, "figures": {"overrides": overrides}}
    assert len(problems(raw)) == 5


@pytest.mark.parametrize(
    ("raw", "where", "expected"),
    [
        ({"seed": "4"}, lambda c: c.seed, 4),
        ({"intervals": {"level": "0.9"}}, lambda c: c.intervals.level, 0.9),
        ({"trustworthy": {"census_year": "1990"}}, lambda c: c.trustworthy.census_year, 1990),
        ({"figures": {"style": {"dpi": "300"}}}, lambda c: c.figures.style.dpi, 300),
    ],
)
def test_strings_from_the_command_line_become_numbers(raw, where, expected):
    assert where(load(raw)) == expected


def test_style_of_one_artefact_is_the_common_style_with_its_exceptions():
    figures = {"style": {"dpi": 300}, "overrides": {"trustworthy_table5": {"width": 7}}}
    config = load({"figures": figures})
    common = {"dpi": 300, "font_size": 8.0}
    assert config.style_of("trustworthy_table5").items() >= (common | {"width": 7}).items()
    assert config.style_of("trustworthy_table3").items() >= (common | {"width": 6.9}).items()


def test_exceptions_from_the_command_line_become_numbers_too():
    config = load({"figures": {"overrides": {"trustworthy_table5": {"width": "7"}}}})
    assert config.style_of("trustworthy_table5")["width"] == 7


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
