"""The text measure of Bommasani and Liang 2022, section 4.1, as plainly as it can be written.

Documents are lists of sentences, and sentences lists of lower-cased tokens. Written from the
paper and from `resources`, without a look at the fast implementation that it checks.
"""

NONE = "N/A"


def kept_sentences(document, shortest=5, longest=40):
    """The sentences of a document that have between `shortest` and `longest` tokens."""
    kept = []
    for sentence in document:
        if len(sentence) >= shortest and len(sentence) <= longest:
            kept.append(sentence)
    return kept


def windows(sentences, n, keep_last=True):
    """Every n consecutive sentences; without the last such window, as the released code has it."""
    result = []
    for first in range(len(sentences)):
        behind = first + n
        if behind < len(sentences) or (behind == len(sentences) and keep_last):
            result.append(sentences[first:behind])
    return result


def mentions(context, words):
    """Whether one of the words is a token of one of the context's sentences."""
    for sentence in context:
        for word in words:
            if word in sentence:
                return True
    return False


def groups_in(context, groups):
    """The names of the groups of which a word occurs."""
    result = []
    for name in groups:
        if mentions(context, groups[name]):
            result.append(name)
    return result


def label_of(context, groups):
    """The one group that is mentioned, `N/A` where none is or several are."""
    found = groups_in(context, groups)
    if len(found) == 1:
        return found[0]
    return NONE


def association_counts(documents, targets, groups, n, shortest=5, longest=40, keep_last=True):
    """Contexts of each target by label: {target: {group or N/A: number}}."""
    counts = {}
    for target in targets:
        counts[target] = {}
        for name in [*groups, NONE]:
            counts[target][name] = 0
    for document in documents:
        sentences = kept_sentences(document, shortest, longest)
        for context in windows(sentences, n, keep_last):
            for target in targets:
                if mentions(context, targets[target]):
                    counts[target][label_of(context, groups)] += 1
    return counts


def voted_label(context, groups, n):
    """Table 4: the label of a context by a vote of its windows of n sentences.

    Each of them is labelled by itself, whether it mentions the target or not, as the authors' code
    does. Windows without a label have no vote; of equals the alphabetically first group wins.
    """
    votes = {}
    for name in groups:
        votes[name] = 0
    for window in windows(context, n):
        label = label_of(window, groups)
        if label != NONE:
            votes[label] += 1
    best = NONE
    for name in sorted(groups):
        if votes[name] > 0 and (best == NONE or votes[name] > votes[best]):
            best = name
    return best
