"""Table 7, mitigation: bias before and after debiasing, over a grid of settings.

No code was released for this table, and print does not say which words and parameters it rests
on. So every combination is measured, and shown are the defaults of the paper and, for each kind
of column, the setting that comes nearest to print.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, product

import numpy as np
import pandas as pd

from socialbias.embeddings.debiasing import bias_subspace, hard_debias, soft_debias, soft_transform
from socialbias.embeddings.vectors import WordVectors
from socialbias.files.json_files import read_json
from socialbias.measurement.reliability import over_words, with_reliability
from socialbias.measures.datasets.census import GENDER
from socialbias.measures.divdist import ASSOCIATIONS, DivDist, negative_note
from socialbias.measures.embedding_measures import pair_direction
from socialbias.papers.evidence import Evidence, counted
from socialbias.papers.inputs import read_vectors
from socialbias.papers.trustworthy.inputs import first_gender_list
from socialbias.pipeline.job import Job
from socialbias.reporting.values import read_csv, value
from socialbias.sources.manifest import read_manifest
from socialbias.stats.draws import resampled_mean, widened
from socialbias.stats.intervals import percentile
from socialbias.stats.similarity import Array, cosine_matrix, unit_rows

NORMALIZERS = ("sum", "clipped-sum", "softmax")
DIVERGENCES = ("l1", "l2", "linf", "js")
# By metric and variant, the settings that are shown beside the one nearest to print.
NAMED = {
    "divdist": {
        "default": "professions, default lists, cosine, sum, l1, soft sums",
        "clipped-sum": "professions, default lists, cosine, clipped-sum, l1, soft sums",
    },
    "targeted": {"default": "professions, method's lists, soft sums"},
}


@dataclass(frozen=True)
class Method:
    """One row of Table 7."""

    row: str  # its key in print
    sets: Sequence[Sequence[str]]  # words that define the bias subspace, one a group in each set
    equal: Sequence[Sequence[str]]  # sets of words to equalize
    keep: Sequence[str]  # words that are not neutralized
    soft: bool  # whether the debiasing is soft
    # By name (`default lists`: the paper's, or the method's where the paper prints none; `method's
    # lists`), the words of each group.
    lists: Mapping[str, Sequence[Sequence[str]]]
    # By name (`professions`, `stereotyped words`), the target words.
    targets: Mapping[str, Sequence[str]]
    # Whether the targeted metric is the projection on the direction (Bolukbasi et al.) instead of
    # the mean cosine with all group words (Manzini et al.).
    projection: bool = False


def evidence(
    vectors: WordVectors | None,
    methods: Sequence[Method],
    published: Sequence[tuple[Method, WordVectors, WordVectors]],
    level: float,
) -> pd.DataFrame:
    """Both metrics before and after each method, in every setting."""
    pairs = []
    for method in methods if vectors is not None else ():
        if sum(all(w in vectors.index for w in words) for words in method.sets) < 2:
            continue
        for soft in ("sums", "means") if method.soft else ("sums",):
            pairs.append((method, vectors, debiased(vectors, method, soft == "means"), soft))
    pairs += [(*pair, "sums") for pair in published]
    result, defaults = Evidence(), [named["default"] for named in NAMED.values()]
    for method, before, after, soft in pairs:
        for state, space in (("original", before), ("debiased", after)):
            for metric, setting, words, function, groups, paired, negative in _metrics(
                before, space, method
            ):
                targets, setting = space.known(words), f"{setting}, soft {soft}"
                bias, reliable = function(groups), None
                if setting in defaults:
                    reliable = over_words(function, groups, targets, level, paired)
                bias = np.where(np.isfinite(bias), bias, np.nan)
                numbers = {"unit": targets, "bias": bias, "negative": negative}
                facts = {"setting": setting, "n_of": len(words)}
                result.add(method.row, f"{metric}-{state}@{setting}", numbers, reliable, **facts)
    return result.table()


def debiased(data: WordVectors, method: Method, means: bool) -> WordVectors:
    """Return the words of the metrics after a method; those not in the vocabulary are left out."""
    sets = [data.rows(words) for words in method.sets if all(w in data.index for w in words)]
    subspace = bias_subspace([unit_rows(words) for words in sets], len(method.sets[0]) - 1)
    special = {word for words in [*method.sets, *method.equal, method.keep] for word in words}
    groups = [group for groups in method.lists.values() for group in groups]
    used = data.only(chain(*method.targets.values(), *groups, *method.equal))
    matrix = used.rows(used.words)
    if method.soft:
        unit = unit_rows(data.rows(data.words))
        neutral = unit[[word not in special for word in data.words]]
        transform = soft_transform(unit, neutral, subspace, means=means)
        return WordVectors(used.words, soft_debias(matrix, transform))
    equal = [[used.index[w] for w in words] for words in method.equal
             if all(w in used.index for w in words)]  # fmt: skip
    keep = [used.index[word] for word in used.known(special)]
    return WordVectors(used.words, hard_debias(matrix, subspace, keep, equal))


def _metrics(original: WordVectors, space: WordVectors, method: Method) -> Iterator[tuple]:
    """Both metrics in every setting where targets and group lists have vectors."""
    for (targets, words), (lists, listed) in product(method.targets.items(), method.lists.items()):
        known = [space.known(group) for group in listed]
        if not space.known(words) or not all(known):
            continue
        setting, matrix = f"{targets}, {lists}", space.rows(space.known(words))
        groups = [space.rows(group) for group in known]
        for names in product(ASSOCIATIONS, NORMALIZERS, DIVERGENCES):
            measure = DivDist.named(*names)
            own, negative = ", ".join([setting, *names]), measure.negative(matrix, groups)
            yield "divdist", own, words, partial(measure, matrix), groups, False, negative
        if not method.projection:
            yield "targeted", setting, words, partial(_mean_cosine, matrix), groups, False, False
            continue
        for name, source in (("", space), (", direction of the original", original)):
            same_length = len(listed[0]) == len(listed[1])
            pairs = source.known_pairs(*listed) if same_length else [[], []]
            if len(pairs[0]) >= 2:
                rows = [source.rows(group) for group in pairs]
                project = partial(_projection, matrix)
                yield "targeted", setting + name, words, project, rows, True, False


def _mean_cosine(targets: Array, groups: Sequence[Array]) -> Array:
    """Return the mean cosine of each target with the words of all groups."""
    return cosine_matrix(targets, np.vstack(groups)).mean(axis=1)


def _projection(targets: Array, pairs: Sequence[Array]) -> Array:
    """Return the size of each target's projection on the direction of the pairs."""
    return np.abs(cosine_matrix(targets, pair_direction(*pairs)[None]))[:, 0]


