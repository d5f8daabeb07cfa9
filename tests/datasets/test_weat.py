"""The word lists of WEAT, in two layouts."""

import json

from socialbias.datasets import weat

TEST = {
    key: {"category": key.upper(), "examples": [f"{key}-{i}" for i in range(2)]}
    for key in ("targ1", "targ2", "attr1", "attr2")
}


def test_weat_of_bias_bench(put):
    test = weat.read_bias_bench(put(json.dumps(TEST, indent=2), "weat6b.jsonl"))
    assert test.name == "weat6b"
    assert (test.target_names, test.attribute_names) == (("TARG1", "TARG2"), ("ATTR1", "ATTR2"))
    assert test.targets == (("targ1-0", "targ1-1"), ("targ2-0", "targ2-1"))
    assert test.attributes == (("attr1-0", "attr1-1"), ("attr2-0", "attr2-1"))


def test_weat_of_responsibly(put):
    sets = {
        "first_target": {"name": "Teas", "words": ["oolong", "assam"], "remove": ["assam"]},
        "second_target": {"name": "Cakes", "words": ["bun"]},
        "first_attribute": {"name": "Good", "words": ["nice"]},
        "second_attribute": {"name": "Bad", "words": ["foul"]},
        "original_finding": {"Ref": "X", "N": "32", "d": "1.35", "p": "1e-8"},
    }
    first, second = weat.read_responsibly(put([sets, sets]))
    assert (first.name, second.name) == ("weat1", "weat2")
    assert first.targets == (("oolong", "assam"), ("bun",))
    assert first.removed == (("assam",), ())
    assert first.attribute_names == ("Good", "Bad")
    assert first.finding["d"] == "1.35"


def test_errata_are_corrected_in_all_sets_and_can_be_left(put):
    sets = {
        "first_target": {"name": "Teas", "words": ["oolong", "asam"]},
        "second_target": {"name": "Cakes", "words": ["bun"]},
        "first_attribute": {"name": "Good", "words": ["nice"]},
        "second_attribute": {"name": "Bad", "words": ["foul", "asam"]},
    }
    path = put([sets], "weat.json")
    manifest = {"files": [{"path": path.name}]}
    [test] = weat.read_tests(path.parent, manifest, {"asam": "assam"})
    assert test.targets == (("oolong", "assam"), ("bun",))
    assert test.attributes == (("nice",), ("foul", "assam"))
    [test] = weat.read_tests(path.parent, manifest, {})
    assert test.words == {"oolong", "asam", "bun", "nice", "foul"}
