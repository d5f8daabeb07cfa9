"""Words found in real text through real vocabularies, against the spelling of the pieces.

The vocabularies are those of BERT, GPT-2 and RoBERTa in the mirror (`SOCIALBIAS_MIRROR`), the text
is of GPT-2's own training set. The models are tiny and random, which makes no difference to the
pieces. MiniLM and SmolLM2 are of the data folder of this checkout or of `SOCIALBIAS_DATA`. What is
not there is skipped.
"""

from __future__ import annotations

import re
import shutil
from itertools import islice

import numpy as np
import pytest
import torch
from transformers import BertConfig, GPT2Config, RobertaConfig

from socialbias.corpora.readers import gpt2_jsonl
from socialbias.models.extract import extract
from socialbias.models.loading import Model, load_model
from tests import tiny_models
from tests.shortened import later
from tests.worlds.files import mirrored

TEXTS = 80
SMALL = tiny_models.SMALL | {"num_hidden_layers": 1}
GPT2 = {"vocab.json": "gpt2_encoder.json", "merges.txt": "gpt2_bpe_vocab.bpe"}
# Files by their names in a model's folder, and the model.
VOCABULARIES = {
    "bert-uncased": (
        {"vocab.txt": "bert_base_uncased_vocab.txt"},
        BertConfig(vocab_size=30522, **SMALL),
    ),
    "gpt2": (GPT2, GPT2Config(vocab_size=50257, n_embd=16, n_layer=1, n_head=2)),
    "bert-cased": (
        {"vocab.txt": "bert_base_cased_vocab.txt"},
        BertConfig(vocab_size=28996, **SMALL),
    ),
    "roberta": (
        GPT2 | {"vocab.json": "roberta_base_vocab_rebuilt.json"},
        RobertaConfig(vocab_size=50265, max_position_embeddings=514, **SMALL),
    ),
}


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """Paragraphs in ASCII: accents and signs have no one spelling in pieces."""
    documents = gpt2_jsonl(mirrored("gpt2-output/webtext.train.head.jsonl"))
    paragraphs = (p for document in documents for p in document.text.split("\n"))
    return list(islice((p for p in paragraphs if p.isascii() and 40 < len(p) < 900), TEXTS))


@pytest.fixture(scope="module", params=later(VOCABULARIES, 2))
def model(request, tmp_path_factory) -> Model:
    """A random model over a real vocabulary, from the files that upstream publishes."""
    folder = tmp_path_factory.mktemp(request.param)
    files, config = VOCABULARIES[request.param]
    for name, published in files.items():
        shutil.copy(mirrored(f"tokenizers/{published}"), folder / name)
    config.save_pretrained(folder)
    loaded = load_model(folder, "encoder", device="cpu", seed=1)
    # Models begin so small that pieces would hardly differ.
    torch.manual_seed(1)
    torch.nn.init.normal_(loaded.network.get_input_embeddings().weight)
    return loaded


def characters_of(pieces: list[str], text: str) -> list[set[int]]:
    """The characters of each piece, by its spelling alone."""
    found, at = [], 0
    for piece in pieces:
        shown = piece.removeprefix("##").lstrip("Ġ▁")
        if re.fullmatch(r"\[(CLS|SEP)\]|</?s>", piece):
            shown = ""
        while shown and text[at] == " ":
            at += 1
        assert text[at : at + len(shown)].lower() == shown.lower(), (piece, text[at:])
        found.append(set(range(at, at + len(shown))))
        at += len(shown)
    return found


def hidden(model: Model, text: str) -> tuple[list[str], np.ndarray]:
    """The pieces of a text and their vectors."""
    ids = model.tokenizer(text, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        vectors = model.network(input_ids=ids).last_hidden_state[0].numpy()
    return model.tokenizer.convert_ids_to_tokens(ids[0]), vectors


def test_every_word_of_real_text(model, texts):
    spans = [[m.span() for m in re.finditer(r"\w+", text)] for text in texts]
    expected = []
    for text, words in zip(texts, spans, strict=True):
        pieces, vectors = hidden(model, text)
        characters = characters_of(pieces, text)
        for start, end in words:
            of_word = [k for k, c in enumerate(characters) if c & set(range(start, end))]
            assert of_word
            expected.append(vectors[of_word].mean(0))
    found = extract(model, texts, spans, layer=1)
    assert found.report.windows == 0
    assert found.report.words > 2000
    np.testing.assert_allclose(found.vectors, expected, atol=1e-4)
