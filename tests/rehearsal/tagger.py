"""spaCy's model as a wheel: a tagger and a finder of names, trained on a few sentences."""

from __future__ import annotations

import json
import random
import re
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import spacy
from spacy.lang.en import English
from spacy.training import Example

from socialbias.sources.registry import Source
from tests.rehearsal.texts import ADJECTIVES, ADVERBS, NOUNS, VERBS, Counts, Words, Writer

SENTENCES, ROUNDS = 120, 6
TAGS = {"the": "DT", "of": "IN", "and": "CC", "was": "VBD", ".": ".", ",": ","}
TAGS |= dict.fromkeys(ADJECTIVES, "JJ") | dict.fromkeys(ADVERBS, "RB") | dict.fromkeys(VERBS, "VBD")
NAMES = {
    "PERSON": ("Anna", "Peter", "Marina", "Alino"),
    "GPE": ("Norway", "Ghana", "Peru", "Japan"),
}
WIDTH = 32


def wheel(source: Source, folder: Path, words: Words) -> Counts:
    """`<package>/<package>-<version>/` with the model in a zip, as upstream's wheel has it."""
    file = folder / source.files[0].name
    package, version = re.match(r"(\w+?)-([\d.]+)-", file.name).groups()
    nlp = trained(words)
    nlp.meta.update(name=package.removeprefix("en_"), version=version)
    with TemporaryDirectory() as temporary:
        root = Path(temporary, package, f"{package}-{version}")
        root.mkdir(parents=True)
        nlp.to_disk(root)
        paths = sorted(path for path in Path(temporary).rglob("*") if path.is_file())
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in paths:
                # A fixed date, so that the same model is the same file.
                entry = zipfile.ZipInfo(str(path.relative_to(temporary)))
                archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
            archive.writestr(zipfile.ZipInfo(f"{package}/__init__.py"), "")
            about = {"lang": "en", "name": package, "version": version}
            archive.writestr(zipfile.ZipInfo(f"{package}/meta.json"), json.dumps(about))
    return {}


def trained(words: Words) -> English:
    """A pipeline that tags by what a word is and where it stands."""
    random.seed(5)
    spacy.util.fix_random_seed(5)
    nlp = spacy.blank("en")
    model = {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2", "width": WIDTH,
            "attrs": ["LOWER", "SUFFIX"], "rows": [500, 200], "include_static_vectors": False,
        },
        "encode": {
            "@architectures": "spacy.MaxoutWindowEncoder.v2", "width": WIDTH, "window_size": 1,
            "maxout_pieces": 2, "depth": 2,
        },
    }  # fmt: skip
    nlp.add_pipe("tok2vec", config={"model": model})
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": WIDTH, "upstream": "tok2vec"}
    head = {
        "@architectures": "spacy.Tagger.v2",
        "nO": None,
        "normalize": False,
        "tok2vec": listener,
    }
    nlp.add_pipe("tagger", config={"model": head})
    parser = {
        "@architectures": "spacy.TransitionBasedParser.v2", "state_type": "ner",
        "extra_state_tokens": False, "hidden_width": WIDTH, "maxout_pieces": 2, "use_upper": True,
        "nO": None, "tok2vec": listener,
    }  # fmt: skip
    nlp.add_pipe("ner", config={"model": parser})
    examples = [_example(nlp, text) for text in _texts(words)]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(ROUNDS):
        random.shuffle(examples)
        for start in range(0, len(examples), 20):
            nlp.update(examples[start : start + 20], sgd=optimizer)
    return nlp


def _texts(words: Words) -> list[str]:
    sentences = [s for text in Writer(words, 9).documents(SENTENCES // 8) for s in text]
    names = [(a, b) for a in NAMES["PERSON"] for b in NAMES["GPE"]]
    return [
        *sentences,
        *(f"We met {a} at the {NOUNS[i]} of {b}." for i, (a, b) in enumerate(names)),
    ]


def _example(nlp: English, text: str) -> Example:
    """A text with its tags: an unknown word is a noun, one behind "We" a verb."""
    doc = nlp.make_doc(text)
    kind = {name: label for label, names in NAMES.items() for name in names}
    tags = [TAGS.get(t.lower_, "NNP" if t.text in kind else "NN") for t in doc]
    entities = [f"U-{kind[t.text]}" if t.text in kind else "O" for t in doc]
    return Example.from_dict(doc, {"tags": tags, "entities": entities})
