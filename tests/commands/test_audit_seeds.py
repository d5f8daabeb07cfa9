"""Seed sets from the command: alternatives that are none, and files."""

import json

import pandas as pd
import pytest
from click.testing import CliRunner

from socialbias.commands.cli import cli
from socialbias.embeddings.words.of_papers import read_word_lists
from socialbias.files.paths import resources
from socialbias.papers.bad_seeds.inputs import SeedSet, printed_sets, seed_sets
from socialbias.papers.bad_seeds.seed_audit import nearest_published, published_pairings
from tests.papers.bad_seeds.worlds import WORLD, vectors

MEN, WOMEN = ("he", "man", "father"), ("she", "woman", "mother")


def test_the_other_side_of_a_pairing_is_no_alternative():
    published = {
        "men": SeedSet(("x1", "x9")),
        "women": SeedSet(("y1", "y9")),
        "mixed": SeedSet(("x1", "y1", "z")),
    }
    mine, model = {"m": ("x1", "x2")}, vectors(**WORLD)
    unpaired = nearest_published(mine, [model], published)["m"]
    paired = nearest_published(mine, [model], published, [(("x1", "x2"), ("y1", "y2"))])["m"]
    assert "women" in unpaired
    assert "women" not in paired
    assert "mixed" in paired  # on neither side
    assert paired.startswith("men")


def test_published_pairings_are_those_of_print():
    lists = read_word_lists(resources() / "word_lists" / "bad_seeds.yaml")
    published = seed_sets(printed_sets(lists))
    pairings = published_pairings(lists, published)
    assert any("she" in first and "he" in second for first, second in pairings)


@pytest.fixture
def seeds(tmp_path):
    path = tmp_path / "seeds.txt"
    path.write_text("[men]\n" + "\n".join(MEN) + "\n[women]\n" + "\n".join(WOMEN) + "\n")
    return path


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.jsonl"
    line = "the man and the woman saw that he and she had a father and a mother ."
    path.write_text((json.dumps({"text": line}) + "\n") * 40)
    return path


@pytest.mark.parametrize("replicates", [0, 2])
def test_the_command_audits_in_a_corpus(seeds, texts, replicates, tmp_path):
    arguments = ["audit", texts, "--seeds", seeds, "--replicates", replicates]
    told = CliRunner().invoke(cli, [str(a) for a in [*arguments, "-o", tmp_path / "a.csv"]])
    assert told.exit_code == 0, told.output
    words = pd.read_csv(tmp_path / "a.csv").set_index("word")
    assert set(words["count"]) == {40}
    assert words["set_n"].tolist() == [3] * 6
    assert told.output.splitlines()[-1].startswith("measured in texts.jsonl (40 documents")
    assert ("coherence with women" in told.output) == bool(replicates)
