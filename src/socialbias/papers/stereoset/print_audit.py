"""The print audit of StereoSet (Nadeem et al. 2021)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations

from socialbias.reporting.print_checks import (
    AGREES,
    CONTRADICTS,
    EPS,
    UNDECIDED,
    Check,
    Range,
    Tables,
    assuming,
    bounds,
    compare,
    icat_check,
    mean_check,
    printed,
    propagate,
    row_names,
    same,
    show,
    spearman_check,
    sum_check,
    verdict,
)
from socialbias.stats.correlation import midranks, spearman_rho, spearman_test

TASKS = {"intra": "intrasentence", "inter": "intersentence"}
DOMAINS = ("gender", "profession", "race", "religion")
BASELINES = ("ideal", "stereotyped", "random", "sentiment")
MASKED = (
    "bert-base", "bert-large", "roberta-base", "roberta-large", "xlnet-base", "xlnet-large",
)  # fmt: skip
AUTOREGRESSIVE = ("gpt2", "gpt2-medium", "gpt2-large")
PRETRAINED = MASKED + AUTOREGRESSIVE
LARGER = (
    ("bert-base", "bert-large"), ("roberta-base", "roberta-large"),
    ("xlnet-base", "xlnet-large"), ("gpt2", "gpt2-medium"), ("gpt2-medium", "gpt2-large"),
)  # fmt: skip
MODEL_GROUPS = {"nine pretrained": PRETRAINED, "six masked": MASKED}
SCORES = ("lms", "ss", "icat")
POOLING_SLACK = 0.1
# Scoring of prose -> (table over both tasks, table by task).
SCORING = {
    "likelihood": ("stereoset_table4", "stereoset_table6"),
    "pseudo-likelihood": ("stereoset_table5", "stereoset_table7"),
}


def _prose(tables: Tables, row: str, column: str) -> str:
    return printed(tables, "stereoset_prose", f"{row}: {column}", "number")


def _title(name: str) -> str:
    return f"Table {name.removeprefix('stereoset_table')}"


def _place(name: str, row: str) -> str:
    head, _, rest = row.partition(" ")
    if head in TASKS and rest:
        return f"{_title(name)}, {TASKS[head]}, {rest}"
    return f"{_title(name)}, {row}"


@assuming("a total is the sum of its parts", "labels of Table 1")
def _table1_sums(tables: Tables) -> Iterator[Check]:
    name = "stereoset_table1"
    for task, title in TASKS.items():
        for column in ("target_terms", "cats"):
            parts = [printed(tables, name, f"{task} {d}", column) for d in DOMAINS]
            total = printed(tables, name, f"{task} total", column)
            yield sum_check(f"Table 1, {title}, {column}, total", total, parts)
    parts = [printed(tables, name, f"{task} total", "cats") for task in TASKS]
    overall = printed(tables, name, "overall", "cats")
    yield sum_check("Table 1, overall, cats", overall, parts)
    yield from (
        same(f"Table 1, {title}, target_terms, total", "tables",
             printed(tables, name, f"{task} total", "target_terms"),
             printed(tables, name, "overall", "target_terms"), "the overall row")
        for task, title in TASKS.items()
    )  # fmt: skip


@assuming("the mean length of a total is over its instances")
def _table1_means(tables: Tables) -> Iterator[Check]:
    """A total's mean length is the mean over its instances, so it is weighted by their number."""
    groups = {f"{task} total": [f"{task} {d}" for d in DOMAINS] for task in TASKS}
    groups["overall"] = [f"{task} total" for task in TASKS]
    for row, parts in groups.items():
        lengths = [printed(tables, "stereoset_table1", p, "mean_length_words") for p in parts]
        weights = [int(printed(tables, "stereoset_table1", p, "cats")) for p in parts]
        total = sum(weights)
        implied = propagate(lambda v, w=weights, t=total: float(v @ w) / t, lengths)
        plain = math.fsum(map(float, lengths)) / len(lengths)
        terms = " + ".join(f"{w} * {x}" for w, x in zip(weights, lengths, strict=True))
        arithmetic = f"({terms}) / {total} = {implied.best:.4f}; the unweighted mean is {plain:.4f}"
        text = printed(tables, "stereoset_table1", row, "mean_length_words")
        place = f"Table 1, {row}, mean_length_words"
        yield compare(place, "mean", text, implied, arithmetic)


