"""Vectors of words in a language model, which reads each word in a few short sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch.nn import ModuleList
from transformers import PreTrainedTokenizerFast

from socialbias.commands.subjects import Subject, open_subject
from socialbias.embeddings.static_models import whole_words
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.languages import ENGLISH
from socialbias.embeddings.words.lists import lists
from socialbias.errors import UserError
from socialbias.measures.placebo import cohesion
from socialbias.models.batching import padded
from socialbias.models.extract import extract
from socialbias.models.loading import Model, load_model, scoring_kind
from socialbias.models.threads import one_thread
from socialbias.models.tokenizers import pieces, spelt
from socialbias.stats.similarity import Array, unit_rows

# A causal model reads only what precedes a word, and the first words of all texts look alike to it.
TEMPLATES = ("They said {}", "This is about {}", "We read the word {}", "People like {}")
MIN_RANDOM_WORDS, MOST_RANDOM_WORDS = 200, 2000  # random words of a model
WORK = 6e10  # random words times parameters: some ten seconds of a core
OF_LAYERS = 100  # words by which the layers are compared


def model_vectors(
    subject: Subject,
    words: Sequence[str],
    layer: int | None = None,
    beside: Callable[..., list[str]] | None = None,
) -> tuple[WordVectors, Array, dict]:
    """Return the vector of each word in one layer of a model: the mean over the templates.

    Layer 0 is the input embeddings, and None is that in which words of the vocabulary look least
    alike. `beside` maps words, and a number, to that many random words. Returned are the vectors of
    words that the model can spell, those in each template (4, n, d), and what was read.
    """
    kind = {"masked": "encoder", "causal": "causal"}[scoring_kind(subject.path)]
    with one_thread():
        model = load_model(subject.path, kind)
        words = spelt(model.tokenizer, words)
        if not words:
            raise UserError(f"{subject.name}: its vocabulary cannot spell any of the words")
        facts = {"layers": model.layers, "dimensions": model.width}
        if layer is None:
            layer, alike = least_alike(model)
            chosen = f"where words look least alike (mean cosine {alike:.2f})"
            facts |= {"layer chosen": chosen} if np.isfinite(alike) else {}
        for blocks in model.body.modules():
            if isinstance(blocks, ModuleList) and len(blocks) == model.layers:
                del blocks[layer + 1 :]  # later blocks need not run
                break  # other lists as long are no blocks, such as experts
        if beside:
            # Fewer random words in larger models.
            parameters = sum(p.numel() for p in model.network.parameters())
            many = int(min(max(WORK / parameters, MIN_RANDOM_WORDS), MOST_RANDOM_WORDS))
            asked = [*words]
            words += beside(whole_words(model.tokenizer.get_vocab()), many)
            if any(n > 1 for n in pieces(model.tokenizer, asked).values()):
                words += beside(words_of_several_pieces(model.tokenizer), many)
        words = list(dict.fromkeys(words))
        in_each = in_templates(model, words, layer)
    vectors = WordVectors(tuple(words), in_each.mean(axis=0))
    return vectors, in_each, facts | {"layer": layer}


def in_templates(model: Model, words: Sequence[str], layer: int) -> Array:
    """Return the vectors of words in each template, (4, n, d), all with the same mean."""
    found = []
    for template in TEMPLATES:
        start = template.index("{")
        spans = [[(start, start + len(word))] for word in words]
        texts = [template.format(word) for word in words]
        found.append(extract(model, texts, spans, layer=layer).vectors)
    vectors = np.stack(found)
    return vectors - vectors.mean(axis=1, keepdims=True) + vectors.mean(axis=(0, 1))


@torch.inference_mode()
def least_alike(model: Model) -> tuple[int, float]:
    """Return the layer with the lowest mean cosine between words, except 0; and this cosine.

    The words are single pieces, evenly spread over the vocabulary, in the first template. Without
    two such words it is the last layer.
    """
    words = whole_words(model.tokenizer.get_vocab())
    words = [word for word, n in pieces(model.tokenizer, words).items() if n == 1]
    if len(words) < 2:
        return model.layers, np.nan
    texts = [TEMPLATES[0].format(word) for word in words[:: len(words) // OF_LAYERS + 1]]
    ids = model.tokenizer(texts)["input_ids"]
    [place] = np.flatnonzero(np.ptp(ids, axis=0))
    rows = [(np.array(each, np.int32), np.zeros(len(each), np.int8)) for each in ids]
    inputs = padded(model.body, rows, model.device)
    layers = model.body(**inputs, output_hidden_states=True).hidden_states
    alike = [float(cohesion(unit_rows(x[:, place].float().cpu().numpy()))) for x in layers[1:]]
    return int(np.argmin(alike)) + 1, min(alike)


def words_of_several_pieces(tokenizer: PreTrainedTokenizerFast) -> list[str]:
    """Return words of the packaged English lists and example that a tokenizer splits."""
    listed = [word for each in lists().values() if each.language == ENGLISH for word in each.all]
    words = [*open_subject("example").vocabulary(), *listed]
    words = spelt(tokenizer, [word for word in dict.fromkeys(words) if word.isalpha()])
    return [word for word, n in pieces(tokenizer, words).items() if n > 1]
