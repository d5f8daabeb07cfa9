"""The pipeline's configuration: one typed model from which everything else is made.

`config.yaml` (with its comments) and `workflow/schemas/config.schema.json` are generated from
these classes by `make generate`; a test fails when they drift apart. What a person writes is
checked here before any rule runs.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from socialbias.errors import UserError

MOST_LISTED = 20  # choices that a message names; more would drown it
LocatorKind = Literal["https", "hf", "pypi", "npm", "kaggle"]
SourceId = str


class Section(BaseModel):
    """A part of the configuration in which an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Inputs(Section):
    """Which source plays each role: the first of the list that can be had is taken."""

    word2vec: list[SourceId] = Field(
        ["googlenews-300"], description="Word2vec vectors of contemporary English."
    )
    glove: list[SourceId] = Field(
        ["glove-6b-300d"], description="GloVe vectors of contemporary English."
    )
    word2vec_names: list[SourceId] = Field(
        ["googlenews-300"],
        description="Vectors of the same training for words of the WEATs that word2vec lacks, such "
        "as first names.",
    )
    word2vec_surnames: list[SourceId] = Field(
        ["googlenews-300"],
        description="Vectors that measure the race columns of Table 5: those of word2vec, which a "
        "subset without surnames cannot play.",
    )
    decades: list[SourceId] = Field(
        ["histwords-coha-word-sgns"],
        description="Vectors by decade, for the diachronic test of Table 5.",
    )
    weat_lists: list[SourceId] = Field(
        ["weat-bias-bench"], description="Word lists of WEAT 1 to 10 (Caliskan et al. 2017)."
    )
    bolukbasi_lists: list[SourceId] = Field(
        ["bolukbasi-word-lists"],
        description="Words that hard debiasing leaves alone, and pairs that it equalizes.",
    )
    corpus_nyt: list[SourceId] = Field(
        ["nyt-articles-2016"], description="News articles of Bad Seeds."
    )
    corpus_wikitext: list[SourceId] = Field(
        ["wikitext-103-raw-v1", "wikitext-103-raw-parquet"],
        description="Encyclopedia articles of Bad Seeds.",
    )
    corpus_goodreads_romance: list[SourceId] = Field(
        ["goodreads-romance"], description="Reviews of romance novels of Bad Seeds."
    )
    corpus_goodreads_history_biography: list[SourceId] = Field(
        ["goodreads-history-biography"],
        description="Reviews of history and biography of Bad Seeds.",
    )
    corpus_wikipedia: list[SourceId] = Field(
        ["wikipedia-lateral-2015"],
        description="Text of Table 3, whose sentences the model `bert` reads.",
    )
    corpus_webtext: list[SourceId] = Field(
        ["gpt2-output-webtext"], description="Text that GPT-2 was trained on: L1 of Table 6."
    )
    corpus_samples: list[SourceId] = Field(
        ["gpt2-output-medium-345m"],
        description="Text that GPT-2 wrote: L3 of Table 6. Without any, the run lets its own "
        "GPT-2 write.",
    )
    gpt2_decodings: list[SourceId] = Field(
        ["gpt2-output-test"], description="Samples of GPT-2 in several sizes and decodings."
    )
    bert: list[SourceId] = Field(
        ["bert-base-uncased"], description="Encoder of the contextual columns of Table 3."
    )
    gpt2: list[SourceId] = Field(
        ["gpt2-medium"],
        description="Causal model of Table 6. Without any, the run trains a small one on "
        "`corpus_webtext`.",
    )
    gathered_seeds: list[SourceId] = Field(
        ["bad-seeds-acl2021"],
        description="The seed sets that Bad Seeds gathered, as they were at the paper's time; "
        "without them the sets that the paper prints.",
    )
    gathered_seeds_newest: list[SourceId] = Field(
        ["bad-seeds-latest"], description="The gathered seed sets in their newest version."
    )
    analogies: list[SourceId] = Field(
        ["word-analogies"], description="Analogies that check trained vectors."
    )
    similarity: list[SourceId] = Field(
        ["word-similarity"], description="Judgements of similarity that check trained vectors."
    )
    tagger: list[SourceId] = Field(
        ["spacy-en-core-web-sm-3.8.0"], description="spaCy model that tags parts of speech."
    )
    gn_glove: list[SourceId] = Field(
        ["gn-glove"], description="Gender-neutral GloVe (Zhao et al. 2018), for Table 7."
    )
    gn_glove_baseline: list[SourceId] = Field(
        ["gn-glove-baseline"], description="The GloVe that gender-neutral GloVe is compared with."
    )
    census_gender: list[SourceId] = Field(
        ["garg-census-gender"], description="Share of women and men in each profession."
    )
    census_race: list[SourceId] = Field(
        ["garg-census-race"], description="Share of each race or ethnicity in each profession."
    )


