"""The printed numbers against the texts of the papers.

`SOCIALBIAS_PAPERS` names a folder with the four texts below; without it the tests skip. The texts
come out of PDF converters that run columns together, so a table is looked up as one unbroken run
of digits wherever that is what the converter left, else line by line or in reading order. Anchors
are the few words around a number.
"""

from __future__ import annotations

import csv
import os
import re
import unicodedata
from functools import cache
from pathlib import Path

import pytest

from socialbias.embeddings.words.of_papers import read_word_lists
from tests.paths import PUBLISHED, RESOURCES

TEXTS = {
    "trustworthy": "trustworthy_social_bias_measurement.txt",
    "bad_seeds": "bad_seeds.txt",
    "stereoset": "stereoset.txt",
    "fairness": "quantifying_social_biases_fairness_metrics.txt",
}
FOLDER = os.environ.get("SOCIALBIAS_PAPERS", "")
needs_texts = pytest.mark.skipif(
    not FOLDER, reason="SOCIALBIAS_PAPERS is not set: it names the folder with the papers' texts"
)
pytestmark = needs_texts

WORDS = {
    "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight",
    "10": "ten", "13": "thirteen", "14": "fourteen",
}  # fmt: skip


@cache
def full(paper: str) -> str:
    """The text with ligatures resolved and one kind of minus."""
    raw = (Path(FOLDER) / TEXTS[paper]).read_text(encoding="utf-8")
    return unicodedata.normalize("NFKC", raw).replace("\N{MINUS SIGN}", "-")


@cache
def flat(paper: str) -> str:
    """The text on one line, single blanks, hyphenation at line ends left as it is."""
    return " ".join(full(paper).split())


@cache
def tight(paper: str) -> str:
    """The text without white space."""
    return "".join(full(paper).split())


@cache
def cells(name: str) -> dict[tuple[str, str], str]:
    with (PUBLISHED / f"{name}.csv").open(encoding="utf-8", newline="") as handle:
        return {(row["row"], row["column"]): row["value"] for row in csv.DictReader(handle)}


def rows_of(name: str) -> dict[str, list[str]]:
    """The values of each row, in the order of the columns."""
    found: dict[str, list[str]] = {}
    for (row, _), value in cells(name).items():
        found.setdefault(row, []).append(value)
    return found


def column_of(name: str, column: str, rows: list[str] | None = None) -> list[str]:
    table = cells(name)
    return [v for (r, c), v in table.items() if c == column and (rows is None or r in rows)]


def between(text: str, start: str, end: str) -> str:
    """The part of the text from `start` up to the first `end` behind it; both must be there."""
    assert start in text, start
    rest = text[text.index(start) :]
    assert end in rest[len(start) :], end
    return rest[: rest.index(end, len(start))]


# -- Trustworthy -----------------------------------------------------------------------------------

PRINTED_ROWS = {
    "bolukbasi": "Bolukbasi et al. (2016)",
    "caliskan": "Caliskan et al. (2017)",
    "garg-cosine": "Garg et al. (2018, cosine)",
    "garg-euclidean": "Garg et al. (2018, euclidean)",
    "manzini": "Manzini et al. (2019)",
    "ethayarajh": "Ethayarajh et al. (2019)",
    "divdist": "Our Measure",
    "word2vec hard-bolukbasi gender": "w2v Hard (B) gender",
    "glove gn-glove gender": "GloVe GN (Z) gender",
    "text-automated wikipedia": "text-aut. Wiki.",
    "emb word2vec": "emb. W2V",
    "emb glove": "emb. GloVe",
    "cr-reduction bert": "cr-red. BERT",
    "cr-probe bert": "cr-probe BERT",
} | {
    f"word2vec {kind}-manzini {group}": f"w2v {kind.title()} (M) {group}"
    for kind in ("soft", "hard")
    for group in ("gender", "race", "religion")
}  # fmt: skip
TRUSTWORTHY_ENDS = {3: "Table 3: ", 4: "Table 4: ", 5: "Table 5: ", 6: "Table 6: ", 7: "Table 7: "}
TRUSTWORTHY_STARTS = {
    3: "text emb cr\n", 4: "Context Length (sent.)", 5: "Diachronic Contemporary\n",
    6: "3;2", 7: "Targeted metric Our metric\n",
}  # fmt: skip