@assuming("both places mean the same quantity, and the shares of a row add up", "section 4.4")
def _table2(tables: Tables) -> Iterator[Check]:
    for row in row_names(tables["stereoset_table2"]):
        signs = [f"{sign}_percent" for sign in ("positive", "negative")]
        parts = [printed(tables, "stereoset_table2", row, sign) for sign in signs]
        yield sum_check(f"Table 2, {row}", "100", parts)
        yield same(f"Section 4.4 against Table 2, {row}, negative", "prose",
                   _prose(tables, row, "negative_percent"), parts[1], "Table 2")  # fmt: skip


@assuming("icat is lms * min(ss, 100 - ss) / 50", "section 5.2")
def _icats(tables: Tables) -> Iterator[Check]:
    for number in (4, 5, 6, 7, 8):
        name = f"stereoset_table{number}"
        for row in row_names(tables[name]):
            lms, ss, icat = (printed(tables, name, row, score) for score in SCORES)
            yield icat_check(_place(name, row), lms, ss, icat)


@assuming("icat is lms * min(ss, 100 - ss) / 50", "appendix A.6")
def _icat_axioms(tables: Tables) -> Iterator[Check]:
    """Appendix A.6: the three axioms."""
    for row, lms, ss in (
        ("icat ideal", "lms", "ss"), ("icat random", "lms", "ss"),
        ("icat biased", "", "ss_high"), ("icat biased", "", "ss_low"),
    ):  # fmt: skip
        score = _prose(tables, row, ss)
        language = _prose(tables, row, lms) if lms else ""
        low, high = (float(language), float(language)) if language else (0.0, 100.0)
        factor = min(float(score), 100 - float(score)) / 50
        implied = Range(low * factor, high * factor, high * factor)
        arithmetic = f"{language or 'any lms'} * min({score}, 100 - {score}) / 50"
        place = f"Appendix A.6, {row}, ss {score}"
        yield compare(place, "icat", _prose(tables, row, "icat"), implied, arithmetic, True)


@assuming("terms have nearly as many instances in the one task as in the other")
def _pooled_tasks(tables: Tables) -> Iterator[Check]:
    """Both tasks have as many instances, so the overall score is about the mean of the two.

    Scores are means over terms, and a term may have more instances in one task than in the other;
    the totals of Table 1 differ by one. `POOLING_SLACK` allows for such terms.
    """
    weights = [int(printed(tables, "stereoset_table1", f"{t} total", "cats")) for t in TASKS]
    total = sum(weights)
    for overall, by_task in SCORING.values():
        for model in (*PRETRAINED, "ensemble"):
            for score in ("lms", "ss"):
                parts = [printed(tables, by_task, f"{t} {model}", score) for t in TASKS]
                exact = propagate(lambda v: float(v @ weights) / total, parts)
                implied = Range(exact.low - POOLING_SLACK, exact.best, exact.high + POOLING_SLACK)
                terms = " + ".join(f"{w} * {x}" for w, x in zip(weights, parts, strict=True))
                arithmetic = (
                    f"({terms}) / {total} = {exact.best:.3f}, from {_title(by_task)}; "
                    f"{POOLING_SLACK} allowed for terms with unequal numbers in the two tasks"
                )
                place = f"{_title(overall)}, {model}, {score}, against {_title(by_task)}"
                text = printed(tables, overall, model, score)
                yield compare(place, "pooled", text, implied, arithmetic)


@assuming("baselines, and GPT-2 within a sentence, have one scoring", "sections 5.3 and 6.2")
def _printed_twice(tables: Tables) -> list[Check]:
    """Baselines do not depend on the scoring, nor do autoregressive models within a sentence."""
    pairs = [("stereoset_table5", "stereoset_table4", row) for row in BASELINES]
    pairs += [("stereoset_table7", "stereoset_table6", f"intra {row}") for row in AUTOREGRESSIVE]
    return [
        same(f"{_place(name, row)}, {score}", "tables", printed(tables, name, row, score),
             printed(tables, other, row, score), _title(other))
        for name, other, row in pairs
        for score in SCORES
    ]  # fmt: skip


@assuming("the prose repeats the table", "section 7")
def _prose_scores(tables: Tables) -> list[Check]:
    """Section 7 repeats scores of Tables 4 and 8."""
    cells = (
        ("gpt2-large", "lms"), ("gpt2-medium", "lms"), ("gpt2-large", "ss"),
        ("roberta-base", "ss"), ("ensemble", "ss"), ("gpt2", "icat"),
    )  # fmt: skip
    found = [
        same(f"Section 7 against Table 4, {row}, {score}", "prose",
             _prose(tables, row, score), printed(tables, "stereoset_table4", row, score), "Table 4")
        for row, score in cells
    ]  # fmt: skip
    found.append(
        same("Section 7 against Table 8, race, ss", "prose", _prose(tables, "race", "ss"),
             printed(tables, "stereoset_table8", "race", "ss"), "Table 8")
    )  # fmt: skip
    return found


