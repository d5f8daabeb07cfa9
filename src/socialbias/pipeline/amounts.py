"""How much there is to do in each job, by the configuration and the sources' expected sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from socialbias.config import ModelTraining, kind_of
from socialbias.contextual.memory import MB, OTHER_MB, Shape, checkpoints, training_mb
from socialbias.corpora.recipes import part_of
from socialbias.pipeline.declarations import Cores
from socialbias.pipeline.inputs import READS
from socialbias.pipeline.jobs import step_of
from socialbias.pipeline.plan import SUBJECT, Plan
from socialbias.pipeline.planned_card import Card
from socialbias.sources.registry import Source, SourceFile
from socialbias.sources.subjects import FILE_LOCATOR

MILLION, HOUR = 1_000_000, 3600
MATCHED = 0.0096  # sentences with a word of the lists and a group, a token (long run)
WORDS, SATURATED = 400, 45  # found in text of at least so many million tokens
TARGETS, PROFESSIONS = 8, 125  # that a probe is asked about, without and with `probed_professions`
WINDOW = 65  # tokens read a window that is kept, at most
# StereoSet's items by split and task, pairs of CrowS-Pairs.
ITEMS = {"development": (2106, 2123), "test": (6392, 6374)}
SPLITS = {"development": "stereoset_dev", "test": "stereoset_test"}  # their roles
PAIRS = 1508
SUITE_TEXTS, TEXTS_PER_TERM = 32_000, 100  # filled templates: all, and by `terms_per_group`
TWEETS, REVIEWS = 1_181, 25_000
PAIRS_PER_TOKEN = 0.072  # two for each sentence of 25 tokens that has a neighbour
TRAINED_FOR = 0.8  # the share of WikiText's documents that is trained on
EPOCHS = 10  # of a next-sentence training
DOSE_TEXTS = 4  # that have no document in common (`validation_dose`)
UNKNOWN_MODEL = 0.5  # gigabytes of a model of unknown size: as many as BERT base has
# Bytes that pass through a card for each token of a batch and unit of width (estimated): the four
# times wider middle of a layer twice, what it attends to, its input and output.
BYTES_PER_UNIT = 64


class Text(NamedTuple):
    """The size of a text: in millions `tokens` and `lines`, in thousands the others."""

    tokens: float = 0
    documents: float = 0
    distinct: float = 0
    lines: float = 0


class Vectors(NamedTuple):
    """The size of a file of word vectors: `gb` is in gigabytes, unpacked."""

    words: float
    dimensions: int
    gb: float


class Tokens(NamedTuple):
    """What a model does in a job: tokens run and trained, texts, most pieces of a trained one."""

    run: float = 0
    trained: float = 0
    texts: float = 0
    length: int = 0


@dataclass(frozen=True)
class ModelSize:
    """A model's size, and the machine that it runs on.

    Attributes:
        name: Its source, or its role where the run trains it.
        layers: Million parameters without embeddings.
        all: Million parameters.
        width: Of its layers.
        machine: Rates of a machine in `resources/costs.yaml`.
        training: How whole models are trained.
        tokens: A second and core; 0 where they follow from the parameters.
    """

    name: str
    layers: float
    all: float
    width: int
    machine: Mapping[str, Any]
    training: ModelTraining
    tokens: float = 0

    def on_core(self, done: Tokens) -> float:
        """Seconds on one core."""
        speed = self.tokens or self.machine["core_flops"] / (2 * self.layers * MILLION)
        return (done.run + self._passes(done, "trained_by_core") * done.trained) / speed

    def on_card(self, done: Tokens, card: Card, dtype: str) -> float:
        """Seconds on a card.

        Args:
            done: What the model does.
            card: The card.
            dtype: Precision of what is run; what is trained has that of `training`.
        """
        run = done.run / card.rate(dtype)
        trained = self._passes(done, "trained_by_card") * done.trained
        run += trained / card.rate(self.training.dtype, trained=True)
        return 2 * self.layers * MILLION * run + done.texts * card.seconds_per_text

    def _passes(self, done: Tokens, trained: str) -> float:
        """The tokens run that a trained one is worth, with those that it is padded by."""
        how = self.training
        again = checkpoints(self._shape, how.tokens, done.length, how.dtype, how.checkpointing)
        return (self.machine[trained] + again) * self.machine["padding"]

    def mb(self, done: Tokens) -> float:
        """Megabytes of memory that a job without a card takes for the model."""
        return self._training_mb(done) if done.trained else 4.5 * self.all

    def card_mb(self, done: Tokens, tokens_per_batch: int) -> float:
        """Megabytes of the card: weights, and what passes through; what training keeps."""
        passing = tokens_per_batch * self.width * BYTES_PER_UNIT / MB
        return self._training_mb(done) if done.trained else 4 * self.all + passing + OTHER_MB

    def _training_mb(self, done: Tokens) -> float:
        how = self.training.model_dump(exclude={"tokens"})
        return training_mb(self._shape, self.training.tokens, done.length, **how)

    @property
    def _shape(self) -> Shape:
        """As it follows from these numbers: 12 x width x width weights a layer, heads 64 wide."""
        layers = round(self.layers * MILLION / (12 * self.width**2))
        kind = self.name.partition("-")[0]
        return Shape(kind, self.all * MILLION, layers, self.width, max(1, self.width // 64))


@dataclass(frozen=True)
class Sizes:
    """What is known of a run's sources before they are fetched.

    Attributes:
        plan: What the run reads and makes.
        registry: The sources by id.
        rates: The content of `resources/costs.yaml`.
    """

    plan: Plan
    registry: Mapping[str, Source]
    rates: Mapping[str, Any]

    def entry(self, job: str) -> Mapping[str, Any]:
        """The rates of a job: those of the first pattern that fits.

        Raises:
            LookupError: no pattern does.
        """
        for pattern, entry in self.rates["jobs"].items():
            if fnmatchcase(job, pattern):
                return entry
        raise LookupError(f"resources/costs.yaml: no entry fits the job {job}")

    def cores(self, job: str) -> int:
        """How many cores a job can use, if it has no card."""
        step = step_of(self.plan, job)
        cores = step.cores if step else self.entry(job).get("cores")
        return self.plan.cores_of(Cores.model_validate(cores)) if cores else 1

    def text(self, corpus: str) -> Text:
        """The size of a corpus; of one that nobody has counted it follows from its bytes."""
        source = self.plan.bindings[f"corpus_{corpus}"].source
        if known := self.rates["texts"].get(self.plan.registered(corpus)):
            size = Text(**known)
        else:
            gb = self.download(source) if source else 0
            tokens = gb * 1000 / self.rates["bytes_per_token"]
            size = Text(tokens, 2 * tokens, 31 * max(tokens, 0.01) ** 0.6)
        if source and part_of(corpus.replace("_", "-"), source):  # half of the reviews
            size = size._replace(tokens=size.tokens / 2, distinct=size.distinct * 0.7)
        return size

    def download(self, source: str) -> float:
        """Gigabytes of a source's files, as far as they are known or estimated."""
        known = sum(map(_bytes, self.registry[source].files)) / 1e9
        return max(known, self.rates["downloads"].get(source, 0))