@pytest.mark.parametrize("number", [3, 4, 5, 6, 7])
def test_trustworthy_tables(number):
    region = between(full("trustworthy"), TRUSTWORTHY_STARTS[number], TRUSTWORTHY_ENDS[number])
    lines = region.splitlines()
    for row, values in rows_of(f"trustworthy_table{number}").items():
        line = " ".join([PRINTED_ROWS.get(row, row), *(value or "N/A" for value in values)])
        assert line in lines


def test_trustworthy_table8():
    lines = between(full("trustworthy"), "Word Lists", "Table 8: ").splitlines()
    for row, values in rows_of("trustworthy_table8").items():
        pairs = [
            f"({rho}, {r2})" if rho or r2 else "N/A"
            for rho, r2 in zip(values[::2], values[1::2], strict=True)
        ]
        assert " ".join([PRINTED_ROWS[row], *pairs]) in lines


TRUSTWORTHY_PROSE = {
    ("measures", "instantiated"): "instantiate {v} concrete bias measures",
    ("criteria", "tested"): "protocol with {v} testing criteria",
    ("target concepts", "professions"): "drawing upon {v} professions",
    ("table 5 diachronic", "professions"): "average bias for {v} professions",
    ("table 5 diachronic", "first_year"): "decade of {v}–2000",
    ("table 5 diachronic", "end_year"): "decade of 1900–{v}",
    ("table 5 contemporary", "professions"): "each of {v} professions",
    ("table 5 contemporary", "census_year"): "the {v} Census labor",
    ("table 3", "census_year"): "in the {v} US Census",
    ("table 4", "professions"): "bias for {v} professions .those in Table 3",
    ("table 4", "context_sentences_by_default"): "using {v}-sentence contexts",
    ("correlations", "significance_level"): r"for p{v}\D",
    ("table 6", "generations"): "sample of {v} unconditional",
    ("table 7", "methods"): "of the {v} methods",
    ("table 7", "methods_that_amplify"): "for {v} of the eight",
    ("agreement", "annotators"): "recruit {v} NLP researchers",
    ("agreement", "contexts"): "annotate {v} contexts",
    ("agreement", "targets"): "being the {v} professions",
    ("agreement", "fleiss_kappa"): "κ={v}",
    ("helm", "language_models"): r"evaluate {v}\+ prominent",
    ("table 8", "words_per_list_smaller"): r"\|W\(G\)\|={v}\D.*\|W\(G\)\|=5",
    ("table 8", "words_per_list_larger"): r"\|W\(G\)\|=3\D.*\|W\(G\)\|={v}\D",
    ("embeddings", "dimensions"): "Gigaword 5, {v} dimensional",
}


def _printed_forms(value: str) -> str:
    forms = {value, WORDS.get(value, value)}
    if value.isdigit():
        forms.add(f"{int(value):,}")
    return "(?:" + "|".join(re.escape(form) for form in sorted(forms)) + ")"


def _quoted_list(name: str) -> list[str]:
    body = between(full("trustworthy"), f"{name} word list = {{", "\n")
    # The first word of one list lost its opening quote, so quotes are no guide.
    words = [word.strip(" ‘’'{}\\") for word in body.split("{", 1)[1].split(",")]
    return [word for word in words if word]


