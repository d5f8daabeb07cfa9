"""By which convention `compare` scores, what it says of it, and which models it refuses."""

import csv
import json
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import (
    CLIPConfig,
    FNetConfig,
    Gemma3ForCausalLM,
    MobileBertConfig,
    T5Config,
    ViTConfig,
)

from socialbias import compare_items
from socialbias.commands.measure_items import decider, read_items
from socialbias.commands.subjects import open_subject
from socialbias.errors import UserError
from tests import scoring_families
from tests.models.test_scoring_oracle import agree

WORDS = [("kind", "rude"), ("careful", "harsh"), ("gentle", "loud")]
UNKNOWN = [("🙂", "🙃"), ("kind", "ก")]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    return {
        name: scoring_families.write(folder / name, name) for name in ("llama", "gpt2", "deberta")
    }


def items(path, words):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "term", "context", "stereotype", "anti-stereotype"])
        for i, pair in enumerate(words):
            writer.writerow([i, f"t{i}", "The nurse was BLANK today.", *pair])
    return path


def test_the_convention_is_in_every_output(made, tmp_path):
    read = items(tmp_path / "items.csv", WORDS)
    result = compare_items(made["llama"], made["gpt2"], read)
    told = [entry["scoring"] for entry in json.loads(result.to_json())["provenance"][:2]]
    assert [each["scoring"] for each in told] == ["sentence_sum (corrected)"] * 2
    assert told[0]["first token"].startswith("given <s>")
    assert told[1]["first token"].startswith("given <|endoftext|>")
    released = compare_items(made["llama"], made["gpt2"], read, scoring="released")
    assert "sentence_released (released)" in str(released)


def test_a_masked_and_a_causal_model_are_compared_only_if_asked_for(made, tmp_path):
    read = items(tmp_path / "items.csv", WORDS)
    sides = made["llama"], made["deberta"]
    asked = "sentence_sum", "likelihood_corrected"
    hint = "--scoring sentence_sum --scoring likelihood_corrected"
    with pytest.raises(UserError, match=hint):
        compare_items(*sides, read)
    assert compare_items(*sides, read, scoring=asked).n == len(WORDS)
    for scoring, problem in (("loud", "must be one of"), (asked[1], "is not for a causal model")):
        with pytest.raises(UserError, match=problem):
            compare_items(sides[0], sides[0], read, scoring=scoring)


def test_words_that_a_tokenizer_does_not_know_give_no_decision(made, tmp_path):
    read = items(tmp_path / "items.csv", WORDS + UNKNOWN)
    found = decider(open_subject(made["deberta"]))(read_items(read).items)
    assert np.isnan(found).tolist() == [False, False, False, True, True]
    result = compare_items(made["deberta"], made["deberta"], read, margin=0.5, common=True)
    assert "2 items have no decision by deberta" in result.notes[-1]
    items(read, UNKNOWN)
    with pytest.raises(UserError, match="2 items have no decision"):
        compare_items(made["deberta"], made["deberta"], read)


def configured(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def weights(folder, change):
    path = folder / "model.safetensors"
    save_file(change(load_file(path)), path, metadata={"format": "pt"})


def adapter(folder):
    (folder / "adapter_config.json").write_text("{}")


def adapter_alone(folder):
    adapter(folder)
    (folder / "config.json").unlink()
    (folder / "vocab.txt").write_text("the")


def checkpoints(folder):
    shutil.copytree(folder, folder.parent / "checkpoint-9")
    shutil.move(folder.parent / "checkpoint-9", folder / "checkpoint-9")
    shutil.copytree(folder / "checkpoint-9", folder / "checkpoint-10")
    (folder / "config.json").unlink()


def begins(token):
    def change(folder):
        made = scoring_families.byte_level(())
        scoring_families.write(folder, "llama", made)
        configured(folder, bos_token_id=made.convert_tokens_to_ids(token))

    return change


def bidirectional(folder):
    tokenizer, config = scoring_families.family("gemma")
    config.text_config.use_bidirectional_attention = True
    shutil.rmtree(folder)
    Gemma3ForCausalLM(config.text_config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def more(name):
    return lambda known: known | {name: torch.ones(32)}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (adapter, "an adapter .* beside weights: merge it into its base"),
        (adapter_alone, "an adapter .* alone: merge it into its base"),
        (checkpoints, "2 checkpoints and no model: name one of them, such as .*checkpoint-10"),
        (begins("nd"), "begins a text with 'nd', which is an ordinary piece"),
        (begins("A"), "begins a text with 'A', which is an ordinary piece"),
        (bidirectional, "its words depend on those after them"),
        (lambda f: configured(f, num_hidden_layers=1), "which config.json has no place for"),
        (lambda f: configured(f, num_hidden_layers=10**6), "has 1,000,000 layers"),
        (lambda f: configured(f, num_hidden_layers=0), "has 0 layers"),
        (
            lambda f: configured(
                f, architectures=["LlamaForSequenceClassification"], tie_word_embeddings=True
            ),
            "it only gives vectors",
        ),
        (
            lambda f: weights(f, more("model.layers.0.self_attn.q_proj.lora_A.weight")),
            "lora_A.weight, which config.json has no place for",
        ),
        (lambda f: T5Config().save_pretrained(f), "t5 has both an encoder and a decoder"),
        (lambda f: ViTConfig().save_pretrained(f), "vit reads no words"),
        (lambda f: CLIPConfig().save_pretrained(f), "clip predicts no words"),
    ],
)
def test_models_that_would_get_another_number_are_refused(made, tmp_path, change, problem):
    folder = shutil.copytree(made["llama"], tmp_path / "model")
    change(folder)
    with pytest.raises(UserError, match=problem) as caught:
        compare_items(folder, folder, items(tmp_path / "items.csv", WORDS))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", [FNetConfig, MobileBertConfig], ids=["FNet", "MobileBERT"])
def test_networks_that_mix_padding_or_skip_their_head_are_scored_alone(tmp_path, kind):
    made = scoring_families.byte_level(
        scoring_families.ROBERTA, "<s> $A </s>", scoring_families.PAIR
    )
    more = {"pad_token_id": 1, "embedding_size": 16}
    config = kind(vocab_size=len(made), **more, **scoring_families.SMALL)
    agree("other", scoring_families.write(tmp_path / "other", "other", made, config))
