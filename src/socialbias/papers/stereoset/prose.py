"""The numbers of the prose: of the data, of models and of classifiers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase

import numpy as np
import pandas as pd

from socialbias.measures.stereoset import idealized_cat_score
from socialbias.papers.stereoset.items import CAUSAL, PUBLISHED, SHORT, read_all
from socialbias.pipeline.job import Job
from socialbias.reporting.values import exact, read_draws, read_published, value
from socialbias.reporting.values import read_values as read_table
from socialbias.stats.correlation import rowwise_spearman, spearman_test
from socialbias.stats.draws import DRAWS
from socialbias.stats.intervals import percentile

NUMBER, PRINTED = "number", "published/stereoset_prose"
PRETRAINED = tuple(name for name in PUBLISHED if name not in ("ensemble", "sentiment"))
MASKED = tuple(name for name in PRETRAINED if name not in CAUSAL)
HEADS = tuple(name for name in PRETRAINED if not name.startswith("bert"))
# By row, the evidence of each classifier that a run trains.
CLASSIFIERS = {"sentiment classifier": "evidence/stereoset/sentiment"}
CLASSIFIERS |= {f"nsp {head}": f"evidence/stereoset/next_sentence_{head}" for head in HEADS}
ACCURACY = ["accuracy", "accuracy_low", "accuracy_high", "held_out"]
DEVELOPMENT_SPLIT = "@development"  # behind columns: from other cells than print's own
# By row, the artefact, its rows and column of which this is the mean. Print does not say over which
# models: of these, its own tables give its six means of lms, and no one set of models gives all.
MEANS = {
    "likelihood: mean_lms": ("table4", PRETRAINED, "lms"),
    "pseudo-likelihood: mean_lms": ("table5", PRETRAINED, "lms"),
    "likelihood intra: mean_lms": ("table6", tuple(f"intra {m}" for m in MASKED), "lms"),
    "pseudo-likelihood intra: mean_lms": ("table7", tuple(f"intra {m}" for m in MASKED), "lms"),
    "likelihood inter: mean_lms": ("table6", tuple(f"inter {m}" for m in PRETRAINED), "lms"),
    "pseudo-likelihood inter: mean_lms": ("table7", tuple(f"inter {m}" for m in PRETRAINED), "lms"),
    "gpt2-large: lms": ("table4", ("gpt2-large",), "lms"),
    "gpt2-medium: lms": ("table4", ("gpt2-medium",), "lms"),
    "gpt2-large: ss": ("table4", ("gpt2-large",), "ss"),
    "roberta-base: ss": ("table4", ("roberta-base",), "ss"),
    "ensemble: ss": ("table4", ("ensemble",), "ss"),
    "gpt2: icat": ("table4", ("gpt2",), "icat"),
    "race: ss": ("table8", ("race",), "ss"),
    "stereotype: negative_percent": ("table2", ("stereotype",), "negative_percent"),
    "anti-stereotype: negative_percent": ("table2", ("anti-stereotype",), "negative_percent"),
}
RHO = "nine models: spearman_rho lms ss"
TABLES = ("table2", "table4", "table5", "table6", "table7", "table8")
DATA = (
    "dataset: domains", "dataset: target_terms", "dataset: instances",
    "validation: validators_section4", "validation: validators_section9",
    "validation: agreeing_at_least", "development: target_terms_percent",
    "test: target_terms_percent", "intra: annotators", "inter: annotators",
)  # fmt: skip
AXIOMS = {  # appendix A.6: lms and ss, of which the icat follows
    "icat ideal: icat": (100, 50),
    "icat biased: icat": (100, 100),
    "icat random: icat": (50, 50),
}
# Numbers in the prose that nothing is computed for.
NOT_COMPUTED = {
    "*: corpus_gb": "the size of another team's training text, which the paper repeats",
    "*: parameters_*": "the size of another team's model, which the paper repeats",
    "icat *: *": "a premise of the axiom, not a result",
    "annotators: *": "about people, of whom nothing but an id was released",
    "validation: retained_percent": "what validation left out was not released",
    "*": "a setting of the authors' training, not a result",
}
Cells = Mapping[tuple[str, str], tuple[Mapping, np.ndarray]]


def of_data(table: pd.DataFrame) -> list[dict]:
    """Numbers of the data: nothing varies in what was counted whole.

    Validators are labels of a sentence. `agreeing_at_least` is the smallest number of them that any
    sentence's own label has. Annotators are different ids.
    """
    labels = table["labels"].map(len)
    agreeing = [list(x).count(gold) for x, gold in table[["labels", "gold"]].to_numpy()]
    terms = table.groupby("split")["target"].nunique()
    validators = float(labels.iloc[0]) if labels.nunique() == 1 else math.nan
    numbers = {
        "dataset: domains": (table["domain"].nunique(), "domains"),
        "dataset: target_terms": (table["target"].nunique(), "terms"),
        "dataset: instances": (table["item"].nunique(), "items"),
        "validation: validators_section4": (validators, "labels of a sentence"),
        "validation: validators_section9": (validators, "labels of a sentence"),
        "validation: agreeing_at_least": (min(agreeing), "labels of a sentence"),
    }
    for split, number in terms.items():
        share = 100 * number / terms.sum()
        numbers[f"{split}: target_terms_percent"] = (share, "percent of terms")
    for short, task in SHORT.items():
        people = table.loc[table["task"] == task, "annotators"].explode().nunique()
        numbers[f"{short}: annotators"] = (people, "ids")
    return [
        exact(row, NUMBER, number, unit=unit)
        for row, (number, unit) in numbers.items()
        if not math.isnan(number)
    ]


def of_models(tables: Mapping[str, Cells]) -> Iterator[dict]:
    """Means over the cells of other artefacts, and the correlation of lms and ss over models.

    Draws are over target terms, the same ones for all models.
    """
    for row, (name, rows, column) in MEANS.items():
        for variant in ("", DEVELOPMENT_SPLIT):
            cells = _cells(tables, name, rows, column, variant)
            if all(cells):
                number = float(np.mean([cell["value"] for cell, _ in cells]))
                draws = np.mean([drawn for _, drawn in cells], axis=0)
                yield _joint(row, f"{NUMBER}{variant}", number, draws, cells)
    for variant in ("", DEVELOPMENT_SPLIT):
        sides = [_cells(tables, "table4", PRETRAINED, score, variant) for score in ("lms", "ss")]
        if all(map(all, sides)):
            rho, p_value = spearman_test(*[[cell["value"] for cell, _ in side] for side in sides])
            draws = rowwise_spearman(*[np.stack([d for _, d in side], axis=1) for side in sides])
            tested = {"p_value": p_value, "unit": "Spearman's rho"}
            tested |= {"n": len(PRETRAINED), "n_unit": "models"}
            record = _joint(RHO, f"{NUMBER}{variant}", rho, draws, sides[0])
            yield record | tested


def _cells(
    tables: Mapping[str, Cells], name: str, rows: Iterable[str], column: str, variant: str
) -> list[tuple[Mapping, np.ndarray] | None]:
    """Cells of another artefact: print's own, or those of the development split."""
    if name == "table8":
        places = [(f"{row} development" if variant else row, column) for row in rows]
    else:
        variants = ("run", "released") if name == "table2" else ("test", "development")
        places = [(row, f"{column}@{variants[bool(variant)]}") for row in rows]
    return [tables.get(name, {}).get(place) for place in places]


