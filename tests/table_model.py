"""Models whose probabilities are a table, so that scores can be worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from torch import nn
from transformers import PreTrainedTokenizerFast

from socialbias.models.loading import Model

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<s>"]
WORDS += ["he", "she", "is", "was", "un", "##kind", "kind", "old", ".", "here", "good"]

# A text's tokens, a place among them and its position (which is the place unless rows share a
# beginning) to the probabilities of some tokens there.
Predict = Callable[[list[str], int, int], dict[str, float]]


def tokenizer(kind: str) -> PreTrainedTokenizerFast:
    """Words, of which `unkind` is two pieces; for a masked model, with marks around a text."""
    made = Tokenizer(models.WordPiece({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    if kind == "masked":
        made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    made.decoder = decoders.WordPiece()
    special = {"unk_token": "[UNK]", "pad_token": "[PAD]", "mask_token": "[MASK]"}
    special |= {"cls_token": "[CLS]", "sep_token": "[SEP]", "bos_token": "<s>"}
    return PreTrainedTokenizerFast(tokenizer_object=made, **special)


def table_model(kind: str, predict: Predict) -> Model:
    """A model that predicts, at each place of a text, what a function says.

    Args:
        kind: `masked` or `causal`.
        predict: Probabilities of some tokens; what is left of 1 is spread over the others.
    """
    network = _Network(predict)
    return Model("table", kind, network, tokenizer(kind), torch.device("cpu"), None)


class _Body(nn.Module):
    def __init__(self, predict: Predict):
        super().__init__()
        self.predict = predict
        self.weight = nn.Parameter(torch.zeros(1))

    def forward(self, input_ids, attention_mask, position_ids=None, token_type_ids=None):
        n = input_ids.shape[1]
        if position_ids is None:
            position_ids = torch.arange(n).expand_as(input_ids)
        hidden = torch.zeros(*input_ids.shape, len(WORDS), dtype=self.weight.dtype)
        for i, row in enumerate(input_ids.tolist()):
            words = [WORDS[x] for x in row if x]
            for j in range(len(words)):
                hidden[i, j] = self._row(words, j, int(position_ids[i, j]))
        return hidden

    def _row(self, words: list[str], place: int, position: int) -> torch.Tensor:
        known = self.predict(words, place, position)
        rest = (1 - sum(known.values())) / (len(WORDS) - len(known))
        return torch.tensor([known.get(w, rest) for w in WORDS], dtype=torch.float64).log()


class _Network(nn.Module):
    def __init__(self, predict: Predict):
        super().__init__()
        self.body = _Body(predict)
        self.head = nn.Identity()
        self.config = SimpleNamespace(bos_token_id=None, model_type="table")
        self.config.get_text_config = lambda: self.config

    def get_output_embeddings(self) -> nn.Module:
        return self.head

    def forward(self, **inputs):
        return SimpleNamespace(logits=self.head(self.body(**inputs)))
