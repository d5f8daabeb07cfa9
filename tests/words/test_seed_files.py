"""Seed files that are almost right: read as they are meant, or refused in one line."""

import numpy as np
import pytest

from socialbias.embeddings.vectors import WordVectors
from socialbias.errors import UserError
from socialbias.papers.bad_seeds import seed_audit
from socialbias.papers.bad_seeds.inputs import SeedSet
from socialbias.words.files import read_word_list
from tests.papers.bad_seeds.worlds import corpus
from tests.reliability import fault

TWO = {"f": ["she", "her"], "m": ["he"]}
MEANT = {
    "header in capitals": ("l.csv", "Set, WORD\nf,she\nf,her\nm,he\n"),
    "semicolons": ("l.csv", "set;word\nf;she\nf;her\nm;he\n"),
    "tabs": ("l.tsv", "set\tword\nf\tshe\nf\ther\nm\the\n"),
    "tabs in a .csv": ("l.csv", "set\tword\nf\tshe\nf\ther\nm\the\n"),
    "trailing commas": ("l.csv", "set,word,,\nf,she,,\nf,her,,\nm,he,,\n,,,\n"),
    "BOM": ("l.csv", "\ufeffset,word\nf,she\nf,her\nm,he\n"),
    "BOM before text": ("l.txt", "\ufeff[f]\nshe\nher\n[m]\nhe\n"),
    "BOM before YAML": ("l.yaml", "\ufefff: [she, her]\nm: [he]\n"),
    "blanks and other line ends": ("l.txt", " [f] \r\n she\t\r\nher \r\n[m]\r\nhe"),
    "no-break spaces": ("l.txt", "[f]\nshe\u00a0\n\u00a0her\n[m]\nhe\n"),
    "invisible characters": ("l.txt", "[f]\nshe\u200b\n\ufeffher\n[m]\nh\u00ade\n"),
}


@fault(
    "a seed file with a header in capitals, semicolons or tabs, empty cells at the ends of rows, a "
    "byte order mark, no-break spaces or invisible characters",
    "it is read as it is meant",
)
@pytest.mark.parametrize("case", MEANT)
def test_what_is_meant_is_read(tmp_path, case):
    name, text = MEANT[case]
    (tmp_path / name).write_bytes(text.encode())
    assert read_word_list(tmp_path / name) == TWO


def test_letters_are_composed(tmp_path):
    (tmp_path / "l.txt").write_text("cafe\u0301\n", "utf-8")
    assert read_word_list(tmp_path / "l.txt") == {"l": ["café"]}


REFUSED = {
    "a row without its word": ("l.csv", "set,word\nf\nm,he\n", "line 2: 1 cell for 2 columns"),
    "a row without its set": ("l.csv", "set,word\n,she\n", "line 2: nothing in .* 'set'"),
    "two words a row": ("l.csv", "set,word\nf,she,her\n", "line 2: 3 cells for 2 columns"),
    "an open quotation": ("l.csv", 'set,word\nf,"she\nf,her\nm,he\n', "broken CSV"),
    "a column twice": ("l.csv", "set,word,Word\nf,she,a\n", "two columns are called 'word'"),
    "a heading with a remark": ("l.txt", "[f] # female\nshe\n", "line 1: .* not a heading"),
    "an open heading": ("l.txt", "[f\nshe\n", "line 1: .* not a heading"),
    "a heading twice": ("l.txt", "[f]\nshe\n[f]\nher\n", "line 3: the set 'f' appears twice"),
    "a heading without a name": ("l.txt", "[]\nshe\n", "line 1: '' is empty"),
    "a remark behind a word": ("l.txt", "she # female\n", "line 1: put the comment on a line"),
    "a comma behind a word": ("l.txt", "[f]\nshe,\n", "line 2: 'she,' has a comma"),
    "words in one line": ("l.txt", "she, her\n", "line 1: 'she, her' has a comma"),
    "a tab in a line": ("l.txt", "she\ther\n", "line 1: .* has a tab"),
    "quotation marks": ("l.txt", '"she"\n', "line 1: .* has quotation marks"),
    "curly quotation marks": ("l.yaml", "f: [“she”, her]\n", "f: .* has quotation marks"),
    "single curly marks": ("l.txt", "‘she’\n", "line 1: .* has quotation marks"),
    "a formula": ("l.csv", "set,word\nf,=cmd|' /C calc'!A0\n", "line 2: .* formulas"),
    "a word without end": ("l.txt", "x" * 1_000_000, "longer than 100 characters"),
    "YAML nested deeply": ("l.yaml", "f: " + "[" * 3000 + "]" * 3000, "nested more than 100 deep"),
    "a name that is none": ("l.yaml", "yes: [she]\n", "'True' is not a name for a set"),
    "UTF-16": ("l.txt", b"\xff\xfes\x00h\x00e\x00", "not UTF-8"),
}


@fault(
    "a seed file with a row without its word or with two, a heading that is open, remarked on or "
    "there twice, a comma, tab or quotation marks in a word, a formula, an open quotation",
    "one line: the file, the line and what to write; no set vanishes and none is another",
)
@pytest.mark.parametrize("case", REFUSED)
def test_what_would_be_another_set_is_refused(tmp_path, case):
    name, data, match = REFUSED[case]
    (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    with pytest.raises(UserError, match=match) as caught:
        read_word_list(tmp_path / name)
    said = str(caught.value)
    assert name in said
    assert "\n" not in said
    assert len(said) < 400 + len(str(tmp_path))


def test_words_with_apostrophes_and_hyphens_are_words(tmp_path):
    (tmp_path / "l.txt").write_text("women's\n'tis\no’clock\nsister-in-law\ngirls'\n", "utf-8")
    assert len(read_word_list(tmp_path / "l.txt")["l"]) == 5


@fault(
    "a seed file of thousands of words or sets", "the time grows with the words, not their square"
)
@pytest.mark.parametrize("per_set", [1, 2000])
def test_work_grows_with_the_words(tmp_path, monkeypatch, per_set):
    """No word is looked at again for each other word: counted, since times are no test."""
    words = [f"w{i}" for i in range(4000)]
    sets = {f"s{i}": words[i : i + per_set] for i in range(0, len(words), per_set)}
    model = WordVectors(tuple(words), np.random.default_rng(0).normal(size=(4000, 4)))
    made = corpus(model, counts=dict.fromkeys(words, 30), tags=dict.fromkeys(words, "noun"))
    looked = 0
    plain = seed_audit.in_places

    def counting(words):
        nonlocal looked
        words = list(words)
        looked += len(words)
        return plain(words)

    monkeypatch.setattr(seed_audit, "in_places", counting)
    monkeypatch.setattr(seed_audit, "unigrams", lambda words: tuple(filter(None, counting(words))))
    table = seed_audit.audit_words(sets, made)
    summary = seed_audit.audit_sets(sets, made, {"p": SeedSet(("w1",))}, 0.95)
    assert len(table) == 4000
    assert looked <= 10 * 4000
    assert seed_audit.audit_text(table, summary).count("\n") >= len(sets)
