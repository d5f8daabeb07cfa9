"""Word lists that came with three methods of debiasing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from socialbias.datasets.parsing import read_json, read_text, strings
from socialbias.errors import UserError


def read_pairs(path: Path) -> tuple[tuple[str, str], ...]:
    """Read `definitional_pairs.json` or `equalize_pairs.json` (Bolukbasi et al. 2016).

    Raises:
        UserError: the file is not a list of pairs of strings.
    """
    pairs = _list(path)
    if not all(isinstance(p, list) and len(p) == 2 for p in pairs):
        raise UserError(f"{path}: not a list of pairs")
    return tuple(strings(pair, str(path)) for pair in pairs)


def read_words(path: Path) -> tuple[str, ...]:
    """Read a JSON list of words: `gender_specific_*.json`, `religion_specific.json`.

    Raises:
        UserError: the file is not a list of strings.
    """
    return strings(_list(path), str(path))


def read_professions(path: Path) -> pd.DataFrame:
    """Read `professions.json` (Bolukbasi et al. 2016).

    Returns:
        One row a profession. Columns: `profession` (words joined by `_`), `definitional` and
        `stereotypical` (floats from -1, female, to 1, male).

    Raises:
        UserError: the file is not a list of one string and two numbers each.
    """
    try:
        rows = [(str(word), float(first), float(second)) for word, first, second in _list(path)]
    except (TypeError, ValueError):
        raise UserError(f"{path}: not a list of [profession, score, score]") from None
    return pd.DataFrame(rows, columns=["profession", "definitional", "stereotypical"])


def read_word_file(path: Path) -> tuple[str, ...]:
    """Read a word a line: GN-GloVe's `male_word_file.txt` and `female_word_file.txt`.

    The two are aligned by line, so repeated words stay (Zhao et al. 2018).
    """
    return tuple(line.strip() for line in read_text(path).split("\n") if line.strip())


def read_sembias(path: Path) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Read `SemBias` (Zhao et al. 2018): four pairs a question, `a:b`, separated by tabs.

    Returns:
        The questions; in each the pairs in the order of the file: definition, none, none,
        stereotype.

    Raises:
        UserError: a line has not four pairs.
    """
    questions = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            pairs = tuple(tuple(pair.strip().split(":")) for pair in line.split("\t"))
            if len(pairs) != 4 or any(len(pair) != 2 for pair in pairs):
                raise UserError(f"{path}, line {number}: not four pairs such as `a:b`")
            questions.append(pairs)
    return tuple(questions)


@dataclass(frozen=True)
class MulticlassLists:
    """A `*_attributes_optm.json` (Manzini et al. 2019).

    Attributes:
        definite_sets: Equivalent words of the groups, one tuple a concept.
        eval_targets: The sets that their evaluation uses.
        stereotypes: Words stereotyped for each group, by the group's word.
        test_terms: Words they look at by hand.
    """

    definite_sets: tuple[tuple[str, ...], ...]
    eval_targets: tuple[tuple[str, ...], ...]
    stereotypes: dict[str, tuple[str, ...]]
    test_terms: tuple[str, ...]


def read_multiclass(path: Path) -> MulticlassLists:
    """Read the lists of one attribute: gender, race or religion.

    Raises:
        UserError: the file is not of that form.
    """
    data = read_json(path)
    try:
        [stereotypes] = data["analogy_templates"].values()
        return MulticlassLists(
            definite_sets=tuple(strings(s, str(path)) for s in data["definite_sets"]),
            eval_targets=tuple(strings(s, str(path)) for s in data["eval_targets"]),
            stereotypes={key: strings(words, str(path)) for key, words in stereotypes.items()},
            test_terms=strings(data["testTerms"], str(path)),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(f"{path}: not lists of Manzini et al.: {str(error)[:60]}") from None


def _list(path: Path) -> list:
    data = read_json(path)
    if not isinstance(data, list) or not data:
        raise UserError(f"{path}: not a list")
    return data
