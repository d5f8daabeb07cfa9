"""The published way to count contexts, with NLTK and plain loops; see `bench.peers`.

Bommasani and Liang 2022, section 4.1, as their released code does it, in our own words: split each
document into sentences, tokenise each, keep those of 5 to 40 tokens, go through the windows.

Reads tasks from standard input and answers on what standard output was at the start.
"""

import json
import os
import sys
from functools import cache
from importlib.metadata import version
from time import perf_counter

from nltk.tokenize import NLTKWordTokenizer
from nltk.tokenize.punkt import PunktSentenceTokenizer, PunktTrainer

TRAINED = 2_000  # documents that Punkt learns abbreviations from


def versions():
    """Return what is compared with."""
    return 0.0, f"nltk {version('nltk')}"


def texts_of(path):
    """Return the documents of a file, one string of JSON a line."""
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        return [json.loads(line) for line in file]


@cache
def punkt(path):
    """Return a splitter that has learnt from the sample, as no registry carries NLTK's own."""
    trainer = PunktTrainer()
    trainer.train("\n\n".join(texts_of(path)[:TRAINED]))
    return PunktSentenceTokenizer(trainer.get_params())


def sentences(path):
    """Return how many sentences the splitter finds."""
    splitter = punkt(path)
    start = perf_counter()
    found = sum(len(splitter.tokenize(text)) for text in texts_of(path))
    return perf_counter() - start, found


def from_text(path, targets, groups, n):
    """From raw documents to counts."""
    splitter, tokenizer = punkt(path), NLTKWordTokenizer()

    def tokens(sentence):
        # As `nltk.word_tokenize`, which splits what it is given once more.
        parts = splitter.tokenize(sentence)
        return [token.lower() for part in parts for token in tokenizer.tokenize(part)]

    start = perf_counter()
    documents = ([tokens(s) for s in splitter.tokenize(text)] for text in texts_of(path))
    counts = counted(documents, targets, groups, [n])
    return perf_counter() - start, counts


@cache
def tokenised(path):
    """Documents as lists of sentences, these as lists of tokens."""
    return texts_of(path)


def from_tokens(path, targets, groups, lengths):
    """From tokenised sentences in memory to counts."""
    documents = tokenised(path)
    start = perf_counter()
    counts = counted(documents, targets, groups, lengths)
    return perf_counter() - start, counts


def counted(documents, targets, groups, lengths):
    """For each length of window and each target, the contexts of each group, and the others."""
    found = {n: {target: [0] * (len(groups) + 1) for target in targets} for n in lengths}
    for document in documents:
        kept = [sentence for sentence in document if 5 <= len(sentence) <= 40]
        for n in lengths:
            for i in range(len(kept) - n + 1):
                words = {word for sentence in kept[i : i + n] for word in sentence}
                for target in targets:
                    if target in words:
                        held = [not words.isdisjoint(group) for group in groups]
                        label = held.index(True) if sum(held) == 1 else len(groups)
                        found[n][target][label] += 1
    return [[found[n][target] for target in targets] for n in lengths]


TASKS = {
    "versions": versions,
    "sentences": sentences,
    "from_text": from_text,
    "from_tokens": from_tokens,
}


def main() -> None:
    """Answer until there are no more tasks."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for line in sys.stdin:
        arguments = json.loads(line)
        seconds, result = TASKS[arguments.pop("task")](**arguments)
        print(json.dumps({"seconds": seconds, "result": result}), file=answers)


main()