class Intervals(Section):
    """How 95 % intervals are made."""

    replicates: int = Field(
        2000, ge=100, le=1_000_000, description="Bootstrap replicates behind each interval."
    )
    level: float = Field(0.95, gt=0.5, lt=1.0, description="Coverage that an interval aims at.")


class Probe(Section):
    """How a probe is trained."""

    epochs: int = Field(10, ge=1, le=10_000, description="Times it goes through its examples.")
    batch: int = Field(10, ge=1, le=100_000, description="Examples in a batch.")
    layer: int = Field(12, ge=0, le=1000, description="Layer of the model that it reads.")


class Annotations(Section):
    """Labels that people give to contexts."""

    folder: str | None = Field(
        None,
        description="Folder with the completed files and the `sample.json` that they belong to.",
    )
    contexts: int = Field(250, ge=1, description="Contexts of each target to be labelled.")
    shared: int = Field(
        5, ge=0, description="Of these, contexts that everyone labels, to measure agreement."
    )


class SmallGpt2(Section):
    """The small GPT-2 that a run trains where the role `gpt2` names no source."""

    layers: int = Field(2, ge=1, le=48, description="Layers.")
    width: int = Field(
        64, ge=8, le=4096, multiple_of=4, description="Dimensions; a multiple of four."
    )
    words: int = Field(
        5000,
        ge=10,
        le=1_000_000,
        description="Most frequent words that it knows, beside the professions and the groups'.",
    )
    length: int = Field(64, ge=8, le=4096, description="Words that it reads and writes at once.")
    epochs: float = Field(1.0, gt=0, le=1000, description="Times that it goes through its text.")
    samples: int = Field(
        2000, ge=1, description="Samples that are written, by it or by the model that `gpt2` names."
    )
    tokens: int = Field(
        1024,
        ge=1,
        description="Tokens of a sample, after which it is cut, if the model can read as many at "
        "once.",
    )
    batch: int = Field(
        64, ge=1, description="Samples that are written at once: lower it where memory is full."
    )


class Contextual(Section):
    """How contextual models run."""

    device: Literal["auto", "cuda", "mps", "cpu"] = Field(
        "auto", description="Where models run; auto takes a GPU where there is one."
    )
    dtype: Literal["float32", "bfloat16"] = Field("float32", description="Precision of models.")
    tokens_per_batch: int = Field(
        16_384, ge=64, description="Tokens in a batch; where memory runs out it is halved."
    )


class Recovery(Section):
    """Corpora with planted associations, on which measures are held against a known truth."""

    tokens: int = Field(
        5_000_000, ge=50_000, description="Tokens of the corpus that vectors and models learn."
    )
    replicates: int = Field(
        1000, ge=2, le=100_000, description="Small corpora behind the coverage of text's intervals."
    )
    replicate_tokens: int = Field(60_000, ge=2000, description="Tokens of each of them.")
    bert_epochs: float = Field(5.0, gt=0, le=100, description="Times that BERT goes through it.")
    gpt2_epochs: float = Field(2.0, gt=0, le=100, description="Times that GPT-2 goes through it.")
    sentences: int = Field(
        1000, ge=20, description="Sentences in which a word is represented or probed, at most."
    )
    samples: int = Field(40_000, ge=100, description="Samples that GPT-2 writes, of 32 tokens.")


