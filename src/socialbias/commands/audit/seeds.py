"""`audit_seeds`: check seed words in a corpus or in vectors before measuring with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from socialbias.commands.settings import DEFAULTS, Resampling
from socialbias.commands.subjects import Subject, file_provenance, open_subject
from socialbias.embeddings.options import Options
from socialbias.embeddings.vectors import WordVectors
from socialbias.embeddings.words.files import read_word_list
from socialbias.embeddings.words.languages import ENGLISH, checked_tag, lower, primary
from socialbias.embeddings.words.of_papers import read_word_lists
from socialbias.errors import UserError, naming_extras
from socialbias.files.paths import check_file, resources
from socialbias.files.text import shown
from socialbias.measurement.spelling import all_spellings, spelt
from socialbias.reporting.plain_values import filled, plain
from socialbias.reporting.render import Output, Shown

if TYPE_CHECKING:  # a light installation has no pandas
    import pandas as pd

    from socialbias.papers.bad_seeds.inputs import Corpus

REPLICATES = 3
MOST_WORDS = 50_000  # of vectors: coherence is a place among all words


@dataclass(frozen=True, repr=False)
class SeedAudit(Output):
    """An audit of seed sets."""

    words: pd.DataFrame  # one row per word
    sets: pd.DataFrame  # one row per set
    place: str  # where the words were counted and measured
    title: str  # what was audited
    provenance: list[dict]  # what was read

    def records(self) -> list[dict]:
        """Return a row per word; the columns of its set begin with `set`."""
        of_sets = self.sets.add_prefix("set_").rename(columns={"set_set": "set"})
        return filled(self.words.merge(of_sets, on="set", how="left").to_dict("records"))

    def as_dict(self) -> dict:
        """Everything, as plain JSON values."""
        tables = {name: getattr(self, name).to_dict("records") for name in ("sets", "words")}
        return plain({"title": self.title, "place": self.place} | tables)

    def text(self, most: int | None = None) -> str:
        """Return the audit as text; it is always whole."""
        from socialbias.papers.bad_seeds.seed_audit import audit_text

        return audit_text(self.words, self.sets) + self.place

    def sentences(self) -> list[str]:
        """Return the lines of the text."""
        return self.text().split("\n")

    def tables(self) -> dict[str, list[Shown]]:
        """Return no table: the lines say what is in the rows."""
        return {}


@naming_extras()
def audit_seeds(
    subject: object,
    seeds: str | Path,
    *,
    text_key: str | None = None,
    by: str | None = None,
    language: str | None = None,
    replicates: int | None = None,
    seed: int = DEFAULTS.seed,
    level: float = DEFAULTS.level,
) -> SeedAudit:
    """Audit seed sets as Antoniak and Mimno 2021 recommend (section 8)."""
    from socialbias.papers.bad_seeds.inputs import printed_sets, seed_sets
    from socialbias.papers.bad_seeds.seed_audit import audit_sets, audit_words, published_pairings

    path, resampling = Path(seeds), Resampling(seed, level)
    check_file(path)
    if not path.is_file():
        raise UserError(f"{path}: no such file of seed sets")
    sets, opened = read_word_list(path), open_subject(subject, on_hub=False)
    if opened.kind == "model":
        raise UserError(
            f"{opened.name}: seed words can be audited in a corpus or in vectors, not in a model"
        )
    opened.check_text_options(text_key, by)
    if replicates is not None and opened.kind != "corpus":
        raise UserError(f"replicates: has no effect on {opened.kind} ({opened.name})")
    tag = "" if language is None else checked_tag(language)
    if tag:  # what is looked at below is in lower case by Python's rule, which is not every one's
        sets = {
            name: [w if (small := lower(w, tag)) == w.lower() else small for w in words]
            for name, words in sets.items()
        }
    gathered = read_word_lists(resources() / "word_lists" / "bad_seeds.yaml")
    english = primary(tag or ENGLISH) == ENGLISH
    published = seed_sets(printed_sets(gathered)) if english else {}
    pairings = published_pairings(gathered, published) if english else []
    others = [seed_set.words for seed_set in published.values()]
    if opened.kind == "vectors":
        wanted = [word for words in [*others, *sets.values()] for word in words]
        data, place = _of_vectors(opened, wanted, tag)
    else:
        many = REPLICATES if replicates is None else replicates
        data, place = _of_corpus(opened, text_key, by, tag, many, seed)
    if len(sets) == 1:
        place += "; one set alone has no coherence or direction: name two"
    words = audit_words(sets, data)
    summary = audit_sets(sets, data, published, resampling.level, pairings, seed)
    read = [file_provenance(path, "seeds"), opened.provenance()]
    return SeedAudit(words, summary, place, f"Seed sets of {shown(path.name)}", read)


def _of_vectors(subject: Subject, words: list[str], tag: str) -> tuple[Corpus, str]:
    """Vectors as a corpus of which nothing is counted, with the words given."""
    from socialbias.papers.bad_seeds.inputs import Corpus, unigrams

    languages = dict.fromkeys(words, tag)
    wanted = sorted({*unigrams(words), *(all_spellings(languages) if tag else ())})
    vectors, many = vocabulary(subject, wanted)
    if tag:  # words in lower case, with the vectors that they have as written
        rows = dict(vectors.index)
        for word, spelling in spelt(vectors.index, languages).items():
            rows[lower(word, tag)] = vectors.index[spelling]
        vectors = WordVectors(tuple(rows), vectors.matrix[list(rows.values())])
    place = f"measured in {subject.name} (its first {many:,} words; vectors have no counts)"
    return Corpus((vectors,)), place


def vocabulary(subject: Subject, wanted: Sequence[str]) -> tuple[WordVectors, int]:
    """Return the first words of vectors, and those that are wanted besides.

    With how many are the first.
    """
    common = list(islice(dict.fromkeys(subject.vocabulary()), MOST_WORDS))
    return subject.vectors(list(dict.fromkeys([*common, *wanted]))), len(common)


def _of_corpus(
    subject: Subject,
    text_key: str | None,
    by: str | None,
    tag: str,
    replicates: int,
    seed: int,
) -> tuple[Corpus, str]:
    """Return a corpus with its counts, and vectors trained on bootstraps of its documents."""
    from socialbias.commands.measure_corpus import prepare_corpus
    from socialbias.embeddings.train import bootstrap, train
    from socialbias.papers.bad_seeds.inputs import Corpus

    options, models = Options(), []
    with prepare_corpus(subject, text_key, by, tag or None) as corpus:
        for replicate in range(replicates):
            documents = bootstrap(corpus.size, seed, subject.name, replicate)
            trained = train(corpus, documents, options, seed + replicate, name=subject.name)
            models.append(WordVectors(trained.vectors.words, trained.vectors.matrix))
        counts = dict(zip(corpus.words, corpus.counts.tolist(), strict=True))
        size = f"{corpus.size:,} documents, {len(corpus.tokens):,} tokens"
        result = Corpus(tuple(models), counts, {}, corpus.size)
    if models:
        samples = f"{replicates} bootstrap sample{'s' * (replicates != 1)}"
        size += f"; {samples}, words with {options.min_count}+ occurrences"
    return result, f"measured in {subject.name} ({size})"
