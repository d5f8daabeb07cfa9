"""The generator of planted corpora: its truth, by hand and as a limit, and its promises."""

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.papers.validation.planted_corpus import LENGTHS, write
from socialbias.papers.validation.planted_design import DIRECT, KINDS, NULL, SECOND, Design
from socialbias.stats.seeding import generator

DESIGNS = {2: Design(), 3: Design(base=(0.5, 0.3, 0.2), direct=21, second_order=21, null=21)}


def corpus(design, tokens, *names):
    return write(design, tokens, generator(7, *names))


def sentences_of(written):
    """Lists of sentences, each a list of words, by document."""
    return [
        [[*sentence.split(), "."] for sentence in document.text.split(" .")[:-1]]
        for document in written.texts()
    ]


def exclusive_counts(documents, targets, lists):
    """Sentences of each target with words of one list only, by list, in plain loops."""
    list_of = {word: name for name, words in lists.items() for word in words}
    counts = {target: Counter() for target in targets}
    for sentence in (s for document in documents for s in document):
        named = {list_of[word] for word in sentence if word in list_of}
        if len(named) == 1:
            for word in set(sentence) & counts.keys():
                counts[word].update(named)
    return counts


def test_the_truth_of_a_small_design_by_hand():
    design = Design(base=(0.6, 0.4), direct=4, second_order=2, null=2, most=0.8, bond=0.5)
    table = design.targets
    # Leanings 0.4, 0.4, 0.8, 0.8 to groups 0, 1, 0, 1; the second-order ones 0.8 of which half is
    # left after the chain.
    assert table["leaning"].tolist() == pytest.approx([0.4, 0.4, 0.8, 0.8, 0.8, 0.8, 0, 0])
    first = [0.76, 0.36, 0.92, 0.12, 0.76, 0.36, 0.6, 0.6]
    assert table["truth 0"].tolist() == pytest.approx(first)
    assert table["truth 1"].tolist() == pytest.approx([1 - share for share in first])
    assert table["planted 0"].tolist()[4:6] == pytest.approx([0.92, 0.12])
    assert table["kind"].tolist() == [DIRECT] * 4 + [SECOND] * 2 + [NULL] * 2
    three = Design(base=(0.5, 0.3, 0.2), direct=3, second_order=0, null=0, most=0.5).targets
    shares = three[["truth 0", "truth 1", "truth 2"]].to_numpy()
    expected = [[0.75, 0.15, 0.1], [0.25, 0.65, 0.1], [0.25, 0.15, 0.6]]
    assert shares == pytest.approx(np.array(expected))


@pytest.mark.parametrize("k", DESIGNS)
def test_the_exclusive_rule_tends_to_the_truth(k):
    design = DESIGNS[k]
    documents = sentences_of(corpus(design, 600_000, "limit", k))
    table = design.targets[design.targets["kind"] != SECOND]
    counts = exclusive_counts(documents, list(table["target"]), design.groups)
    distances = []
    for row in table.to_dict("records"):
        found = counts[row["target"]]
        n = found.total()
        for g, name in enumerate(design.groups):
            p = row[f"truth {g}"]
            # Two sentences of a document are correlated by 1 / (concentration + 1). A document has
            # m of them, 45.5 % of 4 to 12 sentences; E[m (m - 1)] / E[m] is 3.6.
            spread = np.sqrt(p * (1 - p) / n * (1 + 3.6 / (design.concentration + 1)))
            distances.append((found[name] / n - p) / spread)
    assert np.abs(distances).max() < 4.5
    assert 0.8 < np.std(distances) < 1.2


@pytest.mark.parametrize("k", DESIGNS)
def test_second_order_targets_are_never_near_a_word_of_a_group(k):
    design = DESIGNS[k]
    groups = {word for words in design.groups.values() for word in words}
    second, seen = set(design.words[SECOND]), Counter()
    for document in sentences_of(corpus(design, 60_000, "apart")):
        words = {word for sentence in document for word in sentence}
        if words & second:
            assert not words & groups  # in no window of sentences, however long
            seen.update(words & second)
        assert len(words & {w for kind in KINDS for w in design.words[kind]}) <= 1
    assert seen.keys() == second


@pytest.mark.parametrize("k", DESIGNS)
def test_frequency_is_no_guide_to_the_truth(k):
    for kind, rows in DESIGNS[k].targets.groupby("kind"):
        assert rows["weight"].max() == pytest.approx(8 * rows["weight"].min())
        if kind != NULL:
            for column in ("truth 0", "leaning"):
                assert abs(stats.spearmanr(rows["weight"], rows[column]).statistic) < 0.05


def test_sentences_of_a_document_are_correlated():
    design = Design(direct=0, second_order=0, null=1, base=(0.5, 0.5), concentration=3)
    (target,) = design.words[NULL]
    agreeing = pairs = 0
    for document in sentences_of(corpus(design, 300_000, "correlated")):
        (found,) = exclusive_counts([document], [target], design.groups).values()
        a, b = found["group 0"], found["group 1"]
        agreeing += a * (a - 1) / 2 + b * (b - 1) / 2
        pairs += (a + b) * (a + b - 1) / 2
    # Two draws of one document agree with probability 1/2 + 1/2 * 1 / (concentration + 1).
    assert agreeing / pairs == pytest.approx(0.625, abs=0.02)


def test_its_text_prepared_is_the_corpus_that_it_says(tmp_path):
    written = corpus(DESIGNS[3], 20_000, "text")
    prepare(written.texts(), tmp_path, tokenizer="whitespace", lower="never")
    from_text, at_once = Corpus.load(tmp_path), written.prepared()
    assert from_text.words == at_once.words
    for name in ("tokens", "counts", "documents", "sentences"):
        assert getattr(from_text, name).tolist() == getattr(at_once, name).tolist()
    lengths = np.diff(at_once.sentences)
    assert (lengths.min(), lengths.max()) == LENGTHS
