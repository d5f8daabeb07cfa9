"""The print audit of StereoSet (Nadeem et al. 2021)."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product

from socialbias.reporting.print_checks import (
    AGREES,
    DISAGREES,
    EPS,
    UNDECIDED,
    Audit,
    Check,
    Range,
    bounds,
    compare,
    exactly,
    holds,
    listed,
    mean_of,
    same,
    show,
    spearman_check,
    sum_check,
)
from socialbias.stats.correlation import spearman_rho, spearman_test

AUDIT = Audit()
TASKS = {"intra": "intrasentence", "inter": "intersentence"}
DOMAINS = ("gender", "profession", "race", "religion")
BASELINES = ("ideal", "stereotyped", "random", "sentiment")
MASKED = tuple(f"{m}-{size}" for m in ("bert", "roberta", "xlnet") for size in ("base", "large"))
AUTOREGRESSIVE = ("gpt2", "gpt2-medium", "gpt2-large")
PRETRAINED = MASKED + AUTOREGRESSIVE
LARGER = [(f"{m}-base", f"{m}-large") for m in ("bert", "roberta", "xlnet")]
LARGER += [("gpt2", "gpt2-medium"), ("gpt2-medium", "gpt2-large")]
MODEL_GROUPS = {"nine pretrained": PRETRAINED, "six masked": MASKED}
SCORES = ("lms", "ss", "icat")
POOLING_SLACK = 0.1
ANY = Range(0.0, 50.0, 100.0)  # an lms that is not printed
# Scoring of prose -> (table over both tasks, table by task).
SCORING = {"likelihood": ("table4", "table6"), "pseudo-likelihood": ("table5", "table7")}


def _prose(p, row, column):
    return p("prose", f"{row}: {column}", "number")


def _title(name):
    return f"Table {name.removeprefix('table')}"


def _place_of(name, row):
    head, _, rest = row.partition(" ")
    return ", ".join([_title(name), *([TASKS[head], rest] if head in TASKS and rest else [row])])


def icat_range(lms: Range, ss: str) -> Range:
    """Return the icat that lms and rounded ss (percent) allow: lms * min(ss, 100 - ss) / 50."""
    score = bounds(ss)
    ends = [min(s, 100 - s) for s in (score.low, score.high)]
    # The fold at 50 is the top of the function, so an interval across 50 reaches 50.
    top = 50.0 if score.low <= 50 <= score.high else max(ends)
    return lms * Range(min(ends), min(score.best, 100 - score.best), top) * (1 / 50)


@AUDIT.assuming(
    "a total is the sum of its parts",
    "labels of Table 1",
    "the rows are of an earlier version of the data, and the totals of the released one",
)
def _table1_sums(p):
    for task, column in product(TASKS, ("target_terms", "cats")):
        parts = [p("table1", f"{task} {domain}", column) for domain in DOMAINS]
        place = f"Table 1, {TASKS[task]}, {column}, total"
        yield sum_check(place, p("table1", f"{task} total", column), parts)
    parts = [p("table1", f"{task} total", "cats") for task in TASKS]
    yield sum_check("Table 1, overall, cats", p("table1", "overall", "cats"), parts)
    for task, name in TASKS.items():
        text, other = (p("table1", row, "target_terms") for row in (f"{task} total", "overall"))
        place = f"Table 1, {name}, target_terms, total"
        yield same(place, "tables", text, other, "the overall row")


@AUDIT.assuming(
    "the mean length of a total is over its instances",
    explanation="it is the mean of the four domains",
)
def _table1_means(p):
    """Check a total's mean length, a mean over instances weighted by their number."""
    groups = {f"{task} total": [f"{task} {domain}" for domain in DOMAINS] for task in TASKS}
    groups["overall"] = [f"{task} total" for task in TASKS]
    for row, parts in groups.items():
        lengths = [p("table1", part, "mean_length_words") for part in parts]
        weighted = mean_of(lengths, [int(p("table1", part, "cats")) for part in parts])
        place, text = f"Table 1, {row}, mean_length_words", p("table1", row, "mean_length_words")
        yield compare(place, "mean", text, *weighted)


@AUDIT.assuming("both places mean the same quantity, and the shares of a row add up", "section 4.4")
def _table2(p):
    for row in p.rows("table2"):
        parts = [p("table2", row, f"{sign}_percent") for sign in ("positive", "negative")]
        yield sum_check(f"Table 2, {row}", "100", parts)
        place = f"Section 4.4 against Table 2, {row}, negative"
        yield same(place, "prose", _prose(p, row, "negative_percent"), parts[1], "Table 2")