def summarise(job: Job) -> Iterator[dict]:
    """Yield Table 7's cells in the default setting, with a clipped sum, and as fits print best.

    A cell is the mean over targets with a percentile bootstrap; the same targets are drawn in all
    states and settings.
    """
    table = job.table("evidence/trustworthy/table7")
    if table.empty:
        return
    published = read_csv(job.path("published/trustworthy_table7"))
    printed = published.set_index(["row", "column"])["value"].astype(float)
    by_cell = table.groupby(["row", "column", "setting"], sort=False)
    means = by_cell["bias"].mean().dropna().rename("value").reset_index()
    means["column"] = means["column"].str.partition("@")[0]
    # The two targeted metrics are different measures: each is fitted on its own rows.
    aims = np.where(means["row"].str.contains("manzini"), "targeted", "targeted-projection")
    families = np.where(means["column"].str.startswith("divdist"), "divdist", aims)
    for family, part in means.groupby(families):
        # The best setting has the least mean absolute error, of those that most cells have.
        keys = list(zip(part["row"], part["column"], strict=True))
        error = (part["value"] - printed.reindex(keys).to_numpy()).abs()
        scores = error.groupby(part["setting"]).agg(["count", "mean"])
        best = scores[scores["count"] == scores["count"].max()]["mean"].idxmin()
        tried = part["setting"].nunique()
        named = NAMED[family.split("-")[0]]
        shown = {variant: (setting, setting) for variant, setting in named.items()}
        shown["fitted"] = best, f"{best} (of {tried} settings)"
        for variant, (setting, note) in shown.items():
            rows = part[part["setting"] == setting]
            for row, column in zip(rows["row"], rows["column"], strict=True):
                units = by_cell.get_group((row, f"{column}@{setting}", setting))
                key = row, f"{column}@{variant}"
                yield _record(*key, units.dropna(subset="bias"), note, job.level, job.seed)


