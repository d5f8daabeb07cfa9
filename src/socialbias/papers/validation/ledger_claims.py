"""The headline claims of the four papers, and the settings under which each is tested.

An effect is an expression as in `resources/claims.yaml` that is above 0 where the claim holds;
`{axis}` stands for the choice on an axis. A setting of which the run has no number is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

Choices = Mapping[str, str]  # what is filled in, by what it is called


@dataclass(frozen=True)
class Claim:
    """A claim under several settings."""

    effect: str  # above 0 where the claim holds
    axes: Mapping[str, Choices]  # by axis, its choices; the axis that counts first stands first
    # What is filled in for each part of a sentence that says "all".
    parts: Sequence[Mapping[str, str]] = field(default_factory=lambda: [{}])


def same(names: Iterable[str]) -> Choices:
    """Choices that are called as they are filled in."""
    return {name: name for name in names}


def less(first: str, second: str) -> str:
    """Return an effect: the first number less the second."""
    return f"{first} - {second}"


LEANS = {
    "+": ("dancer", "librarian", "nurse", "businesswoman"),
    "-": ("carpenter", "pilot", "soldier", "businessman"),
}
PROFESSIONS = [{"sign": sign, "word": word} for sign, words in LEANS.items() for word in words]
LISTS = {"code lists": "released-code", "appendix lists": "appendix"}
METHODS = {
    "text": "text-automated",
    "word2vec": "emb-word2vec",
    "GloVe": "emb-glove",
    "reduction": "cr-reduction",
    "probe": "cr-probe",
}
VARIANTS = {name: f"@{key}" for name, key in LISTS.items()} | {
    "clipped sum": "@clipped-sum",
    "against base rate": ";base",
    "against employment": ";employment",
}
TABLE3 = "{sign}value('trustworthy_table3', '{word}', '{method}{variant}')"


def table5(measure: str, column: str = "contemporary-gender@{lists}") -> str:
    """Return a cell of Table 5."""
    return f"value('trustworthy_table5', '{measure}', '{column}')"


def table7(metric: str, state: str) -> str:
    """Return a cell of Table 7."""
    return f"value('trustworthy_table7', '{{method}}', '{metric}-{state}@{{setting}}')"


SETTINGS7 = {"default words": "default", "clipped sum": "clipped-sum", "fitted to print": "fitted"}
REFERENCES = {"one half": "uniform", "base rate": "base", "employment": "employment"}
COUNTINGS = {"windows": "mixed", "sentences": "one", "sentences, softly": "one-soft"}
METHODS7 = {
    f"{name} {group}": f"{vectors} {name} {group}"
    for vectors, name, groups in (
        ("word2vec", "hard-bolukbasi", ["gender"]),
        ("glove", "gn-glove", ["gender"]),
        ("word2vec", "soft-manzini", ["gender", "race", "religion"]),
        ("word2vec", "hard-manzini", ["gender", "race", "religion"]),
    )
    for group in groups
}
TRUSTWORTHY = {
    "table3 stereotypes": Claim(TABLE3, {"method": METHODS, "variant": VARIANTS}, PROFESSIONS),
    **{
        f"table3 {part['word']}": Claim(TABLE3, {"method": METHODS, "variant": VARIANTS}, [part])
        for part in PROFESSIONS
        if part["word"] in ("librarian", "nurse", "carpenter")
    },
    "table3 male": Claim(
        "-value('trustworthy_professions', '{method}', 'mean{reference}')",
        {
            "method": METHODS | {"training text": "L1", "GPT-2": "L2", "samples": "L3"},
            "reference": {"one half": "", "base rate": "@base", "employment": "@employment"},
        },
    ),
    "table5 gender": Claim(table5("divdist"), {"lists": LISTS}),
    "table5 garg": Claim(
        less(table5("{measure}"), table5("divdist")),
        {"measure": same(["garg-cosine", "garg-euclidean"]), "lists": LISTS},
    ),
    "table5 uncentred": Claim(
        less(table5("{measure}-uncentred"), table5("{measure}")),
        {"measure": same(["bolukbasi", "ethayarajh"]), "lists": LISTS},
    ),
    "table5 decades": Claim(table5("divdist", "diachronic-gender@{lists}"), {"lists": LISTS}),
    "table6 text": Claim(
        "{sign}value('trustworthy_table6', '{word}', 'L1;{reference}@{counting}')",
        {"reference": REFERENCES, "counting": COUNTINGS},
        [part for part in PROFESSIONS if part["word"] not in ("librarian", "businesswoman")],
    ),
    "table6 amplification": Claim(
        "mean(["
        + ", ".join(
            f"value('trustworthy_table6', '{part['word']}', 'amplification@{{than}}')"
            for part in PROFESSIONS
        )
        + "])",
        {"than": same(["text", "majority", "shuffled", "random", "one-hot"])},
    ),
    "table7 aimed": Claim(
        less(table7("targeted", "original"), table7("targeted", "debiased")),
        {"method": METHODS7, "setting": SETTINGS7},
    ),
    "table7 divdist": Claim(
        less(table7("divdist", "debiased"), table7("divdist", "original")),
        {"method": METHODS7, "setting": SETTINGS7},
    ),
}

SETS = {
    "Bolukbasi": "definitional_female-Bolukbasi_et_al_2016",
    "Kozlowski": "female-Kozlowski_et_al_2019",
    "Caliskan": "female_1-Caliskan_et_al_2017",
    "Zhao, definition": "female_definition_words_2-Zhao_et_al_2018",
    "Hoyle": "female_singular-Hoyle_et_al_2019",
    "Zhao, stereotype": "female_stereotype_words-Zhao_et_al_2018",
}
VECTORS3 = {"NYT": "", "Google News": ", google-news"}
FIRST = "value('bad_seeds_figure3', '{pairs}{vectors}', 'component 1@%s')"
WHERE = ("WikiText", "NYT", "Goodreads romance", "Goodreads history and biography")
UNIT = {"as trained": "", "unit length": "@unit"}
COHERENCE = "value('bad_seeds_table4', '{%s}', 'coherence{normalisation}')"
BAD_SEEDS = {
    "figure2 difference": Claim(
        "value('bad_seeds_figure2', '{seeds}', 'difference{normalisation}')",
        {"seeds": SETS, "normalisation": UNIT | {"mean of cosines": "@mean"}},
    ),
    "figure3 gender": Claim(
        less(FIRST % "original", FIRST % "{others}"),
        {
            "vectors": VECTORS3,
            "others": same(["shuffled", "random"]),
            "pairs": {"gender": "a gender pairs"},
        },
    ),
    "figure3 others": Claim(
        less(FIRST % "shuffled", FIRST % "original"),
        {
            "pairs": {
                "class": "b social class pairs",
                "names": "c Chinese-Hispanic name pairs",
                "pleasantness": "pleasant-unpleasant pairs",
                "religion": "Christianity-Islam pairs",
            },
            "vectors": VECTORS3,
        },
    ),
    "figure5 similar": Claim(
        "-value('bad_seeds_figure5', 'generated {pos}, {corpus}, frequency-controlled', "
        "'pearson_r set similarity vs {measure}{normalisation}')",
        {
            "corpus": same(WHERE),
            "pos": same(["nouns", "verbs", "adjectives"]),
            "measure": same(["explained variance", "coherence", "WEAT"]),
            "normalisation": UNIT,
        },
    ),
    "table4 names": Claim(
        less(COHERENCE % "others", COHERENCE % "names"),
        {
            "names": {
                "Asian": "names_asian-Garg_et_al_2018 | names_chinese-Garg_et_al_2018",
                "Black": "names_black-Garg_et_al_2018 | names_white-Garg_et_al_2018",
            },
            "others": {
                "career": "career-Caliskan_et_al_2017 | family-Caliskan_et_al_2017",
                "race": "asian-Manzini_et_al_2019 | caucasian-Manzini_et_al_2019",
                "gender": "female_2-Caliskan_et_al_2017 | male_2-Caliskan_et_al_2017",
            },
            "normalisation": UNIT | {"component 0": "@pca"},
        },
    ),
}

MASKED = ("bert-base", "bert-large", "roberta-base", "roberta-large", "xlnet-base", "xlnet-large")
CAUSAL = ("gpt2", "gpt2-medium", "gpt2-large")
NINE = (*MASKED, *CAUSAL)
TASKS = {"within sentences": "intra", "between sentences": "inter"}
SIZES = (
    ("bert-base", "bert-large"),
    ("roberta-base", "roberta-large"),
    ("xlnet-base", "xlnet-large"),
    ("gpt2", "gpt2-medium"),
    ("gpt2-medium", "gpt2-large"),
)
COUNTED = {
    "scoring": {
        "likelihood, as released": "likelihood",
        "likelihood, corrected": "corrected",
        "pseudo-likelihood": "pseudo-likelihood",
    },
    "aggregation": {"over terms": "macro", "over items": "micro"},
    "ties": {"anti-stereotype": "anti-stereotype", "left out": "left out", "half": "half"},
}


def scored(model: str, score: str = "ss") -> str:
    """Return a model's score, in one way to score its items and to count them."""
    how = f"'{{task}}', '{{scoring}}', '{score}', '{{aggregation}}', '{{ties}}'"
    return f"score('{model}', {how})"