@AUDIT.assuming(
    "icat is lms * min(ss, 100 - ss) / 50",
    "section 5.2",
    "a typing error in one of the three numbers",
    "none in the prose; neighbours in the order of the table may change places",
)
def _icats(p):
    for name in ("table4", "table5", "table6", "table7", "table8"):
        for row in p.rows(name):
            lms, ss, icat = (p(name, row, score) for score in SCORES)
            implied = icat_range(bounds(lms) if lms else ANY, ss)
            arithmetic = (
                f"{lms or 'any lms'} * min({ss}, 100 - {ss}) / 50, inputs within half a unit"
            )
            yield compare(_place_of(name, row), "icat", icat, implied, arithmetic)


@AUDIT.assuming(
    "terms have nearly as many instances in the one task as in the other",
    explanation="terms have unequal numbers of instances, or the tables are of other versions",
)
def _pooled_tasks(p):
    """Both tasks have as many instances, so the overall score is about the mean of the two.

    Scores are means over terms, and a term may have more instances in one task than in the other;
    the totals of Table 1 differ by one. `POOLING_SLACK` allows for such terms.
    """
    weights = [int(p("table1", f"{task} total", "cats")) for task in TASKS]
    for overall, by_task in SCORING.values():
        for model, score in product((*PRETRAINED, "ensemble"), ("lms", "ss")):
            parts = [p(by_task, f"{task} {model}", score) for task in TASKS]
            mean, arithmetic = mean_of(parts, weights)
            implied = mean + Range(-POOLING_SLACK, 0, POOLING_SLACK)
            place = f"{_title(overall)}, {model}, {score}, against {_title(by_task)}"
            arithmetic += (
                f", {POOLING_SLACK} allowed for terms with unequal numbers in the two tasks"
            )
            yield compare(place, "pooled", p(overall, model, score), implied, arithmetic)


@AUDIT.assuming("baselines, and GPT-2 within a sentence, have one scoring", "sections 5.3 and 6.2")
def _printed_twice(p):
    pairs = [("table5", "table4", row) for row in BASELINES]
    pairs += [("table7", "table6", f"intra {row}") for row in AUTOREGRESSIVE]
    for (name, other, row), score in product(pairs, SCORES):
        place, texts = f"{_place_of(name, row)}, {score}", (p(t, row, score) for t in (name, other))
        yield same(place, "tables", *texts, _title(other))


@AUDIT.assuming(
    "the prose repeats the table", "section 7", "the prose is of an earlier version of the table"
)
def _prose_scores(p):
    for name, row, score in (
        ("table4", "gpt2-large", "lms"), ("table4", "gpt2-medium", "lms"),
        ("table4", "gpt2-large", "ss"), ("table4", "roberta-base", "ss"),
        ("table4", "ensemble", "ss"), ("table4", "gpt2", "icat"), ("table8", "race", "ss"),
    ):  # fmt: skip
        place = f"Section 7 against {_title(name)}, {row}, {score}"
        yield same(place, "prose", _prose(p, row, score), p(name, row, score), _title(name))


@AUDIT.assuming(
    "scores grow with the size of the model, for a given architecture",
    "section 7",
    "the sentence is about the tendency: it is true of nine of ten comparisons",
    "the larger XLNet is no more stereotypical than the smaller",
)
def _model_size(p):
    for score, (small, large) in product(("lms", "ss"), LARGER):
        old, new = (p("table4", model, score) for model in (small, large))
        place = f"Section 7 against Table 4, {small} to {large}, {score}"
        arithmetic = f"{new} - {old} = {float(new) - float(old):+.1f}"
        grows = bounds(new).high > bounds(old).low + EPS
        yield holds(place, "claim", "grows with size", f"{old} to {new}", arithmetic, grows)


@AUDIT.assuming("the correlation is over the nine pretrained models", "section 7")
def _lms_and_ss(p):
    text = _prose(p, "nine models", "spearman_rho lms ss")
    lists = [[float(p("table4", model, score)) for model in PRETRAINED] for score in SCORES[:2]]
    rho, place = spearman_rho(*lists), "Section 7, rho(lms, ss)"
    arithmetic = f"rho = {rho:.4f} of {lists[0]} and {lists[1]}"
    yield compare(f"{place}, against Table 4", "correlation", text, exactly(rho), arithmetic)
    yield spearman_check(place, text, len(PRETRAINED))


