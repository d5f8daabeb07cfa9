"""Sections of the configuration: one for each paper, and those that papers share."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from socialbias.config.inputs import Section


class Intervals(Section):
    """Confidence intervals."""

    replicates: int = Field(2000, ge=100, le=1_000_000)
    """Bootstrap replicates per interval."""
    level: float = Field(0.95, gt=0.5, lt=1.0)
    """Nominal coverage of the intervals."""


class Probe(Section):
    """Training of a probe."""

    epochs: int = Field(10, ge=1, le=10_000, json_schema_extra={"paper": 10})
    """Training epochs."""
    batch: int = Field(10, ge=1, le=100_000)
    """Batch size."""
    layer: int = Field(12, ge=0, le=1000)
    """Layer whose vectors the probe reads."""


class Gpt2Probe(Probe):
    """Training of the probe of GPT-2."""

    epochs: int = Field(30, ge=1, le=10_000, json_schema_extra={"paper": 30})
    """Training epochs."""
    batch: int = Field(50, ge=1, le=100_000)
    """Batch size."""
    layer: int = Field(24, ge=0, le=1000)
    """Layer whose vectors the probe reads."""


class Annotations(Section):
    """Human annotation of contexts."""

    folder: str | None = None
    """Folder with the completed files and their `sample.json`."""
    contexts: int = Field(250, ge=1)
    """Contexts to label per target."""
    shared: int = Field(5, ge=0)
    """How many of these every annotator labels, to measure agreement."""


class SmallGpt2(Section):
    """The small GPT-2 that a run trains if the role `gpt2` has no source."""

    layers: int = Field(2, ge=1, le=48)
    """Number of layers."""
    width: int = Field(64, ge=8, le=4096, multiple_of=4)
    """Hidden size; a multiple of four."""
    words: int = Field(5000, ge=10, le=1_000_000)
    """Most frequent words in its vocabulary, besides professions and group words."""
    length: int = Field(64, ge=8, le=4096)
    """Context length in words."""
    epochs: float = Field(1.0, gt=0, le=1000)
    """Training epochs."""
    samples: int = Field(250_000, ge=1)
    """Samples to generate, with this model or the one that `gpt2` names; the paper has 250,000."""
    tokens: int = Field(1024, ge=1)
    """Maximum tokens per sample; at most the model's context length is used."""
    batch: int = Field(64, ge=1)
    """Samples generated at once; reduce it if memory runs out."""


class ModelTraining(Section):
    """How whole models are trained."""

    tokens: int = Field(2048, ge=64)
    """Number of tokens trained at once, including padding; lowered if memory runs out. Fewer
    tokens need less memory and more time."""
    dtype: Literal["float32", "tf32", "bfloat16"] = "float32"
    """Precision of matrix products; weights stay float32. tf32 and bfloat16 are faster on a GPU."""
    checkpointing: Literal["auto"] | bool = "auto"
    """Whether to compute layers again for their gradients: less memory, 1.4 times the time, the
    same result. auto does so for models of more than 500 million weights."""


class Contextual(Section):
    """Contextual models."""

    device: Literal["auto", "cuda", "mps", "cpu"] = "auto"
    """Device for models; auto uses a GPU if there is one."""
    dtype: Literal["auto", "float32", "tf32", "bfloat16"] = "float32"
    """Precision in which models represent words and write; scores of sentences are always
    float32. tf32 and bfloat16 are faster on a GPU, bfloat16 on a CPU with AMX too; auto is
    bfloat16 on these, float32 elsewhere. docs/models.md describes their effect."""
    tokens_per_batch: int = Field(16_384, ge=64)
    """Tokens per batch; halved when memory runs out."""
    training: ModelTraining = ModelTraining()
    """Training of whole models (`fine_tune`, `recognisers`)."""