def _bytes(file: SourceFile) -> int:
    """A file's size as the registry has it, or as it is on this machine; 0 if nobody knows."""
    places = [Path(x.removeprefix(FILE_LOCATOR)) for x in file.locators if FILE_LOCATOR in x]
    return file.bytes or sum(path.stat().st_size for path in places if path.is_file())


class Amounts:
    """How much there is to do in one job: attributes, and what `AMOUNTS` names.

    Args:
        sizes: What is known of the run.
        job: The job's name.
    """

    def __init__(self, sizes: Sizes, job: str) -> None:
        self.sizes, self.plan, self.config = sizes, sizes.plan, sizes.plan.config
        self.job, (self.rule, _, self.name) = job, job.partition("/")
        self.step = step_of(self.plan, job)
        self.options, self.recovery = self.config.trustworthy, self.config.trustworthy.recovery

    def total(self, rates: Mapping[str, float]) -> float:
        """The sum of amounts times rates.

        Args:
            rates: By amount, or product of amounts such as `text.tokens * passes`.
        """
        return sum(x * math.prod(map(self.of, names.split(" * "))) for names, x in rates.items())

    def of(self, amount: str) -> float:
        """One amount: of `AMOUNTS`, an attribute of this class, or a key of the configuration."""
        if amount in AMOUNTS:
            return AMOUNTS[amount](self)
        own = hasattr(self, amount.partition(".")[0])
        return attrgetter(amount)(self) if own else self.plan.setting(amount)

    @cached_property
    def text(self) -> Text:
        """The size of all texts that the job reads."""
        of_rule = {"read_samples": "samples", "train_gpt2": "webtext"}
        of_rule |= dict.fromkeys(("prepare_corpus", "tag_corpus"), self.name)
        of_rule |= {"train_vectors": self.name.rpartition("_")[0]}
        of_rule |= dict.fromkeys(("represent", "choose_sentences"), READS.get(self.reader, ""))
        corpora = [of_rule[self.rule]] if self.rule in of_rule else []
        for name in self.step.reads if self.step else ():
            kind, _, corpus = name.partition("/")
            if kind in ("corpus", "prepared", "documents") and self.plan.available(name):
                corpora.append(corpus)
        return Text(*map(sum, zip(*map(self._text, dict.fromkeys(corpora)), strict=True)))

    def _text(self, corpus: str) -> Text:
        if corpus == "samples" and self.plan.writes_samples:
            return Text(tokens=self.of("written") / MILLION, distinct=50)
        return self.sizes.text(corpus)

    def at_most(self, words: float) -> float:
        """Million words of the text, or so many words if they are fewer; 0 is all."""
        return min(words / MILLION or math.inf, self.text.tokens)

    @cached_property
    def vectors(self) -> Vectors:
        """The size of the vectors that the job reads."""
        aligned = self.rule == "align_embedding"
        source = self.name if aligned else self.plan.bindings["word2vec"].source
        if known := self.sizes.rates["vectors"].get(source):
            return Vectors(**known)
        gb = 2.5 * self.sizes.download(source) if source else 0
        return Vectors(gb * 1e9 / 2500, 300, gb)

    @property
    def passes(self) -> float:
        """Passes over a word: epochs, of a pair and its negative samples, of 100 dimensions."""
        of_run = self.config.bad_seeds
        own = {"documents": of_run.documents, "dose": self.options.dose, "recovery": self.recovery}
        sections = [*(x for name, x in own.items() if f"_{name}" in self.name), of_run]
        keys = ("epochs", "negative", "dimensions")
        epochs, negative, dimensions = (
            next(getattr(section, key) for section in sections if hasattr(section, key))
            for key in keys
        )
        return epochs * (1 + negative) * max(1, dimensions / 100)

    # Models.

    @cached_property
    def done(self) -> Tokens:
        """What the job, or all jobs that share its work, have a model do."""
        entry = self.sizes.entry(self.job).get("model", {})
        return Tokens(**{kind: self.total(rates) for kind, rates in entry.items()})

    @cached_property
    def model(self) -> ModelSize:
        """The model of the job."""
        how = {"machine": self.sizes.rates["machine"], "training": self.config.contextual.training}
        role = self._role
        if role == "gpt2" and self.plan.trains_gpt2:
            width = self.options.small_gpt2.width
            layers = 12e-6 * self.options.small_gpt2.layers * width**2
            return ModelSize(role, layers, layers + 1, width, tokens=4000, **how)
        source = self.plan.bindings[role].source
        own = self.config.subjects.get(source)
        name = (own and own.source) or source
        # A model of a user's own has numbers of four bytes.
        size = (self.sizes.download(source) or UNKNOWN_MODEL) * 250
        guess = {"layers": 0.75 * size, "all": size, "width": 768}
        return ModelSize(name, **self.sizes.rates["models"].get(name, guess), **how)

    @property
    def _role(self) -> str:
        """The role of the model that the job runs."""
        if self.reader or self.rule == "write_samples":
            return self.reader or "gpt2"
        needs = self.step.needs if self.step else ()
        if not self.step or any(x.startswith("recogniser/") for x in needs):
            return "fairness_encoder"
        return next(x for x in needs if x.startswith(SUBJECT) or kind_of(x) == "model")

    @property
    def reader(self) -> str:
        """The model whose representations the job makes or reads; "" if it is no such job."""
        if self.rule in ("represent", "choose_sentences"):
            return self.name.partition("_")[0]
        return self.name.rpartition("_")[2] if "_probe_" in self.name else ""

    @cached_property
    def sentences(self) -> tuple[float, float]:
        """Sentences that are represented for words, and for the probe."""
        options, text = self.options, self._text(READS[self.reader])
        documents = (options.represented_documents or math.inf) / 1000
        tokens = text.tokens * min(1, documents / max(text.documents, 0.001))
        share = min(1, tokens / SATURATED)
        matched = min(tokens * MILLION * MATCHED, options.represented_windows or math.inf)
        of_words = min(matched, WORDS * share * options.sentences_per_word or math.inf)
        targets = PROFESSIONS if options.probed_professions else TARGETS
        of_probe = min(matched, targets * share * options.sentences_per_target or math.inf)
        return of_words * (self.name == "bert_given"), of_probe

    @property
    def sample_tokens(self) -> int:
        """Tokens of a text that GPT-2 writes: no more than the one that the run trains can."""
        options = self.options.small_gpt2
        return min(options.tokens, options.length) if self.plan.trains_gpt2 else options.tokens

    def items(self, task: int) -> float:
        """StereoSet's items of a task, 0 within sentences and 1 between them, that are scored."""
        section = self.config.stereoset
        most = (section.intra_items, section.inter_items)[task] or math.inf
        splits = [split for split in section.splits if self.plan.bound(SPLITS[split])]
        return sum(min(ITEMS[split][task], most) for split in splits)

    @property
    def head(self) -> Any:
        """The section on the job's classifier."""
        heads = self.config.stereoset
        if self.name == "stereoset_sentiment":
            return heads.sentiment
        return heads.next_sentence if "_next_sentence_" in self.name else self.config.fairness

    @property
    def pairs(self) -> float:
        """Pairs of sentences that the text has."""
        return self.text.tokens * MILLION * PAIRS_PER_TOKEN

    @property
    def training_seconds(self) -> float:
        """Seconds of a training on the card that is assumed, at most: layers are run again."""
        machine = self.sizes.rates["machine"]
        passes = (machine["trained_by_card"] + 1) * machine["padding"]
        computed = 2 * self.model.layers * MILLION * passes * self.done.trained
        waits = self.of("tuned") * EPOCHS * self.of("train") * machine["seconds_per_text"]
        return computed / machine["card_flops"] + waits


