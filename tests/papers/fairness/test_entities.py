"""Named entities by hand, of a tagger trained here on two sentences."""

import numpy as np
import pandas as pd
import pytest
import spacy
from spacy.training import Example

from socialbias.errors import UserError
from socialbias.papers.fairness import model_tables
from socialbias.papers.fairness.entities import (
    CLASSES,
    COUNTS,
    Span,
    counted,
    development,
    measure,
    measure_development,
    places_of,
    predictions,
    probabilities,
)
from socialbias.papers.fairness.suites import SPECIFIC, TEMPLATES, TERMS_EVIDENCE, suite
from socialbias.papers.fairness.terms import NAMES, TERMS
from tests.worlds import job_with, manifest
from tests.worlds.fairness import countries, templates

LEARNED = [
    ("Anna met Chad .", ["U-PERSON", "O", "U-GPE", "O"]),
    ("In 1990 Peru sold Anna .", ["O", "U-DATE", "U-GPE", "O", "U-PERSON", "O"]),
    ("Chad met Anna .", ["U-GPE", "O", "U-PERSON", "O"]),
]
CONLL = """-DOCSTART- -X- O O

Anna NNP B-NP B-PER
met VBD B-VP O
Peru NNP B-NP B-LOC
. . O O

-DOCSTART- -X- O O

In IN B-PP O
1990 CD B-NP B-MISC
Peru NNP B-NP B-ORG
. . O O

"""


@pytest.fixture(scope="module")
def tagger(tmp_path_factory):
    nlp = spacy.blank("en")
    nlp.add_pipe("ner")
    examples = []
    for text, tags in LEARNED:
        document = spacy.tokens.Doc(nlp.vocab, words=text.split(" "))
        examples.append(Example.from_dict(document, {"entities": tags}))
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples, sgd=optimizer)
    folder = tmp_path_factory.mktemp("tagger")
    nlp.to_disk(folder)
    return manifest(folder, "tiny")


def test_a_span_is_found_if_it_is_exact_and_of_its_class():
    gold = [{Span(0, 2, "LOC"), Span(3, 4, "PER")}, set()]
    predicted = [{Span(0, 2, "LOC"), Span(3, 4, "ORG"), Span(5, 6, "LOC")}, {Span(0, 1, "PER")}]
    table = counted(gold, predicted).set_index(["sentence", "class"])[COUNTS[1:]]
    expected = {(0, "LOC"): (1, 2, 1), (0, "PER"): (1, 0, 0), (0, "ORG"): (0, 1, 0)}
    found = {at: tuple(row) for at, *row in table.itertuples() if any(row)}
    assert found == expected | {(1, "PER"): (0, 1, 0)}


def test_classes_are_mapped_and_dates_are_none(tagger):
    nlp = spacy.load(tagger.parent)
    assert [x.label_ for x in nlp("In 1990 Peru sold Anna .").ents] == ["DATE", "GPE", "PERSON"]
    [entities] = predictions(nlp, [["In", "1990", "Peru", "sold", "Anna", "."]])
    assert entities == {Span(2, 3, "LOC"), Span(4, 5, "PER")}
    words = ["Anna", "met", "Chad", "."]
    alone, both = probabilities(nlp, [words, words], [[2], [1, 2]])  # means over a term's words
    assert both[CLASSES.index("LOC")] == pytest.approx(alone[CLASSES.index("LOC")] / 2, abs=0.05)
    assert ((alone >= 0) & (alone <= 1)).all()


def test_filled_templates(tagger, tmp_path):
    """Suites are capped at one country, but both are tagged; names are those of the suites."""
    lines = "Anna met {country}.,d,1,Anna:U-PER|{country}:U-LOC\nNo {country}.,d,1,\n"
    name = pd.DataFrame(
        [(NAMES, "female", "Anna", "name", "Anna", "x", "")], columns=[*TERMS, "reason"]
    )
    terms = pd.concat([countries(("q1", "Chad"), ("q2", "Oz")), name], ignore_index=True)
    people = [(NAMES, SPECIFIC, "{Person} met Chad.", "y", 1, "{Person}:U-PER|Chad:U-LOC")]
    inputs = {
        "tagger": tagger,
        "fairness_entities": templates(tmp_path / "gfm", lines),
        "evidence/fairness/suites": suite(pd.DataFrame(people, columns=TEMPLATES), terms)[0],
        TERMS_EVIDENCE: terms,
    }
    table = measure(job_with(inputs, **{"fairness.released_slips": True}))
    assert len(table) == 3 * 4
    assert table.groupby("term")["probability"].sum().max() <= 1 + 1e-9
    found = table.set_index(["term", "class"])[["gold", "found"]].apply(tuple, axis=1).to_dict()
    assert found["Anna", "PER"] == found["Anna", "LOC"] == found["Chad", "LOC"] == (1, 1)
    assert found["Oz", "LOC"][0] == 1
    assert {found[term, "ORG"] for term in ("Anna", "Chad", "Oz")} == {(0, 0)}
    sure = table.set_index(["term", "class"])["probability"]
    assert min(sure["Chad", "LOC"], sure["Anna", "PER"]) > 0.9 > 0.1 > sure["Chad", "PER"]


def test_places_of_a_term():
    assert places_of("new Zealand", ["New", "York", "or", "New", "Zealand", "."]) == [3, 4]
    with pytest.raises(UserError, match="'Oz' is not among the words of 'No Ozark'"):
        places_of("Oz", ["No", "Ozark"])


def test_the_development_part(tagger, tmp_path):
    source = manifest(tmp_path, "mine")
    with pytest.raises(UserError, match=r"mine: no valid\.txt or dev\.txt"):
        development(tmp_path, "mine")
    (tmp_path / "valid.txt").write_text(CONLL)
    counts = measure_development(job_with({"tagger": tagger, "conll2003": source}))
    assert counts["document"].tolist() == [1] * 4 + [2] * 4
    totals = counts.groupby("class")[["gold", "predicted", "found"]].sum()
    # The tagger finds Peru twice as a place, which is one once, and 1990, which does not count.
    expected = {"LOC": [1, 2, 1], "PER": [1, 1, 1], "MISC": [1, 0, 0], "ORG": [1, 0, 0]}
    assert {name: totals.loc[name].tolist() for name in expected} == expected
    cells = {cell["column"]: cell for cell in model_tables.entities("row", counts, seed=1)}
    assert cells["f1"]["value"] == pytest.approx(2 * 2 / (3 + 4))
    assert cells["f1_places"]["value"] == pytest.approx(2 * 1 / (2 + 1))
    assert cells["f1"]["n"] == 4
    assert 0 <= cells["f1"]["ci_low"] <= 4 / 7 <= cells["f1"]["ci_high"] <= 1


def test_accuracy_and_majority_of_a_classifier():
    tested = {"accuracy": 0.9, "accuracy_low": 0.8, "accuracy_high": 0.95}
    tested |= {"held_out": 100, "majority": 0.6}
    accuracy, majority = model_tables.sentiment("row", pd.Series(tested))
    assert (accuracy["column"], accuracy["value"], accuracy["n"]) == ("accuracy", 0.9, 100)
    # Wilson's interval of 90 of 100, by hand with Student's 1.984: .826 to .945.
    assert np.quantile(accuracy["draws"], [0.025, 0.975]) == pytest.approx([0.826, 0.945], abs=0.01)
    assert (majority["column"], majority["value"]) == ("majority", 0.6)