def test_trustworthy_counts():
    table = cells("trustworthy_counts")
    names = ("Female", "Male", "Asian", "Hispanic", "White", "Professions")
    for name in names:
        words = _quoted_list(name)
        assert len(set(words)) == len(words) == int(table[f"word list {name.lower()}", "words"])
    targets = rows_of("trustworthy_table3")
    listed = set(targets) & set(_quoted_list("Professions"))
    assert len(listed) == int(table["word list professions", "table3_targets_listed"])
    assert set(targets) - listed == {"pilot"}
    lines = between(full("trustworthy"), "Setting Abbreviation", "Table 1: ").splitlines()
    assert len(lines) - 1 == int(table["table 1", "rows"])
    criteria = between(full("trustworthy"), "\nValidity Face", "Table 2: ").strip().splitlines()
    kinds = [line.startswith("Relability") for line in criteria]
    assert kinds.index(True) == int(table["table 2", "validity_rows"])
    assert len(kinds) - kinds.index(True) == int(table["table 2", "reliability_rows"])


# -- Bad Seeds -------------------------------------------------------------------------------------


def test_bad_seeds_table2():
    run = tight("bad_seeds")
    for column, unit in (
        ("documents", ("articles", "articles", "reviews", "reviews")),
        ("words", ("words",) * 4),
        ("vocabulary", ("uniquewords",) * 4),
        ("mean_document_length", ("words",) * 4),
    ):
        values = column_of("bad_seeds_table2", column)
        pairs = zip(values, unit, strict=True)
        assert "".join(f"{int(value):,}{word}" for value, word in pairs) in run


def test_bad_seeds_table3():
    table = rows_of("bad_seeds_table3")
    lines = full("bad_seeds").splitlines()
    at = lines.index(
        "7/18 papers7/18 papers6/18 papers5/18 papers3/18 papers2/18 papers2/18 papers."
    )
    assert lines[at] == "".join(f"{value[0]}/18 papers" for value in table.values()) + "."
    assert any("".join(table) in line for line in lines[at - 3 : at])


def test_bad_seeds_table4():
    values = {}
    for (row, _), value in cells("bad_seeds_table4").items():
        values.setdefault("et_al" in row, []).append(value)
    gathered = between(flat("bad_seeds"), "coherence0.933", "gathered seed set a gathered")
    assert gathered.replace("...", "").removeprefix("coherence").strip(". ") == "".join(
        values[True]
    )
    generated = between(flat("bad_seeds"), "coherence1.000", "coherence0.933")
    assert re.findall(r"\d\.\d{3}", generated) == values[False]


def test_bad_seeds_table4_pairs_words_with_words():
    region = between(flat("bad_seeds"), "distinctions, similarities", "table 4: ")
    for row, _ in cells("bad_seeds_table4"):
        for seeds in row.split(" | "):
            if "et_al" in seeds:
                name = seeds.split("-")[0].replace("_definition_words_1", "").replace("_2", "")
                assert f"{name.replace('_', ' ')}:" in region
            else:
                assert ", ".join(seeds.split()) in region


@pytest.mark.parametrize(
    "panel", ["a ordered gender pairs", "b random pairs", "c shuffled gender pairs"]
)
def test_bad_seeds_figure4(panel):
    table = dict(_panel(panel))
    assert "".join(table) + "".join(table.values()) in tight("bad_seeds")


def _panel(panel: str) -> list[tuple[str, str]]:
    return [(c, value) for (r, c), value in cells("bad_seeds_figure4").items() if r == panel]


def test_bad_seeds_figures_1_and_5():
    figure1 = rows_of("bad_seeds_figure1")["all"]
    text = flat("bad_seeds")
    assert f"maximumnumber is {int(figure1[0]):,} seeds" in text
    assert f"gather {figure1[1]} seed setsused" in text
    assert f"sample of {figure1[2]} highly" in text
    (value,) = cells("bad_seeds_figure5").values()
    assert f"pearson r = {value}, p < 0.05" in text


