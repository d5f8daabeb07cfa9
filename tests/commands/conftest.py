"""Real vectors that pip brings with gensim, of film reviews; and what looks like a checkout."""

import os
from pathlib import Path

import pytest
from gensim.models import KeyedVectors
from gensim.test.utils import datapath

from socialbias.commands import reproduce
from socialbias.embeddings.vectors import WordVectors

WORDS = {"female": ["she", "her", "woman", "girl"], "male": ["he", "his", "man", "son"]}
FILMS = ["director", "author", "actress", "filmmaker", "character", "movie", "story", "comedy"]
FILMS += ["drama", "family", "music", "love"]


@pytest.fixture(scope="session")
def reviews() -> Path:
    """1,694 words in 100 dimensions, as word2vec's text."""
    return Path(datapath("pang_lee_polarity_fasttext.vec"))


@pytest.fixture(scope="session")
def gensims(reviews) -> KeyedVectors:
    """The same as gensim reads them; a word of theirs is no UTF-8."""
    return KeyedVectors.load_word2vec_format(str(reviews), unicode_errors="replace")


@pytest.fixture(scope="session")
def loaded(gensims) -> WordVectors:
    """The same in memory."""
    return WordVectors(tuple(gensims.index_to_key), gensims.vectors)


@pytest.fixture
def hand(tmp_path) -> Path:
    """Vectors of which the biases are worked out by hand: nurse (3, 1) leans to female (1, 0)."""
    lines = ["6 2", "she 1 0", "her 2 0", "he 0 1", "his 0 3", "nurse 3 1", "pilot 1 3"]
    path = tmp_path / "hand.vec"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def pretended(tmp_path, monkeypatch):
    """Makes a folder that looks like a checkout; instead of its workflow a function writes tables.

    `pretended(write)` calls `write(folder)` with the folder of a run's results for each workflow
    that is started, and returns the checkout and the commands with which they were.
    """
    (tmp_path / "workflow").mkdir()
    (tmp_path / "workflow" / "Snakefile").touch()
    (tmp_path / "config.yaml").touch()
    monkeypatch.chdir(tmp_path)
    asked = []

    def pretend(write):
        def workflow(command, cwd, env):
            assert env["PYTHONPATH"].split(os.pathsep)[0] == str(tmp_path / "src")
            asked.append(command)
            [path] = (part for part in command if part.endswith("own.json"))
            write((Path(cwd) / path).parent)
            return 0

        monkeypatch.setattr(reproduce, "run_with_jobs", workflow)
        return tmp_path, asked

    return pretend