def _joint(row: str, column: str, number: float, draws: np.ndarray, cells: list) -> dict:
    """Return a number that is computed from cells of other artefacts."""
    low, high = percentile(draws)
    facts = {key: cells[0][0][key] for key in ("n", "n_unit", "unit")}
    ends = min(low, number), max(high, number)
    return value(row, column, number, interval=ends, draws=draws, **facts)


def of_classifiers(tested: Mapping[str, Mapping]) -> Iterator[dict]:
    """Accuracies of classifiers that the run trained, and their range over all seven heads."""
    for row, facts in tested.items():
        share, low, high = (100 * facts[f"accuracy{end}"] for end in ("", "_low", "_high"))
        n = facts["held_out"]
        counts = {"n": n, "n_of": n, "n_unit": "held-out examples", "unit": "percent"}
        yield value(f"{row}: accuracy", NUMBER, share, interval=(low, high), **counts)
    heads = [tested.get(f"nsp {name}") for name in HEADS]
    if all(heads):
        shares = [100 * head["accuracy"] for head in heads]
        yield value("nsp: accuracy_low", NUMBER, min(shares), unit="percent")
        yield value("nsp: accuracy_high", NUMBER, max(shares), unit="percent")


def of_others(printed: Iterable[str], done: Iterable[str]) -> Iterator[dict]:
    """Yield the cells of numbers that nothing is computed for, with the reasons."""
    for row in [row for row in printed if row not in set(done)]:
        why = next(reason for key, reason in NOT_COMPUTED.items() if fnmatchcase(row, key))
        yield value(row, NUMBER, math.nan, note=f"nothing is computed: {why}")


def _read(job: Job, name: str) -> Cells:
    """Return the cells of an artefact that have a number, with their draws."""
    table = read_table(job.path(f"values/stereoset/{name}"))
    known = table[table["value"].notna()]
    if known.empty:
        return {}
    draws = read_draws(job.path(f"draws/stereoset/{name}"))
    nothing = np.full((2, DRAWS), np.nan)
    places = [(cell, (cell["row"], cell["column"])) for cell in known.to_dict("records")]
    return {place: (cell, draws.get(place, nothing)[0]) for cell, place in places}


def summarise(job: Job) -> list[dict]:
    """Return all cells that can be computed, and the reason for each that cannot."""
    sentences = read_all(job)
    tested = {
        row: pd.read_parquet(job.path(evidence), columns=ACCURACY).iloc[0].to_dict()
        for row, evidence in CLASSIFIERS.items()
        if evidence in job
    }
    accuracies = [f"{row}: accuracy" for row in CLASSIFIERS]
    accuracies += ["nsp: accuracy_low", "nsp: accuracy_high"]
    known = [*DATA, *MEANS, RHO, *AXIOMS, *accuracies]
    return [
        *([] if sentences is None else of_data(sentences)),
        *of_models({name: _read(job, name) for name in TABLES}),
        *of_classifiers(tested),
        *(
            exact(row, NUMBER, idealized_cat_score(*premise), unit="percent")
            for row, premise in AXIOMS.items()
        ),
        *of_others(read_published(job.path(PRINTED))["row"], known),
    ]