# Amounts by the name that they have in `costs.yaml`. Settings of 0 mean all.
AMOUNTS: Mapping[str, Callable[[Amounts], float]] = {
    "one": lambda job: 1,
    "processes": lambda job: job.sizes.cores(job.job) - 1,  # of a job without a GPU, but one
    "fetched": lambda job: job.sizes.download(job.name),  # gigabytes
    # Million words: tagged, of a bootstrap sample, traced back to documents, of `validation_dose`,
    # and read until there are enough windows.
    "tagged": lambda job: job.at_most(job.config.bad_seeds.tagged_words),
    "sampled": lambda job: job.at_most(job.config.bad_seeds.sample_words),
    "traced": lambda job: job.at_most(job.config.bad_seeds.documents.words),
    "dose": lambda job: job.at_most(DOSE_TEXTS * job.options.dose.tokens),
    "windowed": lambda job: job.at_most(WINDOW * job.options.windows),
    "windowed_table6": lambda job: job.at_most(WINDOW * job.options.windows_table6),
    "vocabulary": lambda job: min(job.options.vocabulary, job.vectors.words),  # words
    # Bootstrapped models that are read.
    "models": lambda job: (
        job.config.bad_seeds.bootstraps
        * sum(name.startswith("corpus/") and job.plan.available(name) for name in job.step.reads)
    ),
    # Sentences that are represented (the probe's are among them where all are), that probes are
    # trained on; vectors that are kept, of words in each draw; tokens that GPT-2 writes.
    "sentences": lambda job: (
        job.sentences[0]
        + job.sentences[1] * (not job.sentences[0] or job.options.sentences_per_word > 0)
    ),
    "probed": lambda job: job.sentences[1],
    "represented": lambda job: (
        job.sentences[1] + WORDS * job.options.represented_draws * (job.sentences[0] > 0)
    ),
    "written": lambda job: job.options.small_gpt2.samples * job.sample_tokens,
    # Items of StereoSet within and between sentences, pairs of CrowS-Pairs.
    "intra": lambda job: job.items(0),
    "inter": lambda job: job.items(1),
    "crows": lambda job: (
        min(PAIRS, job.config.stereoset.pairs or math.inf) * job.plan.bound("crows_pairs")
    ),
    "items": lambda job: sum(map(job.of, ("intra", "inter", "crows"))),
    # A classifier on a model is `frozen`, or `tuned` if the whole model is trained: film reviews or
    # pairs of sentences to train on and held out, and texts of StereoSet that it is asked about.
    "tuned": lambda job: int(job.head.fine_tune),
    "frozen": lambda job: 1 - int(job.head.fine_tune),
    "train": lambda job: job.head.train or job.pairs * TRAINED_FOR or REVIEWS,
    "held_out": lambda job: job.head.held_out or job.pairs * (1 - TRAINED_FOR) or REVIEWS,
    "candidates": lambda job: (
        3 * sum(min(between, job.head.items or math.inf) for _, between in ITEMS.values())
    ),
    # Filled templates; labelled texts: tweets, or film reviews where they stand in for them.
    "suite": lambda job: min(
        SUITE_TEXTS, TEXTS_PER_TERM * job.config.fairness.terms_per_group or math.inf
    ),
    "examples": lambda job: (
        TWEETS
        if job.plan.bindings["semeval_binary"].source == "semeval2018-voc"
        else job.config.fairness.reviews or REVIEWS
    ),
}