BAD_SEEDS_PROSE = {
    ("seed sets", "gathered_introduction"): "document and test {v} seed",
    ("seed sets", "gathered_section3"): "gather {v} seed setsused",
    ("seed sets", "gathered_conclusion"): "gathering{v} seed sets",
    ("seed sets", "papers"): "sample of {v} highly",
    ("training", "window"): "window size of {v},",
    ("training", "minimum_count"): "minimumword count of {v},",
    ("training", "vector_size"): "vector size of {v} for",
    ("training", "bootstrap_samples"): "across {v} boot-strapped samples of each",
    ("preprocessing", "minimum_count"): "fewer than {v} times in",
    ("figure 3", "bootstrap_samples"): "overthe {v} bootstrapped models",
    ("table 4", "bootstrap_samples"): "averaged across {v} bootstrapped",
    ("figure 3", "components_in_prose"): "the first {v} principal components",
    ("figure 3", "matrices_in_prose"): "of{v} difference matrices",
    ("figure 4", "frequency_threshold"): "thresholdof {v} and",
    ("generated sets", "neighbours"): "its {v} nearest",
    ("nyt", "paragraphs"): "contains {v}paragraphs",
    ("wikitext", "articles_appendix"): "texts of {v} manually",
    ("goodreads", "reviews_per_book"): "sample {v} goodreads",
    ("goodreads", "minimum_characters"): "fewer than {v}characters",
    ("google news", "vocabulary_millions"): "size: {v} million unique",
    ("google news", "tokens_billions"): "words and {v}billion tokens",
    ("figure 5", "pearson_r"): "pearson r = {v},",
    ("figure 5", "p_below"): r"r = -0.67, p < {v}\)",
}


@cache
def _seed_lists() -> list[list[str]]:
    """Every bracketed list of appendix A.2, in reading order."""
    appendix = full("bad_seeds")[full("bad_seeds").index("a.2 seed terms") :]
    lists = []
    for body in re.findall(r"\[([^\]]*)\]", appendix):
        words = body.replace("-\n", "").replace("-", "").replace("\n", " ").replace(".", " ")
        lists.append([word.strip() for word in words.split(",") if word.strip()])
    return lists


# (row, column) -> place of the list in the appendix and its first word.
SEED_LISTS = {
    ("figure 3a", "seeds_1"): (22, "she"), ("figure 3a", "seeds_2"): (31, "he"),
    ("figure 3a", "seeds_1_shuffled"): (32, "herself"),
    ("figure 3a", "seeds_2_shuffled"): (33, "man"),
    ("figure 3b", "seeds_1"): (23, "rich"), ("figure 3b", "seeds_2"): (24, "poor"),
    ("figure 3b", "seeds_1_shuffled"): (25, "richer"),
    ("figure 3b", "seeds_2_shuffled"): (26, "poorer"),
    ("figure 3c", "seeds_1"): (27, "chung"), ("figure 3c", "seeds_2"): (28, "ruiz"),
    ("figure 3c", "seeds_1_shuffled"): (29, "tang"),
    ("figure 3c", "seeds_2_shuffled"): (30, "ruiz"),
    ("figure 4a", "seeds_1"): (34, "she"), ("figure 4a", "seeds_2"): (35, "he"),
    ("figure 4b", "seeds_1"): (36, "negatives"), ("figure 4b", "seeds_2"): (37, "chun"),
    ("figure 4c", "seeds_1_shuffled"): (40, "female"),
    ("figure 4c", "seeds_2_shuffled"): (41, "john"),
    ("figure 5 roles", "seeds_1"): (38, "slave"), ("figure 5 roles", "seeds_2"): (39, "manager"),
    ("figure 5 names", "seeds_1"): (42, "adam"),
}  # fmt: skip
OVERLAPS = {
    "names_asian-Garg_et_al_2018 | names_chinese-Garg_et_al_2018": (12, 13),
    "names_black-Garg_et_al_2018 | names_white-Garg_et_al_2018": (14, 15),
}


