"""Into how many shards the representation of words is divided, from what is known beforehand.

The number is of the configuration and the sources alone, and not of the machine: the sums of
shards are rounded once more, so that another number of them changes the last digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from socialbias.config import Trustworthy
from socialbias.pipeline.inputs import READS
from socialbias.pipeline.plan import Plan
from socialbias.sources.registry import Source, SourceFile

# Measured: BERT-base (0.44 GB) 320 to 420 tokens a second on a core, GPT-2 medium (1.5 GB) 49,
# MiniLM (0.09 GB) 5,000: bytes of the model times tokens, a second, of the slowest.
SPEED = 75e9
TOKENS = 28  # of a sentence, in pieces of the model
WORDS = 200  # at most, that are represented: targets, professions and group words
PROFESSIONS = 125  # at most, that a probe is asked about
TARGETS = 8  # that it is asked about if not about professions
PER_DOCUMENT = 10  # sentences with one of the words; measured in Wikipedia: 9
BYTES_PER_SENTENCE = 600  # of plain text for each such sentence
PACKED = (".gz", ".zip", ".parquet", ".bz2", ".xz", ".zst")
PACKING = 3  # how much shorter a packed text is
WEIGHTS = (".safetensors", ".bin", ".gguf")
UNKNOWN_MODEL = 500_000_000  # bytes of a model of unknown size: as many as BERT-base has


def shards_of(plan: Plan, registry: Mapping[str, Source], model: str, weights: str) -> int:
    """The number of shards in which a model reads its text in a run.

    Args:
        plan: The run.
        registry: All sources by id.
        model: The role of the model, `bert` or `gpt2`.
        weights: `given` or `random`.
    """
    text = registry[plan.bindings[f"corpus_{READS[model]}"].source].files
    trained = model == "gpt2" and plan.trains_gpt2
    files = None if trained else registry[plan.bindings[model].source].files
    return shards(plan.config.trustworthy, (model, weights) != ("bert", "given"), text, files)


def shards(
    options: Trustworthy,
    for_probe_alone: bool,
    text: Sequence[SourceFile],
    model: Sequence[SourceFile] | None,
) -> int:
    """The number of shards, each of about `hours_per_shard` of a core at most.

    Args:
        options: Which sentences are represented.
        for_probe_alone: Whether only a probe reads them.
        text: Files of the corpus.
        model: Files of the model; None for the small one that a run trains.
    """
    if model is None:
        return 1
    weights = [file for file in model if file.name.endswith(WEIGHTS)]
    size = max((file.bytes or UNKNOWN_MODEL for file in weights), default=UNKNOWN_MODEL)
    seconds = most_sentences(options, for_probe_alone, text) * TOKENS * size / SPEED
    return max(1, ceil(seconds / (3600 * options.hours_per_shard)))


def most_sentences(options: Trustworthy, for_probe_alone: bool, text: Sequence[SourceFile]) -> int:
    """About how many sentences are read at most."""
    asked = PROFESSIONS if options.probed_professions else TARGETS
    bounds = []
    if text and all(file.bytes for file in text):
        plain = sum(file.bytes * (PACKING if _is_packed(file) else 1) for file in text)
        bounds.append(plain // BYTES_PER_SENTENCE)
    if options.represented_documents:
        bounds.append(options.represented_documents * PER_DOCUMENT)
    if options.represented_windows:
        bounds.append(options.represented_windows)
    wanted = asked * options.sentences_per_target
    if not for_probe_alone:
        if not options.sentences_per_word:
            return min(bounds, default=wanted)
        wanted += WORDS * options.sentences_per_word
    return min([*bounds, wanted])


def _is_packed(file: SourceFile) -> bool:
    return file.name.endswith(PACKED)
