"""Recovery in real sentences: what is replaced, what is left, and that the truth is the limit."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from socialbias.corpora.prepared import Corpus
from socialbias.papers.validation import recovery_corpora, recovery_real
from socialbias.papers.validation.planted_design import DIRECT, NULL
from socialbias.papers.validation.recovery import DIRECTED, MAGNITUDES
from socialbias.papers.validation.recovery_real import InText, Text
from socialbias.stats.seeding import generator
from tests.papers.validation.test_recovery_corpora import settings
from tests.paths import RESOURCES
from tests.worlds import corpora as worlds
from tests.worlds import job_with

NAMED = (("she", "her"), ("he", "him"))
NOUNS = ("ship", "bridge", "letter", "song", "year")
VERBS = ("took", "saw", "left", "of", "the", "in")


def corpus_of(folder, documents: int = 120) -> Corpus:
    """Documents that name one group more often than the other, of sentences of eight words."""
    rng = np.random.default_rng(1)

    def sentence(share: float) -> str:
        words = list(rng.choice([*VERBS, *NOUNS], 8))
        words[rng.integers(8)] = rng.choice(NOUNS)
        groups = [w for g, p in zip(NAMED, (share, 1 - share), strict=True) for w in g * (p > 0.5)]
        for place in rng.choice(8, 2, replace=False)[: rng.integers(3)]:
            words[place] = rng.choice(groups if rng.random() < 0.8 else [*NAMED[0], *NAMED[1]])
        return " ".join(words)

    def text() -> str:
        share = rng.random()
        return "\n".join(sentence(share) for _ in range(40)) + "\nbabe in arms took the ship"

    return worlds.corpus(folder, (text() for _ in range(documents)), lower="before")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return corpus_of(tmp_path_factory.mktemp("real"))


@pytest.fixture(scope="module")
def text(corpus):
    return Text.of(corpus, [*NOUNS, "she"], NAMED)


def design(corpus: Corpus, **others) -> InText:
    given = {"base": (0.4, 0.6), "named": NAMED, "avoided": frozenset(corpus.words)}
    return InText(**given | others)


def sentences(corpus: Corpus) -> list[list[str]]:
    words = np.array(corpus.words, object)[corpus.tokens]
    return [words[a:b].tolist() for a, b in pairwise(corpus.sentences)]


def test_made_up_words_are_none_of_the_texts(corpus):
    assert "babe" in InText(named=NAMED).words[DIRECT]  # the second that is made up
    targets = design(corpus).targets["target"]
    assert not set(targets) & set(corpus.words)
    assert targets.is_unique


def test_one_noun_of_a_sentence_is_replaced_and_nothing_else(corpus, text):
    planned = design(corpus)
    planted = recovery_real.plant(text, planned, generator(1, "plant"))
    targets = set(planned.targets["target"])
    changed = 0
    for before, after in zip(sentences(corpus), sentences(planted), strict=True):
        differ = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
        assert len(differ) <= 1
        for place in differ:
            changed += 1
            assert before[place] in NOUNS
            assert after[place] in targets
            people = [i for i, word in enumerate(before) if word in (*NAMED[0], *NAMED[1])]
            nouns = [i for i, word in enumerate(before) if word in NOUNS]
            if people:  # the nearest noun to one of them
                away = {i: min(abs(i - p) for p in people) for i in nouns}
                assert away[place] == min(away.values())
    count, _ = recovery_real.mentions(planned, text.pools())
    assert changed == count > 100
    assert (planted.documents == corpus.documents).all()


def test_pools_by_hand(corpus, text):
    expected = {pool: set() for pool in range(4)}
    for row, words in enumerate(sentences(corpus)):
        first, second = (bool(set(words) & set(group)) for group in NAMED)
        if set(words) & set(NOUNS) and len(words) >= 5:
            expected[0 if first > second else 1 if second > first else 2 if first else 3].add(row)
    assert [set(pool.tolist()) for pool in text.pools()] == list(expected.values())


def test_a_part_has_the_sentences_of_its_documents(corpus, text):
    part = text.part(np.array([7, 3]))
    words = np.array(part.words, object)[part.tokens].tolist()
    assert words == corpus.texts(7) + corpus.texts(3)
    assert part.documents.tolist() == [0, 41, 82]
    assert part.sentences[[0, 41, 82]].tolist() == [0, len(corpus.document(7)), len(words)]


def test_bias_is_along_the_side_of_the_base_of_the_text():
    truth = np.array([0.3, 0.3, 0.1, 0.5])
    table = {"measure": "text", "target": list("abcd"), "kind": [NULL, NULL, DIRECT, DIRECT]}
    table |= {"frequency": 1.0, "truth": truth, "measured": truth + 0.1, "flagged": 0.0}
    table |= {"low": truth, "high": truth, "share": True, "training": 0}
    evidence = pd.concat([pd.DataFrame(table).assign(corpus=corpus) for corpus in range(2)])
    found = {r["column"]: r for r in recovery_corpora.values(evidence, job_with())}
    assert found["bias@direct"]["value"] == pytest.approx(0)  # one too low, one too high
    assert found["bias@null"]["value"] == pytest.approx(0.1)


@pytest.mark.parametrize("documents", [1, 6, pytest.param(300, marks=pytest.mark.long)])
def test_of_too_small_a_text_there_is_nothing(tmp_path, documents):
    corpus_of(tmp_path / "prepared", documents)
    tags = pd.DataFrame({"word": [*NOUNS, *VERBS], "tag": ["noun"] * 5 + ["other"] * 6})
    files = {"prepared/wikitext": tmp_path / "prepared/report.json", "tags/wikitext": tags}
    files |= {"word_lists/trustworthy": RESOURCES / "word_lists/trustworthy.yaml"}
    evidence = recovery_real.measure(job_with(files, **settings(2, 1)))
    assert evidence.empty == (documents < 300)
    found = {record["row"] for record in recovery_corpora.values(evidence, job_with())}
    measures = {"text"} | {f"word2vec {name}" for name in [*DIRECTED, *MAGNITUDES]}
    assert found == (measures if documents == 300 else set())
