"""The words that a pretrained model is asked for."""

import runpy
from pathlib import Path
from types import SimpleNamespace

from tests.paths import REPOSITORY, RESOURCES

from socialbias.papers.bad_seeds import wanted
from socialbias.papers.bad_seeds.inputs import SeedSet, printed_sets, seed_sets, unigrams
from socialbias.word_lists import all_words, read_word_lists


def test_a_pretrained_model_is_asked_for_every_seed(lists):
    gathered = {"g": SeedSet(("Tanisha", "gathered", "two words", ""))}
    words = wanted.seed_words(lists, gathered)
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


def test_words_for_a_pretrained_model_are_a_word_list(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lists_file = RESOURCES / "word_lists" / "bad_seeds.yaml"
    snakemake = SimpleNamespace(
        log=["words.log"],
        input={"word_lists": str(lists_file)},
        output=SimpleNamespace(words="words.yaml"),
        params=SimpleNamespace(settings={"about": {}}),
    )
    script = REPOSITORY / "scripts" / "bad_seeds" / "seed_words.py"
    runpy.run_path(str(script), {"snakemake": snakemake})
    lists = read_word_lists(lists_file)
    expected = wanted.seed_words(lists, seed_sets(printed_sets(lists)))
    assert all_words(read_word_lists(Path("words.yaml"))) == {*expected}