def test_bad_seeds_counts_of_lists():
    table = cells("bad_seeds_counts")
    lists = _seed_lists()
    for key, (at, first) in SEED_LISTS.items():
        assert lists[at][0] == first
        assert len(lists[at]) == int(table[key])
    for row, places in OVERLAPS.items():
        one, two = (lists[at] for at in places)
        counts = (len(one), len(two), len(set(one) & set(two)))
        assert counts == tuple(int(table[row, c]) for c in ("seeds_1", "seeds_2", "shared"))
    # The converter put the two halves of the last list in different places.
    tail = full("bad_seeds").split("[alonzo, jamel, lerone")[1]
    head = between(full("bad_seeds"), "shaniqua, tameisha", "]")
    words = [w.strip() for part in (tail, head) for w in part.replace(".", " ").split(",")]
    names = [w for w in words if w and not w.isdigit()]  # the page number stands at the end
    assert 3 + len(names) == int(table["figure 5 names", "seeds_2"])


def test_bad_seeds_counts_of_figures():
    table = cells("bad_seeds_counts")
    axes = re.findall(r"(12345678(?:910)?)component", full("bad_seeds"))
    shown = [10 if axis.endswith("910") else 8 for axis in axes]
    assert shown == [int(table[f"figure 3{p}", "components_on_axis"]) for p in "abc"]
    legend = between(flat("bad_seeds"), "similarity to unpleasantness vectorw", "romancehistory")
    assert legend.count(" et al 20") == int(table["figure 2", "seed_sets_in_legend"])
    appendix = between(flat("bad_seeds"), "figure 2. • seeds id", "figure 3 (a)")
    ids = re.findall(r"• seeds id:", appendix)
    assert len(ids) == int(table["figure 2", "seed_sets_in_appendix"])


# -- StereoSet -------------------------------------------------------------------------------------

MODEL_RUNS = (
    ("bert-base", "bert-large"), ("roberta-base", "roberta-large"),
    ("xlnet-base", "xlnet-large"), ("gpt2", "gpt2-medium", "gpt2-large"), ("ensemble",),
)  # fmt: skip
SCORES = ("lms", "ss", "icat")


def _runs(name: str, prefix: str, score: str) -> str:
    table = cells(name)
    return "".join(
        "".join(table[f"{prefix}{model}", score] for model in run) + "." for run in MODEL_RUNS
    )


@pytest.mark.parametrize("number", [4, 5])
def test_stereoset_overall_tables(number):
    name = f"stereoset_table{number}"
    run = ""
    for score in SCORES:
        baselines = column_of(name, score, ["ideal", "stereotyped", "random", "sentiment"])
        # The dash of the second baseline ends a run of digits.
        run += "".join(value or "." for value in baselines) + "." + _runs(name, "", score)
    assert f"{run}table{number}:" in tight("stereoset")


@pytest.mark.parametrize("number", [6, 7])
def test_stereoset_tables_by_task(number):
    name = f"stereoset_table{number}"
    parts = [_runs(name, f"{task} ", score) for score in SCORES for task in ("intra", "inter")]
    first, last = "".join(parts[:4]), "".join(parts[4:])
    region = between(tight("stereoset"), first, f"table{number}:")
    assert region.removeprefix(first).replace("intersentencetask.", "") == last


def test_stereoset_table8():
    table = cells("stereoset_table8")
    rows = list(dict.fromkeys(row for row, _ in table))
    run = ""
    for score in SCORES:
        for at in range(0, len(rows), 3):
            run += "".join(table[row, score] for row in rows[at : at + 3]) + "."
    assert f"{run}table8:" in tight("stereoset")
    terms = "".join(row.split(" ", 1)[1] for row in rows if " " in row)
    printed = between(tight("stereoset"), "gendermother", run)
    for domain in ("gender", "profession", "race", "religion"):
        printed = printed.replace(domain, "", 1)
    assert printed.replace(".", "") == "".join(terms.split())


def test_stereoset_table1():
    table = cells("stereoset_table1")
    region = between(tight("stereoset"), "#cats(triplets)", "table1:")
    domains = ("gender", "profession", "race", "religion", "total")

    def run(task: str, column: str) -> str:
        values = [table[f"{task} {d}", column] for d in domains]
        grouped = [f"{int(v):,}" if column == "cats" else v for v in values]
        return "".join(grouped) + "."

    at = 0
    for expected in (
        run("intra", "target_terms"), run("inter", "target_terms"),
        table["overall", "target_terms"] + ".", run("intra", "cats"), run("inter", "cats"),
        f"{int(table['overall', 'cats']):,}.",
    ):  # fmt: skip
        at = region.index(expected, at) + len(expected)
    lengths = "".join(run(task, "mean_length_words") for task in ("intra", "inter"))
    overall = table["overall", "mean_length_words"]
    assert f"table1:statisticsofstereoset.{lengths}{overall}." in tight("stereoset")


