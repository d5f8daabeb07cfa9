"""Tiny random models of many families, with tokenizers as those families have them."""

from __future__ import annotations

from pathlib import Path

import torch
from tokenizers import (
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import (
    AutoModelForCausalLM,
    AutoModelForImageTextToText,
    AutoModelForMaskedLM,
    BertConfig,
    DebertaV2Config,
    Gemma3Config,
    GPT2Config,
    LlamaConfig,
    PreTrainedTokenizerFast,
    Qwen2VLConfig,
    RobertaConfig,
    XLNetConfig,
)

TEXT = (
    "The nurse, the pilot and the teacher live in the old town near the river.",
    "My sister said that her doctor was very kind, and the engineer was loud today.",
    "Careful people plan ahead; careless ones are unkind and unhappy, or so they say.",
    "She is gentle and thoughtful, he is harsh and thoughtless: both were rude.",
    "护士很温柔，工程师很粗鲁。老师今天很安静。",
)
CHARACTERS = sorted(set("".join(TEXT)) - {" "})
BERT = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
ROBERTA = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
SPECIAL = {"[PAD]": "pad", "[UNK]": "unk", "[CLS]": "cls", "[SEP]": "sep", "[MASK]": "mask"}
SPECIAL |= {"<pad>": "pad", "<unk>": "unk", "<cls>": "cls", "<sep>": "sep", "<mask>": "mask"}
SPECIAL |= {"<s>": "bos", "<bos>": "bos", "</s>": "eos", "<eos>": "eos", "<|im_end|>": "eos"}
SPECIAL |= {"<|endoftext|>": "eos"}


def finished(made: Tokenizer, special: tuple[str, ...], single: str = "", pair: str = ""):
    """A tokenizer with its special tokens, and what it puts around a text and a pair of them."""
    if single:
        numbers = [(token, made.token_to_id(token)) for token in special]
        made.post_processor = processors.TemplateProcessing(
            single=single, pair=pair or None, special_tokens=numbers
        )
    names = {f"{SPECIAL[token]}_token": token for token in special if token in SPECIAL}
    return PreTrainedTokenizerFast(tokenizer_object=made, **names)


def trained(made: Tokenizer, trainer: type, texts: tuple[str, ...] = TEXT, **options):
    made.train_from_iterator(texts, trainer(show_progress=False, **options))
    return made


def byte_level(special: tuple[str, ...], single: str = "", pair: str = ""):
    """BPE of bytes, as of GPT-2, RoBERTa and Qwen."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    options = {"special_tokens": [*special], "initial_alphabet": alphabet}
    trained(made, trainers.BpeTrainer, vocab_size=len(alphabet) + len(special) + 130, **options)
    return finished(made, special, single, pair)


def sentencepiece_bpe(special: tuple[str, ...], single: str, begins: bool):
    """BPE with a mark for a space, and bytes for what it does not know, as of Llama and Gemma."""
    made = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    replaced = [normalizers.Replace(" ", "▁")]
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁")] * begins + replaced)
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    made.decoder = decoders.Sequence(steps + [decoders.Strip(" ", 1, 0)] * begins)
    made.pre_tokenizer = pre_tokenizers.Split(Regex("(?=▁)"), "isolated")  # for training alone
    octets = [f"<0x{i:02X}>" for i in range(256)]
    listed = [*special, *octets]
    trained(made, trainers.BpeTrainer, TEXT[:-1], vocab_size=500, special_tokens=listed)
    made.pre_tokenizer = None
    return finished(made, special, single)


def unigram(special: tuple[str, ...], single: str, pair: str):
    """As SentencePiece makes them for XLNet and DeBERTa-v3."""
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.NFKC()
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    unknown = next(token for token in special if SPECIAL.get(token) == "unk")
    options = {"unk_token": unknown, "initial_alphabet": CHARACTERS}
    trained(made, trainers.UnigramTrainer, vocab_size=220, special_tokens=[*special], **options)
    return finished(made, special, single, pair)


def wordpiece():
    """As BERT's, in lower case."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    trained(made, trainers.WordPieceTrainer, vocab_size=220, special_tokens=[*BERT])
    return finished(made, BERT, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1")


SMALL = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "initializer_range": 0.3,
}
ROPE = SMALL | {"num_key_value_heads": 2, "max_position_embeddings": 256}
PAIR = "<s> $A </s> </s> $B </s>"
VISION = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}


