"""Named entities that a tagger finds in the filled templates, and in CoNLL-2003.

Czarnowska, Vyas and Shah 2021 fine-tune RoBERTa with a CRF (section 5, Models): `recognisers` does.
The pretrained tagger here is spaCy's, of another training text and other classes: `MAPPED` are
those of CoNLL-2003, and numbers and dates are no entities there. Its spans are kept as they are,
with articles: "the Congo" is not found where "Congo" is the term.

Its parser has no probabilities of tags. That of a class for a word is the share of the parses of a
beam in which the word is in an entity of the class, each parse weighted by its own probability.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc

from socialbias.corpora.tagging import ENTITY_PIPES, tagger
from socialbias.errors import UserError
from socialbias.measures.datasets.conll2003 import Sentence, read_sentences
from socialbias.measures.spans import Span, spans
from socialbias.papers.fairness import terms as identity
from socialbias.papers.fairness.suites import (
    KEPT,
    SUITES,
    TERMS_EVIDENCE,
    released_templates,
    suite,
)
from socialbias.papers.fairness.terms import NATIONALITY
from socialbias.pipeline.job import Job
from socialbias.sources.manifest import read_manifest

MAPPED = {
    "PERSON": "PER",
    "GPE": "LOC",
    "LOC": "LOC",
    "FAC": "LOC",
    "ORG": "ORG",
    **dict.fromkeys(("NORP", "EVENT", "PRODUCT", "WORK_OF_ART", "LANGUAGE", "LAW"), "MISC"),
}
CLASSES = ("PER", "LOC", "ORG", "MISC")
DEVELOPMENT = ("valid.txt", "dev.txt")  # what copies call it
BATCH = 64  # sentences
BEAM = {"beam_width": 8, "beam_density": 1e-4}  # parses, and the least share of the best one's
COUNTS = ["class", "gold", "predicted", "found"]


def measure(job: Job) -> pd.DataFrame:
    """Return the entities of the templates that have tags.

    Countries are all filled in, whatever `terms_per_group` is: they are few.
    """
    table, sentences, places = tagged_templates(job)
    folder, manifest = read_manifest(job.path("tagger"))
    with tagger(folder, manifest, ENTITY_PIPES) as nlp:
        predicted = predictions(nlp, sentences)
        return tabulated(table, predicted, probabilities(nlp, sentences, places))


def tagged_templates(job: Job) -> tuple[pd.DataFrame, list[list[str]], list[list[int]]]:
    """Return filled templates with tags, their words and the term's places among them."""
    table = job.table(SUITES)
    table = table[(table["tags"] != "") & (table["attribute"] != NATIONALITY)]
    # Besides, the templates that take countries, with every country.
    terms = identity.kept(job.table(TERMS_EVIDENCE))
    folder, _ = read_manifest(job.path("fairness_entities"))
    templates = released_templates(folder / "templates")
    templates = templates[templates["attribute"] == NATIONALITY]
    sources = {place: i for i, place in enumerate(templates["place"])}  # as in the suites
    articles = "letter" if job.settings["fairness.released_slips"] else "sound"
    terms = terms[terms["attribute"] == NATIONALITY]
    countries, _ = suite(templates[templates["ner"] != ""], terms, articles)
    countries = countries.assign(source=countries["place"].map(sources))
    table = pd.concat([table, countries], ignore_index=True)
    sentences = [tokens.split(" ") for tokens in table["tokens"]]
    places = [places_of(term, words) for term, words in zip(table["term"], sentences, strict=True)]
    return table, sentences, places


def tabulated(
    table: pd.DataFrame, predicted: Sequence[set[Span]], probable: NDArray[np.float64]
) -> pd.DataFrame:
    """Return what a tagger predicts for filled templates."""
    gold = [spans(tags.split(" ")) for tags in table["tags"]]
    counts = counted(gold, predicted)
    counts["probability"] = probable.ravel()
    joined = table[KEPT].join(counts.set_index("sentence"))
    return joined[[*KEPT, *COUNTS, "probability"]].reset_index(drop=True)


