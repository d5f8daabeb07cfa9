"""Declared artefacts in this process: the numbers that the workflow has made of the same files."""

import re

import numpy as np
import pytest

from socialbias.commands.artefacts_in_process import InProcess
from socialbias.embeddings.readers import read_word_vectors
from socialbias.errors import UserError
from socialbias.reporting.values import NO_INPUT, read_values
from socialbias.sources.manifest import read_manifest

NUMBERS = ["value", "ci_low", "ci_high", "n", "n_of", "p_value", "reliability", "detectable"]
# As in the small quickstart of the tests.
SETTINGS = {"intervals": {"replicates": 200}}
SOURCES = {"word2vec": "googlenews-wefe-13k", "glove": "glove-6b-50d"}


def test_the_numbers_are_those_of_the_workflow(finished, tmp_path):
    data, roles = finished.path / "data", ("word2vec", "glove")
    fetched = {r: read_manifest(data / SOURCES[r] / "manifest.json") for r in roles}
    patterns = {"weat": ".*", "table5": "contemporary"}
    targets = [f"trustworthy_{name}" for name in patterns]
    in_process = InProcess(roles, targets, data, tmp_path, SETTINGS)
    words = in_process.words()  # of all artefacts, in one reading
    made = in_process.of({role: read_word_vectors(*fetched[role], words) for role in roles})
    for name, pattern in patterns.items():
        values = read_values(finished.results / "trustworthy" / f"{name}.values.csv")
        values = values[values["fidelity"] != NO_INPUT].set_index(["row", "column"])
        wanted = {key for key in values.index if re.match(pattern, key[1])}
        records = made.records(f"trustworthy_{name}")
        assert {key for key in records if re.match(pattern, key[1])} == wanted
        for key in wanted:
            numbers = [float(f"{records[key].get(n, np.nan):.6g}") for n in NUMBERS]
            assert numbers == pytest.approx([*values.loc[key, NUMBERS]], rel=1e-9, nan_ok=True), key
            assert records[key]["fidelity"] == "own"


def test_what_only_the_workflow_makes_is_refused(tmp_path):
    with pytest.raises(UserError, match="trustworthy_table7: only the workflow can read"):
        InProcess(["word2vec"], ["trustworthy_table7"], None, tmp_path)
