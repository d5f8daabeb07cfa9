"""The text measure of Bommasani and Liang 2022, section 4.1, as plainly as it can be written.

Documents are lists of sentences, and sentences lists of lower-cased tokens. Written from the
paper and from `resources`, without a look at the fast implementation that it checks.
"""

NONE = "N/A"


def windows(sentences, n, keep_last=True):
    """Every n consecutive sentences; without the last such window, as the released code has it."""
    ends = range(n, len(sentences) + (1 if keep_last else 0))
    return [sentences[end - n : end] for end in ends]


def mentions(context, words):
    """Whether one of the words is a token of one of the context's sentences."""
    return any(word in sentence for sentence in context for word in words)


def label_of(context, groups):
    """The one group that is mentioned, `N/A` where none is or several are."""
    found = [name for name in groups if mentions(context, groups[name])]
    return found[0] if len(found) == 1 else NONE


def association_counts(documents, targets, groups, n, shortest=5, longest=40, keep_last=True):
    """Contexts of each target by label: {target: {group or N/A: number}}."""
    counts = {target: dict.fromkeys([*groups, NONE], 0) for target in targets}
    for document in documents:
        kept = [sentence for sentence in document if shortest <= len(sentence) <= longest]
        for context in windows(kept, n, keep_last):
            for target in targets:
                if mentions(context, targets[target]):
                    counts[target][label_of(context, groups)] += 1
    return counts
