"""Whatever the corpus: contexts and their labels are those of plain loops."""

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from socialbias.corpora.contexts import contexts_of, match
from socialbias.corpora.documents import Document
from socialbias.corpora.prepare import prepare
from socialbias.corpora.prepared import Corpus
from socialbias.measures.text import association_counts as fast_counts
from tests.oracles.slow_text import association_counts

WORDS = ["nurse", "pilot", "pilots", "she", "he", "they", "HE", "x", "y"]
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7)
DOCUMENTS = st.lists(st.lists(SENTENCES, max_size=9), min_size=1, max_size=4)
LISTS = st.dictionaries(
    st.sampled_from("abc"),
    st.lists(st.sampled_from([*WORDS, "absent"]).map(str.lower), min_size=1, max_size=3),
    min_size=1,
)


@given(
    documents=DOCUMENTS,
    targets=LISTS,
    groups=LISTS,
    shortest=st.integers(1, 3),
    longest=st.integers(3, 7),
    keep_last=st.booleans(),
)
def test_counts_equal_those_of_plain_loops(
    documents, targets, groups, shortest, longest, keep_last
):
    texts = ["\n".join(" ".join(words) for words in document) for document in documents]
    with tempfile.TemporaryDirectory() as folder:
        prepare((Document("", text) for text in texts), Path(folder), tokenizer="whitespace")
        corpus = Corpus.load(Path(folder))
        matches = match(corpus, targets, groups, shortest=shortest, longest=longest)
    lower = [[[word.lower() for word in words] for words in document] for document in documents]
    for n in range(1, 6):
        about = {"shortest": shortest, "longest": longest, "keep_last": keep_last}
        expected = association_counts(lower, targets, groups, n, **about)
        found = fast_counts(contexts_of(matches, n, keep_last=keep_last), len(targets), len(groups))
        assert found.tolist() == [list(expected[target].values()) for target in targets]