@assuming("the prose describes the table", "section 7")
def _extremes(tables: Tables) -> Iterator[Check]:
    """Section 7: which model or domain has the largest or smallest score."""
    domains = list(DOMAINS)
    claims = (
        ("stereoset_table4", "lms", PRETRAINED, max, "gpt2-large"),
        ("stereoset_table4", "ss", PRETRAINED, max, "gpt2-large"),
        ("stereoset_table4", "ss", PRETRAINED, min, "roberta-base"),
        ("stereoset_table4", "ss", (*PRETRAINED, "sentiment"), max, "sentiment"),
        ("stereoset_table4", "lms", (*PRETRAINED, "ensemble"), max, "ensemble"),
        ("stereoset_table4", "ss", (*PRETRAINED, "ensemble"), max, "ensemble"),
        ("stereoset_table4", "icat", PRETRAINED, max, "gpt2"),
        ("stereoset_table4", "lms", (*PRETRAINED, "random"), min, "random"),
        ("stereoset_table4", "ss", (*PRETRAINED, "random"), min, "random"),
        ("stereoset_table8", "ss", domains, min, "race"),
    )
    for name, score, rows, pick, claimed in claims:
        values = {row: float(printed(tables, name, row, score)) for row in rows}
        winner = pick(values, key=values.__getitem__)
        word = "largest" if pick is max else "smallest"
        others = ", ".join(row for row in rows if row not in (*PRETRAINED, *DOMAINS))
        where = f"{word} {score}" + (f" with {others}" if others else "")
        yield Check(
            f"Section 7 against {_title(name)}, {where}", "claim", claimed, winner,
            ", ".join(f"{row} {value}" for row, value in values.items()),
            verdict(values[claimed] == values[winner]),
        )  # fmt: skip


@assuming("scores grow with the size of the model, for a given architecture", "section 7")
def _model_size(tables: Tables) -> Iterator[Check]:
    """Section 7: within an architecture the larger model has the higher lms and the higher ss."""
    for score in ("lms", "ss"):
        for small, large in LARGER:
            old, new = (printed(tables, "stereoset_table4", m, score) for m in (small, large))
            change = float(new) - float(old)
            yield Check(
                f"Section 7 against Table 4, {small} to {large}, {score}", "claim",
                "grows with size", f"{old} to {new}", f"{new} - {old} = {change:+.1f}",
                verdict(bounds(new).high > bounds(old).low + 1e-9),
            )  # fmt: skip


@assuming("the correlation is over the nine pretrained models", "section 7")
def _lms_and_ss(tables: Tables) -> list[Check]:
    """Section 7: the rank correlation of lms and ss."""
    text = _prose(tables, "nine models", "spearman_rho lms ss")
    lists = [
        [float(printed(tables, "stereoset_table4", model, score)) for model in PRETRAINED]
        for score in ("lms", "ss")
    ]
    rho = spearman_rho(*lists)
    ranks = [midranks(values) for values in lists]
    gaps = " + ".join(f"{(a - b) ** 2:g}" for a, b in zip(*ranks, strict=True))
    return [
        compare("Section 7, rho(lms, ss), against Table 4", "correlation", text,
                Range(rho, rho, rho), f"squared rank differences {gaps}; rho = {rho:.4f}, n = 9"),
        spearman_check("Section 7, rho(lms, ss)", text, len(PRETRAINED)),
    ]  # fmt: skip


@assuming("all six means are over the same models")
def _mean_lms(tables: Tables) -> list[Check]:
    """Section 7: mean lms by scoring and task; one set of models should give all six."""
    found, by_group = [], {group: [] for group in MODEL_GROUPS}
    for scoring, (overall, by_task) in SCORING.items():
        for task in ("", "intra", "inter"):
            name, prefix = (by_task, f"{task} ") if task else (overall, "")
            text = _prose(tables, f"{scoring} {task}".strip(), "mean_lms")
            place = f"Section 7, mean lms, {scoring}, {TASKS.get(task, 'both tasks')}"
            tried = []
            for group, models in MODEL_GROUPS.items():
                parts = [printed(tables, name, f"{prefix}{m}", "lms") for m in models]
                what = f"the {group} models of {_title(name)}"
                tried.append(mean_check(place, text, parts, what))
                if tried[-1].verdict == AGREES:
                    by_group[group].append(place)
            # The prose does not say which models it averages, so any group may give the mean.
            found.append(next((check for check in tried if check.verdict == AGREES), tried[0]))
    counts = ", ".join(f"{len(places)} over the {group}" for group, places in by_group.items())
    missing = {group: len(found) - len(places) for group, places in by_group.items()}
    found.append(
        Check(
            "Section 7, mean lms, one set of models for all", "claim",
            f"{len(found)} means compared with each other",
            f"no set of models gives more than {len(found) - min(missing.values())}",
            f"means reproduced: {counts}", verdict(min(missing.values()) == 0),
        )
    )  # fmt: skip
    return found