class Trustworthy(Section):
    """Trustworthy Social Bias Measurement (Bommasani & Liang 2022)."""

    word_lists: list[Literal["released-code", "appendix"]] = Field(
        ["released-code", "appendix"],
        min_length=1,
        description="Variants of the gender word lists: the authors' code has 8 words a gender, "
        "the paper's appendix prints 20.",
    )
    census_year: int = Field(
        2010, ge=1850, le=2015, description="Census year of the contemporary test in Table 5."
    )
    word_list_draws: int = Field(
        1000,
        ge=100,
        le=100_000,
        description="Random word lists behind Tables 3 and 8 and the placebo.",
    )
    vocabulary: int = Field(
        50_000,
        ge=1000,
        le=3_000_000,
        description="Most frequent words that debiasing keeps the geometry of, and that random "
        "word lists are drawn from.",
    )
    shortest: int = Field(5, ge=1, description="Tokens that a sentence of a context must have.")
    longest: int = Field(40, ge=1, description="Tokens that a sentence of a context may have.")
    windows: int = Field(
        2_000_000,
        ge=0,
        description="Windows after which the search for contexts stops, as in the released code; "
        "0 is never.",
    )
    last_window: bool = Field(
        True,
        description="Whether the last window of a document counts; the released code loses it.",
    )
    represented_documents: int = Field(
        150_000,
        ge=0,
        description="First documents of a text in which words are represented, as in the released "
        "code; 0 is all.",
    )
    sentences_per_word: int = Field(
        0,
        ge=0,
        description="Sentences in which a word is represented, in a random sample; 0 is all.",
    )
    represented_draws: int = Field(
        200,
        ge=0,
        le=10_000,
        description="Resamples of documents behind the intervals of the reduction; each keeps a "
        "vector of every word.",
    )
    sentences_per_target: int = Field(
        1000, ge=10, description="Sentences of a target for a probe, to learn from and to be asked."
    )
    probe_seeds: int = Field(5, ge=1, le=1000, description="Probes that are trained, one a seed.")
    shown_targets: list[str] = Field(
        [
            "carpenter",
            "dancer",
            "librarian",
            "nurse",
            "pilot",
            "soldier",
            "businessman",
            "businesswoman",
        ],
        min_length=1,
        description="Professions whose contexts the target trustworthy_contexts shows.",
    )
    shown_text: Literal["wikipedia", "webtext", "samples"] = Field(
        "wikipedia",
        description="The text that they are of: that of Table 3, or L1 or L3 of Table 6.",
    )
    shown_sentences: int = Field(3, ge=1, le=5, description="Sentences of a context shown.")
    shown_contexts: int = Field(
        10, ge=1, description="Contexts shown of each profession and group, in a random sample."
    )
    bert_probe: Probe = Field(Probe(), description="The probe of Table 3.")
    gpt2_probe: Probe = Field(
        Probe(epochs=30, batch=50, layer=24), description="The probe of Table 6."
    )
    annotations: Annotations = Field(
        Annotations(), description="Labels that people give to contexts: see docs/annotation.md."
    )
    recovery: Recovery = Field(
        Recovery(), description="Planted associations, and what recovers them."
    )
    small_gpt2: SmallGpt2 = Field(
        SmallGpt2(), description="The GPT-2 that a run trains where `gpt2` names no source."
    )


class Documents(Section):
    """The models behind the artefact `documents`, trained on a sample of one corpus.

    A few long documents and many replicates: the regression has a coefficient for each document.
    """

    words: int = Field(
        1_000_000,
        ge=0,
        description="Words of the documents sampled from corpus_wikitext; 0 is all documents.",
    )
    replicates: int = Field(400, ge=4, le=10_000, description="Bootstrap replicates of the sample.")
    removals: int = Field(
        99, ge=1, le=10_000, description="Trainings without a random tenth of the sample."
    )
    dimensions: int = Field(100, ge=2, le=1000, description="Dimensions of the vectors.")
    min_count: int = Field(10, ge=1, le=10_000, description="Occurrences that a word must have.")
    epochs: int = Field(5, ge=1, le=100, description="Times that training goes through a sample.")


