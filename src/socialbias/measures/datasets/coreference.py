"""WinoBias and Winogender: pairs of sentences whose pronoun fits a stereotype or not."""

from __future__ import annotations

import re
from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.text import read_text
from socialbias.measures.datasets.census import winogender as shares_of

MARKED = re.compile(r"\[(.*?)\]")


def winobias(path: Path) -> list[dict]:
    """Read a type of WinoBias (Zhao et al. 2018), from its pro- or its anti-stereotyped file.

    The other file is beside it, under the name with `anti` for `pro`. Lines of the two belong
    together, such as `1 [The developer] met the cleaner because [he] was late.`

    Returns:
        For each pair its `item`, `term` (the occupation in the first brackets) and `sentences`, the
        one that fits the stereotype first.

    Raises:
        UserError: a file is missing, or two lines do not differ in the pronoun alone.
    """
    plain = path.name.replace("anti_stereotyped", "pro_stereotyped")
    sides = [path.with_name(plain), path.with_name(plain.replace("pro_", "anti_"))]
    if sides[0] == sides[1]:
        raise UserError(f"{path}: keep the name that it has in WinoBias, pro_stereotyped_...")
    lines = [[line for line in read_text(side).splitlines() if line.strip()] for side in sides]
    if len(lines[0]) != len(lines[1]):
        raise UserError(f"{sides[0]} and {sides[1]}: have different numbers of sentences")
    pairs = []
    for number, both in enumerate(zip(*lines, strict=True), 1):
        texts = [line.strip().partition(" ")[2] for line in both]
        marked = [MARKED.findall(text) for text in texts]
        alike = MARKED.sub("", texts[0]) == MARKED.sub("", texts[1])
        if not alike or len(marked[0]) != 2 or marked[0][0] != marked[1][0] or texts[0] == texts[1]:
            raise UserError(f"{sides[1]}, line {number}: not the sentence of {sides[0].name}")
        term = marked[0][0].lower().removeprefix("the ")
        sentences = tuple(MARKED.sub(r"\1", text) for text in texts)
        pairs.append({"item": str(number), "term": term, "sentences": sentences})
    return pairs


def winogender(path: Path) -> list[dict]:
    """Read Winogender's `all_sentences.tsv` (Rudinger et al. 2018), beside `occupations-stats.tsv`.

    Pairs are of the sentences whose pronoun is that of the occupation, with the pronoun of the
    gender that more people of the occupation have (by the labour statistics) first.

    Returns:
        As `winobias`; occupations with equal shares are left out.

    Raises:
        UserError: a file is missing, or a sentence has no counterpart or an unknown occupation.
    """
    stats = path.with_name("occupations-stats.tsv")
    if not stats.is_file():
        raise UserError(f"{stats}: no such file: {path.name} needs it for the stereotypes")
    try:
        shares = shares_of(stats).set_index("profession")
    except (KeyError, ValueError):
        raise UserError(f"{stats}: not Winogender's labour statistics") from None
    sentences: dict[tuple[str, ...], dict[str, str]] = {}
    for number, line in enumerate(read_text(path).splitlines()[1:], 2):
        name, _, text = line.partition("\t")
        parts = name.removesuffix(".txt").split(".")
        if len(parts) != 4 or not text or parts[0] not in shares.index:
            raise UserError(f"{path}, line {number}: no sentence of a known occupation")
        sentences.setdefault(tuple(parts[:3]), {})[parts[3]] = text
    pairs = []
    for (occupation, other, answer), by_gender in sentences.items():
        female, male = shares.loc[occupation, ["female", "male"]]
        if answer != "0" or female == male:
            continue
        item = f"{occupation}.{other}"
        if not {"female", "male"} <= by_gender.keys():
            raise UserError(f"{path}: {item}: no sentence for each gender")
        both = by_gender["female"], by_gender["male"]
        ordered = both if female > male else both[::-1]
        pairs.append({"item": item, "term": occupation, "sentences": ordered})
    return pairs