@assuming("the nine models are trained on four corpora", "section 7")
def _corpus_size(tables: Tables) -> Iterator[Check]:
    """Section 7: the size of the training text does not correlate with lms or ss.

    Models of one family share a corpus, so that sizes are exchangeable between the four families
    and not between the nine models: with four, no correlation can be told from chance.
    """
    families = [model.split("-")[0] for model in PRETRAINED]
    sizes = {family: float(_prose(tables, family, "corpus_gb")) for family in families}
    for score in ("lms", "ss"):
        values = [float(printed(tables, "stereoset_table4", m, score)) for m in PRETRAINED]
        rho, p_models = spearman_test([sizes[family] for family in families], values)
        p = _family_p(sizes, families, values)
        arithmetic = (
            f"GB {' '.join(f'{sizes[f]:g}' for f in families)} against "
            f"{' '.join(map(str, values))}, midranks; exact two-sided p = {p:.3f} with the sizes "
            f"permuted over {len(sizes)} families ({p_models:.4f} if the nine models had a corpus "
            "each)"
        )
        yield Check(
            f"Section 7 against Table 4, corpus size and {score}", "correlation",
            "no correlation", f"rho = {rho:.3f}", arithmetic,
            CONTRADICTS if p <= 0.05 else UNDECIDED,
        )  # fmt: skip


def _family_p(sizes: dict[str, float], families: list[str], values: list[float]) -> float:
    """The share of the ways to give the sizes to the families with as large a correlation."""
    observed = abs(spearman_rho([sizes[family] for family in families], values))
    others = [
        abs(spearman_rho([given[family] for family in families], values))
        for order in permutations(sizes.values())
        for given in [dict(zip(sizes, order, strict=True))]
    ]
    return sum(rho >= observed - EPS for rho in others) / len(others)


@assuming("an overall score is a mean over target terms", "section 5.2")
def _domains(tables: Tables) -> Iterator[Check]:
    """Table 8 splits the ensemble's row of Table 4 by domain; its terms are most and least biased.

    A mean over terms lies between the smallest and the largest mean of its parts.
    """
    for score in ("lms", "ss"):
        parts = [printed(tables, "stereoset_table8", d, score) for d in DOMAINS]
        ranges = [bounds(part) for part in parts]
        best = math.fsum(r.best for r in ranges) / len(ranges)
        implied = Range(min(r.low for r in ranges), best, max(r.high for r in ranges))
        text = printed(tables, "stereoset_table4", "ensemble", score)
        arithmetic = f"between the smallest and the largest of {', '.join(parts)}"
        place = f"Table 4, ensemble, {score}, against Table 8"
        yield compare(place, "pooled", text, implied, arithmetic)
    for domain, (most, least) in _terms(tables).items():
        high, low = (
            printed(tables, "stereoset_table8", f"{domain} {t}", "ss") for t in (most, least)
        )
        yield Check(
            f"Table 8, {domain}, most and least biased term", "claim",
            f"{most} is further from 50 than {least}", f"ss {high} and {low}",
            f"|{high} - 50| = {abs(float(high) - 50):.1f}, "
            f"|{low} - 50| = {abs(float(low) - 50):.1f}",
            verdict(abs(float(high) - 50) > abs(float(low) - 50)),
        )  # fmt: skip


def _terms(tables: Tables) -> dict[str, list[str]]:
    """Return the two terms of each domain in Table 8: most biased, least biased."""
    rows = row_names(tables["stereoset_table8"])
    return {d: [r.removeprefix(f"{d} ") for r in rows if r.startswith(f"{d} ")] for d in DOMAINS}