@AUDIT.assuming(
    "all six means are over the same models",
    explanation="two of the means are over the six masked models",
)
def _mean_lms(p):
    """Section 7: mean lms by scoring and task; one set of models should give all six."""
    found, given, means = [], dict.fromkeys(MODEL_GROUPS, 0), []
    for (scoring, (overall, by_task)), task in product(SCORING.items(), ("", *TASKS)):
        name, prefix = (by_task, f"{task} ") if task else (overall, "")
        text = _prose(p, f"{scoring} {task}".strip(), "mean_lms")
        place, tried = f"Section 7, mean lms, {scoring}, {TASKS.get(task, 'both tasks')}", []
        for group, models in MODEL_GROUPS.items():
            implied, sums = mean_of([p(name, f"{prefix}{model}", "lms") for model in models])
            arithmetic = f"{sums} over the {group} models of {_title(name)}"
            tried.append(compare(place, "mean", text, implied, arithmetic))
            given[group] += tried[-1].verdict == AGREES
            means.append(f"{implied.best:.3f}")
        # The prose does not say which models it averages, so any group may give the mean.
        found.append(next((check for check in tried if check.verdict == AGREES), tried[0]))
    yield from found
    counts = ", ".join(f"{n} over the {group}" for group, n in given.items())
    place, n = "Section 7, mean lms, one set of models for all", len(found)
    claim, most = f"{n} means compared with each other", max(given.values())
    implied = f"no set of models gives more than {most}"
    arithmetic = f"means reproduced: {counts}, of {' '.join(means)}"
    yield holds(place, "claim", claim, implied, arithmetic, most == n)


@AUDIT.assuming(
    "the nine models are trained on four corpora",
    "section 7",
    "four corpora are too few to show a correlation",
)
def _corpus_size(p):
    """Section 7: the size of the training text does not correlate with lms or ss.

    Models of one family share a corpus, so that sizes are exchangeable between the four families
    and not between the nine models: with four, no correlation can be told from chance.
    """
    families = [model.split("-")[0] for model in PRETRAINED]
    sizes = {family: float(_prose(p, family, "corpus_gb")) for family in families}
    for score in ("lms", "ss"):
        values = [float(p("table4", model, score)) for model in PRETRAINED]
        rho, p_models = spearman_test([sizes[family] for family in families], values)
        orders = [dict(zip(sizes, order, strict=True)) for order in permutations(sizes.values())]
        rhos = [spearman_rho([given[family] for family in families], values) for given in orders]
        p_families = sum(abs(other) >= abs(rho) - EPS for other in rhos) / len(rhos)
        arithmetic = (
            f"GB {listed(sizes)} against {values}; exact two-sided p = {p_families:.3f} with the "
            f"sizes permuted over families ({p_models:.4f} if the nine models had a corpus each)"
        )
        outcome = DISAGREES if p_families <= 0.05 else UNDECIDED
        place, implied = f"Section 7 against Table 4, corpus size and {score}", f"rho = {rho:.3f}"
        yield Check(place, "correlation", "no correlation", implied, arithmetic, outcome)


def _terms_of(p, domain):
    """Return the two terms of a domain in Table 8: most biased, least biased."""
    return [row for row in p.rows("table8") if row.startswith(f"{domain} ")]


@AUDIT.assuming("an overall score is a mean over target terms", "section 5.2")
def _domains(p):
    """Table 8 splits the ensemble's row of Table 4 by domain: a mean lies between its parts."""
    for score in ("lms", "ss"):
        parts = [p("table8", domain, score) for domain in DOMAINS]
        ranges = [bounds(part) for part in parts]
        middle = mean_of(parts)[0].best
        implied = Range(min(r.low for r in ranges), middle, max(r.high for r in ranges))
        place, text = f"Table 4, ensemble, {score}, against Table 8", p("table4", "ensemble", score)
        arithmetic = f"between the smallest and the largest of {', '.join(parts)}"
        yield compare(place, "pooled", text, implied, arithmetic)
    for domain in DOMAINS:
        rows = _terms_of(p, domain)
        high, low = (p("table8", row, "ss") for row in rows)
        far = [abs(float(text) - 50) for text in (high, low)]
        most, least = (row.removeprefix(f"{domain} ") for row in rows)
        place, claim = f"Table 8, {domain}, most and least biased term", "is further from 50 than"
        arithmetic = f"|{high} - 50| = {far[0]:.1f}, |{low} - 50| = {far[1]:.1f}"
        claim, implied = f"{most} {claim} {least}", f"ss {high} and {low}"
        yield holds(place, "claim", claim, implied, arithmetic, far[0] > far[1])