def _record(row: str, column: str, units: pd.DataFrame, note: str, level: float, seed: int) -> dict:
    """Return the mean over targets, which all have a bias."""
    bias, facts = units["bias"].to_numpy(), units.iloc[0]
    draws = widened(resampled_mean(bias, units["unit"], seed), bias.mean(), len(bias))
    named = {setting for settings in NAMED.values() for setting in settings.values()}
    record = value(
        row,
        column,
        bias.mean(),
        interval=percentile(draws, level),
        # Draws of a setting that was chosen by its fit would leave out the choice.
        draws=draws if facts["setting"] in named else np.nan,
        n=len(bias),
        **counted(facts),
        n_unit="targets",
        unit="mean bias over targets",
        note="; ".join(filter(None, [note, negative_note(units["negative"], bias, "targets")])),
    )
    return with_reliability(record, facts["reliability"])


def methods(job: Job, gender: Sequence[Sequence[str]]) -> list[Method]:
    """Return the rows of Table 7 that debias word2vec."""
    lists, debiasing = job.word_lists("trustworthy"), job.word_lists("debiasing")
    race = [lists["race"][group] for group in ("white", "hispanic", "asian")]
    printed = {"gender": gender, "race": race}
    professions, rows = {"professions": lists["professions"]}, []
    if "bolukbasi_lists" in job:
        folder, manifest = read_manifest(job.path("bolukbasi_lists"))
        if "bolukbasi.json" in {file["path"] for file in manifest["files"]}:  # of a package
            read = read_json(folder / "bolukbasi.json")["gender"]
            equal, keep = read["equalize_pairs"], read["specific_full"]
        else:
            equal = read_json(folder / "equalize_pairs.json")
            keep = read_json(folder / "gender_specific_full.json")
        pairs = debiasing["bolukbasi"]["pairs"]
        words = {"default lists": gender, "method's lists": _groups(pairs)}
        row = "word2vec hard-bolukbasi gender"
        rows.append(Method(row, pairs, equal, keep, False, words, professions, projection=True))
    for attribute, entry in debiasing["manzini"].items():
        sets, own = entry["sets"], _groups(entry["sets"])
        words = {"default lists": printed.get(attribute, own), "method's lists": own}
        targets = professions | {"stereotyped words": entry["targets"]}
        for kind in ("soft", "hard"):
            row = f"word2vec {kind}-manzini {attribute}"
            rows.append(Method(row, sets, sets, (), kind == "soft", words, targets))
    return rows


def _groups(sets: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return sets with a word a group, as the words of each group."""
    return [list(dict.fromkeys(words)) for words in zip(*sets, strict=True)]


def measure(job: Job) -> pd.DataFrame:
    """Return the evidence of Table 7."""
    _, lists = first_gender_list(job)
    gender = [lists[group] for group in GENDER]
    vectors, aligned = read_vectors(job, "vocabulary"), read_vectors(job, "lists")
    published = []
    if {"gn_glove", "gn_glove_baseline"} <= aligned.keys():
        # Of Gender-neutral GloVe (Zhao et al. 2018) the vectors are published. Print does not say
        # which metric it aims at; as for Bolukbasi et al., the projection is measured.
        words = {"default lists": gender, "method's lists": gender}
        targets = {"professions": job.word_lists("trustworthy")["professions"]}
        row = "glove gn-glove gender"
        method = Method(row, (), (), (), False, words, targets, projection=True)
        published = [(method, aligned["gn_glove_baseline"], aligned["gn_glove"])]
    return evidence(vectors.get("word2vec"), methods(job, gender), published, job.level)