@assuming(
    "Table 10 lists the target terms, with how far their validators agree",
    "section 4.1, appendix A.1 and caption of Table 10",
)
def _agreement(tables: Tables) -> Iterator[Check]:
    """Table 10 against Tables 1 and 8 and against the filter of section 4.3."""
    table = tables["stereoset_table10"]
    for domain in DOMAINS:
        listed = sum(cell.note == domain for cell in table.values())
        terms = printed(tables, "stereoset_table1", f"intra {domain}", "target_terms")
        yield same(f"Table 1, {domain}, target_terms, against Table 10", "tables", terms,
                   str(listed), f"Table 10 lists {listed} terms: it")  # fmt: skip
    total = printed(tables, "stereoset_table1", "overall", "target_terms")
    yield same("Table 1, overall, target_terms, against Table 10", "tables", total,
               str(len(table)), "Table 10, counted in terms,")  # fmt: skip
    least = int(_prose(tables, "validation", "agreeing_at_least"))
    of = int(_prose(tables, "validation", "validators_section4"))
    low_term, low = min(
        ((row, c.value) for (row, _), c in table.items()), key=lambda x: float(x[1])
    )
    yield compare(f"Table 10, smallest agreement ({low_term})", "range", low,
                  Range(least / of, least / of, 1.0),
                  f"each kept instance has at least {least} of {of} = {least / of:g}")  # fmt: skip
    yield _agreement_outliers(tables)


def _agreement_outliers(tables: Tables) -> Check:
    """Section 7: biased terms are those with agreement; the only outlier is in religion."""
    outliers, terms = [], []
    for domain, (most, least) in _terms(tables).items():
        high, low = (printed(tables, "stereoset_table10", t, "agreement") for t in (most, least))
        terms.append(f"{most} {high}, {least} {low}")
        if bounds(high).high <= bounds(low).low + 1e-9:
            outliers.append(domain)
    return Check(
        "Section 7 against Tables 8 and 10, agreement of the most and least biased terms",
        "claim", "outlier in: religion", "outlier in: " + ", ".join(outliers), "; ".join(terms),
        verdict(outliers == ["religion"]),
    )  # fmt: skip


@assuming("both places mean the same quantity", "both places, in the same words")
def _counts(tables: Tables) -> list[Check]:
    def prose(row: str, column: str) -> str:
        return _prose(tables, row, column)

    overall = {
        c: printed(tables, "stereoset_table1", "overall", c) for c in ("target_terms", "cats")
    }
    batch, length = prose("nsp", "batch_size"), prose("nsp", "maximum_length")
    tokens = float(int(batch) * int(length))
    found = [
        same("Sections 4.3 and 9.1, validators of an instance", "prose",
             prose("validation", "validators_section4"), prose("validation", "validators_section9"),
             "section 9.1"),
        same("Section 1 against Table 1, target terms", "prose",
             prose("dataset", "target_terms"), overall["target_terms"], "Table 1"),
        same("Section 1 against Table 1, instances", "prose", prose("dataset", "instances"),
             overall["cats"], "Table 1"),
        same("Section 1 against Table 1, domains", "prose", prose("dataset", "domains"),
             str(len(DOMAINS)), "Table 1, counted in domains,"),
        sum_check("Section 5.1, shares of the two splits", "100",
                  [prose(split, "target_terms_percent") for split in ("development", "test")]),
        sum_check("Section 9.3, women and men", "100",
                  [prose("annotators", f"{sex}_percent") for sex in ("women", "men")]),
        compare("Appendix A.5, tokens a batch", "sum", prose("nsp", "tokens_per_batch"),
                Range(tokens, tokens, tokens), f"{batch} * {length} = {tokens:g}", True),
    ]  # fmt: skip
    found += [
        same(f"Section 7 against appendix A.3, {model}, millions of parameters", "prose",
             prose(model, "parameters_millions_section7"), prose(model, "parameters_millions"),
             "appendix A.3")
        for model in ("bert-base", "bert-large")
    ]  # fmt: skip
    found.append(
        Check("Section 7, likelihood scoring is higher by a narrow margin", "claim",
              "likelihood above pseudo-likelihood", show(_margin(tables), 2),
              f"{prose('likelihood', 'mean_lms')} - {prose('pseudo-likelihood', 'mean_lms')}",
              verdict(_margin(tables).high > 0))
    )  # fmt: skip
    return found


def _margin(tables: Tables) -> Range:
    texts = [_prose(tables, scoring, "mean_lms") for scoring in SCORING]
    return propagate(lambda v: float(v[0] - v[1]), texts)


FAMILIES = (
    _table1_sums, _table1_means, _table2, _icats, _icat_axioms, _pooled_tasks,
    _printed_twice, _prose_scores, _extremes, _model_size, _lms_and_ss, _mean_lms,
    _corpus_size, _domains, _agreement, _counts,
)  # fmt: skip
