"""The words that a pretrained model is asked for."""

from socialbias.papers.bad_seeds.inputs import (
    SeedSet,
    printed_sets,
    seed_sets,
    seed_words,
    unigrams,
)
from socialbias.papers.word_sets import words_of
from socialbias.pipeline.job import Job
from socialbias.words.of_papers import read_word_lists
from tests.paths import RESOURCES


def test_a_pretrained_model_is_asked_for_every_seed(lists):
    gathered = {"g": SeedSet(("Tanisha", "gathered", "two words", ""))}
    words = seed_words(lists, gathered)
    assert {"tanisha", "gathered"} < {*words}
    assert {word for entry in lists["sets"] for word in unigrams(entry["words"])} < {*words}
    assert {*lists["unpleasantness"]} < {*words}
    for pair in lists["pairs"].values():
        orders = [pair, pair["shuffled"]] if "shuffled" in pair else [pair]
        assert {word for order in orders for s in ("first", "second") for word in order[s]} <= {
            *words
        }
    assert words == sorted(set(words))
    assert all(isinstance(word, str) and not {" ", "_"} & {*word} and word for word in words)


def test_words_for_a_pretrained_model_are_a_word_set():
    path = RESOURCES / "word_lists/bad_seeds.yaml"
    job = Job({"word_lists/bad_seeds": [path]}, {}, print)
    lists = read_word_lists(path)
    expected = seed_words(lists, seed_sets(printed_sets(lists)))
    assert words_of(job, "seeds") == set(expected)
