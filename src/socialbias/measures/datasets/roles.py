"""Which of an item's answers is the stereotype, by the fields that published items have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from socialbias.measures.datasets import bbq

STEREOTYPE, ANTI, OTHER = "stereotype", "anti-stereotype", "other"
GOLD = {0: ANTI, 1: STEREOTYPE, 2: OTHER}  # as StereoSet is on the Hugging Face Hub
# A decision by a role: neither of the two is between them.
DECISIONS = {STEREOTYPE: 1.0, ANTI: 0.0, OTHER: 0.5}
PAIRS = (  # fields with the two sentences
    ("sent_more", "sent_less"),
    *((STEREOTYPE, name) for name in (ANTI, "anti_stereotype", "antistereotype")),
)


def roles_of(item: Mapping, choices: Sequence[str]) -> list[str]:
    """Return the role of each choice; empty if the item does not tell.

    Items are those of BBQ, CrowS-Pairs, StereoSet on the Hub or with `gold_labels`, or have fields
    `stereotype` and `anti-stereotype`.
    """
    if "answer_info" in item:
        known = bbq.roles(item)
        return [known.get(choice, OTHER) for choice in choices] if known else []
    for pair in PAIRS:
        if all(isinstance(item.get(name), str) for name in pair):
            known = dict(
                zip((item[name].strip() for name in pair), (STEREOTYPE, ANTI), strict=True)
            )
            return [known.get(choice, OTHER) for choice in choices]
    labels, sentences = item.get("gold_labels"), item.get("sentences")
    if isinstance(sentences, Mapping):
        labels = dict(zip(sentences["sentence"], sentences["gold_label"], strict=True))
        labels = [labels.get(choice, OTHER) for choice in choices]
    if isinstance(labels, list) and len(labels) == len(choices):
        named = [GOLD.get(label, label) for label in labels]
        return [label if label in DECISIONS else OTHER for label in named]
    return []
