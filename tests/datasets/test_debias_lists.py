"""Word lists of the debiasing methods."""

from socialbias.datasets import debias_lists
from tests.datasets.failing import fails


def test_word_lists_of_bolukbasi(put):
    assert debias_lists.read_pairs(put([["she", "he"], ["Mary", "John"]])) == (
        ("she", "he"),
        ("Mary", "John"),
    )
    assert debias_lists.read_words(put(["he", "He"])) == ("he", "He")
    table = debias_lists.read_professions(put([["tea_taster", 0.0, -0.25], ["actress", -1, 0]]))
    assert table.values.tolist() == [["tea_taster", 0.0, -0.25], ["actress", -1.0, 0.0]]
    assert list(table.columns) == ["profession", "definitional", "stereotypical"]
    fails(debias_lists.read_pairs, put([["she"]]), "not a list of pairs")
    fails(debias_lists.read_words, put(["a", 1]), "not a list of strings")


def test_word_lists_of_gn_glove(put):
    assert debias_lists.read_word_file(put("bride\nlady\nbride\n")) == ("bride", "lady", "bride")
    line = "king:queen\tdog:cat\tcup:lid\tbaker:nurse"
    questions = debias_lists.read_sembias(put(f"{line}\n{line}\n"))
    assert len(questions) == 2
    assert questions[0] == (("king", "queen"), ("dog", "cat"), ("cup", "lid"), ("baker", "nurse"))
    fails(debias_lists.read_sembias, put("a:b\tc:d\n"), "line 1: not four pairs")


def test_word_lists_of_manzini(put):
    data = {
        "definite_sets": [["tea", "coffee"], ["cup", "mug"]],
        "analogy_templates": {"role": {"tea": ["calm"], "coffee": ["brisk", "awake"]}},
        "eval_targets": [["tea", "coffee"]],
        "testTerms": ["chair"],
    }
    lists = debias_lists.read_multiclass(put(data))
    assert lists.definite_sets == (("tea", "coffee"), ("cup", "mug"))
    assert lists.eval_targets == (("tea", "coffee"),)
    assert lists.stereotypes == {"tea": ("calm",), "coffee": ("brisk", "awake")}
    assert lists.test_terms == ("chair",)
    data["analogy_templates"]["more"] = {}
    fails(debias_lists.read_multiclass, put(data), "not lists of Manzini et al")