class BadSeeds(Section):
    """Bad Seeds (Antoniak & Mimno 2021)."""

    bootstraps: int = Field(
        20, ge=1, le=1000, description="Models trained on each corpus, one a bootstrap sample."
    )
    dimensions: int = Field(100, ge=2, le=1000, description="Dimensions of the trained vectors.")
    window: int = Field(5, ge=1, le=50, description="Words on either side in training.")
    min_count: int = Field(10, ge=1, le=10_000, description="Occurrences that a word must have.")
    epochs: int = Field(5, ge=1, le=100, description="Times that training goes through a sample.")
    tagged_words: int = Field(
        20_000_000,
        ge=1000,
        description="Words of each corpus whose part of speech is tagged, in a random sample.",
    )
    sample_words: int = Field(
        0,
        ge=0,
        description="Words in each bootstrap sample, about; 0 is as many documents as there are.",
    )
    negative: int = Field(5, ge=1, le=50, description="Noise words for each pair in training.")
    sample: float = Field(
        1e-3, ge=0, lt=1, description="Share of the text above which a word is thinned out."
    )
    shuffles: int = Field(
        1000, ge=100, le=100_000, description="Shuffles and random lists behind Figures 3 and 4."
    )
    rarest: int = Field(
        100, ge=1, description="Occurrences that a generated seed must have in the corpus."
    )
    commonest: int = Field(
        1000, ge=1, description="Occurrences that a generated seed may have in the corpus."
    )
    word_list: str | None = Field(
        None, description="A file of seed sets of your own, for the target seed_audit."
    )
    audited_in: Literal["nyt", "wikitext", "goodreads_romance", "goodreads_history_biography"] = (
        Field("wikitext", description="The corpus that seed_audit measures the file in.")
    )
    generated_pairs: int = Field(
        300, ge=10, le=10_000, description="Generated pairs of seed sets behind Figure 5."
    )
    documents: Documents = Field(
        Documents(), description="Models of their own that say which documents make a number."
    )


class FigureStyle(Section):
    """How figures look; nothing here re-computes a number."""

    width: float = Field(6.8, gt=1, le=20, description="Width in inches (6.8 is two columns).")
    row_height: float = Field(0.2, gt=0.05, le=3, description="Height of a row in inches.")
    font_size: float = Field(8.0, ge=4, le=30, description="Font size in points.")
    dpi: int = Field(200, ge=50, le=1200, description="Resolution of the PNG files.")
    colours: list[str] = Field(
        ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"],
        min_length=4,
        description="Colours of the series (Okabe and Ito's, safe for colour-blind readers).",
    )


class Figures(Section):
    """Style of all figures, and exceptions for single ones."""

    style: FigureStyle = Field(FigureStyle(), description="Style of every figure.")
    overrides: dict[str, dict[str, Any]] = Field(
        {},
        description="Exceptions by artefact, such as {trustworthy_table5: {width: 7}}.",
    )


class Config(Section):
    """The whole configuration."""

    run: str = Field(
        "paper",
        pattern=r"^[a-z0-9][a-z0-9_-]*$",
        description="Name of the run: results go to results/<run>.",
    )
    seed: int = Field(
        20221222, ge=0, le=2**32 - 1, description="Seed from which all randomness derives."
    )
    data: str = Field("data", description="Folder in which fetched sources are kept.")
    mirror: str | None = Field(
        None,
        description="Folder with copies of sources, tried before any download; the environment "
        "variable SOCIALBIAS_MIRROR does the same.",
    )
    manual: str | None = Field(
        None,
        description="Folder of files that you have fetched by hand, in <manual>/<source>/<file>.",
    )
    locators: list[LocatorKind] = Field(
        ["https", "hf", "pypi", "npm", "kaggle"],
        description="Kinds of places that sources may be fetched from.",
    )
    inputs: Inputs = Field(Inputs(), description="Which source plays each role, best first.")
    intervals: Intervals = Field(Intervals(), description="Uncertainty.")
    contextual: Contextual = Field(Contextual(), description="How contextual models run.")
    trustworthy: Trustworthy = Field(
        Trustworthy(), description="Trustworthy Social Bias Measurement (Bommasani & Liang 2022)."
    )
    bad_seeds: BadSeeds = Field(BadSeeds(), description="Bad Seeds (Antoniak & Mimno 2021).")
    figures: Figures = Field(Figures(), description="How figures look.")

    def style_of(self, artefact: str) -> dict[str, Any]:
        """The style of one figure: the common style with that artefact's exceptions."""
        style = self.figures.style.model_dump() | self.figures.overrides.get(artefact, {})
        return FigureStyle.model_validate(style).model_dump()


