"""The audit of a user's own word lists."""

import csv
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from socialbias.embeddings.words.files import read_word_list
from socialbias.errors import UserError
from socialbias.papers.bad_seeds import pairs, seed_audit
from socialbias.papers.bad_seeds.inputs import SeedSet
from tests.papers.bad_seeds.worlds import WORLD, corpus
from tests.worlds import vectors


@pytest.mark.parametrize(
    ("name", "text", "sets"),
    [
        ("l.csv", "set,word,note\nf,she,x\nm,null,\nf,her,", {"f": ["she", "her"], "m": ["null"]}),
        ("l.txt", "# mine\nshe\n\nher\n", {"l": ["she", "her"]}),
        ("l.txt", "[f]\nshe\n[m]\r\nhe\n", {"f": ["she"], "m": ["he"]}),
    ],
)
def test_word_list_files(tmp_path, name, text, sets):
    path = tmp_path / name
    path.write_bytes(text.encode())
    assert read_word_list(path) == sets


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("l.csv", b"word\nshe", "no column set; its columns are word"),
        ("l.txt", b"\n# nothing\n", "there are no words"),
        ("l.txt", b"[f]\n[m]\nhe", "'f' has no words"),
        ("l.txt", b"caf\xe9", "not UTF-8"),
        ("l.csv", b"set,word\nf,she\nf," + b"x" * 140_000, "line 3: broken CSV: field larger"),
        ("l.csv", None, r"cannot be read \(Is a directory\)"),
        ("none.txt", b"", "no such file"),
    ],
)
def test_a_file_that_is_no_word_list_is_refused_with_its_name(tmp_path, name, data, message):
    path = tmp_path / name
    if data is None:
        path.mkdir()
    elif data:
        path.write_bytes(data)
    usual = csv.field_size_limit(131_072)  # one for the process: reading a corpus raises it
    with pytest.raises(UserError, match=message) as error:
        read_word_list(path)
    csv.field_size_limit(usual)
    assert str(path) in str(error.value)


AUDITED = {"f": ["X1", "x1", "x2", "two words", "y2", "gone"], "m": ["y1", "y2"]}


def audited():
    model = vectors(**WORLD)
    less = vectors(**{w: v for w, v in WORLD.items() if w != "x2"})
    counts = {"x1": 500, "x2": 10, "y1": 40, "y2": 30, "rest": 420}
    tags = {"x1": "noun", "x2": "noun", "y2": "verb", "y1": "noun"}
    return corpus(model, less, counts=counts, tags=tags)


def test_audit_of_words():
    table = seed_audit.audit_words(AUDITED, audited()).set_index(["set", "word"])
    assert table.loc[("f", "x1"), "per_million"] == 500_000
    assert table.loc[("f", "x2"), "in_models"] == 0.5
    warnings = table["warnings"]
    assert warnings["f", "X1"] == "listed more than once: it weighs more"
    assert warnings["f", "x2"] == "missing in some bootstraps; rare: under 20 occurrences"
    assert "more than one word" in warnings["f", "two words"]
    assert "not in the vocabulary" in warnings["f", "gone"]
    assert "in the opposite set too" in warnings["f", "y2"]
    assert warnings["m", "y1"] == ""
    # the rest of m is y2 alone
    y1, y2 = np.array(WORLD["y1"]), np.array(WORLD["y2"])
    cosine = y1 @ y2 / np.linalg.norm(y1) / np.linalg.norm(y2)
    assert table.loc[("m", "y1"), "to_own_set"] == pytest.approx(cosine)


def test_audit_of_sets():
    listed = {"same": ("y2", "y1"), "near": ("y1", "x9"), "far": ("w",)}
    published_sets = {name: SeedSet(words) for name, words in listed.items()}
    words = seed_audit.audit_words(AUDITED, audited())
    sets = seed_audit.audit_sets(AUDITED, audited(), published_sets, 0.95).set_index("set")
    assert (sets.loc["f", "n"], sets.loc["f", "n_of"]) == (2, 4)
    assert sets.loc["f", "parts_of_speech"] == "noun 2, verb 1"
    assert sets.loc["m", "median_count"] == 35
    assert "1 of 6 are more than one word" in sets.loc["f", "warnings"]
    assert "too few: 2 seeds" in sets.loc["m", "warnings"]
    assert sets.loc["m", "alternatives"].startswith("near (")
    assert "same" not in sets.loc["m", "alternatives"]
    pair = (("x1", "x1", "x2", "y2"), ("y1", "y2"))
    expected = [pairs.measured(m, [pair])["coherence"].item() for m in audited().models]
    assert sets.loc["f", "coherence"] == pytest.approx(np.mean(expected))
    text = seed_audit.audit_text(words, sets.reset_index())
    assert "gone: not in the vocabulary" in text


def test_audit_keeps_partners_when_it_leaves_out_a_bigram():
    made = corpus(vectors(**WORLD))
    sets_ = {"f": ["hair salon", "x1", "x2", "z"], "m": ["w", "y1", "y2", "good"]}
    sets = seed_audit.audit_sets(sets_, made, {}, 0.95).set_index("set")
    paired = [pairs.aligned(made.models[0], sets_["f"], sets_["m"])]
    assert paired == [(["x1", "x2", "z"], ["y1", "y2", "good"])]
    expected = pairs.measured(made.models[0], paired)["explained"].item()
    assert sets.loc["f", "explained"] == pytest.approx(expected)


def test_audit_of_one_set_has_no_opposite():
    sets = seed_audit.audit_sets({"f": ["x1", "x2", "z"]}, audited(), {}, 0.95)
    assert sets["opposite"].item() == ""
    assert "coherence" not in sets
    assert "f: 2 of 3" in seed_audit.audit_text(
        seed_audit.audit_words({"f": ["x1", "x2", "z"]}, audited()), sets
    )


def test_sets_define_a_direction_if_words_left_out_follow_it():
    """Random words rarely do; words that lie apart do, however many dimensions there are."""
    n, runs = 4, 15
    words = tuple("".join(letters) for letters in product("bcdfghjklm", repeat=3))
    found = {0: 0, 4: 0}
    for distance, run in product(found, range(runs)):
        rng = np.random.default_rng([n, run])
        matrix, chosen = rng.standard_normal((1000, 100)), rng.permutation(1000)[: 2 * n]
        matrix[chosen, 0] += distance * np.repeat([1, -1], n)
        made = corpus(vectors(**dict(zip(words, matrix, strict=True))))
        names = [words[i] for i in chosen]
        sets = {"a": names[:n], "b": names[n:]}
        table = seed_audit.audit_sets(sets, made, {}, 0.95, seed=run)
        found[distance] += table["direction_p"].iloc[0] <= 0.05
    assert found[0] <= binom.ppf(0.999, runs, 0.05)
    assert found[4] >= binom.ppf(0.001, runs, 0.9)
    shown = seed_audit.audit_text(seed_audit.audit_words(sets, made), table)
    assert "conclusion: the sets define a direction: left out in turn, " in shown


def test_sets_without_other_words_around_them_are_not_judged():
    sets = {"f": ["x1", "x2", "z"], "m": ["y1", "y2", "w"]}
    model = corpus(vectors(**WORLD))
    found = seed_audit.audit_sets(sets, model, {}, 0.95, seed=1)
    assert found["direction_p"].isna().all()
    assert "direction" not in seed_audit.audit_sets(sets, model, {}, 0.95)