def family(name: str):
    """A tokenizer and a configuration."""
    if name == "gpt2":
        made = byte_level(("<|endoftext|>",))
        return made, GPT2Config(
            vocab_size=len(made), n_embd=32, n_layer=2, n_head=2, initializer_range=0.3,
            bos_token_id=len(made) - 1, eos_token_id=len(made) - 1,
        )  # fmt: skip
    if name == "llama":
        made = sentencepiece_bpe(("<unk>", "<s>", "</s>"), "<s> $A", begins=True)
        return made, LlamaConfig(vocab_size=len(made), **ROPE)
    if name == "gemma":
        made = sentencepiece_bpe(("<pad>", "<eos>", "<bos>", "<unk>"), "<bos> $A", begins=False)
        text = {"vocab_size": len(made), "sliding_window": 6, "head_dim": 16} | ROPE
        text |= {"layer_types": ["sliding_attention", "full_attention"], "query_pre_attn_scalar": 8}
        vision = VISION | {"num_attention_heads": 2, "image_size": 28, "patch_size": 14}
        return made, Gemma3Config(
            text_config=text, vision_config=vision, image_token_index=5, boi_token_index=6,
            eoi_token_index=7, mm_tokens_per_image=4,
        )  # fmt: skip
    if name == "qwen2_vl":
        made = byte_level(("<|endoftext|>", "<|im_end|>"))
        text = {"vocab_size": len(made), **ROPE}
        text |= {"rope_scaling": {"type": "mrope", "mrope_section": [2, 3, 3]}}
        vision = {"depth": 1, "embed_dim": 16, "num_heads": 2, "hidden_size": 32}
        return made, Qwen2VLConfig(text_config=text, vision_config=vision)
    if name == "bert":
        made = wordpiece()
        return made, BertConfig(vocab_size=len(made), **SMALL)
    if name == "roberta":
        made = byte_level(ROBERTA, "<s> $A </s>", PAIR)
        size = {"vocab_size": len(made), "max_position_embeddings": 200}
        return made, RobertaConfig(pad_token_id=1, **size, **SMALL)
    if name == "deberta":
        special = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]")
        made = unigram(special, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1")
        return made, DebertaV2Config(
            vocab_size=len(made), relative_attention=True, pos_att_type=["p2c", "c2p"],
            position_biased_input=False, share_att_key=True, norm_rel_ebd="layer_norm",
            position_buckets=8, type_vocab_size=0, **SMALL,
        )  # fmt: skip
    special = ("<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>")
    made = unigram(special, "$A:0 <sep>:0 <cls>:2", "$A:0 <sep>:0 $B:1 <sep>:1 <cls>:2")
    return made, XLNetConfig(
        vocab_size=len(made), d_model=32, n_layer=2, n_head=2, d_inner=48, initializer_range=0.3
    )


CAUSAL = ("gpt2", "llama", "gemma", "qwen2_vl")
MASKED = ("bert", "roberta", "deberta", "xlnet")


def write(folder: Path, name: str, tokenizer=None, config=None) -> Path:
    """A model's folder, with another tokenizer or configuration if one is given."""
    made, own = family(name) if config is None else (tokenizer, config)
    made, config = tokenizer or made, config or own
    config.get_text_config().vocab_size = len(made)
    kind = AutoModelForCausalLM if name in (*CAUSAL, "xlnet") else AutoModelForMaskedLM
    kind = AutoModelForImageTextToText if name in ("gemma", "qwen2_vl") else kind
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        network = kind.from_config(config)
    network.save_pretrained(folder)
    made.save_pretrained(folder)
    return folder