def over_all(model: str, above: bool = True) -> Claim:
    """Return that a model's ss is above those of all nine, or below them."""
    scores = (scored(model), scored("{other}"))
    others = [{"other": name} for name in NINE if name != model]
    effect = less(*scores) if above else less(*scores[::-1])
    return Claim(effect, {"task": TASKS, **COUNTED}, others)


def larger(score: str) -> Claim:
    """Return that the larger of two models of a family has the higher score."""
    pairs = {large: less(scored(large, score), scored(small, score)) for small, large in SIZES}
    return Claim("{family}", {"task": TASKS, "family": pairs, **COUNTED})


BY_TASK = {"likelihood, as released": "stereoset_table6", "pseudo-likelihood": "stereoset_table7"}
ITEMS = {"all": "ss", "labels agreed": "ss-agreed", "minimal pairs": "ss-minimal"}
STEREOSET = {
    "stereoset above chance": Claim(
        scored("{model}") + " - 50", {"task": TASKS, "model": same(NINE), **COUNTED}
    ),
    "stereoset minimal pairs": Claim(
        "value('{scoring}', '{task} {model}', '{items}@development') - 50",
        {"items": ITEMS, "task": TASKS, "model": same(NINE), "scoring": BY_TASK},
    ),
    "stereoset gpt2-large": over_all("gpt2-large"),
    "stereoset roberta-base": over_all("roberta-base", above=False),
    "stereoset ensemble": over_all("ensemble"),
    "stereoset size ss": larger("ss"),
    "stereoset size lms": larger("lms"),
    "stereoset gpt2 icat": Claim(
        less(
            "value('{scoring}', '{task} gpt2', 'icat@development')",
            "value('{scoring}', '{task} {other}', 'icat@development')",
        ),
        {
            "task": TASKS,
            "other": same(name for name in (*NINE, "ensemble") if name != "gpt2"),
            "scoring": BY_TASK,
        },
    ),
}