def measure_development(job: Job) -> pd.DataFrame:
    """Return the entities of CoNLL-2003's development part."""
    sentences = development_part(job)
    folder, manifest = read_manifest(job.path("tagger"))
    with tagger(folder, manifest, ENTITY_PIPES) as nlp:
        return of_documents(sentences, predictions(nlp, [x.tokens for x in sentences]))


def of_documents(sentences: Sequence[Sentence], predicted: Sequence[set[Span]]) -> pd.DataFrame:
    """Return what a tagger predicts for the sentences of CoNLL-2003."""
    counts = counted([spans(sentence.entities) for sentence in sentences], predicted)
    documents = pd.Series([sentence.document for sentence in sentences])
    return counts.assign(document=documents.loc[counts["sentence"]].to_numpy())


def development_part(job: Job) -> list[Sentence]:
    """Return the sentences of the development part of the input `conll2003`."""
    folder, source = read_manifest(job.path("conll2003"))
    return list(read_sentences(development(folder, source["source"])))


def development(folder: Path, source: str) -> Path:
    """Return the file of the development part."""
    for name in DEVELOPMENT:
        if (folder / name).is_file():
            return folder / name
    raise UserError(f"{source}: no {' or '.join(DEVELOPMENT)}, the development part")


def predictions(nlp: Language, sentences: Iterable[Sequence[str]]) -> list[set[Span]]:
    """Return the entities that a tagger finds in sentences, by the classes of CoNLL-2003."""
    documents = (Doc(nlp.vocab, words=list(words)) for words in sentences)
    return [
        {Span(x.start, x.end, MAPPED[x.label_]) for x in document.ents if x.label_ in MAPPED}
        for document in nlp.pipe(documents, batch_size=BATCH)
    ]


def places_of(term: str, sentence: Sequence[str]) -> list[int]:
    """Return the places of a term's words in a sentence, where it occurs first."""
    wanted, words = term.lower().split(), [word.lower() for word in sentence]
    for i in range(len(words) - len(wanted) + 1):
        if words[i : i + len(wanted)] == wanted:
            return list(range(i, i + len(wanted)))
    raise UserError(f"{term!r} is not among the words of {' '.join(sentence)!r}")


def probabilities(
    nlp: Language, sentences: Sequence[Sequence[str]], places: Sequence[Sequence[int]]
) -> NDArray[np.float64]:
    """Return how probable a tagger finds it that some words are in an entity, by class."""
    ner, table = nlp.get_pipe("ner"), np.zeros((len(sentences), len(CLASSES)))
    for first_of_batch in range(0, len(sentences), BATCH):
        batch = range(len(sentences))[first_of_batch : first_of_batch + BATCH]
        documents = [Doc(nlp.vocab, words=list(sentences[i])) for i in batch]
        for i, beam in zip(batch, ner.beam_parse(documents, **BEAM), strict=True):
            words = set(places[i])
            for weight, entities in ner.moves.get_beam_parses(beam):
                for first, end, label in entities:
                    if label in MAPPED:
                        within = len(words.intersection(range(first, end))) / len(words)
                        table[i, CLASSES.index(MAPPED[label])] += weight * within
    return np.minimum(table, 1)  # the weights of all parses add up to 1 to within rounding


def counted(gold: Sequence[set[Span]], predicted: Sequence[set[Span]]) -> pd.DataFrame:
    """Numbers of spans: in each sentence, of each class."""
    rows = []
    for i, (true, guessed) in enumerate(zip(gold, predicted, strict=True)):
        for kind in CLASSES:
            parts = (true, guessed, true & guessed)
            rows.append((i, kind, *(sum(span.kind == kind for span in x) for x in parts)))
    return pd.DataFrame(rows, columns=["sentence", *COUNTS])
