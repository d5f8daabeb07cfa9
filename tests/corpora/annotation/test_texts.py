"""From a corpus to items: what people read is what was written, and what is counted its tokens."""

from pathlib import Path

import pytest

from socialbias.corpora.annotation.export import marked
from socialbias.corpora.annotation.sample import candidates, distinct, draw, make_sample
from socialbias.corpora.contexts import contexts_of, match
from tests.worlds.texts import sharded

TARGETS = {"nurse": ["nurse", "nurses"], "pilot": ["pilot"]}
GROUPS = {"female": ["she"], "male": ["he"]}
TEXTS = [
    "No target is in this one. She said so here too.",
    "The Nurse's hat was red.  Too short. She was kind to them.\nNurses & pilots met there again.",
    "A pilot slept in here. He saw the other pilot.",
]


@pytest.fixture
def sampled(tmp_path: Path):
    index, corpus = sharded(tmp_path, *TEXTS)
    matches = match(corpus, TARGETS, GROUPS, max_window=2)
    drawn = draw(candidates(matches, contexts_of(matches, 2)), 2, 250, 1, seed=1)
    return make_sample(drawn, 2, matches, corpus, index, {"source": "made"})


def test_items_are_as_written_with_their_targets_marked(sampled):
    """Nurse and third sentence overlap with third and fourth: one of the two windows is drawn."""
    by_document = {item.document: item for item in sampled.items.values()}
    assert set(by_document) == {1, 2}
    assert all(name == item.item for name, item in sampled.items.items())
    assert (sampled.groups, sampled.provenance) == (("female", "male"), {"source": "made"})
    pilot = by_document[2]
    assert marked(pilot) == "A **pilot** slept in here. He saw the other **pilot**."
    assert (pilot.target, pilot.everyone) == ("pilot", True)
    assert pilot.sentences == [
        ["a", "pilot", "slept", "in", "here", "."],
        ["he", "saw", "the", "other", "pilot", "."],
    ]
    assert marked(by_document[1]) in (
        "The **Nurse**'s hat was red. [...] She was kind to them.",
        "She was kind to them. **Nurses** & pilots met there again.",
    )


def test_equal_contexts_of_a_document_are_one(tmp_path):
    """A refrain: as often as it is drawn it is one item, and would leave fewer than were drawn."""
    refrain, pilot = "The nurse was kind to them. ", "The pilot slept in here. "
    left_out, other = "Too short. ", "She was there for them too. "
    texts = [refrain * 3 + pilot + refrain, refrain]
    texts.append(refrain + left_out + other + refrain + left_out * 2 + other)
    index, corpus = sharded(tmp_path, *texts)
    # Of one sentence a pilot, and a nurse in each document. Of two sentences in the first nurses
    # twice, and a nurse and a pilot in either order, for both of them; in the last the refrain
    # before the other sentence, however much is left out between them, and behind it.
    for n, contexts in ((1, 4), (2, 5 + 2)):
        matches = match(corpus, TARGETS, GROUPS, max_window=n)
        found = candidates(matches, contexts_of(matches, n))
        table = distinct(found, n, matches, corpus)
        assert len(table) == contexts < len(found)
        drawn = draw(table, n, 250, 1, seed=1)
        sample = make_sample(drawn, n, matches, corpus, index, {})
        assert len(sample.items) == len(drawn)