class Recovery(Section):
    """Recovery study: corpora with planted associations, whose true biases are known."""

    tokens: int = Field(5_000_000, ge=50_000)
    """Tokens of the corpus that the models train on."""
    corpora: int = Field(20, ge=2, le=1000)
    """Corpora of recovery over corpora and trainings."""
    trainings: int = Field(3, ge=1, le=100)
    """Trainings of vectors and models on each of them."""
    models: list[Literal["bert", "gpt2"]] = ["bert", "gpt2"]
    """Models that are trained on these corpora; rows of the others stay empty."""
    texts: list[Literal["wikitext"]] = ["wikitext"]
    """Real texts that pseudo-words are planted into, in as many parts as there are corpora;
    rows of the others stay empty."""
    corpus_tokens: int = Field(1_000_000, ge=50_000)
    """Tokens per such corpus."""
    negative: int = Field(5, ge=1, le=50)
    """Negative samples per training pair of word2vec."""
    bert_epochs: float = Field(5.0, gt=0, le=100)
    """Training epochs of BERT."""
    gpt2_epochs: float = Field(2.0, gt=0, le=100)
    """Training epochs of GPT-2."""
    sentences: int = Field(1000, ge=20)
    """Maximum sentences per word for representations and probes."""
    samples: int = Field(40_000, ge=100)
    """Samples of 32 tokens generated by GPT-2."""
    amplified: list[Literal["gpt2"]] = ["gpt2"]
    """Models that are also compared with a text whose associations are half as strong as in their
    own (validation_planted_table6); rows of the others stay empty."""


class Dose(Section):
    """Four trainings of word2vec, compared after 1, 2, 4, ... epochs (validation_reliability)."""

    trained: list[Literal["epochs"]] = ["epochs"]
    """`epochs`, or nothing: then these rows stay empty."""
    tokens: int = Field(5_000_000, ge=10_000)
    """Tokens of WikiText for each of the four trainings."""
    dimensions: int = Field(100, ge=2, le=1000)
    """Dimensions of the vectors."""
    min_count: int = Field(5, ge=1, le=10_000)
    """Minimum word count."""
    epochs: int = Field(8, ge=2, le=100)
    """Training epochs; vectors are measured at the powers of two."""


class Trustworthy(Section):
    """Trustworthy Social Bias Measurement (Bommasani & Liang 2022)."""

    word_lists: list[Literal["released-code", "appendix"]] = Field(
        ["released-code", "appendix"], min_length=1
    )
    """Variants of the gender word lists: the authors' code has 8 words per gender, the paper's
    appendix prints 20."""
    census_year: int = Field(2010, ge=1850, le=2015)
    """Census year of the contemporary test in Table 5."""
    word_list_draws: int = Field(1000, ge=100, le=100_000)
    """Random word lists for Tables 3 and 8 and the placebo."""
    vocabulary: int = Field(50_000, ge=1000, le=3_000_000)
    """Most frequent words, whose geometry debiasing preserves and from which random word lists
    are drawn."""
    shortest: int = Field(5, ge=1)
    """Minimum tokens of a sentence in a context."""
    longest: int = Field(40, ge=1)
    """Maximum tokens of a sentence in a context."""
    windows: int = Field(2_000_000, ge=0, json_schema_extra={"paper": 2_000_000})
    """Stop searching the text of Tables 3 and 8 for contexts after this many windows, as the
    released code does; 0 is no limit."""
    windows_table6: int = Field(1_000_000, ge=0, json_schema_extra={"paper": 1_000_000})
    """The same for the two texts of Table 6, L1 and L3."""
    last_window: bool = False
    """Whether the last window of a document counts; the released code omits it, also where a
    window is one sentence."""
    webtext_part: Literal["train", "test"] = "train"
    """The part of WebText that is L1: the released code reads train, appendix A.2 names test."""
    represented_documents: int = Field(150_000, ge=0, json_schema_extra={"paper": 150_000})
    """Represent words only in this many documents at the beginning of a text, as the released
    code does; 0 is all."""
    represented_windows: int = Field(2_000_000, ge=0, json_schema_extra={"paper": 2_000_000})
    """Represent words only in this many sentences of these documents; 0 is all."""
    shards: int = Field(9, ge=1, le=1000)
    """Shards of the text in which `bert` represents words, each a job; finished shards are kept if
    another job is killed. Another number changes the last digits."""
    sentences_per_word: int = Field(0, ge=0, json_schema_extra={"paper": 0})
    """Sentences sampled per word for its representation; 0 is all."""
    represented_draws: int = Field(200, ge=0, le=10_000)
    """Resamples of documents for the intervals of reduced representations; each stores a vector
    for every word."""
    sentences_per_target: int = Field(1000, ge=10, json_schema_extra={"paper": 1000})
    """Sentences per target for training and evaluating a probe."""
    probed_professions: bool = False
    """Whether a probe is also trained on the professions of the census, which changes its
    answers for the eight of the paper; the artefacts probes and professions then cover more
    than these eight."""
    probe_seeds: int = Field(5, ge=1, le=1000)
    """Number of probes, one per seed."""
    bert_probe: Probe = Probe()
    """The probe of Table 3."""
    gpt2_probe: Gpt2Probe = Gpt2Probe()
    """The probe of Table 6."""
    annotations: Annotations = Annotations()
    """Human annotation of contexts: see docs/annotation.md."""
    recovery: Recovery = Recovery()
    """Recovery of planted associations by the measures."""
    dose: Dose = Dose()
    """Trainings of word2vec by number of epochs (validation_reliability)."""
    train_gpt2: bool = True
    """Whether a run trains the small GPT-2 below if the role `gpt2` has no source; otherwise
    what depends on it has no input."""
    small_gpt2: SmallGpt2 = SmallGpt2()
    """The GPT-2 that a run trains if `gpt2` has no source."""


