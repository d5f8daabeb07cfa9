"""The scores of a gate and of an audit, against one plain pass for each text, in float64.

The oracle uses transformers alone: no batches, no shared beginnings, no code of this project.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch
from transformers import (
    AutoModelForCausalLM,
    AutoModelForImageTextToText,
    AutoModelForMaskedLM,
    PreTrainedTokenizerFast,
)

from socialbias.commands.audit.instruments_models import answers
from socialbias.commands.measure_items import decider
from socialbias.commands.subjects import open_subject
from socialbias.models.items import Intrasentence
from socialbias.models.masked_scoring import PROMPT
from tests import scoring_families
from tests.scoring_families import CAUSAL, MASKED
from tests.shortened import later

NEAR, CLEAR = 1e-4, 2e-4  # nats
# A gap within a sentence, at its beginning and end, before punctuation, within a word, and in
# Chinese, where no spaces are.
CONTEXTS = (
    "The nurse was BLANK today.",
    "BLANK people plan ahead; the pilot said so.",
    "My sister said that her doctor was BLANK",
    "The teacher, a BLANK-minded one, was there.",
    "护士很BLANK，工程师在家。",
)
WORDS = (("careful", "thoughtless"), ("gentle", "unkind"), ("温柔", "粗鲁"))
ITEMS = [Intrasentence(context, words) for context, words in product(CONTEXTS, WORDS)]
# What stands before a text where a tokenizer puts nothing there.
BEGINS = {"gpt2": "<|endoftext|>", "qwen2_vl": "<|im_end|>"}


def logs(network, ids, segments=None) -> torch.Tensor:
    inputs = {"input_ids": torch.tensor([ids])}
    if segments and any(segments):
        inputs["token_type_ids"] = torch.tensor([segments])
    with torch.no_grad():
        return network(**inputs).logits[0].log_softmax(-1)


def causal(name, network, tokenizer, item, word) -> float:
    ids = tokenizer(item.context.replace("BLANK", word)).input_ids
    ids = [tokenizer.convert_tokens_to_ids(BEGINS[name]), *ids] if name in BEGINS else ids
    found = logs(network, ids)
    return sum(float(found[i - 1, ids[i]]) for i in range(1, len(ids)))


def masked(name, network, tokenizer, item, word) -> float:
    before, after = item.context.split("BLANK")
    text, first = before + word + after, len(before)
    pair = (PROMPT, text) if name == "xlnet" else (text,)
    encoded = tokenizer(*pair, return_offsets_mapping=True, return_token_type_ids=True)
    pieces = [
        i
        for i, (start, end) in enumerate(encoded["offset_mapping"])
        if encoded.sequence_ids(0)[i] == len(pair) - 1
        and text[max(start, first) : min(end, first + len(word))].strip()
        and tokenizer.convert_ids_to_tokens(encoded["input_ids"][i]) != "▁"
    ]
    assert pieces
    scores = []
    for k, piece in enumerate(pieces):
        ids = list(encoded["input_ids"])
        for hidden in pieces[k:]:
            ids[hidden] = tokenizer.mask_token_id
        found = logs(network, ids, encoded["token_type_ids"])
        scores.append(float(found[piece, encoded["input_ids"][piece]]))
    return float(np.mean(scores))


def expected(name, folder) -> np.ndarray:
    kind = AutoModelForCausalLM if name in (*CAUSAL, "xlnet") else AutoModelForMaskedLM
    kind = AutoModelForImageTextToText if name in ("gemma", "qwen2_vl") else kind
    network = kind.from_pretrained(folder).double().eval()
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    way = causal if name in CAUSAL else masked
    return np.array([[way(name, network, tokenizer, x, w) for w in x.attributes] for x in ITEMS])


FIRST = ("gpt2", "llama", "gemma", "bert", "roberta", "xlnet")


@pytest.mark.parametrize("name", later(sorted([*CAUSAL, *MASKED], key=lambda x: x not in FIRST), 6))
def test_scores_are_those_of_plain_passes(name, tmp_path):
    folder = scoring_families.write(tmp_path / name, name)
    agree(name, folder)


def agree(name, folder):
    wanted = expected(name, folder)
    scoring = "sentence_sum" if name in CAUSAL else "likelihood_corrected"
    found = answers(folder, tuple(ITEMS), scoring, random=False)
    decided = decider(open_subject(folder))(ITEMS)
    told = ~np.isnan(decided)
    assert told.sum() > len(ITEMS) / 2
    assert (np.isnan(found).any(axis=1) == ~told).all()
    apart = np.abs(found - wanted)[told]
    margins = wanted[:, 0] - wanted[:, 1]
    clear = told & (np.abs(margins) > CLEAR)
    differ = (decided != (margins > 0))[clear].sum()
    print(
        f"{name}: {told.sum()} items, at most {apart.max():.1e} nats, {differ} of {clear.sum()} "
        f"decisions differ"
    )
    assert apart.max() < NEAR
    assert not differ