@AUDIT.assuming(
    "Table 10 lists the target terms, with how far their validators agree",
    "section 4.1, appendix A.1 and caption of Table 10",
    "Table 10 has twelve terms of an earlier version of the data",
)
def _agreement(p):
    """Table 10 against Tables 1 and 8 and against the filter of section 4.3."""
    table = p.table("table10")
    counted = {domain: sum(note == domain for _, note in table.values()) for domain in DOMAINS}
    for row, number in {**counted, "overall": len(table)}.items():
        terms = p("table1", row if row == "overall" else f"intra {row}", "target_terms")
        place = f"Table 1, {row}, target_terms, against Table 10"
        yield same(place, "tables", terms, str(number), "Table 10, counted in terms,")
    least, of = (
        int(_prose(p, "validation", c)) for c in ("agreeing_at_least", "validators_section4")
    )
    (term, _), (low, _) = min(table.items(), key=lambda item: float(item[1].value))
    place, implied = f"Table 10, smallest agreement ({term})", Range(least / of, least / of, 1.0)
    yield compare(place, "range", low, implied, f"each kept instance has at least {least} of {of}")
    # Section 7: biased terms are those with agreement; the only outlier is in religion.
    outliers, shown = [], []
    for domain in DOMAINS:
        terms = [row.removeprefix(f"{domain} ") for row in _terms_of(p, domain)]
        high, low = (p("table10", term, "agreement") for term in terms)
        shown.append(f"{terms[0]} {high}, {terms[1]} {low}")
        if bounds(high).high <= bounds(low).low + EPS:
            outliers.append(domain)
    place = "Section 7 against Tables 8 and 10, agreement of the most and least biased terms"
    claim, implied = "outlier in: religion", f"outlier in: {', '.join(outliers)}"
    check = holds(place, "claim", claim, implied, "; ".join(shown), outliers == ["religion"])
    told = "the gender terms differ by 0.02, which the sentence passes over"
    conclusion = "gender is a second, smaller exception"
    yield replace(check, explanation=told, conclusion=conclusion)


@AUDIT.assuming(
    "both places mean the same quantity", "both places, in the same words", "a typing error"
)
def _counts(p):
    terms, instances = (p("table1", "overall", column) for column in ("target_terms", "cats"))
    validators, again = (
        _prose(p, "validation", f"validators_section{section}") for section in (4, 9)
    )
    for place, text, other, where in (
        ("Sections 4.3 and 9.1, validators of an instance", validators, again, "section 9.1"),
        ("Section 1 against Table 1, target terms", _prose(p, "dataset", "target_terms"), terms,
         "Table 1"),
        ("Section 1 against Table 1, instances", _prose(p, "dataset", "instances"), instances,
         "Table 1"),
        ("Section 1 against Table 1, domains", _prose(p, "dataset", "domains"), str(len(DOMAINS)),
         "Table 1, counted in domains,"),
        *((f"Section 7 against appendix A.3, {model}, millions of parameters",
           *(_prose(p, model, f"parameters_millions{x}") for x in ("_section7", "")),
           "appendix A.3") for model in ("bert-base", "bert-large")),
    ):  # fmt: skip
        yield same(place, "prose", text, other, where)
    shares = [_prose(p, split, "target_terms_percent") for split in ("development", "test")]
    yield sum_check("Section 5.1, shares of the two splits", "100", shares)
    shares = [_prose(p, "annotators", f"{sex}_percent") for sex in ("women", "men")]
    yield sum_check("Section 9.3, women and men", "100", shares)
    batch, length, tokens = (
        _prose(p, "nsp", column) for column in ("batch_size", "maximum_length", "tokens_per_batch")
    )
    place, implied = "Appendix A.5, tokens a batch", exactly(float(int(batch) * int(length)))
    yield compare(place, "sum", tokens, implied, f"{batch} * {length}", True)
    high, low = (_prose(p, scoring, "mean_lms") for scoring in SCORING)
    margin, claim = bounds(high) - bounds(low), "likelihood above pseudo-likelihood"
    place = "Section 7, likelihood scoring is higher by a narrow margin"
    yield holds(place, "claim", claim, show(margin, 2), f"{high} - {low}", margin.high > 0)