class BadSeeds(Section):
    """Bad Seeds (Antoniak & Mimno 2021)."""

    bootstraps: int = Field(20, ge=1, le=1000, json_schema_extra={"paper": 20})
    """Models per corpus, each trained on a bootstrap sample."""
    dimensions: int = Field(100, ge=2, le=1000, json_schema_extra={"paper": 100})
    """Dimensions of the trained vectors."""
    window: int = Field(5, ge=1, le=50, json_schema_extra={"paper": 5})
    """Context window: words on either side."""
    min_count: int = Field(10, ge=1, le=10_000)
    """Minimum word count."""
    epochs: int = Field(5, ge=1, le=100)
    """Training epochs."""
    tagged_words: int = Field(0, ge=0, json_schema_extra={"paper": 0})
    """Words per corpus in the random sample tagged for part of speech; 0 is all. For corpora of
    hundreds of millions of words, 20,000,000 saves hours."""
    sample_words: int = Field(0, ge=0, json_schema_extra={"paper": 0})
    """Approximate words per bootstrap sample; 0 samples as many documents as there are."""
    negative: int = Field(5, ge=1, le=50)
    """Negative samples per training pair."""
    sample: float = Field(1e-3, ge=0, lt=1)
    """Word frequency above which words are subsampled."""
    shuffles: int = Field(1000, ge=100, le=100_000)
    """Shuffles and random lists for Figures 3 and 4."""
    rarest: int = Field(100, ge=1)
    """Minimum corpus count of a generated seed."""
    commonest: int = Field(1000, ge=1)
    """Maximum corpus count of a generated seed."""
    generated_pairs: int = Field(300, ge=10, le=10_000)
    """Generated pairs of seed sets for Figure 5."""


FineTune = bool | Literal["auto"]


class Head(Section):
    """A classifier on an encoder."""

    fine_tune: FineTune = Field("auto", json_schema_extra={"paper": True})
    """Whether to train the whole encoder; otherwise it stays frozen, and only the classifier on
    it is trained. auto trains the encoder if there is a GPU."""
    train: int = Field(0, ge=0, json_schema_extra={"paper": 0})
    """Training examples; 0 is all."""
    held_out: int = Field(0, ge=0, json_schema_extra={"paper": 0})
    """Test examples; 0 is all."""
    items: int = Field(0, ge=0, json_schema_extra={"paper": 0})
    """StereoSet's items of each split and task that it scores, spread over all terms; 0 is all."""