def paper_sources() -> dict[str, str]:
    """The source that the paper used, by role: the first default of each input."""
    return {role: sources[0] for role, sources in Inputs().model_dump().items()}


def load_config(raw: Mapping[str, Any], known_sources: list[str], artefacts: list[str]) -> Config:
    """Check a merged configuration and return it typed.

    Args:
        raw: What Snakemake merged from config files and the command line.
        known_sources: Ids in the source registry.
        artefacts: Names that `figures.overrides` may use, such as `trustworthy_table5`.

    Raises:
        UserError: with one line per problem: the key's path, what is wrong, and the nearest
            right spelling where there is one.
    """
    try:
        config = Config.model_validate(dict(raw))
    except ValidationError as error:
        raise UserError("\n".join(_explain(e) for e in error.errors())) from None
    problems = _unknown_sources(config, known_sources) + _bad_overrides(config, artefacts)
    if problems:
        raise UserError("\n".join(problems))
    return config


def _unknown_sources(config: Config, known: list[str]) -> list[str]:
    """One line per source in `inputs` that the registry does not have."""
    return [
        f"config: inputs.{role}[{i}]: no source is called {source!r}{_nearest(source, known)}"
        for role, sources in config.inputs.model_dump().items()
        for i, source in enumerate(sources)
        if source not in known
    ]


def _bad_overrides(config: Config, artefacts: list[str]) -> list[str]:
    """One line per problem in `figures.overrides`."""
    lines = []
    for artefact, style in config.figures.overrides.items():
        path = f"figures.overrides.{artefact}"
        if artefact not in artefacts:
            hint = _nearest(artefact, artefacts)
            lines.append(f"config: {path}: no artefact is called {artefact!r}{hint}")
        try:
            FigureStyle.model_validate(style)
        except ValidationError as error:
            lines += [_explain(e, prefix=path, model=FigureStyle) for e in error.errors()]
    return lines


def _explain(error: ErrorDetails, prefix: str = "", model: type[Section] = Config) -> str:
    """One line for one of pydantic's errors."""
    path = ".".join([prefix] * bool(prefix) + [str(part) for part in error["loc"]])
    if error["type"] == "extra_forbidden":
        siblings = _keys_at(model, error["loc"][:-1])
        return f"config: {path}: unknown key{_nearest(str(error['loc'][-1]), siblings)}"
    if error["type"] == "model_type":
        keys = ", ".join(_keys_at(model, error["loc"]))
        return f"config: {path}: should be a section with the keys {keys}, got {error['input']!r}"
    message = error["msg"].replace("Input should be", "should be")
    return f"config: {path}: {message}, got {error['input']!r}"


def _keys_at(model: type[BaseModel], path: tuple) -> list[str]:
    """The keys that may stand at a path of the configuration."""
    for part in path:
        field = model.model_fields.get(str(part))
        if field is None or not isinstance(field.annotation, type):
            return []
        model = field.annotation
    return list(model.model_fields)


def _nearest(word: str, candidates: list[str]) -> str:
    """A hint with the nearest right spelling, or with what there is to choose from."""
    close = difflib.get_close_matches(word, candidates, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    few = 0 < len(candidates) <= MOST_LISTED
    return f"; one of: {', '.join(sorted(candidates))}" if few else ""