def test_stereoset_table2():
    for column in ("positive_percent", "negative_percent"):
        run = "".join(f"{value}%" for value in column_of("stereoset_table2", column))
        assert f".{run}." in tight("stereoset")


def test_stereoset_table3():
    keywords = read_word_lists(RESOURCES / "word_lists" / "stereoset.yaml")["keywords"]
    region = tight("stereoset")
    for words in keywords.values():
        lines = ["".join(words[start : start + 4]) for start in range(0, len(words), 4)]
        at = region.index(".".join(lines))
        assert at < region.index("table3:thekeywords")


def test_stereoset_table10():
    text = full("stereoset")
    region = text[text.index("5370female (0.84)") + len("5370") :]
    found = re.findall(r"([a-z][a-z’ -]*?)\s*\((\d\.\d+)\)", region)
    expected = [(term, value) for (term, _), value in cells("stereoset_table10").items()]
    assert sorted((term.strip(), value) for term, value in found) == sorted(expected)


STEREOSET_PROSE = {
    ("nine models", "spearman_rho lms ss"): r"correlation ρ of {v}\)",
    ("likelihood", "mean_lms"): "avg lmsll = {v},",
    ("pseudo-likelihood", "mean_lms"): r"79.88, avg lmspll = {v}\)",
    ("likelihood intra", "mean_lms"): "avg lmsll = {v}, avg lmspll = 79.4",
    ("pseudo-likelihood intra", "mean_lms"): r"75.7, avg lmspll = {v}\)",
    ("likelihood inter", "mean_lms"): "{v}, avg lmspll = 75.98",
    ("pseudo-likelihood inter", "mean_lms"): r"78.82, avg lmspll = {v}\)",
    ("nsp roberta-base", "accuracy"): "{v}% accuracy with roberta-base",
    ("nsp roberta-large", "accuracy"): "{v}%accuracy with roberta-large",
    ("nsp xlnet-base", "accuracy"): "{v}% accuracywith xlnet-base",
    ("nsp xlnet-large", "accuracy"): "{v}% accuracy with xl-net-large",
    ("nsp gpt2", "accuracy"): "{v}% accuracy on gpt2-small",
    ("nsp gpt2-medium", "accuracy"): "{v}% ongpt2-medium",
    ("nsp gpt2-large", "accuracy"): "{v}% on gpt2-large",
    ("sentiment classifier", "accuracy"): "an {v}% test accuracy",
    ("gpt2-large", "lms"): r"languagemodel \({v}\) followed",
    ("gpt2-medium", "lms"): r"gpt2-medium \({v}\)",
    ("gpt2-large", "ss"): r"mod-els \({v}\)",
    ("roberta-base", "ss"): r"least stereotyp-ical model \({v}\)",
    ("ensemble", "ss"): r"biased model \(ss = {v}\)",
    ("gpt2", "icat"): r"\(icat scoreof {v}\)",
    ("race", "ss"): r"others \(ss = {v}\)",
    ("dataset", "domains"): "containing {v} target domains",
    ("dataset", "target_terms"): "domains, {v} target terms",
    ("dataset", "instances"): "terms and ?{v} test instances",
    ("validation", "validators_section4"): "ask {v} validators",
    ("validation", "validators_section9"): "by {v} othercrowdworkers",
    ("validation", "agreeing_at_least"): "at least {v} validators",
    ("validation", "retained_percent"): "se-lecting {v}% of the cats",
    ("stereotype", "negative_percent"): r"anti-stereotypes \({v}% vs",
    ("anti-stereotype", "negative_percent"): r"\(41% vs. {v}%\)",
    ("development", "target_terms_percent"): "terms: {v}%of the target",
    ("test", "target_terms_percent"): "and {v}% for the test",
    ("bert", "corpus_gb"): "on{v}gb, 160gb",
    ("roberta", "corpus_gb"): "on16gb, {v}gb",
    ("xlnet", "corpus_gb"): "160gb, {v}gb",
    ("gpt2", "corpus_gb"): "158gb and {v}gb",
    ("bert-base", "parameters_millions_section7"): "with {v}m and 340m",
    ("bert-large", "parameters_millions_section7"): "110m and {v}m",
    ("bert-base", "parameters_millions"): "bert-base: {v}m",
    ("bert-large", "parameters_millions"): "bert-large: {v}m",
    ("gpt2", "parameters_millions"): "gpt2-small: {v}m",
    ("gpt2-medium", "parameters_millions"): "gpt2-medium: {v}m",
    ("gpt2-large", "parameters_millions"): "gpt2-large: {v}m",
    ("roberta-base", "parameters_millions"): "roberta-base: {v}m",
    ("roberta-large", "parameters_millions"): "roberta-large: {v}m",
    ("xlnet-base", "parameters_millions"): "xlnet-base: {v}m",
    ("xlnet-large", "parameters_millions"): "xlnet-large: {v}m",
    ("intra", "annotators"): "total, {v} and 803",
    ("inter", "annotators"): "475 and {v}annotators",
    ("annotators", "hit_acceptance_percent"): "greater than {v}%",
    ("annotators", "women_percent"): "is {v}% women",
    ("annotators", "men_percent"): "and {v}% men",
    ("sentiment classifier", "epochs"): "for {v} epochs",
    ("sentiment classifier", "maximum_length"): "length of {v} wordpieces",
    ("sentiment classifier", "batch_size"): "batch size {v},",
    ("nsp", "maximum_length"): "lengthof {v} tokens, and",
    ("nsp", "training_examples_millions"): "consists of {v}million",
    ("nsp", "batch_size"): "batch size of {v} sequences",
    ("nsp", "tokens_per_batch"): "sequence = {v} tokens/batch",
    ("nsp", "epochs"): r"batch\) for {v} epochs",
    ("nsp", "warmup_first_step"): "schedule from {v} steps",
    ("nsp", "warmup_last_step"): "to {v} steps",
    ("nsp", "test_examples_millions"): "set of {v} million",
    ("nsp", "accuracy_low"): "obtaining {v}-98%",
    ("nsp", "accuracy_high"): "93-{v}% accuracy",
    ("icat ideal", "lms"): "when its lms is {v} and ss is 50, its icatscore is 100",
    ("icat ideal", "ss"): "lms is 100 and ss is {v}, its icatscore",
    ("icat ideal", "icat"): "its icatscore is {v}",
    ("icat biased", "ss_high"): r"ss is either {v} \(always",
    ("icat biased", "ss_low"): r"or {v} \(al-ways",
    ("icat biased", "icat"): "biased model has an icat score of {v},",
    ("icat random", "lms"): "lms is {v} and ss is 50, its icat scoremust",
    ("icat random", "ss"): "50 and ss is {v}, its icat scoremust",
    ("icat random", "icat"): "random model has an icat score of {v},",
}


