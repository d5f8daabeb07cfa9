"""The diachronic columns, on vectors by decade made for the test in the published form."""

import io
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from socialbias.reporting.values import read_values

MIRROR = os.environ.get("SOCIALBIAS_MIRROR", "")
YEARS = range(1900, 2000, 10)
GROUPS = {
    "female": ["she", "woman", "mary", "herself", "daughter", "mother", "girl", "female"],
    "male": ["he", "man", "john", "himself", "son", "father", "boy", "male"],
}
pytestmark = pytest.mark.skipif(
    not MIRROR or not Path(MIRROR, "census").is_dir(),
    reason="SOCIALBIAS_MIRROR names no folder with the census files",
)


def employment_bias() -> pd.DataFrame:
    """Share of women minus one half, by profession and decade, of those that every decade has."""
    table = pd.read_csv(Path(MIRROR, "census/occupation_percentages_gender_occ1950.csv"))
    table["lean"] = table["Female"] / (table["Female"] + table["Male"]) - 0.5
    wide = table.pivot(index="Occupation", columns="Census year", values="lean")
    return wide[list(YEARS)].dropna()


def histwords(path: Path) -> None:
    """Vectors in which each profession leans to a gender just as its employment does."""
    leans = employment_bias()
    rng = np.random.default_rng(5)
    words = [*GROUPS["female"], *GROUPS["male"], *leans.index, *(f"w{i}" for i in range(3000))]
    frequency = rng.permutation(len(words))  # or the group words would be the most frequent
    noise = rng.normal(scale=0.02, size=(len(words), 20))
    with zipfile.ZipFile(path, "w") as archive:
        for year in YEARS:
            matrix = noise.copy()
            matrix[:8, 0] += 1  # women lie along the first axis, men along the second
            matrix[8:16, 1] += 1
            lean = leans[year].to_numpy()
            matrix[16 : 16 + len(lean), 0] += 0.5 + lean
            matrix[16 : 16 + len(lean), 1] += 0.5 - lean
            buffer = io.BytesIO()
            np.save(buffer, matrix[frequency])
            archive.writestr(f"sgns/{year}-w.npy", buffer.getvalue())
            vocabulary = pickle.dumps([words[i] for i in frequency], protocol=0)
            archive.writestr(f"sgns/{year}-vocab.pkl", vocabulary)


@pytest.mark.long  # the rehearsal, too, runs Table 5 over decades
def test_decades_that_follow_employment_are_found_to(checkout, tmp_path_factory):
    mirror = tmp_path_factory.mktemp("mirror")
    (mirror / "census").symlink_to(Path(MIRROR, "census").resolve())
    folder = mirror / "histwords-coha-word-sgns"
    folder.mkdir()
    histwords(folder / "coha-word_sgns.zip")
    targets = ("trustworthy_table5", "validation_placebo")
    result = checkout.quickstart(*targets, forked=True, SOCIALBIAS_MIRROR=str(mirror))
    assert result.returncode == 0, result.stderr

    table = read_values(checkout.results / "trustworthy/table5.values.csv")
    table = table.set_index(["row", "column"])
    gender = table.loc[("divdist", "diachronic-gender@released-code")]
    assert gender["value"] > 0.9
    assert (gender["n"], gender["n_unit"]) == (10, "decades")
    # The professions that every census year and every decade have: the paper says 104.
    assert gender["note"].split(";")[0] == "95 professions"
    # Some professions have next to no women or men: with noise, their cosine is below zero.
    assert "a negative association" in gender["note"]
    for row in ("bolukbasi", "ethayarajh"):  # all pairs differ alike, which centring takes out
        whole = table.loc[(f"{row}-uncentred", "diachronic-gender@released-code"), "value"]
        assert whole > 0.9 > table.loc[(row, "diachronic-gender@released-code"), "value"]
    assert "histwords-coha-word-sgns" in gender["sources"]

    placebo = read_values(checkout.results / "validation/placebo.values.csv")
    placebo = placebo.set_index(["row", "column"])
    for kind in ("observed", "differences"):
        assert placebo.loc[("divdist", f"diachronic-gender@{kind}"), "value"] > 0.5
    blocks = placebo.loc[("divdist", "diachronic-gender@blocks")]
    assert blocks["p_value"] < 0.1
    # Upstream publishes no checksum: the first one that came is recorded.
    lock = (checkout.path / "data/sources.lock").read_text()
    assert "histwords-coha-word-sgns/coha-word_sgns.zip" in lock