ATTRIBUTES = ("gender", "sexual-orientation", "religion", "race", "age", "nationality")
ATTRIBUTES += ("disability",)
METRICS = (
    *("Disparity Score*", "FNED*", "FPED*", "AvgGF", "AvgGF (TC)", "AvgIF", "AvgIF (TC)"),
    *("CFGap", "CFGap (TC)", "Parity Gap", "PertSD", "PertSR", "PertSS", "TNR Gap", "TPR Gap"),
)
SUMS = ("Disparity Score", "FNED", "FPED")
CLASSES = {"two classes": "binary", "three classes": "three"}
NORMALISED = {"published": "", "corrected": "*"}
FIGURE1 = "value('fairness_figure1', '{metric}%s', '%s@{classes}')"
FIGURE2 = "value('fairness_figure2', '{metric}', 'gender %s@{classes}')"
OTHERS = ("aab", "female", "male", "many-genders", "no-gender", "non-binary", "trans")
RECOGNISERS = {"ready tagger": "tagger", "RoBERTa, CRF": "crf", "RoBERTa": "plain"}
PLAIN = {"metric": same(METRICS), "classes": CLASSES}
BOTH_SUMS = {"sums": NORMALISED, "metric": same(SUMS), "classes": CLASSES}


def extreme(attribute: str, higher: str, lower: str, sums: str, axes: Mapping) -> Claim:
    """Return that one attribute has higher, or lower, gaps than all others in Figure 1."""
    others = [{"other": name} for name in ATTRIBUTES if name != attribute]
    return Claim(less(FIGURE1 % (sums, higher), FIGURE1 % (sums, lower)), axes, others)


FAIRNESS = {
    "fairness disability": extreme("disability", "disability", "{other}", "", PLAIN),
    "fairness disability normalised": extreme(
        "disability", "disability", "{other}", "{sums}", BOTH_SUMS
    ),
    "fairness nationality": extreme("nationality", "{other}", "nationality", "", PLAIN),
    "fairness nationality normalised": extreme(
        "nationality", "{other}", "nationality", "{sums}", BOTH_SUMS
    ),
    "fairness cis": Claim(
        less(FIGURE2 % "cis", FIGURE2 % "{other}"),
        {"metric": same(["AvgGF", "FNED", "FPED", "PosAvgGF", "NegAvgGF"]), "classes": CLASSES},
        [{"other": name} for name in OTHERS],
    ),
    "fairness positive": Claim(
        less(FIGURE2.replace("{metric}", "PosAvgGF"), FIGURE2.replace("{metric}", "NegAvgGF"))
        % ("{group}", "{group}"),
        {"classes": CLASSES, "group": same(["cis", *OTHERS])},
    ),
    "fairness poor countries": Claim(
        "-value('fairness_figure3', 'AvgEG (TC)', '{sixth}@{recogniser}')",
        {"recogniser": RECOGNISERS, "sixth": {"poorest": "q1", "second": "q2"}},
    ),
}
CLAIMS: Mapping[str, Claim] = TRUSTWORTHY | BAD_SEEDS | STEREOSET | FAIRNESS