# -- Fairness --------------------------------------------------------------------------------------


def test_fairness_table5():
    accuracy2, accuracy3, f1 = cells("fairness_table5").values()
    run = f"SemEval-2SemEval-3Accuracy{accuracy2}{accuracy3}CoNLL2003F1{f1}"
    assert run in tight("fairness")


def test_fairness_table7():
    run = ""
    for column in ("SemEval-2", "SemEval-3"):
        run += column
        for value in column_of("fairness_table7", f"{column.lower()} p"):
            digits, exponent = value.split("e")
            run += f"{digits}×10{exponent}"
    assert run in tight("fairness")


FAIRNESS_PROSE = {
    ("survey", "papers_section1"): "survey {v} papers on",
    ("survey", "papers_section4"): "reviewing {v}",
    ("metrics", "in_table2"): "expresses {v} metrics",
    ("metrics", "found"): "of the {v} metrics we find",
    ("metrics", "not_fitting"): "only {v} do not fit",
    ("metrics", "group"): "out of {v} group fairness",
    ("metrics", "group_prediction_based"): "{v} out of 16 group",
    ("metrics", "white_circled_section5"): "out of {v} white-circled metrics from",
    ("metrics", "white_circled_section6"): "out of the {v} white-circled",
    ("metrics", "white_circled_classification"): "{v} out of 15 white",
    ("metrics", "white_circled_binary_only"): "metrics, {v} of which",
    ("metrics", "white_circled_signed"): "only {v} are signed",
    ("metrics", "wrongly_normalised"): "latter is the case for {v} metrics",
    ("models", "in_experiments"): "experiment on {v} RoBERTa",
    ("attributes", "sensitive_section1"): "respect to {v} dif- ferent sensitive",
    ("attributes", "sensitive_section5"): "on {v} sensitive attributes",
    ("nationality", "groups_table3"): "define {v} groups",
    ("nationality", "groups_figure3"): "for {v} groups defined",
    ("templates", "per_attribute"): "attribute we use {v} ",
    ("templates", "negative"): "classes: {v} negative",
    ("templates", "neutral"): "negative, {v} neutral",
    ("templates", "positive"): "neutral and {v} positive",
    ("templates", "generic"): "use {v} generic",
    ("templates", "specific"): "and {v} attribute-specific",
    ("templates", "names_additional"): "additional {v} name-specific",
    ("templates", "names_total"): r"\({v} in total\)",
    ("templates", "ner"): "data from {v} TEM-",
    ("counterfactual", "sampled_elements"): "sample {v} elements",
    ("table 1", "terms_per_group"): r"\| = {v} for both groups",
}