class NextSentence(Head):
    """The classifier of what follows a sentence."""

    train: int = Field(200_000, ge=0, json_schema_extra={"paper": 9_500_000})
    """Training examples; 0 is all. The paper's number takes 47 times as long."""
    held_out: int = Field(20_000, ge=0, json_schema_extra={"paper": 3_500_000})
    """Test examples; 0 is all."""


class StereoSet(Section):
    """StereoSet (Nadeem, Bethke & Reddy 2021)."""

    splits: list[Literal["development", "test"]] = Field(["development", "test"], min_length=1)
    """Splits that models of the run score."""
    intra_items: int = Field(0, ge=0, json_schema_extra={"paper": 0})
    """Intrasentence items of each split that a model scores, spread over all terms; 0 is all."""
    inter_items: int = Field(0, ge=0, json_schema_extra={"paper": 0})
    """The same for intersentence items."""
    pairs: int = Field(0, ge=0)
    """Pairs of CrowS-Pairs that a model scores; 0 is all."""
    score_jobs: int = Field(38, ge=1, le=1000)
    """Jobs that share the items and pairs of a model; the results do not depend on their number."""
    sentiment: Head = Head()
    """The sentiment classifier (appendix A.2)."""
    next_sentence: NextSentence = NextSentence()
    """The next-sentence classifier (appendix A.5)."""


class Fairness(Section):
    """Generalized Fairness Metrics (Czarnowska, Vyas & Shah 2021)."""

    terms_per_group: int = Field(0, ge=0, json_schema_extra={"paper": 0})
    """Sample of terms per group that fill the templates; 0 is all."""
    released_slips: bool = True
    """Whether templates are filled with three errors of the released code: `an` before any vowel
    letter, hyphens in adjectives of several words, no `cis man`."""
    fine_tune: FineTune = Field("auto", json_schema_extra={"paper": True})
    """Whether to train the whole encoder on sentiment; otherwise only a logistic regression on
    its representations is trained. auto trains the encoder if there is a GPU."""
    recognisers: list[Literal["crf", "plain"]] = ["crf", "plain"]
    """Heads with which the encoder is trained on named entities of `conll2003`: a conditional
    random field, as in the paper, and none. They take hours without a GPU. A
    ready-made tagger (`tagger`) is measured too."""
    reviews: int = Field(0, ge=0)
    """Film reviews to train on, if they replace tweets; 0 is all."""
    bootstraps: int = Field(1000, ge=20)
    """Samples of templates and terms behind intervals of metrics."""
    deals: int = Field(1000, ge=20)
    """Random assignments of terms to groups for the null of each metric."""


Size = Literal["quickstart", "reference", "workstation", "paper"]


class Planning(Section):
    """What a run is planned for; nothing here changes a number."""

    run_hours: float = Field(24, gt=0)
    """Longest planned run that starts without confirmation, in hours. A longer run stops before
    its first job and prints the value of `--config` that confirms it."""
    job_hours: float = Field(24, gt=0)
    """Time limit of a cluster's partition, in hours. No job requests more, on any attempt."""
    size: Size = "paper"
    """Run whose measured times and memory the plan takes (resources/requests.yaml)."""


class FigureStyle(Section):
    """Style of figures; nothing here affects a number."""

    width: float = Field(6.9, gt=1, le=20)
    """Width in inches (6.9 is two columns)."""
    row_height: float = Field(0.2, gt=0.05, le=3)
    """Height of a row in inches."""
    font_size: float = Field(8.0, ge=4, le=30)
    """Font size in points."""
    dpi: int = Field(300, ge=50, le=1200)
    """Resolution of the PNG files."""
    colours: list[str] = Field(
        ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"], min_length=4
    )
    """Colours of the series (Okabe and Ito's, suitable for colour-blind readers)."""
    colour_map: str = "RdBu_r"
    """Matplotlib's colour map of heat maps."""


class Figures(Section):
    """Style of all figures, and exceptions for individual ones."""

    style: FigureStyle = FigureStyle()
    """Style of every figure."""
    overrides: dict[str, dict[str, Any]] = {}
    """Exceptions per artefact, such as {trustworthy_table5: {width: 7}}."""
