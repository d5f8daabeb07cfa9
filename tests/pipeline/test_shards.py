import pytest

from socialbias.config import Config
from socialbias.pipeline.shards import most_sentences, shards
from socialbias.sources.registry import SourceFile, load_registry
from tests.paths import REPOSITORY

REGISTRY = load_registry(REPOSITORY / "resources/sources.yaml")
UNKNOWN = REGISTRY["wikipedia-lateral-2015"].files
BERT = REGISTRY["bert-base-uncased"].files
GIGABYTE = 1_000_000_000


def options(**changed):
    return Config.model_validate({"trustworthy": changed}).trustworthy


def file(name, size):
    return SourceFile(name=name, bytes=size, sha256="unknown", locators=[f"https://a.b/{name}"])


def test_bounds_of_the_number_of_sentences():
    # The text is of unknown size: ten in each of 150,000 documents; or 2,000,000 at most.
    assert most_sentences(options(), False, UNKNOWN) == 1_500_000
    assert most_sentences(options(represented_documents=0), False, UNKNOWN) == 2_000_000
    # 6,000 bytes of text; packed, three times as many.
    assert most_sentences(options(), False, [file("a.txt", 6000)]) == 10
    assert most_sentences(options(), False, [file("a.txt.gz", 6000)]) == 30
    # A probe reads so many sentences of each of its targets.
    assert most_sentences(options(sentences_per_target=20), True, UNKNOWN) == 8 * 20
    both = options(sentences_per_target=20, sentences_per_word=5)
    assert most_sentences(both, False, UNKNOWN) == 8 * 20 + 200 * 5


def test_shards_take_as_long_as_they_may():
    # 1,500,000 sentences of 28 pieces, times the bytes of the weights, at 75 GB a second.
    hours = 1_500_000 * 28 * GIGABYTE / 75e9 / 3600
    model = [file("model.safetensors", GIGABYTE), file("vocab.txt", 10 * GIGABYTE)]
    assert shards(options(hours_per_shard=hours / 2.5), False, UNKNOWN, model) == 3
    assert shards(options(hours_per_shard=hours * 1.01), False, UNKNOWN, model) == 1


def test_the_paper_run_is_divided_and_small_models_are_not():
    assert 15 < shards(options(), False, UNKNOWN, BERT) < 40
    assert shards(options(), True, UNKNOWN, BERT) == 1
    assert shards(options(), False, UNKNOWN, None) == 1


@pytest.mark.parametrize("weights", ["given", "random"])
def test_the_quickstart_costs_no_more_jobs(weights):
    quickstart = options(sentences_per_word=40, sentences_per_target=80, probed_professions=True)
    small = REGISTRY["all-minilm-l6-v2"].files
    assert shards(quickstart, weights == "random", UNKNOWN, small) == 1