def test_fairness_counts():
    table = cells("fairness_counts")
    text = full("fairness")
    # The converter translated some words, so groups are counted by their commas.
    ends = {
        "gender": ("aab,", "asexual"), "sexual-orientation": ("asexual,", "atheism"),
        "religion": ("atheism,", "african american"), "race": ("african american,", "young"),
        "age": ("young,", "cerebral palsy"), "disability": ("cerebral palsy,", "Nationality We"),
    }  # fmt: skip
    for row, (start, end) in ends.items():
        assert between(text, start, end).count(",") + 1 == int(table[row, "groups"])
    assert len(ends) + 1 == int(table["table 3", "attributes"])
    example = between(text, "I like Anna.", "{Person}")
    assert len(re.findall(r"I like \w+\.", example)) == int(
        table["table 1", "female_examples"]
    ) + int(table["table 1", "male_examples"])
    for row, start, end in (
        ("table 4 female", "assigned, male-assigned\n", "\nmale (adj)"),
        ("table 4 male", "\nmale (adj)", "ambigender"),
        ("table 4 no-gender", "agender, agendered", "\nintersex"),
    ):
        listed = between(text, start, end).removeprefix("assigned, male-assigned")
        assert listed.count(",") + 1 == int(table[row, "terms"])


PROSE = {
    "trustworthy": TRUSTWORTHY_PROSE,
    "bad_seeds": BAD_SEEDS_PROSE,
    "stereoset": {(f"{row}: {what}", "number"): v for (row, what), v in STEREOSET_PROSE.items()},
    "fairness": FAIRNESS_PROSE,
}


@pytest.mark.parametrize("paper", PROSE)
def test_prose(paper):
    table = cells(f"{paper}_prose")
    assert set(PROSE[paper]) == set(table)
    for key, pattern in PROSE[paper].items():
        number = pattern.replace("{v}", f"(?<!\\d)(?<!\\d[.,]){_printed_forms(table[key])}(?!\\d)")
        assert re.search(number, flat(paper), re.IGNORECASE), (key, number)
