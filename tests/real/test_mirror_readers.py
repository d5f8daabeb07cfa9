"""The readers on the published files themselves, which the mirror (`SOCIALBIAS_MIRROR`) has.

What is expected here was published with the files, or is counted by code that knows nothing of the
readers. What is not there is skipped.
"""

import pytest

from socialbias.corpora.documents import ReadReport
from socialbias.corpora.readers import gpt2_jsonl
from socialbias.corpora.wikipedia import wikitext
from socialbias.measures.datasets import conll2003, crows_pairs, gfm, semeval, weat
from tests.worlds.files import mirrored

IDENTITY = "fairness-metrics/terms/identity_terms"
TWEETS = "semeval2018/V-oc/Valence-oc-En"
# Articles of WikiText as published (Merity et al. 2016), sentences of CoNLL-2003 (Tjong Kim Sang
# and De Meulder 2003), pairs of CrowS-Pairs (Nangia et al. 2020); the rest by `wc`.
SIZES = [
    (wikitext, "wikitext-2/valid.txt", 60),
    (wikitext, "wikitext-2/test.txt", 60),
    (gpt2_jsonl, "gpt2-output/webtext.test.truncated.jsonl", None),
    (conll2003.read_sentences, "conll2003/train.txt", 14_041),
    (conll2003.read_sentences, "conll2003/dev.txt", 3_250),
    (conll2003.read_sentences, "conll2003/test.txt", 3_453),
    (crows_pairs.read_pairs, "crows-pairs/crows_pairs_anonymized.csv", 1_508),
    (semeval.read_tweets, "semeval2018/V-oc/2018-Valence-oc-En-train.txt", 1181),
    (semeval.read_tweets, f"{TWEETS}-dev.txt", 449),
    (semeval.read_tweets, f"{TWEETS}-test.txt", 937),
    (gfm.read_terms, f"{IDENTITY}/age.csv", 29),
    (gfm.read_terms, f"{IDENTITY}/disability.csv", 57),
    (gfm.read_terms, f"{IDENTITY}/gender.csv", 89),
    (gfm.read_terms, f"{IDENTITY}/race.csv", 11),
    (gfm.read_terms, f"{IDENTITY}/religion.csv", 47),
    (gfm.read_terms, f"{IDENTITY}/sexuality.csv", 37),
]


@pytest.mark.parametrize(("read", "name", "size"), SIZES)
def test_as_many_records_as_were_published(read, name, size):
    path, report = mirrored(name), ReadReport()
    is_text = read in (wikitext, gpt2_jsonl)
    found = read(path, report) if is_text else read(path)
    found = found if hasattr(found, "columns") else list(found)
    assert len(found) == (size or path.read_bytes().count(b"\n"))
    assert (report.empty, report.bad_bytes, report.truncated) == (0, 0, 0)


def test_named_entities_are_as_many_as_were_published():
    found = list(conll2003.read_sentences(mirrored("conll2003/test.txt")))
    begun = [tag[2:] for sentence in found for tag in sentence.entities if tag[0] == "B"]
    counts = {kind: begun.count(kind) for kind in ("LOC", "MISC", "ORG", "PER")}
    assert counts == {"LOC": 1668, "MISC": 702, "ORG": 1661, "PER": 1617}
    assert found[-1].document == 231


# Caliskan et al. 2017, Table 1
SETS = {
    "weat1": [25] * 4, "weat2": [25] * 4, "weat3": [32, 32, 25, 25], "weat4": [16, 16, 25, 25],
    "weat5": [16, 16, 8, 8], "weat6": [8] * 4, "weat7": [8] * 4, "weat8": [8] * 4,
    "weat9": [6, 6, 7, 7], "weat10": [8] * 4,
}  # fmt: skip


@pytest.mark.parametrize("name", SETS)
def test_sets_of_weat_have_the_printed_sizes(name):
    test = weat.read_bias_bench(mirrored(f"weat/{name}.jsonl"))
    assert [len(words) for words in test.targets + test.attributes] == SETS[name]
